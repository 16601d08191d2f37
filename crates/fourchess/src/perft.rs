//! Counting the ends of all lines of moves.

use crate::{
    moves::{Counter, Move, MoveList, Sink},
    position::Position,
    rules::Rules,
};

/// How many lines of `depth` moves there are. The last ply is counted without being played.
///
/// As in chess, a line ends where the seat to move has no moves or the game is over: mated seats
/// are not skipped, and draws are not looked for.
///
/// ```
/// use fourchess::{Position, Rules, perft};
///
/// assert_eq!(perft(&Position::start(&Rules::FFA), &Rules::FFA, 3), 7_800);
/// ```
pub fn perft(position: &Position, rules: &Rules, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count(position, rules),
        _ => {
            let mut lists = vec![MoveList::new(); depth as usize - 1];
            count_lines(position, rules, &mut lists)
        }
    }
}

/// The moves of a position, each with the lines that begin with it.
pub fn divide(position: &Position, rules: &Rules, depth: u32) -> Vec<(Move, u64)> {
    let below =
        |mv| depth.checked_sub(1).map_or(0, |rest| perft(&position.play(mv, rules), rules, rest));
    MoveList::of(position, rules).iter().map(|&mv| (mv, below(mv))).collect()
}

fn count(position: &Position, rules: &Rules) -> u64 {
    let mut counter = Counter::default();
    position.legal_moves(rules, &mut counter);
    counter.len() as u64
}

fn count_lines(position: &Position, rules: &Rules, lists: &mut [MoveList]) -> u64 {
    let Some((list, deeper)) = lists.split_first_mut() else { return count(position, rules) };
    position.legal_moves(rules, list);
    let lines = |&mv: &Move| {
        let mut next = *position;
        next.make(mv, rules);
        count_lines(&next, rules, deeper)
    };
    list.iter().map(lines).sum()
}
