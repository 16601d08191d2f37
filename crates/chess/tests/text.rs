//! Texts of positions and moves with exactly what is made of them, and what the rules of a game
//! say about the positions reached.

use chess::{
    Action, Ending, Epd, FenWriter, Game, Operand, Position, Role, San, SanError, Uci,
    pgn::{Mainline, Reader},
};

/// FENs that are read, with how they are written.
const FENS: &[(&str, &str)] = &[
    (START, START),
    ("  8/8/8/4k3/8/8/8/4K3\tw  - -  ", "8/8/8/4k3/8/8/8/4K3 w - - 0 1"),
    ("8/8/8/4k3/8/8/8/4K3 w - - 7", "8/8/8/4k3/8/8/8/4K3 w - - 7 1"),
    ("8/8/8/4k3/8/8/8/4K3 b - - 65535 65535", "8/8/8/4k3/8/8/8/4K3 b - - 65535 65535"),
    ("8/8/8/4k3/8/8/8/4K3 w - - 0 0", "8/8/8/4k3/8/8/8/4K3 w - - 0 1"),
    ("44/8/1111k3/8/8/8/8/4K3 w - - 0 1", "8/8/4k3/8/8/8/8/4K3 w - - 0 1"),
    // Castling: Shredder letters, the outermost rook of X-FEN, an inner rook.
    ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ("4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1", "4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1"),
    ("4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1", "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1"),
    ("4k3/8/8/8/8/8/8/RR2K1RR w HB - 0 1", "4k3/8/8/8/8/8/8/RR2K1RR w KB - 0 1"),
    ("1rk2r2/8/8/8/8/8/8/1RK2R2 b FBfb - 0 1", "1rk2r2/8/8/8/8/8/8/1RK2R2 b KQkq - 0 1"),
    // En passant is kept only where a pawn may legally capture.
    (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    ),
    ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
    ("4k3/8/8/8/r2pP2K/8/8/8 b - e3 0 1", "4k3/8/8/8/r2pP2K/8/8/8 b - e3 0 1"),
    ("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"),
    ("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1"),
];

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn fens_are_read_leniently_and_written_exactly() {
    for (text, written) in FENS {
        let position: Position = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(position.to_string(), *written, "{text}");
        assert_eq!(position.shredder_fen().parse(), Ok(position), "{text}");
    }
    let start: Position = START.parse().unwrap();
    assert_eq!(start.shredder_fen(), START.replace("KQkq", "HAha"));
    assert_eq!(start, Position::default());
}

#[test]
fn texts_that_are_appended_are_those_of_each_position_and_move_alone() {
    let mut writer = FenWriter::default();
    let mut fen = |position: &Position| {
        let mut text = String::new();
        writer.write(position, &mut text);
        text
    };
    for (text, written) in FENS {
        assert_eq!(fen(&text.parse().unwrap()), *written, "{text}");
    }
    let sample = include_bytes!("../../../fixtures/chess/pgn/lichess_438_games.pgn");
    let mut reader = Reader::new(&sample[..]);
    let mut game = Mainline::default();
    while game.read(&mut reader).unwrap() {
        for (ply, position) in game.positions.iter().enumerate() {
            assert_eq!(fen(position), position.to_string());
            let Some(&mv) = game.moves.get(ply) else { continue };
            let (mut san, mut uci) = (String::new(), String::new());
            San::between(position, mv, &game.positions[ply + 1]).write(&mut san);
            Uci::of(position, mv).write(&mut uci);
            assert_eq!(san, San::of(position, mv).to_string(), "{position}");
            assert_eq!(San::from_ascii(san.as_bytes()).unwrap().find(position), Ok(mv));
            assert_eq!(uci.parse::<Uci>().unwrap().find(position), Ok(mv), "{position}");
        }
    }
}

