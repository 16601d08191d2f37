//! The words of a pattern file, both ways.

use std::fmt;

use chess::Role;

use crate::pattern::{
    Along, Condition, Effects, Flag, Mark, Numbered, Pair, Sequence, Set, Turn, Who,
};

/// A word that means nothing where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unknown {
    #[error("unknown word '{}', expected one of: {expected}", word.escape_debug())]
    Word { word: String, expected: String },
    #[error("'{}' joins kinds of pieces and other words with |", .0.escape_debug())]
    Mixed(String),
    #[error("'{}' is not a whole number from -7 to 7", .0.escape_debug())]
    Number(String),
    #[error("'{}' is neither a whole number from -7 to 7 nor a file from a to h", .0.escape_debug())]
    Along(String),
}

const WHO: [(&str, Who); 5] = [
    ("self", Who::Own),
    ("ally", Who::Ally),
    ("empty", Who::Empty),
    ("foe", Who::Foe),
    ("out_of_bounds", Who::OutOfBounds),
];
const ROLES: [(&str, Role); 6] = [
    ("pawn", Role::Pawn),
    ("knight", Role::Knight),
    ("bishop", Role::Bishop),
    ("rook", Role::Rook),
    ("queen", Role::Queen),
    ("king", Role::King),
];
const MARKS: [(&str, Mark); 5] = [
    ("mint", Mark::Mint),
    ("passing", Mark::Passing),
    ("!threatened", Mark::NotThreatened),
    ("east", Mark::East),
    ("west", Mark::West),
];
const FLAGS: [(&str, Flag); 5] = [
    ("public", Flag::Public),
    ("instant", Flag::Instant),
    ("recursive", Flag::Recursive),
    ("mandatory", Flag::Mandatory),
    ("parallel", Flag::Parallel),
];

/// Words apart from each other must all hold; of words joined by `|` one must.
pub(crate) fn condition(text: &str) -> Result<Condition, Unknown> {
    let mut condition = Condition::default();
    for word in text.split_whitespace() {
        let parts: Vec<&str> = word.split('|').collect();
        if let Some(mark) = find(&MARKS, word) {
            condition.marks = condition.marks.with(mark);
        } else if let Some(who) = all(&WHO, &parts) {
            condition.who = who;
        } else if let Some(roles) = all(&ROLES, &parts) {
            condition.roles = roles;
        } else {
            let is_known = |part: &&str| find(&WHO, part).is_some() || find(&ROLES, part).is_some();
            return match parts.iter().find(|part| !is_known(part)) {
                Some(part) => Err(unknown(part, &[&names(&WHO), &names(&ROLES), &names(&MARKS)])),
                None => Err(Unknown::Mixed(word.to_owned())),
            };
        }
    }
    Ok(condition)
}

pub(crate) fn sequence(text: &str) -> Result<Sequence, Unknown> {
    let mut sequence = Sequence::default();
    for word in text.split_whitespace() {
        let numbered = |prefix: &str| word.strip_prefix(prefix);
        if let Some(flag) = find(&FLAGS, word) {
            sequence.flags = sequence.flags.with(flag);
        } else if let Some(pair) = numbered("in_").and_then(letter) {
            sequence.input = sequence.input.with(pair);
        } else if let Some(pair) = numbered("out_").and_then(letter) {
            sequence.output = sequence.output.with(pair);
        } else if let Some(turn) = numbered("variant").and_then(turn) {
            sequence.variants = sequence.variants.with(turn);
        } else {
            let more = "in_a to in_i, out_a to out_i, variant1 to variant4".to_owned();
            return Err(unknown(word, &[&names(&FLAGS), &more]));
        }
    }
    Ok(sequence)
}

pub(crate) fn effects(text: &str) -> Result<Effects, Unknown> {
    let mut effects = Effects::default();
    for word in text.split_whitespace() {
        if word == "passing" {
            effects.passing = true;
        } else if let Some(role) = word.strip_prefix("becomes_").and_then(|role| find(&ROLES, role))
        {
            effects.becomes = Some(role);
        } else {
            let expected = "passing, becomes_knight, becomes_bishop, becomes_rook, becomes_queen";
            return Err(unknown(word, &[expected]));
        }
    }
    Ok(effects)
}

pub(crate) fn along(text: &str) -> Result<Along, Unknown> {
    match text.as_bytes() {
        [file @ b'a'..=b'h'] => Ok(Along::To(file - b'a')),
        _ => number(text).map(Along::By).map_err(|_| Unknown::Along(text.to_owned())),
    }
}

pub(crate) fn number(text: &str) -> Result<i8, Unknown> {
    let number = text.parse().ok().filter(|number| (-7..=7).contains(number));
    number.ok_or_else(|| Unknown::Number(text.to_owned()))
}

fn find<T: Copy>(words: &[(&str, T)], word: &str) -> Option<T> {
    words.iter().find(|(name, _)| *name == word).map(|(_, item)| *item)
}

fn all<T: Numbered>(words: &[(&str, T)], parts: &[&str]) -> Option<Set<T>> {
    parts.iter().map(|part| find(words, part)).collect()
}

fn letter(text: &str) -> Option<Pair> {
    match text.as_bytes() {
        [letter @ b'a'..=b'i'] => Some(Pair(letter - b'a')),
        _ => None,
    }
}

fn turn(text: &str) -> Option<Turn> {
    match text.as_bytes() {
        [digit @ b'1'..=b'4'] => Some(Turn(digit - b'1')),
        _ => None,
    }
}

fn names<T>(words: &[(&str, T)]) -> String {
    words.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn unknown(word: &str, expected: &[&str]) -> Unknown {
    Unknown::Word { word: word.to_owned(), expected: expected.join(", ") }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(alternatives(&WHO, self.who));
        words.extend(alternatives(&ROLES, self.roles));
        words.extend(
            MARKS.iter().filter(|(_, m)| self.marks.contains(*m)).map(|(n, _)| (*n).to_owned()),
        );
        f.write_str(&words.join(" "))
    }
}

fn alternatives<T: Numbered>(words: &[(&str, T)], set: Set<T>) -> Option<String> {
    let names: Vec<&str> =
        words.iter().filter(|(_, item)| set.contains(*item)).map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| names.join("|"))
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |pair: Pair| char::from(b'a' + pair.0);
        let mut words: Vec<String> = Vec::new();
        let flags = FLAGS.iter().filter(|(_, flag)| self.flags.contains(*flag));
        words.extend(flags.map(|(name, _)| (*name).to_owned()));
        words.extend(self.input.iter().map(|pair| format!("in_{}", letter(pair))));
        words.extend(self.output.iter().map(|pair| format!("out_{}", letter(pair))));
        words.extend(self.variants.iter().map(|turn| format!("variant{}", turn.0 + 1)));
        f.write_str(&words.join(" "))
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let becomes = self.becomes.and_then(|role| ROLES.iter().find(|(_, known)| *known == role));
        match (self.passing, becomes) {
            (false, None) => Ok(()),
            (true, None) => f.write_str("passing"),
            (false, Some((name, _))) => write!(f, "becomes_{name}"),
            (true, Some((name, _))) => write!(f, "passing becomes_{name}"),
        }
    }
}
