//! Rules and start from tags, and tags from rules and start.

use super::{Fault, record::Record};
use crate::{
    Role,
    game::Ending,
    position::Position,
    rules::{Departure, EnPassant, Promotion, Rules, Setup, Sides},
};

/// Words about manners that change no rule of the board.
const MANNERS: [&str; 6] =
    ["Anonymous", "SemiAnonymous", "Ghostboard", "SpectatorChat", "Diplomacy", "Blindfold"];

type Tag = (String, String);

pub(super) fn get<'a>(tags: &'a [Tag], name: &str) -> Option<&'a str> {
    tags.iter().find(|tag| tag.0 == name).map(|tag| tag.1.as_str())
}

/// The rules that tags name.
pub(super) fn rules(tags: &[Tag]) -> Result<Rules, Fault> {
    if let Some(name) = get(tags, "Rules") {
        return Rules::named(name).copied().ok_or_else(|| Fault::Rules(name.to_owned()));
    }
    let variant = get(tags, "Variant").unwrap_or("FFA");
    let mut rules = match variant {
        "FFA" | "Solo" => Rules::FFA,
        "Teams" => Rules::TEAMS,
        other => return Err(Fault::Variant(other.to_owned())),
    };
    if let Some(words) = get(tags, "RuleVariants") {
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
pub(super) fn start(tags: &[Tag], rules: &Rules) -> Result<Position, Fault> {
    match get(tags, "StartFen4") {
        None => Ok(Position::start(rules)),
        Some("4PC") => Ok(Position::setup(rules, Setup::Modern)),
        Some("4PCo") => Ok(Position::setup(rules, Setup::Classic)),
        Some(text) if text.contains('-') => Position::from_fen(text, rules).map_err(Fault::Start),
        Some(name) => Err(Fault::StartName(name.to_owned())),
    }
}

/// The tags that name rules.
pub(super) fn name_rules(record: &mut Record, rules: &Rules) {
    let base = match rules.sides {
        Sides::Free => &Rules::FFA,
        Sides::Pairs => &Rules::TEAMS,
    };
    record.set_tag("Variant", if rules.sides == Sides::Free { "FFA" } else { "Teams" });
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
        record.set_tag("RuleVariants", &words.join(" "));
    }
    let named = self::rules(record.tags());
    if named.map(|named| Rules { name: rules.name, ..named }) != Ok(*rules) {
        record.set_tag("Rules", rules.name);
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
    }
}
