//! A second game keeps the trait honest.

#[path = "../examples/rows.rs"]
mod rows;

use game::{Game, Score};
use rows::Rows;
use solver::{Header, Limits, Memory, Next, Sample, solve, verify};

fn check(game: &Rows, positions: u64, value: i16) {
    let mut store = Memory::new(Header::of(game));
    let mut go_on = |_: &solver::Progress| Next::Continue;
    let solution = solve(game, &mut store, &Limits::default(), &mut go_on).expect("a solution");
    assert_eq!(solution.positions, positions, "{}", game.name());
    assert_eq!(solution.verdict.score, Score(value), "{}", game.name());
    let limits = Limits::default();
    let report = verify(game, &mut store, Sample::All, &limits, &mut |_, _| Next::Continue);
    assert_eq!(report.expect("a report").wrong, 0);
}

#[test]
fn noughts_and_crosses_has_5478_positions_and_is_a_draw() {
    check(&Rows::new(3, 3, 3, false), 5_478, 0);
}

#[test]
fn connect_four_on_small_boards_has_as_many_positions_as_known() {
    // John Tromp's counts of legal positions.
    check(&Rows::new(4, 4, 4, true), 161_029, 0);
    if std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1") {
        check(&Rows::new(4, 5, 4, true), 1_706_255, 0);
        check(&Rows::new(5, 4, 4, true), 3_945_711, 0);
    } else {
        println!("not run: 4 columns of 5 and 5 of 4");
    }
}

#[test]
fn three_in_a_row_on_a_larger_board_is_won() {
    let mut store = Memory::new(Header::of(&Rows::new(4, 3, 3, false)));
    let game = Rows::new(4, 3, 3, false);
    let solution = solve(&game, &mut store, &Limits::default(), &mut |_| Next::Continue);
    assert_eq!(solution.expect("a solution").verdict.score, Score(1));
}
