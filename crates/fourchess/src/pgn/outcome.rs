//! What the tag `Result` says.

use super::Record;
use crate::{game::Game, rules::Sides, seat::Seat};

/// The result of a game as its tag says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Free for all: everybody's points.
    Points([i16; 4]),
    /// `1-0`: Red and Yellow have won.
    RedAndYellow,
    /// `0-1`: Blue and Green have won.
    BlueAndGreen,
    /// `Draw` or `1/2-1/2`, between pairs.
    Draw,
    /// `Aborted`.
    Aborted,
    /// `*`, nothing, or something else.
    Unknown,
}

impl Outcome {
    /// The result of a game as it was played; unknown before its end.
    pub fn of(game: &Game) -> Outcome {
        match (game.ending(), game.rules().sides) {
            (None, _) => Outcome::Unknown,
            (Some(_), Sides::Free) => Outcome::Points(game.position().points()),
            (Some(_), Sides::Pairs) => match game.places() {
                [1, 1, ..] => Outcome::Draw,
                [1, ..] => Outcome::RedAndYellow,
                _ => Outcome::BlueAndGreen,
            },
        }
    }

    /// The text of the tag, for players with these names.
    pub fn text(self, names: [&str; 4]) -> String {
        match self {
            Outcome::Points(points) => {
                let each = Seat::ALL
                    .map(|seat| format!("{}: {}", names[seat.index()], points[seat.index()]));
                each.join(" - ")
            }
            Outcome::RedAndYellow => "1-0".to_owned(),
            Outcome::BlueAndGreen => "0-1".to_owned(),
            Outcome::Draw => "Draw".to_owned(),
            Outcome::Aborted => "Aborted".to_owned(),
            Outcome::Unknown => "*".to_owned(),
        }
    }
}

impl Record {
    /// What the tag `Result` says.
    pub fn outcome(&self) -> Outcome {
        match self.tags.get("Result").unwrap_or("*") {
            "1-0" => Outcome::RedAndYellow,
            "0-1" => Outcome::BlueAndGreen,
            "Draw" | "1/2-1/2" => Outcome::Draw,
            "Aborted" => Outcome::Aborted,
            text => self.points(text).map_or(Outcome::Unknown, Outcome::Points),
        }
    }

    /// Reads `name: points` of each player. A name may hold anything, so that of the tag is tried
    /// before the text is cut at a colon.
    fn points(&self, text: &str) -> Option<[i16; 4]> {
        let mut rest = text;
        let mut points = [0; 4];
        for seat in Seat::ALL {
            let name = self.tags.get(&seat.to_string());
            let named = name.and_then(|name| rest.strip_prefix(name)?.strip_prefix(':'));
            rest = named.or_else(|| Some(rest.split_once(':')?.1))?.trim_start();
            let end = rest.find(' ').unwrap_or(rest.len());
            points[seat.index()] = rest[..end].parse().ok()?;
            rest = &rest[end..];
            if seat != Seat::Green {
                rest = rest.strip_prefix(" - ")?;
            }
        }
        rest.trim().is_empty().then_some(points)
    }
}
