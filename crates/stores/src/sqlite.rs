//! One file of SQLite.
//!
//! The writer holds SQLite's exclusive lock from opening to closing, so a second writer is refused
//! and so are readers meanwhile; that also spares the shared memory between processes. A commit is
//! one append to the write-ahead log, synced before it returns.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::time::Duration;

use game::{Key, Rank};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, ToSql, params};
use solver::{Access, Found, Header, Row, Settled, Stage, State, Store, StoreError, unknown};

use crate::tally::{Audit, Tallies, Tally, state_sum};

/// Tells our files from other databases: `evpl` in ASCII.
const APPLICATION: i32 = 0x6576_706c;

/// Rows handed to a visitor at once.
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
    value INTEGER, best INTEGER,
    PRIMARY KEY (rank, key)
) STRICT, WITHOUT ROWID;
CREATE VIEW rows AS
    SELECT rank >> 16 AS level, rank & 65535 AS step, key, depth, value, best FROM positions;
";

/// A finished file needs no log beside it, and can be read where nothing can be written.
const NO_LOG: &str = "COMMIT; PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE";

pub(crate) fn open(path: &Path, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    let place = format!("sqlite:{}", path.display());
    let fault = |error| fault(&place, &error);
    if !path.exists() && *access == Access::Read {
        return Err(StoreError::Missing(place));
    }
    // Also for reading, since what a killed writer left in the log has to be folded in first; a file
    // that is write-protected is opened for reading by SQLite itself.
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, *access != Access::Read);
    let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
    connection.busy_timeout(Duration::ZERO).map_err(fault)?;
    connection.execute_batch("PRAGMA cache_size = -65536").map_err(fault)?;
    let prepare = match access {
        Access::Read => "PRAGMA query_only = ON",
        // In this order: the lock mode must stand when the log is first used, or SQLite would set
        // up shared memory and let others in.
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
    Ok(Box::new(Sqlite { connection, place, columns: Columns::of(&state.header), state, tallies }))
}

/// Begins a store in an open transaction, and opens the next.
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

/// What the file says of itself; none where nothing has been written yet.
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
    state: State,
    tallies: Tallies,
}

impl Sqlite {
    /// Adds to a rank that has no rows.
    fn fill(&self, rank: Rank, found: &[Found], tally: &mut Tally) -> rusqlite::Result<()> {
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO positions (rank, key, depth) VALUES (?1, ?2, ?3)")?;
        insert.raw_bind_parameter(1, rank.to_u32())?;
        for found in found {
            insert.raw_bind_parameter(2, self.columns.key(found.key))?;
            insert.raw_bind_parameter(3, found.depth)?;
            insert.raw_execute()?;
            tally.found(rank, found.key, found.depth);
        }
        Ok(())
    }

