//! Half-filled grids: what clashes, what is wrong, and hints that lead to the solution.

mod shared;

use std::ops::ControlFlow;

use kenken::{
    Attempt, Cell, Deduction, Digits, GenerateError, Hint, Level, Limits, Puzzle, Recipe, Rule,
    Size, Solution, Solver, check, generate_batch, generate_watched, keen,
};
use shared::random::Random;

const FOUR: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";

fn four() -> Puzzle {
    keen::parse(FOUR).unwrap()
}

/// Fresh puzzles of a level, of several sizes, with their solutions.
fn fresh(level: Level, count: u64) -> Vec<(Puzzle, Solution)> {
    let sizes = [4, 5, 6, 7];
    sizes
        .into_iter()
        .flat_map(|side| {
            let recipe = Recipe::new(Size::new(side).unwrap(), Some(level));
            generate_batch(&recipe, 20_261_116, 0..count / sizes.len() as u64)
        })
        .map(|made| made.map(|made| (made.puzzle, made.solution)).unwrap())
        .collect()
}

/// Checks what every deduction promises, and follows it.
fn follow(attempt: &mut Attempt<'_>, deduction: &Deduction, solution: &Solution) {
    let Deduction { look, rule, follows } = deduction;
    assert_eq!(*rule, follows.rule);
    assert!(!look.cells.is_empty() && look.text.starts_with("look at "), "{look:?}");
    assert!(!rule.advice().is_empty() && !follows.text.is_empty());
    let before = attempt.candidates();
    for &(cell, gone) in &follows.removed {
        let right = usize::from(solution.digit(cell)) - 1;
        assert!(!gone.contains(right), "{}: {}", attempt.puzzle().size(), follows.text);
        assert!(gone.0 & before[cell.index()].0 == gone.0 || *rule == Rule::NakedSingle);
    }
    for &(cell, digit) in &follows.placed {
        assert_eq!((attempt.digit(cell), digit), (None, solution.digit(cell)), "{}", follows.text);
    }
    let digits = attempt.cells().filter(|cell| attempt.digit(*cell).is_some()).count();
    attempt.follow(deduction);
    let after = attempt.candidates();
    let filled = attempt.cells().filter(|cell| attempt.digit(*cell).is_some()).count();
    assert!(after != before || filled > digits, "no progress: {}", follows.text);
}

fn solve_by_hints(puzzle: &Puzzle, solution: &Solution, level: Level) {
    let mut attempt = Attempt::new(puzzle);
    loop {
        match attempt.hint(level, &Limits::NONE) {
            Hint::Deduction(deduction) => follow(&mut attempt, &deduction, solution),
            Hint::Solved => break,
            other => panic!("{other:?} in {attempt} of {}", keen::print(puzzle).unwrap()),
        }
    }
    let digits = attempt.cells().map(|cell| attempt.digit(cell).unwrap()).collect();
    assert_eq!(&Solution::new(puzzle.size(), digits), solution);
}

#[test]
fn hints_alone_solve_200_fresh_puzzles_of_every_level() {
    for level in Level::ALL {
        let puzzles = fresh(level, 200);
        assert_eq!(puzzles.len(), 200);
        for (puzzle, solution) in puzzles {
            solve_by_hints(&puzzle, &solution, level);
        }
    }
}

#[test]
fn a_planted_wrong_digit_is_named_in_200_of_200() {
    let seed = 7;
    println!("seed {seed}");
    let mut chance = Random(seed);
    for level in Level::ALL {
        for (puzzle, solution) in fresh(level, 200) {
            let size = puzzle.size();
            // Some right digits and some marks, then a wrong digit.
            let mut attempt = Attempt::new(&puzzle);
            for cell in attempt.cells() {
                match chance.below(3) {
                    0 => attempt.place(cell, Some(solution.digit(cell))),
                    1 => {
                        let right = 1 << (solution.digit(cell) - 1);
                        let marks = right | chance.below(1 << size.side()) as u32;
                        attempt.mark(cell, Digits(marks));
                    }
                    _ => {}
                }
            }
            assert!(!matches!(attempt.hint(level, &Limits::NONE), Hint::Wrong(_)));
            let cell = Cell(chance.below(size.cells()) as u16);
            let shift = 1 + chance.below(size.side() - 1) as u8;
            let digit = (solution.digit(cell) - 1 + shift) % size.side() as u8 + 1;
            attempt.place(cell, Some(digit));
            let Hint::Wrong(wrong) = attempt.hint(level, &Limits::NONE) else {
                panic!("{attempt} of {}", keen::print(&puzzle).unwrap());
            };
            assert_eq!((wrong.digits, wrong.marks), (vec![cell], vec![]));
            assert_eq!(wrong.text, format!("{digit} in {}", cell.name(size)));
        }
    }
}

