//! Transpositions as one row, against positions that are counted one by one.

use std::collections::HashMap;

use chess::{Position, Setup};
use chess_relations::{Relations, Rules, Timeline};

use super::{
    KIWIPETE, TRICKY, boards, collect, context, is_slow, masks, numbered, relations, suite,
};

/// A position without its clocks.
fn key(position: &Position) -> Position {
    Position::new(Setup { halfmoves: 0, fullmoves: 1, ..position.setup() }).unwrap()
}

/// Every position of a ply, with the number of ways to it and the lowest clocks of all ways.
type Ply = HashMap<Position, (u64, u16, u16)>;

fn next_ply(ply: &Ply) -> Ply {
    let mut next = Ply::new();
    for (position, (ways, halfmoves, fullmoves)) in ply {
        let (halfmoves, fullmoves) = (*halfmoves, *fullmoves);
        let timed = Position::new(Setup { halfmoves, fullmoves, ..position.setup() }).unwrap();
        for mv in timed.legal_moves().iter() {
            let after = timed.play(mv);
            let entry = next.entry(key(&after)).or_insert((0, u16::MAX, u16::MAX));
            entry.0 += ways;
            entry.1 = entry.1.min(after.halfmoves());
            entry.2 = entry.2.min(after.fullmoves());
        }
    }
    next
}

async fn compare(relations: &Relations, start: &Position, plies: u32) -> Vec<usize> {
    let asked = Timeline { plies, every_ply: true, merge: true };
    let plan = relations.timeline(numbered(&context(2), &[*start]), asked).unwrap();
    let rows = collect(plan).await;
    let mut found = vec![Ply::new(); plies as usize + 1];
    let ways = masks(&rows, "ply").into_iter().zip(masks(&rows, "multiplicity"));
    for ((ply, ways), row) in ways.zip(boards(&rows)) {
        let position = row.position().unwrap();
        assert_eq!(
            row.0[10] != 0,
            position.en_passant().is_some(),
            "{position}: a mark is there if a legal move makes use of it"
        );
        let told = (ways, position.halfmoves(), position.fullmoves());
        let twice = found[ply as usize].insert(key(&position), told);
        assert!(twice.is_none(), "{position} is there twice in ply {ply}");
    }
    let first = (key(start), (1, start.halfmoves(), start.fullmoves()));
    let mut expected = Ply::from([first]);
    for (ply, found) in found.iter().enumerate() {
        assert!(*found == expected, "ply {ply} of {start}");
        if ply < plies as usize {
            expected = next_ply(&expected);
        }
    }
    found.iter().map(Ply::len).collect()
}

#[tokio::test]
async fn a13_equal_positions_are_one_row_whatever_pawn_has_passed() {
    let standard = relations("standard");
    let counts = compare(&standard, &Position::default(), 4).await;
    assert_eq!(counts, [1, 20, 400, 5_362, 72_078]);
    let kiwipete = Position::from_fen(KIWIPETE).unwrap();
    compare(&standard, &kiwipete, 3).await;
    let chess960 = relations("chess960");
    for position in suite(TRICKY) {
        compare(&chess960, &position, 2).await;
    }
    // Pinned takers, a taker whose king a rook would see along the rank, and two takers of which
    // one may.
    for fen in [
        "4k3/4r3/8/8/4Pp2/8/3P4/4K3 w - - 3 9",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/8/8/1b1p1p2/8/4P3/4K2R w K - 11 30",
        "rnbqk1nr/pppp1ppp/8/8/1b1pP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 4",
        "r3k3/8/8/8/2p1pP2/8/3P4/R3K3 b Qq - 5 20",
    ] {
        compare(&standard, &Position::from_fen(fen).unwrap(), 3).await;
    }
}

#[tokio::test]
async fn a13_the_fifth_ply_of_a_game_has_822518_positions() {
    if !is_slow() {
        println!("not run: the fifth ply of the start position (EVERYPLY_SLOW=1)");
        return;
    }
    let counts = compare(&relations("standard"), &Position::default(), 5).await;
    assert_eq!(counts[5], 822_518);
}

#[tokio::test]
async fn merged_counts_are_those_of_rules_without_takers_too() {
    let standard = Rules::named("standard").unwrap().to_csv();
    let no_passing: String = standard
        .lines()
        .filter(|line| !line.starts_with("en passant"))
        .map(|line| format!("{line}\n"))
        .collect();
    let rules = Relations::new(&Rules::from_csv(&no_passing).unwrap());
    let start = [Position::default()];
    for plies in [3, 4] {
        let merged = super::perft(&rules, &start, plies, true).await;
        assert_eq!(merged, super::perft(&rules, &start, plies, false).await);
    }
    let asked = Timeline { plies: 3, every_ply: false, merge: true };
    let rows = collect(rules.timeline(numbered(&context(1), &start), asked).unwrap()).await;
    assert!(masks(&rows, "ep").iter().all(|mark| *mark == 0), "nobody makes use of a mark");
}

#[tokio::test]
async fn a14_a_clock_stops_where_a_position_can_hold_no_more() {
    let fen = "4k3/8/8/8/8/8/8/4K3 b - - 65535 65535";
    let position = Position::from_fen(fen).unwrap();
    let asked = Timeline { plies: 2, every_ply: true, merge: false };
    let plan = relations("standard").timeline(numbered(&context(1), &[position]), asked).unwrap();
    for row in boards(&collect(plan).await) {
        assert_eq!(row.0[11..], [65_535, 65_535]);
    }
}
