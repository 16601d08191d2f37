//! Positions as text: `a1,..,am/b1,..,bm`. The pits of the side to move come first, and both sides
//! are in sowing order. The contents of the two stores may follow after another `/`, as
//! `own-other`.

use std::{fmt, str::FromStr};

use crate::position::{MAX_PITS, MAX_SEEDS, Position, Side};

/// Why a text is not a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParsePositionError {
    /// There are not two sides.
    #[error(
        "'{}' does not have two sides, expected a1,..,am/b1,..,bm with optional stores /own-other",
        .0.escape_debug()
    )]
    Sides(String),
    /// A pit is not a number of seeds.
    #[error("pit {pit} of the {side} side is '{}', expected a number from 0 to {MAX_SEEDS}", text.escape_debug())]
    Pit {
        /// `first` or `second`.
        side: &'static str,
        /// The pit, counted from 1.
        pit: usize,
        /// The text of the pit.
        text: String,
    },
    /// A side has too many pits.
    #[error("the {side} side has {pits} pits, expected at most {MAX_PITS}")]
    Pits {
        /// `first` or `second`.
        side: &'static str,
        /// The number of its pits.
        pits: usize,
    },
    /// The sides have different numbers of pits.
    #[error("the first side has {0} pits, the second {1}")]
    Unequal(usize, usize),
    /// Too many seeds.
    #[error("{0} seeds in all, expected at most {MAX_SEEDS}")]
    Seeds(u32),
    /// The stores are not two numbers.
    #[error("the stores '{}' are not two numbers such as 7-5", .0.escape_debug())]
    Stores(String),
}

/// A position with the contents of the stores, if they are given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Standing {
    /// The pits.
    pub position: Position,
    /// The seeds in the store of the side to move and in the other store.
    pub stores: Option<(u32, u32)>,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, seeds) in self.pits().iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{seeds}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.own, self.other)
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.position.fmt(f)?;
        match self.stores {
            Some((own, other)) => write!(f, "/{own}-{other}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        let (own, other) =
            text.split_once('/').ok_or_else(|| ParsePositionError::Sides(text.to_owned()))?;
        let (own, other) = (side("first", own)?, side("second", other)?);
        if own.pits != other.pits {
            return Err(ParsePositionError::Unequal(own.pits().len(), other.pits().len()));
        }
        let seeds = own.total() + other.total();
        Position::new(own, other).ok_or(ParsePositionError::Seeds(seeds))
    }
}

impl FromStr for Standing {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Standing, ParsePositionError> {
        let Some(at) = text.match_indices('/').nth(1).map(|(at, _)| at) else {
            return Ok(Standing { position: text.parse()?, stores: None });
        };
        let position: Position = text[..at].parse()?;
        let stores = &text[at + 1..];
        let numbers = stores.split_once('-').and_then(|(own, other)| {
            Some((own.trim().parse::<u8>().ok()?, other.trim().parse::<u8>().ok()?))
        });
        let (own, other) = numbers.ok_or_else(|| ParsePositionError::Stores(stores.to_owned()))?;
        let (own, other) = (u32::from(own), u32::from(other));
        let seeds = position.seeds_in_play() + own + other;
        if seeds > MAX_SEEDS {
            return Err(ParsePositionError::Seeds(seeds));
        }
        Ok(Standing { position, stores: Some((own, other)) })
    }
}

fn side(name: &'static str, text: &str) -> Result<Side, ParsePositionError> {
    let pit = |(at, pit): (usize, &str)| {
        pit.trim().parse::<u8>().map_err(|_| ParsePositionError::Pit {
            side: name,
            pit: at + 1,
            text: pit.to_owned(),
        })
    };
    let pits = text.split(',').enumerate().map(pit).collect::<Result<Vec<_>, _>>()?;
    Side::new(&pits).ok_or(ParsePositionError::Pits { side: name, pits: pits.len() })
}
