//! Moves as people write them: `h2-h3`, `Nn10-l9`, `Qg1xQn8+`, `h8-g8=Q`, `O-O`.
//!
//! The letter of the piece, none for a pawn; the square it leaves; `-`, or `x` and the letter of
//! what is taken; the square it reaches; `=` and what a pawn becomes. Then a `+` for each king
//! that the move checks and a `#` for each player who is mated when their turn comes. Castling
//! towards the nearer rook is `O-O`, towards the farther one `O-O-O`; its checks are not written.

use std::fmt;

use thiserror::Error;

use crate::{
    castling::{home_index, near_side},
    game::{Ending, Game},
    geometry::back_line,
    moves::{Manner, Move, MoveList},
    piece::{Piece, Role},
    position::{Position, Status},
    rules::{EnPassant, Rules},
    seat::Seat,
    square::{Square, SquareError},
};

/// Why a text is not a move that can be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// Not a move at all.
    #[error("{0:?} is not a move: expected something like h2-h3, Qg1xQn8, h8-g8=Q or O-O")]
    Malformed(String),
    /// A square that does not exist.
    #[error(transparent)]
    Square(#[from] SquareError),
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// The mover has nothing there.
    #[error("{seat} has no piece on {square}")]
    NoPiece {
        /// Whose turn it is.
        seat: Seat,
        /// Where there should be one.
        square: Square,
    },
    /// Another piece stands there than the text says.
    #[error("the piece on {square} is {}, not {}", found.letter(), named.letter())]
    OtherPiece {
        /// Where.
        square: Square,
        /// What stands there.
        found: Role,
        /// What the text says.
        named: Role,
    },
    /// Nothing is taken though the text says so.
    #[error("there is nothing to capture on {0}")]
    TakesNothing(Square),
    /// The text does not say what the pawn becomes.
    #[error("the pawn on {0} promotes: add =N, =B, =R or =Q")]
    Promotion(Square),
    /// The rules do not allow it.
    #[error("{0} is not a legal move here")]
    Illegal(String),
}

impl Game {
    /// A legal move as people write it, with its checks and mates.
    ///
    /// ```
    /// use fourchess::{Game, Rules};
    ///
    /// let mut game = Game::new(&Rules::FFA);
    /// for text in ["h2-h3", "Na10-c9", "g13-g12", "nothing"] {
    ///     match game.find_move(text) {
    ///         Ok(mv) => {
    ///             assert_eq!(game.move_text(mv), text);
    ///             game.play(mv).expect("a move that was found is legal");
    ///         }
    ///         Err(error) => assert!(error.to_string().starts_with("\"nothing\" is not a move")),
    ///     }
    /// }
    /// ```
    pub fn move_text(&self, mv: Move) -> String {
        let mut after = self.clone();
        if after.play(mv).is_err() {
            return self.position().move_text(mv, self.rules());
        }
        let marks = Marks::of(self.position(), mv, after.position(), self.rules());
        format!("{}{marks}", self.position().move_text(mv, self.rules()))
    }

    /// The legal move that a text means.
    ///
    /// More is understood than [`Game::move_text`] writes: a `-` where something is taken or
    /// nothing between the squares, zeros for castling, a lower-case letter for what a pawn
    /// becomes, none where it can only become a queen, `D` for a queen that was a pawn. Marks of
    /// check and mate are skipped; the letter of the piece that moves or is taken must be right
    /// if it is there.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, or why the move cannot be made.
    pub fn find_move(&self, text: &str) -> Result<Move, MoveError> {
        find(self.position(), self.rules(), self.moves(), text)
    }
}

impl Position {
    /// The legal move that a text means, as [`Game::find_move`] finds it.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, or why the move cannot be made.
    pub fn find_move(&self, text: &str, rules: &Rules) -> Result<Move, MoveError> {
        find(self, rules, &MoveList::of(self, rules), text)
    }

