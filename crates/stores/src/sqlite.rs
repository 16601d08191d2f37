//! A store in one SQLite file.
//!
//! The writer holds SQLite's exclusive lock from opening to closing. During that time a second
//! writer is refused, and so are readers. This also avoids shared memory between processes. A
//! commit is one append to the write-ahead log, which is synced before the commit returns.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::{ControlFlow, RangeInclusive},
    path::Path,
    time::Duration,
};

use game::{Key, Rank};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, ToSql, params,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Value, ValueRef},
};
use solver::{Access, Found, Header, Row, Settled, Stage, State, Store, StoreError, unknown};

use crate::tally::{Audit, ROW, Tallies, Tally, checked, row_sum, state_sum};

/// The application id, which marks our files: `evpl` in ASCII.
const APPLICATION: i32 = 0x6576_706c;

/// Rows passed to a visitor at once.
const BATCH: usize = 4096;

const TABLES: &str = "
CREATE TABLE header (
    game TEXT NOT NULL, key_bits INTEGER NOT NULL, format INTEGER NOT NULL,
    stage TEXT NOT NULL, stage_rank INTEGER, sum INTEGER NOT NULL
) STRICT;
CREATE TABLE ranks (
    rank INTEGER PRIMARY KEY, rows INTEGER NOT NULL, sum INTEGER NOT NULL
) STRICT;
CREATE TABLE positions (
    rank INTEGER NOT NULL, key KEYTYPE NOT NULL, depth INTEGER NOT NULL,
    value INTEGER, best INTEGER, remoteness INTEGER, sum INTEGER NOT NULL,
    PRIMARY KEY (rank, key)
) STRICT, WITHOUT ROWID;
CREATE VIEW rows AS
    SELECT rank >> 16 AS level, rank & 65535 AS step, key, depth, value, best, remoteness
    FROM positions;
";

/// A finished file needs no log, and can be read on a read-only file system.
const NO_LOG: &str = "COMMIT; PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE";

pub(crate) fn open(path: &Path, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    let place = format!("sqlite:{}", path.display());
    let fault = |error| fault(&place, &error);
    if !path.exists() && *access == Access::Read {
        return Err(StoreError::Missing(place));
    }
    // Readers open the file for writing too, because the log of a killed writer must be replayed
    // first. SQLite itself opens a write-protected file for reading.
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, *access != Access::Read);
    let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
    connection.busy_timeout(Duration::ZERO).map_err(fault)?;
    connection.execute_batch("PRAGMA cache_size = -65536").map_err(fault)?;
    let prepare = match access {
        Access::Read => "PRAGMA query_only = ON",
        // In this order: the lock mode must be set before the log is first used. Otherwise SQLite
        // would set up shared memory and admit other processes.
        _ => {
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             PRAGMA wal_autocheckpoint = 16384; BEGIN IMMEDIATE"
        }
    };
    connection.execute_batch(prepare).map_err(fault)?;
    let state = match (read_state(&connection, &place)?, access.header()) {
        (Some(state), _) => {
            access.admit(&state.header, &place)?;
            if state.stage == Stage::Solved && *access != Access::Read {
                connection.execute_batch(NO_LOG).map_err(fault)?;
            }
            state
        }
        (None, None) => return Err(StoreError::Missing(place)),
        (None, Some(header)) => begin(&connection, header).map_err(fault)?,
    };
    let tallies = read_tallies(&connection).map_err(fault)?;
    let (columns, audited) = (Columns::of(&state.header), BTreeSet::new());
    let select = match state.header.has_remoteness() {
        true => "SELECT rank, key, depth, value, best, remoteness, sum FROM positions",
        false => "SELECT rank, key, depth, value, best, NULL, sum FROM positions",
    };
    Ok(Box::new(Sqlite { connection, place, columns, select, state, tallies, audited }))
}

/// Creates a store in the open transaction, and begins the next transaction.
fn begin(connection: &Connection, header: &Header) -> rusqlite::Result<State> {
    let key = Columns::of(header).key_type();
    connection.execute_batch(&TABLES.replace("KEYTYPE", key))?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    let state = State { header: header.clone(), stage: Stage::Exploring(None) };
    let (stage, rank) = state.stage.to_columns();
    connection.execute(
        "INSERT INTO header VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![header.game, header.key_bits, header.format, stage, rank, state_sum(&state) as i64],
    )?;
    connection.execute_batch("COMMIT; BEGIN IMMEDIATE")?;
    Ok(state)
}

