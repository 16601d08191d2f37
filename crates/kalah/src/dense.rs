#![doc = include_str!("dense/README.md")]

mod columns;
mod rows;
mod throw;

use std::ops::Range;

use game::{Cell, Dense, Game, Given, Half, Mover, Numbered, Sheet, View};

use self::{
    columns::Columns,
    rows::{NO_CAPTURE, Rows},
    throw::{Last, Throw},
};
use crate::{
    Kalah, Layouts,
    position::{MAX_PITS, Position, Side},
    rules::{Capture, Rules},
};

/// Kalah for dense tables. Numbers every position with at most a given number of seeds in play, and
/// computes the moves of whole rows of positions.
///
/// ```
/// use game::{Numbered, Sheet};
/// use kalah::{Position, Rules, Sheets};
///
/// let sheets = Sheets::new(3, 8, Rules::STD_EITHER)?;
/// let position: Position = "0,1,2/1,0,0".parse()?;
/// let cell = sheets.locate(&position).expect("four seeds are not too many");
/// assert_eq!(cell.sheet, Sheet { own: 3, other: 1 });
/// assert_eq!(sheets.position(cell), position);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sheets {
    kalah: Kalah,
    layouts: Layouts,
    halves: Vec<Half>,
    rows: Vec<Rows>,
    columns: Vec<Columns>,
    /// For each pit and number of seeds in it.
    throws: Vec<Vec<Throw>>,
}

/// Why there is no dense table of a size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SheetsError {
    /// No pits, or too many.
    #[error("{0} pits on a side, expected 1 to {MAX_PITS}")]
    Pits(usize),
    /// More seeds than a value can express.
    #[error("a table of {0} seeds, expected 0 to {most}", most = Sheets::MOST_SEEDS)]
    Seeds(u32),
    /// The name is not one of a table of Kalah.
    #[error("'{}' is not a table of Kalah, expected a name such as kalah pits=6 rules=std_either", .0.escape_debug())]
    Name(String),
    /// A side has more layouts than can be numbered.
    #[error("{pits} pits with {seeds} seeds have more than {most} layouts", most = columns::MOST)]
    Layouts {
        /// The pits of a side.
        pits: usize,
        /// The seeds in play.
        seeds: u32,
    },
}

impl Sheets {
    /// The most seeds in play: a value is a signed byte.
    pub const MOST_SEEDS: u32 = 127;

    /// A lower bound of the memory for the numbering of such a table, in bytes. [`Sheets::new`]
    /// allocates this memory without asking for a limit, so compare it with the limit first.
    pub fn least_memory(pits: usize, seeds: u32) -> Result<u64, SheetsError> {
        let layouts = Sheets::layouts(pits, seeds)?;
        let bytes = (0..=seeds).map(|own| {
            let count = layouts.count(own);
            count * (4 + Rows::bytes_each(pits) + Columns::bytes_each(pits, seeds - own))
        });
        Ok(bytes.sum())
    }

    /// The numbering of layouts, if the size is supported.
    fn layouts(pits: usize, seeds: u32) -> Result<Layouts, SheetsError> {
        if !(1..=MAX_PITS).contains(&pits) {
            return Err(SheetsError::Pits(pits));
        }
        if seeds > Sheets::MOST_SEEDS {
            return Err(SheetsError::Seeds(seeds));
        }
        if Layouts::total(pits - 1, seeds).is_none_or(|count| count > columns::MOST) {
            return Err(SheetsError::Layouts { pits, seeds });
        }
        Ok(Layouts::new(pits, seeds))
    }

    /// Numbers the positions of `pits` pits on each side with at most `seeds` seeds in play.
    pub fn new(pits: usize, seeds: u32, rules: Rules) -> Result<Sheets, SheetsError> {
        let layouts = Sheets::layouts(pits, seeds)?;
        let halves: Vec<_> = (0..=seeds).map(|seeds| rows::half(&layouts, seeds)).collect();
        let throws = |pit| (0..=seeds as usize).map(|seeds| Throw::new(pits, pit, seeds)).collect();
        let mut fullest = [0; MAX_PITS];
        // Keys must also be unique for positions beyond the table, because a search starts there.
        fullest[0] = Sheets::MOST_SEEDS as u8;
        let side = Side::new(&fullest[..pits]).expect("1 to MAX_PITS pits");
        let empty = Side::new(&[0; MAX_PITS][..pits]).expect("1 to MAX_PITS pits");
        Ok(Sheets {
            kalah: Kalah::from_start(Position { own: side, other: empty }, rules),
            rows: (0..=seeds).map(|seeds| Rows::new(&layouts, &halves, seeds)).collect(),
            columns: (0..=seeds).map(|own| Columns::new(&layouts, own, seeds)).collect(),
            throws: (0..pits).map(throws).collect(),
            halves,
            layouts,
        })
    }

