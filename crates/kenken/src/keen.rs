//! Keen game IDs: `PARAMS:BLOCKS,CLUES`.
//!
//! PARAMS is the size, optionally followed by `d` and a difficulty letter, and by `m`. BLOCKS lists
//! the borders inside the grid: first the vertical ones row by row, then the horizontal ones column
//! by column, then one virtual border. Each symbol is a run of open borders followed by a closed
//! one (`_` for no open border, `a` for one, and so on). A number after a symbol repeats it. CLUES
//! has `a`, `m`, `s` or `d` and a number for each cage, in the order of their first cells.
//!
//! The reader follows Keen's own reader, for which `y` is 25 open borders without a closed one.
//! Keen's writer uses `z` for that, so Keen cannot read the IDs that it writes for runs of 25 and
//! more. [`parse`] reads everything that [`print()`] writes.

use crate::{
    grid::{LARGEST, Size},
    puzzle::{Clue, Operator, Puzzle, PuzzleError, Rules, check_clue},
};

/// Why a text is not a game ID. `at` is a byte offset from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeenError {
    /// No colon.
    #[error("no ':' between parameters and description")]
    NoColon,
    /// No size at the beginning.
    #[error("byte {at}: expected a grid size from 1 to {LARGEST}")]
    Size {
        /// Where.
        at: usize,
    },
    /// Something other than a difficulty or `m` after the size.
    #[error("byte {at}: unexpected parameter {found:?}")]
    Parameter {
        /// Where.
        at: usize,
        /// The unexpected character.
        found: char,
    },
    /// A character that is not a run of borders.
    #[error("byte {at}: {found:?} is not a border run")]
    Symbol {
        /// Where.
        at: usize,
        /// The unexpected character.
        found: char,
    },
    /// The borders end too early.
    #[error("byte {at}: the borders end after {found} of {expected}")]
    FewBorders {
        /// Where.
        at: usize,
        /// The number of borders in the text.
        found: usize,
        /// The number of borders in the grid.
        expected: usize,
    },
    /// More borders than the grid has.
    #[error("byte {at}: more than the grid's {expected} borders")]
    ManyBorders {
        /// Where.
        at: usize,
        /// The number of borders in the grid.
        expected: usize,
    },
    /// A letter that is not a clue.
    #[error("byte {at}: {found:?} is not a clue, expected a, m, s or d")]
    ClueType {
        /// Where.
        at: usize,
        /// The unexpected character.
        found: char,
    },
    /// A clue without a number.
    #[error("byte {at}: the clue has no number")]
    NoNumber {
        /// Where.
        at: usize,
    },
    /// A number that does not fit `u64`.
    #[error("byte {at}: the number is larger than {}", u64::MAX)]
    Overflow {
        /// Where.
        at: usize,
    },
    /// The clues end too early.
    #[error("byte {at}: {found} clue(s) for {expected} cages")]
    FewClues {
        /// Where.
        at: usize,
        /// The number of clues in the text.
        found: usize,
        /// The number of cages.
        expected: usize,
    },
    /// Text after the last clue.
    #[error("byte {at}: more clues than the {expected} cages")]
    ManyClues {
        /// Where.
        at: usize,
        /// The number of cages.
        expected: usize,
    },
    /// A clue that cannot be used on its cage.
    #[error("byte {at}: {error}")]
    Puzzle {
        /// Where the clue begins.
        at: usize,
        /// What is wrong with it.
        error: PuzzleError,
    },
}

/// Why a puzzle has no game ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKeen {
    /// A cage with an unknown operator.
    #[error("cage {cage} has no operator, which a game ID cannot express")]
    Unknown {
        /// The cage.
        cage: usize,
    },
    /// Subtraction or division on more than two cells.
    #[error("cage {cage}: {sign} on {cells} cells, which a game ID cannot express")]
    Wide {
        /// The cage.
        cage: usize,
        /// The operator.
        sign: char,
        /// Its cells.
        cells: usize,
    },
    /// Digits from 0.
    #[error("digits start at 0, which a game ID cannot express")]
    Zero,
    /// A cage that is not connected, or two cages that borders alone do not separate.
    #[error("cage {cage} is not connected, which a game ID cannot express")]
    Disconnected {
        /// The cage.
        cage: usize,
    },
}

/// Reads a game ID.
pub fn parse(id: &str) -> Result<Puzzle, KeenError> {
    let bytes = id.as_bytes();
    let colon = bytes.iter().position(|&byte| byte == b':').ok_or(KeenError::NoColon)?;
    let size = parse_parameters(id, colon)?;
    let mut reader = Reader { id, bytes, at: colon + 1 };
    let owner = reader.blocks(size)?;
    let clues = reader.clues(&owner)?;
    Ok(Puzzle::from_owners(size, Rules::default(), &owner.cage_of, |cage| clues[cage]))
}

