//! The tables of any solved game.
//!
//! They are written by programs for games of one's own, not by the command `everyply`, so
//! [`crate::all`] does not list them. Positions and moves are text in the notation of the game.

use game::{Edge, MoveId, Rank, Score, Turn, Verdict};
use solver::{Count, Fault, Row, Solution, Stage, Statistics, Step};

use crate::{Cell, Column, Table, count, flag, number, real, text};

/// The result of solving a game.
pub static SOLUTION: Table = Table::new(
    "game.solution",
    &[
        text("game"),
        number("value"),
        text("best"),
        count("remoteness"),
        count("positions"),
        text("store"),
    ],
);

/// The moves of a position.
pub static MOVES: Table = Table::new(
    "game.moves",
    &[
        text("move"),
        number("value"),
        flag("best"),
        count("remoteness"),
        number("gain"),
        flag("again"),
        text("position"),
    ],
);

/// Best play to the end.
pub static LINE: Table = Table::new(
    "game.line",
    &[
        count("ply"),
        count("player"),
        text("position"),
        text("move"),
        number("value"),
        count("remoteness"),
        number("gain"),
        flag("again"),
    ],
);

/// A store of a solved game.
pub static STORE: Table = Table::new(
    "game.store",
    &[
        text("game"),
        text("start"),
        text("stage"),
        count("positions"),
        count("settled"),
        count("least_depth"),
        count("most_depth"),
    ],
);

/// Faults of a solved game.
pub static FAULTS: Table = Table::new(
    "game.faults",
    &[
        text("fault"),
        text("position"),
        count("level"),
        number("value"),
        text("best"),
        count("remoteness"),
        number("derived_value"),
        text("derived_best"),
        count("derived_remoteness"),
    ],
);

pub(crate) const COUNTS: [Column<'static>; 5] =
    [count("positions"), count("ahead"), count("even"), count("behind"), real("mean_value")];

macro_rules! counted_by {
    ($($first:expr),+) => {
        &[$($first,)+ COUNTS[0], COUNTS[1], COUNTS[2], COUNTS[3], COUNTS[4]]
    };
}
pub(crate) use counted_by;

/// Positions counted by level.
pub static STATS_BY_LEVEL: Table = Table::new("game.stats_by_level", counted_by!(count("level")));

/// Positions counted by the fewest moves from the start.
pub static STATS_BY_DEPTH: Table = Table::new("game.stats_by_depth", counted_by!(count("depth")));

/// Positions counted by value.
pub static STATS_BY_VALUE: Table = Table::new("game.stats_by_value", counted_by!(number("value")));

/// Positions counted by the number of moves.
pub static STATS_BY_MOVES: Table = Table::new("game.stats_by_moves", counted_by!(count("moves")));

/// Positions counted by rank.
pub static STATS_BY_RANK: Table =
    Table::new("game.stats_by_rank", counted_by!(count("level"), count("step")));

/// Every position of a solved game.
pub static POSITIONS: Table = Table::new(
    "game.positions",
    &[
        text("position"),
        count("level"),
        count("step"),
        count("moves"),
        flag("over"),
        count("depth"),
        number("value"),
        text("best"),
        count("remoteness"),
    ],
);

/// The row of [`SOLUTION`]: the name of the game, its best first move, and the URL of the store,
/// without a password.
pub fn solution<'a>(
    game: &'a str,
    solution: &Solution,
    best: Option<String>,
    store: &'a str,
) -> [Cell<'a>; 6] {
    [
        game.into(),
        value(solution.verdict.score),
        best.into(),
        solution.verdict.remoteness.map(u64::from).into(),
        solution.positions.into(),
        store.into(),
    ]
}

/// A row of [`MOVES`]: a move, its value for the mover, the plies to the end from this move on, if
/// they are known, and the position after it.
pub fn legal_move<P>(
    name: String,
    edge: &Edge<P>,
    worth: Score,
    remoteness: Option<u32>,
    is_best: bool,
    after: String,
) -> [Cell<'static>; 7] {
    [
        name.into(),
        value(worth),
        is_best.into(),
        remoteness.map(u64::from).into(),
        value(edge.gain),
        (edge.turn == Turn::Keeps).into(),
        after.into(),
    ]
}

