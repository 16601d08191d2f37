//! The tables of Kalah.

mod records;

use game::{Edge, Game, Key, MoveId, Score, Turn, Verdict};
use kalah::{Kalah, Position, Rules, Sheets, Sown, Standing, pie};
use solver::{
    Count, Fault, Row, Solution, Stage, Statistics, Step,
    search::Found,
    table::{Built, TableFault},
};

use crate::{
    Cell, Table, count, flag,
    game::{self as any, COUNTS, counted_by, extent, four_places, judged, value},
    number, real, text,
};

pub use records::{path, review};

/// The result of solving a game.
pub static SOLUTION: Table = Table::new(
    "kalah.solution",
    &[
        count("pits"),
        count("seeds"),
        text("rules"),
        number("value"),
        count("best"),
        count("positions"),
        number("pie_value").wide(),
        text("pie_opening").wide(),
        text("store"),
    ],
);

/// The result of building a dense table.
pub static TABLE: Table = Table::new(
    "kalah.table",
    &[
        count("pits"),
        count("max_seeds"),
        text("rules"),
        count("positions"),
        count("found"),
        count("bytes"),
        real("bytes_per_position"),
        count("memory"),
        text("table"),
    ],
);

/// A position solved by search.
pub static SEARCH: Table = Table::new(
    "kalah.search",
    &[
        text("position"),
        text("rules"),
        number("value"),
        count("best"),
        count("nodes"),
        count("table_seeds"),
        text("line").wide(),
    ],
);

/// The values of positions.
pub static VALUES: Table = Table::new(
    "kalah.values",
    &[
        text("position"),
        text("rules"),
        count("seeds_in_play"),
        number("value"),
        count("best"),
        number("result"),
    ],
);

/// The moves of a position.
pub static MOVES: Table = Table::new(
    "kalah.moves",
    &[
        count("pit"),
        number("value"),
        flag("best"),
        count("remoteness"),
        count("gain"),
        count("captured"),
        flag("again"),
        text("position"),
        text("why"),
    ],
)
.version(1, 1);

/// Best play to the end.
pub static LINE: Table = Table::new(
    "kalah.line",
    &[
        count("ply"),
        count("player"),
        text("position"),
        count("pit"),
        number("value"),
        count("remoteness"),
        count("gain"),
        count("captured"),
        flag("again"),
        count("store_1"),
        count("store_2"),
        text("why"),
    ],
)
.version(1, 1);

/// A way from the start to a position.
pub static PATH: Table = Table::new(
    "kalah.path",
    &[
        count("ply"),
        count("player"),
        text("position"),
        count("pit"),
        count("gain"),
        count("captured"),
        flag("again"),
        count("store_1"),
        count("store_2"),
        text("why"),
    ],
);

/// A game, and what each move gave away.
pub static REVIEW: Table = Table::new(
    "kalah.review",
    &[
        count("ply"),
        count("player"),
        text("position"),
        count("pit"),
        number("value"),
        count("best"),
        number("gave"),
        count("store_1"),
        count("store_2"),
        text("why"),
    ],
);

/// A store of a solved game.
pub static STORE: Table = Table::new(
    "kalah.store",
    &[
        count("pits"),
        text("start"),
        text("rules"),
        text("stage"),
        count("positions"),
        count("settled"),
        count("least_depth"),
        count("most_depth"),
    ],
);

/// Faults of a solved game or a table.
pub static FAULTS: Table = Table::new(
    "kalah.faults",
    &[
        text("fault"),
        text("position"),
        count("seeds_in_play"),
        number("value"),
        count("best"),
        count("remoteness"),
        number("derived_value"),
        count("derived_best"),
        count("derived_remoteness"),
    ],
)
.version(1, 1);

/// Positions counted by seeds in play.
pub static STATS_BY_SEEDS: Table =
    Table::new("kalah.stats_by_seeds", counted_by!(count("seeds_in_play")));

/// Positions counted by the fewest moves from the start.
pub static STATS_BY_DEPTH: Table = Table::new("kalah.stats_by_depth", counted_by!(count("depth")));

/// Positions counted by value.
pub static STATS_BY_VALUE: Table = Table::new("kalah.stats_by_value", counted_by!(number("value")));

/// Positions counted by the number of moves.
pub static STATS_BY_MOVES: Table = Table::new("kalah.stats_by_moves", counted_by!(count("moves")));

/// Positions counted by rank.
pub static STATS_BY_RANK: Table =
    Table::new("kalah.stats_by_rank", counted_by!(count("seeds_in_play"), count("steps")));

/// Every position of a solved game.
pub static POSITIONS: Table = Table::new(
    "kalah.positions",
    &[
        text("position"),
        count("seeds_in_play"),
        count("steps"),
        count("own_seeds"),
        count("moves"),
        flag("over"),
        count("depth"),
        number("value"),
        count("best"),
        count("remoteness"),
    ],
)
.version(1, 1);