#[test]
fn hints_run_up_to_the_next_digit() {
    for level in Level::ALL {
        for (puzzle, solution) in fresh(level, 8) {
            let mut attempt = Attempt::new(&puzzle);
            while !attempt.is_solved() {
                let hints = attempt.hints_to_digit(level, &Limits::NONE);
                let mut steps = 0;
                for (number, hint) in hints.iter().enumerate() {
                    let Hint::Deduction(deduction) = hint else { panic!("{hint:?}") };
                    let is_last = number + 1 == hints.len();
                    assert_eq!(is_last, !deduction.follows.placed.is_empty());
                    assert_eq!(attempt.hint(level, &Limits::NONE), *hint);
                    follow(&mut attempt, deduction, &solution);
                    steps += 1;
                }
                assert!(steps > 0);
            }
        }
    }
}

#[test]
fn a_hint_uses_what_the_player_has_and_says_it_in_words() {
    let puzzle = four();
    for (grid, look, text) in [
        (
            "..../..../..../....",
            "look at cage 4+ (r1c1 and r2c1)",
            "cage 4+ (r1c1 and r2c1) can only be made from 1 and 3, so r1c1 and r2c1 cannot be 2 \
             or 4",
        ),
        (
            "314./..../..../....",
            "look at r1c4",
            "row 1 already has 1, 3 and 4 (in r1c1, r1c2 and r1c3), so r1c4 is 2",
        ),
        ("[3].../..../..../....", "look at r1c1", "r1c1 has only one candidate left, so it is 3"),
        (
            "[13]1../..../..../....",
            "look at r1c1",
            "row 1 already has 1 (in r1c2), so of the marks in r1c1 only 3 is left",
        ),
        (
            "3142/1423/231./4231",
            "look at r3c4",
            "row 3 and column 4 already have 1, 2 and 3 (in r1c4, r2c4, r3c1, r3c2, r3c3 and r4c4), so r3c4 is 4",
        ),
    ] {
        let attempt = Attempt::parse(&puzzle, grid).unwrap();
        let Hint::Deduction(hint) = attempt.hint(Level::Easy, &Limits::NONE) else {
            panic!("{grid}");
        };
        assert_eq!((hint.look.text.as_str(), hint.follows.text.as_str()), (look, text), "{grid}");
    }
    let solved = Attempt::parse(&puzzle, "3142/1423/2314/4231").unwrap();
    assert_eq!(solved.hint(Level::Easy, &Limits::NONE), Hint::Solved);
}

#[test]
fn wrong_digits_come_before_wrong_marks() {
    let puzzle = four();
    for (grid, expected) in [
        ("4[24]../..../..../....", "4 in r1c1"),
        ("3[24]../..../..../....", "2 or 4 in r1c2"),
        ("3[12]../..../..../....", ""),
    ] {
        let attempt = Attempt::parse(&puzzle, grid).unwrap();
        assert_eq!(attempt.wrong(&Limits::NONE).unwrap().text, expected, "{grid}");
    }
}

#[test]
fn puzzles_without_one_solution_end_in_words() {
    let several = keen::parse("2:__b,a3a3").unwrap();
    let none = keen::parse("2:_b_,a3a3").unwrap();
    let hint = |puzzle| Attempt::new(puzzle).hint(Level::Unreasonable, &Limits::NONE);
    assert_eq!(hint(&several), Hint::Stuck);
    assert_eq!(hint(&none), Hint::NoSolution);
    let spent = Limits { nodes: Some(0), deadline: Some(std::time::Instant::now()) };
    let hard = "8:a3b__abb__a__b__a_ca_a3bb_bcf_ba_ba_f_ab_3e_ce,\
                m282240a9a35m32256a6a31a6a40m2160a8m16a41";
    let hard = keen::parse(hard).unwrap();
    // Whether a digit is wrong is not known in time. Without digits nothing has to be known.
    let grid = format!("1.......{}", "/........".repeat(7));
    let attempt = Attempt::parse(&hard, &grid).unwrap();
    assert_eq!(attempt.hint(Level::Unreasonable, &spent), Hint::Unsettled);
}

