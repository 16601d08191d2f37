//! Files as tables: what is written comes back, and what does not fit is named.

mod answers;
mod damage;
mod faults;
mod games;
mod round_trips;

use std::{fs, num::NonZeroUsize, path::Path};

use arrow::{compute::concat_batches, record_batch::RecordBatch};
use sql::{Engine, Settings, SqlError};
use tempfile::TempDir;

/// An engine with a number of threads.
fn engine(threads: usize) -> Engine {
    engine_with(threads, 256 << 20)
}

/// An engine with a number of threads and of bytes.
fn engine_with(threads: usize, memory_limit: usize) -> Engine {
    let threads = NonZeroUsize::new(threads).unwrap();
    Engine::new(Settings { threads, memory_limit, ..Settings::default() }).unwrap()
}

/// All rows of an answer.
fn answered(engine: &Engine, statement: &str) -> Result<RecordBatch, SqlError> {
    let answer = engine.sql(statement)?;
    let schema = answer.schema().clone();
    let batches = answer.collect::<Result<Vec<_>, _>>()?;
    Ok(concat_batches(&schema, &batches).unwrap())
}

/// An answer as lines of CSV, without the header.
fn rows(engine: &Engine, statement: &str) -> String {
    let text = csv(engine, statement);
    text.split_once('\n').unwrap().1.to_owned()
}

/// An answer as lines of CSV.
fn csv(engine: &Engine, statement: &str) -> String {
    let batch = answered(engine, statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    let mut out = Vec::new();
    let schema = batch.schema();
    let mut writer =
        tables::Writer::new(&mut out, tables::Format::Csv, &schema, tables::Shape::Many).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    String::from_utf8(out).unwrap()
}

/// A directory with files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

/// A path inside of quotation marks.
fn quoted(directory: &Path, name: &str) -> String {
    format!("'{}'", directory.join(name).display())
}
