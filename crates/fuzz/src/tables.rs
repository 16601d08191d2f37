//! Manifests of dense tables.

use solver::table::Manifest;
use xxhash_rust::xxh3::xxh3_64;

/// The bytes are a manifest, and also one without its last line, which holds a checksum that no
/// chance would find.
pub(crate) fn an_accepted_manifest_is_read_back_as_it_was(data: &[u8]) {
    let sealed = [data, format!("end {:016x}\n", xxh3_64(data)).as_bytes()].concat();
    for bytes in [data, &sealed] {
        let Ok(manifest) = Manifest::from_bytes(bytes, "memory") else { continue };
        manifest.units();
        manifest.bytes();
        let text = manifest.to_text();
        let again = Manifest::from_bytes(text.as_bytes(), "memory");
        assert_eq!(again.expect("our own manifest is good"), manifest);
    }
}
