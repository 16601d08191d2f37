//! The rule variants, by name.

use std::{fmt, str::FromStr};

/// What happens when the last seed falls into an empty pit of its own side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Capture {
    /// It is captured together with the seeds in the opposite pit. If the opposite pit is empty, it
    /// stays.
    Std,
    /// It is always captured, even if the opposite pit is empty.
    Empty,
}

/// When the game is over. Each side then stores the seeds left in its pits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// As soon as either side has no seeds.
    Either,
    /// When the side to move has no seeds.
    Mover,
}

/// A rule variant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// What happens to a last seed in an empty pit.
    pub capture: Capture,
    /// When the game is over.
    pub end: End,
}

impl Rules {
    /// The usual rules, those of OpenSpiel.
    pub const STD_EITHER: Rules = Rules { capture: Capture::Std, end: End::Either };
    /// The rules of the published solutions (Irving, Donkers, Uiterwijk 2000).
    pub const EMPTY_EITHER: Rules = Rules { capture: Capture::Empty, end: End::Either };
    /// The usual capture. The game continues while the side to move has seeds, even if the other
    /// has none.
    pub const STD_MOVER: Rules = Rules { capture: Capture::Std, end: End::Mover };
    /// The capture of `EMPTY_EITHER`. The game continues while the side to move has seeds.
    pub const EMPTY_MOVER: Rules = Rules { capture: Capture::Empty, end: End::Mover };

    /// All variants.
    pub const ALL: [Rules; 4] =
        [Rules::STD_EITHER, Rules::EMPTY_EITHER, Rules::STD_MOVER, Rules::EMPTY_MOVER];

    /// The name in files and tables.
    pub const fn name(self) -> &'static str {
        match (self.capture, self.end) {
            (Capture::Std, End::Either) => "std_either",
            (Capture::Empty, End::Either) => "empty_either",
            (Capture::Std, End::Mover) => "std_mover",
            (Capture::Empty, End::Mover) => "empty_mover",
        }
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::STD_EITHER
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There are no rules with this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown rules '{}', expected std_either, empty_either, std_mover or empty_mover", .0.escape_debug())]
pub struct ParseRulesError(String);

impl FromStr for Rules {
    type Err = ParseRulesError;

    fn from_str(text: &str) -> Result<Rules, ParseRulesError> {
        let named = Rules::ALL.into_iter().find(|rules| rules.name() == text);
        named.ok_or_else(|| ParseRulesError(text.to_owned()))
    }
}
