//! Games of Kalah, move by move.

use game::{MoveId, Score, Turn};
use kalah::{Pit, Ply, Record};

use super::{pit, value};
use crate::Cell;

/// The rows of [`super::PATH`]: every move of a game.
pub fn path(record: &Record) -> Vec<[Cell<'static>; 10]> {
    let row = |(ply, before, after, pit): (u64, &Ply, &Ply, Pit)| {
        let sown = record.kalah().sow(&before.position, pit);
        [
            ply.into(),
            (before.mover as u64 + 1).into(),
            before.position.to_string().into(),
            u64::from(pit.number()).into(),
            u64::from(sown.gain).into(),
            u64::from(sown.captured).into(),
            (sown.turn == Turn::Keeps).into(),
            u64::from(after.stores[0]).into(),
            u64::from(after.stores[1]).into(),
            sown.why().into(),
        ]
    };
    played(record).map(row).collect()
}

/// The rows of [`super::REVIEW`]: every move of a game, with the value and a best move of its
/// position, and with what it gave away, where they are known.
pub fn review(
    record: &Record,
    judged: &[(Option<Score>, Option<MoveId>, Option<i32>)],
) -> Vec<[Cell<'static>; 10]> {
    let row = |((ply, before, after, sown_pit), judged): ((u64, &Ply, &Ply, Pit), &(_, _, _))| {
        let (score, best, gave): (Option<Score>, Option<MoveId>, Option<i32>) = *judged;
        [
            ply.into(),
            (before.mover as u64 + 1).into(),
            before.position.to_string().into(),
            u64::from(sown_pit.number()).into(),
            score.map_or(Cell::Nothing, value),
            best.map_or(Cell::Nothing, pit),
            gave.map(i64::from).into(),
            u64::from(after.stores[0]).into(),
            u64::from(after.stores[1]).into(),
            record.kalah().sow(&before.position, sown_pit).why().into(),
        ]
    };
    played(record).zip(judged).map(row).collect()
}

/// Every move of a game: its number, the states before and after, and the pit.
fn played(record: &Record) -> impl Iterator<Item = (u64, &Ply, &Ply, Pit)> {
    let pairs = record.plies().windows(2).zip(record.pits());
    (1..).zip(pairs).map(|(ply, (plies, pit))| (ply, &plies[0], &plies[1], *pit))
}
