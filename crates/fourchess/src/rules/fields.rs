//! The fields of the rules by name: to read them from a command or another language, and to write
//! them down.

use thiserror::Error;

use super::{Departure, EnPassant, KingCapture, Promotion, Rules, Setup, Sides};
use crate::seat::Seating;

/// Why a rule was not changed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RuleError {
    /// There is no such preset.
    #[error("{name:?} is not a preset; the presets are {}", Rules::PRESETS.map(|it| it.name).join(", "))]
    Preset {
        /// What was asked for.
        name: String,
    },
    /// A change without an equals sign.
    #[error("{text:?} changes no rule: expected name=value, such as max_plies=400")]
    Change {
        /// What was asked for.
        text: String,
    },
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
    claim_lead,
);

impl Rules {
    /// Changes a rule as `name=value` says.
    ///
    /// # Errors
    ///
    /// What is wrong with the text; nothing is changed then.
    pub fn change(&mut self, text: &str) -> Result<(), RuleError> {
        let words = || text.chars().take(40).collect();
        let (name, value) =
            text.split_once('=').ok_or_else(|| RuleError::Change { text: words() })?;
        self.set(name.trim(), value.trim())
    }

    /// Rules in words: the name of a preset, and `name=value` for every rule that differs from it.
    ///
    /// ```
    /// use fourchess::Rules;
    ///
    /// let rules = Rules { max_plies: 400, claim_lead: 21, ..Rules::FFA };
    /// assert_eq!(rules.words(), "ffa max_plies=400 claim_lead=21");
    /// assert_eq!(Rules::from_words("ffa max_plies=400 claim_lead=21"), Ok(rules));
    /// ```
    pub fn words(&self) -> String {
        let base = match (Rules::named(self.name), self.sides) {
            (Some(preset), _) => preset,
            (None, Sides::Free) => &Rules::FFA,
            (None, Sides::Pairs) => &Rules::TEAMS,
        };
        let pairs = base.fields().zip(self.fields()).filter(|(old, new)| old != new);
        let changes = pairs.map(|(_, (name, value))| format!(" {name}={value}"));
        format!("{}{}", base.name, changes.collect::<String>())
    }

    /// Reads [`words`](Rules::words), which blanks separate.
    ///
    /// # Errors
    ///
    /// The first word that is wrong.
    pub fn from_words(text: &str) -> Result<Rules, RuleError> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or("");
        let unknown = || RuleError::Preset { name: name.chars().take(40).collect() };
        let mut rules = *Rules::named(name).ok_or_else(unknown)?;
        for word in words {
            rules.change(word)?;
        }
        Ok(rules)
    }

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
        let (least, most) = if name == "promotion_rank" { (5, 14) } else { (0, u8::MAX) };
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
    fn read(name: &str, text: &str) -> Result<i16, String> {
        let least = if name == "claim_lead" { 0 } else { -MOST_POINTS };
        let read = text.parse().ok().filter(|points| (least..=MOST_POINTS).contains(points));
        read.ok_or_else(|| format!("points from {least} to {MOST_POINTS}"))
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
            let renamed = Rules { name: "house rules", ..preset };
            let read = Rules::from_words(&renamed.words()).unwrap();
            assert_eq!(Rules { name: preset.name, ..read }, preset, "{}", renamed.words());
            let other_name = Rules { name: other.name, ..preset };
            assert_eq!(Rules::from_words(&other_name.words()), Ok(other_name));
        }
    }

    #[test]
    fn a_wrong_value_names_what_is_expected_and_changes_nothing() {
        for (name, value, words) in [
            ("setup", "ancient", "modern, classic"),
            ("max_plies", "-1", "from 0 to 65535"),
            ("mate", "32767", "from -1000 to 1000"),
            ("claim_lead", "-1", "from 0 to 1000"),
            ("values", "1,2", "six values"),
            ("promotion_rank", "15", "from 5 to 14"),
            ("castling", "yes", "true or false"),
        ] {
            let mut rules = Rules::FFA;
            let error = rules.set(name, value).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains(name), "{error}");
            assert_eq!(rules, Rules::FFA);
        }
        let said = |words: &str| Rules::from_words(words).unwrap_err().to_string();
        assert_eq!(said("chess"), "\"chess\" is not a preset; the presets are ffa, teams, jax");
        assert!(said("").starts_with("\"\" is not a preset"));
        assert!(said("ffa castling").starts_with("\"castling\" changes no rule: expected name="));
        assert!(said("ffa castling=maybe").starts_with("castling cannot be \"maybe\""));
        let error = { Rules::FFA }.set("colour", "red").unwrap_err().to_string();
        assert!(error.contains("\"colour\" is not a rule") && error.contains("max_plies"));
    }
}
