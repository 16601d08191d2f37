//! FEN4: what is refused and why, what is put right, and the crate `fen4` as a witness.

use fourchess::{FenError, Game, Piece, Position, Role, Rules, Seat, Setup, Square, Status};
use proptest::{
    prelude::*,
    sample::{Index, select},
};

#[path = "../fuzz/propositions.rs"]
mod propositions;

use propositions::an_accepted_fen_is_read_back_and_can_be_played as check_bytes;

fn start() -> String {
    Position::start(&Rules::FFA).fen(&Rules::FFA).to_string()
}

/// Every position of the fixture.
fn texts() -> Vec<String> {
    let rows = include_str!("../../../fixtures/fourchess/perft4.csv").lines().skip(1);
    let mut texts: Vec<String> = rows.map(|row| row.split('"').nth(1).unwrap().into()).collect();
    texts.dedup();
    texts
}

#[test]
fn the_start_is_written_as_everywhere() {
    assert_eq!(
        start(),
        "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/\
         3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/bR,bP,10,gP,gR/bN,bP,10,gP,gN/bB,bP,10,gP,gB/\
         bQ,bP,10,gP,gK/bK,bP,10,gP,gQ/bB,bP,10,gP,gB/bN,bP,10,gP,gN/bR,bP,10,gP,gR/14/\
         3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3"
    );
}

#[test]
fn every_position_of_the_fixture_is_read_back_as_it_was() {
    for text in texts() {
        let rules = &Rules::TEAMS;
        let position = Position::from_fen(&text, rules).unwrap();
        let written = position.fen(rules).to_string();
        assert_eq!(Position::from_fen(&written, rules), Ok(position), "{written}");
    }
}

