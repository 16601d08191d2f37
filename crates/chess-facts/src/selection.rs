//! Facts by name, and the numbers and sets that they are.

use chess::{Bitboard, Color, attacks};

use crate::{ExtraParts, ExtraSide, Facts, Level, Side};

/// A fact that can be asked for by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// How many files are without pawns; that belongs to neither side.
    OpenFiles,
    /// A number of each side.
    Count(Count),
    /// A set of squares of each side.
    Mask(Mask),
    /// What each side has of something, with its partners.
    List(List),
    /// A number of each side that belongs to no level.
    Extra(Extra),
}

/// Whose facts a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// White's.
    White,
    /// Black's.
    Black,
    /// Those of the side to move.
    Mover,
    /// Those of the side that is not to move.
    Opponent,
}

impl Whose {
    /// Every choice.
    pub const ALL: [Whose; 4] = [Whose::White, Whose::Black, Whose::Mover, Whose::Opponent];

    /// The word in front of the names of columns.
    pub const fn name(self) -> &'static str {
        match self {
            Whose::White => "white",
            Whose::Black => "black",
            Whose::Mover => "mover",
            Whose::Opponent => "opponent",
        }
    }

    /// The side it is, given whose turn it is.
    #[inline]
    pub fn color(self, turn: Color) -> Color {
        match self {
            Whose::White => Color::White,
            Whose::Black => Color::Black,
            Whose::Mover => turn,
            Whose::Opponent => !turn,
        }
    }
}

/// A column of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactColumn {
    /// Whose fact it is; nothing if it belongs to neither side.
    pub whose: Option<Whose>,
    /// Which fact it is.
    pub fact: Fact,
}

impl FactColumn {
    /// The name of the column, such as `white_pinned_mask`.
    pub fn name(self) -> String {
        let (name, mask) = (self.fact.name(), matches!(self.fact, Fact::Mask(_)));
        let mask = if mask { "_mask" } else { "" };
        match self.whose {
            Some(whose) => format!("{}_{name}{mask}", whose.name()),
            None => format!("{name}{mask}"),
        }
    }
}

/// A fact that is a number of a side and belongs to no level: one of [`Extras`](crate::Extras).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// The number of [`ExtraSide::checks`].
    CheckingMoves,
    /// The number of [`ExtraSide::mates`].
    MatingMoves,
    /// The number of [`ExtraSide::xray_defenses`].
    XrayDefenses,
}

impl Extra {
    /// Every one.
    pub const ALL: [Extra; 3] = [Extra::CheckingMoves, Extra::MatingMoves, Extra::XrayDefenses];

    /// The name used on command lines and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Extra::CheckingMoves => "checking_moves",
            Extra::MatingMoves => "mating_moves",
            Extra::XrayDefenses => "xray_defenses",
        }
    }

    /// The number of a side.
    pub fn of(self, side: &ExtraSide) -> u8 {
        let count = match self {
            Extra::CheckingMoves => side.checks.len(),
            Extra::MatingMoves => side.mates().count(),
            Extra::XrayDefenses => side.xray_defenses.len(),
        };
        // No legal position has more than 218 moves or 120 lines.
        count as u8
    }
}

/// A fact that is a number of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(usize);

/// A fact that is a set of squares of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(usize);

/// A fact that names its partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// [`Side::pins`]
    Pins,
    /// [`Side::relative_pins`]
    RelativePins,
    /// [`Side::skewers`]
    Skewers,
    /// [`Side::xrays`]
    Xrays,
    /// [`Side::discovered`]
    Discovered,
    /// [`Side::batteries`]
    Batteries,
    /// [`Side::hanging`]
    Hanging,
    /// [`Side::hanging_pins`]
    HangingPins,
    /// [`Side::forks`]
    Forks,
    /// [`Side::fork_moves`]
    ForkMoves,
    /// [`ExtraSide::checks`]
    Checks,
    /// [`ExtraSide::mates`]
    Mates,
    /// [`ExtraSide::xray_defenses`]
    XrayDefenses,
    /// The squares that a side attacks, with the pieces that do: [`Facts::attackers`].
    AttackMap,
}

/// Columns of facts that were asked for, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    columns: Vec<FactColumn>,
    /// Those that were asked for by their own names.
    named: Vec<Fact>,
}

/// A name that is no fact and no group of facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is neither a fact nor one of lines, exchange, forks, everything, masks, lists, moves"
)]
pub struct UnknownFact(String);

