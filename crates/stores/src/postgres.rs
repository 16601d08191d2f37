//! A store in a schema of a PostgreSQL database.
//!
//! Rows are only appended, by binary COPY. A position is first written to `found`. Once settled, it
//! is written to `positions` as a whole row, which hides the row in `found`. An update in place
//! would leave a dead row for each position and double the size. When all positions are settled,
//! `found` is emptied, and `positions` is the plain table. `found` has an index on ranks only. So
//! looking up positions is slow in a rank whose rows were added at many different times, as after
//! many spills.
//!
//! The writer holds an advisory lock, which ends with its connection, and one transaction from
//! commit to commit.

mod copy;
mod password;
mod server;
mod session;
mod tls;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::{ControlFlow, RangeInclusive},
};

use copy::Layout;
use game::{Key, Rank};
use session::Session;
use solver::{Access, Found, Header, Row, Settled, Stage, State, Store, StoreError, unknown};

use crate::tally::{Audit, Tally, checked};

/// Rows passed to a visitor at once.
const BATCH: usize = 1 << 13;

pub(crate) fn open(url: &str, schema: &str, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    let mut session = Session::connect(url, schema)?;
    if *access != Access::Read && !session.lock()? {
        return Err(StoreError::Busy(session.place().to_owned()));
    }
    let state = match (read_state(&mut session)?, access.header()) {
        (Some(state), _) => {
            access.admit(&state.header, session.place())?;
            state
        }
        (None, None) => return Err(StoreError::Missing(session.place().to_owned())),
        (None, Some(header)) => begin(&mut session, header)?,
    };
    session.run(match access {
        // Taking the lock first prevents a writer from emptying `found` under this snapshot.
        Access::Read => {
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
             LOCK TABLE found, positions IN ACCESS SHARE MODE"
        }
        _ => "BEGIN",
    })?;
    let ranks = read_ranks(&mut session)?;
    let layout = Layout::of(&state.header);
    let (changed, audited) = (BTreeSet::new(), BTreeSet::new());
    Ok(Box::new(Postgres { session, layout, state, ranks, changed, audited }))
}

fn tables(key: &str) -> String {
    format!(
        "CREATE TABLE header (
             game text NOT NULL, key_bits int4 NOT NULL, format int4 NOT NULL,
             stage text NOT NULL, stage_rank int8
         );
         CREATE TABLE ranks (
             rank int8 PRIMARY KEY, rows int8 NOT NULL, settled int8 NOT NULL, sum int8 NOT NULL
         );
         CREATE TABLE found (
             rank int8 NOT NULL, key {key} NOT NULL, depth int4 NOT NULL, sum int4 NOT NULL
         );
         CREATE INDEX found_rank ON found USING brin (rank) WITH (pages_per_range = 16);
         CREATE TABLE positions (
             rank int8 NOT NULL, key {key} NOT NULL, depth int4 NOT NULL,
             best int4, remoteness int4, sum int4 NOT NULL, value int2 NOT NULL,
             PRIMARY KEY (rank, key)
         );
         CREATE VIEW rows AS
             SELECT rank >> 16 AS level, rank & 65535 AS step, key, depth, value, best, remoteness
             FROM positions
             UNION ALL
             SELECT rank >> 16, rank & 65535, key, depth, NULL, NULL, NULL FROM found
             WHERE NOT EXISTS (
                 SELECT FROM positions WHERE (positions.rank, positions.key) = (found.rank, found.key)
             );"
    )
}

fn begin(session: &mut Session, header: &Header) -> Result<State, StoreError> {
    let (stage, rank) = Stage::Exploring(None).to_columns();
    let schema = session.schema().to_owned();
    let tables = tables(Layout::of(header).sql_type());
    session.run(&format!("BEGIN; CREATE SCHEMA IF NOT EXISTS {schema}; {tables}"))?;
    let rank = rank.map(i64::from);
    session.execute(
        "INSERT INTO header VALUES ($1, $2, $3, $4, $5)",
        &[&header.game, &(header.key_bits as i32), &(header.format as i32), &stage, &rank],
    )?;
    session.run("COMMIT")?;
    Ok(State { header: header.clone(), stage: Stage::Exploring(None) })
}