pub(crate) static TABLES: [&Table; 16] = [
    &SOLUTION,
    &TABLE,
    &SEARCH,
    &VALUES,
    &MOVES,
    &LINE,
    &PATH,
    &REVIEW,
    &STORE,
    &FAULTS,
    &STATS_BY_SEEDS,
    &STATS_BY_DEPTH,
    &STATS_BY_VALUE,
    &STATS_BY_MOVES,
    &STATS_BY_RANK,
    &POSITIONS,
];

/// The row of [`SOLUTION`]; `store` is its URL, without a password.
pub fn solution<'a>(
    kalah: &Kalah,
    solution: &Solution,
    pie: Option<&pie::Opening>,
    store: &'a str,
) -> [Cell<'a>; 9] {
    let pits = kalah.pits() as u64;
    // The pits of a turn with extra moves, such as 3+6.
    let turn = |opening: &pie::Opening| {
        opening.pits.iter().map(ToString::to_string).collect::<Vec<_>>().join("+")
    };
    [
        pits.into(),
        (u64::from(kalah.seeds()) / (2 * pits)).into(),
        kalah.rules().name().into(),
        value(solution.verdict.score),
        best(&solution.verdict),
        solution.positions.into(),
        pie.map_or(Cell::Nothing, |opening| value(opening.with_swap)),
        pie.map(turn).into(),
        store.into(),
    ]
}

/// The row of [`TABLE`]; `directory` is its directory.
pub fn table<'a>(sheets: &Sheets, built: &Built, directory: &'a str) -> [Cell<'a>; 9] {
    let density = built.bytes as f64 / built.positions as f64;
    [
        (sheets.pits() as u64).into(),
        u64::from(sheets.seeds()).into(),
        sheets.rules().name().into(),
        built.positions.into(),
        built.found.into(),
        built.bytes.into(),
        four_places(density),
        (built.memory as u64).into(),
        directory.into(),
    ]
}

/// The row of [`SEARCH`]; `sheets` are those of the table that was searched down to.
pub fn search(sheets: &Sheets, start: &Position, found: &Found<Position>) -> [Cell<'static>; 7] {
    // The pits of the line, those of one turn joined: 3+6 2 5.
    let mut line = String::new();
    for step in &found.line {
        line += &step.edge.mv.0.to_string();
        line += if step.edge.turn == Turn::Keeps { "+" } else { " " };
    }
    [
        start.to_string().into(),
        sheets.rules().name().into(),
        value(found.verdict.score),
        best(&found.verdict),
        found.nodes.into(),
        u64::from(sheets.seeds()).into(),
        line.trim_end_matches(['+', ' ']).to_owned().into(),
    ]
}

/// A row of [`VALUES`]. The value is missing if it was not found in time.
pub fn position_value(
    rules: Rules,
    standing: &Standing,
    score: Option<Score>,
    best: Option<MoveId>,
) -> [Cell<'static>; 6] {
    let Standing { position, stores } = standing;
    let to_come = score.map(|score| i64::from(score.0));
    let result = stores
        .zip(to_come)
        .map(|((own, other), to_come)| to_come + i64::from(own) - i64::from(other));
    [
        position.to_string().into(),
        rules.name().into(),
        u64::from(position.seeds_in_play()).into(),
        to_come.into(),
        best.map_or(Cell::Nothing, pit),
        result.into(),
    ]
}

/// A row of [`MOVES`]: a move of a position, its value for the mover, which is missing if it was
/// not found in time, and the plies to the end after it, this move included, if they are known.
pub fn legal_move(
    kalah: &Kalah,
    position: &Position,
    edge: &Edge<Position>,
    worth: Option<Score>,
    remoteness: Option<u32>,
    is_best: bool,
) -> [Cell<'static>; 9] {
    let sown = sown(kalah, position, edge.mv);
    [
        pit(edge.mv),
        worth.map_or(Cell::Nothing, value),
        is_best.into(),
        remoteness.map(u64::from).into(),
        u64::from(sown.gain).into(),
        u64::from(sown.captured).into(),
        (sown.turn == Turn::Keeps).into(),
        edge.to.to_string().into(),
        sown.why().into(),
    ]
}

/// The rows of [`LINE`]. Stores count as empty unless they are given.
pub fn line(
    kalah: &Kalah,
    stores: Option<(u32, u32)>,
    steps: &[Step<Position>],
) -> Vec<[Cell<'static>; 12]> {
    let (own, other) = stores.unwrap_or_default();
    let mut stores = [u64::from(own), u64::from(other)];
    let mut player = 0;
    let row = |(ply, step): (u64, &Step<Position>)| {
        let sown = sown(kalah, &step.position, step.edge.mv);
        stores[player] += u64::from(sown.gain);
        let cells = [
            ply.into(),
            (player as u64 + 1).into(),
            step.position.to_string().into(),
            pit(step.edge.mv),
            value(step.verdict.score),
            step.verdict.remoteness.map(u64::from).into(),
            u64::from(sown.gain).into(),
            u64::from(sown.captured).into(),
            (sown.turn == Turn::Keeps).into(),
            stores[0].into(),
            stores[1].into(),
            sown.why().into(),
        ];
        if step.edge.turn == Turn::Passes {
            player = 1 - player;
        }
        cells
    };
    (1..).zip(steps).map(row).collect()
}