/// The state of the store; `None` if nothing has been written yet.
fn read_state(connection: &Connection, place: &str) -> Result<Option<State>, StoreError> {
    let fault = |error| fault(place, &error);
    let corrupt =
        |cause: &str| StoreError::Corrupt { place: place.to_owned(), cause: cause.into() };
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: u32 = connection.query_row(tables, [], |row| row.get(0)).map_err(fault)?;
    if tables == 0 {
        return Ok(None);
    }
    let application: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(fault)?;
    if application != APPLICATION {
        return Err(corrupt("this is another program's database"));
    }
    type Columns = (Header, String, Option<u32>, i64);
    let read = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Columns> {
        let header = Header { game: row.get(0)?, key_bits: row.get(1)?, format: row.get(2)? };
        Ok((header, row.get(3)?, row.get(4)?, row.get(5)?))
    };
    let query = "SELECT game, key_bits, format, stage, stage_rank, sum FROM header";
    let found = connection.query_row(query, [], read).optional().map_err(fault)?;
    let (header, stage, rank, sum) = found.ok_or_else(|| corrupt("its header is missing"))?;
    let stage = Stage::from_columns(&stage, rank).ok_or_else(|| corrupt("its stage is unknown"))?;
    let state = State { header, stage };
    if state_sum(&state) as i64 != sum {
        return Err(corrupt("the checksum of its header does not match"));
    }
    Ok(Some(state))
}

fn read_tallies(connection: &Connection) -> rusqlite::Result<Tallies> {
    let mut statement = connection.prepare("SELECT rank, rows, sum FROM ranks")?;
    let read = |row: &rusqlite::Row<'_>| {
        let sum = row.get::<_, i64>(2)? as u64;
        Ok((Rank::from_u32(row.get(0)?), Tally { rows: row.get::<_, i64>(1)? as u64, sum }))
    };
    let ranks = statement.query_map([], read)?.collect::<rusqlite::Result<BTreeMap<_, _>>>()?;
    Ok(Tallies::new(ranks))
}

struct Sqlite {
    connection: Connection,
    place: String,
    columns: Columns,
    /// The query of all rows.
    select: &'static str,
    state: State,
    tallies: Tallies,
    /// Ranks that were compared with their tally and have not changed since.
    audited: BTreeSet<Rank>,
}

impl Sqlite {
    fn change(&mut self, rank: Rank, tally: Tally) {
        self.tallies.set(rank, tally);
        self.audited.remove(&rank);
    }

