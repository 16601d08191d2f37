//! The columns of text files.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};
use datafusion::{
    catalog::Session,
    error::{DataFusionError, Result},
    execution::runtime_env::RuntimeEnv,
};
use object_store::ObjectMeta;
use tables::{Notation, Survey};

use super::text::TextFile;

/// The columns of files that were looked at before: a statement may name a file several times,
/// and a session asks many statements about the same one.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<VecDeque<(Vec<Fingerprint>, Notation, SchemaRef)>>);

/// What changes when a file does.
#[derive(Clone, Debug, PartialEq)]
struct Fingerprint {
    file: TextFile,
    size: u64,
    modified: i64,
    tag: Option<String>,
}

/// How many tables are remembered.
const REMEMBERED: usize = 64;

impl Remembered {
    fn find(&self, files: &[Fingerprint], notation: Notation) -> Option<SchemaRef> {
        let remembered = self.0.lock().expect("nobody panics with it");
        let known = remembered.iter().find(|known| known.0 == files && known.1 == notation);
        known.map(|(_, _, schema)| schema.clone())
    }

    fn keep(&self, files: Vec<Fingerprint>, notation: Notation, schema: SchemaRef) {
        let mut remembered = self.0.lock().expect("nobody panics with it");
        remembered.truncate(REMEMBERED - 1);
        remembered.push_front((files, notation, schema));
    }
}

/// The columns of files: those of our own table if the names are, else what the values tell.
pub(super) async fn columns(
    session: &dyn Session,
    files: &[(TextFile, ObjectMeta)],
    notation: Notation,
) -> Result<SchemaRef> {
    let fingerprint = |(file, meta): &(TextFile, ObjectMeta)| Fingerprint {
        file: file.clone(),
        size: meta.size,
        modified: meta.last_modified.timestamp_micros(),
        tag: meta.e_tag.clone(),
    };
    let fingerprints: Vec<Fingerprint> = files.iter().map(fingerprint).collect();
    let remembered = session.config().get_extension::<Remembered>();
    let known = remembered.as_ref().and_then(|known| known.find(&fingerprints, notation));
    if let Some(schema) = known {
        return Ok(schema);
    }
    let awaiting = Awaiting(Arc::new(AtomicBool::new(true)));
    let is_awaited = awaiting.0.clone();
    let runtime = session.runtime_env().clone();
    let files: Vec<TextFile> = files.iter().map(|(file, _)| file.clone()).collect();
    let learned = tokio::task::spawn_blocking(move || {
        learned(&runtime, &files, notation, || is_awaited.load(Ordering::Relaxed))
    });
    let schema =
        learned.await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
    if let Some(remembered) = remembered {
        remembered.keep(fingerprints, notation, schema.clone());
    }
    Ok(schema)
}

/// Tells a thread that nobody waits for it any more.
struct Awaiting(Arc<AtomicBool>);

impl Drop for Awaiting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn learned(
    runtime: &RuntimeEnv,
    files: &[TextFile],
    notation: Notation,
    is_awaited: impl Fn() -> bool,
) -> Result<SchemaRef> {
    let ours = ours(runtime, files, notation)?;
    if let (Some(ours), Notation::Separated { .. }) = (&ours, notation) {
        return Ok(ours.clone());
    }
    let mut survey = Survey::default();
    for file in files {
        let source = file.open(runtime)?;
        survey.look(source, notation, &is_awaited).map_err(|error| file.error(&error))?;
    }
    let schema = survey.schema();
    // Of JSON only the end of the file tells that no other key comes.
    Ok(match ours {
        Some(ours) if ours.fields().len() == schema.fields().len() => ours,
        _ => schema,
    })
}

/// The columns of our own tables that the files hold, if each holds one.
fn ours(runtime: &RuntimeEnv, files: &[TextFile], notation: Notation) -> Result<Option<SchemaRef>> {
    let mut fields: Vec<FieldRef> = Vec::new();
    for file in files {
        let names = Survey::names(file.open(runtime)?, notation);
        let names = names.map_err(|error| file.error(&error))?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Some(known) = tables::known(&names) else { return Ok(None) };
        for field in known.fields() {
            match fields.iter().find(|other| other.name() == field.name()) {
                Some(other) if other.data_type() != field.data_type() => return Ok(None),
                Some(_) => {}
                // A row of another file, or of another program, may lack what ours always have.
                None => fields.push(Arc::new(Field::clone(field).with_nullable(true))),
            }
        }
    }
    Ok(Some(Arc::new(Schema::new(fields))))
}
