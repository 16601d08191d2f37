//! What holds for any bytes at all: reading never panics, and what is accepted is a puzzle that
//! comes back from every format and can be counted.

use kenken::{Engine, Limits, Puzzle, Solver, check, drawing, json, keen};

pub(crate) fn an_accepted_game_id_is_read_back_and_counted(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match keen::parse(&text) {
        Err(error) => check_message(&error.to_string()),
        Ok(puzzle) => {
            let printed = keen::print(&puzzle).expect("a game ID has a game ID");
            assert_eq!(keen::parse(&printed).as_ref(), Ok(&puzzle));
            is_a_puzzle(&puzzle);
        }
    }
}

pub(crate) fn an_accepted_json_is_read_back_and_counted(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match json::parse(&text) {
        Err(error) => check_message(&error.to_string()),
        Ok(document) => {
            let json::Document { id, puzzle, solution } = &document;
            let printed = json::print(puzzle, id.as_deref(), solution.as_ref());
            assert_eq!(json::parse(&printed).expect("our own JSON is good"), document);
            is_a_puzzle(puzzle);
        }
    }
}

pub(crate) fn an_accepted_drawing_is_read_back_and_counted(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match drawing::parse(&text) {
        Err(error) => check_message(&error.to_string()),
        Ok(puzzle) => is_a_puzzle(&puzzle),
    }
}

/// A message about foreign text does not repeat what could steer a terminal.
fn check_message(message: &str) {
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
}

/// What holds for every puzzle, wherever it came from.
fn is_a_puzzle(puzzle: &Puzzle) {
    assert_eq!(drawing::parse(&drawing::print(puzzle)).as_ref(), Ok(puzzle));
    assert_eq!(puzzle.cages().map(|cage| cage.cells.len()).sum::<usize>(), puzzle.size().cells());
    // Larger ones are counted by the tests of the solver; here they would take all the time.
    if puzzle.size().cells() > 16 {
        return;
    }
    let limits = Limits { nodes: Some(50), deadline: None };
    let by = |engine: Engine| Solver::new().with_engine(engine).count(puzzle, 2, &limits);
    let (search, clauses) = (by(Engine::Search), by(Engine::Clauses));
    for count in [&search, &clauses] {
        if let Some(first) = &count.first {
            assert_eq!(check(puzzle, first), Ok(()));
        }
    }
    if search.complete && clauses.complete {
        assert_eq!(search.solutions, clauses.solutions);
    }
}
