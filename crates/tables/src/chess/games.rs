//! The tables `chess.games` and `chess.bad_games`.

use std::{cell::OnceCell, sync::Arc};

use arrow::{
    datatypes::{Schema, SchemaRef},
    record_batch::{RecordBatch, RecordBatchOptions},
};
use chess::{
    Ending, Position, San,
    pgn::{Mainline, Tags},
};

use crate::{Cell, Column, Table, TableError, count, hash, list, map, real, rows::Builder, text};

/// Games.
pub static GAMES: Table = Table::new(
    "chess.games",
    &[
        text("source").wide(),
        count("game"),
        text("event").wide(),
        text("site").wide(),
        text("date"),
        text("round").wide(),
        text("white"),
        text("black"),
        text("result"),
        count("white_elo"),
        count("black_elo"),
        text("eco"),
        text("opening").wide(),
        text("time_control").wide(),
        text("termination").wide(),
        count("plies"),
        text("ending"),
        count("legal_moves_min"),
        real("legal_moves_mean"),
        count("legal_moves_max"),
        text("fen").wide(),
        hash("zobrist").wide(),
        map("tags").wide(),
        list("moves").wide(),
        text("pgn").wide(),
    ],
)
.version(1, 1);

/// Games and lines of files that were skipped, and why.
pub static BAD_GAMES: Table =
    Table::new("chess.bad_games", &[text("source"), count("game"), count("line"), text("cause")]);

/// The tags that have columns of their own, with the names of those.
const TAGS: [(&str, &str); 13] = [
    ("event", "Event"),
    ("site", "Site"),
    ("date", "Date"),
    ("round", "Round"),
    ("white", "White"),
    ("black", "Black"),
    ("result", "Result"),
    ("white_elo", "WhiteElo"),
    ("black_elo", "BlackElo"),
    ("eco", "ECO"),
    ("opening", "Opening"),
    ("time_control", "TimeControl"),
    ("termination", "Termination"),
];

/// The columns of [`GAMES`] that tags tell, with the result.
pub(super) fn tag_columns() -> impl Iterator<Item = Column<'static>> {
    let tells = |column: &&Column<'_>| {
        column.name == "tags" || TAGS.iter().any(|(name, _)| *name == column.name)
    };
    GAMES.columns.iter().filter(tells).copied()
}

/// What the tags alone say in a column of [`GAMES`]; nothing if the column is of the moves.
pub fn tag_cell<'a>(column: &str, tags: &'a Tags) -> Option<Cell<'a>> {
    if column == "tags" {
        return Some(Cell::Map(other_tags(tags)));
    }
    let (_, tag) = TAGS.iter().find(|(name, _)| *name == column)?;
    match *tag {
        "Result" => None,
        "WhiteElo" | "BlackElo" => {
            Some(tags.get(tag).and_then(|value| value.parse::<u64>().ok()).into())
        }
        tag => Some(tags.get(tag).filter(|value| !matches!(*value, "" | "?" | "-")).into()),
    }
}

/// The tags without a column of their own, each once.
fn other_tags(tags: &Tags) -> Vec<(&str, &str)> {
    let mut others: Vec<(&str, &str)> = Vec::new();
    for (name, value) in tags.iter() {
        let is_own = TAGS.iter().any(|(_, own)| *own == name);
        if !is_own && !others.iter().any(|(other, _)| *other == name) {
            others.push((name, value));
        }
    }
    others
}

/// A row of [`GAMES`]. The text of the game is there if the game keeps it.
pub fn game<'a>(source: &'a str, number: u64, game: &'a Mainline) -> Vec<Cell<'a>> {
    let row = Row { source, number, game, counts: OnceCell::new() };
    GAMES.columns.iter().map(|column| row.cell(column.name)).collect()
}

/// A game, and what is asked about it more than once.
struct Row<'a> {
    source: &'a str,
    number: u64,
    game: &'a Mainline,
    counts: OnceCell<LegalMoves>,
}

impl<'a> Row<'a> {
    fn cell(&self, column: &str) -> Cell<'a> {
        let game = self.game;
        let counts = || self.counts.get_or_init(|| LegalMoves::of(&game.positions));
        let last = || game.positions.last().expect("a game has a start");
        match column {
            "source" => self.source.into(),
            "game" => self.number.into(),
            "result" => game.result.as_str().into(),
            "plies" => (game.moves.len() as u64).into(),
            "ending" => Ending::of(&game.positions).map(Ending::name).into(),
            "legal_moves_min" => counts().min.into(),
            "legal_moves_mean" => ((counts().mean * 100.0).round() / 100.0).into(),
            "legal_moves_max" => counts().max.into(),
            "fen" => last().to_string().into(),
            "zobrist" => last().zobrist().into(),
            "moves" => {
                let moves = game.positions.iter().zip(&game.moves);
                Cell::List(moves.map(|(at, &mv)| San::of(at, mv).to_string().into()).collect())
            }
            "pgn" if game.text.is_empty() => Cell::Nothing,
            "pgn" => game.text.as_str().into(),
            column => tag_cell(column, &game.tags).expect("every other column is of tags"),
        }
    }
}

/// Collects chosen columns of [`GAMES`] into batches.
pub struct GameRows {
    schema: SchemaRef,
    columns: Vec<(&'static str, Builder)>,
    rows: usize,
}

impl GameRows {
    /// No rows yet, of the columns with these indices.
    pub fn new(wanted: &[usize]) -> GameRows {
        let columns = wanted.iter().map(|&index| GAMES.columns[index]);
        GameRows {
            schema: Arc::new(Schema::new(columns.clone().map(|it| it.field()).collect::<Vec<_>>())),
            columns: columns.map(|column| (column.name, Builder::of(column.kind))).collect(),
            rows: 0,
        }
    }

    /// Adds the row of a game.
    pub fn push(&mut self, source: &str, number: u64, game: &Mainline) {
        let row = Row { source, number, game, counts: OnceCell::new() };
        for (name, builder) in &mut self.columns {
            builder.add(&row.cell(name));
        }
        self.rows += 1;
    }

    /// How many rows wait.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether no row waits.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The rows as a batch; the collection is empty afterwards.
    pub fn finish(&mut self) -> Result<RecordBatch, TableError> {
        let columns = self.columns.iter_mut().map(|(_, builder)| builder.finish()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        self.rows = 0;
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}

/// How many legal moves the positions of a game offer.
struct LegalMoves {
    min: u64,
    mean: f64,
    max: u64,
}

impl LegalMoves {
    fn of(positions: &[Position]) -> LegalMoves {
        let (mut min, mut max, mut sum) = (u64::MAX, 0, 0);
        for position in positions {
            let count = chess::perft(position, 1);
            min = min.min(count);
            max = max.max(count);
            sum += count;
        }
        LegalMoves { min, mean: sum as f64 / positions.len() as f64, max }
    }
}
