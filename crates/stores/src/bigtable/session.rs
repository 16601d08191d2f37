//! A connection with the runtime that drives it, and the requests made over it.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use bigtable_rs::bigtable::{BigTable, BigTableConnection, Error, RowCell};
use bigtable_rs::google::bigtable::v2::mutate_rows_request::Entry;
use bigtable_rs::google::bigtable::v2::mutation::{DeleteFromColumn, SetCell};
use bigtable_rs::google::bigtable::v2::row_filter::{Chain, Filter};
use bigtable_rs::google::bigtable::v2::row_range::{EndKey, StartKey};
use bigtable_rs::google::bigtable::v2::value_range::{EndValue, StartValue};
use bigtable_rs::google::bigtable::v2::{
    CheckAndMutateRowRequest, MutateRowsRequest, Mutation, ReadRowsRequest, RowFilter, RowRange,
    RowSet, TimestampRange, ValueRange, mutation,
};
use game::{Key, Rank};
use solver::{Access, Row, StoreError};
use tokio::runtime::{Builder, Runtime};

use super::cells::{KEY, Ledger, cell, from_cell, row_key};
use crate::lease::{Lease, RENEWED};

/// The row that says which game this is, its families and columns.
const HEADER: &[u8] = b"header";
const HEADERS: &str = "h";
const LEDGER: &[u8] = b"ledger";
const LEASE: &[u8] = b"lease";
const POSITIONS: &str = "p";
const CELL: &[u8] = b"row";

/// Rows changed by one request; the service takes up to 100,000.
const CHANGES: usize = 10_000;

/// Timestamps are microseconds of which only whole thousands may be used.
const COMMIT: i64 = 1000;

pub(super) struct Session {
    runtime: Runtime,
    client: BigTable,
    place: String,
    table: String,
    /// The lease with its text as last written, and when that was.
    lease: Option<(Lease, Instant)>,
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

    /// What is left after a position; none where it is the last there can be.
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
        let patience = Some(Duration::from_secs(60));
        let connection = runtime
            .block_on(BigTableConnection::new(project, instance, reading, 1, patience))
            .map_err(|error| unavailable(error.to_string()))?;
        let client = connection.client();
        let table = client.get_full_table_name(table);
        let mut session = Session { runtime, client, place, table, lease: None };
        if !reading {
            session.take_lease()?;
        }
        Ok(session)
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn ledger(&mut self) -> Result<Option<Ledger>, StoreError> {
        let Some(text) = self.header_cell(LEDGER)? else { return Ok(None) };
        let ledger = Ledger::from_text(&text);
        ledger.map(Some).ok_or_else(|| self.corrupt("its header cannot be read".to_owned()))
    }

    /// Writes the ledger if the lease is still ours, in one atomic step.
    pub(super) fn write_ledger(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let lease = self.held()?;
        let ledger = set(HEADERS, LEDGER, ledger.to_text().into_bytes(), 0);
        let renewed = lease.renewed();
        let renewal = set(HEADERS, LEASE, renewed.to_text().into_bytes(), 0);
        self.change_header(Some(lease), vec![ledger, renewal])?;
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

    /// Removes every cell of a later commit than this.
    pub(super) fn remove_after(&mut self, commit: u64) -> Result<(), StoreError> {
        let later = TimestampRange {
            start_timestamp_micros: (commit as i64 + 1) * COMMIT,
            end_timestamp_micros: 0,
        };
        let every_rank = Rank::default()..=Rank::MAX;
        let mut left = Some(Span::ranks(every_rank));
        while let Some(span) = left {
            let filters = vec![family(POSITIONS), filter(Filter::TimestampRangeFilter(later))];
            let rows = self.read(vec![span.to_range()], filters, CHANGES)?;
            let entries = rows.iter().map(|(key, _)| Entry {
                row_key: key.clone(),
                mutations: vec![Mutation {
                    mutation: Some(mutation::Mutation::DeleteFromColumn(DeleteFromColumn {
                        family_name: POSITIONS.to_owned(),
                        column_qualifier: CELL.into(),
                        time_range: Some(later),
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

    /// Rows as of a commit, the newest cell of each; a limit of 0 is none.
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
            row.ok_or_else(|| self.corrupt(format!("the row {} cannot be read", hexadecimal(key))))
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
        let result = self.runtime.block_on(self.client.read_rows(request));
        result.map_err(|error| self.fault(&error))
    }

    fn change_rows(&mut self, entries: Vec<Entry>) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let table_name = self.table.clone();
        let request = MutateRowsRequest { table_name, entries, ..MutateRowsRequest::default() };
        let result = self.runtime.block_on(async {
            let mut answers = self.client.mutate_rows(request).await?;
            let mut refused = None;
            while let Some(answer) = answers.message().await? {
                let statuses = answer.entries.into_iter().filter_map(|entry| entry.status);
                refused = refused.or(statuses.into_iter().find(|status| status.code != 0));
            }
            Ok(refused)
        });
        match result {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(self.unavailable(status.message)),
            Err(error) => Err(self.fault(&error)),
        }
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
        self.change_header(last, vec![set(HEADERS, LEASE, lease.to_text().into_bytes(), 0)])?;
        self.lease = Some((lease, Instant::now()));
        Ok(())
    }

    fn renew_lease(&mut self) -> Result<(), StoreError> {
        if let Some((lease, since)) = self.lease
            && since.elapsed() >= RENEWED
        {
            let renewed = lease.renewed();
            let renewal = set(HEADERS, LEASE, renewed.to_text().into_bytes(), 0);
            self.change_header(Some(lease), vec![renewal])?;
            self.lease = Some((renewed, Instant::now()));
        }
        Ok(())
    }

    fn held(&self) -> Result<Lease, StoreError> {
        let lease = self.lease.map(|(lease, _)| lease);
        lease.ok_or_else(|| StoreError::ReadOnly(self.place.clone()))
    }

    /// Changes the header's row if its lease is this one, or if there is none.
    fn change_header(
        &mut self,
        lease: Option<Lease>,
        changes: Vec<Mutation>,
    ) -> Result<(), StoreError> {
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
        let result = self.runtime.block_on(self.client.check_and_mutate_row(request));
        let answer = result.map_err(|error| self.fault(&error))?;
        match answer.predicate_matched == lease.is_some() {
            true => Ok(()),
            false => Err(StoreError::Busy(self.place.clone())),
        }
    }

    fn corrupt(&self, cause: String) -> StoreError {
        StoreError::Corrupt { place: self.place.clone(), cause }
    }

    fn unavailable(&self, cause: String) -> StoreError {
        StoreError::Unavailable { place: self.place.clone(), cause }
    }

    fn fault(&self, error: &Error) -> StoreError {
        match error {
            Error::RpcError(status) => self.unavailable(status.message().to_owned()),
            _ => self.unavailable(error.to_string()),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some((lease, _)) = self.lease {
            // Where this fails, the lease runs out by itself.
            let end = set(HEADERS, LEASE, lease.ended().to_text().into_bytes(), 0);
            let _ = self.change_header(Some(lease), vec![end]);
        }
    }
}

fn filter(filter: Filter) -> RowFilter {
    RowFilter { filter: Some(filter) }
}

/// The filters one after the other; a chain has at least two.
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