/// FENs that are refused, with the whole message.
const BAD_FENS: &[(&str, &str)] = &[
    ("", "board missing"),
    (" \n", "board missing"),
    ("rnbqkbnr/pppppppp/8/8", "4 ranks, expected 8"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "side to move missing"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", "castling rights missing"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq", "en-passant square missing"),
    ("8/8/8/8/8/8/8/8/8/8 w - - 0 1", "10 ranks, expected 8"),
    ("4k3/8/8/8/8/8/8/4K3/ w - - 0 1", "9 ranks, expected 8"),
    (
        "4k3/9/8/8/8/8/8/4K3 w - - 0 1",
        "rank 7: '9' is neither a piece nor a count of empty squares",
    ),
    (
        "4k3/8/8/8/8/8/8/4K2x w - - 0 1",
        "rank 1: 'x' is neither a piece nor a count of empty squares",
    ),
    (
        "4k3/8/8/\x1b[1m8/8/8/8/4K3 w - - 0 1",
        "rank 5: '\\u{1b}' is neither a piece nor a count of empty squares",
    ),
    ("4k3/ppppppppp/8/8/8/8/8/4K3 w - - 0 1", "rank 7 has 9 files, expected 8"),
    ("4k3/8p/8/8/8/8/8/4K3 w - - 0 1", "rank 7 has 9 files, expected 8"),
    ("4k3/7/8/8/8/8/8/4K3 w - - 0 1", "rank 7 has 7 files, expected 8"),
    ("4k3//8/8/8/8/8/4K3 w - - 0 1", "rank 7 has 0 files, expected 8"),
    ("4k3/8/8/8/8/8/8/4K3 white - - 0 1", "side to move 'white', expected 'w' or 'b'"),
    ("4k3/8/8/8/8/8/8/4K3 w \0 - 0 1", "castling right '\\0', expected KQkq, a file letter or '-'"),
    ("4k3/8/8/8/8/8/8/4K3 w X - 0 1", "castling right 'X', expected KQkq, a file letter or '-'"),
    ("4k3/8/8/8/8/8/8/4K3 w K- - 0 1", "castling right 'K', but there is no rook for it"),
    ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right 'K', but there is no rook for it"),
    ("4k3/8/8/8/8/8/4K3/R6R w Q - 0 1", "castling right 'Q', but there is no rook for it"),
    ("4k3/8/8/8/8/8/8/R3K3 w H - 0 1", "white may castle with a rook on h1, but none stands there"),
    ("4k3/8/8/8/8/8/4K3/R6R w A - 0 1", "white may castle, but its king stands on e2"),
    (
        "4k3/8/8/8/8/8/8/RR2K3 w AB - 0 1",
        "white may castle with two rooks on the same side of its king",
    ),
    ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en-passant square 'e9', expected a square or '-'"),
    ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en-passant square e6: no pawn has just passed it"),
    ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "en-passant square e3: no pawn has just passed it"),
    ("4k3/8/8/8/4P3/8/4N3/4K3 b - e3 0 1", "en-passant square e3: no pawn has just passed it"),
    ("4k3/8/8/8/8/8/8/4K3 w - e1 0 1", "en-passant square e1: no pawn has just passed it"),
    ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "halfmove clock 'x', expected a number up to 65535"),
    ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock '-1', expected a number up to 65535"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 65536", "move number '65536', expected a number up to 65535"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 !", "unexpected '!' after the move number"),
    ("8/8/8/8/8/8/8/4K3 w - - 0 1", "black has no king"),
    ("4k3/8/8/8/8/8/8/8 w - - 0 1", "white has no king"),
    ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "white has 2 kings, expected 1"),
    ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "white has 9 pawns, expected at most 8"),
    ("4k3/8/8/8/8/N7/NNNNNNNN/RNBQKBNR w - - 0 1", "white has 17 pieces, expected at most 16"),
    ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "a pawn stands on a1, on the first or last rank"),
    ("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn stands on h8, on the first or last rank"),
    (
        "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
        "white is to move, but the black king on e8 is in check from e1",
    ),
    (
        "8/8/8/8/8/4k3/4K3/8 b - - 0 1",
        "black is to move, but the white king on e2 is in check from e3",
    ),
];

