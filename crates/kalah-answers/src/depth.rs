//! Looking a number of moves ahead, as a person does, without tables.

use game::{Edge, Game, MoveId, Turn};
use kalah::{Kalah, Position};

/// The move that looks best a number of moves ahead, extra moves counted; the first of equally
/// good ones. `None` if the game is over.
pub fn look_ahead(kalah: &Kalah, position: &Position, depth: u32) -> Option<MoveId> {
    if kalah.outcome(position).is_some() {
        return None;
    }
    let mut best: Option<(i32, MoveId)> = None;
    for edge in edges(kalah, position) {
        let least = best.map_or(-i32::MAX, |(worth, _)| worth);
        let worth = worth(kalah, &edge, depth.max(1) - 1, least, i32::MAX);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, edge.mv));
        }
    }
    best.map(|(_, mv)| mv)
}

/// What a move is worth between two bounds, to a depth.
fn worth(kalah: &Kalah, edge: &Edge<Position>, depth: u32, least: i32, most: i32) -> i32 {
    let gain = i32::from(edge.gain.0);
    // Bounds move with the gain, and stay in the range of numbers.
    let shift = |bound: i32| bound.saturating_sub(gain).clamp(-i32::MAX, i32::MAX);
    match edge.turn {
        Turn::Keeps => gain + estimate(kalah, &edge.to, depth, shift(least), shift(most)),
        Turn::Passes => gain - estimate(kalah, &edge.to, depth, -shift(most), -shift(least)),
    }
}

/// Alpha-beta. Beyond the depth, seeds in play count for nobody.
fn estimate(kalah: &Kalah, position: &Position, depth: u32, least: i32, most: i32) -> i32 {
    if let Some(score) = kalah.outcome(position) {
        return i32::from(score.0);
    }
    if depth == 0 {
        return 0;
    }
    let mut best = -i32::MAX;
    // Moves near the store come first: they score most often.
    for edge in edges(kalah, position).iter().rev() {
        let bound = best.max(least);
        best = best.max(worth(kalah, edge, depth - 1, bound, most));
        if best >= most {
            break;
        }
    }
    best
}

fn edges(kalah: &Kalah, position: &Position) -> Vec<Edge<Position>> {
    let mut edges = Vec::with_capacity(position.pits());
    kalah.edges(position, |edge| edges.push(edge));
    edges
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    /// The same without bounds.
    fn plain(kalah: &Kalah, position: &Position, depth: u32) -> i32 {
        if let Some(score) = kalah.outcome(position) {
            return i32::from(score.0);
        }
        if depth == 0 {
            return 0;
        }
        let worth = |edge: &Edge<Position>| {
            let after = plain(kalah, &edge.to, depth - 1);
            let sign = if edge.turn == Turn::Keeps { 1 } else { -1 };
            i32::from(edge.gain.0) + sign * after
        };
        edges(kalah, position).iter().map(worth).max().expect("a move")
    }

    #[test]
    fn bounds_change_no_choice() {
        for rules in Rules::ALL {
            let kalah = Kalah::new(4, 3, rules).expect("a size");
            for depth in 1..6 {
                let mut position = kalah.start();
                while kalah.outcome(&position).is_none() {
                    let chosen = look_ahead(&kalah, &position, depth).expect("a move");
                    let moves = edges(&kalah, &position);
                    let worth = |edge: &Edge<Position>| {
                        let after = plain(&kalah, &edge.to, depth - 1);
                        let sign = if edge.turn == Turn::Keeps { 1 } else { -1 };
                        i32::from(edge.gain.0) + sign * after
                    };
                    let most = moves.iter().map(worth).max().expect("a move");
                    let first = moves.iter().find(|edge| worth(edge) == most).expect("a move");
                    assert_eq!(chosen, first.mv, "{position} to depth {depth}");
                    position = first.to;
                }
            }
        }
    }
}
