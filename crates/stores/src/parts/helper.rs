//! Blobs for tasks, which do not have the bucket for themselves.

use solver::{
    Header, Row, StoreError,
    tasks::{Blobs, Number, Part, Span},
};

use super::{Bucket, shelf};
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
        shelf::write_part(&mut *self.0, number, header, rows).map_err(told)
    }
}
