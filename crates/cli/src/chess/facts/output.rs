//! Where the rows go: standard output, one file, or a directory of parts.

use std::{collections::HashMap, path::Path};

use arrow::datatypes::SchemaRef;
use sinks::Unfinished;
use tables::{
    Chunk, Format, Parts, Shape, TableError, Writer,
    chess::{FACTS, FACTS_VERSION},
};

use crate::{
    exit::{bad_command, bad_input},
    files::{self, Stream},
    rows,
};

pub(super) struct Sink {
    format: Format,
    target: Target,
    /// The last game of each source that has gone into the current part, in order.
    written: Vec<(String, u64)>,
    part_rows: usize,
    chosen: String,
}

enum Target {
    Stream(Box<Writer<Stream>>),
    File(Box<Writer<Unfinished>>),
    Parts(Box<Parts>),
}

/// What the command line says about the target.
pub(super) struct Options<'a> {
    out: Option<&'a Path>,
    format: Option<Format>,
    append: bool,
    part_rows: usize,
    /// Which positions are wanted, in words.
    chosen: String,
}

impl Options<'_> {
    pub(super) fn of(args: &super::Args) -> Options<'_> {
        Options {
            out: args.out.as_deref(),
            format: args.format,
            append: args.append,
            part_rows: args.part_rows.get(),
            chosen: format!("every {}: {}", args.every, args.conditions.join(" ")),
        }
    }
}

/// Large enough to compress well, small enough for memory.
const ROW_GROUP: usize = 1 << 16;
/// Text has no groups; this is a piece of work for a thread.
const TEXT_CHUNK: usize = 1 << 13;
const DONE: &str = "done";
const CHOSEN: &str = "chosen";

impl Sink {
    /// Opens the target. What a directory already holds is put into `done`, by source.
    pub(super) fn open(
        options: &Options<'_>,
        schema: &SchemaRef,
        done: &mut HashMap<String, u64>,
    ) -> anyhow::Result<Sink> {
        let Options { out, format, append, part_rows, ref chosen } = *options;
        let sink = |format, target| Sink {
            format,
            target,
            written: Vec::new(),
            part_rows,
            chosen: chosen.clone(),
        };
        let Some(path) = out else {
            let format = rows::chosen(format, None)?;
            let writer = Writer::new(files::stdout(), format, schema, Shape::Many)?;
            let target = Target::Stream(Box::new(writer));
            return Ok(sink(format, target));
        };
        let is_directory = path.is_dir() || (path.extension().is_none() && !path.exists());
        let format = match is_directory {
            true => format.unwrap_or(Format::Parquet),
            false => rows::chosen(format, out)?,
        };
        let target = if is_directory {
            if format != Format::Parquet {
                return Err(bad_command(format_args!(
                    "{}: a directory can be written only as Parquet",
                    path.display()
                )));
            }
            let parts = Parts::open(path, schema, part_rows)?;
            read_done(&parts, path, schema, options, done)?;
            Target::Parts(Box::new(parts))
        } else {
            if append {
                return Err(bad_command(
                    "--append needs a directory, because a file is always written as a whole",
                ));
            }
            let out = Unfinished::create(path)?;
            Target::File(Box::new(Writer::new(out, format, schema, Shape::Many)?))
        };
        Ok(sink(format, target))
    }

    pub(super) fn format(&self) -> tables::Format {
        self.format
    }

    /// How many rows make a chunk: in Parquet a row group.
    pub(super) fn chunk_rows(&self) -> usize {
        match self.format {
            Format::Parquet => ROW_GROUP.min(self.part_rows),
            _ => TEXT_CHUNK,
        }
    }

