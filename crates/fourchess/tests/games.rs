//! Random games, every ply against the slow twin.

use std::collections::BTreeMap;

use fourchess::{
    Departure, EnPassant, Ending, FenError, Game, KingCapture, Manner, Move, Piece, Position,
    Promotion, Random, Role, Rules, Seat, Square, Status,
};

#[allow(dead_code, reason = "each test asks for a part of it")]
mod twin;

use twin::Twin;

fn games() -> u64 {
    let is_slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    if is_slow { 10_000 } else { 300 }
}

/// Plays games to their end and says how they ended.
fn play(rules: &Rules, games: u64) -> BTreeMap<String, u64> {
    let mut endings = BTreeMap::new();
    for seed in 0..games {
        let ending = std::panic::catch_unwind(|| play_one(rules, seed))
            .unwrap_or_else(|_| panic!("{} game with seed {seed}", rules.name));
        *endings.entry(format!("{ending:?}")).or_default() += 1;
    }
    println!("{}: {endings:?}", rules.name);
    endings
}

fn play_one(rules: &Rules, seed: u64) -> Ending {
    let mut random = Random::new(seed);
    let mut game = Game::new(rules);
    let mut twin = Twin::new(&Position::start(rules), rules);
    twin.settle();
    // Every third game somebody leaves, on turn or not.
    let leaver =
        seed.is_multiple_of(3).then(|| (random.below(150) as u16, Seat::ALL[random.below(4)]));
    while game.ending().is_none() {
        check_ply(&game);
        twin.compare(game.position());
        assert_eq!(sorted(game.moves().to_vec()), sorted(twin.moves.clone()));
        if let Some((ply, seat)) = leaver
            && game.position().plies() == ply
            && game.position().status(seat) == Status::Active
        {
            game.leave(seat);
            twin.leave(seat);
            continue;
        }
        let before = *game.position();
        let mv = game.moves()[random.below(game.moves().len())];
        game.play(mv).unwrap();
        check_step(&before, &game);
        twin.step(mv);
        assert!(game.position().plies() < 20_000, "the game does not end");
    }
    assert!(game.moves().is_empty() && game.play(Move::plain(D1, D1)).is_err());
    assert!(game.places().contains(&1));
    twin.compare(game.position());
    game.ending().expect("the game has ended")
}

const D1: Square = Square::new(0).unwrap();

fn sorted(mut moves: Vec<Move>) -> Vec<Move> {
    moves.sort();
    moves
}

/// What must hold of every position of a game.
fn check_ply(game: &Game) {
    let (position, rules) = (game.position(), game.rules());
    for seat in Seat::ALL {
        let pieces = position.pieces(seat).into_iter().map(|square| position.piece(square));
        let kings = pieces.flatten().filter(|piece| piece.role() == Role::King).count();
        let expected = match position.status(seat) {
            Status::Active => 1,
            Status::Walking => {
                assert_eq!(position.pieces(seat).len(), 1);
                1
            }
            Status::Out => {
                assert!(position.pieces(seat).is_empty());
                0
            }
        };
        assert_eq!(kings, expected, "kings of {seat}");
        assert_eq!(position.king(seat).is_some(), expected == 1);
    }
    let mut moves = game.moves().to_vec();
    moves.dedup();
    assert_eq!(moves.len(), game.moves().len());
    assert!(
        game.moves()
            .iter()
            .all(|mv| { position.piece(mv.from).and_then(Piece::owner) == Some(position.turn()) })
    );
    let text = position.fen(rules).to_string();
    let read = Position::from_fen(&text, rules).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(read.fen(rules).to_string(), text);
    assert_eq!(read.key(), position.key(), "{text}");
    assert_eq!(read.cells(), position.cells());
}

/// What a move and its consequences may change.
fn check_step(before: &Position, game: &Game) {
    let (after, rules) = (game.position(), game.rules());
    let standing = |position: &Position| position.cells().iter().filter(|c| c.bits() != 0).count();
    let taken = standing(before) - standing(after);
    assert!(taken <= 2, "one move takes two pieces at most");
    let won: i16 = after.points().iter().zip(before.points()).map(|(now, then)| now - then).sum();
    assert!(after.points().iter().zip(before.points()).all(|(&now, then)| now >= then));
    // Two captures, three mates or stalemates, three kings, and a draw.
    let most_of = |values: &[i16]| values.iter().copied().max().unwrap_or(0);
    let exits = rules.mate
        + rules.stalemate_victim
        + 3 * rules.stalemate_others
        + 3 * rules.walking_stalemate
        + 2 * rules.walking_left;
    let most = 2 * most_of(&rules.values)
        + 3 * exits
        + most_of(&[rules.two_kings, rules.three_kings])
        + 4 * rules.draw;
    assert!(won <= most, "{won} points in one move");
    let left = |position: &Position| {
        Seat::ALL.into_iter().filter(|&seat| position.status(seat) != Status::Active).count()
    };
    assert!(left(after) >= left(before));
    assert_eq!(after.plies(), before.plies() + 1);
}