/// The state of the store in this schema; `None` if there is no store.
fn read_state(session: &mut Session) -> Result<Option<State>, StoreError> {
    let table = format!("{}.header", session.schema());
    let there = session.query("SELECT to_regclass($1) IS NOT NULL", &[&table])?;
    if !there[0].get::<_, bool>(0) {
        return Ok(None);
    }
    let columns = "SELECT game, key_bits, format, stage, stage_rank FROM header";
    let rows = session.query(columns, &[])?;
    let [row] = rows.as_slice() else { return Err(session.corrupt("its header is missing")) };
    let game = row.get(0);
    let [key_bits, format] = [1, 2].map(|at| row.get::<_, i32>(at) as u32);
    let rank = row.get::<_, Option<i64>>(4).map(|rank| rank as u32);
    let stage = Stage::from_columns(row.get(3), rank)
        .ok_or_else(|| session.corrupt("its stage is unknown"))?;
    Ok(Some(State { header: Header { game, key_bits, format }, stage }))
}

fn read_ranks(session: &mut Session) -> Result<BTreeMap<Rank, Counts>, StoreError> {
    let rows = session.query("SELECT rank, rows, settled, sum FROM ranks", &[])?;
    let read = |row: &tokio_postgres::Row| {
        let [rank, rows, settled, sum] = [0, 1, 2, 3].map(|at| row.get::<_, i64>(at) as u64);
        (Rank::from_u32(rank as u32), Counts { tally: Tally { rows, sum }, settled })
    };
    Ok(rows.iter().map(read).collect())
}

/// The tally of a rank, and how many of its rows are in `positions`.
#[derive(Clone, Copy, Default)]
struct Counts {
    tally: Tally,
    settled: u64,
}

/// The table that a row is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Found,
    Positions,
}

impl Table {
    fn of(row: &Row) -> Table {
        if row.verdict.is_some() { Table::Positions } else { Table::Found }
    }

    fn name(self) -> &'static str {
        match self {
            Table::Found => "found (rank, key, depth, sum)",
            Table::Positions => "positions (rank, key, depth, value, best, remoteness, sum)",
        }
    }

    /// The query of all rows. Those of earlier formats have no remoteness.
    fn columns(self, header: &Header) -> &'static str {
        match self {
            Table::Found => {
                "SELECT rank, key, depth, NULL::int2, NULL::int4, NULL::int4, sum FROM found"
            }
            Table::Positions if header.has_remoteness() => {
                "SELECT rank, key, depth, value, best, remoteness, sum FROM positions"
            }
            Table::Positions => {
                "SELECT rank, key, depth, value, best, NULL::int4, sum FROM positions"
            }
        }
    }
}

struct Postgres {
    session: Session,
    layout: Layout,
    state: State,
    ranks: BTreeMap<Rank, Counts>,
    /// Ranks whose counts differ from the committed ones.
    changed: BTreeSet<Rank>,
    /// Ranks that were compared with their counts and have not changed since.
    audited: BTreeSet<Rank>,
}

impl Postgres {
    fn counts(&self, rank: Rank) -> Counts {
        self.ranks.get(&rank).copied().unwrap_or_default()
    }

    fn append(&mut self, table: Table, rows: &[Row]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let copy = format!("COPY {} FROM STDIN (FORMAT binary)", table.name());
        self.session.copy_in(&copy, copy::encode(self.layout, table == Table::Found, rows))
    }

    /// Removes positions of one rank from a table, so that they can be written again.
    fn remove(&mut self, table: Table, rank: Rank, keys: &[Key]) -> Result<(), StoreError> {
        if keys.is_empty() {
            return Ok(());
        }
        let name = if table == Table::Found { "found" } else { "positions" };
        let kind = self.layout.sql_type();
        let delete = format!("DELETE FROM {name} WHERE rank = $1 AND key = ANY ($2::{kind}[])");
        let keys = self.layout.array(keys);
        self.session.execute(&delete, &[&i64::from(rank.to_u32()), &*keys]).map(drop)
    }

    /// Looks up positions of one rank.
    fn look_up(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut [Option<Row>],
    ) -> Result<(), StoreError> {
        let counts = self.counts(rank);
        if counts.settled > 0 {
            self.fill(Table::Positions, rank, keys, rows, counts.settled)?;
        }
        if counts.settled < counts.tally.rows && rows.iter().any(Option::is_none) {
            self.fill(Table::Found, rank, keys, rows, counts.tally.rows)?;
        }
        Ok(())
    }