#[test]
fn bad_fens_are_refused_with_the_reason() {
    for (text, message) in BAD_FENS {
        let error = text.parse::<Position>().expect_err(text);
        assert_eq!(error.to_string(), *message, "{text}");
    }
}

/// A position, a move as written, and how it is written exactly or why it is refused.
const SANS: &[(&str, &str, &str)] = &[
    (START, "e4", "e4"),
    (START, "Nf3", "Nf3"),
    (START, "e2-e4", "e4"),
    (START, "e2e4", "e4"),
    (START, "Pe4", "e4"),
    (START, "Ng1f3", "Nf3"),
    (START, "Ngf3!?", "Nf3"),
    (START, "N1f3+", "Nf3"),
    (START, "e5", "e5 is not a legal move here"),
    (START, "Ke2", "Ke2 is not a legal move here"),
    (START, "O-O", "O-O is not a legal move here"),
    (START, "exd3", "exd3 is not a legal move here"),
    (START, "e4=Q", "e4=Q is not a legal move here"),
    (START, "", "'' is not a move"),
    (START, "x", "'x' is not a move"),
    (START, "e9", "'e9' is not a move"),
    (START, "Nf3g", "'Nf3g' is not a move"),
    (START, "O-O-O-O", "'O-O-O-O' is not a move"),
    (START, "--", "'--' is not a move"),
    (START, "+", "'+' is not a move"),
    (CASTLE, "O-O", "O-O"),
    (CASTLE, "0-0-0", "O-O-O"),
    (CASTLE, "o-o!", "O-O"),
    (CASTLE, "Ke1g1", "Ke1g1 is not a legal move here"),
    (THROUGH_CHECK, "O-O", "O-O is not a legal move here"),
    (THROUGH_CHECK, "O-O-O", "O-O-O"),
    // Two knights, then two of which one is pinned.
    ("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "Ne2", "Ne2 is ambiguous: it may start from g1 or c3"),
    ("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "Nge2", "Nge2"),
    ("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "N3e2", "Nce2"),
    ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "Ne2", "Ne2"),
    ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "Nge2", "Ne2"),
    ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "Nce2", "Nce2 is not a legal move here"),
    // By file, by rank, by both.
    ("4k3/8/8/R6R/8/8/8/K7 w - - 0 1", "Rad5", "Rad5"),
    ("k7/8/8/7R/8/8/8/K6R w - - 0 1", "Rh1h3", "R1h3"),
    ("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "Qh4e1", "Qh4e1"),
    // Captures with and without their mark; promotion.
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5", "exd5"),
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "ed5", "exd5"),
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4:d5", "exd5"),
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5", "d5 is not a legal move here"),
    (
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "a8",
        "a8 does not name the piece that the pawn promotes to",
    ),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", "a8=Q+"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8N", "a8=N"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=K", "'a8=K' is not a move"),
    ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "dxe3", "dxe3"),
    ("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "dxe3", "dxe3 is not a legal move here"),
    // In check, and mate.
    ("4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1", "O-O-O", "O-O-O is not a legal move here"),
    ("4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1", "Ra2", "Ra2 is not a legal move here"),
    ("4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1", "Ke2", "Kxe2"),
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra8", "Ra8#"),
];

const CASTLE: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
const THROUGH_CHECK: &str = "r3kr2/8/8/8/8/8/8/R3K2R w KQq - 0 1";

#[test]
fn moves_are_read_leniently_and_written_exactly() {
    for &(fen, text, expected) in SANS {
        let position: Position = fen.parse().unwrap();
        let found = match text.parse::<San>().and_then(|san| san.find(&position)) {
            Ok(mv) => San::of(&position, mv).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text} in {fen}");
    }
}