impl Selection {
    /// The counts of all facts up to a level.
    pub fn counts(level: Level) -> Selection {
        let mut selection = Selection { columns: Vec::new(), named: Vec::new() };
        selection.add(&counts_of(level), &BOTH);
        selection
    }

    /// Reads names: levels (`lines`, `exchange`, `forks`, `everything`) stand for all their
    /// counts, `masks` and `lists` for those of all levels, and `moves` for the counts and lists of
    /// moves that give check or mate. A fact's own name stands for its count, with `_mask` for its
    /// squares; a list has a name of its own. A name is that of two columns, White's and Black's;
    /// with `white_`, `black_`, `mover_` or `opponent_` before it, of one. `forks` is the level, and
    /// with such a word the fact.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Selection, UnknownFact> {
        let mut selection = Selection { columns: Vec::new(), named: Vec::new() };
        for text in names {
            let unknown = || UnknownFact(text.into());
            let one = Whose::ALL.into_iter().find_map(|whose| {
                Some((whose, text.strip_prefix(whose.name())?.strip_prefix('_')?))
            });
            let (sides, name) = match &one {
                Some((whose, name)) => (std::slice::from_ref(whose), *name),
                None => (&BOTH[..], text),
            };
            let level = Level::ALL.into_iter().find(|level| level.name() == name);
            // Of one side, `forks` is the fact: `white_forks` is a column.
            let level = level.filter(|_| one.is_none() || Fact::named(name).is_none());
            let found: Vec<Fact> = match (level, name) {
                (Some(level), _) => counts_of(level),
                (None, "masks") => (0..MASKS.len()).map(|index| Fact::Mask(Mask(index))).collect(),
                (None, "lists") => List::OF_LEVELS.into_iter().map(Fact::List).collect(),
                (None, "moves") => MOVES.to_vec(),
                (None, name) => {
                    let fact = Fact::named(name).ok_or_else(unknown)?;
                    if one.is_some() && fact == Fact::OpenFiles {
                        return Err(unknown());
                    }
                    selection.named.push(fact);
                    vec![fact]
                }
            };
            selection.add(&found, sides);
        }
        Ok(selection)
    }

    /// Adds columns, each once.
    fn add(&mut self, facts: &[Fact], sides: &[Whose]) {
        for &fact in facts {
            let whose: &[Option<Whose>] = match fact {
                Fact::OpenFiles => &[None],
                _ => &sides.iter().copied().map(Some).collect::<Vec<_>>(),
            };
            for &whose in whose {
                let column = FactColumn { whose, fact };
                if !self.columns.contains(&column) {
                    self.columns.push(column);
                }
            }
        }
    }

    /// The columns in the order in which they were asked for, each once.
    pub fn columns(&self) -> &[FactColumn] {
        &self.columns
    }

    /// Whether a fact was asked for by its own name, not only as one of a group.
    pub fn names(&self, fact: Fact) -> bool {
        self.named.contains(&fact)
    }

    /// The level that must be computed.
    pub fn level(&self) -> Level {
        self.columns.iter().map(|column| column.fact.level()).max().unwrap_or(Level::Lines)
    }

    /// The facts beside those of levels that must be computed where one side is to move.
    pub fn extra_parts(&self, turn: Color) -> ExtraParts {
        let mut parts = ExtraParts::default();
        for FactColumn { whose, fact } in &self.columns {
            match fact {
                Fact::List(List::XrayDefenses) | Fact::Extra(Extra::XrayDefenses) => {
                    parts.xray_defenses = true;
                }
                Fact::List(List::Checks | List::Mates) | Fact::Extra(_) => {
                    match whose.map(|whose| whose.color(turn)) {
                        Some(Color::White) => parts.white_checks = true,
                        _ => parts.black_checks = true,
                    }
                }
                _ => {}
            }
        }
        parts
    }
}

/// The sides of a name without a word for one of them.
const BOTH: [Whose; 2] = [Whose::White, Whose::Black];

const MOVES: [Fact; 4] = [
    Fact::Extra(Extra::CheckingMoves),
    Fact::Extra(Extra::MatingMoves),
    Fact::List(List::Checks),
    Fact::List(List::Mates),
];

fn counts_of(level: Level) -> Vec<Fact> {
    let counts = (0..COUNTS.len()).filter(|&index| COUNTS[index].1 <= level);
    let counts = counts.map(|index| Fact::Count(Count(index)));
    std::iter::once(Fact::OpenFiles).chain(counts).collect()
}

