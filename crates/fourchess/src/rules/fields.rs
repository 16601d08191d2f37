//! The fields of the rules by name: to read them from a command or another language, and to write
//! them down.

use thiserror::Error;

use super::{Departure, EnPassant, KingCapture, Promotion, Rules, Setup, Sides};
use crate::seat::Seating;

/// Why a rule was not changed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RuleError {
    /// There is no such rule.
    #[error("{name:?} is not a rule; the rules are {}", Rules::NAMES.join(", "))]
    Name {
        /// What was asked for.
        name: String,
    },
    /// The rule cannot have this value.
    #[error("{name} cannot be {value:?}: expected {expected}")]
    Value {
        /// The rule.
        name: &'static str,
        /// What it was to be.
        value: String,
        /// What it can be.
        expected: String,
    },
}

/// The most points that anything is worth, so that no sum can overflow.
const MOST_POINTS: i16 = 1_000;

macro_rules! fields {
    ($($field:ident),* $(,)?) => {
        impl Rules {
            /// The names of all rules that [`set`](Rules::set) can change.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Every rule with its value, in the order of [`NAMES`](Rules::NAMES).
            pub fn fields(&self) -> impl Iterator<Item = (&'static str, String)> {
                [$((stringify!($field), self.$field.write())),*].into_iter()
            }

            /// Changes the rule with this name.
            ///
            /// ```
            /// use fourchess::Rules;
            ///
            /// let mut rules = Rules::FFA;
            /// rules.set("max_plies", "400")?;
            /// rules.set("values", "1,3,3,5,9,20")?;
            /// assert_eq!((rules.max_plies, rules.values[2]), (400, 3));
            /// # Ok::<(), fourchess::RuleError>(())
            /// ```
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), RuleError> {
                match name {
                    $(stringify!($field) => {
                        let read = Field::read(stringify!($field), value);
                        self.$field = read.map_err(|expected| RuleError::Value {
                            name: stringify!($field),
                            value: value.chars().take(40).collect(),
                            expected,
                        })?;
                    })*
                    _ => return Err(RuleError::Name { name: name.chars().take(40).collect() }),
                }
                Ok(())
            }
        }
    };
}

fields!(
    setup,
    seating,
    sides,
    promotion_rank,
    promotion,
    castling,
    en_passant,
    king_capture,
    departure,
    values,
    promoted_value,
    mate,
    stalemate_victim,
    stalemate_others,
    walking_stalemate,
    walking_left,
    two_kings,
    two_kings_queen,
    three_kings,
    three_kings_queen,
    draw,
    repetitions,
    quiet_limit,
    insufficient_material,
    max_plies,
);

impl Rules {
    /// A number that equal rules share and others hardly ever do, whatever the preset is called:
    /// FNV-1a over `name=value` of every field, a line each. It stands in saved games.
    #[must_use = "the number is the result"]
    pub fn fingerprint(&self) -> u32 {
        let text: String = self.fields().map(|(name, value)| format!("{name}={value}\n")).collect();
        let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        text.bytes().fold(0x811c_9dc5, step)
    }
}

/// A value of a rule as text; the error says what is expected.
trait Field: Sized {
    fn read(name: &str, text: &str) -> Result<Self, String>;
    fn write(&self) -> String;
}

impl Field for bool {
    fn read(_: &str, text: &str) -> Result<bool, String> {
        text.parse().map_err(|_| "true or false".to_owned())
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Field for u8 {
    fn read(name: &str, text: &str) -> Result<u8, String> {
        let (least, most) = if name == "promotion_rank" { (4, 14) } else { (0, u8::MAX) };
        let read = text.parse().ok().filter(|number| (least..=most).contains(number));
        read.ok_or_else(|| format!("a whole number from {least} to {most}"))
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Field for u16 {
    fn read(_: &str, text: &str) -> Result<u16, String> {
        text.parse().map_err(|_| format!("a whole number from 0 to {}", u16::MAX))
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Field for i16 {
    fn read(_: &str, text: &str) -> Result<i16, String> {
        let read = text.parse().ok().filter(|points| (-MOST_POINTS..=MOST_POINTS).contains(points));
        read.ok_or_else(|| format!("points from -{MOST_POINTS} to {MOST_POINTS}"))
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Field for [i16; 6] {
    fn read(name: &str, text: &str) -> Result<[i16; 6], String> {
        let read = |part: &str| i16::read(name, part.trim()).ok();
        let values: Option<Vec<i16>> = text.split(',').map(read).collect();
        values.and_then(|values| values.try_into().ok()).ok_or_else(|| {
            "six values separated by commas: pawn, knight, bishop, rook, queen, king".to_owned()
        })
    }

    fn write(&self) -> String {
        self.map(|value| value.to_string()).join(",")
    }
}

macro_rules! named {
    ($($type:ident: $($variant:ident $name:literal),*;)*) => {$(
        impl Field for $type {
            fn read(_: &str, text: &str) -> Result<$type, String> {
                match text {
                    $($name => Ok($type::$variant),)*
                    _ => Err(format!("one of {}", [$($name),*].join(", "))),
                }
            }

            fn write(&self) -> String {
                match self { $($type::$variant => $name),* }.to_owned()
            }
        }
    )*};
}

named! {
    Setup: Modern "modern", Classic "classic", By "by", Byg "byg", Rg "rg";
    Seating: Clockwise "clockwise", Counterclockwise "counterclockwise";
    Sides: Free "free", Pairs "pairs";
    Promotion: Queen "queen", Any "any";
    EnPassant: Off "off", TakesBoth "takes_both", TwoMoves "two_moves";
    KingCapture: Eliminates "eliminates", EndsGame "ends_game", Continues "continues";
    Departure: KingWalks "king_walks", AllDie "all_die", EndsGame "ends_game";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_written_and_read_back() {
        for (preset, other) in [(Rules::FFA, Rules::JAX), (Rules::JAX, Rules::TEAMS)] {
            let mut changed = Rules { name: preset.name, ..other };
            for (name, value) in preset.fields() {
                changed.set(name, &value).unwrap();
            }
            // Every field differs or is set: one that is missing from the list would show.
            assert_eq!(changed, preset);
            assert_eq!(changed.fingerprint(), preset.fingerprint());
            assert_ne!(changed.fingerprint(), other.fingerprint());
        }
    }

    #[test]
    fn a_wrong_value_names_what_is_expected_and_changes_nothing() {
        for (name, value, words) in [
            ("setup", "ancient", "modern, classic"),
            ("max_plies", "-1", "from 0 to 65535"),
            ("mate", "32767", "from -1000 to 1000"),
            ("values", "1,2", "six values"),
            ("promotion_rank", "15", "from 4 to 14"),
            ("castling", "yes", "true or false"),
        ] {
            let mut rules = Rules::FFA;
            let error = rules.set(name, value).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains(name), "{error}");
            assert_eq!(rules, Rules::FFA);
        }
        let error = { Rules::FFA }.set("colour", "red").unwrap_err().to_string();
        assert!(error.contains("\"colour\" is not a rule") && error.contains("max_plies"));
    }
}