#[test]
fn a_pawn_becomes_no_king_even_if_no_text_says_so() {
    let position: Position = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    let san: San = "a8=Q".parse().unwrap();
    for role in [Role::Pawn, Role::King] {
        let Action::Step { role: pawn, file, rank, captures, to, .. } = san.action else {
            panic!()
        };
        let promotion = Some(role);
        let action = Action::Step { role: pawn, file, rank, captures, to, promotion };
        let san = San { action, suffix: None };
        assert_eq!(san.find(&position), Err(SanError::Illegal(san)));
    }
}

/// A position, a UCI move, and how it is written or why it is refused.
const UCIS: &[(&str, &str, &str)] = &[
    (START, "e2e4", "e2e4"),
    (START, "e2e5", "e2e5 is not a legal move here"),
    (START, "e4", "'e4' is not a UCI move"),
    (START, "0000", "'0000' is not a UCI move"),
    (START, "e7e8k", "'e7e8k' is not a UCI move"),
    (START, "e2e4q", "e2e4q is not a legal move here"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a7a8q"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8N", "a7a8n"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "a7a8 is not a legal move here"),
    (CASTLE, "e1g1", "e1g1"),
    (CASTLE, "e1h1", "e1g1"),
    (CASTLE, "e1c1", "e1c1"),
    (CASTLE, "e1a1", "e1c1"),
    (CASTLE, "e1b1", "e1b1 is not a legal move here"),
    (THROUGH_CHECK, "e1g1", "e1g1 is not a legal move here"),
    (THROUGH_CHECK, "e1h1", "e1h1 is not a legal move here"),
    (FISCHER, "c1f1", "c1f1"),
    (FISCHER, "c1b1", "c1b1"),
    (FISCHER, "c1g1", "c1g1 is not a legal move here"),
    (FISCHER, "c1d1", "c1d1"),
    ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1g1", "e1f1"),
    ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1", "e1f1"),
    ("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", "e1g1", "e1g1 is not a legal move here"),
];

const FISCHER: &str = "1rk2r2/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w FBfb - 0 1";

#[test]
fn uci_moves_are_read_either_way_and_written_as_expected() {
    for &(fen, text, expected) in UCIS {
        let position: Position = fen.parse().unwrap();
        let found = match text.parse::<Uci>().and_then(|uci| uci.find(&position)) {
            Ok(mv) => Uci::of(&position, mv).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text} in {fen}");
    }
}

const BARE: &str = "4k3/8/8/8/8/8/4P3/4K2R w K -";

/// What follows the four fields of a position, and how it is written or why it is refused.
const EPDS: &[(&str, &str)] = &[
    ("", ""),
    (" hmvc 3; fmvn 12;", " hmvc 3; fmvn 12;"),
    (" fmvn 12; id \"a;b\"; hmvc 3;", " hmvc 3; fmvn 12; id \"a;b\";"),
    (" bm e4 O-O; am Kd2;", " bm e4 O-O; am Kd2;"),
    (" bm e4 ;; ;am Kd2", " bm e4; am Kd2;"),
    (" 5 7", " hmvc 5; fmvn 7;"),
    (" 0 1 ;D1 14 ;D2 66", " D1 14; D2 66;"),
    (" 0 1;D1 14", " D1 14;"),
    (" c0 \"unclosed", "operation c0: text without closing quotation mark"),
    (" c\u{1b} \"unclosed", "operation c\\u{1b}: text without closing quotation mark"),
    (" hmvc x;", "operation hmvc: 'x', expected a number up to 65535"),
    (" hmvc;", "operation hmvc: '', expected a number up to 65535"),
    (" fmvn 1 2;", "operation fmvn: '1 2', expected a number up to 65535"),
    (" hmvc 0; 0 1 x;", "operation '0' does not begin with a letter"),
    (" ; 0 1 x;", "operation '0' does not begin with a letter"),
    (" +5 +7;", "operation '+5' does not begin with a letter"),
    (" \"text\";", "operation '\\\"text' does not begin with a letter"),
];

