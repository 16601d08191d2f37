//! Text files, written so that another process of this program can read them.

use std::io::Cursor;

use arrow::{
    datatypes::SchemaRef,
    ipc::{reader::StreamReader, writer::StreamWriter},
};
use datafusion::error::Result;
use tables::{Absent, Notation};

use crate::files::text::{Reading, TextFile, TextScan, TextTable};

/// A table of text files, or the reading of one.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TextMessage {
    /// The files of a table, or those of each partition.
    #[prost(message, repeated, tag = "1")]
    groups: Vec<GroupMessage>,
    /// What separates values, unless it is JSON.
    #[prost(uint32, optional, tag = "2")]
    separator: Option<u32>,
    #[prost(bool, tag = "3")]
    has_header: bool,
    /// Whether a column that a file lacks is an error.
    #[prost(bool, tag = "4")]
    refuses_absent: bool,
    /// The columns, as a stream of Arrow without rows.
    #[prost(bytes, tag = "5")]
    schema: Vec<u8>,
    /// The columns that are wanted.
    #[prost(uint32, repeated, tag = "6")]
    wanted: Vec<u32>,
    #[prost(uint64, optional, tag = "7")]
    limit: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct GroupMessage {
    #[prost(message, repeated, tag = "1")]
    files: Vec<FileMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct FileMessage {
    #[prost(string, tag = "1")]
    store: String,
    #[prost(string, tag = "2")]
    location: String,
    #[prost(string, tag = "3")]
    name: String,
}

impl TextMessage {
    pub(super) fn of_table(table: &TextTable) -> Result<TextMessage> {
        TextMessage::of(&Reading {
            groups: vec![table.files.clone()],
            notation: table.notation,
            absent: table.absent,
            table: table.schema.clone(),
            wanted: Vec::new(),
            limit: None,
        })
    }

    pub(super) fn of_scan(scan: &TextScan) -> Result<TextMessage> {
        TextMessage::of(&scan.reading)
    }

    fn of(reading: &Reading) -> Result<TextMessage> {
        let Reading { groups, notation, absent, table, wanted, limit } = reading;
        let (separator, has_header) = match *notation {
            Notation::Separated { separator, has_header } => (Some(separator), has_header),
            Notation::Json => (None, false),
        };
        let mut writer = StreamWriter::try_new(Vec::new(), table)?;
        writer.finish()?;
        Ok(TextMessage {
            groups: groups.iter().map(|files| GroupMessage::of(files)).collect(),
            separator: separator.map(u32::from),
            has_header,
            refuses_absent: *absent == Absent::Refused,
            schema: writer.into_inner()?,
            wanted: wanted.iter().map(|&index| index as u32).collect(),
            limit: limit.map(|limit| limit as u64),
        })
    }

    pub(super) fn table(self) -> Result<TextTable> {
        let (notation, absent, schema) = (self.notation(), self.absent(), self.schema()?);
        let files = self.groups.into_iter().flat_map(GroupMessage::files).collect();
        let (place, created) = (None, None);
        Ok(TextTable { files, notation, absent, schema, place, created, is_shared: true })
    }

    pub(super) fn scan(self) -> Result<TextScan> {
        let (notation, absent, table) = (self.notation(), self.absent(), self.schema()?);
        let groups = self.groups.into_iter().map(|group| group.files().collect()).collect();
        let wanted = self.wanted.into_iter().map(|index| index as usize).collect();
        let limit = self.limit.map(|limit| limit as usize);
        TextScan::new(Reading { groups, notation, absent, table, wanted, limit })
    }

    fn notation(&self) -> Notation {
        match self.separator.and_then(|separator| u8::try_from(separator).ok()) {
            Some(separator) => Notation::Separated { separator, has_header: self.has_header },
            None => Notation::Json,
        }
    }

    fn absent(&self) -> Absent {
        if self.refuses_absent { Absent::Refused } else { Absent::Null }
    }

    fn schema(&self) -> Result<SchemaRef> {
        Ok(StreamReader::try_new(Cursor::new(&self.schema), None)?.schema())
    }
}

impl GroupMessage {
    fn of(files: &[TextFile]) -> GroupMessage {
        let message = |file: &TextFile| {
            let TextFile { store, location, name } = file.clone();
            FileMessage { store, location, name }
        };
        GroupMessage { files: files.iter().map(message).collect() }
    }

    fn files(self) -> impl Iterator<Item = TextFile> {
        self.files.into_iter().map(|file| {
            let FileMessage { store, location, name } = file;
            TextFile { store, location, name }
        })
    }
}
