//! Games as requests name them: rules, a start, and a line of play in three letters a ply.
//!
//! Addresses and requests hold whole games, so a ply has to be short. It is a number of 18 bits:
//! for a move, whether it is en passant, the squares, and what a pawn becomes; above these, who
//! leaves and why.

use ::fourchess::{
    Game, Manner, Move, Position, Role, Rules, Seat, Square,
    pgn::{Exit, Ply},
};
use axum::http::StatusCode;
use serde::Deserialize;

use crate::refusal::Refusal;

/// Plies of a game that is shown.
pub(crate) const MOST_PLIES: usize = 20_000;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const SQUARES: usize = Square::COUNT;
/// Nothing, and what a pawn becomes.
const BECOMES: [Option<Role>; 5] =
    [None, Some(Role::Knight), Some(Role::Bishop), Some(Role::Rook), Some(Role::Queen)];
const MOVES: usize = 2 * SQUARES * SQUARES * BECOMES.len();

/// A game as a request names it.
#[derive(Clone, Deserialize, Default)]
pub(crate) struct Named {
    /// Rules in words; the free-for-all without them.
    pub(crate) rules: Option<String>,
    /// Where it starts; the start of the rules without it.
    pub(crate) fen4: Option<String>,
    /// What has happened since.
    pub(crate) line: Option<String>,
}

/// A game that a request has named, played.
pub(crate) struct Played {
    pub(crate) rules: Rules,
    pub(crate) start: Position,
    pub(crate) plies: Vec<Ply>,
    /// The game at the end of the line.
    pub(crate) game: Game,
}

impl Named {
    pub(crate) fn rules(&self) -> Result<Rules, Refusal> {
        match self.rules.as_deref() {
            None | Some("") => Ok(Rules::FFA),
            Some(words) => Rules::from_words(words).map_err(Refusal::bad),
        }
    }

    /// The position it starts from.
    pub(crate) fn start(&self, rules: &Rules) -> Result<Position, Refusal> {
        match self.fen4.as_deref() {
            None | Some("") => Ok(Position::start(rules)),
            Some(text) => Position::from_text(text, rules)
                .map_err(|error| Refusal::bad(format_args!("FEN4: {error}"))),
        }
    }

    /// Plays the line.
    pub(crate) fn play(&self) -> Result<Played, Refusal> {
        let rules = self.rules()?;
        let start = self.start(&rules)?;
        let mut game = Game::from_position(start, &rules);
        let mut plies = Vec::new();
        let codes = self.line.as_deref().unwrap_or("").as_bytes();
        if codes.len() > 3 * MOST_PLIES {
            return Err(too_long());
        }
        for code in codes.chunks(3) {
            let number = plies.len() + 1;
            let ply = decode(code, &game).filter(|&ply| game.apply(ply)).ok_or_else(|| {
                let code = String::from_utf8_lossy(code);
                Refusal::bad(format_args!("line: ply {number}, {code:?}, is not possible here"))
            })?;
            plies.push(ply);
        }
        Ok(Played { rules, start, plies, game })
    }
}

/// The refusal of a game with too many plies.
pub(crate) fn too_long() -> Refusal {
    let message = format!("a game that is shown may have {MOST_PLIES} plies");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// The three letters of a ply.
pub(crate) fn encode(ply: Ply) -> String {
    let number = match ply {
        Ply::Move(mv) => {
            let becomes = BECOMES.iter().position(|role| *role == mv.promotion);
            let becomes = becomes.expect("a pawn becomes a piece");
            let en_passant = usize::from(mv.manner == Manner::EnPassant);
            let squares = (en_passant * SQUARES + mv.from.index()) * SQUARES + mv.to.index();
            squares * BECOMES.len() + becomes
        }
        Ply::Leave { seat, exit } => MOVES + 2 * seat.index() + usize::from(exit == Exit::TimesOut),
    };
    [number >> 12, number >> 6, number].map(|part| char::from(LETTERS[part & 63])).iter().collect()
}

/// The ply that three letters mean in a game, if they mean one.
pub(crate) fn decode(code: &[u8], game: &Game) -> Option<Ply> {
    let digits: Option<Vec<usize>> =
        code.iter().map(|letter| LETTERS.iter().position(|known| known == letter)).collect();
    let &[high, middle, low] = &digits?[..] else { return None };
    let number = high << 12 | middle << 6 | low;
    if let Some(leaves) = number.checked_sub(MOVES) {
        let seat = *Seat::ALL.get(leaves / 2)?;
        let exit = if leaves % 2 == 1 { Exit::TimesOut } else { Exit::Resigns };
        return Some(Ply::Leave { seat, exit });
    }
    let (squares, becomes) = (number / BECOMES.len(), BECOMES[number % BECOMES.len()]);
    let (from, to) = (squares / SQUARES, squares % SQUARES);
    let is_meant = |mv: &&Move| {
        (mv.from.index(), mv.to.index()) == (from % SQUARES, to)
            && mv.promotion == becomes
            && usize::from(mv.manner == Manner::EnPassant) == from / SQUARES
    };
    game.moves().iter().find(is_meant).map(|&mv| Ply::Move(mv))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::fourchess::{EnPassant, Random, Status};

    #[test]
    fn lines_are_read_back() {
        let twice = Rules { en_passant: EnPassant::TwoMoves, ..Rules::TEAMS };
        for (seed, rules) in [Rules::FFA, Rules::TEAMS, Rules::JAX, twice].iter().enumerate() {
            let mut random = Random::new(seed as u64);
            let mut game = Game::new(rules);
            let (mut line, mut plies) = (String::new(), Vec::new());
            while game.ending().is_none() && plies.len() < 600 {
                let seat = Seat::ALL[random.below(4)];
                let leaves = plies.len() % 150 == 149;
                let ply = match leaves && game.position().status(seat) == Status::Active {
                    true => Ply::Leave { seat, exit: Exit::TimesOut },
                    false => Ply::Move(game.moves()[random.below(game.moves().len())]),
                };
                // Every legal move has letters of its own.
                let codes: std::collections::HashSet<String> =
                    game.moves().iter().map(|&mv| encode(Ply::Move(mv))).collect();
                assert_eq!(codes.len(), game.moves().len(), "seed {seed}");
                assert_eq!(decode(encode(ply).as_bytes(), &game), Some(ply), "seed {seed}");
                assert!(game.apply(ply));
                line += &encode(ply);
                plies.push(ply);
            }
            let named = Named { rules: Some(rules.words()), fen4: None, line: Some(line) };
            let played = named.play().unwrap();
            assert_eq!((played.plies, played.game.position()), (plies, game.position()));
        }
    }

    #[test]
    fn letters_that_mean_nothing_are_refused() {
        for line in ["AAA", "___", "A", "AAAA", "é", "   ", "-_-"] {
            let named = Named { line: Some(line.to_owned()), ..Named::default() };
            let refusal = named.play().err().expect(line);
            assert!(refusal.message.starts_with("line: ply 1, "), "{}", refusal.message);
        }
        let named = Named { line: Some("A".repeat(3 * MOST_PLIES + 1)), ..Named::default() };
        assert!(named.play().err().unwrap().message.contains("20000 plies"));
    }
}
