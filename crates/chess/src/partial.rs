//! Patterns of partial boards: which pieces may stand on which squares.

use std::{fmt, str::FromStr};

use crate::{Bitboard, Board, Color, Piece, Role};

/// A pattern that boards match or do not match, written like the first field of a FEN.
///
/// Ranks are separated by `/`, the eighth first. In a rank, a letter of FEN is that piece, and a
/// digit is so many empty squares. Further signs:
///
/// | sign | the square |
/// |---|---|
/// | `?` | may hold anything |
/// | `.` | is empty |
/// | `A`, `a` | holds any white piece, any black piece |
/// | `[QRn.]` | is one of these |
/// | `*` | and all others that the rank needs may hold anything; once in a rank |
///
/// So every placement of a FEN is a pattern that only its own board matches.
///
/// ```
/// use chess::{Flips, PartialBoard, Position, Shifts};
///
/// let doubled: PartialBoard = "P/P".parse()?;
/// let board = *"4k3/8/8/8/2P5/2P5/8/4K3 w - - 0 1".parse::<Position>()?.board();
/// assert!(doubled.places(Shifts::All, Flips::default())?.matches(&board));
/// let castled: PartialBoard = "*/*/*/*/*/*/*PPP/*RK.".parse()?;
/// assert!(!castled.places(Shifts::None, Flips::default())?.matches(&board));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialBoard {
    /// From the lowest rank up, all of equal length.
    ranks: Vec<Vec<Cell>>,
}

/// Whether a pattern is also looked for elsewhere on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shifts {
    /// Only where it is written; it must have all 64 squares.
    #[default]
    None,
    /// At every place at which all squares that say something are on the board.
    All,
}

/// Which mirror images of a pattern count, too: every combination of those that are true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flips {
    /// The other colour's pieces on the other side of the board.
    pub colors: bool,
    /// The a-file for the h-file.
    pub files: bool,
    /// The first rank for the eighth.
    pub ranks: bool,
    /// Files for ranks: mirrored at the diagonal from a1 to h8.
    pub diagonal: bool,
}

/// Why a text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartialBoardError {
    /// A sign that says nothing of a square.
    #[error("rank '{rank}': '{found}' is none of a piece, A, a, ?, ., *, [ and 1 to 8")]
    Sign {
        /// The rank as it is written.
        rank: String,
        /// What was found.
        found: char,
    },
    /// A bracket without its end, or with nothing in it.
    #[error("rank '{0}': a list in brackets needs at least one sign and a closing bracket")]
    Bracket(String),
    /// A star beside another one.
    #[error("rank '{0}' has more than one *")]
    Stars(String),
    /// A rank of a length that no board has.
    #[error("rank '{rank}' has {squares} squares, expected {expected}")]
    Squares {
        /// The rank as it is written.
        rank: String,
        /// How many it has.
        squares: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// More or fewer ranks than a board has.
    #[error("the pattern has {found} ranks, expected {expected}")]
    Ranks {
        /// How many there are.
        found: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// A part of a board that nobody said where to look for.
    #[error(
        "the pattern has {files} files and {ranks} ranks; only with shifts may it be smaller than the board"
    )]
    Small {
        /// How many files it has.
        files: usize,
        /// How many ranks it has.
        ranks: usize,
    },
}

/// A name that is no mirror image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is none of colors, files, ranks, diagonal")]
pub struct UnknownFlip(String);

/// What may stand on a square: bit `6 * color + role` for a piece, bit 12 for nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cell(u16);

impl Cell {
    const NOTHING: Cell = Cell(1 << 12);
    const ANY: Cell = Cell((1 << 13) - 1);

    fn piece(piece: Piece) -> Cell {
        Cell(1 << (6 * piece.color as usize + piece.role.index()))
    }

    fn color(color: Color) -> Cell {
        Cell(0b11_1111 << (6 * color as usize))
    }

    /// The square of a sign that is one square.
    fn of(sign: u8) -> Option<Cell> {
        match sign {
            b'?' => Some(Cell::ANY),
            b'.' => Some(Cell::NOTHING),
            b'A' => Some(Cell::color(Color::White)),
            b'a' => Some(Cell::color(Color::Black)),
            letter => Piece::from_letter(letter).map(Cell::piece),
        }
    }

    /// The same for the other colour.
    fn swapped(self) -> Cell {
        let (white, black) = (self.0 & 0b11_1111, self.0 >> 6 & 0b11_1111);
        Cell(self.0 & Cell::NOTHING.0 | white << 6 | black)
    }

