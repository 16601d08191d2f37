//! A connection with the runtime that drives it, and the requests made over it.

use std::{cell::Cell, future::Future, ops::RangeInclusive, time::Instant};

use bigtable_rs::{
    bigtable::{BigTable, BigTableConnection, Error, RowCell},
    google::bigtable::v2::{
        CheckAndMutateRowRequest, MutateRowsRequest, Mutation, ReadRowsRequest, RowFilter,
        RowRange, RowSet, TimestampRange, ValueRange,
        mutate_rows_request::Entry,
        mutation::{self, DeleteFromColumn, SetCell},
        row_filter::{Chain, Filter},
        row_range::{EndKey, StartKey},
        value_range::{EndValue, StartValue},
    },
};
use game::{Key, Rank};
use solver::{Access, Row, StoreError};
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use tonic::{Code, Status};

use super::{
    admin,
    cells::{KEY, Ledger, cell, from_cell, row_key},
};
use crate::{
    lease::{Lease, RENEWED},
    patience::{Failure, Outcome, SILENCE, in_time, persistently},
    tally::checked,
};

/// The row with the header, its column families and columns.
const HEADER: &[u8] = b"header";
pub(super) const HEADERS: &str = "h";
const LEDGER: &[u8] = b"ledger";
const LEASE: &[u8] = b"lease";
pub(super) const POSITIONS: &str = "p";
const CELL: &[u8] = b"row";

/// Rows changed by one request. The service accepts up to 100,000.
const CHANGES: usize = 10_000;

/// Timestamps are in microseconds and must be multiples of 1000.
const COMMIT: i64 = 1000;

pub(super) struct Session {
    runtime: Runtime,
    client: BigTable,
    place: String,
    table: String,
    /// The lease with its text as last written, and the time of that write.
    lease: Option<(Lease, Instant)>,
    /// Whether the service has failed. If so, it is not asked to end the lease.
    failed: Cell<bool>,
}

/// The key of a row and its cells.
type KeyedCells = (Vec<u8>, Vec<RowCell>);

/// A range of row keys.
pub(super) struct Span {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Span {
    pub(super) fn between(rank: Rank, first: Key, last: Key) -> Span {
        Span { first: row_key(rank, first), last: row_key(rank, last) }
    }

    pub(super) fn ranks(ranks: RangeInclusive<Rank>) -> Span {
        let first = row_key(*ranks.start(), Key(0));
        Span { first, last: row_key(*ranks.end(), Key(u128::MAX)) }
    }

    /// The rest of the span after a position; `None` if the position is the last possible one.
    pub(super) fn after(&self, rank: Rank, key: Key) -> Option<Span> {
        let mut first = row_key(rank, key);
        first.push(0);
        (first <= self.last).then(|| Span { first, last: self.last.clone() })
    }

    fn to_range(&self) -> RowRange {
        RowRange {
            start_key: Some(StartKey::StartKeyClosed(self.first.clone())),
            end_key: Some(EndKey::EndKeyClosed(self.last.clone())),
        }
    }
}

impl Session {
    pub(super) fn connect(
        project: &str,
        instance: &str,
        table: &str,
        access: &Access,
    ) -> Result<Session, StoreError> {
        let place = format!("bigtable://{project}/{instance}/{table}");
        let unavailable = |cause: String| StoreError::Unavailable { place: place.clone(), cause };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unavailable(error.to_string()))?;
        let reading = *access == Access::Read;
        let connecting = BigTableConnection::new(project, instance, reading, 1, Some(SILENCE));
        let connecting = async { timeout(SILENCE, connecting).await };
        let connection = runtime
            .block_on(connecting)
            .map_err(|_| unavailable("no service answers the request for credentials".to_owned()))?
            .map_err(|error| unavailable(error.to_string()))?;
        let client = connection.client();
        let full = client.get_full_table_name(table);
        let mut session =
            Session { runtime, client, place, table: full, lease: None, failed: Cell::new(false) };
        if !session.has_table()? {
            if reading {
                return Err(StoreError::Missing(session.place.clone()));
            }
            session.make_table(project, instance, table)?;
        }
        if !reading {
            session.take_lease()?;
        }
        Ok(session)
    }