/// Writes the game ID of a puzzle, with the size as the only parameter.
pub fn print(puzzle: &Puzzle) -> Result<String, NotKeen> {
    check_sayable(puzzle)?;
    let side = puzzle.size().side();
    let mut symbols = Symbols { text: format!("{side}:"), last: None };
    let mut run = 0;
    for border in 0..borders(side) {
        let (a, b) = beside(border, side);
        if puzzle.cage_map()[a] == puzzle.cage_map()[b] {
            run += 1;
        } else {
            symbols.run(std::mem::take(&mut run));
        }
    }
    symbols.run(run);
    symbols.flush();
    let mut id = symbols.text;
    id.push(',');
    for cage in puzzle.cages() {
        id.push(match cage.clue.operator {
            Operator::Given | Operator::Add | Operator::Unknown => 'a',
            Operator::Subtract => 's',
            Operator::Multiply => 'm',
            Operator::Divide => 'd',
        });
        id.push_str(&cage.clue.target.to_string());
    }
    Ok(id)
}

/// The number of open borders in a run without a closed one.
const LONG_RUN: usize = 25;

fn borders(side: usize) -> usize {
    2 * side * (side - 1)
}

/// The cells on both sides of a border.
#[inline]
fn beside(border: usize, side: usize) -> (usize, usize) {
    let (line, place) = (border / (side - 1), border % (side - 1));
    if line < side {
        (line * side + place, line * side + place + 1)
    } else {
        (place * side + line - side, (place + 1) * side + line - side)
    }
}

fn check_sayable(puzzle: &Puzzle) -> Result<(), NotKeen> {
    if puzzle.rules().zero {
        return Err(NotKeen::Zero);
    }
    for (number, cage) in puzzle.cages().enumerate() {
        let (operator, cells) = (cage.clue.operator, cage.cells.len());
        if operator == Operator::Unknown {
            return Err(NotKeen::Unknown { cage: number });
        }
        if matches!(operator, Operator::Subtract | Operator::Divide) && cells != 2 {
            return Err(NotKeen::Wide { cage: number, sign: operator.sign(), cells });
        }
        if !puzzle.rules().connected {
            let clue = Clue { operator: Operator::Add, target: 1 };
            let rest: Vec<_> = (0..puzzle.size().cells() as u16)
                .map(crate::grid::Cell)
                .filter(|cell| !cage.cells.contains(cell))
                .map(|cell| (clue, vec![cell]))
                .chain([(clue, cage.cells.to_vec())])
                .collect();
            if Puzzle::new(puzzle.size(), Rules::default(), &rest).is_err() {
                return Err(NotKeen::Disconnected { cage: number });
            }
        }
    }
    Ok(())
}

/// Border symbols to be written, with repeats counted.
struct Symbols {
    text: String,
    last: Option<(char, usize)>,
}

impl Symbols {
    fn run(&mut self, mut open: usize) {
        while open >= LONG_RUN {
            self.symbol('y');
            open -= LONG_RUN;
        }
        self.symbol(if open == 0 { '_' } else { (b'a' - 1 + open as u8) as char });
    }

    fn symbol(&mut self, symbol: char) {
        match &mut self.last {
            Some((last, count)) if *last == symbol => *count += 1,
            _ => {
                self.flush();
                self.last = Some((symbol, 1));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((symbol, count)) = self.last.take() {
            self.text.push(symbol);
            match count {
                1 => {}
                2 => self.text.push(symbol),
                _ => self.text.push_str(&count.to_string()),
            }
        }
    }
}

fn parse_parameters(id: &str, colon: usize) -> Result<Size, KeenError> {
    let bytes = &id.as_bytes()[..colon];
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let side = if digits <= 4 { id[..digits].parse().ok() } else { None };
    let size = side.and_then(Size::new).ok_or(KeenError::Size { at: 0 })?;
    let mut at = digits;
    if bytes.get(at) == Some(&b'd') {
        at += 1;
        if !matches!(bytes.get(at), Some(b'e' | b'n' | b'h' | b'x' | b'u')) {
            return Err(KeenError::Parameter { at, found: char_at(id, at) });
        }
        at += 1;
    }
    if bytes.get(at) == Some(&b'm') {
        at += 1;
    }
    if at < colon {
        return Err(KeenError::Parameter { at, found: char_at(id, at) });
    }
    Ok(size)
}

/// The character at a byte that is known to start one.
fn char_at(id: &str, at: usize) -> char {
    id.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}')
}

struct Reader<'a> {
    id: &'a str,
    bytes: &'a [u8],
    at: usize,
}