#[test]
fn epd_operations_are_read_and_written() {
    for (text, expected) in EPDS {
        let found = match format!("{BARE}{text}").parse::<Epd>() {
            Ok(epd) => epd.to_string(),
            Err(error) => error.to_string(),
        };
        let written = format!("{BARE}{expected}");
        assert!(found == written || found == *expected, "{text}: {found}");
    }
}

#[test]
fn epd_moves_are_moves_of_the_position() {
    let line = format!("{BARE} bm e4 O-O; am e5; id \"mixed\" word; c1 \"\";");
    let epd: Epd = line.parse().unwrap();
    let best: Vec<String> =
        epd.moves("bm").unwrap().iter().map(|&mv| San::of(&epd.position, mv).to_string()).collect();
    assert_eq!(best, ["e4", "O-O"]);
    assert_eq!(epd.moves("am").unwrap_err().to_string(), "e5 is not a legal move here");
    assert_eq!(epd.moves("pv"), Ok(vec![]));
    let mixed = [Operand::Text("mixed".to_owned()), Operand::Word("word".to_owned())];
    assert_eq!(epd.operands("id"), Some(&mixed[..]));
    assert_eq!(epd.operands("c1"), Some(&[Operand::Text(String::new())][..]));
    assert_eq!(epd.operands("c2"), None);
    assert_eq!("8 w".parse::<Epd>().unwrap_err().to_string(), "1 ranks, expected 8");
}

/// A start, moves in UCI, and what the rules say at the end: endings and claims.
const GAMES: &[(&str, &str, &str)] = &[
    (START, "", ""),
    (START, "f2f3 e7e5 g2g4 d8h4", "mate by black"),
    (START, "g1f3 g8f6 f3g1 f6g8", ""),
    (START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "threefold"),
    // The right to castle is lost on the way, so only two positions are the same.
    (ROOK, "h1g1 e8d8 g1h1 d8e8 h1g1 e8d8 g1h1 d8e8", ""),
    (ROOK, "h1g1 e8d8 g1h1 d8e8 h1g1 e8d8 g1h1 d8e8 h1g1 e8d8 g1h1 d8e8", "threefold"),
    // En passant was possible the first time.
    ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4 e8d8 e1d1 d8e8 d1e1 e8d8 e1d1 d8e8 d1e1", ""),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 99 80", "e1d1", "fifty"),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 99 80", "e2e4", ""),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 149 99", "e1d1", "fifty, seventy-five moves"),
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 99", "a1a8", "fifty, mate by white"),
    ("k7/8/1K6/8/8/8/8/7R w - - 149 99", "h1h8", "fifty, mate by white"),
    ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "", "stalemate"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", "insufficient material"),
    ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "", "insufficient material"),
    ("4kn2/8/8/8/8/8/8/4K3 w - - 0 1", "", "insufficient material"),
    ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "", "insufficient material"),
    ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "", ""),
    ("4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", "", ""),
    ("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1", "", ""),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "", ""),
    ("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", "e1e2", "insufficient material"),
];

const ROOK: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";

#[test]
fn games_end_and_may_be_claimed_drawn_by_the_rules() {
    for &(fen, moves, expected) in GAMES {
        let game = played(fen, moves);
        assert_eq!(verdict(&game), expected, "{fen} {moves}");
    }
}

#[test]
fn the_fifth_repetition_ends_the_game() {
    let mut moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(4);
    let game = played(START, &moves);
    assert_eq!(
        (game.repetitions(), verdict(&game)),
        (5, "threefold, fivefold repetition".to_owned())
    );
    moves.truncate(moves.len() - 5);
    assert_eq!(verdict(&played(START, &moves)), "threefold");
}