impl Fact {
    /// The fact with this name.
    pub fn named(name: &str) -> Option<Fact> {
        if name == OPEN_FILES {
            return Some(Fact::OpenFiles);
        }
        let mask = name.strip_suffix("_mask");
        let count = COUNTS.iter().position(|fact| fact.0 == name).map(Count).map(Fact::Count);
        let mask = MASKS.iter().position(|fact| Some(fact.0) == mask).map(Mask).map(Fact::Mask);
        let mut lists = List::OF_LEVELS.into_iter().chain(List::EXTRA);
        let list = lists.find(|list| list.name() == name).map(Fact::List);
        let extra = Extra::ALL.into_iter().find(|extra| extra.name() == name).map(Fact::Extra);
        count.or(mask).or(list).or(extra)
    }

    /// Its name, without `_mask` where it is a set of squares.
    pub fn name(self) -> &'static str {
        match self {
            Fact::OpenFiles => OPEN_FILES,
            Fact::Count(Count(index)) => COUNTS[index].0,
            Fact::Mask(Mask(index)) => MASKS[index].0,
            Fact::List(list) => list.name(),
            Fact::Extra(extra) => extra.name(),
        }
    }

    /// The level from which it is known; the first for what belongs to none.
    pub fn level(self) -> Level {
        match self {
            Fact::OpenFiles | Fact::Extra(_) => Level::Lines,
            Fact::Count(Count(index)) => COUNTS[index].1,
            Fact::Mask(Mask(index)) => MASKS[index].1,
            Fact::List(list) => list.level(),
        }
    }
}

impl Mask {
    /// The squares of a side.
    #[inline]
    pub fn of(self, side: &Side) -> Bitboard {
        MASKS[self.0].2(side)
    }
}

impl List {
    /// Every list of a level.
    pub const OF_LEVELS: [List; 10] = [
        List::Pins,
        List::RelativePins,
        List::Skewers,
        List::Xrays,
        List::Discovered,
        List::Batteries,
        List::Hanging,
        List::HangingPins,
        List::Forks,
        List::ForkMoves,
    ];

    /// The lists that are computed only if they are asked for by name or, as some are, by `moves`.
    pub const EXTRA: [List; 4] = [List::Checks, List::Mates, List::XrayDefenses, List::AttackMap];

    /// The name used on command lines and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            List::Pins => "pins",
            List::RelativePins => "relative_pins",
            List::Skewers => "skewers",
            List::Xrays => "xray_lines",
            List::Discovered => "discovered_lines",
            List::Batteries => "battery_pairs",
            List::Hanging => "hanging_men",
            List::HangingPins => "hanging_men_pins",
            List::Forks => "fork_targets",
            List::ForkMoves => "fork_move_targets",
            List::Checks => "checks",
            List::Mates => "mates",
            List::XrayDefenses => "xray_defense_lines",
            List::AttackMap => "attack_map",
        }
    }

    /// The level from which it is known.
    pub const fn level(self) -> Level {
        match self {
            List::Hanging | List::HangingPins => Level::Exchange,
            List::Forks | List::ForkMoves => Level::Forks,
            _ => Level::Lines,
        }
    }
}

/// Every number of a position: both sides', and the open files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    sides: [[u8; COUNTS.len()]; 2],
    /// How many files are without pawns.
    pub open_files: u8,
}

impl Counts {
    /// The numbers of facts, counted with the processor's own instruction.
    pub fn of(facts: &Facts) -> Counts {
        attacks::quickest(CountAll(facts))
    }

    /// One number of a side.
    #[inline]
    pub fn get(&self, color: Color, count: Count) -> u8 {
        self.sides[color as usize][count.0]
    }
}

struct CountAll<'a>(&'a Facts);

impl attacks::SliderWork for CountAll<'_> {
    type Output = Counts;

    #[inline(always)]
    fn run<S: attacks::Sliders>(self) -> Counts {
        let sides = Color::ALL.map(|color| side_counts(&self.0[color]));
        Counts { sides, open_files: self.0.open_file_count() as u8 }
    }
}

const OPEN_FILES: &str = "open_files";