/// Cells joined into cages. Cages are numbered by their first cells.
struct Blocks {
    cage_of: Vec<u16>,
    sizes: Vec<u16>,
}

impl Reader<'_> {
    fn blocks(&mut self, size: Size) -> Result<Blocks, KeenError> {
        let side = size.side();
        let expected = borders(side);
        let mut joined = Joined::new(size.cells());
        let mut border = 0;
        while let Some(&byte) = self.bytes.get(self.at).filter(|&&byte| byte != b',') {
            let at = self.at;
            let open = match byte {
                b'_' => 0,
                b'a'..=b'z' => usize::from(byte - b'a') + 1,
                _ => return Err(KeenError::Symbol { at, found: char_at(self.id, at) }),
            };
            self.at += 1;
            // Keen reads a repeat of 0 as 1.
            let repeats = self.number_if_any().map_or(1, |number| number.max(1));
            let closed = usize::from(open != LONG_RUN);
            let length = (open + closed) as u64;
            if repeats.saturating_mul(length) > (expected + 1 - border) as u64 {
                return Err(KeenError::ManyBorders { at, expected });
            }
            for _ in 0..repeats {
                for open in border..border + open {
                    if open >= expected {
                        return Err(KeenError::ManyBorders { at, expected });
                    }
                    let (a, b) = beside(open, side);
                    joined.join(a, b);
                }
                border += open + closed;
            }
        }
        // The virtual border after the last one counts too.
        if border != expected + 1 {
            let at = self.at;
            return Err(KeenError::FewBorders { at, found: border, expected: expected + 1 });
        }
        Ok(joined.into_blocks())
    }

    fn clues(&mut self, blocks: &Blocks) -> Result<Vec<Clue>, KeenError> {
        let expected = blocks.sizes.len();
        if self.at < self.bytes.len() {
            self.at += 1;
        }
        let mut clues = Vec::with_capacity(expected);
        while clues.len() < expected {
            let at = self.at;
            let Some(&byte) = self.bytes.get(at) else {
                return Err(KeenError::FewClues { at, found: clues.len(), expected });
            };
            let operator = match byte {
                b'a' => Operator::Add,
                b'm' => Operator::Multiply,
                b's' => Operator::Subtract,
                b'd' => Operator::Divide,
                _ => return Err(KeenError::ClueType { at, found: char_at(self.id, at) }),
            };
            self.at += 1;
            let target = self.number()?;
            let clue = Clue { operator, target };
            let cells = usize::from(blocks.sizes[clues.len()]);
            check_clue(&Rules::default(), clues.len(), clue, cells)
                .map_err(|error| KeenError::Puzzle { at, error })?;
            clues.push(clue);
        }
        if self.at < self.bytes.len() {
            return Err(KeenError::ManyClues { at: self.at, expected });
        }
        Ok(clues)
    }

    fn number(&mut self) -> Result<u64, KeenError> {
        let at = self.at;
        let mut number = 0u64;
        while let Some(digit) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = number
                .checked_mul(10)
                .and_then(|tens| tens.checked_add(u64::from(digit - b'0')))
                .ok_or(KeenError::Overflow { at })?;
            self.at += 1;
        }
        if self.at == at { Err(KeenError::NoNumber { at }) } else { Ok(number) }
    }

    /// A repeat count. A number that does not fit `u64` is more than any grid has.
    fn number_if_any(&mut self) -> Option<u64> {
        let at = self.at;
        let mut number = 0u64;
        while let Some(digit) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        (self.at > at).then_some(number)
    }
}

/// Cells joined across open borders. Every set is named by its first cell.
struct Joined {
    parent: Vec<u16>,
}

impl Joined {
    fn new(cells: usize) -> Joined {
        Joined { parent: (0..cells as u16).collect() }
    }

    fn root(&mut self, mut cell: usize) -> usize {
        while usize::from(self.parent[cell]) != cell {
            let above = usize::from(self.parent[cell]);
            self.parent[cell] = self.parent[above];
            cell = above;
        }
        cell
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low as u16;
    }

    fn into_blocks(mut self) -> Blocks {
        let mut sizes: Vec<u16> = Vec::with_capacity(self.parent.len());
        let mut cage_of: Vec<u16> = Vec::with_capacity(self.parent.len());
        for cell in 0..self.parent.len() {
            // A parent never has a higher index than its child, so its cage is already known.
            let root = self.root(cell);
            let cage = if root == cell {
                sizes.push(0);
                (sizes.len() - 1) as u16
            } else {
                cage_of[root]
            };
            sizes[usize::from(cage)] += 1;
            cage_of.push(cage);
        }
        Blocks { cage_of, sizes }
    }
}
