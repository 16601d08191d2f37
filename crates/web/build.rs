//! Lists the files of `assets`, so that a new one needs no line of code, and leaves out of them what
//! only people read.

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    let package = env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it");
    let directory = Path::new(&package).join("assets");
    println!("cargo::rerun-if-changed={}", directory.display());
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
        let mut bytes = fs::read(directory.join(&name)).expect("a readable file");
        if let (true, Ok(text)) = (is_code(&name), std::str::from_utf8(&bytes)) {
            bytes = bare(text).into_bytes();
        }
        let path = out.join("assets").join(&name);
        fs::write(&path, bytes).expect("the output directory is writable");
        let _ = writeln!(list, "    ({name:?}, include_bytes!({path:?})),");
    }
    list.push_str("]\n");
    fs::write(out.join("assets.rs"), list).expect("the output directory is writable");
}

fn is_code(name: &str) -> bool {
    [".js", ".css"].iter().any(|ending| name.ends_with(ending))
}

/// A text without comments on lines of their own and without indentation. Lines of a text between
/// backticks stay as they are.
fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let (mut is_comment, mut is_text) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if is_text {
            bare.push_str(line);
        } else if is_comment || trimmed.starts_with("/*") {
            let end = trimmed.find("*/");
            is_comment = end.is_none();
            let rest = end.map_or("", |end| trimmed[end + 2..].trim());
            if rest.is_empty() {
                continue;
            }
            bare.push_str(rest);
        } else if trimmed.is_empty() || trimmed.starts_with("//") {
            continue;
        } else {
            bare.push_str(trimmed);
        }
        is_text ^= line.replace("\\`", "").matches('`').count() % 2 == 1;
        bare.push('\n');
    }
    bare
}