/// The rows of [`LINE`]. `name` returns the names of a position and of a move.
pub fn line<P>(
    steps: &[Step<P>],
    name: impl Fn(&P, MoveId) -> (String, String),
) -> Vec<[Cell<'static>; 8]> {
    let mut player = 1_u64;
    let row = |(ply, step): (u64, &Step<P>)| {
        let (position, played) = name(&step.position, step.edge.mv);
        let cells = [
            ply.into(),
            player.into(),
            position.into(),
            played.into(),
            value(step.verdict.score),
            step.verdict.remoteness.map(u64::from).into(),
            value(step.edge.gain),
            (step.edge.turn == Turn::Keeps).into(),
        ];
        if step.edge.turn == Turn::Passes {
            player = 3 - player;
        }
        cells
    };
    (1..).zip(steps).map(row).collect()
}

/// The row of [`STORE`]: the name of a game and its start position, how far it is solved, and its
/// counts.
pub fn store(
    game: String,
    start: String,
    stage: Stage,
    statistics: &Statistics,
) -> [Cell<'static>; 7] {
    let [positions, settled, least_depth, most_depth] = extent(statistics);
    let stage = stage.to_columns().0.into();
    [game.into(), start.into(), stage, positions, settled, least_depth, most_depth]
}

/// The number of positions and of those with a value, the least and the greatest depth.
pub(crate) fn extent(statistics: &Statistics) -> [Cell<'static>; 4] {
    let counts = statistics.by_depth.values();
    let depth = |depth: Option<(&u16, &Count)>| depth.map(|(depth, _)| u64::from(*depth)).into();
    [
        counts.clone().map(|count| count.positions).sum::<u64>().into(),
        counts.map(Count::settled).sum::<u64>().into(),
        depth(statistics.by_depth.first_key_value()),
        depth(statistics.by_depth.last_key_value()),
    ]
}

/// A row of [`FAULTS`]. `position` returns the name of a position and `best` that of a move in it,
/// both from the key of the position.
pub fn fault(
    fault: &Fault,
    position: impl Fn(game::Key) -> String,
    best: impl Fn(game::Key, MoveId) -> Cell<'static>,
) -> [Cell<'static>; 9] {
    let (name, key, rank, row, derived) = match fault {
        Fault::Unreadable { rank, error } => {
            let mut cells: [Cell<'static>; 9] = std::array::from_fn(|_| Cell::Nothing);
            cells[0] = error.to_string().into();
            cells[2] = u64::from(rank.level).into();
            return cells;
        }
        Fault::Wrong { row, derived } => ("wrong", row.key, row.rank, Some(row), Some(derived)),
        Fault::Unsettled(row) => ("without value", row.key, row.rank, Some(row), None),
        Fault::Missing { rank, key } => ("missing", *key, *rank, None, None),
        Fault::Foreign(row) => ("foreign", row.key, row.rank, Some(row), None),
    };
    let best = |mv: MoveId| best(key, mv);
    let [stored_value, stored_best, remoteness] =
        judged(row.and_then(|row| row.verdict.as_ref()), best);
    let [derived_value, derived_best, derived_remoteness] = judged(derived, best);
    [
        name.into(),
        position(key).into(),
        u64::from(rank.level).into(),
        stored_value,
        stored_best,
        remoteness,
        derived_value,
        derived_best,
        derived_remoteness,
    ]
}

/// What positions are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The level of the rank.
    Level,
    /// The fewest moves from the start.
    Depth,
    /// The value of the position for the side to move.
    Value,
    /// The number of moves.
    Moves,
    /// The rank: level and step.
    Rank,
}

impl By {
    /// All of them.
    pub const ALL: [By; 5] = [By::Level, By::Depth, By::Value, By::Moves, By::Rank];

