//! Made puzzles are unique, of the level asked for, and the same for the same seed.

mod shared;

use std::collections::HashSet;

use kenken::{
    Batch, GenerateError, Grade, Level, Limits, Minimise, Operator, OperatorMix, Recipe, Rules,
    Size, Solver, check, generate, generate_batch, grade, keen, make_unique, minimise,
};

fn recipe(side: usize, level: Level) -> Recipe {
    Recipe::new(Size::new(side).unwrap(), Some(level))
}

#[test]
fn puzzles_are_unique_and_of_their_level() {
    for side in [4, 6, 9] {
        for level in Level::ALL {
            for multiply in [false, true] {
                let mut recipe = recipe(side, level);
                if multiply {
                    recipe.operators = OperatorMix::MULTIPLY;
                }
                for made in generate_batch(&recipe, 2026, 0..4) {
                    let made = made.unwrap_or_else(|error| panic!("{side} {level}: {error}"));
                    let count = Solver::new().count(&made.puzzle, 2, &Limits::NONE);
                    assert_eq!(count.unique(2), Some(true));
                    assert_eq!(count.first.as_ref(), Some(&made.solution));
                    assert_eq!(check(&made.puzzle, &made.solution), Ok(()));
                    assert_eq!(grade(&made.puzzle, &Limits::NONE), Grade::Level(level));
                    let other = |operator: Operator| {
                        !matches!(operator, Operator::Multiply | Operator::Given)
                    };
                    assert!(!multiply || !made.puzzle.cages().any(|c| other(c.clue.operator)));
                    assert!(made.puzzle.cages().all(|cage| cage.cells.len() <= 5));
                }
            }
        }
    }
}

#[test]
fn a_batch_does_not_depend_on_threads_or_on_its_length() {
    let recipe = recipe(6, Level::Hard);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| generate_batch(&recipe, 7, 0..24))
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one, three);
    assert_eq!(generate_batch(&recipe, 7, 0..5), one[..5]);
    assert_eq!(generate(&recipe, 7), one[0]);
    assert_ne!(generate(&recipe, 8), one[0]);
}

#[test]
fn a_batch_repeats_a_puzzle_only_where_there_are_no_more() {
    for (side, level, count) in [(3, None, 400), (3, Some(Level::Easy), 300), (4, None, 2_000)] {
        let recipe = Recipe::new(Size::new(side).unwrap(), level);
        let made = generate_batch(&recipe, 5, 0..count);
        let distinct: HashSet<_> = made.iter().map(|made| &made.as_ref().unwrap().puzzle).collect();
        assert_eq!(distinct.len() as u64, count, "{side}");
        let mut batch = Batch::new(&recipe, 5, 0);
        let pieces = [batch.next(7), batch.next(1), batch.next(count - 8)].concat();
        assert!(pieces == made && batch.repeats() == 0, "pieces make the same batch");
    }
    // A single cell has one puzzle, and 2x2 cells have a few.
    for side in [1, 2] {
        let recipe = Recipe::new(Size::new(side).unwrap(), None);
        let mut batch = Batch::new(&recipe, 5, 0);
        let made = batch.next(300);
        let distinct: HashSet<_> = made.iter().map(|made| &made.as_ref().unwrap().puzzle).collect();
        assert_eq!(made.len(), 300);
        assert_eq!(distinct.len() as u64, 300 - batch.repeats());
        println!("{side}: {} puzzles", distinct.len());
        assert!(side == 2 || distinct.len() == 1);
    }
}

#[test]
fn a_seed_keeps_its_puzzle() {
    let made = generate(&recipe(4, Level::Normal), 1).unwrap();
    assert_eq!(keen::print(&made.puzzle).unwrap(), "4:__c_6aa_a3__,a11a3a7s2d2a4a2a3");
}