#[test]
fn moves_are_taken_back_and_made_again() {
    let mut game = played(START, "e2e4 e7e5 g1f3");
    let last = *game.position();
    let mv = game.undo().unwrap();
    assert_eq!((mv.to.to_string().as_str(), game.moves().len()), ("f3", 2));
    assert_eq!(game.positions().len(), 3);
    assert_eq!(game.redo(), Some(mv));
    assert_eq!(*game.position(), last);
    assert_eq!(game.redo(), None);
    while game.undo().is_some() {}
    assert_eq!(*game.position(), Position::default());
    game.play(mv).unwrap();
    assert_eq!((game.redo(), game.moves()), (None, &[mv][..]), "another move forgets the rest");
}

#[test]
fn a_game_refuses_an_illegal_move() {
    let mv = chess::Move { from: chess::Square::E1, to: chess::Square::E2, promotion: None };
    let mut game = Game::default();
    assert_eq!(game.play(mv).unwrap_err().to_string(), "e1-e2 is not a legal move here");
    assert_eq!(game, Game::default());
}

/// The keys are part of the format of tables: these values, computed by another program from the
/// description of the generator, must never change.
const HASHES: &[(&str, u64)] = &[
    (START, 0xe8f1_ac8f_f49a_092d),
    ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", 0x5114_8069_432e_5a0a),
    ("1rk2r2/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w FBfb - 0 1", 0x4aed_f684_97ab_f78b),
    ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", 0xf83b_407a_00cf_4c55),
];

#[test]
fn hashes_are_the_fixed_ones() {
    for (fen, hash) in HASHES {
        assert_eq!(fen.parse::<Position>().unwrap().zobrist(), *hash, "{fen}");
    }
}

#[test]
fn hashes_do_not_depend_on_the_way() {
    let hash = |moves| played(START, moves).position().zobrist();
    assert_eq!(hash("e2e3 e7e6 d2d3"), hash("d2d3 e7e6 e2e3"));
    assert_eq!(hash("e2e4 e7e6 d2d4"), hash("d2d4 e7e6 e2e4"), "nobody can capture en passant");
    assert_ne!(hash("e2e4"), hash("e2e3"));
    let hash = |fen: &str| fen.parse::<Position>().unwrap().zobrist();
    let passed = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1";
    assert_ne!(hash(passed), hash(&passed.replace("e3", "-")));
    let pinned = "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1";
    assert_eq!(hash(pinned), hash(&pinned.replace("e3", "-")));
    assert_ne!(hash(ROOK), hash(&ROOK.replace(" K ", " - ")));
    assert_ne!(hash(ROOK), hash(&ROOK.replace(" w ", " b ")));
    assert_eq!(hash(ROOK), hash(&ROOK.replace("0 1", "9 9")), "the counters do not count");
}

#[test]
fn a_position_has_88_bytes() {
    assert_eq!(size_of::<Position>(), 88);
}

fn played(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(fen.parse().unwrap());
    for text in moves.split_whitespace() {
        let uci: Uci = text.parse().unwrap();
        game.play(uci.find(game.position()).unwrap()).unwrap();
    }
    game
}

fn verdict(game: &Game) -> String {
    let mut verdict = Vec::new();
    if game.is_threefold_repetition() {
        verdict.push("threefold".to_owned());
    }
    if game.is_fifty_moves() {
        verdict.push("fifty".to_owned());
    }
    verdict.extend(game.ending().map(|ending| match ending {
        Ending::Checkmate { winner } => format!("mate by {}", winner.name()),
        Ending::Stalemate => "stalemate".to_owned(),
        Ending::InsufficientMaterial => "insufficient material".to_owned(),
        Ending::SeventyFiveMoves => "seventy-five moves".to_owned(),
        Ending::FivefoldRepetition => "fivefold repetition".to_owned(),
    }));
    verdict.join(", ")
}
