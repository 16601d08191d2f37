//! A walk over random games, compared with cozy-chess at every position.

use std::collections::BTreeSet;

use chess::{Move, Position, Random, Role, San, Uci};

/// Enough games for well over 100,000 positions.
const GAMES: u64 = 1_600;

#[test]
fn random_games_agree_with_cozy_chess() {
    let mut positions = 0u64;
    let starts = starts();
    for seed in 0..GAMES {
        let mut random = Random::new(seed);
        let start = &starts[seed as usize % starts.len()];
        let mut ours: Position = start.parse().unwrap();
        let mut theirs = cozy(start);
        for _ in 0..120 {
            compare(&ours, &theirs, seed);
            positions += 1;
            let moves: Vec<Move> = ours.legal_moves().iter().collect();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            check_text(&ours, mv, seed);
            theirs.play_unchecked(to_cozy(mv));
            ours = ours.play(mv);
            let again: Position = ours.to_string().parse().unwrap();
            assert_eq!(again, ours, "seed {seed}: hash and rights as from scratch in {ours}");
        }
    }
    println!("{positions} positions compared");
    assert!(positions >= 100_000, "only {positions} positions were compared");
}

/// The orthodox start three times out of four, else one of the Chess960 suite.
fn starts() -> Vec<String> {
    let suite = include_str!("../../../fixtures/chess/perft/chess960.epd");
    let fischer = suite.lines().map(|line| line.split(';').next().unwrap().trim().to_owned());
    fischer.step_by(5).flat_map(|fen| [Position::default().to_string(), fen]).collect()
}

fn compare(ours: &Position, theirs: &cozy_chess::Board, seed: u64) {
    let expected: BTreeSet<(usize, usize, Option<usize>)> = {
        let mut moves = BTreeSet::new();
        theirs.generate_moves(|set| {
            moves.extend(set.into_iter().map(|mv| {
                (mv.from as usize, mv.to as usize, mv.promotion.map(|piece| piece as usize))
            }));
            false
        });
        moves
    };
    let sets = ours.legal_moves();
    let found: BTreeSet<(usize, usize, Option<usize>)> = sets
        .iter()
        .map(|mv| (mv.from.index(), mv.to.index(), mv.promotion.map(Role::index)))
        .collect();
    assert_eq!(found, expected, "seed {seed}: moves of {ours}");
    assert_eq!(sets.len() as usize, expected.len(), "seed {seed}: no move twice in {ours}");
    assert_eq!(chess::perft(ours, 1), expected.len() as u64, "seed {seed}: count of {ours}");
    assert_eq!(ours.checkers().0, theirs.checkers().0, "seed {seed}: checkers of {ours}");
}

/// The move written in either notation is found again.
fn check_text(position: &Position, mv: Move, seed: u64) {
    let san = San::of(position, mv);
    let uci = Uci::of(position, mv);
    let read: San = san.to_string().parse().unwrap();
    assert_eq!(read, san, "seed {seed}");
    assert_eq!(read.find(position), Ok(mv), "seed {seed}: {san} in {position}");
    let read: Uci = uci.to_string().parse().unwrap();
    assert_eq!(read.find(position), Ok(mv), "seed {seed}: {uci} in {position}");
}

fn cozy(fen: &str) -> cozy_chess::Board {
    cozy_chess::Board::from_fen(fen, false)
        .or_else(|_| cozy_chess::Board::from_fen(fen, true))
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn to_cozy(mv: Move) -> cozy_chess::Move {
    cozy_chess::Move {
        from: cozy_chess::Square::index(mv.from.index()),
        to: cozy_chess::Square::index(mv.to.index()),
        promotion: mv.promotion.map(|role| cozy_chess::Piece::index(role.index())),
    }
}