    /// The squares of a board on which this holds.
    fn on(self, board: &Board) -> Bitboard {
        let mut squares = Bitboard::EMPTY;
        if self.0 & Cell::NOTHING.0 != 0 {
            squares |= !board.occupied();
        }
        for color in Color::ALL {
            let roles = Role::ALL.into_iter();
            let held = roles.filter(|&role| self.0 & Cell::piece(Piece { color, role }).0 != 0);
            let pieces = held.fold(Bitboard::EMPTY, |all, role| all | board.by_role(role));
            squares |= pieces & board.by_color(color);
        }
        squares
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:013b}", self.0)
    }
}

impl FromStr for PartialBoard {
    type Err = PartialBoardError;

    fn from_str(text: &str) -> Result<PartialBoard, PartialBoardError> {
        let ranks: Vec<&str> = text.trim().split('/').collect();
        if ranks.len() > 8 {
            return Err(PartialBoardError::Ranks { found: ranks.len(), expected: "at most 8" });
        }
        let cells = ranks.iter().map(|rank| read_rank(rank)).collect::<Result<Vec<_>, _>>()?;
        for (rank, cells_of_rank) in ranks.iter().zip(&cells) {
            if cells_of_rank.len() != cells[0].len() {
                return Err(PartialBoardError::Squares {
                    rank: (*rank).to_owned(),
                    squares: cells_of_rank.len(),
                    expected: "as many as the first rank",
                });
            }
        }
        Ok(PartialBoard { ranks: cells.into_iter().rev().collect() })
    }
}

fn read_rank(rank: &str) -> Result<Vec<Cell>, PartialBoardError> {
    let mut cells = Vec::new();
    let mut star = None;
    let mut signs = rank.chars();
    while let Some(sign) = signs.next() {
        let wrong = |found| PartialBoardError::Sign { rank: rank.to_owned(), found };
        match sign {
            '1'..='8' => {
                cells.extend(std::iter::repeat_n(Cell::NOTHING, sign as usize - '0' as usize));
            }
            '*' if star.is_some() => return Err(PartialBoardError::Stars(rank.to_owned())),
            '*' => star = Some(cells.len()),
            '[' => {
                let bracket = || PartialBoardError::Bracket(rank.to_owned());
                let (list, _) = signs.as_str().split_once(']').ok_or_else(bracket)?;
                let mut cell = 0;
                for sign in signs.by_ref().take_while(|&sign| sign != ']') {
                    let one = u8::try_from(sign).ok().and_then(Cell::of);
                    cell |= one.ok_or_else(|| wrong(sign))?.0;
                }
                if list.is_empty() {
                    return Err(bracket());
                }
                cells.push(Cell(cell));
            }
            sign => {
                let cell = u8::try_from(sign).ok().and_then(Cell::of);
                cells.push(cell.ok_or_else(|| wrong(sign))?);
            }
        }
    }
    let squares = cells.len();
    if let Some(star) = star {
        cells.splice(star..star, std::iter::repeat_n(Cell::ANY, 8_usize.saturating_sub(squares)));
    }
    if (1..=8).contains(&cells.len()) {
        Ok(cells)
    } else {
        let expected = "1 to 8";
        Err(PartialBoardError::Squares { rank: rank.to_owned(), squares, expected })
    }
}

impl PartialBoard {
    /// Every place and mirror image that counts, ready to be compared with boards.
    pub fn places(&self, shifts: Shifts, flips: Flips) -> Result<Places, PartialBoardError> {
        let (files, ranks) = (self.ranks[0].len(), self.ranks.len());
        if shifts == Shifts::None && (files, ranks) != (8, 8) {
            return Err(PartialBoardError::Small { files, ranks });
        }
        let mut places = Places { cells: Vec::new(), places: Vec::new() };
        for image in self.images(flips) {
            match shifts {
                Shifts::None => places.add(&image, 0, 0),
                Shifts::All => {
                    let image = image.cropped();
                    for rank in 0..=8 - image.ranks.len() {
                        for file in 0..=8 - image.ranks[0].len() {
                            places.add(&image, file, rank);
                        }
                    }
                }
            }
        }
        places.places.sort();
        places.places.dedup();
        Ok(places)
    }