    /// Whether there is a table with this name.
    fn has_table(&mut self) -> Result<bool, StoreError> {
        let request = ReadRowsRequest {
            table_name: self.table.clone(),
            rows_limit: 1,
            rows: Some(RowSet { row_keys: vec![HEADER.into()], row_ranges: vec![] }),
            ..ReadRowsRequest::default()
        };
        self.ask(|mut client| {
            let request = request.clone();
            async move {
                match client.read_rows(request).await {
                    Err(Error::RpcError(status)) if status.code() == Code::NotFound => Ok(false),
                    answer => answer.map(|_| true).map_err(failure),
                }
            }
        })
        .map(|outcome| outcome.answer)
    }

    fn make_table(&mut self, project: &str, instance: &str, table: &str) -> Result<(), StoreError> {
        self.ask(|_| async {
            let made = admin::create(project, instance, table).await;
            made.map_err(|status| failure(Error::RpcError(status)))
        })
        .map(drop)
    }

    /// Retries a request until it succeeds or fails permanently.
    fn ask<T, F: Future<Output = Result<T, Failure>>>(
        &self,
        mut attempt: impl FnMut(BigTable) -> F,
    ) -> Result<Outcome<T>, StoreError> {
        let work = persistently(|| in_time(SILENCE, attempt(self.client.clone())));
        self.runtime.block_on(work).map_err(|cause| {
            self.failed.set(true);
            self.unavailable(cause)
        })
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn ledger(&mut self) -> Result<Option<Ledger>, StoreError> {
        let Some(text) = self.header_cell(LEDGER)? else { return Ok(None) };
        let ledger = Ledger::from_text(&text);
        ledger.map(Some).ok_or_else(|| self.corrupt("its header cannot be read".to_owned()))
    }

    /// Writes the ledger in one atomic step, if the lease is still ours.
    pub(super) fn write_ledger(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let lease = self.held()?;
        let ledger = set(HEADERS, LEDGER, ledger.to_text().into_bytes(), 0);
        let renewed = lease.renewed();
        self.change_header(Some(lease), renewed, vec![ledger])?;
        self.lease = Some((renewed, Instant::now()));
        Ok(())
    }

    pub(super) fn write_rows(&mut self, rows: &[Row], commit: u64) -> Result<(), StoreError> {
        for rows in rows.chunks(CHANGES) {
            self.renew_lease()?;
            let entries = rows.iter().map(|row| Entry {
                row_key: row_key(row.rank, row.key),
                mutations: vec![set(POSITIONS, CELL, cell(row), commit as i64 * COMMIT)],
                ..Entry::default()
            });
            self.change_rows(entries.collect())?;
        }
        Ok(())
    }

    /// Removes every cell of a later commit.
    pub(super) fn remove_after(&mut self, commit: u64) -> Result<(), StoreError> {
        self.remove(&Span::ranks(Rank::default()..=Rank::MAX), Some(commit))
    }

    /// Removes the cells of a span: all of them, or those of a later commit.
    pub(super) fn remove(&mut self, span: &Span, after: Option<u64>) -> Result<(), StoreError> {
        let removed = TimestampRange {
            start_timestamp_micros: after.map_or(0, |commit| (commit as i64 + 1) * COMMIT),
            end_timestamp_micros: 0,
        };
        let mut left = Some(Span { first: span.first.clone(), last: span.last.clone() });
        while let Some(span) = left {
            self.renew_lease()?;
            let filters = vec![family(POSITIONS), filter(Filter::TimestampRangeFilter(removed))];
            let rows = self.read(vec![span.to_range()], filters, CHANGES)?;
            let entries = rows.iter().map(|(key, _)| Entry {
                row_key: key.clone(),
                mutations: vec![Mutation {
                    mutation: Some(mutation::Mutation::DeleteFromColumn(DeleteFromColumn {
                        family_name: POSITIONS.to_owned(),
                        column_qualifier: CELL.into(),
                        time_range: Some(removed),
                    })),
                }],
                ..Entry::default()
            });
            self.change_rows(entries.collect())?;
            left = rows.last().and_then(|(key, _)| {
                let (rank, key) = super::cells::from_row_key(key)?;
                span.after(rank, key)
            });
        }
        Ok(())
    }

    pub(super) fn read_page(
        &mut self,
        span: &Span,
        limit: usize,
        commit: u64,
    ) -> Result<Vec<Row>, StoreError> {
        self.positions(vec![span.to_range()], limit, commit)
    }

    pub(super) fn read_all(&mut self, spans: &[Span], commit: u64) -> Result<Vec<Row>, StoreError> {
        self.positions(spans.iter().map(Span::to_range).collect(), 0, commit)
    }

    /// Rows as of a commit, with the newest cell of each. A limit of 0 means no limit.
    fn positions(
        &mut self,
        ranges: Vec<RowRange>,
        limit: usize,
        commit: u64,
    ) -> Result<Vec<Row>, StoreError> {
        self.renew_lease()?;
        let up_to = TimestampRange {
            start_timestamp_micros: 0,
            end_timestamp_micros: (commit as i64 + 1) * COMMIT,
        };
        let filters = vec![
            family(POSITIONS),
            filter(Filter::TimestampRangeFilter(up_to)),
            filter(Filter::CellsPerColumnLimitFilter(1)),
        ];
        let rows = self.read(ranges, filters, limit)?;
        let decode = |(key, cells): &KeyedCells| {
            let row = cells.first().and_then(|cell| from_cell(key, &cell.value));
            let unreadable =
                || self.corrupt(format!("the row {} cannot be read", hexadecimal(key)));
            let (row, sum) = row.ok_or_else(unreadable)?;
            checked(row, sum, &self.place)
        };
        rows.iter().filter(|(key, _)| key.len() == KEY).map(decode).collect()
    }

    fn read(
        &mut self,
        row_ranges: Vec<RowRange>,
        filters: Vec<RowFilter>,
        limit: usize,
    ) -> Result<Vec<KeyedCells>, StoreError> {
        let request = ReadRowsRequest {
            table_name: self.table.clone(),
            rows_limit: limit as i64,
            rows: Some(RowSet { row_keys: vec![], row_ranges }),
            filter: all_of(filters),
            ..ReadRowsRequest::default()
        };
        let answer = self.ask(|mut client| {
            let request = request.clone();
            async move { client.read_rows(request).await.map_err(failure) }
        });
        answer.map(|outcome| outcome.answer)
    }

    fn change_rows(&mut self, entries: Vec<Entry>) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let table_name = self.table.clone();
        let request = MutateRowsRequest { table_name, entries, ..MutateRowsRequest::default() };
        // Every cell has its timestamp, so the request is idempotent.
        let answer = self.ask(|mut client| {
            let request = request.clone();
            async move {
                let mut answers = client.mutate_rows(request).await.map_err(failure)?;
                while let Some(answer) = answers.message().await.map_err(|s| failure(s.into()))? {
                    let statuses = answer.entries.into_iter().filter_map(|entry| entry.status);
                    if let Some(refused) = statuses.into_iter().find(|status| status.code != 0) {
                        let status = Status::new(Code::from(refused.code), refused.message);
                        return Err(failure(Error::RpcError(status)));
                    }
                }
                Ok(())
            }
        });
        answer.map(drop)
    }