#[test]
fn clashes_are_what_the_rules_say() {
    let puzzle = four();
    for (grid, expected) in [
        ("..../..../..../....", ""),
        ("11../..../..../....", "row 1: 1 appears twice"),
        (
            "1.../1.../..../....",
            "column 1: 1 appears twice; cage 0 at r1c1: the digits do not make 4+",
        ),
        ("2.../3.../..../....", "cage 0 at r1c1: the digits do not make 4+"),
        ("3142/1423/2314/4231", ""),
    ] {
        let attempt = Attempt::parse(&puzzle, grid).unwrap();
        let said: Vec<String> =
            attempt.clashes().iter().map(|clash| clash.fault.to_string()).collect();
        assert_eq!(said.join("; "), expected, "{grid}");
    }
    // A full grid clashes nowhere exactly if it solves the puzzle.
    let mut chance = Random(3);
    for (puzzle, solution) in fresh(Level::Easy, 40) {
        for _ in 0..20 {
            let mut digits = solution.digits().to_vec();
            for _ in 0..chance.below(3) {
                let (a, b) = (chance.below(digits.len()), chance.below(digits.len()));
                digits.swap(a, b);
            }
            let mut attempt = Attempt::new(&puzzle);
            for cell in attempt.cells() {
                attempt.place(cell, Some(digits[cell.index()]));
            }
            let right = check(&puzzle, &Solution::new(puzzle.size(), digits)).is_ok();
            assert_eq!((attempt.clashes().is_empty(), attempt.is_solved()), (right, right));
        }
    }
}

#[test]
fn marks_are_filled_and_tidied_by_what_lines_have() {
    let puzzle = four();
    let mut attempt = Attempt::parse(&puzzle, "3.../[13]1../[1234].../....").unwrap();
    attempt.fill_marks();
    assert_eq!(
        attempt.to_string(),
        "3[24][124][124]/[13]1[234][234]/[1234][234][1234][1234]/[124][234][1234][1234]"
    );
    attempt.tidy_marks();
    assert_eq!(
        attempt.to_string(),
        "3[24][124][124]/.1[234][234]/[124][234][1234][1234]/[124][234][1234][1234]"
    );
}

#[test]
fn the_text_of_an_attempt_reads_back_and_bad_text_is_refused() {
    let mut chance = Random(5);
    for side in [1, 4, 9, 10, 12] {
        let recipe = Recipe::new(Size::new(side).unwrap(), None);
        let puzzle = kenken::generate(&recipe, 1).unwrap().puzzle;
        let mut attempt = Attempt::new(&puzzle);
        for cell in attempt.cells() {
            match chance.below(3) {
                0 => attempt.place(cell, Some(1 + chance.below(side) as u8)),
                1 => attempt.mark(cell, Digits(chance.below(1 << side) as u32)),
                _ => {}
            }
        }
        assert_eq!(Attempt::parse(&puzzle, &attempt.to_string()), Ok(attempt));
    }
    let puzzle = four();
    for (grid, expected) in [
        ("", "row 1 has 0 cells, expected 4"),
        ("...", "row 1 has 3 cells, expected 4"),
        ("..../..../....", "3 rows, expected 4"),
        ("..../..../..../..../....", "5 rows, expected 4"),
        ("5.../..../..../....", "row 1: '5' is not a digit of this grid"),
        ("..../.0../..../....", "row 2: '0' is not a digit of this grid"),
        ("[15].../..../..../....", "row 1: '[15]' is not a digit of this grid"),
        ("...[12/..../..../....", "row 1: '[12' is not a digit of this grid"),
        ("x.../..../..../....", "row 1: 'x' is not a digit of this grid"),
    ] {
        assert_eq!(Attempt::parse(&puzzle, grid).unwrap_err().to_string(), expected, "{grid}");
    }
    let parts = |digits: usize, digit: u8| {
        let digits = vec![Some(digit); digits];
        Attempt::from_parts(&puzzle, &digits, &vec![vec![]; 16]).unwrap_err().to_string()
    };
    assert_eq!(parts(15, 1), "15 cells, expected 16");
    assert_eq!(parts(16, 9), "r1c1: 9 is not a digit of this grid");
    let marked = Attempt::from_parts(&puzzle, &[None; 16], &vec![vec![2, 4]; 16]).unwrap();
    assert_eq!(marked.marks(Cell(3)), Digits(0b1010));
}

#[test]
fn watched_generation_gives_the_same_puzzle_and_stops_when_told() {
    for level in Level::ALL {
        let recipe = Recipe::new(Size::new(6).unwrap(), Some(level));
        let batch = generate_batch(&recipe, 9, 0..3);
        for (number, expected) in (0..).zip(batch) {
            let mut seen = 0;
            let made = generate_watched(&recipe, 9, number, &mut |_| {
                seen += 1;
                ControlFlow::Continue(())
            });
            assert_eq!(made, expected);
            assert!(seen > 0);
            for stop in [1, seen] {
                let mut left = stop;
                let made = generate_watched(&recipe, 9, number, &mut |_| {
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                assert_eq!(made, Err(GenerateError::Stopped));
            }
        }
    }
    assert!(Solver::new().count(&four(), 2, &Limits::NONE).unique(2).unwrap());
}