    /// Fills gaps in `rows` from one table, which has this many rows of the rank.
    fn fill(
        &mut self,
        table: Table,
        rank: Rank,
        keys: &[Key],
        rows: &mut [Option<Row>],
        there: u64,
    ) -> Result<(), StoreError> {
        let mut take = |found: Row| {
            if let Ok(at) = keys.binary_search(&found.key) {
                rows[at].get_or_insert(found);
            }
        };
        // Without an index on keys, or with many keys, reading all rows is faster.
        if table == Table::Found || keys.len() as u64 * 8 > there {
            let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return Ok(()) };
            let [first, last] = [first, last].map(|key| self.layout.literal(*key));
            let range = format!("rank = {} AND key BETWEEN {first} AND {last}", rank.to_u32());
            let query = format!("{} WHERE {range}", table.columns(&self.state.header));
            let mut reader = self.session.copy_out(&query)?;
            while self.session.next_rows(&mut reader, BATCH)? {
                reader.rows().iter().copied().for_each(&mut take);
            }
            return Ok(());
        }
        let kind = self.layout.sql_type();
        let has_remoteness = self.state.header.has_remoteness();
        let remoteness = if has_remoteness { "remoteness" } else { "NULL::int4" };
        let query = format!(
            "SELECT key, depth, value, best, {remoteness}, sum FROM unnest($2::{kind}[]) AS asked
             JOIN positions ON rank = $1 AND key = asked"
        );
        let asked = self.layout.array(keys);
        for row in self.session.query(&query, &[&i64::from(rank.to_u32()), &*asked])? {
            let narrow = |number: i32| {
                let wide = |_| self.session.corrupt("a number is out of its range");
                u16::try_from(number).map_err(wide)
            };
            let best = row.get::<_, Option<i32>>(3).map(narrow).transpose()?;
            let remoteness = row.get::<_, Option<i32>>(4).map(narrow).transpose()?;
            let verdict = Row::verdict_of(row.get(2), best, remoteness);
            let depth = narrow(row.get(1))?;
            let found = Row { rank, key: self.layout.key(&row, 0), depth, verdict };
            take(checked(found, row.get::<_, i32>(5) as u32, self.session.place())?);
        }
        Ok(())
    }

    /// The rows of a rank that is in both tables, as one list.
    fn mixed(&mut self, rank: Rank) -> Result<Vec<Row>, StoreError> {
        let mut rows = BTreeMap::new();
        for table in [Table::Found, Table::Positions] {
            let query =
                format!("{} WHERE rank = {}", table.columns(&self.state.header), rank.to_u32());
            let mut reader = self.session.copy_out(&query)?;
            while self.session.next_rows(&mut reader, BATCH)? {
                rows.extend(reader.rows().iter().map(|row| (row.key, *row)));
            }
        }
        Ok(rows.into_values().collect())
    }

    fn scan_rank(
        &mut self,
        rank: Rank,
        counts: Counts,
        audit: &mut Audit,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, StoreError> {
        let table = match counts.settled {
            0 => Table::Found,
            settled if settled == counts.tally.rows => Table::Positions,
            _ => {
                let rows = self.mixed(rank)?;
                audit.rows(&rows, self.session.place())?;
                return Ok(visit(&rows));
            }
        };
        let columns = table.columns(&self.state.header);
        let query = format!("{columns} WHERE rank = {} ORDER BY key", rank.to_u32());
        let mut reader = self.session.copy_out(&query)?;
        while self.session.next_rows(&mut reader, BATCH)? {
            audit.rows(reader.rows(), self.session.place())?;
            if visit(reader.rows()).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Compares a rank with its counts, once for each change of the rank. If a row is not found, it
    /// may have been lost.
    fn audit(&mut self, rank: Rank) -> Result<(), StoreError> {
        if self.audited.contains(&rank) {
            return Ok(());
        }
        self.scan(rank..=rank, &mut |_| ControlFlow::Continue(()))?;
        self.audited.insert(rank);
        Ok(())
    }

    fn change(&mut self, rank: Rank, counts: Counts) {
        self.ranks.insert(rank, counts);
        self.changed.insert(rank);
        self.audited.remove(&rank);
    }

    /// Empties `found` if none of its rows are needed, unless a reader uses it.
    fn drop_found(&mut self) -> Result<(), StoreError> {
        if self.ranks.values().any(|counts| counts.settled < counts.tally.rows) {
            return Ok(());
        }
        self.session.run("SAVEPOINT before_emptying")?;
        let lock = "LOCK TABLE found IN ACCESS EXCLUSIVE MODE NOWAIT; TRUNCATE found";
        if self.session.run(lock).is_err() {
            self.session.run("ROLLBACK TO SAVEPOINT before_emptying")?;
        }
        Ok(())
    }

    fn write_counts(&mut self) -> Result<(), StoreError> {
        let changed = std::mem::take(&mut self.changed);
        let column = |pick: fn(&Counts) -> u64| {
            changed.iter().map(|rank| pick(&self.counts(*rank)) as i64).collect::<Vec<_>>()
        };
        let ranks: Vec<i64> = changed.iter().map(|rank| i64::from(rank.to_u32())).collect();
        let (rows, sum) = (column(|counts| counts.tally.rows), column(|counts| counts.tally.sum));
        let settled = column(|counts| counts.settled);
        let upsert = "INSERT INTO ranks
                      SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[])
                      ON CONFLICT (rank) DO UPDATE
                      SET rows = excluded.rows, settled = excluded.settled, sum = excluded.sum";
        self.session.execute(upsert, &[&ranks, &rows, &settled, &sum]).map(drop)
    }
}

impl Store for Postgres {
    fn state(&self) -> &State {
        &self.state
    }

    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError> {
        Ok(self.ranks.iter().map(|(rank, counts)| (*rank, counts.tally.rows)).collect())
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        let keys: Vec<Key> = found.iter().map(|found| found.key).collect();
        let mut known = vec![None; found.len()];
        self.look_up(rank, &keys, &mut known)?;
        let (mut new, mut nearer) = (Vec::with_capacity(found.len()), Vec::new());
        let mut counts = self.counts(rank);
        for (found, known) in found.iter().zip(&known) {
            match known {
                None => {
                    let row = Row::unsettled(rank, *found);
                    counts.tally.row(&row);
                    new.push(row);
                }
                Some(row) if found.depth < row.depth => {
                    let closer = Row { depth: found.depth, ..*row };
                    counts.tally.replaced(row, &closer);
                    nearer.push(closer);
                }
                Some(_) => {}
            }
        }
        let count = new.len() as u64;
        self.append(Table::Found, &new)?;
        for table in [Table::Found, Table::Positions] {
            let rows: Vec<Row> = nearer.extract_if(.., |row| Table::of(row) == table).collect();
            let keys: Vec<Key> = rows.iter().map(|row| row.key).collect();
            self.remove(table, rank, &keys)?;
            self.append(table, &rows)?;
        }
        self.change(rank, counts);
        Ok(count)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        let keys: Vec<Key> = settled.iter().map(|settled| settled.key).collect();
        let mut known = vec![None; settled.len()];
        self.look_up(rank, &keys, &mut known)?;
        let (mut judged, mut again) = (Vec::with_capacity(settled.len()), Vec::new());
        let mut counts = self.counts(rank);
        for (settled, known) in settled.iter().zip(known) {
            let known: Row =
                known.ok_or_else(|| unknown(self.session.place(), rank, settled.key))?;
            if known.verdict.is_some() {
                again.push(settled.key);
            }
            let row = Row { verdict: Some(settled.verdict), ..known };
            counts.tally.replaced(&known, &row);
            judged.push(row);
        }
        self.remove(Table::Positions, rank, &again)?;
        self.append(Table::Positions, &judged)?;
        counts.settled += (judged.len() - again.len()) as u64;
        self.change(rank, counts);
        Ok(())
    }

    // Rank by rank: the rows of a rank are in one of the tables, or are merged from both.
    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let ranks: Vec<_> = self.ranks.range(ranks).map(|(rank, at)| (*rank, *at)).collect();
        let mut audit = Audit::new(ranks.iter().map(|(rank, counts)| (*rank, counts.tally)));
        for (rank, counts) in ranks {
            if self.scan_rank(rank, counts, &mut audit, visit)?.is_break() {
                return Ok(());
            }
        }
        audit.end(self.session.place())
    }

    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError> {
        let start = rows.len();
        rows.resize(start + keys.len(), None);
        self.look_up(rank, keys, &mut rows[start..])?;
        if rows[start..].contains(&None) {
            self.audit(rank)?;
        }
        Ok(())
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        self.write_counts()?;
        let (name, rank) = stage.to_columns();
        let rank = rank.map(i64::from);
        let update = "UPDATE header SET stage = $1, stage_rank = $2";
        self.session.execute(update, &[&name, &rank])?;
        match stage {
            Stage::Solved => self.drop_found()?,
            // Settling looks up one rank after the other in the order of keys. Exploring only
            // appends, and the index would cost more than it saves.
            Stage::Settling(None) => self
                .session
                .run("CREATE INDEX IF NOT EXISTS found_key ON found (rank, key); ANALYZE found")?,
            // Without a summary, looking up a rank would read everything appended since.
            _ => self.session.run("SELECT brin_summarize_new_values('found_rank')")?,
        }
        self.session.run("COMMIT; BEGIN")?;
        self.state.stage = stage;
        Ok(())
    }

    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        let numbers: Vec<i64> = ranks.iter().map(|rank| i64::from(rank.to_u32())).collect();
        for table in ["found", "positions", "ranks"] {
            let delete = format!("DELETE FROM {table} WHERE rank = ANY ($1::int8[])");
            self.session.execute(&delete, &[&numbers])?;
        }
        for rank in ranks {
            self.ranks.remove(rank);
            self.changed.remove(rank);
            self.audited.remove(rank);
        }
        Ok(())
    }
}
