//! Blobs for tasks, which do not have the bucket for themselves.

use solver::{
    Header, Row, Stage, StoreError,
    tasks::{Blobs, Number, Part, Span},
};

use super::{
    Bucket,
    manifest::Manifest,
    shelf::{self, MANIFEST},
};
use crate::told;

pub(crate) struct Helper(pub(crate) Box<dyn Bucket>);

impl Blobs for Helper {
    fn read(&mut self, name: &str, span: Span) -> Result<Vec<u8>, StoreError> {
        self.0.read_span(name, span).map(Into::into).map_err(told)
    }

    fn write(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.0.write(name, bytes.into()).map_err(told)
    }

    fn write_part(
        &mut self,
        number: Number,
        header: &Header,
        rows: &[Row],
    ) -> Result<Part, StoreError> {
        self.check(number.writer).map_err(told)?;
        shelf::write_part(&mut *self.0, number, header, rows).map_err(told)
    }
}

impl Helper {
    /// Refuses to write parts for a writer that somebody else has taken over from: whoever reads all
    /// parts of a solved store would read their rows twice.
    fn check(&mut self, writer: u64) -> Result<(), StoreError> {
        let manifest = self.0.read(MANIFEST)?.and_then(|text| Manifest::from_text(&text).ok());
        match manifest {
            Some(found) if found.writer == writer && found.state.stage != Stage::Solved => Ok(()),
            _ => Err(StoreError::Busy(self.0.place().to_owned())),
        }
    }
}