    /// Adds positions to a rank without rows.
    fn fill(&self, rank: Rank, found: &[Found], tally: &mut Tally) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO positions (rank, key, depth, sum) VALUES (?1, ?2, ?3, ?4)",
        )?;
        insert.raw_bind_parameter(1, rank.to_u32())?;
        for found in found {
            let row = Row::unsettled(rank, *found);
            insert.raw_bind_parameter(2, self.columns.key(found.key))?;
            insert.raw_bind_parameter(3, found.depth)?;
            insert.raw_bind_parameter(4, row_sum(&row))?;
            insert.raw_execute()?;
            tally.row(&row);
        }
        Ok(())
    }

    /// Adds positions to a rank with rows.
    fn merge(&self, rank: Rank, found: &[Found], tally: &mut Tally) -> Result<(), StoreError> {
        let fault = |error| fault(&self.place, &error);
        let insert = "INSERT INTO positions (rank, key, depth, sum) VALUES (?1, ?2, ?3, ?4)
                      ON CONFLICT DO NOTHING";
        let mut insert = self.connection.prepare_cached(insert).map_err(fault)?;
        for found in found {
            let new = Row::unsettled(rank, *found);
            let key = self.columns.key(found.key);
            let columns = params![rank.to_u32(), &key, found.depth, row_sum(&new)];
            if insert.execute(columns).map_err(fault)? == 1 {
                tally.row(&new);
                continue;
            }
            let old = self.row(rank, found.key)?;
            if let Some(old) = old.filter(|old| found.depth < old.depth) {
                let nearer = Row { depth: found.depth, ..old };
                self.replace(&nearer).map_err(fault)?;
                tally.replaced(&old, &nearer);
            }
        }
        Ok(())
    }

    /// Sets the verdicts of existing positions.
    fn judge(&self, rank: Rank, settled: &[Settled], tally: &mut Tally) -> Result<(), StoreError> {
        let fault = |error| fault(&self.place, &error);
        // The verdict's share is added to the stored checksum. The checksum is not computed anew,
        // because that would hide earlier damage to the row.
        let fresh = format!(
            "UPDATE positions SET value = ?3, best = ?4, remoteness = ?5, sum = (sum + ?6) & {ROW}
             WHERE rank = ?1 AND key = ?2 AND value IS NULL"
        );
        let mut fresh = self.connection.prepare_cached(&fresh).map_err(fault)?;
        fresh.raw_bind_parameter(1, rank.to_u32()).map_err(fault)?;
        for settled in settled {
            let mut with = *tally;
            let added = with.settled(rank, settled.key, settled.verdict);
            let (value, best, remoteness) = Row::verdict_columns(Some(settled.verdict));
            let mut first = || {
                fresh.raw_bind_parameter(2, self.columns.key(settled.key))?;
                fresh.raw_bind_parameter(3, value)?;
                fresh.raw_bind_parameter(4, best)?;
                fresh.raw_bind_parameter(5, remoteness)?;
                fresh.raw_bind_parameter(6, added)?;
                fresh.raw_execute()
            };
            if first().map_err(fault)? == 1 {
                *tally = with;
                continue;
            }
            let old = self.row(rank, settled.key)?;
            let old = old.ok_or_else(|| unknown(&self.place, rank, settled.key))?;
            let judged = Row { verdict: Some(settled.verdict), ..old };
            self.replace(&judged).map_err(fault)?;
            tally.replaced(&old, &judged);
        }
        Ok(())
    }

    /// Replaces an existing row.
    fn replace(&self, row: &Row) -> rusqlite::Result<()> {
        let (value, best, remoteness) = Row::verdict_columns(row.verdict);
        let key = self.columns.key(row.key);
        self.connection
            .prepare_cached(
                "UPDATE positions SET depth = ?3, value = ?4, best = ?5, remoteness = ?6, sum = ?7
                 WHERE rank = ?1 AND key = ?2",
            )?
            .execute(params![
                row.rank.to_u32(),
                &key,
                row.depth,
                value,
                best,
                remoteness,
                row_sum(row)
            ])?;
        Ok(())
    }

    fn row(&self, rank: Rank, key: Key) -> Result<Option<Row>, StoreError> {
        let fault = |error| fault(&self.place, &error);
        let select = format!("{} WHERE rank = ?1 AND key = ?2", self.select);
        let mut select = self.connection.prepare_cached(&select).map_err(fault)?;
        let key = self.columns.key(key);
        let found = select.query_row(params![rank.to_u32(), &key], read_row).optional();
        let found = found.map_err(fault)?;
        found.map(|(row, sum)| checked(row, sum, &self.place)).transpose()
    }

    /// Compares a rank with its tally, once for each change of the rank. If a row is not found, it
    /// may have been lost.
    fn audit(&mut self, rank: Rank) -> Result<(), StoreError> {
        if self.audited.contains(&rank) {
            return Ok(());
        }
        self.scan(rank..=rank, &mut |_| ControlFlow::Continue(()))?;
        self.audited.insert(rank);
        Ok(())
    }

    fn write_commit(&mut self, stage: Stage) -> rusqlite::Result<()> {
        let mut upsert = self
            .connection
            .prepare_cached("INSERT OR REPLACE INTO ranks (rank, rows, sum) VALUES (?1, ?2, ?3)")?;
        for (rank, tally) in self.tallies.take_changed() {
            upsert.execute(params![rank.to_u32(), tally.rows as i64, tally.sum as i64])?;
        }
        let (name, rank) = stage.to_columns();
        let sum = state_sum(&State { stage, ..self.state.clone() });
        self.connection
            .prepare_cached("UPDATE header SET stage = ?1, stage_rank = ?2, sum = ?3")?
            .execute(params![name, rank, sum as i64])?;
        self.connection.execute_batch(match stage {
            Stage::Solved => NO_LOG,
            _ => "COMMIT; BEGIN IMMEDIATE",
        })
    }
}

