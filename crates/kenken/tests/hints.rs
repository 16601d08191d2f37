//! Hints lead to the solution, in words.

mod shared;

use std::time::Instant;

use kenken::{Digits, Explainer, Level, Limits, Next, Rule, Solver, check_notes, keen};

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
                    assert!(level.rules().contains(step.rule), "{name}: {}", step.text);
                    assert!(!step.removed.is_empty() && !step.because.is_empty(), "{}", step.text);
                    for (cell, gone) in &step.removed {
                        let rank = usize::from(solution.digit(*cell)) - 1;
                        assert!(!gone.contains(rank), "{name}: {}", step.text);
                    }
                    for cell in &step.because {
                        let named = step.text.contains(&cell.name(puzzle.size()));
                        assert!(named, "{name}: {}", step.text);
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
fn every_rule_has_words() {
    for (id, rule, text) in [
        (
            "4:_a_7a4_a3,a4a5s1s1d2d2m4m6",
            Rule::NakedSingle,
            "column 2 already has 3 (in r3c2), so r1c2, r2c2 and r4c2 cannot be 3",
        ),
        ("4:_a_7a4_a3,a4a5s1s1d2d2m4m6", Rule::HiddenSingle, "in row 3 the digit 3 fits only r3c2"),
        (
            "4:_a_7a4_a3,a4a5s1s1d2d2m4m6",
            Rule::CageDigits,
            "cage 4+ (r1c1 and r2c1) can only be made from 1 and 3, so r1c1 and r2c1 cannot be 2 or 4",
        ),
        (
            "5:_a_10a_aca_a__a_a4_,a5m15s1s3m5a5s1d2a5s3d2m60",
            Rule::CageCandidates,
            "cage 5+ (r1c1 and r2c1) cannot be filled otherwise, so r2c1 cannot be 2",
        ),
        (
            "5:_aa__a_10bcbaa_a__a_,a7m20s1d2a7m10m30a5s2s1s1",
            Rule::MustAppear,
            "every way to fill cage 2/ (r2c3 and r3c3) puts 2 into column 3 (at r2c3 and r3c3), so r1c3, r4c3 and r5c3 cannot be 2",
        ),
        (
            "5:_aa__a_10bcbaa_a__a_,a7m20s1d2a7m10m30a5s2s1s1",
            Rule::Fish,
            "in rows 3, 4 and 5 the digit 4 fits only columns 3, 4 and 5 (at r3c4, r3c5, r4c3, r4c4, r4c5, r5c3, r5c4 and r5c5), so r1c4, r1c5, r2c4 and r2c5 cannot be 4",
        ),
        (
            "5:_a__a_b_a3c_9cba_,s2d2m20a5a5m24s3s3m360a6",
            Rule::LineSet,
            "in column 2 the cells r1c2, r2c2 and r3c2 need 2, 3 and 4 among themselves, so r4c2 and r5c2 cannot be 2 or 4",
        ),
        (
            "5:_aa__a_7a_ba3_aa_a__a_,a7m6a6s1d2m5s2s1a5d2d2m15",
            Rule::Chain,
            "if r1c4 is not 1, then r1c4 is 5, r5c4 is 3, r3c4 is 2, r3c5 is 1; so r1c4 or r3c5 is 1, and r1c5 cannot be 1",
        ),
        (
            "5:aa_7a_ba4b_a__a_a_3,d2s2s3s2m60a5m40s3m6a6a7",
            Rule::Trial,
            "if r1c4 were 5, the other rules lead to a contradiction, so r1c4 is 1",
        ),
    ] {
        let puzzle = keen::parse(id).unwrap();
        let explanation = kenken::explain(&puzzle, Level::Unreasonable, &Limits::NONE);
        assert_eq!(explanation.end, Next::Solved, "{id}");
        let step = explanation.steps.iter().find(|step| step.rule == rule);
        assert_eq!(step.map(|step| step.text.as_str()), Some(text), "{rule} in {id}");
    }
}

#[test]
fn trials_end_at_their_limits() {
    let hard = "8:a3b__abb__a__b__a_ca_a3bb_bcf_ba_ba_f_ab_3e_ce,\
                m282240a9a35m32256a6a31a6a40m2160a8m16a41";
    let puzzle = keen::parse(hard).unwrap();
    let end = |limits: Limits| kenken::explain(&puzzle, Level::Unreasonable, &limits).end;
    assert_eq!(end(Limits { nodes: Some(1), deadline: None }), Next::Unsettled);
    assert_eq!(end(Limits { nodes: None, deadline: Some(Instant::now()) }), Next::Unsettled);
    let extreme = kenken::explain(&puzzle, Level::Extreme, &Limits::NONE);
    assert_eq!(extreme.end, Next::Stuck, "only trials are bounded");
}

#[test]
fn a_puzzle_with_two_solutions_gets_stuck_and_one_without_contradicts_itself() {
    let two = keen::parse("2:__b,a3a3").unwrap();
    assert_eq!(kenken::explain(&two, Level::Unreasonable, &Limits::NONE).end, Next::Stuck);
    let none = keen::parse("2:_b_,a3a3").unwrap();
    assert_eq!(kenken::explain(&none, Level::Unreasonable, &Limits::NONE).end, Next::Contradiction);
}

#[test]
fn a18_wrong_digits_are_named_before_a_hint_builds_on_them() {
    let unique = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";
    let several = "2:__b,a3a3";
    let none = "2:_b_,a3a3";
    for (id, grid, expected) in [
        (unique, "4.../..../..../....", "wrong: 4 in r1c1"),
        (unique, "3.../..../..../....", ""),
        (unique, "3142/1423/2314/4231", ""),
        (unique, "4.41/..../..../...2", "wrong: 4 in r1c1, 1 in r1c4, 2 in r4c4"),
        (several, "1./..", ""),
        (several, "12/.1", ""),
        (several, "12/2.", ""),
        // Each of them alone is right.
        (several, "12/.2", "wrong: 2 in r2c2"),
        (several, "11/..", "wrong: 1 in r1c2"),
        (none, "11/..", ""),
    ] {
        let puzzle = keen::parse(id).unwrap();
        let notes: Vec<Digits> = grid
            .chars()
            .filter(|&cell| cell != '/')
            .map(|cell| match cell.to_digit(10) {
                Some(digit) => Digits::one(digit as usize - 1),
                None => puzzle.size().digits(),
            })
            .collect();
        let checked = check_notes(&puzzle, &notes, &Limits::NONE).unwrap();
        let said = checked.err().map(|fault| fault.to_string()).unwrap_or_default();
        assert_eq!(said, expected, "{id} {grid}");
    }
}

#[test]
fn a18_candidates_can_be_wrong_too_and_limits_leave_it_open() {
    let puzzle = keen::parse("4:_a_7a4_a3,a4a5s1s1d2d2m4m6").unwrap();
    let mut notes = vec![puzzle.size().digits(); 16];
    notes[5] = Digits(0b0101);
    let fault = check_notes(&puzzle, &notes, &Limits::NONE).unwrap().unwrap_err();
    assert_eq!(fault.to_string(), "wrong: 1 or 3 in r2c2");
    let hard = "8:a3b__abb__a__b__a_ca_a3bb_bcf_ba_ba_f_ab_3e_ce,\
                m282240a9a35m32256a6a31a6a40m2160a8m16a41";
    let hard = keen::parse(hard).unwrap();
    let limits = Limits { nodes: Some(1), deadline: None };
    assert_eq!(check_notes(&hard, &vec![hard.size().digits(); 64], &limits), None);
}