    /// The pattern and its mirror images, each once.
    fn images(&self, flips: Flips) -> Vec<PartialBoard> {
        let mut mirrors: Vec<fn(&PartialBoard) -> PartialBoard> = Vec::new();
        if flips.colors {
            mirrors.push(|image| image.ranks_reversed().colors_swapped());
        }
        if flips.files {
            mirrors.push(PartialBoard::files_reversed);
        }
        if flips.ranks {
            mirrors.push(PartialBoard::ranks_reversed);
        }
        if flips.diagonal {
            mirrors.push(PartialBoard::transposed);
        }
        let mut images = vec![self.clone()];
        let mut done = 0;
        while done < images.len() {
            for mirror in &mirrors {
                let image = mirror(&images[done]);
                if !images.contains(&image) {
                    images.push(image);
                }
            }
            done += 1;
        }
        images
    }

    fn ranks_reversed(&self) -> PartialBoard {
        PartialBoard { ranks: self.ranks.iter().rev().cloned().collect() }
    }

    fn files_reversed(&self) -> PartialBoard {
        let reversed = |rank: &Vec<Cell>| rank.iter().rev().copied().collect();
        PartialBoard { ranks: self.ranks.iter().map(reversed).collect() }
    }

    fn transposed(&self) -> PartialBoard {
        let file = |file| self.ranks.iter().map(|rank| rank[file]).collect();
        PartialBoard { ranks: (0..self.ranks[0].len()).map(file).collect() }
    }

    fn colors_swapped(&self) -> PartialBoard {
        let swapped = |rank: &Vec<Cell>| rank.iter().map(|cell| cell.swapped()).collect();
        PartialBoard { ranks: self.ranks.iter().map(swapped).collect() }
    }

    /// The smallest part that holds every square that says something; one square if none does.
    fn cropped(&self) -> PartialBoard {
        let says = |rank: &[Cell]| rank.iter().any(|&cell| cell != Cell::ANY);
        let ends = |image: &PartialBoard| {
            let first = image.ranks.iter().position(|rank| says(rank));
            let last = image.ranks.iter().rposition(|rank| says(rank));
            first.zip(last).unwrap_or((0, 0))
        };
        let (low, high) = ends(self);
        let (left, right) = ends(&self.transposed());
        let ranks = self.ranks[low..=high].iter().map(|rank| rank[left..=right].to_vec());
        PartialBoard { ranks: ranks.collect() }
    }
}

/// Where a pattern is looked for, and as what.
#[derive(Clone, Debug)]
pub struct Places {
    /// Every condition on a square that occurs, each once.
    cells: Vec<Cell>,
    /// For each place the conditions, by their number, and the squares on which each must hold.
    places: Vec<Vec<(usize, u64)>>,
}

impl Places {
    /// Whether a board has the pattern at one of the places.
    pub fn matches(&self, board: &Board) -> bool {
        let held: Vec<Bitboard> = self.cells.iter().map(|cell| cell.on(board)).collect();
        self.places.iter().any(|place| {
            place.iter().all(|&(cell, squares)| Bitboard(squares).is_subset(held[cell]))
        })
    }

    fn add(&mut self, image: &PartialBoard, file: usize, rank: usize) {
        let mut place: Vec<(usize, u64)> = Vec::new();
        for (up, cells) in image.ranks.iter().enumerate() {
            for (right, &cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != Cell::ANY) {
                let square = 1 << (8 * (rank + up) + file + right);
                let number = self.number(cell);
                match place.iter_mut().find(|(other, _)| *other == number) {
                    Some((_, squares)) => *squares |= square,
                    None => place.push((number, square)),
                }
            }
        }
        place.sort_unstable();
        self.places.push(place);
    }

    fn number(&mut self, cell: Cell) -> usize {
        let found = self.cells.iter().position(|&other| other == cell);
        found.unwrap_or_else(|| {
            self.cells.push(cell);
            self.cells.len() - 1
        })
    }
}

impl FromStr for Flips {
    type Err = UnknownFlip;

    /// Reads names separated by commas or spaces; no name is no mirror image.
    fn from_str(text: &str) -> Result<Flips, UnknownFlip> {
        let mut flips = Flips::default();
        let names = text.split(|c: char| c == ',' || c.is_whitespace());
        for name in names.filter(|name| !name.is_empty()) {
            match name {
                "colors" => flips.colors = true,
                "files" => flips.files = true,
                "ranks" => flips.ranks = true,
                "diagonal" => flips.diagonal = true,
                other => return Err(UnknownFlip(other.to_owned())),
            }
        }
        Ok(flips)
    }
}
