//! A complete example of your own game: get a number of stones in a row. Stones are put on any cell
//! (noughts and crosses) or dropped into columns (Connect Four).
//!
//! ```sh
//! cargo run --release -p everyply-solver --example rows
//! ```

use std::error::Error;

use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};
use solver::{Header, Limits, Memory, Next, line, lookup, solve};

/// Whoever first has `row` stones in a row gets a point.
pub(crate) struct Rows {
    columns: u32,
    rows: u32,
    falls: bool,
    /// Every possible row of `row` cells, as a bit set.
    lines: Vec<u64>,
}

/// The cells with stones, cell 0 at the lower left, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stones {
    own: u64,
    other: u64,
}

impl Rows {
    /// The game on a board of at most 64 cells.
    pub(crate) fn new(columns: u32, rows: u32, row: u32, falls: bool) -> Rows {
        assert!(columns * rows <= 64, "a board has at most 64 cells");
        let inside = |column: i32, row: i32| {
            let fits = (0..columns as i32).contains(&column) && (0..rows as i32).contains(&row);
            fits.then(|| 1_u64 << (row * columns as i32 + column))
        };
        let mut lines = Vec::new();
        for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            for cell in 0..(columns * rows) as i32 {
                let (x, y) = (cell % columns as i32, cell / columns as i32);
                let cells = (0..row as i32).map(|at| inside(x + at * right, y + at * up));
                lines.extend(cells.sum::<Option<u64>>());
            }
        }
        Rows { columns, rows, falls, lines }
    }

    fn cells(&self) -> u32 {
        self.columns * self.rows
    }
}

impl Game for Rows {
    type Position = Stones;

    fn name(&self) -> String {
        let Rows { columns, rows, falls, lines } = self;
        let row = lines.first().map_or(0, |line| line.count_ones());
        format!("rows columns={columns} rows={rows} row={row} falls={falls}")
    }

    fn key_bits(&self) -> u32 {
        2 * self.cells()
    }

    fn start(&self) -> Stones {
        Stones { own: 0, other: 0 }
    }

    // Cells only fill up.
    fn rank(&self, stones: &Stones) -> Rank {
        let empty = self.cells() - (stones.own | stones.other).count_ones();
        Rank { level: empty as u16, step: 0 }
    }

    fn outcome(&self, stones: &Stones) -> Option<Score> {
        if self.lines.iter().any(|line| stones.other & line == *line) {
            return Some(Score(-1));
        }
        let full = (stones.own | stones.other).count_ones() == self.cells();
        full.then_some(Score(0))
    }

    fn edges(&self, stones: &Stones, mut visit: impl FnMut(Edge<Stones>)) {
        let taken = stones.own | stones.other;
        for cell in 0..self.cells() {
            let lies =
                !self.falls || cell < self.columns || taken >> (cell - self.columns) & 1 == 1;
            if taken >> cell & 1 == 0 && lies {
                let to = Stones { own: stones.other, other: stones.own | 1 << cell };
                let mv = MoveId(cell as u16 + 1);
                visit(Edge { mv, to, gain: Score(0), turn: Turn::Passes });
            }
        }
    }

    fn pack(&self, stones: &Stones) -> Key {
        Key(u128::from(stones.own) << self.cells() | u128::from(stones.other))
    }

    fn unpack(&self, key: Key) -> Option<Stones> {
        let mask = (1_u128 << self.cells()) - 1;
        let (own, other) = (key.0 >> self.cells(), key.0 & mask);
        (own <= mask && own & other == 0).then_some(Stones { own: own as u64, other: other as u64 })
    }
}

#[allow(dead_code, reason = "the tests of the solver use the game alone")]
fn main() -> Result<(), Box<dyn Error>> {
    for game in [Rows::new(3, 3, 3, false), Rows::new(4, 4, 4, true)] {
        let mut store = Memory::new(Header::of(&game));
        let solution = solve(&game, &mut store, &Limits::default(), &mut |_| Next::Continue)?;
        let best = line(&game, &game.start(), |stones| {
            let row = lookup(&game, &mut store, stones)?;
            Ok::<_, solver::StoreError>(row.and_then(|row| row.verdict).expect("a verdict"))
        })?;
        let cells: Vec<_> = best.iter().map(|step| step.edge.mv.0.to_string()).collect();
        let (value, positions) = (solution.verdict.score, solution.positions);
        println!("{}: {value} in {positions} positions, {}", game.name(), cells.join(" "));
    }
    Ok(())
}