    /// The numbering of a table with this name, [`Numbered::name`], and at most `seeds` seeds.
    pub fn named(name: &str, seeds: u32) -> Result<Sheets, SheetsError> {
        let size = || {
            let (pits, rules) = name.strip_prefix("kalah pits=")?.split_once(" rules=")?;
            Some((pits.parse().ok()?, rules.parse().ok()?))
        };
        let (pits, rules) = size().ok_or_else(|| SheetsError::Name(name.to_owned()))?;
        Sheets::new(pits, seeds, rules)
    }

    /// The pits of a side.
    pub fn pits(&self) -> usize {
        self.layouts.pits()
    }

    /// The most seeds in play.
    pub fn seeds(&self) -> u32 {
        self.halves.len() as u32 - 1
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.kalah.rules()
    }

    /// A row of a view; empty if the view is not given.
    #[inline]
    fn row<'a>(&self, given: &Given<'a>, view: View, row: u32) -> &'a [i8] {
        let values = given.get(view);
        if values.is_empty() {
            return &[];
        }
        let width = self.columns[usize::from(view.columns)].count();
        &values[row as usize * width..][..width]
    }

    /// Applies the move of one pit to a whole row.
    fn lead_move<'a>(
        &self,
        sheet: Sheet,
        (row, pit): (usize, usize),
        given: &Given<'a>,
        lines: &mut Lines<'a>,
        values: &mut [i8],
    ) {
        let rows = &self.rows[usize::from(sheet.own)];
        let throw = self.throws[pit][usize::from(rows.layouts[row][pit])];
        let step = rows.steps[row * self.pits() + pit];
        let own = sheet.own - throw.stored - throw.across;
        let view = View { rows: own, columns: sheet.other + throw.across, mover: Mover::Columns };
        let (gain, across) = (throw.stored as i8, usize::from(throw.across));
        let columns = &self.columns[usize::from(sheet.other)];
        match throw.last {
            Last::Store => {
                let line = self.row(given, View { mover: Mover::Rows, ..view }, step.to);
                match columns.shift(across) {
                    None => columns::keep(values, line, gain),
                    Some(shift) => columns::keep_shifted(values, line, shift, gain),
                }
            }
            Last::Own(last) if step.captured != NO_CAPTURE => {
                let view = View { rows: own - 1, ..view };
                self.fill_lines(given, view, step.captured, lines);
                let opposite = self.pits() - 1 - last;
                let emptied = self.columns[usize::from(view.columns)].emptied(opposite);
                match columns.shift(across) {
                    None => columns::capture(values, lines, emptied, gain + 1),
                    Some(shift) => {
                        columns::capture_shifted(values, lines, shift, emptied, gain + 1);
                    }
                }
            }
            Last::Own(_) | Last::Other => {
                // Without seeds sown across, all seeds stay in play.
                if let Some(shift) = columns.shift(across) {
                    columns::pass_shifted(values, self.row(given, view, step.to), shift, gain);
                }
            }
        }
    }

    /// The rows that a capture leads to, indexed by the number of seeds in the opposite pit.
    fn fill_lines<'a>(&self, given: &Given<'a>, view: View, row: u32, lines: &mut Lines<'a>) {
        for taken in 0..=view.columns {
            let view = View { columns: view.columns - taken, ..view };
            lines[usize::from(taken)] = self.row(given, view, row);
        }
        if self.rules().capture == Capture::Std {
            // If the opposite pit is empty, nothing is captured. This happens only if no seeds are
            // sown across, and then all seeds stay in play.
            lines[0] = &[];
        }
    }
}

/// A row for each number of seeds in a pit. A byte is always a valid index.
type Lines<'a> = [&'a [i8]; 256];

impl Numbered for Sheets {
    type Game = Kalah;

    fn game(&self) -> &Kalah {
        &self.kalah
    }