/// The row of [`STORE`].
pub fn store(kalah: &Kalah, stage: Stage, statistics: &Statistics) -> [Cell<'static>; 8] {
    let [positions, settled, least_depth, most_depth] = extent(statistics);
    [
        (kalah.pits() as u64).into(),
        kalah.start().to_string().into(),
        kalah.rules().name().into(),
        stage.to_columns().0.into(),
        positions,
        settled,
        least_depth,
        most_depth,
    ]
}

/// A row of [`FAULTS`]: a fault of a solved game.
pub fn fault(kalah: &Kalah, fault: &Fault) -> [Cell<'static>; 9] {
    let place = |key: Key| {
        let position = kalah.unpack(key).map(|position| position.to_string());
        position.unwrap_or_else(|| format!("{:#x}", key.0))
    };
    any::fault(fault, place, |_, mv| pit(mv))
}

/// A row of [`FAULTS`]: a fault of a table.
pub fn table_fault(fault: &TableFault<Position>) -> [Cell<'static>; 9] {
    let (name, position, found, derived) = match fault {
        TableFault::Wrong { position, value, derived } => {
            ("wrong".to_owned(), Some(position), Some(*value), Some(*derived))
        }
        TableFault::Hole { position } => {
            ("a successor is missing".to_owned(), Some(position), None, None)
        }
        TableFault::Missing(sheet) => {
            (format!("no block of {} and {} seeds", sheet.own, sheet.other), None, None, None)
        }
        TableFault::Unreadable { position, error } => {
            (error.to_string(), Some(position), None, None)
        }
    };
    [
        name.into(),
        position.map(ToString::to_string).into(),
        position.map(|position| u64::from(position.seeds_in_play())).into(),
        found.map_or(Cell::Nothing, value),
        Cell::Nothing,
        Cell::Nothing,
        derived.map_or(Cell::Nothing, value),
        Cell::Nothing,
        Cell::Nothing,
    ]
}

/// What positions are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The seeds that are not in a store.
    Seeds,
    /// The fewest moves from the start.
    Depth,
    /// The value of the position for the side to move.
    Value,
    /// The number of moves.
    Moves,
    /// The rank: seeds in play, then the sum of their distances from their stores.
    Rank,
}

impl By {
    /// All of them.
    pub const ALL: [By; 5] = [By::Seeds, By::Depth, By::Value, By::Moves, By::Rank];

    /// The name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            By::Seeds => "seeds",
            By::Depth => "depth",
            By::Value => "value",
            By::Moves => "moves",
            By::Rank => "rank",
        }
    }

    /// A description in one line.
    pub const fn description(self) -> &'static str {
        match self {
            By::Seeds => "Seeds that are not in a store",
            By::Depth => "Fewest moves from the start",
            By::Value => "Value of the position for the side to move",
            By::Moves => "Number of moves (branching); 0 if the game is over",
            By::Rank => "Seeds in play, then the sum of their distances from their stores",
        }
    }

    /// The table of the counts.
    pub fn table(self) -> &'static Table {
        match self {
            By::Seeds => &STATS_BY_SEEDS,
            By::Depth => &STATS_BY_DEPTH,
            By::Value => &STATS_BY_VALUE,
            By::Moves => &STATS_BY_MOVES,
            By::Rank => &STATS_BY_RANK,
        }
    }

    /// The counts, each with its key: one number, or two for a rank.
    pub fn counts(self, statistics: &Statistics) -> Vec<(Vec<i64>, Count)> {
        self.any().counts(statistics)
    }

    fn any(self) -> any::By {
        match self {
            By::Seeds => any::By::Level,
            By::Depth => any::By::Depth,
            By::Value => any::By::Value,
            By::Moves => any::By::Moves,
            By::Rank => any::By::Rank,
        }
    }
}

/// A row of a table of counts: a key and its count.
pub fn counted(by: By, kind: &[i64], count: &Count) -> Vec<Cell<'static>> {
    by.any().counted(kind, count)
}

/// A row of [`POSITIONS`].
pub fn position(kalah: &Kalah, position: &Position, row: &Row) -> [Cell<'static>; 10] {
    let [value, best, remoteness] = judged(row.verdict.as_ref(), pit);
    [
        position.to_string().into(),
        u64::from(row.rank.level).into(),
        u64::from(row.rank.step).into(),
        u64::from(position.own().total()).into(),
        (kalah.moves(position).count() as u64).into(),
        kalah.outcome(position).is_some().into(),
        u64::from(row.depth).into(),
        value,
        best,
        remoteness,
    ]
}

fn sown(kalah: &Kalah, position: &Position, mv: MoveId) -> Sown {
    kalah.sow(position, kalah.pit_of(mv).expect("a move of the position"))
}

fn pit(MoveId(pit): MoveId) -> Cell<'static> {
    u64::from(pit).into()
}

/// The best move as the number of its pit; nothing if the game is over.
fn best(verdict: &Verdict) -> Cell<'static> {
    verdict.best.map_or(Cell::Nothing, pit)
}