/// A damaged start, and what is said about it.
#[test]
fn errors_name_the_culprit() {
    let cases = [
        (("R-", "W-"), r#"the turn is "W", expected R, B, Y or G"#),
        (("R-", "r-"), r#"the turn is "r", expected R, B, Y or G"#),
        (("R-0,0,0,0-", "R-0,0,0-"), r#"dead "0,0,0" has 3 entries, expected 4"#),
        (("R-0,0,0,0-", "R-0,0,2,0-"), r#"dead of Yellow is "2", expected 0 or 1"#),
        (("1,1,1,1-1", "1,1,1,y-1"), r#"castling K of Green is "y", expected 0 or 1"#),
        (
            ("-0,0,0,0-0-", "-0,x,0,0-0-"),
            r#"the points of Blue are "x", expected a number from 0 to 32767"#,
        ),
        (
            ("-0,0,0,0-0-", "-0,0,32768,0-0-"),
            r#"the points of Yellow are "32768", expected a number from 0 to 32767"#,
        ),
        (("-0,0,0,0-0-", "-0,0,32767,0-65535-"), ""),
        (("-0-3,yR", "-z-3,yR"), r#"the clock is "z", expected a number from 0 to 65535"#),
        (("-0-3,yR", "-0-{x}-3,yR"), r#"the extra part is malformed at "x""#),
        (
            ("-0-3,yR", "-0-{'lives':(1,1,1,1)}-3,yR"),
            r#"the extra "lives" with the value "1,1,1,1" is not supported"#,
        ),
        (
            ("-0-3,yR", "-0-{'pawnsBaseRank':3}-3,yR"),
            r#"the extra "pawnsBaseRank" with the value "3" is not supported"#,
        ),
        (
            ("-0-3,yR", "-0-{'zombieType':('','','','ranter')}-3,yR"),
            r#"the extra "zombieType" with the value ",,,ranter" is not supported"#,
        ),
        (
            ("-0-3,yR", "-0-{'kingSquares':('h1','','','n7')}-3,yR"),
            r#"the royal piece of Green is on "n7", where its king is not"#,
        ),
        (
            ("-0-3,yR", "-0-{'royal':('h1','','','n7')}-3,yR"),
            r#"the royal piece of Green is on "n7", where its king is not"#,
        ),
        (
            ("-0-3,yR", "-0-{'enPassant':('h3:h4','','','')}-3,yR"),
            r#"en passant of Red is "h3:h4": no pawn of theirs has just passed there"#,
        ),
        (
            ("-0-3,yR", "-0-{'enPassant':('',''')}-3,yR"),
            r#"the extra part is malformed at "('',''')""#,
        ),
        (
            ("-0-3,yR", "-0-{'enPassant':('','')}-3,yR"),
            r#"enPassant "," has 2 entries, expected 4"#,
        ),
        (("/14/3,rP", "/3,rP"), "the board has 13 ranks, expected 14"),
        (("bR,bP,10,gP,gR/bN", "bR,bP,9,gP,gR/bN"), "rank 11 has 13 cells, expected 14"),
        (("bR,bP,10,gP,gR/bN", "bR,bP,99,gP,gR/bN"), "rank 11 has 103 cells, expected 14"),
        (
            ("bR,bP,10,gP,gR/bN", "bR,bP,10,gP,gX/bN"),
            r#"rank 11 has "gX", which is neither a piece nor a number of empty squares"#,
        ),
        (
            ("bR,bP,10,gP,gR/bN", "bR,bP,0,10,gP,gR/bN"),
            r#"rank 11 has "0", which is neither a piece nor a number of empty squares"#,
        ),
        (("3,rP", "2,rN,rP"), r#"rank 2 has "rN" on file c, where it cannot be"#),
        (("/14/3,rP", "/13,x/3,rP"), ""),
        (("/14/3,rP", "/5,x,8/3,rP"), r#"rank 3 has "x" on file f, where it cannot be"#),
        (("rQ", "rK"), "Red has 2 kings"),
        (("gK", "gQ"), "Green has 0 kings"),
        (("/14/3,rP", "/3,rP,10/3,rP"), "Red has 17 pieces, expected at most 16"),
        (("R-0,0,0,0-", "R-1,0,0,0-"), ""),
    ];
    for ((old, new), expected) in cases {
        let text = start().replacen(old, new, 1);
        assert_ne!(text, start(), "{old}");
        match Position::from_fen(&text, &Rules::FFA) {
            Ok(_) => assert_eq!(expected, "", "{text}"),
            Err(error) => assert_eq!(error.to_string(), expected, "{text}"),
        }
    }
    let bare = "R-0,0,0,0";
    assert_eq!(Position::from_fen(bare, &Rules::FFA), Err(FenError::Missing("list of the dead")));
    let not_utf8 = b"\xfc-0,0,0,0-";
    let error = FenError::Turn("\u{fffd}".to_owned());
    let rest = &start()["R-0,0,0,0-".len()..];
    let bytes = [&not_utf8[..], rest.as_bytes()].concat();
    assert_eq!(Position::from_fen(bytes, &Rules::FFA), Err(error));
    let out = start().replacen("R-0,0,0,0-", "R-1,0,0,0-", 1).replacen("rK", "1", 1);
    assert_eq!(Position::from_fen(&out, &Rules::FFA), Err(FenError::TurnOfDead(Seat::Red)));
}

#[test]
fn extras_that_change_nothing_are_skipped() {
    let extras = [
        "'pawnsBaseRank':2",
        "'pawnBaseRank':2,'dim':'14x14'",
        "'zombieImmune':(false,false,false,false),'zombieType':('','','','')",
        "'royal':('h1','a7','g14','n8'),'uniquify':94403",
        "'kingSquares':('h1','',null,'n8')",
        "'std2pc':false,'bank':('','','',''),'gameOver':''",
        "'stalemated':(false,false,false,false),'resigned':(null,null,null,null)",
    ];
    for extra in extras {
        let text = start().replacen("-0-3,yR", &format!("-0-{{{extra}}}-3,yR"), 1);
        let read = Position::from_fen(&text, &Rules::FFA);
        assert_eq!(read, Ok(Position::start(&Rules::FFA)), "{text}");
    }
}

#[test]
fn rights_that_cannot_be_used_are_dropped() {
    let text = start().replacen("rR", "1", 1);
    let position = Position::from_fen(&text, &Rules::FFA).unwrap();
    // The rook on d1 is the farther one.
    assert_eq!(position.castling(Seat::Red, &Rules::FFA), [true, false]);
    assert_eq!(position.castling(Seat::Blue, &Rules::FFA), [true, true]);
    let jax = Position::from_fen(start(), &Rules::JAX).unwrap();
    assert_eq!(jax.castling(Seat::Red, &Rules::JAX), [false, false]);
}

#[test]
fn who_has_left_is_understood_with_or_without_a_walking_king() {
    let rules = &Rules::FFA;
    let square = |text: &str| text.parse::<Square>().unwrap();
    for (old, new) in [("R-0,0", "R-0,1"), ("-0-3", "-0-{'resigned':(false,true,false,false)}-3")] {
        let walking = Position::from_fen(start().replacen(old, new, 1), rules).unwrap();
        assert_eq!(walking.status(Seat::Blue), Status::Walking);
        assert_eq!(walking.pieces(Seat::Blue).len(), 1);
        let dead = Piece::Dead { seat: Some(Seat::Blue), role: Role::Pawn };
        assert_eq!(walking.piece(square("b4")), Some(dead));
        let written = walking.fen(rules).to_string();
        assert!(written.starts_with("R-0,1,0,0-1,0,1,1-1,0,1,1-"), "{written}");
        assert_eq!(Position::from_fen(&written, rules), Ok(walking));
    }
    let out = start().replacen("R-0,0", "R-0,1", 1).replacen("bK", "dK", 1);
    let out = Position::from_fen(&out, rules).unwrap();
    assert_eq!(out.status(Seat::Blue), Status::Out);
    assert_eq!(out.piece(square("a7")), Some(Piece::Dead { seat: None, role: Role::King }));
}

#[test]
fn corners_may_be_written_and_blanks_are_skipped() {
    let rules = &Rules::FFA;
    let text = start().replace("3,yR", " x,X,x,\n yR").replace("rR,3", "rR,x,2");
    assert_eq!(Position::from_fen(&text, rules), Ok(Position::start(rules)));
}

/// Positions of random games with everyone's rules.
fn games() -> Vec<(Position, &'static Rules)> {
    let mut found = Vec::new();
    for (seed, rules) in Rules::PRESETS.into_iter().cycle().take(30).enumerate() {
        let mut game = Game::new(rules);
        let mut state = seed as u64;
        while game.ending().is_none() && game.position().plies() < 400 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mv = game.moves()[(state >> 33) as usize % game.moves().len()];
            if state.is_multiple_of(211) {
                game.leave(game.position().turn());
                continue;
            }
            game.play(mv).unwrap();
            found.push((*game.position(), rules));
        }
    }
    found
}

#[test]
fn the_crate_fen4_reads_what_we_write_and_writes_what_we_read() {
    let mut compared = 0;
    for (position, rules) in games() {
        let text = position.fen(rules).to_string();
        let board: fen4::Board = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(board.points.map(|points| points as i16), position.points());
        assert_eq!(board.draw_ply, usize::from(position.quiet()));
        for seat in Seat::ALL {
            let castling = [board.castling_king[seat.index()], board.castling_queen[seat.index()]];
            assert_eq!(castling, position.castling(seat, rules));
            let offer = position.offer(seat, rules).map(|offer| offer.passed.to_string());
            let theirs = board.extra_options.enpassant[seat.index()].map(|(at, _)| at.to_string());
            assert_eq!(theirs, offer);
        }
        for square in Square::all() {
            let theirs = &board.board[square.rank() as usize][square.file() as usize];
            assert_eq!(theirs.is_piece(), position.piece(square).is_some(), "{square} {text}");
        }
        let read = Position::from_fen(board.to_string(), rules).unwrap();
        assert_eq!(read.fen(rules).to_string(), text);
        compared += 1;
    }
    assert!(compared > 3_000, "{compared}");
}

#[test]
fn the_crate_fen4_has_the_same_classic_start() {
    let theirs = fen4::Board::default().to_string();
    let ours = Position::setup(&Rules::FFA, Setup::Classic);
    assert_eq!(Position::from_fen(&theirs, &Rules::FFA), Ok(ours));
}

/// Twenty times as many cases under `EVERYPLY_SLOW=1`.
fn config(cases: u32) -> ProptestConfig {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let cases = if slow { 20 * cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Pieces of FEN4 to put in place of others.
const PIECES: &[&str] = &[
    "rK",
    "bD",
    "dyQ",
    "dP",
    "14",
    "x",
    "3",
    "-",
    ",",
    "/",
    "{'enPassant':('','c6:d6','','')}-",
    "1,1,1,1",
    "{'resigned':(true,true,false,false)}-",
    "0",
    "9999",
    "é",
    "{",
    "}",
    "'",
];

fn damaged() -> impl Strategy<Value = String> {
    let damage = (any::<Index>(), 0..4_usize, select(PIECES));
    (select(texts()), prop::collection::vec(damage, 0..4)).prop_map(|(mut text, damages)| {
        for (at, cut, piece) in damages {
            let from = at.index(text.len() + 1);
            let to = (from + cut).min(text.len());
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                text.replace_range(from..to, piece);
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn random_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..200)) {
        check_bytes(&data);
    }

    #[test]
    fn damaged_texts_are_refused_or_read_back(text in damaged()) {
        check_bytes(text.as_bytes());
    }
}
