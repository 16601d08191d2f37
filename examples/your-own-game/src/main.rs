//! A program for a solved game: all its commands come from the library `commands`.

mod heaps;

use std::process::ExitCode;

use commands::Program;

use crate::heaps::Heaps;

fn main() -> ExitCode {
    commands::run::<Heaps>(Program {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        about: env!("CARGO_PKG_DESCRIPTION"),
    })
}