/// Facts that are numbers, with the level they need; in the order of [`side_counts`].
const COUNTS: [(&str, Level); 37] = [
    ("pawns", Level::Lines),
    ("knights", Level::Lines),
    ("bishops", Level::Lines),
    ("rooks", Level::Lines),
    ("queens", Level::Lines),
    ("material", Level::Lines),
    ("attacked", Level::Lines),
    ("loose", Level::Lines),
    ("undefended", Level::Lines),
    ("hanging_count", Level::Lines),
    ("checkers", Level::Lines),
    ("pinned", Level::Lines),
    ("relatively_pinned", Level::Lines),
    ("skewered", Level::Lines),
    ("xrays", Level::Lines),
    ("discovered", Level::Lines),
    ("batteries", Level::Lines),
    ("doubled", Level::Lines),
    ("doubled_extra", Level::Lines),
    ("isolated", Level::Lines),
    ("backward", Level::Lines),
    ("behind_all", Level::Lines),
    ("passed", Level::Lines),
    ("passed_front", Level::Lines),
    ("candidates", Level::Lines),
    ("connected", Level::Lines),
    ("pawn_islands", Level::Lines),
    ("half_open_files", Level::Lines),
    ("minors", Level::Lines),
    ("developed", Level::Lines),
    ("home_minors", Level::Lines),
    ("hanging_see", Level::Exchange),
    ("hanging_gain", Level::Exchange),
    ("hanging_pins", Level::Exchange),
    ("forks", Level::Forks),
    ("fork_moves", Level::Forks),
    ("mobility", Level::Everything),
];

/// The numbers of a side, in the order of [`COUNTS`].
#[inline(always)]
fn side_counts(side: &Side) -> [u8; COUNTS.len()] {
    let pawns = &side.pawns;
    let of = |set: Bitboard| set.len() as u8;
    [
        side.pieces[0],
        side.pieces[1],
        side.pieces[2],
        side.pieces[3],
        side.pieces[4],
        side.material,
        of(side.attacked),
        of(side.loose),
        of(side.undefended),
        of(side.hanging_count),
        of(side.checkers),
        of(side.pinned),
        of(side.relatively_pinned),
        of(side.skewered),
        side.xrays.len() as u8,
        side.discovered.len() as u8,
        side.batteries.len() as u8,
        of(pawns.doubled),
        of(pawns.doubled_extra),
        of(pawns.isolated),
        of(pawns.backward),
        of(pawns.behind_all),
        of(pawns.passed),
        of(pawns.passed_front),
        of(pawns.candidates),
        of(pawns.connected),
        pawns.islands,
        (pawns.half_open_files.len() / 8) as u8,
        of(side.minors),
        of(side.developed),
        of(side.home_minors),
        side.hanging.len() as u8,
        side.hanging_gain(),
        side.hanging_pins.len() as u8,
        side.forks.len() as u8,
        // There may be more of these than a byte can hold; nobody has seen that in a game.
        side.fork_moves.len().min(255) as u8,
        of(side.mobility),
    ]
}

type Squares = fn(&Side) -> Bitboard;

/// Facts that are sets of squares.
const MASKS: [(&str, Level, Squares); 26] = [
    ("attacks", Level::Lines, |side| side.attacks),
    ("attacked", Level::Lines, |side| side.attacked),
    ("loose", Level::Lines, |side| side.loose),
    ("undefended", Level::Lines, |side| side.undefended),
    ("hanging_count", Level::Lines, |side| side.hanging_count),
    ("checkers", Level::Lines, |side| side.checkers),
    ("check_squares_pawn", Level::Lines, |side| side.check_squares[0]),
    ("check_squares_knight", Level::Lines, |side| side.check_squares[1]),
    ("check_squares_bishop", Level::Lines, |side| side.check_squares[2]),
    ("check_squares_rook", Level::Lines, |side| side.check_squares[3]),
    ("pinned", Level::Lines, |side| side.pinned),
    ("relatively_pinned", Level::Lines, |side| side.relatively_pinned),
    ("skewered", Level::Lines, |side| side.skewered),
    ("doubled", Level::Lines, |side| side.pawns.doubled),
    ("isolated", Level::Lines, |side| side.pawns.isolated),
    ("backward", Level::Lines, |side| side.pawns.backward),
    ("behind_all", Level::Lines, |side| side.pawns.behind_all),
    ("passed", Level::Lines, |side| side.pawns.passed),
    ("passed_front", Level::Lines, |side| side.pawns.passed_front),
    ("candidates", Level::Lines, |side| side.pawns.candidates),
    ("connected", Level::Lines, |side| side.pawns.connected),
    ("developed", Level::Lines, |side| side.developed),
    ("home_minors", Level::Lines, |side| side.home_minors),
    ("hanging_see", Level::Exchange, Side::hanging_see),
    ("forkers", Level::Forks, Side::forkers),
    ("mobility", Level::Everything, |side| side.mobility),
];