    fn header_cell(&mut self, column: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let key = Span { first: HEADER.to_vec(), last: HEADER.to_vec() };
        let rows = self.read(vec![key.to_range()], vec![family(HEADERS)], 0)?;
        let mut cells = rows.into_iter().flat_map(|(_, cells)| cells);
        Ok(cells.find(|cell| cell.qualifier == column).map(|cell| cell.value))
    }

    fn take_lease(&mut self) -> Result<(), StoreError> {
        let last = self.header_cell(LEASE)?.and_then(|text| Lease::from_text(&text));
        let lease = Lease::after(last).ok_or_else(|| StoreError::Busy(self.place.clone()))?;
        self.change_header(last, lease, vec![])?;
        self.lease = Some((lease, Instant::now()));
        Ok(())
    }

    fn renew_lease(&mut self) -> Result<(), StoreError> {
        if let Some((lease, since)) = self.lease
            && since.elapsed() >= RENEWED
        {
            let renewed = lease.renewed();
            self.change_header(Some(lease), renewed, vec![])?;
            self.lease = Some((renewed, Instant::now()));
        }
        Ok(())
    }

    fn held(&self) -> Result<Lease, StoreError> {
        let lease = self.lease.map(|(lease, _)| lease);
        lease.ok_or_else(|| StoreError::ReadOnly(self.place.clone()))
    }

