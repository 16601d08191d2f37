//! Rows on standard output, and the flag that chooses their format.

use std::{
    io::{self, IsTerminal},
    path::Path,
};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tables::{Format, Rows, Shape, Table};

use crate::{
    exit::bad_command,
    files::{self, Stream},
};

/// The flag that every command with rows has.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Output {
    /// Output format
    #[arg(long, default_value = "table", value_parser = formats())]
    pub format: Format,
}

/// The formats as values of a flag.
pub fn formats() -> impl TypedValueParser<Value = Format> {
    choices(&Format::ALL, Format::name, Format::description)
}

/// Things with names as values of a flag.
pub fn choices<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    description: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(|&it| PossibleValue::new(name(it)).help(description(it)));
    PossibleValuesParser::new(values).map(move |chosen| {
        let found = all.iter().find(|&&it| name(it) == chosen);
        *found.expect("the flag takes no other names")
    })
}

impl Output {
    /// Refuses a format that is not for a terminal, before any work is done.
    pub fn check(self) -> anyhow::Result<()> {
        for_stdout(self.format).map(|_| ())
    }

    /// Rows on standard output.
    pub fn rows(self, table: &Table, shape: Shape) -> anyhow::Result<Rows<Stream>> {
        Ok(Rows::new(files::stdout(), for_stdout(self.format)?, table, shape)?)
    }
}

/// The format that was asked for, else the format of the extension of --out, else aligned columns
/// on standard output.
pub fn chosen(format: Option<Format>, out: Option<&Path>) -> anyhow::Result<Format> {
    match (format, out) {
        (format, None) => for_stdout(format.unwrap_or(Format::Table)),
        (Some(format), _) => Ok(format),
        (None, Some(path)) => Format::of_file(path).ok_or_else(|| {
            bad_command("the extension of --out does not name a format; use --format")
        }),
    }
}

/// The same format, if standard output is a place for it.
fn for_stdout(format: Format) -> anyhow::Result<Format> {
    if format.is_binary() && io::stdout().is_terminal() {
        return Err(bad_command(
            "this format is binary and cannot be printed on a terminal; redirect it to a file \
             or a program",
        ));
    }
    Ok(format)
}