    /// Writes the rows of a source up to its game or line `last`.
    pub(super) fn append(&mut self, chunk: Chunk, source: &str, last: u64) -> anyhow::Result<()> {
        match &mut self.target {
            Target::Stream(writer) => writer.append(chunk)?,
            Target::File(writer) => writer.append(chunk)?,
            Target::Parts(parts) => {
                if last > 0 {
                    match self.written.last_mut() {
                        Some((name, number)) if *name == source => *number = last,
                        _ => self.written.push((source.to_owned(), last)),
                    }
                }
                let group = chunk.into_row_group().expect("directories hold Parquet");
                if group.rows() > 0 {
                    parts.append(group, &notes(&self.written, &self.chosen))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self.target {
            Target::Stream(writer) => drop(writer.finish()?),
            Target::File(writer) => files::complete(writer.finish()?)?,
            Target::Parts(mut parts) => parts.finish(&notes(&self.written, &self.chosen))?,
        }
        Ok(())
    }

    /// Finishes the part that is being written, where there are parts: what follows is left for
    /// another run.
    pub(super) fn finish_part(&mut self) -> anyhow::Result<()> {
        if let Target::Parts(parts) = &mut self.target {
            parts.finish(&notes(&self.written, &self.chosen))?;
        }
        Ok(())
    }
}

/// What a part says of itself: a line for each source with the last game, then the name; and which
/// positions were wanted.
fn notes(written: &[(String, u64)], chosen: &str) -> [(&'static str, String); 2] {
    let lines = written.iter().map(|(source, last)| format!("{last} {}\n", escaped(source)));
    [(DONE, lines.collect()), (CHOSEN, chosen.to_owned())]
}

/// A name on one line.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// The name that was escaped.
fn unescaped(line: &str) -> String {
    let mut name = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some(escaped @ ('\\' | 'n' | 'r'))) => {
                characters.next();
                name.push(match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    other => other,
                });
            }
            _ => name.push(character),
        }
    }
    name
}

/// Learns from the finished parts how far each source has been written.
fn read_done(
    parts: &Parts,
    directory: &Path,
    schema: &SchemaRef,
    options: &Options<'_>,
    done: &mut HashMap<String, u64>,
) -> anyhow::Result<()> {
    if !options.append {
        return match parts.count()? {
            0 => Ok(()),
            count => Err(bad_input(format_args!(
                "{} already holds {count} parts; add to them with --append",
                directory.display()
            ))),
        };
    }
    if let Some(path) = parts.missing()? {
        return Err(bad_input(format_args!("{}: this part is missing", path.display())));
    }
    for part in parts.finished().map_err(damaged)? {
        let name = part.path.display().to_string();
        tables::check(&part.metadata, FACTS, FACTS_VERSION)
            .map_err(|error| bad_input(format_args!("{name}: {error}")))?;
        if let Some(difference) = part.difference(schema) {
            return Err(bad_input(format_args!(
                "{name}: {difference}; --append needs the same --facts and --definitions"
            )));
        }
        if let Some(chosen) = part.metadata.get("everyply.chosen")
            && *chosen != options.chosen
        {
            return Err(bad_input(format_args!(
                "{name}: it was written with other --every or --where: '{chosen}', not '{}'",
                options.chosen
            )));
        }
        let note = part.metadata.get("everyply.done").map_or("", String::as_str);
        for (last, source) in note.lines().filter_map(|line| line.split_once(' ')) {
            let last: u64 = last.parse().unwrap_or(0);
            let known = done.entry(unescaped(source)).or_default();
            *known = last.max(*known);
        }
    }
    Ok(())
}

/// A damaged part is bad input; anything else is not.
fn damaged(error: TableError) -> anyhow::Error {
    match error {
        TableError::Part { .. } => bad_input(error),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d5_a_name_is_read_from_a_note_as_it_was_written() {
        for name in ["games.pgn", "two\nlines", "end\r", "C:\\new\\r", "\\", "\\\\n", ""] {
            let line = escaped(name);
            assert!(!line.contains(['\n', '\r']), "{line}");
            assert_eq!(unescaped(&line), name);
        }
    }
}