    /// Changes the header row and its lease, if the lease is still the old one, or if there is
    /// none.
    fn change_header(
        &mut self,
        lease: Option<Lease>,
        new: Lease,
        mut changes: Vec<Mutation>,
    ) -> Result<(), StoreError> {
        let text = new.to_text().into_bytes();
        changes.push(set(HEADERS, LEASE, text.clone(), 0));
        let column = filter(Filter::ColumnQualifierRegexFilter(LEASE.into()));
        let mut filters = vec![family(HEADERS), column];
        if let Some(lease) = lease {
            let text: Vec<u8> = lease.to_text().into_bytes();
            filters.push(filter(Filter::ValueRangeFilter(ValueRange {
                start_value: Some(StartValue::StartValueClosed(text.clone())),
                end_value: Some(EndValue::EndValueClosed(text)),
            })));
        }
        let (true_mutations, false_mutations) = match lease {
            Some(_) => (changes, vec![]),
            None => (vec![], changes),
        };
        let request = CheckAndMutateRowRequest {
            table_name: self.table.clone(),
            row_key: HEADER.into(),
            predicate_filter: all_of(filters),
            true_mutations,
            false_mutations,
            ..CheckAndMutateRowRequest::default()
        };
        let Outcome { answer, again } = self.ask(|mut client| {
            let request = request.clone();
            async move { client.check_and_mutate_row(request).await.map_err(failure) }
        })?;
        if answer.predicate_matched == lease.is_some() {
            return Ok(());
        }
        // An earlier attempt may have succeeded although its response was lost.
        if again && self.header_cell(LEASE)? == Some(text) {
            return Ok(());
        }
        Err(StoreError::Busy(self.place.clone()))
    }

    fn corrupt(&self, cause: String) -> StoreError {
        StoreError::Corrupt { place: self.place.clone(), cause }
    }

    fn unavailable(&self, cause: String) -> StoreError {
        StoreError::Unavailable { place: self.place.clone(), cause }
    }
}

/// Whether a retry may succeed.
#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn failure(error: Error) -> Failure {
    match &error {
        Error::RpcError(status) => {
            let cause = status.message();
            match status.code() {
                Code::Aborted | Code::Internal | Code::ResourceExhausted => {
                    Failure::Passing(cause.to_owned(), None)
                }
                Code::Cancelled | Code::DeadlineExceeded | Code::Unavailable | Code::Unknown => {
                    Failure::Passing(format!("the service does not answer: {cause}"), None)
                }
                _ => Failure::Lasting(cause.to_owned()),
            }
        }
        Error::IoError(_) | Error::TransportError(_) | Error::TimeoutError(_) => {
            Failure::Passing(error.to_string(), None)
        }
        _ => Failure::Lasting(error.to_string()),
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some((lease, _)) = self.lease
            && !self.failed.get()
        {
            // If this fails, the lease expires by itself.
            let _ = self.change_header(Some(lease), lease.ended(), vec![]);
        }
    }
}

fn filter(filter: Filter) -> RowFilter {
    RowFilter { filter: Some(filter) }
}

/// A filter that applies the filters one after the other. A chain needs at least two.
fn all_of(mut filters: Vec<RowFilter>) -> Option<RowFilter> {
    if filters.len() < 2 {
        return filters.pop();
    }
    Some(filter(Filter::Chain(Chain { filters })))
}

fn family(name: &str) -> RowFilter {
    filter(Filter::FamilyNameRegexFilter(name.to_owned()))
}

fn set(family: &str, column: &[u8], value: Vec<u8>, timestamp_micros: i64) -> Mutation {
    Mutation {
        mutation: Some(mutation::Mutation::SetCell(SetCell {
            family_name: family.to_owned(),
            column_qualifier: column.to_vec(),
            timestamp_micros,
            value,
        })),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
