//! A position as JSON: legal moves, facts, sentences, counts and how it stands.

use chess::{
    CastlingSide, Color, Ending, Move, MoveSets, Piece, Position, Role, San, Square, Suffix, Uci,
};
use chess_facts::{Facts, Level, words};
use serde::Serialize;

use super::{
    names::{Files, Name, Names},
    sides::Side,
};

/// Everything the page shows of a position.
#[derive(Serialize)]
pub(crate) struct Answer {
    fen: String,
    turn: &'static str,
    /// 64 signs from a1 to h8: letters of FEN, and a dot for an empty square.
    board: String,
    /// The king in check.
    check: Option<Name>,
    status: String,
    ending: Option<&'static str>,
    moves: Vec<LegalMove>,
    facts: Sides,
    sentences: Vec<Sentence>,
    attacks: Counts,
}

/// A legal move.
#[derive(Serialize)]
pub(crate) struct LegalMove {
    uci: String,
    san: String,
    piece: &'static str,
    from: Name,
    /// Where the piece lands.
    to: Name,
    /// Where it may be dropped: for castling the rook, too.
    targets: Vec<Name>,
    captured: Option<&'static str>,
    promotion: Option<&'static str>,
    castles: bool,
    check: bool,
    mate: bool,
}

#[derive(Serialize)]
struct Sides {
    open_files: Files,
    white: Side,
    black: Side,
}

#[derive(Serialize)]
struct Sentence {
    color: &'static str,
    name: &'static str,
    text: String,
    squares: Names,
}

/// How many pieces of each side attack each square, from a1 to h8.
#[derive(Serialize)]
struct Counts {
    white: Vec<u32>,
    black: Vec<u32>,
}

impl Answer {
    /// The answer for a position.
    pub(crate) fn of(position: &Position) -> Answer {
        let facts = chess_facts::facts(position, Level::Everything);
        let legal = position.legal_moves();
        let check = position.is_check().then(|| Name(position.king(position.turn())));
        let counts = |by: Color| Square::all().map(|at| facts.attack_count(at, by)).collect();
        let sentences = words::sentences(&facts).into_iter().map(|sentence| Sentence {
            color: sentence.color.name(),
            name: sentence.name,
            text: sentence.text,
            squares: Names(sentence.squares),
        });
        Answer {
            fen: position.to_string(),
            turn: position.turn().name(),
            board: board(position),
            check,
            status: status(position, &legal),
            ending: Ending::of(&[*position]).map(Ending::name),
            moves: legal.iter().map(|mv| LegalMove::of(position, &legal, mv)).collect(),
            facts: sides(position, &facts),
            sentences: sentences.collect(),
            attacks: Counts { white: counts(Color::White), black: counts(Color::Black) },
        }
    }
}

impl LegalMove {
    /// A move of a position with these legal moves.
    pub(crate) fn of(position: &Position, legal: &MoveSets, mv: Move) -> LegalMove {
        let board = position.board();
        let own = board.by_color(position.turn());
        let role = board.role_at(mv.from).expect("a piece moves");
        let castles = own.contains(mv.to);
        let to =
            if castles { CastlingSide::of(mv.from, mv.to).king_to(mv.from.rank()) } else { mv.to };
        let mut targets = vec![Name(mv.to)];
        // In Chess960 the king may also step there, or stand there already.
        let step = Move { from: mv.from, to, promotion: None };
        if castles && to != mv.from && to != mv.to && !legal.contains(step) {
            targets.push(Name(to));
        }
        let en_passant = role == Role::Pawn && position.en_passant() == Some(mv.to);
        let captured = match board.role_at(mv.to) {
            _ if castles => None,
            None if en_passant => Some(Role::Pawn),
            taken => taken,
        };
        let san = San::of(position, mv);
        LegalMove {
            uci: Uci::of(position, mv).to_string(),
            san: san.to_string(),
            piece: role.name(),
            from: Name(mv.from),
            to: Name(to),
            targets,
            captured: captured.map(Role::name),
            promotion: mv.promotion.map(Role::name),
            castles,
            check: san.suffix.is_some(),
            mate: san.suffix == Some(Suffix::Checkmate),
        }
    }
}

fn sides(position: &Position, facts: &Facts) -> Sides {
    Sides {
        open_files: Files(facts.open_files),
        white: Side::of(position, facts, Color::White),
        black: Side::of(position, facts, Color::Black),
    }
}

/// The squares from a1 to h8 as signs.
pub(crate) fn board(position: &Position) -> String {
    let board = position.board();
    Square::all().map(|square| board.piece_at(square).map_or('.', Piece::letter)).collect()
}

fn status(position: &Position, legal: &MoveSets) -> String {
    let side = side(position.turn());
    if let Some(ending) = Ending::of(&[*position]) {
        return ended(ending, position.turn());
    }
    let moves = legal.len();
    match (moves, position.is_check()) {
        (1, true) => format!("{side} is in check and has one legal move."),
        (1, false) => format!("{side} to move, one legal move."),
        (_, true) => format!("{side} is in check and has {moves} legal moves."),
        (_, false) => format!("{side} to move, {moves} legal moves."),
    }
}

/// How a game has ended with a side to move, in words.
pub(crate) fn ended(ending: Ending, turn: Color) -> String {
    let loser = side(turn);
    match ending {
        Ending::Checkmate { .. } => format!("Checkmate: {} wins.", side(!turn)),
        Ending::Stalemate => format!("Stalemate: {loser} has no move."),
        Ending::InsufficientMaterial => "Draw: neither side can mate.".to_owned(),
        Ending::SeventyFiveMoves => "Draw by the 75-move rule.".to_owned(),
        Ending::FivefoldRepetition => "Draw: the position occurred five times.".to_owned(),
    }
}

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}
