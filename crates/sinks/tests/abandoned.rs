//! A process that ends at once leaves nothing half written. A test of its own, because nothing can
//! be written in this process afterwards.

use std::{fs, io::Write};

use sinks::{Directory, Unfinished};

#[test]
fn what_is_abandoned_is_removed() {
    let place = tempfile::tempdir().unwrap();
    sinks::write(&place.path().join("whole"), b"rows").unwrap();
    let mut file = Unfinished::create(&place.path().join("half")).unwrap();
    file.write_all(b"ro").unwrap();
    let directory = Directory::open(place.path(), |_| true).unwrap();
    sinks::abandon();
    let names: Vec<_> =
        fs::read_dir(place.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["whole"]);
    // Neither can be dropped any more.
    std::mem::forget((file, directory));
}
