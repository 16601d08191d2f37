//! A connection and the runtime that drives it.

use std::{pin::Pin, time::Duration};

use bytes::Bytes;
use futures_util::{SinkExt, TryStreamExt};
use solver::{Row, StoreError};
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_postgres::{Client, CopyOutStream, types::ToSql};

use super::{
    copy::Decoder,
    server::{Lost, Server},
};

/// The first half of the advisory lock's key, `evpl` in ASCII; the second is the schema.
const LOCK: i32 = 0x6576_706c;

/// Timeout for closing.
const FAREWELL: Duration = Duration::from_secs(5);

type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

pub(super) struct Session {
    runtime: Runtime,
    client: Client,
    server: Server,
    place: String,
    schema: String,
}

impl Session {
    pub(super) fn connect(url: &str, schema: &str) -> Result<Session, StoreError> {
        let place = format!("{url} schema {schema}");
        let unavailable = |cause: String| StoreError::Unavailable { place: place.clone(), cause };
        let mut server = Server::new(url).map_err(unavailable)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unavailable(error.to_string()))?;
        let client = runtime.block_on(server.connect_watched()).map_err(unavailable)?;
        let mut session = Session { runtime, client, server, place, schema: quoted(schema) };
        // Tables that are being filled have no statistics yet. Without statistics the planner would
        // read a whole table for one rank instead of using the index.
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
        let work = self.server.wait_for(self.client.batch_execute(statements));
        self.runtime.block_on(work).map_err(|lost| self.fault(lost))
    }

    pub(super) fn execute(
        &mut self,
        statement: &str,
        parameters: Parameters<'_>,
    ) -> Result<u64, StoreError> {
        let work = self.server.wait_for(self.client.execute(statement, parameters));
        self.runtime.block_on(work).map_err(|lost| self.fault(lost))
    }

    pub(super) fn query(
        &mut self,
        query: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        let work = self.server.wait_for(self.client.query(query, parameters));
        self.runtime.block_on(work).map_err(|lost| self.fault(lost))
    }

    pub(super) fn copy_in(&mut self, copy: &str, mut rows: Bytes) -> Result<(), StoreError> {
        /// Bytes of a message.
        const MESSAGE: usize = 1 << 18;
        let server = &self.server;
        let result = self.runtime.block_on(async {
            let mut sink = Box::pin(server.wait_for(self.client.copy_in(copy)).await?);
            while !rows.is_empty() {
                server.wait_for(sink.feed(rows.split_to(rows.len().min(MESSAGE)))).await?;
            }
            server.wait_for(sink.as_mut().finish()).await
        });
        result.map(drop).map_err(|lost| self.fault(lost))
    }

    /// Starts a query whose rows are read by COPY.
    pub(super) fn copy_out(&mut self, query: &str) -> Result<RowReader, StoreError> {
        let copy = format!("COPY ({query}) TO STDOUT (FORMAT binary)");
        let work = self.server.wait_for(self.client.copy_out(&copy));
        let stream = self.runtime.block_on(work).map_err(|lost| self.fault(lost))?;
        Ok(RowReader {
            stream: Box::pin(stream),
            decoder: Decoder::default(),
            rows: Vec::new(),
            ended: false,
        })
    }

    /// Reads until there are this many rows, or all. Returns false if there are none.
    pub(super) fn next_rows(
        &mut self,
        reader: &mut RowReader,
        count: usize,
    ) -> Result<bool, StoreError> {
        reader.rows.clear();
        let result = self.runtime.block_on(async {
            while reader.rows.len() < count && !reader.ended {
                let next = self.server.wait_for(reader.stream.try_next());
                match next.await.map_err(Bad::Connection)? {
                    // The stream must not be polled after its end: what follows on the connection
                    // is not for it.
                    None => reader.ended = true,
                    Some(piece) => {
                        let taken = reader.decoder.take(&piece, &self.place, &mut reader.rows);
                        taken.map_err(Bad::Row)?;
                    }
                }
            }
            Ok(())
        });
        match result {
            Ok(()) => Ok(!reader.rows.is_empty()),
            Err(Bad::Row(error)) => Err(error),
            Err(Bad::Connection(lost)) => Err(self.fault(lost)),
        }
    }

    pub(super) fn corrupt(&self, cause: &str) -> StoreError {
        StoreError::Corrupt { place: self.place.clone(), cause: cause.to_owned() }
    }

    fn fault(&self, Lost(cause): Lost) -> StoreError {
        StoreError::Unavailable { place: self.place.clone(), cause }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The server would release it when it notices that the client is gone, but that may be
        // after the next writer comes.
        let close = "ROLLBACK; SELECT pg_advisory_unlock_all()";
        let close = self.client.batch_execute(close);
        let _ = self.runtime.block_on(async { timeout(FAREWELL, close).await });
    }
}

enum Bad {
    Row(StoreError),
    Connection(Lost),
}

/// A query whose rows are being read.
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

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
