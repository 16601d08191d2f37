//! The propositions of the fuzz targets, asked of random bytes, of damaged real texts, and of
//! texts put together from likely pieces.

use proptest::{
    prelude::*,
    sample::{Index, select},
};

#[path = "../fuzz/propositions.rs"]
mod propositions;

use propositions as p;

const SUITES: [&str; 3] = [
    include_str!("../../../fixtures/chess/perft/tricky.epd"),
    include_str!("../../../fixtures/chess/perft/chess960.epd"),
    include_str!("../../../fixtures/chess/perft/random.epd"),
];
const GAMES: &str = include_str!("../../../fixtures/chess/pgn/lichess_438_games.pgn");
const ANNOTATED: &[u8] = include_bytes!("annotated.pgn");

/// Twenty times as many cases under `EVERYPLY_SLOW=1`.
fn config(cases: u32) -> ProptestConfig {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let cases = if slow { 20 * cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn random_bytes_are_refused_or_read_back(data in prop::collection::vec(any::<u8>(), 0..200)) {
        p::an_accepted_fen_is_read_back_as_it_was(&data);
        p::an_accepted_epd_is_read_back_as_it_was(&data);
        p::an_accepted_san_is_read_back_as_it_was(&data);
        p::an_accepted_uci_is_read_back_as_it_was(&data);
    }

    #[test]
    fn damaged_fens_are_refused_or_read_back(data in damaged(fens())) {
        p::an_accepted_fen_is_read_back_as_it_was(&data);
    }

    #[test]
    fn fens_of_likely_pieces_are_refused_or_read_back(data in fen()) {
        p::an_accepted_fen_is_read_back_as_it_was(data.as_bytes());
    }

    #[test]
    fn damaged_epd_lines_are_refused_or_read_back(data in damaged(epd_lines())) {
        p::an_accepted_epd_is_read_back_as_it_was(&data);
    }

    #[test]
    fn epd_lines_of_likely_pieces_are_refused_or_read_back(data in pieces(EPD_PIECES, 12)) {
        let line = format!("4k3/8/8/8/8/8/4P3/4K2R w K - {data}");
        p::an_accepted_epd_is_read_back_as_it_was(line.as_bytes());
    }

    #[test]
    fn moves_of_likely_pieces_are_refused_or_read_back(fen in select(fens()), mv in pieces(MOVE_PIECES, 7)) {
        let text = [&fen, "\n", &mv].concat();
        p::an_accepted_san_is_read_back_as_it_was(text.as_bytes());
        p::an_accepted_uci_is_read_back_as_it_was(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn random_bytes_are_the_same_pgn_however_they_arrive(data in prop::collection::vec(any::<u8>(), 0..500)) {
        p::pgn_is_read_back_as_it_was_however_it_arrives(&data);
    }

    #[test]
    fn damaged_games_are_the_same_however_they_arrive(data in damaged(games())) {
        p::pgn_is_read_back_as_it_was_however_it_arrives(&data);
    }

    #[test]
    fn games_of_likely_pieces_are_the_same_however_they_arrive(data in pieces(PGN_PIECES, 60)) {
        p::pgn_is_read_back_as_it_was_however_it_arrives(data.as_bytes());
    }
}

#[test]
fn every_move_of_the_suites_is_read_back_as_it_was() {
    for fen in fens().iter().step_by(40) {
        let position: chess::Position = fen.parse().unwrap();
        for mv in position.legal_moves().iter() {
            let san = chess::San::of(&position, mv);
            p::an_accepted_san_is_read_back_as_it_was(format!("{fen}\n{san}").as_bytes());
            let uci = chess::Uci::of(&position, mv);
            p::an_accepted_uci_is_read_back_as_it_was(format!("{fen}\n{uci}").as_bytes());
        }
    }
}

fn epd_lines() -> Vec<String> {
    let mut lines: Vec<String> =
        SUITES.iter().flat_map(|suite| suite.lines().step_by(9)).map(str::to_owned).collect();
    lines.push(r#"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - hmvc 2; fmvn 3; bm Bb5 Bc4; am Ng1; id "two knights"; c0 "x y";"#.to_owned());
    lines
}

fn fens() -> Vec<String> {
    let lines = SUITES.iter().flat_map(|suite| suite.lines().step_by(9));
    lines.map(|line| line.split(" ;").next().unwrap().to_owned()).collect()
}

fn games() -> Vec<Vec<u8>> {
    let mut games: Vec<Vec<u8>> = GAMES.split("\n\n[").map(Into::into).collect();
    games.truncate(20);
    for game in &mut games[1..] {
        game.insert(0, b'[');
    }
    games.extend([ANNOTATED.to_vec(), ANNOTATED.to_vec(), ANNOTATED.to_vec()]);
    games
}

/// One of the texts, with some bytes changed, cut out, doubled or brought from another text.
fn damaged(
    texts: Vec<impl AsRef<[u8]> + Clone + std::fmt::Debug + 'static>,
) -> impl Strategy<Value = Vec<u8>> {
    let damage = (0..6u8, any::<Index>(), any::<Index>(), any::<u8>());
    let damages = prop::collection::vec(damage, 0..5);
    (select(texts.clone()), select(texts), damages).prop_map(|(text, other, damages)| {
        let (mut text, other) = (text.as_ref().to_vec(), other.as_ref());
        for (kind, from, to, byte) in damages {
            if text.is_empty() {
                break;
            }
            let (a, b) = (from.index(text.len()), to.index(text.len()));
            let (from, to) = (a.min(b), a.max(b));
            match kind {
                0 => text[from] = byte,
                1 => text.insert(from, LIKELY[usize::from(byte) % LIKELY.len()]),
                2 => text.truncate(to),
                3 => drop(text.drain(from..to.min(from + 20))),
                4 => text = [&text[..from], &other[from.min(other.len())..]].concat(),
                _ => text = [&text[..to], &text[from..]].concat(),
            }
        }
        text
    })
}

const LIKELY: &[u8] = b" \n\r\t/0123456789-+=#!?.;:%$()[]{}*\"\\KQRBNPkqrbnpwabcdefghx\x80\xe9\0";

/// Pieces picked at random, one after the other.
fn pieces(from: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(select(from), 0..most).prop_map(|pieces| pieces.concat())
}

const EPD_PIECES: &[&str] = &[
    " ",
    " ",
    ";",
    "; ",
    "\"",
    "bm e4",
    "0",
    "1",
    "0 1",
    "x",
    "+3",
    "hmvc 0;",
    "hmvc 7;",
    "fmvn 1;",
    "fmvn 9;",
    "id \"a b\";",
    "am O-O;",
    "D1 20",
    "é",
    "\t",
    "\\",
    "-",
    "c0 \"",
    "\n",
];

const MOVE_PIECES: &[&str] = &[
    "N", "K", "Q", "R", "B", "P", "O-O", "O-O-O", "0-0", "a", "b", "c", "d", "e", "f", "g", "h",
    "1", "2", "3", "4", "5", "6", "7", "8", "x", ":", "-", "=", "=Q", "q", "n", "+", "#", "!", "?",
    "e4", "e1", "g1", "c1", "d5",
];

const PGN_PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "\n",
    "\n",
    "1.",
    "1... ",
    "e4 ",
    "e5 ",
    "Nf3 ",
    "Nc6 ",
    "d4 ",
    "d5 ",
    "exd5 ",
    "Qxd5 ",
    "a6 ",
    "Bb5 ",
    "O-O ",
    "{c} ",
    "{",
    "}",
    ";c } d\n",
    ";",
    "%x\n",
    "\n%",
    "(",
    ") ",
    "()",
    "$1 ",
    "$",
    "! ",
    "?? ",
    "1-0\n",
    "*\n",
    " 1/2-1/2",
    "0-1",
    "0-0",
    "[White \"A\"]\n",
    "[Event \"\\\"\\\\\"]\n",
    "[FEN \"4k3/8/8/8/8/8/4P3/4K2R b K - 3 9\"]\n",
    "[A \"b",
    "\n[",
    "\\",
    "é",
    "\u{feff}",
    "\r\n",
    "--",
    "e.p. ",
    "{[%clk 0:01:00]}",
    "{\n[A \"b\"]}",
    "Kd7 ",
    "e3 ",
    "\0",
];

/// A board of random ranks with likely fields behind.
fn fen() -> impl Strategy<Value = String> {
    let rank = select(RANKS);
    let board = prop::collection::vec(rank, 6);
    let castling =
        select(&["-", "KQkq", "KQ", "kq", "HAha", "Gg", "Bb", "K", "q", "FCfc", "DEde"][..]);
    let en_passant = select(&["-", "-", "e3", "d3", "e6", "a6", "h3", "c6"][..]);
    let ends = (select(BACK_RANKS), select(BACK_RANKS));
    (ends, board, select(&["w", "b"][..]), castling, en_passant, any::<u16>(), any::<u16>())
        .prop_map(|((black, white), board, turn, castling, en_passant, halfmoves, fullmoves)| {
            let (black, white) = (black.to_lowercase(), white.to_uppercase());
            let board = board.join("/");
            format!(
                "{black}/{board}/{white} {turn} {castling} {en_passant} {halfmoves} {fullmoves}"
            )
        })
}

const BACK_RANKS: &[&str] = &[
    "R3K2R", "RNBQKBNR", "RR2K1RR", "1R2K1R1", "2RK1R2", "4K3", "RK6", "6KR", "R1K4R", "1RK2R2",
    "3RKR2",
];

const RANKS: &[&str] = &[
    "8", "8", "8", "8", "PPPPPPPP", "pppppppp", "4P3", "3p4", "3pP3", "2Pp4", "1n3N2", "q7", "7Q",
    "b6B", "2r2R2", "p6P", "3Pp3",
];
