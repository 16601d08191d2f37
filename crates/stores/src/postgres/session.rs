//! A connection with the runtime that drives it.

use std::pin::Pin;
use std::str::FromStr;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use solver::{Row, StoreError};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, CopyOutStream, Error, NoTls};

use super::copy::Decoder;
use super::password::password;

/// The first half of the advisory lock's key, `evpl` in ASCII; the second is the schema.
const LOCK: i32 = 0x6576_706c;

type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

pub(super) struct Session {
    runtime: Runtime,
    client: Client,
    place: String,
    schema: String,
}

impl Session {
    pub(super) fn connect(url: &str, schema: &str) -> Result<Session, StoreError> {
        let place = format!("{url} schema {schema}");
        let unavailable = |cause: String| StoreError::Unavailable { place: place.clone(), cause };
        let mut config = Config::from_str(url).map_err(|error| unavailable(words(&error)))?;
        if let Some(password) = password(&config) {
            config.password(password);
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unavailable(error.to_string()))?;
        let (client, connection) = runtime
            .block_on(config.application_name("everyply").connect(NoTls))
            .map_err(|error| unavailable(words(&error)))?;
        // It ends with the client; its error is also that of whatever the client was doing.
        runtime.spawn(connection);
        let mut session = Session { runtime, client, place, schema: quoted(schema) };
        // Tables that are being filled have no statistics yet, and without them the planner reads a
        // whole table for one rank where the index would do.
        let settings = format!("SET enable_seqscan = off; SET search_path TO {}", session.schema);
        session.run(&settings)?;
        Ok(session)
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The schema's name, quoted for SQL.
    pub(super) fn schema(&self) -> &str {
        &self.schema
    }

    /// Takes the writer's lock, if it is free.
    pub(super) fn lock(&mut self) -> Result<bool, StoreError> {
        let schema = self.schema.clone();
        let lock = "SELECT pg_try_advisory_lock($1, hashtext($2))";
        Ok(self.query(lock, &[&LOCK, &schema])?[0].get(0))
    }

    pub(super) fn run(&mut self, statements: &str) -> Result<(), StoreError> {
        let result = self.runtime.block_on(self.client.batch_execute(statements));
        result.map_err(|error| self.fault(&error))
    }

    pub(super) fn execute(
        &mut self,
        statement: &str,
        parameters: Parameters<'_>,
    ) -> Result<u64, StoreError> {
        let result = self.runtime.block_on(self.client.execute(statement, parameters));
        result.map_err(|error| self.fault(&error))
    }

    pub(super) fn query(
        &mut self,
        query: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        let result = self.runtime.block_on(self.client.query(query, parameters));
        result.map_err(|error| self.fault(&error))
    }

    pub(super) fn copy_in(&mut self, copy: &str, mut rows: Bytes) -> Result<(), StoreError> {
        /// Bytes of a message.
        const MESSAGE: usize = 1 << 18;
        let result = self.runtime.block_on(async {
            let mut sink = Box::pin(self.client.copy_in(copy).await?);
            while !rows.is_empty() {
                sink.feed(rows.split_to(rows.len().min(MESSAGE))).await?;
            }
            sink.as_mut().finish().await
        });
        result.map(drop).map_err(|error| self.fault(&error))
    }

    /// Starts reading the rows of a query for the five columns.
    pub(super) fn copy_out(&mut self, query: &str) -> Result<RowReader, StoreError> {
        let copy = format!("COPY ({query}) TO STDOUT (FORMAT binary)");
        let stream = self.runtime.block_on(self.client.copy_out(&copy));
        let stream = stream.map_err(|error| self.fault(&error))?;
        Ok(RowReader {
            stream: Box::pin(stream),
            decoder: Decoder::default(),
            rows: Vec::new(),
            ended: false,
        })
    }

    /// Reads on until there are so many rows or all; false if there are none.
    pub(super) fn next_rows(
        &mut self,
        reader: &mut RowReader,
        count: usize,
    ) -> Result<bool, StoreError> {
        reader.rows.clear();
        let result = self.runtime.block_on(async {
            while reader.rows.len() < count && !reader.ended {
                match reader.stream.next().await {
                    // Not to be asked again: what follows on the connection is not for it.
                    None => reader.ended = true,
                    Some(Ok(piece)) => {
                        reader.decoder.take(&piece, &mut reader.rows).map_err(Bad::Row)?;
                    }
                    Some(Err(error)) => return Err(Bad::Connection(error)),
                }
            }
            Ok(())
        });
        match result {
            Ok(()) => Ok(!reader.rows.is_empty()),
            Err(Bad::Row(cause)) => Err(self.corrupt(cause)),
            Err(Bad::Connection(error)) => Err(self.fault(&error)),
        }
    }

    pub(super) fn corrupt(&self, cause: &str) -> StoreError {
        StoreError::Corrupt { place: self.place.clone(), cause: cause.to_owned() }
    }

    fn fault(&self, error: &Error) -> StoreError {
        let cause = if error.is_closed() {
            "the connection was lost; committed work is safe".to_owned()
        } else {
            words(error)
        };
        StoreError::Unavailable { place: self.place.clone(), cause }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The server would do so itself when it notices that we are gone, which may be after the
        // next writer comes.
        let close = "ROLLBACK; SELECT pg_advisory_unlock_all()";
        let _ = self.runtime.block_on(self.client.batch_execute(close));
    }
}

enum Bad {
    Row(&'static str),
    Connection(Error),
}

/// Rows on their way.
pub(super) struct RowReader {
    stream: Pin<Box<CopyOutStream>>,
    decoder: Decoder,
    rows: Vec<Row>,
    ended: bool,
}

impl RowReader {
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// The error with its cause, which the crate keeps apart.
fn words(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