impl Store for Sqlite {
    fn state(&self) -> &State {
        &self.state
    }

    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError> {
        Ok(self.tallies.rows())
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        let before = self.tallies.of(rank);
        let mut tally = before;
        match before.rows {
            0 => self.fill(rank, found, &mut tally).map_err(|error| fault(&self.place, &error))?,
            _ => self.merge(rank, found, &mut tally)?,
        }
        self.change(rank, tally);
        Ok(tally.rows - before.rows)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        let mut tally = self.tallies.of(rank);
        self.judge(rank, settled, &mut tally)?;
        self.change(rank, tally);
        Ok(())
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let fault = |error| fault(&self.place, &error);
        let mut audit = Audit::new(self.tallies.range(ranks.clone()));
        let select = format!("{} WHERE rank BETWEEN ?1 AND ?2 ORDER BY rank, key", self.select);
        let mut select = self.connection.prepare_cached(&select).map_err(fault)?;
        let bounds = params![ranks.start().to_u32(), ranks.end().to_u32()];
        let mut found = select.query(bounds).map_err(fault)?;
        let mut rows = Vec::with_capacity(BATCH);
        loop {
            rows.clear();
            while rows.len() < BATCH
                && let Some(row) = found.next().map_err(fault)?
            {
                let (row, sum) = read_row(row).map_err(fault)?;
                rows.push(checked(row, sum, &self.place)?);
            }
            audit.rows(&rows, &self.place)?;
            if rows.is_empty() {
                return audit.end(&self.place);
            }
            if visit(&rows).is_break() {
                return Ok(());
            }
        }
    }

    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError> {
        for key in keys {
            let found = self.row(rank, *key)?;
            if found.is_none() {
                self.audit(rank)?;
            }
            rows.push(found);
        }
        Ok(())
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        self.write_commit(stage).map_err(|error| fault(&self.place, &error))?;
        self.state.stage = stage;
        Ok(())
    }

    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        let fault = |error| fault(&self.place, &error);
        for table in ["positions", "ranks"] {
            let delete = format!("DELETE FROM {table} WHERE rank = ?1");
            let mut delete = self.connection.prepare(&delete).map_err(fault)?;
            for rank in ranks {
                delete.execute([rank.to_u32()]).map_err(fault)?;
            }
        }
        for rank in ranks {
            self.tallies.remove(*rank);
            self.audited.remove(rank);
        }
        Ok(())
    }
}

/// The type of keys: integers if they fit, else 16 bytes that sort like the number.
#[derive(Clone, Copy, Debug)]
enum Columns {
    Integer,
    Bytes,
}

impl Columns {
    fn of(header: &Header) -> Columns {
        if header.has_integer_keys() { Columns::Integer } else { Columns::Bytes }
    }

    fn key_type(self) -> &'static str {
        match self {
            Columns::Integer => "INTEGER",
            Columns::Bytes => "BLOB",
        }
    }

    fn key(self, key: Key) -> SqlKey {
        match self {
            Columns::Integer => SqlKey::Integer(key.0 as i64),
            Columns::Bytes => SqlKey::Bytes(key.0.to_be_bytes()),
        }
    }
}

enum SqlKey {
    Integer(i64),
    Bytes([u8; 16]),
}

impl ToSql for SqlKey {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            SqlKey::Integer(key) => ToSqlOutput::Owned(Value::Integer(*key)),
            SqlKey::Bytes(key) => ToSqlOutput::Borrowed(ValueRef::Blob(key)),
        })
    }
}

impl FromSql for SqlKey {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Integer(key) => Ok(SqlKey::Integer(key)),
            ValueRef::Blob(key) => match key.try_into() {
                Ok(key) => Ok(SqlKey::Bytes(key)),
                Err(_) => {
                    Err(FromSqlError::InvalidBlobSize { expected_size: 16, blob_size: key.len() })
                }
            },
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// A row with its checksum.
fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Row, u32)> {
    let key = match row.get(1)? {
        SqlKey::Integer(key) => Key(key as u128),
        SqlKey::Bytes(key) => Key(u128::from_be_bytes(key)),
    };
    let verdict = Row::verdict_of(row.get(3)?, row.get(4)?, row.get(5)?);
    let rank = Rank::from_u32(row.get(0)?);
    Ok((Row { rank, key, depth: row.get(2)?, verdict }, row.get(6)?))
}

fn fault(place: &str, error: &rusqlite::Error) -> StoreError {
    let place = place.to_owned();
    let cause = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(place),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt { place, cause }
        }
        Some(_) => StoreError::Unavailable { place, cause },
        // A number is out of its range, or a column has another type.
        None => StoreError::Corrupt { place, cause },
    }
}