    /// A move as people write it, without marks of check and mate.
    pub fn move_text(&self, mv: Move, rules: &Rules) -> String {
        if mv.manner == Manner::Castling {
            return if self.castles_near(mv, rules) { "O-O" } else { "O-O-O" }.to_owned();
        }
        let mut text = match self.piece(mv.from).map(Piece::role) {
            None | Some(Role::Pawn) => String::new(),
            Some(role) => role.letter().to_string(),
        };
        text += &mv.from.to_string();
        let taken = self.piece(mv.to).map(Piece::role);
        match taken {
            None if mv.manner != Manner::EnPassant => text.push('-'),
            None | Some(Role::Pawn) => text.push('x'),
            Some(role) => text.extend(['x', role.letter()]),
        }
        text += &mv.to.to_string();
        if let Some(role) = mv.promotion {
            text.extend(['=', role.letter()]);
        }
        // Only under these rules can two moves have the same squares and the same promotion.
        let has_twin = rules.en_passant == EnPassant::TwoMoves && taken.is_some();
        if has_twin && mv.manner == Manner::EnPassant {
            text += "ep";
        }
        text
    }

    fn castles_near(&self, mv: Move, rules: &Rules) -> bool {
        let edge = rules.edge(self.turn());
        let Some(king) = home_index(edge, mv.from) else { return false };
        let side = usize::from(back_line(edge)[king + 1..].contains(&mv.to));
        side == near_side(king)
    }
}

fn find(position: &Position, rules: &Rules, moves: &[Move], text: &str) -> Result<Move, MoveError> {
    if position.ending().is_some() {
        return Err(MoveError::Over);
    }
    Written::parse(text)?.find(position, rules, moves, text)
}

/// How a seat that cannot move goes out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Mate,
    Stalemate,
}

/// The seats that were put out because they could not move, in the order in which it happened.
/// `made` is the position with the ply made and nothing judged, `after` that with all its
/// consequences.
pub(crate) fn fallen(mut made: Position, after: &Position, rules: &Rules) -> Vec<(Seat, Fate)> {
    match after.ending() {
        Some(Ending::Mate) => return vec![(after.turn(), Fate::Mate)],
        Some(Ending::Stalemate) => return vec![(after.turn(), Fate::Stalemate)],
        _ => {}
    }
    let mut fallen = Vec::new();
    let mut seat = made.turn();
    for _ in Seat::ALL {
        if made.status(seat) != Status::Out && after.status(seat) == Status::Out {
            let is_mate = made.in_check(seat, rules);
            fallen.push((seat, if is_mate { Fate::Mate } else { Fate::Stalemate }));
            made.kill_pieces(seat, Status::Out, rules);
        }
        seat = seat.next();
    }
    fallen
}

/// The marks behind a move.
pub(crate) struct Marks {
    checks: usize,
    mates: usize,
}

impl Marks {
    pub(crate) fn of(before: &Position, mv: Move, after: &Position, rules: &Rules) -> Marks {
        let made = before.play(mv, rules);
        let checks = match mv.manner {
            Manner::Castling => 0,
            _ => made.kings_checked(mv, before.turn(), rules),
        };
        let fates = fallen(made, after, rules);
        Marks { checks, mates: fates.iter().filter(|(_, fate)| *fate == Fate::Mate).count() }
    }
}

impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..self.checks {
            write!(f, "+")?;
        }
        for _ in 0..self.mates {
            write!(f, "#")?;
        }
        Ok(())
    }
}

/// A move as a text says it.
enum Written {
    Castling { near: bool },
    Step(Step),
}

struct Step {
    piece: Option<Role>,
    from: Square,
    takes: bool,
    taken: Option<Role>,
    to: Square,
    promotion: Option<Role>,
    in_passing: bool,
}