#[test]
fn rule_variants_and_hidden_operators_can_be_asked_for() {
    let mut recipe = Recipe::new(Size::new(5).unwrap(), None);
    recipe.rules = Rules { zero: true, wide_sub_div: true, ..Rules::default() };
    recipe.operators.unknown = 20;
    recipe.cage_sizes = vec![0, 3, 2, 1];
    for made in generate_batch(&recipe, 3, 0..20) {
        let made = made.unwrap();
        assert_eq!(Solver::new().count(&made.puzzle, 2, &Limits::NONE).unique(2), Some(true));
        assert_eq!(check(&made.puzzle, &made.solution), Ok(()));
        assert!(made.puzzle.cages().any(|cage| cage.clue.operator == Operator::Unknown));
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    let none = Recipe { cage_sizes: vec![0], ..recipe(4, Level::Easy) };
    assert_eq!(generate(&none, 1), Err(GenerateError::Empty));
    assert!(matches!(generate(&recipe(1, Level::Hard), 1), Err(GenerateError::NotFound { .. })));
    assert!(generate(&Recipe::new(Size::new(1).unwrap(), None), 1).is_ok());
}

const NONE: OperatorMix = OperatorMix { add: 0, subtract: 0, multiply: 0, divide: 0, unknown: 0 };

#[test]
fn a18_operators_and_sizes_that_are_not_wanted_do_not_occur() {
    use Operator::{Add, Divide, Given, Multiply, Subtract, Unknown};
    let only_minus = OperatorMix { subtract: 1, ..NONE };
    let only_quotients = OperatorMix { divide: 1, ..NONE };
    let all: &[Operator] = &[Add, Subtract, Multiply, Divide, Given];
    type Case<'a> = (usize, OperatorMix, &'a [u32], bool, &'a [Operator]);
    let cases: [Case<'_>; 9] = [
        (4, only_minus, &[2, 50, 30, 12, 4], false, &[Subtract, Given]),
        (6, only_minus, &[2, 50, 30, 12, 4], true, &[Subtract, Given]),
        (5, only_quotients, &[2, 50, 30, 12, 4], false, &[Divide, Given]),
        (
            4,
            OperatorMix { subtract: 1, divide: 1, ..NONE },
            &[1, 9],
            false,
            &[Subtract, Divide, Given],
        ),
        (
            5,
            OperatorMix { subtract: 1, unknown: 1, ..NONE },
            &[2, 9, 9],
            false,
            &[Subtract, Unknown, Given],
        ),
        (6, OperatorMix::ALL, &[0, 1], false, all),
        (6, OperatorMix::ALL, &[0, 1, 0, 1], false, all),
        (6, OperatorMix::ALL, &[0, 0, 1], false, all),
        (3, OperatorMix::ALL, &[1], false, &[Given]),
    ];
    for (side, operators, sizes, wide, expected) in cases {
        let recipe = Recipe {
            operators,
            cage_sizes: sizes.to_vec(),
            rules: Rules { wide_sub_div: wide, ..Rules::default() },
            ..Recipe::new(Size::new(side).unwrap(), None)
        };
        for made in generate_batch(&recipe, 5, 0..8) {
            let made = made.unwrap_or_else(|error| panic!("{recipe:?}: {error}"));
            for cage in made.puzzle.cages() {
                assert!(expected.contains(&cage.clue.operator), "{recipe:?}: {}", cage.clue);
                assert!(sizes[cage.cells.len() - 1] > 0, "{recipe:?}: {}", cage.cells.len());
            }
            let count = Solver::new().count(&made.puzzle, 2, &Limits::NONE);
            assert_eq!((count.unique(2), count.first), (Some(true), Some(made.solution)));
        }
    }
}

#[test]
fn a18_what_no_cages_can_cover_is_refused() {
    let size = Size::new(5).unwrap();
    let odd = Recipe { cage_sizes: vec![0, 1], ..Recipe::new(size, None) };
    assert_eq!(generate(&odd, 1), Err(GenerateError::Sizes { size }));
    let only_minus = OperatorMix { subtract: 1, ..NONE };
    let threes =
        Recipe { cage_sizes: vec![0, 0, 1], operators: only_minus, ..Recipe::new(size, None) };
    assert_eq!(generate(&threes, 1), Err(GenerateError::Sizes { size }));
    // Every difference stays the same when each digit is taken from 7, so none is unique.
    let size = Size::new(6).unwrap();
    let twos = Recipe { cage_sizes: vec![0, 1], operators: only_minus, ..Recipe::new(size, None) };
    assert!(matches!(generate(&twos, 1), Err(GenerateError::NotFound { .. })));
    let layout = kenken::drawing::parse("AAA\nBBC\nDDC\n\nA 6+\nB 1-\nC 1-\nD 1-").unwrap();
    let expected = Err(GenerateError::Operators { cells: 3 });
    assert_eq!(make_unique(&layout, &only_minus, 1), expected);
}

#[test]
fn a18_merged_cages_have_wanted_operators() {
    let recipe = Recipe { operators: OperatorMix::MULTIPLY, ..recipe(4, Level::Easy) };
    let made = generate(&recipe, 3).unwrap();
    let clues = Minimise::Clues { sizes: &[1; 6], operators: OperatorMix::MULTIPLY };
    let merged = minimise(&made.puzzle, clues, 1).unwrap();
    assert!(merged.len() < made.puzzle.len());
    let others = |operator| !matches!(operator, Operator::Multiply | Operator::Given);
    assert!(!merged.cages().any(|cage| others(cage.clue.operator)));
}

#[test]
fn merged_cages_have_wanted_sizes() {
    let made = generate(&Recipe { cage_sizes: vec![1, 4], ..recipe(5, Level::Easy) }, 3).unwrap();
    let clues = Minimise::Clues { sizes: &[1, 1, 0, 1], operators: OperatorMix::ALL };
    let merged = minimise(&made.puzzle, clues, 1).unwrap();
    assert!(merged.len() < made.puzzle.len());
    assert!(merged.cages().all(|cage| [1, 2, 4].contains(&cage.cells.len())));
}

#[test]
fn a_layout_is_made_unique_and_stays_as_it_is() {
    for (name, layout) in shared::keen_puzzles().into_iter().step_by(131) {
        let made =
            make_unique(&layout, &OperatorMix::ALL, 5).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(made.puzzle.cage_map(), layout.cage_map(), "{name}");
        let count = Solver::new().count(&made.puzzle, 2, &Limits::NONE);
        assert_eq!(count.unique(2), Some(true), "{name}");
    }
}

#[test]
fn a_minimal_puzzle_is_unique_and_nothing_more_can_go() {
    let puzzle = generate(&recipe(5, Level::Normal), 11).unwrap().puzzle;
    let unique = |puzzle: &kenken::Puzzle| {
        Solver::new().count(puzzle, 2, &Limits::NONE).unique(2) == Some(true)
    };
    let clues = Minimise::Clues { sizes: &[1; 6], operators: OperatorMix::ALL };
    let merged = minimise(&puzzle, clues, 1).unwrap();
    assert!(unique(&merged) && merged.len() < puzzle.len());
    assert_eq!(minimise(&merged, clues, 2), Some(merged));

    let bare = minimise(&puzzle, Minimise::Operators, 1).unwrap();
    let unknown = |puzzle: &kenken::Puzzle| {
        puzzle.cages().filter(|cage| cage.clue.operator == Operator::Unknown).count()
    };
    assert!(unique(&bare) && unknown(&bare) > 0);
    assert_eq!(minimise(&bare, Minimise::Operators, 2).map(|p| unknown(&p)), Some(unknown(&bare)));
    assert_eq!(minimise(&keen::parse("2:__b,a3a3").unwrap(), Minimise::Operators, 1), None);
}
