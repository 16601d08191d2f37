//! S3, Google Cloud Storage and Bigtable do what every store must. Their clients find the server
//! by variables, so each test starts the server and then runs itself in a process that has them.

mod readers;
mod servers;
mod solved;

use std::ops::ControlFlow;

use bigtable_rs::{
    bigtable::{BigTable, BigTableConnection},
    google::bigtable::v2::{
        MutateRowRequest, Mutation, ReadRowsRequest, RowSet, TimestampRange,
        mutation::{self, DeleteFromColumn, DeleteFromRow, SetCell},
    },
};
use game::{Key, Rank, Score, Verdict};
use solver::{
    Access, FORMAT, Found, Header, Row, Settled, Stage, StoreError,
    conformance::{self, Lasting},
};
use tokio::runtime::{Builder, Runtime};

#[test]
fn s3_does_what_every_store_must() {
    if servers::has_s3("s3_does_what_every_store_must") {
        let url = |name: &str| format!("s3://games/conformance/{name}");
        let open = |name: &str, access| readers::admitted(&url(name), access);
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
    }
}

#[test]
fn gs_does_what_every_store_must() {
    if servers::has_gs("gs_does_what_every_store_must") {
        let url = |name: &str| format!("gs://games/conformance/{name}");
        let open = |name: &str, access| readers::admitted(&url(name), access);
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
    }
}

#[test]
fn bigtable_does_what_every_store_must() {
    if servers::has_bigtable("bigtable_does_what_every_store_must") {
        let open = |name: &str, access| readers::admitted(&table(name), access);
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
    }
}

fn table(name: &str) -> String {
    format!("bigtable://project/instance/{name}")
}

const RANK: Rank = Rank { level: 1, step: 1 };
/// Timestamps of cells are thousands: the numbers of commits.
const COMMIT: i64 = 1_000;
const COMMITS: i64 = 2;

/// Ten settled positions, of two commits.
fn finished(url: &str) {
    let header = Header { game: "any".to_owned(), key_bits: 40, format: FORMAT };
    let mut store = stores::open(url, Access::Create(header)).expect("a new store");
    let found: Vec<Found> = (0..10).map(|key| Found { key: Key(key), depth: 1 }).collect();
    store.add(RANK, &found).expect("positions");
    store.commit(Stage::Exploring(Some(RANK))).expect("a commit");
    let verdict = Verdict { score: Score(5), best: None, remoteness: Some(3) };
    let settled: Vec<_> = (0..10).map(|key| Settled { key: Key(key), verdict }).collect();
    store.settle(RANK, &settled).expect("verdicts");
    store.commit(Stage::Solved).expect("a commit");
}

fn find(url: &str, key: Key) -> Result<Vec<Option<Row>>, StoreError> {
    let mut rows = Vec::new();
    stores::open(url, Access::Read)?.find(RANK, &[key], &mut rows)?;
    Ok(rows)
}

fn scan(url: &str) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    let visit = &mut |found: &[Row]| {
        rows.extend_from_slice(found);
        ControlFlow::Continue(())
    };
    stores::open(url, Access::Read)?.scan(RANK..=RANK, visit)?;
    Ok(rows)
}

/// Somebody who changes a table without the store.
struct Intruder {
    runtime: Runtime,
    client: BigTable,
    table: String,
}

/// Where the cells of positions are.
const FAMILY: &str = "p";
const COLUMN: &[u8] = b"row";

#[derive(Clone)]
struct Cell {
    value: Vec<u8>,
    time: i64,
}

impl Cell {
    /// The same with another value, which stands behind the checksum and the depth.
    fn changed(&self) -> Cell {
        let mut cell = self.clone();
        cell.value[7] ^= 2;
        cell
    }
}

impl Intruder {
    fn new(table: &str) -> Intruder {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let connecting = BigTableConnection::new("project", "instance", false, 1, None);
        let client = runtime.block_on(connecting).expect("the emulator").client();
        let table = client.get_full_table_name(table);
        Intruder { runtime, client, table }
    }

    fn row_key(key: Key) -> Vec<u8> {
        [&RANK.to_u32().to_be_bytes()[..], &key.0.to_be_bytes()[..]].concat()
    }

