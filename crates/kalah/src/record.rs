//! Records of games: the rules, the start, and the pits that were sown.
//!
//! ```text
//! # everything after this mark is a remark
//! rules std_either
//! start 4,4,4,4,4,4/4,4,4,4,4,4
//! moves 3+6 2 5
//! ```
//!
//! The start is a position, or a size such as `6x4`. The pits of one turn are joined by `+`.

use std::{fmt, str::FromStr};

use game::{Game, Score, Turn};

use crate::{
    Kalah, ParsePositionError, ParseRulesError, Pit, Position, Rules, SizeError, Sown, Standing,
};

/// A game: its rules, its start, and what was played.
///
/// ```
/// use kalah::Record;
///
/// let mut record: Record = "start 6x4\nmoves 3+6 1".parse()?;
/// assert_eq!(record.last().to_string(), "4,4,0,5,5,0/0,6,6,6,5,5/2-0");
/// assert!(record.undo());
/// assert_eq!(record.pits().len(), 2);
/// # Ok::<(), kalah::RecordError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    kalah: Kalah,
    plies: Vec<Ply>,
    pits: Vec<Pit>,
}

/// A state of a game. Player 0 moved first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ply {
    /// The pits, seen from the side to move.
    pub position: Position,
    /// The player to move, 0 or 1.
    pub mover: usize,
    /// The seeds in the stores of both players.
    pub stores: [u32; 2],
}

