//! The browser is opened through a file that only this user can read: the arguments of a process
//! are shown to everybody on the machine, and the address holds the key.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::PathBuf,
    process::{Command, Stdio, id},
    thread,
};

use super::not_opened;

/// The file through which a browser was opened. It is removed with this.
pub(super) struct Opened(PathBuf);

impl Opened {
    /// Opens the browser of the desktop, if there is one.
    pub(super) fn new(url: &str) -> Option<Opened> {
        let opener = opener()?;
        let opened = match redirect(url) {
            Ok(path) => Opened(path),
            Err(error) => {
                not_opened(error);
                return None;
            }
        };
        let mut command = Command::new(opener);
        command.arg(&opened.0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => {
                // Some of them stay as long as their browser.
                drop(thread::Builder::new().spawn(move || child.wait()));
                Some(opened)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                not_opened(error);
                None
            }
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // If it is gone already, nothing is lost.
        let _ = fs::remove_file(&self.0);
    }
}

/// The program that opens what it is given, where somebody could see it.
fn opener() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    has_screen.then_some("xdg-open")
}

/// A page that leads to an address. Digits, dots and what a query may hold need no escape.
fn redirect(url: &str) -> io::Result<PathBuf> {
    let place = env::var_os("XDG_RUNTIME_DIR").map_or_else(env::temp_dir, PathBuf::from);
    let path = place.join(format!("everyply-{}.html", id()));
    let mut file = private(&path)?;
    writeln!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><title>everyply</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">everyply</a>"
    )?;
    Ok(path)
}

#[cfg(unix)]
fn private(path: &PathBuf) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // One of an earlier process with this number is in the way.
    let _ = fs::remove_file(path);
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private(path: &PathBuf) -> io::Result<File> {
    let _ = fs::remove_file(path);
    OpenOptions::new().write(true).create_new(true).open(path)
}