impl Written {
    fn parse(text: &str) -> Result<Written, MoveError> {
        let malformed = || MoveError::Malformed(text.chars().take(40).collect());
        let bare = text.trim().trim_end_matches(['+', '#']);
        match bare {
            "O-O" | "0-0" | "o-o" => return Ok(Written::Castling { near: true }),
            "O-O-O" | "0-0-0" | "o-o-o" => return Ok(Written::Castling { near: false }),
            _ => {}
        }
        let mut rest = bare;
        let piece = take_letter(&mut rest);
        let from = take_square(&mut rest).ok_or_else(malformed)?;
        let takes = rest.starts_with('x');
        rest = rest.strip_prefix(['x', '-']).unwrap_or(rest);
        let taken = take_letter(&mut rest);
        let to = take_square(&mut rest).ok_or_else(malformed)?;
        let (rest, in_passing) = match rest.strip_suffix("ep") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let promotion = match rest.strip_prefix('=').unwrap_or(rest) {
            "" if rest.is_empty() => None,
            letter if letter.len() == 1 => {
                Some(role(letter.as_bytes()[0].to_ascii_uppercase()).ok_or_else(malformed)?)
            }
            _ => return Err(malformed()),
        };
        let (from, to) = (from.parse()?, to.parse()?);
        Ok(Written::Step(Step { piece, from, takes, taken, to, promotion, in_passing }))
    }

    fn find(
        &self,
        position: &Position,
        rules: &Rules,
        moves: &[Move],
        text: &str,
    ) -> Result<Move, MoveError> {
        let illegal = || MoveError::Illegal(text.trim().to_owned());
        match self {
            Written::Castling { near } => moves
                .iter()
                .copied()
                .filter(|mv| mv.manner == Manner::Castling)
                .find(|&mv| position.castles_near(mv, rules) == *near)
                .ok_or_else(illegal),
            Written::Step(step) => {
                let mv = step.find(position, moves, illegal)?;
                step.check_taken(position, mv)?;
                Ok(mv)
            }
        }
    }
}

impl Step {
    fn find(
        &self,
        position: &Position,
        moves: &[Move],
        illegal: impl Fn() -> MoveError,
    ) -> Result<Move, MoveError> {
        let (seat, square) = (position.turn(), self.from);
        let found = position.piece(square).filter(|piece| piece.owner() == Some(seat));
        let found = found.ok_or(MoveError::NoPiece { seat, square })?.role();
        if let Some(named) = self.piece
            && named != found
        {
            return Err(MoveError::OtherPiece { square, found, named });
        }
        let there: Vec<Move> =
            moves.iter().copied().filter(|mv| mv.from == self.from && mv.to == self.to).collect();
        let promotion = match self.promotion {
            None if there.iter().any(|mv| mv.promotion == Some(Role::Knight)) => {
                return Err(MoveError::Promotion(self.from));
            }
            None => there.first().and_then(|mv| mv.promotion),
            promotion => promotion,
        };
        // An offer that is taken together with a third seat's piece may have a plain twin.
        let wanted = |mv: &&Move| self.in_passing == (mv.manner == Manner::EnPassant);
        let fitting = || there.iter().filter(|mv| mv.promotion == promotion);
        fitting().find(wanted).or_else(|| fitting().next()).copied().ok_or_else(illegal)
    }

    fn check_taken(&self, position: &Position, mv: Move) -> Result<(), MoveError> {
        let square = self.to;
        let taken = match position.piece(square) {
            None if mv.manner == Manner::EnPassant => Some(Role::Pawn),
            piece => piece.map(Piece::role),
        };
        match (self.takes || self.taken.is_some(), taken, self.taken) {
            (true, None, _) => Err(MoveError::TakesNothing(square)),
            (true, Some(found), Some(named)) if found != named => {
                Err(MoveError::OtherPiece { square, found, named })
            }
            _ => Ok(()),
        }
    }
}

/// The role a letter names; `D` is a queen that was a pawn.
fn role(letter: u8) -> Option<Role> {
    Role::from_letter(if letter == b'D' { b'Q' } else { letter })
}

fn take_letter(rest: &mut &str) -> Option<Role> {
    let role = role(*rest.as_bytes().first()?)?;
    *rest = &rest[1..];
    Some(role)
}

/// A lower-case letter and the digits behind it.
fn take_square<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let bytes = rest.as_bytes();
    bytes.first().filter(|byte| byte.is_ascii_lowercase())?;
    let digits = bytes[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let square;
    (square, *rest) = rest.split_at(1 + digits);
    Some(square)
}