    fn name(&self) -> String {
        format!("kalah pits={} rules={}", self.pits(), self.rules())
    }

    fn halves(&self) -> &[Half] {
        &self.halves
    }

    #[inline]
    fn locate(&self, position: &Position) -> Option<Cell> {
        let (own, other) = (position.own.total(), position.other.total());
        if own + other > self.seeds() || position.pits() != self.pits() {
            return None;
        }
        let sheet = Sheet { own: own as u16, other: other as u16 };
        let row = self.layouts.number(position.own.pits()) as usize;
        let column = self.layouts.number(position.other.pits()) as usize;
        Some(Cell { sheet, row: self.halves[own as usize].rows[row] as usize, column })
    }

    fn position(&self, cell: Cell) -> Position {
        let Sheet { own, other } = cell.sheet;
        let mut side = self.kalah.start().own;
        side.seeds = self.rows[usize::from(own)].layouts[cell.row];
        let own = side;
        self.layouts.layout(other.into(), cell.column as u64, &mut side.seeds[..self.pits()]);
        Position { own, other: side }
    }
}

impl Dense for Sheets {
    fn needs(&self, sheet: Sheet) -> Vec<View> {
        let mut needs = Vec::new();
        for throws in &self.throws {
            for seeds in 1..=sheet.own {
                let throw = throws[usize::from(seeds)];
                let rows = sheet.own - throw.stored - throw.across;
                let columns = sheet.other + throw.across;
                let view = View { rows, columns, mover: Mover::Columns };
                match throw.last {
                    Last::Store => needs.push(View { mover: Mover::Rows, ..view }),
                    Last::Other => needs.push(view),
                    Last::Own(_) => {
                        needs.extend((throw.stored > 0).then_some(view));
                        let captures = (0..=columns).filter(|_| rows > 0);
                        needs.extend(captures.map(|columns| View {
                            rows: rows - 1,
                            columns,
                            ..view
                        }));
                    }
                }
            }
        }
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    fn lead(&self, sheet: Sheet, rows: Range<usize>, given: &Given<'_>, values: &mut [i8]) {
        let width = self.columns[usize::from(sheet.other)].count();
        let layouts = &self.rows[usize::from(sheet.own)].layouts;
        let mut lines: Lines<'_> = [&[]; 256];
        for (row, values) in rows.zip(values.chunks_exact_mut(width)) {
            for pit in (0..self.pits()).filter(|pit| layouts[row][*pit] > 0) {
                self.lead_move(sheet, (row, pit), given, &mut lines, values);
            }
        }
    }

    fn stay(
        &self,
        sheet: Sheet,
        rows: Range<usize>,
        earlier: &[i8],
        upright: &mut [i8],
        turned: &mut [i8],
    ) {
        let columns = &self.columns[usize::from(sheet.other)];
        let half = &self.rows[usize::from(sheet.own)];
        let (pits, width) = (self.pits(), columns.count());
        let misses = self.rules().capture == Capture::Std;
        let views = upright.chunks_exact_mut(width).zip(turned.chunks_exact_mut(width));
        for (row, (upright, turned)) in rows.zip(views) {
            let layout = &half.layouts[row];
            for pit in (0..pits).filter(|pit| layout[*pit] > 0) {
                let throw = self.throws[pit][usize::from(layout[pit])];
                let Last::Own(last) = throw.last else { continue };
                if throw.across > 0 {
                    continue;
                }
                let step = half.steps[row * pits + pit];
                let line = || &earlier[step.to as usize * width..][..width];
                if step.captured == NO_CAPTURE {
                    columns::pass(upright, line());
                } else if misses {
                    columns::pass_some(upright, line(), columns.bare(pits - 1 - last));
                }
            }
            columns::stay(turned, upright, columns.stays());
            if misses {
                for pit in (0..pits).filter(|pit| layout[*pit] == 0) {
                    columns::stay(turned, upright, columns.misses(pit));
                }
            }
        }
    }

    fn memory(&self) -> usize {
        let halves = self.halves.iter().map(|half| half.rows.len() * size_of::<u32>());
        let rows = self.rows.iter().map(Rows::memory);
        let columns = self.columns.iter().map(Columns::memory);
        halves.sum::<usize>() + rows.sum::<usize>() + columns.sum::<usize>()
    }
}
