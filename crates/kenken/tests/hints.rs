//! Hints lead to the solution, in words.

mod shared;

use kenken::{Explainer, Level, Limits, Next, Rule, Solver, keen};

#[test]
fn hints_up_to_the_level_lead_to_the_solution_and_name_what_they_use() {
    let mut puzzles = Vec::new();
    for file in shared::keen_files() {
        let level = Level::from_name(&file.level.to_string()).unwrap();
        puzzles.extend(file.ids.into_iter().step_by(5).map(|id| (file.name.clone(), level, id)));
    }
    assert!(puzzles.len() >= 200, "{} puzzles", puzzles.len());
    for (name, level, id) in puzzles {
        let puzzle = keen::parse(&id).unwrap();
        let solution = Solver::new().count(&puzzle, 2, &Limits::NONE).first.unwrap();
        let mut explainer = Explainer::new(&puzzle);
        loop {
            match explainer.next(level) {
                Next::Solved => break,
                Next::Step(step) => {
                    assert!(level.rules().has(step.rule), "{name}: {}", step.text);
                    assert!(!step.removed.is_empty() && !step.because.is_empty(), "{}", step.text);
                    for (cell, gone) in &step.removed {
                        let rank = usize::from(solution.digit(*cell)) - 1;
                        assert!(!gone.has(rank), "{name}: {}", step.text);
                    }
                    for cell in &step.because {
                        let named = step.text.contains(&cell.name(puzzle.size()));
                        assert!(named || step.rule == Rule::Fish, "{name}: {}", step.text);
                    }
                    if let Some(cage) = step.cage {
                        let cage = puzzle.cage(cage);
                        assert!(step.text.contains(&cage.clue.target.to_string()), "{}", step.text);
                    }
                }
                other => panic!("{name}: {other:?} at {level}"),
            }
        }
        let placed: Vec<usize> =
            explainer.notes().iter().map(|digits| digits.lowest().unwrap() + 1).collect();
        let expected: Vec<usize> =
            solution.digits().iter().map(|&digit| usize::from(digit)).collect();
        assert_eq!(placed, expected, "{name}");
    }
}

#[test]
fn an_explanation_reads_well() {
    let puzzle = keen::parse("3:a__a_a_aa_,a3a5d3a4a3").or_else(|_| keen::parse("2:__b,a3a3"));
    let puzzle = puzzle.unwrap();
    let explanation = kenken::explain(&puzzle, Level::Unreasonable);
    for step in &explanation.steps {
        println!("{}: {}", step.rule, step.text);
    }
    println!("{:?}", explanation.end);
}

#[test]
fn a_puzzle_with_two_solutions_gets_stuck_and_one_without_contradicts_itself() {
    let two = keen::parse("2:__b,a3a3").unwrap();
    assert_eq!(kenken::explain(&two, Level::Unreasonable).end, Next::Stuck);
    let none = keen::parse("2:_b_,a3a3").unwrap();
    assert_eq!(kenken::explain(&none, Level::Unreasonable).end, Next::Contradiction);
}