/// Why a text is not the record of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// A line begins with another word.
    #[error("line {line}: expected rules, start or moves, found '{}'", word.escape_debug())]
    Word {
        /// The line, from 1.
        line: usize,
        /// Its first word.
        word: String,
    },
    /// Something is said twice.
    #[error("line {line}: {name} is given twice")]
    Twice {
        /// The line, from 1.
        line: usize,
        /// `rules`, `start` or `moves`.
        name: &'static str,
    },
    /// There is no start.
    #[error("the record has no line 'start'")]
    NoStart,
    /// The rules are unknown.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// The start is not a position.
    #[error("start: {0}")]
    Start(#[from] ParsePositionError),
    /// The start is not a size.
    #[error("start: {0}")]
    Size(#[from] SizeError),
    /// A move is not a number.
    #[error("moves: '{}' is not the number of a pit", .0.escape_debug())]
    Number(String),
    /// A move is not legal.
    #[error("move {number}: pit {pit} cannot be sown")]
    Illegal {
        /// The move, from 1.
        number: usize,
        /// The number of the pit.
        pit: u16,
    },
}

impl Record {
    /// A game before its first move. Stores count as empty unless they are given.
    pub fn new(start: &Standing, rules: Rules) -> Record {
        let (own, other) = start.stores.unwrap_or_default();
        let first = Ply { position: start.position, mover: 0, stores: [own, other] };
        let kalah = Kalah::from_start(start.position, rules);
        Record { kalah, plies: vec![first], pits: Vec::new() }
    }

    /// The game.
    pub fn kalah(&self) -> &Kalah {
        &self.kalah
    }

    /// Every state, from the start to now.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The pits that were sown, one for every state but the last.
    pub fn pits(&self) -> &[Pit] {
        &self.pits
    }

    /// The state now.
    pub fn last(&self) -> Ply {
        *self.plies.last().expect("a game has a start")
    }

    /// Sows a pit, if that is legal, and returns the effect.
    pub fn play(&mut self, number: u16) -> Result<Sown, RecordError> {
        let ply = self.last();
        let pit = self.kalah.moves(&ply.position).find(|pit| pit.number() == number);
        let illegal = RecordError::Illegal { number: self.pits.len() + 1, pit: number };
        let pit = pit.ok_or(illegal)?;
        let sown = self.kalah.sow(&ply.position, pit);
        let mut stores = ply.stores;
        stores[ply.mover] += sown.gain;
        let mover = match sown.turn {
            Turn::Keeps => ply.mover,
            Turn::Passes => 1 - ply.mover,
        };
        self.plies.push(Ply { position: sown.to, mover, stores });
        self.pits.push(pit);
        Ok(sown)
    }

    /// Takes the last move back, if there is one.
    pub fn undo(&mut self) -> bool {
        let played = self.pits.pop().is_some();
        if played {
            self.plies.pop();
        }
        played
    }

    /// If the game is over, the seeds of both players, those left in the pits included.
    pub fn totals(&self) -> Option<[u32; 2]> {
        let ply = self.last();
        self.kalah.outcome(&ply.position)?;
        let mut totals = ply.stores;
        totals[ply.mover] += ply.position.own().total();
        totals[1 - ply.mover] += ply.position.other().total();
        Some(totals)
    }

    /// If the game is over, its result in words.
    pub fn result(&self) -> Option<String> {
        let [first, second] = self.totals()?;
        Some(match first.cmp(&second) {
            std::cmp::Ordering::Equal => "a draw".to_owned(),
            std::cmp::Ordering::Greater => format!("player 1 wins by {}", first - second),
            std::cmp::Ordering::Less => format!("player 2 wins by {}", second - first),
        })
    }

    /// The pits that were sown, those of one turn joined: `3+6 2 5`.
    pub fn turns(&self) -> String {
        let mut text = String::new();
        for (pit, pair) in self.pits.iter().zip(self.plies.windows(2)) {
            text += &pit.to_string();
            text += if pair[0].mover == pair[1].mover { "+" } else { " " };
        }
        text.trim_end_matches(['+', ' ']).to_owned()
    }
}

impl Ply {
    /// The position with both stores, that of the mover first.
    pub fn standing(&self) -> Standing {
        let stores = (self.stores[self.mover], self.stores[1 - self.mover]);
        Standing { position: self.position, stores: Some(stores) }
    }

    /// The final lead of player 0, if the position has this value for the mover.
    pub fn lead(&self, score: Score) -> i32 {
        let sign = if self.mover == 0 { 1 } else { -1 };
        self.stores[0] as i32 - self.stores[1] as i32 + sign * i32::from(score.0)
    }
}

impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.standing().fmt(f)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.plies[0].standing();
        let is_fresh = self.plies[0].stores == [0, 0];
        let stores = first.stores.filter(|_| !is_fresh);
        writeln!(f, "# Kalah, {}", self.kalah.name())?;
        writeln!(f, "rules {}", self.kalah.rules())?;
        writeln!(f, "start {}", Standing { stores, ..first })?;
        writeln!(f, "{}", format!("moves {}", self.turns()).trim_end())?;
        match self.result() {
            Some(result) => writeln!(f, "# {result}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Record, RecordError> {
        let mut named = [("rules", None), ("start", None), ("moves", None)];
        for (line, words) in (1..).zip(text.lines()) {
            let words = words.split('#').next().unwrap_or("").trim();
            if words.is_empty() {
                continue;
            }
            let (word, value) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
            let slot = named.iter_mut().find(|(name, _)| *name == word);
            let Some((name, slot)) = slot else {
                return Err(RecordError::Word { line, word: word.to_owned() });
            };
            if slot.replace(value.trim()).is_some() {
                return Err(RecordError::Twice { line, name });
            }
        }
        let [rules, start, moves] = named.map(|(_, value)| value);
        let rules = rules.map(str::parse).transpose()?.unwrap_or_default();
        let start = read_start(start.ok_or(RecordError::NoStart)?, rules)?;
        let mut record = Record::new(&start, rules);
        let words = moves.unwrap_or("").split([' ', '\t', '+', ',']);
        for word in words.filter(|word| !word.is_empty()) {
            record.play(word.parse().map_err(|_| RecordError::Number(word.to_owned()))?)?;
        }
        Ok(record)
    }
}

/// A position, or the start of a game of a size such as `6x4`.
fn read_start(text: &str, rules: Rules) -> Result<Standing, RecordError> {
    let size = text.split_once('x').and_then(|(pits, seeds)| {
        Some((pits.trim().parse::<usize>().ok()?, seeds.trim().parse::<u32>().ok()?))
    });
    match size {
        Some((pits, seeds)) => {
            Ok(Standing { position: Kalah::new(pits, seeds, rules)?.start(), stores: None })
        }
        None => Ok(text.parse()?),
    }
}