#[test]
fn free_for_all_games_end_properly() {
    let endings = play(&Rules::FFA, games());
    assert!(endings.contains_key("LastPlayer"), "{endings:?}");
}

#[test]
fn team_games_end_properly() {
    let endings = play(&Rules::TEAMS, games());
    assert!(endings.contains_key("Mate") && endings.contains_key("KingTaken"), "{endings:?}");
}

#[test]
fn jax_games_end_properly() {
    let endings = play(&Rules::JAX, games());
    assert!(endings.contains_key("PlyLimit"), "{endings:?}");
}

#[test]
fn games_with_every_other_choice_end_properly() {
    let all_die = Rules {
        name: "pairs whose pieces die",
        king_capture: KingCapture::Eliminates,
        departure: Departure::AllDie,
        ..Rules::TEAMS
    };
    play(&all_die, games() / 10);
    let everything = Rules {
        name: "the other way round with everything",
        castling: true,
        en_passant: EnPassant::TakesBoth,
        promotion: Promotion::Any,
        promoted_value: 1,
        departure: Departure::KingWalks,
        quiet_limit: 60,
        repetitions: 2,
        two_kings: 5,
        ..Rules::JAX
    };
    play(&everything, games() / 10);
    let claimed = Rules { name: "claims", claim_lead: 21, ..Rules::FFA };
    let endings = play(&claimed, games() / 10);
    assert!(endings.contains_key("Claim"), "{endings:?}");
    let soon =
        Rules { name: "small leads", claim_lead: 1, departure: Departure::AllDie, ..claimed };
    play(&soon, games() / 20);
}

/// Rules that nobody has thought of, each field set by its name.
fn drawn(random: &mut Random) -> Rules {
    let mut rules = **random_of(random, &Rules::PRESETS);
    for &name in Rules::NAMES {
        let points = || ["0", "1", "7", "20"].as_slice();
        let choices: &[&str] = match name {
            "setup" => &["modern", "classic", "by", "byg", "rg"],
            "seating" => &["clockwise", "counterclockwise"],
            "sides" => &["free", "free", "pairs"],
            "promotion_rank" => &["5", "8", "11", "14"],
            "promotion" => &["queen", "any"],
            "castling" | "insufficient_material" => &["true", "false"],
            "en_passant" => &["off", "takes_both", "two_moves"],
            "king_capture" => &["eliminates", "ends_game"],
            "departure" => &["king_walks", "all_die", "ends_game"],
            "values" => &["1,3,5,5,9,20", "0,0,0,0,0,0", "9,5,3,3,1,0"],
            "repetitions" => &["0", "1", "2", "3", "255"],
            "quiet_limit" => &["0", "1", "50", "400"],
            "max_plies" => &["1", "200", "600"],
            "claim_lead" => &["0", "0", "1", "21"],
            _ => points(),
        };
        let value: &&str = random_of(random, choices);
        rules.set(name, value).unwrap();
    }
    Rules { name: "drawn", ..rules }
}

fn random_of<'a, T>(random: &mut Random, choices: &'a [T]) -> &'a T {
    &choices[random.below(choices.len())]
}

#[test]
fn games_by_rules_drawn_at_random_end_properly() {
    for seed in 0..games() / 5 {
        let rules = drawn(&mut Random::new(seed));
        let played = std::panic::catch_unwind(|| play_one(&rules, seed));
        assert!(played.is_ok(), "seed {seed}: {}", rules.words());
    }
}