    /// The name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            By::Level => "level",
            By::Depth => "depth",
            By::Value => "value",
            By::Moves => "moves",
            By::Rank => "rank",
        }
    }

    /// A description in one line.
    pub const fn description(self) -> &'static str {
        match self {
            By::Level => "Level of the rank, which no move raises",
            By::Depth => "Fewest moves from the start",
            By::Value => "Value of the position for the side to move",
            By::Moves => "Number of moves (branching); 0 if the game is over",
            By::Rank => "Level and step of the rank, which decreases with every move",
        }
    }

    /// The table of the counts.
    pub fn table(self) -> &'static Table {
        match self {
            By::Level => &STATS_BY_LEVEL,
            By::Depth => &STATS_BY_DEPTH,
            By::Value => &STATS_BY_VALUE,
            By::Moves => &STATS_BY_MOVES,
            By::Rank => &STATS_BY_RANK,
        }
    }

    /// The counts, each with its key: one number, or two for a rank.
    pub fn counts(self, statistics: &Statistics) -> Vec<(Vec<i64>, Count)> {
        fn single<'a, K: Copy + Into<i64> + 'a>(
            counts: impl IntoIterator<Item = (&'a K, &'a Count)>,
        ) -> Vec<(Vec<i64>, Count)> {
            counts.into_iter().map(|(kind, count)| (vec![(*kind).into()], *count)).collect()
        }
        match self {
            By::Level => single(&statistics.by_level),
            By::Depth => single(&statistics.by_depth),
            By::Moves => single(&statistics.by_moves),
            By::Value => {
                let scores = statistics.by_score.iter();
                scores.map(|(Score(score), count)| (vec![i64::from(*score)], *count)).collect()
            }
            By::Rank => {
                let ranks = statistics.by_rank.iter();
                ranks.map(|(rank, n)| (vec![rank.level.into(), rank.step.into()], *n)).collect()
            }
        }
    }

    /// A row of a table of counts: a key and its count.
    pub fn counted(self, kind: &[i64], count: &Count) -> Vec<Cell<'static>> {
        let of = |&kind: &i64| if self == By::Value { kind.into() } else { (kind as u64).into() };
        let mut cells: Vec<Cell<'_>> = kind.iter().map(of).collect();
        cells.extend([count.positions, count.ahead, count.even, count.behind].map(Cell::from));
        let settled = count.settled();
        cells.push(match settled {
            0 => Cell::Nothing,
            // More than four decimal places add nothing.
            _ => four_places(count.total as f64 / settled as f64),
        });
        cells
    }
}

/// A row of [`POSITIONS`]: a row of a store, the name and the number of moves of its position, and
/// the name of its best move.
pub fn position(
    row: &Row,
    position: String,
    moves: Option<u64>,
    best: impl Fn(MoveId) -> String,
) -> [Cell<'static>; 9] {
    let [value, best, remoteness] = judged(row.verdict.as_ref(), |mv| best(mv).into());
    let Rank { level, step } = row.rank;
    [
        position.into(),
        u64::from(level).into(),
        u64::from(step).into(),
        moves.unwrap_or(0).into(),
        moves.is_none().into(),
        u64::from(row.depth).into(),
        value,
        best,
        remoteness,
    ]
}

pub(crate) fn value(Score(score): Score) -> Cell<'static> {
    i64::from(score).into()
}

/// The value, the best move and the remoteness, as far as they are known.
pub(crate) fn judged(
    verdict: Option<&Verdict>,
    best: impl Fn(MoveId) -> Cell<'static>,
) -> [Cell<'static>; 3] {
    let Some(verdict) = verdict else { return [Cell::Nothing, Cell::Nothing, Cell::Nothing] };
    [
        value(verdict.score),
        verdict.best.map_or(Cell::Nothing, best),
        verdict.remoteness.map(u64::from).into(),
    ]
}

pub(crate) fn four_places(real: f64) -> Cell<'static> {
    ((real * 1e4).round() / 1e4).into()
}