    /// Adds to a rank that has rows.
    fn merge(&self, rank: Rank, found: &[Found], tally: &mut Tally) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO positions (rank, key, depth) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?;
        let mut depth = self
            .connection
            .prepare_cached("SELECT depth FROM positions WHERE rank = ?1 AND key = ?2")?;
        let mut nearer = self
            .connection
            .prepare_cached("UPDATE positions SET depth = ?3 WHERE rank = ?1 AND key = ?2")?;
        insert.raw_bind_parameter(1, rank.to_u32())?;
        for found in found {
            let key = self.columns.key(found.key);
            insert.raw_bind_parameter(2, &key)?;
            insert.raw_bind_parameter(3, found.depth)?;
            if insert.raw_execute()? == 1 {
                tally.found(rank, found.key, found.depth);
                continue;
            }
            let old: u16 = depth.query_row(params![rank.to_u32(), &key], |row| row.get(0))?;
            if found.depth < old {
                nearer.execute(params![rank.to_u32(), &key, found.depth])?;
                tally.come_nearer(rank, found.key, old, found.depth);
            }
        }
        Ok(())
    }

    /// Gives verdicts; the key of a position that is not there comes back.
    fn judge(
        &self,
        rank: Rank,
        settled: &[Settled],
        tally: &mut Tally,
    ) -> rusqlite::Result<Option<Key>> {
        let mut fresh = self.connection.prepare_cached(
            "UPDATE positions SET value = ?3, best = ?4 WHERE rank = ?1 AND key = ?2 AND value IS NULL",
        )?;
        let mut again = self.connection.prepare_cached(
            "UPDATE positions SET value = ?3, best = ?4 WHERE rank = ?1 AND key = ?2",
        )?;
        fresh.raw_bind_parameter(1, rank.to_u32())?;
        for settled in settled {
            let key = self.columns.key(settled.key);
            let (value, best) = Row::verdict_columns(Some(settled.verdict));
            fresh.raw_bind_parameter(2, &key)?;
            fresh.raw_bind_parameter(3, value)?;
            fresh.raw_bind_parameter(4, best)?;
            if fresh.raw_execute()? == 1 {
                tally.settled(rank, settled.key, None, settled.verdict);
                continue;
            }
            let Some(old) = self.row(rank, settled.key)? else { return Ok(Some(settled.key)) };
            again.execute(params![rank.to_u32(), &key, value, best])?;
            tally.settled(rank, settled.key, old.verdict, settled.verdict);
        }
        Ok(None)
    }

    fn row(&self, rank: Rank, key: Key) -> rusqlite::Result<Option<Row>> {
        let mut select = self.connection.prepare_cached(
            "SELECT rank, key, depth, value, best FROM positions WHERE rank = ?1 AND key = ?2",
        )?;
        let key = self.columns.key(key);
        select.query_row(params![rank.to_u32(), &key], read_row).optional()
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
            0 => self.fill(rank, found, &mut tally),
            _ => self.merge(rank, found, &mut tally),
        }
        .map_err(|error| fault(&self.place, &error))?;
        self.tallies.set(rank, tally);
        Ok(tally.rows - before.rows)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        let mut tally = self.tallies.of(rank);
        let missing =
            self.judge(rank, settled, &mut tally).map_err(|error| fault(&self.place, &error))?;
        if let Some(key) = missing {
            return Err(unknown(&self.place, rank, key));
        }
        self.tallies.set(rank, tally);
        Ok(())
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let fault = |error| fault(&self.place, &error);
        let mut audit = Audit::new(&self.tallies, ranks.clone());
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT rank, key, depth, value, best FROM positions
                 WHERE rank BETWEEN ?1 AND ?2 ORDER BY rank, key",
            )
            .map_err(fault)?;
        let bounds = params![ranks.start().to_u32(), ranks.end().to_u32()];
        let mut found = select.query(bounds).map_err(fault)?;
        let mut rows = Vec::with_capacity(BATCH);
        loop {
            rows.clear();
            while rows.len() < BATCH
                && let Some(row) = found.next().map_err(fault)?
            {
                rows.push(read_row(row).map_err(fault)?);
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
            rows.push(self.row(rank, *key).map_err(|error| fault(&self.place, &error))?);
        }
        Ok(())
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        self.write_commit(stage).map_err(|error| fault(&self.place, &error))?;
        self.state.stage = stage;
        Ok(())
    }
}

/// How a key is written: as an integer where it fits one of SQLite's, else as 16 bytes that sort
/// like the number.
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

fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let key = match row.get(1)? {
        SqlKey::Integer(key) => Key(key as u128),
        SqlKey::Bytes(key) => Key(u128::from_be_bytes(key)),
    };
    let verdict = Row::verdict_of(row.get(3)?, row.get(4)?);
    Ok(Row { rank: Rank::from_u32(row.get(0)?), key, depth: row.get(2)?, verdict })
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
        // A number out of its range or a column of another type.
        None => StoreError::Corrupt { place, cause },
    }
}