/// A board on which anything may stand anywhere, as FEN4. Kings and rooks are often at home, and
/// pawns often beside one that has just passed.
fn scattered(random: &mut Random, rules: &Rules) -> String {
    let mut cells = vec![String::from("1"); Square::COUNT];
    let mut offers = [const { String::new() }; 4];
    // From nearly empty to crowded.
    let crowd = 1 + random.below(8);
    for seat in Seat::ALL {
        let letter = |seat: Seat| seat.letter().to_ascii_lowercase();
        let line = fourchess::geometry::back_line(rules.edge(seat));
        let free = |random: &mut Random, cells: &[String]| {
            let free: Vec<usize> = (0..Square::COUNT).filter(|&at| cells[at] == "1").collect();
            free[random.below(free.len())]
        };
        let home = [line[3 + random.below(2)], line[0], line[7]];
        let is_home = random.below(2) == 0 && home.iter().all(|at| cells[at.index()] == "1");
        let king = if is_home { home[0].index() } else { free(random, &cells) };
        cells[king] = format!("{}K", letter(seat));
        for rook in home.iter().skip(1).filter(|_| is_home) {
            cells[rook.index()] = format!("{}R", letter(seat));
        }
        for _ in 0..random.below(crowd + 1) {
            let piece = ["P", "P", "P", "N", "B", "R", "Q"][random.below(7)];
            let at = free(random, &cells);
            cells[at] = format!("{}{piece}", letter(seat));
        }
        let (files, ranks) = rules.edge(seat).forward();
        let passed = line[random.below(8)].step(2 * files, 2 * ranks).unwrap();
        let pawn = passed.step(files, ranks).unwrap();
        if random.below(2) == 0 && cells[pawn.index()] == "1" {
            cells[pawn.index()] = format!("{}P", letter(seat));
            offers[seat.index()] = format!("{passed}:{pawn}");
            for (files, ranks) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                let taker = [seat.next(), seat.next().opposite()][random.below(2)];
                if let Some(at) = passed.step(files, ranks).filter(|at| cells[at.index()] == "1") {
                    cells[at.index()] = format!("{}P", letter(taker));
                }
            }
        }
    }
    for cell in cells.iter_mut().filter(|cell| *cell == "1") {
        if random.below(60) == 0 {
            *cell = String::from("dP");
        }
    }
    let cell = |rank: u8, file: u8| {
        Square::at(file, rank).map_or("x", |square| cells[square.index()].as_str())
    };
    let rank = |rank| (0..14).map(|file| cell(rank, file)).collect::<Vec<_>>().join(",");
    let board = (0..14).rev().map(rank).collect::<Vec<_>>().join("/");
    let turn = Seat::ALL[random.below(4)].letter();
    let offers = offers.map(|offer| format!("'{offer}'")).join(",");
    format!("{turn}-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-{{'enPassant':({offers})}}-{board}")
}

/// Any move, and one that is not plain as often as all others together.
fn choose(moves: &[Move], random: &mut Random) -> Move {
    let special: Vec<Move> =
        moves.iter().copied().filter(|mv| mv.manner != Manner::Plain).collect();
    if !special.is_empty() && random.below(2) == 0 {
        special[random.below(special.len())]
    } else {
        moves[random.below(moves.len())]
    }
}

#[test]
fn scattered_pieces_move_as_the_twin_says() {
    let continues = Rules { king_capture: KingCapture::Continues, ..Rules::FFA };
    let two_moves = Rules { en_passant: EnPassant::TwoMoves, ..Rules::TEAMS };
    let mut kinds = std::collections::BTreeSet::new();
    for rules in Rules::PRESETS.into_iter().chain([&continues, &two_moves]) {
        for seed in 0..2 * games() {
            let random = &mut Random::new(seed);
            let text = scattered(random, rules);
            let position = match Position::from_fen(&text, rules) {
                // Scattered pawns that take in passing can be one too many for a seat.
                Err(FenError::Pieces { pieces: 17.., .. }) => continue,
                position => position.unwrap(),
            };
            let mut twin = Twin::new(&position, rules);
            twin.settle();
            let mut game = Game::from_position(position, rules);
            // A few plies, because awards and rights depend on the one before.
            for _ in 0..4 {
                twin.compare(game.position());
                if game.ending().is_some() {
                    break;
                }
                let moves = sorted(game.moves().to_vec());
                assert_eq!(moves, sorted(twin.moves.clone()), "{} {text}", rules.name);
                let mv = choose(&moves, random);
                kinds.insert((mv.manner, mv.promotion));
                game.play(mv).unwrap();
                twin.step(mv);
            }
        }
    }
    let plain_and_special =
        [Manner::Plain, Manner::DoubleStep, Manner::Castling, Manner::EnPassant];
    for (manner, promotion) in plain_and_special
        .map(|manner| (manner, None))
        .into_iter()
        .chain(Promotion::Any.roles().iter().map(|&role| (Manner::Plain, Some(role))))
    {
        assert!(kinds.contains(&(manner, promotion)), "{manner:?} {promotion:?} was never played");
    }
}
