//! PGN4: played games, what is refused and why, random games there and back, and the crate `pgn4`
//! as a witness.

use std::collections::BTreeMap;

use fourchess::{
    Departure, EnPassant, Game, Move, Position, Promotion, Random, Rules, Seat, Setup,
    pgn::{Exit, Line, Outcome, Ply, Reader, Record, RecordError},
};
use pgn4::PGN4;
use proptest::{
    prelude::*,
    sample::{Index, select},
};

#[path = "../fuzz/propositions.rs"]
mod propositions;

use propositions::an_accepted_game_is_read_back_as_it_was as check_bytes;

/// The moves of two long games, with their marks, that the crate `pgn4` (MIT) is tested with; the
/// first without its last row, in which a king castles that has moved.
const PLAYED: &str = include_str!("played.pgn4");

fn read(text: &str) -> Record {
    let mut games = Reader::new(text.as_bytes());
    let record = games.next().expect("a game").unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(games.next().is_none(), "{text}");
    record
}

fn error(text: &str) -> String {
    match Reader::new(text.as_bytes()).next() {
        Some(Err(error)) => error.to_string(),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn played_games_are_written_as_they_were() {
    let records: Vec<Record> = Reader::new(PLAYED.as_bytes()).map(Result::unwrap).collect();
    let written: Vec<String> = records.iter().map(ToString::to_string).collect();
    assert_eq!(written.join("\n"), PLAYED);
    assert_eq!(records.iter().map(|record| record.plies().count()).collect::<Vec<_>>(), [124, 105]);
    assert_eq!(records[0].play().ending(), None);
    assert_eq!(records[1].play().position().points(), [5, 36, 17, 63]);
}

#[test]
fn comments_and_variations_stay_where_they_are() {
    let text = "[Variant \"FFA\"]\n[Nobody \"knows this tag\"]\n\n\
        1. h2-h3 { one }\n(1.. Nj1-i3 .. Na5-c6 .. Ne14-f12 .. m8-l8\n\
        2. h2-h3 { deep }\n(2.. d2-d3 .. b7-c7 ) ) .. b7-c7 ( .. b8-c8 ) ( .. R ) .. \
        g13-g12 .. m8-l8\n2. Nj1-i3\n";
    let record = read(&text.replace("m8-l8\n2. N", "m8-l8 2. N"));
    let line = record.line();
    assert_eq!(line.nodes[0].comment, "one");
    let lengths = |lines: &[Line]| lines.iter().map(|line| line.nodes.len()).collect::<Vec<_>>();
    assert_eq!(lengths(&line.nodes[0].variations), [5]);
    assert_eq!(lengths(&line.nodes[1].variations), [1, 1]);
    assert_eq!(record.tags.get("Nobody"), Some("knows this tag"));
    assert_eq!(record.to_string(), text);
    let theirs: PGN4 = text.parse().unwrap();
    assert_eq!(read(&theirs.to_string()), record);
}

#[test]
fn errors_name_the_game_the_move_and_the_cause() {
    let start = "[Variant \"FFA\"]\n\n";
    let cases = [
        ("1. h2-h5", "h2-h5 is not a legal move here (move 1 of Red)"),
        ("1. h2-h3 .. h3-h4", "Blue has no piece on h3 (move 1 of Blue)"),
        ("1. Qh2-h3", "the piece on h2 is P, not Q (move 1 of Red)"),
        ("1. h2xh3", "there is nothing to capture on h3 (move 1 of Red)"),
        (
            "1. h2-o3",
            "\"o3\" is not a square: expected a file a to n and a rank 1 to 14, without the corners (move 1 of Red)",
        ),
        ("1. h2-h3=K", "h2-h3=K is not a legal move here (move 1 of Red)"),
        (
            "1. h2",
            "\"h2\" is not a move: expected something like h2-h3, Qg1xQn8, h8-g8=Q or O-O (move 1 of Red)",
        ),
        (
            "1. hé-é",
            "\"hé-é\" is not a move: expected something like h2-h3, Qg1xQn8, h8-g8=Q or O-O (move 1 of Red)",
        ),
        ("1. O-O", "O-O is not a legal move here (move 1 of Red)"),
        ("1. h2-h3 .. b7-c7 .. #", "'#', but nobody is mated or stalemated (move 1)"),
        ("1. S", "'S', but nobody is mated or stalemated (move 1)"),
        ("1. R#", "'#', but nobody is mated or stalemated (move 1)"),
        (
            "1. h2-h3 { [%R Blue] } { [%T Blue] }",
            "Blue cannot leave: they are out or the game is over (move 1)",
        ),
        ("1. h2-h3 { never closed", "comment without closing brace"),
        ("1. h2-h3 } ", "unexpected '}'"),
        ("1. h2-h3 ( 1.. d2-d3", "variation without closing parenthesis"),
        ("1. h2-h3 )", "closing parenthesis without a variation"),
        ("( 1. h2-h3 )", "variation before the first move"),
        (
            "12 h2-h3",
            "\"12\" is not a move: expected something like h2-h3, Qg1xQn8, h8-g8=Q or O-O (move 1 of Red)",
        ),
    ];
    for (moves, expected) in cases {
        assert_eq!(error(&format!("{start}{moves}")), format!("game 1, line 3: {expected}"));
    }
    let deep = format!("{start}1. h2-h3 {}", "( 1.. d2-d3 ".repeat(100));
    assert_eq!(error(&deep), "game 1, line 3: variations nested more than 60 deep");
    let deep = "( 1.. d2-d3 ".repeat(60) + &")".repeat(60);
    check_bytes(format!("{start}1. h2-h3 {deep}").as_bytes());
    let tags = [
        ("[Variant \"Chess\"]", "variant \"Chess\" is not supported"),
        ("[RuleVariants \"EnPassant KotH\"]", "rule variant \"KotH\" is not supported"),
        ("[RuleVariants \"Prom=0\"]", "rule variant \"Prom=0\" is not supported"),
        ("[RuleVariants \"PromoteTo=QE\"]", "rule variant \"PromoteTo=QE\" is not supported"),
        (
            "[Rules \"mine\"]",
            "tag Rules: \"mine\" is not a preset; the presets are ffa, teams, jax",
        ),
        (
            "[Rules \"ffa mate=x\"]",
            "tag Rules: mate cannot be \"x\": expected points from -1000 to 1000",
        ),
        ("[StartFen4 \"2PC\"]", "tag StartFen4: \"2PC\" is neither FEN4 nor 4PC or 4PCo"),
        ("[StartFen4 \"R-0,0\"]", "tag StartFen4: the list of the dead is missing"),
        ("[Red Alice]", "malformed tag \"[Red Alice]\""),
        ("[Red \"A\"][Red \"B\"]", "tag Red is repeated"),
    ];
    for (tag, expected) in tags {
        assert_eq!(error(&format!("{tag}\n\n1. h2-h3")), format!("game 1, line 1: {expected}"));
    }
}

#[test]
fn a_line_without_end_is_refused_and_what_follows_is_read() {
    let long = std::io::Read::take(std::io::repeat(b'x'), 40 << 20);
    let rest = "\n[Variant \"Teams\"]\n\n1. h2-h3\n".as_bytes();
    let input = std::io::BufReader::new(std::io::Read::chain(long, rest));
    let mut games = Reader::new(input);
    let error = games.next().unwrap().unwrap_err().to_string();
    assert_eq!(error, "game 1, line 1: the game is longer than 16777216 bytes");
    assert_eq!(games.next().unwrap().unwrap().plies().count(), 1);
    assert!(games.next().is_none());
}

#[test]
fn a_bad_game_costs_only_itself() {
    let good = "[Variant \"Teams\"]\n[Red \"A\"]\n\n1. h2-h3\n\n";
    for bad in [
        "[Variant \"FFA\"]\n[Red Alice]\n[Blue \"B\"]\n\n1. h2-h3 .. b7-c7\n",
        "[Variant \"FFA\"]\n\n1. h2-h3 { never closed\n",
        "[Variant \"FFA\"]\n\n1. h2-h3 (( .. \n2. Kh1-h9\n",
        "[Variant \"FFA\"]\n[StartFen4 \"R-0,0\n\n",
    ] {
        let text = format!("{good}{bad}{good}");
        let results: Vec<bool> = Reader::new(text.as_bytes()).map(|game| game.is_ok()).collect();
        assert_eq!(results, [true, false, true], "{text}");
    }
    let without_moves = format!("{good}[Variant \"FFA\"]\n\n{good}");
    assert_eq!(Reader::new(without_moves.as_bytes()).filter(Result::is_ok).count(), 3);
}

#[test]
fn a7_tags_without_moves_do_not_merge_with_the_next_game() {
    let text = "[Green \"D\"]\r\n \r\n[Red \"A\"]\r\n[Blue \"B\"]\r\n\r\n1. h2-h3\r\n";
    let games: Vec<Record> = Reader::new(text.as_bytes()).map(Result::unwrap).collect();
    let read = |game: &Record| {
        let names = ["Red", "Blue", "Green"].map(|name| game.tags.get(name).map(str::to_owned));
        (names, game.plies().count())
    };
    let named = |names: [&str; 3]| names.map(|name| (!name.is_empty()).then(|| name.to_owned()));
    let found: Vec<_> = games.iter().map(read).collect();
    assert_eq!(found, [(named(["", "", "D"]), 0), (named(["A", "B", ""]), 1)]);
}

#[test]
fn tags_choose_rules_and_start() {
    let rules = |tags: &str| *read(&format!("{tags}\n1. h2-h3")).rules();
    assert_eq!(rules(""), Rules::FFA);
    assert_eq!(rules("[Variant \"Teams\"]"), Rules::TEAMS);
    assert_eq!(rules("[Rules \"jax\"]\n[Variant \"Teams\"]"), Rules::JAX);
    let usual =
        "[Variant \"FFA\"]\n[RuleVariants \"Anonymous DeadKingWalking EnPassant PromoteTo=D\"]";
    assert_eq!(rules(usual), Rules::FFA);
    let other = Rules {
        en_passant: EnPassant::Off,
        promotion: Promotion::Any,
        promoted_value: 9,
        promotion_rank: 11,
        departure: Departure::AllDie,
        mate: 30,
        ..Rules::FFA
    };
    assert_eq!(rules("[RuleVariants \"Prom=11 PromoteTo=QRBN PointsForMate=30\"]"), other);
    for (name, setup) in [("4PC", Setup::Modern), ("4PCo", Setup::Classic)] {
        let record = read(&format!("[StartFen4 \"{name}\"]\n1. h2-h3"));
        assert_eq!(*record.start(), Position::setup(&Rules::FFA, setup));
    }
    let lines = Position::start(&Rules::FFA).fen(&Rules::FFA).to_string().replace('/', "/\n");
    let record = read(&format!("[StartFen4 \"{lines}\"]\n[Red \"A\"]\n1. h2-h3"));
    assert_eq!(*record.start(), Position::start(&Rules::FFA));
    let text = b"[Variant \"Chess\"]\n1. h2-h3";
    let forced = Reader::with_rules(&text[..], &Rules::JAX).next().unwrap().unwrap();
    assert_eq!(*forced.rules(), Rules::JAX);
}

/// A position with these pieces, such as `rKd1`; who has no king is out.
fn position(words: &str, rules: &Rules) -> Position {
    let cell = |name: String| {
        let word = words.split(' ').find(|word| word[2..] == name);
        word.map_or("1", |word| &word[..2])
    };
    let rank = |rank: u8| {
        ('a'..='n').map(|file| cell(format!("{file}{rank}"))).collect::<Vec<_>>().join(",")
    };
    let ranks: Vec<String> = (1..=14).rev().map(rank).collect();
    let dead = ["rK", "bK", "yK", "gK"].map(|king| if words.contains(king) { "0" } else { "1" });
    let head = format!("R-{}-0,0,0,0-0,0,0,0-0,0,0,0-0-", dead.join(","));
    Position::from_fen(format!("{head}{}", ranks.join("/")), rules).unwrap()
}

#[test]
fn those_who_fall_are_marked() {
    let leave = Ply::Leave { seat: Seat::Red, exit: Exit::Resigns };
    let cases: [(&str, &[Ply], &str); 4] = [
        // The king walks on; it is mated or stalemated without its knight.
        ("rKh1 rNf4 gQk14", &[leave], "1. R\n"),
        ("rKd1 rNf4 gQd3 gQe14", &[leave], "1. R#\n"),
        ("rKd1 rNf4 gQf2", &[leave], "1. RS\n"),
        // The king is found stalemated before anything has happened.
        ("rKd1 gQf2", &[], "1. S\n"),
    ];
    for (words, plies, expected) in cases {
        let start = position(&format!("{words} gKn11 bKa11"), &Rules::FFA);
        let record = Record::new(&start, &Rules::FFA, plies.iter().copied()).unwrap();
        assert!(record.to_string().ends_with(&format!("]\n\n{expected}")), "{record}");
        assert_eq!(read(&record.to_string()), record);
    }
}

#[test]
fn leaving_when_it_is_anothers_turn_is_told_in_a_comment() {
    let rules = &Rules::FFA;
    let mut game = Game::new(rules);
    let mut plies = Vec::new();
    let mut go = |ply: Ply| {
        assert!(game.apply(ply));
        plies.push(ply);
        game.clone()
    };
    let leave = |seat, exit| Ply::Leave { seat, exit };
    go(leave(Seat::Yellow, Exit::TimesOut));
    let game = go(Ply::Move(Game::new(rules).find_move("h2-h3").unwrap()));
    go(leave(Seat::Green, Exit::Resigns));
    let game = go(Ply::Move(game.find_move("b8-c8").unwrap()));
    assert_eq!(game.position().turn(), Seat::Yellow);
    let mv = game.moves()[0];
    let text = game.move_text(mv);
    go(Ply::Move(mv));
    let record = Record::new(&Position::start(rules), rules, plies).unwrap();
    let moves = format!("{{ [%T Yellow] }}\n1. h2-h3 {{ [%R Green] }} .. b8-c8 .. {text}T\n");
    assert!(record.to_string().ends_with(&format!("\n\n{moves}")), "{record}");
    assert_eq!(read(&record.to_string()), record);
}

#[test]
fn plies_that_cannot_happen_are_refused() {
    let start = Position::start(&Rules::FFA);
    let mv = Game::new(&Rules::FFA).moves()[0];
    let plies = [Ply::Move(mv), Ply::Move(mv)];
    let error = Record::new(&start, &Rules::FFA, plies).unwrap_err();
    assert_eq!(error, RecordError::Ply { number: 2, ply: plies[1] });
    let leave = Ply::Leave { seat: Seat::Blue, exit: Exit::Resigns };
    let error = Record::new(&start, &Rules::FFA, [leave, leave]).unwrap_err();
    assert_eq!(error.to_string(), "ply 2: Blue resigns is not possible here");
}

#[test]
fn names_are_in_the_result_and_may_look_like_it() {
    let leave = |seat| Ply::Leave { seat, exit: Exit::Resigns };
    let plies = [Seat::Red, Seat::Yellow, Seat::Green].map(leave);
    let start = Position::start(&Rules::JAX);
    let mut record = Record::new(&start, &Rules::JAX, plies).unwrap();
    assert_eq!(record.tags.get("Result"), Some("Red: 0 - Blue: 0 - Yellow: 0 - Green: 0"));
    record.name_players(["a: 7 - b", "B\"ob\"", "", "\n"]);
    assert_eq!(record.tags.get("Blue"), Some("B'ob'"));
    let again = read(&record.to_string());
    assert_eq!(again.outcome(), Outcome::Points([0; 4]));
    assert_eq!(again, record);
    assert_eq!(read("[Result \"1/2-1/2\"]\n\n1. h2-h3").outcome(), Outcome::Draw);
    assert_eq!(read("[Result \"a: b\"]\n\n1. h2-h3").outcome(), Outcome::Unknown);
}

/// A random game in which every third seed lets somebody leave now and then.
fn random_game(rules: &Rules, seed: u64) -> (Vec<Ply>, Game) {
    let mut random = Random::new(seed);
    let mut game = Game::new(rules);
    let mut plies = Vec::new();
    while game.ending().is_none() && plies.len() < 3_000 {
        let ply = if seed.is_multiple_of(3) && random.below(60) == 0 {
            let seat = Seat::ALL[random.below(4)];
            Ply::Leave { seat, exit: [Exit::Resigns, Exit::TimesOut][random.below(2)] }
        } else {
            // Captures first in some games, so that they reach endgames.
            let takes = |mv: &&Move| game.position().piece(mv.to).is_some();
            let taking: Vec<Move> = game.moves().iter().filter(takes).copied().collect();
            let some =
                if seed.is_multiple_of(2) && !taking.is_empty() { &taking } else { game.moves() };
            Ply::Move(some[random.below(some.len())])
        };
        if game.apply(ply) {
            plies.push(ply);
        }
    }
    (plies, game)
}

fn games() -> u64 {
    let is_slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    if is_slow { 3_000 } else { 60 }
}

/// Writes and reads random games and counts the words that are no plain moves.
fn there_and_back(rules: &Rules) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for seed in 0..games() {
        let (plies, game) = random_game(rules, seed);
        let record = Record::new(&Position::start(rules), rules, plies.iter().copied()).unwrap();
        let text = record.to_string();
        let again = read(&text);
        assert!(again.plies().eq(plies), "{} seed {seed}", rules.name);
        assert_eq!(again, record, "{} seed {seed}", rules.name);
        assert_eq!(again.play().position(), game.position(), "{} seed {seed}", rules.name);
        assert_eq!(again.outcome(), Outcome::of(&game));
        ask_the_crate(&record, &text);
        for word in text.split("\n\n").nth(1).unwrap().split_whitespace() {
            // What stands behind the last square, or all of what has none.
            let marks = word.rsplit(|letter: char| letter.is_ascii_digit()).next().unwrap();
            *words.entry(marks.to_owned()).or_default() += 1;
        }
    }
    println!("{}: {words:?}", rules.name);
    words
}

/// The crate `pgn4` must read our text as we mean it, and we what it writes.
fn ask_the_crate(record: &Record, text: &str) {
    // It reads no comment before the first move.
    if text.contains("]\n\n{") {
        return;
    }
    let theirs: PGN4 = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(read(&theirs.to_string()), *record, "{text}");
    let tags = theirs.bracketed.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    assert!(tags.eq(record.tags.iter()), "{text}");
    let result = match record.outcome() {
        Outcome::Points(points) => pgn4::GameResult::FFA(points.map(|points| points as u16)),
        Outcome::RedAndYellow => pgn4::GameResult::Team(true, false),
        Outcome::BlueAndGreen => pgn4::GameResult::Team(false, true),
        Outcome::Draw => pgn4::GameResult::Team(false, false),
        Outcome::Aborted | Outcome::Unknown => pgn4::GameResult::Error,
    };
    assert_eq!(theirs.result(), result, "{text}");
    let variant = theirs.variant().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(variant.pawn_promotion_rank, usize::from(record.rules().promotion_rank));
    assert_eq!(variant.en_passant, record.rules().en_passant != EnPassant::Off);
    let quarters = theirs.turns.iter().flat_map(|turn| &turn.turns);
    let moved: Vec<(String, String, Option<char>)> = quarters
        .filter_map(|quarter| match &quarter.main {
            pgn4::Move::Normal(mv) => Some((mv.from.to_string(), mv.to.to_string(), mv.promotion)),
            _ => None,
        })
        .collect();
    let ours = record.plies().filter_map(|ply| match ply {
        Ply::Move(mv) if mv.manner != fourchess::Manner::Castling => {
            let promotion = mv.promotion.map(fourchess::Role::letter);
            Some((mv.from.to_string(), mv.to.to_string(), promotion))
        }
        _ => None,
    });
    assert!(ours.eq(moved), "{text}");
}

#[test]
fn free_for_all_games_come_back() {
    let words = there_and_back(&Rules::FFA);
    for mark in ["+", "+#", "#", "S", "R", "T", "[%R", "[%T", "O-O", "O-O-O", "=Q"] {
        assert!(words.contains_key(mark), "no {mark}: {words:?}");
    }
}

#[test]
fn team_games_come_back() {
    let words = there_and_back(&Rules::TEAMS);
    for mark in ["T", "[%R", "[%T", "=Q", "=R", "O-O", "+#", "S"] {
        assert!(words.contains_key(mark), "no {mark}: {words:?}");
    }
}

#[test]
fn jax_games_come_back() {
    let words = there_and_back(&Rules::JAX);
    for mark in ["R", "T", "[%R", "[%T", "+#", "=Q"] {
        assert!(words.contains_key(mark), "no {mark}: {words:?}");
    }
}

#[test]
fn two_moves_with_the_same_squares_are_told_apart() {
    let rules = &Rules { name: "two moves", en_passant: EnPassant::TwoMoves, ..Rules::FFA };
    let words = "rPe2 bNd5 gPf4 yPd10 rKk1 bKa11 yKd14 gKn4";
    let start = position(words, rules);
    for (last, points) in [("f4xNe3", [0, 0, 0, 3]), ("f4xNe3ep", [0, 0, 0, 4])] {
        let mut game = Game::from_position(start, rules);
        let mut plies = Vec::new();
        for text in ["e2-e4", "Nd5-e3", "d10-d9", last] {
            let mv = game.find_move(text).unwrap();
            assert_eq!(game.position().move_text(mv, rules), text);
            game.play(mv).unwrap();
            plies.push(Ply::Move(mv));
        }
        assert_eq!(game.position().points(), points);
        let record = Record::new(&start, rules, plies).unwrap();
        assert_eq!(record.tags.get("Rules"), Some("ffa en_passant=two_moves"));
        let text = record.to_string();
        assert_eq!(Reader::with_rules(text.as_bytes(), rules).next().unwrap().unwrap(), record);
        let by_its_tags = Reader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!(Rules { name: rules.name, ..*by_its_tags.rules() }, *rules);
    }
}

#[test]
fn a_move_is_understood_in_other_spellings() {
    let game = Game::new(&Rules::FFA);
    let mv = game.find_move("h2-h3").unwrap();
    for text in ["h2h3", " h2-h3 ", "Ph2-h3", "h2-h3+#"] {
        assert_eq!(game.find_move(text), Ok(mv), "{text}");
    }
}

/// Twenty times as many cases under `EVERYPLY_SLOW=1`.
fn config(cases: u32) -> ProptestConfig {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let cases = if slow { 20 * cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Pieces of PGN4 to put in place of others.
const PIECES: &[&str] = &[
    "{ a comment }",
    "{ [%R Blue] }",
    "{ [%T Red] [%R Green] and more }",
    " ( .. R ) ",
    " ( 1.. h2-h4 { x } .. T ) ",
    "(",
    ")",
    "{",
    "}",
    "..",
    " .. R",
    "R",
    "T",
    "S",
    "#",
    "1.",
    "*",
    "[Red \"x\"]\n",
    "\n[Variant \"Teams\"]\n",
    "[Rules \"jax\"]",
    "\"]",
    "\n",
    "é",
    "O-O",
];

fn damaged() -> impl Strategy<Value = String> {
    let damage = (any::<Index>(), 0..4_usize, select(PIECES));
    let rules = select(Rules::PRESETS.as_slice());
    let damages = prop::collection::vec(damage, 0..4);
    (rules, 0..6_u64, 0..60_usize, damages).prop_map(|(rules, seed, length, damages)| {
        let (plies, _) = random_game(rules, seed);
        let plies = plies.into_iter().take(length);
        let record = Record::new(&Position::start(rules), rules, plies).unwrap();
        let mut text = record.to_string();
        let moves = text.find("\n\n").unwrap();
        for (at, cut, piece) in damages {
            // Mostly among the moves, and there mostly between words: tags are simpler, and
            // within a word little else than an error comes about.
            let first = if at.index(8) == 0 { 0 } else { moves };
            let mut from = first + at.index(text.len() + 1 - first);
            let mut to = (from + cut).min(text.len());
            if at.index(5) > 0 && text.is_char_boundary(from) {
                from += text[from..].find(' ').unwrap_or(0);
                to = from;
            }
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                text.replace_range(from..to, piece);
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn random_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..200)) {
        check_bytes(&data);
    }

    #[test]
    fn damaged_texts_are_refused_or_read_back(text in damaged()) {
        check_bytes(text.as_bytes());
    }
}

#[test]
fn comments_that_are_set_are_read_back() {
    let text = "1. h2-h3 .. b7-c7 .. g13-g12 .. Nn10-l9";
    let mut record = Reader::new(text.as_bytes()).next().unwrap().unwrap();
    record.set_comment(1, "quiet,\n {so far} [%R Green]");
    record.set_comment(9, "nobody is there");
    let again = Reader::new(record.to_string().as_bytes()).next().unwrap().unwrap();
    let comments: Vec<&str> = again.line().nodes.iter().map(|node| &*node.comment).collect();
    assert_eq!(comments, ["", "quiet, (so far) [R Green]", "", ""]);
}
