//! Where the rows go: standard output, one file, or a folder of parts.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::BufWriter,
    path::Path,
};

use anyhow::Context;
use arrow::datatypes::SchemaRef;
use tables::{Chunk, FACTS_VERSION, Parts, Shape, Writer};

use crate::{
    exit::{bad_command, bad_input},
    files::{self, Named, Stream, Unfinished},
    rows::Format,
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
    File(Box<Writer<BufWriter<Named<File>>>>, Unfinished),
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
    /// Opens the target. What a folder already holds is put into `done`, by source.
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
            let format = Format::chosen(format, None)?;
            let writer = Writer::new(files::stdout(), format.into(), schema, Shape::Many)?;
            let target = Target::Stream(Box::new(writer));
            return Ok(sink(format, target));
        };
        let is_folder = path.is_dir() || (path.extension().is_none() && !path.exists());
        let format = match is_folder {
            true => format.unwrap_or(Format::Parquet),
            false => Format::chosen(format, out)?,
        };
        let failed = || format!("cannot write {}", path.display());
        let target = if is_folder {
            if format != Format::Parquet {
                return Err(bad_command(format_args!(
                    "{}: a directory can be written only as Parquet",
                    path.display()
                )));
            }
            fs::create_dir_all(path).with_context(failed)?;
            read_done(path, schema, options, done)?;
            Target::Parts(Box::new(Parts::new(path, schema, part_rows).with_context(failed)?))
        } else {
            if append {
                return Err(bad_command(
                    "--append needs a directory, because a file is always written as a whole",
                ));
            }
            let (file, out) = Unfinished::create(path)?;
            let writer = Writer::new(out, format.into(), schema, Shape::Many)?;
            Target::File(Box::new(writer), file)
        };
        Ok(sink(format, target))
    }

    pub(super) fn format(&self) -> tables::Format {
        self.format.into()
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
            Target::File(writer, ..) => writer.append(chunk)?,
            Target::Parts(parts) => {
                if last > 0 {
                    match self.written.last_mut() {
                        Some((name, number)) if *name == source => *number = last,
                        _ => self.written.push((source.to_owned(), last)),
                    }
                }
                let group = chunk.into_row_group().expect("folders hold Parquet");
                if group.rows() > 0 {
                    parts.append(group, &notes(&self.written, &self.chosen))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self.target {
            Target::Stream(writer) => writer.finish()?,
            Target::File(writer, file) => {
                writer.finish()?;
                file.complete()?;
            }
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
    let lines = written.iter().map(|(source, last)| format!("{last} {source}\n"));
    [(DONE, lines.collect()), (CHOSEN, chosen.to_owned())]
}

/// Learns from the finished parts how far each source has been written.
fn read_done(
    folder: &Path,
    schema: &SchemaRef,
    options: &Options<'_>,
    done: &mut HashMap<String, u64>,
) -> anyhow::Result<()> {
    let failed = || format!("cannot read {}", folder.display());
    let parts = Parts::read(folder).with_context(failed)?;
    if !options.append {
        if !parts.is_empty() {
            let (folder, count) = (folder.display(), parts.len());
            return Err(bad_input(format_args!(
                "{folder} already holds {count} parts; --append adds to them"
            )));
        }
        return Ok(());
    }
    if let Some(path) = Parts::missing(folder).with_context(failed)? {
        return Err(bad_input(format_args!("{}: this part is missing", path.display())));
    }
    for part in parts {
        let name = part.path.display().to_string();
        tables::check(&part.metadata, "chess.facts", FACTS_VERSION)
            .map_err(|error| bad_input(format_args!("{name}: {error}")))?;
        let definitions = "everyply.definitions";
        if part.metadata.get(definitions) != schema.metadata().get(definitions)
            || part.columns != schema.fields().len()
        {
            return Err(bad_input(format_args!("{name}: it has different columns or definitions")));
        }
        if let Some(chosen) = part.metadata.get("everyply.chosen")
            && *chosen != options.chosen
        {
            return Err(bad_input(format_args!(
                "{name}: it was written with '{chosen}', not with '{}' (--every, --where)",
                options.chosen
            )));
        }
        let note = part.metadata.get("everyply.done").map_or("", String::as_str);
        for (last, source) in note.lines().filter_map(|line| line.split_once(' ')) {
            let last: u64 = last.parse().unwrap_or(0);
            let known = done.entry(source.to_owned()).or_default();
            *known = last.max(*known);
        }
    }
    Ok(())
}
