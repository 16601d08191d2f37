//! Facts by name, and the numbers and sets that they are.

use chess::{Bitboard, Color, attacks};

use crate::{Facts, Level, Side};

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
}

/// Facts that were asked for, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    facts: Vec<Fact>,
    /// Those that were asked for by their own names.
    named: Vec<Fact>,
}

/// A name that is no fact and no group of facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither a fact nor one of lines, exchange, forks, everything, masks, lists")]
pub struct UnknownFact(String);

impl Selection {
    /// The counts of all facts up to a level.
    pub fn counts(level: Level) -> Selection {
        let counts = (0..COUNTS.len()).filter(|&index| COUNTS[index].1 <= level);
        let counts = counts.map(|index| Fact::Count(Count(index)));
        let facts = std::iter::once(Fact::OpenFiles).chain(counts);
        Selection { facts: facts.collect(), named: Vec::new() }
    }

    /// Reads names: levels (`lines`, `exchange`, `forks`, `everything`) stand for all their
    /// counts, `masks` and `lists` for all of those; a fact's own name stands for its count, with
    /// `_mask` for its squares; a list has a name of its own.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Selection, UnknownFact> {
        let mut selection = Selection { facts: Vec::new(), named: Vec::new() };
        for name in names {
            let level = Level::ALL.into_iter().find(|level| level.name() == name);
            let found: Vec<Fact> = match (level, name) {
                (Some(level), _) => Selection::counts(level).facts,
                (None, "masks") => (0..MASKS.len()).map(|index| Fact::Mask(Mask(index))).collect(),
                (None, "lists") => List::ALL.into_iter().map(Fact::List).collect(),
                (None, name) => {
                    let fact = Fact::named(name).ok_or_else(|| UnknownFact(name.into()))?;
                    selection.named.push(fact);
                    vec![fact]
                }
            };
            for fact in found {
                if !selection.facts.contains(&fact) {
                    selection.facts.push(fact);
                }
            }
        }
        Ok(selection)
    }

    /// The facts in the order in which they were asked for, each once.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// Whether a fact was asked for by its own name, not only as one of a group.
    pub fn names(&self, fact: Fact) -> bool {
        self.named.contains(&fact)
    }

    /// The level that must be computed.
    pub fn level(&self) -> Level {
        self.facts.iter().map(|fact| fact.level()).max().unwrap_or(Level::Lines)
    }
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
        let list = List::ALL.into_iter().find(|list| list.name() == name).map(Fact::List);
        count.or(mask).or(list)
    }

    /// Its name, without `_mask` where it is a set of squares.
    pub fn name(self) -> &'static str {
        match self {
            Fact::OpenFiles => OPEN_FILES,
            Fact::Count(Count(index)) => COUNTS[index].0,
            Fact::Mask(Mask(index)) => MASKS[index].0,
            Fact::List(list) => list.name(),
        }
    }

    /// The level from which it is known.
    pub fn level(self) -> Level {
        match self {
            Fact::OpenFiles => Level::Lines,
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
    /// Every list.
    pub const ALL: [List; 10] = [
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
