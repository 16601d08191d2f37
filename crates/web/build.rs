//! Lists the files of `assets`, so that a new one needs no line of code, and leaves out of them what
//! only people read.

#[path = "src/bare.rs"]
mod bare;

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    let package = env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it");
    let directory = Path::new(&package).join("assets");
    println!("cargo::rerun-if-changed={}", directory.display());
    println!("cargo::rerun-if-changed=src/bare.rs");
    let entries = fs::read_dir(&directory).expect("the directory comes with the package");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a readable directory").file_name())
        .map(|name| name.into_string().expect("our names are ASCII"))
        // Editors keep copies beside what they edit.
        .filter(|name| !name.starts_with('.') && !name.ends_with('~'))
        .collect();
    names.sort();
    let out = env::var("OUT_DIR").expect("Cargo sets it");
    let out = Path::new(&out);
    fs::create_dir_all(out.join("assets")).expect("the output directory is writable");
    let mut list = String::from("&[\n");
    for name in names {
        let text = fs::read_to_string(directory.join(&name)).expect("a readable file of text");
        let path = out.join("assets").join(&name);
        fs::write(&path, bare::bare(&name, &text)).expect("the output directory is writable");
        let _ = writeln!(list, "    ({name:?}, include_bytes!({path:?})),");
    }
    list.push_str("]\n");
    fs::write(out.join("assets.rs"), list).expect("the output directory is writable");
}