    /// The cells of a row, the newest first.
    fn cells(&mut self, key: Key) -> Vec<Cell> {
        let request = ReadRowsRequest {
            table_name: self.table.clone(),
            rows: Some(RowSet { row_keys: vec![Self::row_key(key)], row_ranges: vec![] }),
            ..ReadRowsRequest::default()
        };
        let rows = self.runtime.block_on(self.client.read_rows(request)).expect("a row");
        let cells = rows.into_iter().flat_map(|(_, cells)| cells);
        cells.map(|cell| Cell { value: cell.value, time: cell.timestamp_micros }).collect()
    }

    fn change(&mut self, key: Key, mutation: mutation::Mutation) {
        let request = MutateRowRequest {
            table_name: self.table.clone(),
            row_key: Self::row_key(key),
            mutations: vec![Mutation { mutation: Some(mutation) }],
            ..MutateRowRequest::default()
        };
        self.runtime.block_on(self.client.mutate_row(request)).expect("a change");
    }

    fn set(&mut self, key: Key, cell: &Cell) {
        let cell = SetCell {
            family_name: FAMILY.to_owned(),
            column_qualifier: COLUMN.to_owned(),
            timestamp_micros: cell.time,
            value: cell.value.clone(),
        };
        self.change(key, mutation::Mutation::SetCell(cell));
    }

    fn remove(&mut self, key: Key) {
        self.change(key, mutation::Mutation::DeleteFromRow(DeleteFromRow {}));
    }

    fn remove_version(&mut self, key: Key, cell: &Cell) {
        let (from, to) = (cell.time, cell.time + COMMIT);
        let version = TimestampRange { start_timestamp_micros: from, end_timestamp_micros: to };
        let removed = DeleteFromColumn {
            family_name: FAMILY.to_owned(),
            column_qualifier: COLUMN.to_owned(),
            time_range: Some(version),
        };
        self.change(key, mutation::Mutation::DeleteFromColumn(removed));
    }
}

/// A change of the row with a key, whose newest cell is given.
type Change = fn(&mut Intruder, Key, &Cell);

const CHANGES: &[(&str, Change)] = &[
    ("a changed value", |table, key, cell| table.set(key, &cell.changed())),
    ("a lost row", |table, key, _| table.remove(key)),
    ("a moved row", |table, key, cell| {
        table.set(Key(key.0 + 1000), cell);
        table.remove(key);
    }),
    ("a row twice", |table, key, cell| table.set(Key(key.0 + 1000), cell)),
    ("an earlier version", |table, key, cell| table.remove_version(key, cell)),
];

/// Those that a look-up of the row itself does not show: the row is there, and fits its checksum.
const ONLY_SCANS: [&str; 2] = ["a row twice", "an earlier version"];

#[test]
fn a15_a_changed_a_moved_and_a_lost_row_of_bigtable_are_named() {
    if !servers::has_bigtable("a15_a_changed_a_moved_and_a_lost_row_of_bigtable_are_named") {
        return;
    }
    let key = Key(3);
    for (number, (what, change)) in CHANGES.iter().enumerate() {
        let name = format!("changed{number}");
        let url = table(&name);
        finished(&url);
        let mut intruder = Intruder::new(&name);
        let cells = intruder.cells(key);
        let times: Vec<i64> = cells.iter().map(|cell| cell.time).collect();
        assert_eq!(times, [COMMITS * COMMIT, COMMIT], "both commits are there");
        let rows = scan(&url).expect("rows");
        assert_eq!((rows.len(), find(&url, key)), (10, Ok(vec![Some(rows[3])])));
        // What is not committed is seen by nobody.
        let later = Cell { time: (COMMITS + 1) * COMMIT, ..cells[0].changed() };
        intruder.set(key, &later);
        assert_eq!((scan(&url).as_ref(), find(&url, key)), (Ok(&rows), Ok(vec![Some(rows[3])])));
        intruder.remove_version(key, &later);
        // The table keeps two versions.
        intruder.set(key, &cells[1]);

        change(&mut intruder, key, &cells[0]);
        let damaged = |ended: Result<(), StoreError>| match ended {
            Err(StoreError::Corrupt { cause, .. }) if cause.contains("rank 1.1") => {}
            other => panic!("{what}: {other:?}"),
        };
        damaged(scan(&url).map(drop));
        if !ONLY_SCANS.contains(what) {
            damaged(find(&url, key).map(drop));
        }
    }
}
