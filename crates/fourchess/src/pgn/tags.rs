//! The tags of a game: rules and start from tags, and tags from rules and start.

use super::Fault;
use crate::{
    Role,
    game::Ending,
    position::Position,
    rules::{Departure, EnPassant, Promotion, Rules, Setup, Sides},
};

/// Words about manners that change no rule of the board.
const MANNERS: [&str; 6] =
    ["Anonymous", "SemiAnonymous", "Ghostboard", "SpectatorChat", "Diplomacy", "Blindfold"];

/// The tags of a game in their order, each name once.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|tag| tag.0 == name).map(|tag| tag.1)
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Changes a tag or adds it. What PGN4 cannot hold is replaced: in the name by `_`, in the
    /// value line ends by blanks and `"` by `'`.
    pub fn set(&mut self, name: &str, value: &str) {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name: String = name.chars().map(|c| if is_name(c) { c } else { '_' }).collect();
        let name = if name.is_empty() { "_".to_owned() } else { name };
        let value = value
            .chars()
            .map(|letter| match letter {
                '\n' | '\r' => ' ',
                '"' => '\'',
                other => other,
            })
            .collect();
        match self.0.iter_mut().find(|tag| tag.0 == name) {
            Some(tag) => tag.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// Adds a tag as the reader found it.
    pub(super) fn add(&mut self, name: &str, value: String) -> Result<(), Fault> {
        if self.get(name).is_some() {
            return Err(Fault::RepeatedTag(name.to_owned()));
        }
        self.0.push((name.to_owned(), value));
        Ok(())
    }
}

/// The rules that tags name.
pub(super) fn rules(tags: &Tags) -> Result<Rules, Fault> {
    if let Some(words) = tags.get("Rules") {
        return Rules::from_words(words).map_err(Fault::Rules);
    }
    let variant = tags.get("Variant").unwrap_or("FFA");
    let mut rules = match variant {
        "FFA" | "Solo" => Rules::FFA,
        "Teams" => Rules::TEAMS,
        other => return Err(Fault::Variant(other.to_owned())),
    };
    if let Some(words) = tags.get("RuleVariants") {
        rules.en_passant = EnPassant::Off;
        if rules.sides == Sides::Free {
            rules.departure = Departure::AllDie;
        }
        for word in words.split_whitespace() {
            vary(&mut rules, word)?;
        }
    }
    Ok(rules)
}

fn vary(rules: &mut Rules, word: &str) -> Result<(), Fault> {
    let error = || Fault::RuleVariant(word.to_owned());
    match word.split_once('=') {
        None if MANNERS.contains(&word) => {}
        None if word == "EnPassant" => rules.en_passant = EnPassant::TakesBoth,
        None if word == "DeadKingWalking" && rules.sides == Sides::Free => {
            rules.departure = Departure::KingWalks;
        }
        Some(("Prom", rank)) => {
            let rank = rank.parse().ok().filter(|rank| (5..=14).contains(rank));
            rules.promotion_rank = rank.ok_or_else(error)?;
        }
        Some(("PointsForMate", points)) if rules.sides == Sides::Free => {
            let points = points.parse().ok().filter(|points| (0..=1000).contains(points));
            rules.mate = points.ok_or_else(error)?;
        }
        Some(("PromoteTo", letters)) => {
            let mut letters = letters.as_bytes().to_vec();
            letters.sort_unstable();
            let full = rules.values[Role::Queen.index()];
            (rules.promotion, rules.promoted_value) = match letters.as_slice() {
                b"D" => (Promotion::Queen, Rules::FFA.promoted_value.min(full)),
                b"Q" => (Promotion::Queen, full),
                b"BNQR" => (Promotion::Any, full),
                _ => return Err(error()),
            };
        }
        _ => return Err(error()),
    }
    Ok(())
}

/// The position that tags say the game starts from.
pub(super) fn start(tags: &Tags, rules: &Rules) -> Result<Position, Fault> {
    match tags.get("StartFen4") {
        None => Ok(Position::start(rules)),
        Some("4PC") => Ok(Position::setup(rules, Setup::Modern)),
        Some("4PCo") => Ok(Position::setup(rules, Setup::Classic)),
        Some(text) if text.contains('-') => Position::from_fen(text, rules).map_err(Fault::Start),
        Some(name) => Err(Fault::StartName(name.to_owned())),
    }
}

/// The tags that name rules.
pub(super) fn name_rules(tags: &mut Tags, rules: &Rules) {
    let base = match rules.sides {
        Sides::Free => &Rules::FFA,
        Sides::Pairs => &Rules::TEAMS,
    };
    tags.set("Variant", if rules.sides == Sides::Free { "FFA" } else { "Teams" });
    let mut words = Vec::new();
    if rules.departure == Departure::KingWalks {
        words.push("DeadKingWalking".to_owned());
    }
    if rules.en_passant != EnPassant::Off {
        words.push("EnPassant".to_owned());
    }
    if rules.mate != base.mate {
        words.push(format!("PointsForMate={}", rules.mate));
    }
    if rules.promotion_rank != base.promotion_rank {
        words.push(format!("Prom={}", rules.promotion_rank));
    }
    let letters = match rules.promotion {
        Promotion::Any => "BNQR",
        Promotion::Queen if rules.marks_promoted() => "D",
        Promotion::Queen => "Q",
    };
    // A free-for-all says it even where it is the default, as games found elsewhere do.
    if rules.sides == Sides::Free || rules.promotion != base.promotion {
        words.push(format!("PromoteTo={letters}"));
    }
    if !words.is_empty() {
        tags.set("RuleVariants", &words.join(" "));
    }
    let named = self::rules(tags);
    if named.map(|named| Rules { name: rules.name, ..named }) != Ok(*rules) {
        tags.set("Rules", &rules.words());
    }
}

/// How a game ended, for the tag `Termination`.
pub(super) fn termination(ending: Ending) -> &'static str {
    match ending {
        Ending::LastPlayer => "one player left",
        Ending::Mate => "mate",
        Ending::KingTaken => "king taken",
        Ending::Departure => "a player left",
        Ending::Stalemate => "stalemate",
        Ending::Repetition => "repetition",
        Ending::QuietLimit => "no progress",
        Ending::InsufficientMaterial => "insufficient material",
        Ending::PlyLimit => "cut off",
        Ending::Claim => "claimed win",
    }
}
