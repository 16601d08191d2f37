//! Chosen columns of games and positions hold what whole rows hold.

use std::collections::HashSet;

use arrow::{compute::concat_batches, record_batch::RecordBatch};
use chess::{
    Position,
    pgn::{Mainline, Reader},
};
use chess_facts::{Definitions, Facts, Level, Selection};
use tables::{
    Batches, Cell,
    chess::{
        FACT_KEYS, FactRows, GAMES, GameRows, POSITIONS, PositionRows, all_positions, game,
        position, tag_cell,
    },
};

const NASTY: &str = "[White \"A\"]\n[TimeControl \"180+2\"]\n[Annotator \"x\"]\n[Annotator \"y\"]\n[WhiteElo \"?\"]\n\n\
    1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:59] [%eval 0.3]} 2. Qh5 {[%clk 0:02:58.5] [%eval -1.25]} \
    Nc6 {[%emt 0:00:07]} 3. Bc4 {[%clk 0:05:00]} Nf6 {[%eval #1]} 4. Qxf7# {[%eval #-0]} 1-0\n\n\
    [FEN \"r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1\"]\n\n1. exd6 O-O 2. b8=N Raxb8 3. O-O-O *\n";

fn games() -> Vec<Mainline> {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");
    let text = NASTY.to_owned() + &std::fs::read_to_string(file).unwrap();
    let mut reader = Reader::new(text.as_bytes());
    let mut buffer = Mainline::with_notes().with_text();
    let mut games = Vec::new();
    while buffer.read(&mut reader).unwrap() && games.len() < 60 {
        games.push(buffer.clone());
    }
    games
}

fn one(batches: &[RecordBatch]) -> RecordBatch {
    concat_batches(&batches[0].schema(), batches).unwrap()
}

fn same_columns(chosen: &RecordBatch, whole: &RecordBatch) {
    for (field, column) in chosen.schema().fields().iter().zip(chosen.columns()) {
        let expected = whole.column_by_name(field.name());
        assert_eq!(Some(column), expected, "{}", field.name());
    }
}

#[test]
fn chosen_columns_of_games_are_those_of_whole_rows() {
    let games = games();
    let rows = games.iter().enumerate().map(|(at, it)| game("x.pgn", at as u64, it));
    let whole = one(&Batches::collect(&GAMES, rows));
    for step in [1, 2, 5] {
        let wanted: Vec<usize> = (0..GAMES.columns.len()).rev().step_by(step).collect();
        let mut rows = GameRows::new(&wanted);
        for (at, game) in games.iter().enumerate() {
            rows.push("x.pgn", at as u64, game);
        }
        let chosen = rows.finish().unwrap();
        assert_eq!((chosen.num_rows(), chosen.num_columns()), (60, wanted.len()));
        same_columns(&chosen, &whole);
        assert!(rows.is_empty());
    }
    let mut rows = GameRows::new(&[]);
    rows.push("x", 1, &games[0]);
    assert_eq!(rows.finish().unwrap().num_rows(), 1);
}

#[test]
fn chosen_columns_of_positions_are_those_of_whole_rows() {
    let games = games();
    let plies = |game: &Mainline| (0..game.positions.len()).step_by(3);
    let rows = games
        .iter()
        .enumerate()
        .flat_map(|(at, game)| plies(game).map(move |ply| position("x.pgn", at as u64, game, ply)));
    let whole = one(&Batches::collect(&POSITIONS, rows));
    let every = Selection::parse(["everything", "masks", "lists"]).unwrap();
    let mut rows = FactRows::new(&every, Definitions::Std);
    let mut facts = Facts::empty();
    for (at, game) in games.iter().enumerate() {
        for ply in plies(game) {
            facts.compute(&game.positions[ply], Level::Everything, Definitions::Std);
            rows.push("x.pgn", at as u64, ply as u64, &game.positions[ply], &facts);
        }
    }
    let facts = rows.finish().unwrap();
    let all = all_positions();
    let is_fact = |index: &usize| facts.column_by_name(all.field(*index).name()).is_some();
    let is_own = |index: &usize| whole.column_by_name(all.field(*index).name()).is_some();
    for step in [1, 7, 31] {
        let wanted: Vec<usize> = (0..all.fields().len()).rev().step_by(step).collect();
        let mut rows = PositionRows::new(&wanted);
        for (at, game) in games.iter().enumerate() {
            rows.push_game("x.pgn", at as u64, game, plies(game));
        }
        assert_eq!(rows.len(), whole.num_rows());
        let chosen = rows.finish().unwrap();
        let places: Vec<usize> = (0..wanted.len()).collect();
        let of = |is: &dyn Fn(&usize) -> bool| {
            let places: Vec<usize> = places.iter().copied().filter(|at| is(&wanted[*at])).collect();
            chosen.project(&places).unwrap()
        };
        same_columns(&of(&is_own), &whole);
        same_columns(&of(&is_fact), &facts);
    }
    let names: HashSet<&str> = all.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names.len(), all.fields().len(), "no two columns have one name");
    assert!(FACT_KEYS.iter().all(|key| names.contains(key.name)));
}

#[test]
fn only_facts_that_are_shown_are_computed() {
    let all = all_positions();
    let level = |names: &[&str]| {
        let wanted: Vec<usize> = names.iter().map(|name| all.index_of(name).unwrap()).collect();
        PositionRows::new(&wanted).level()
    };
    assert_eq!(level(&[]), None);
    assert_eq!(level(&["fen", "white_elo", "check", "tags"]), None);
    assert_eq!(level(&["open_files"]), Some(Level::Lines));
    assert_eq!(level(&["black_pinned_mask", "fen"]), Some(Level::Lines));
    assert_eq!(level(&["white_pins", "white_hanging_see"]), Some(Level::Exchange));
    assert_eq!(level(&["black_fork_targets"]), Some(Level::Forks));
    assert_eq!(level(&["white_mobility"]), Some(Level::Everything));
}

#[test]
fn times_and_evaluations_are_told_in_numbers() {
    let games = games();
    let cell = |game: usize, ply: usize, name: &str| {
        let at = POSITIONS.columns.iter().position(|column| column.name == name).unwrap();
        position("", 1, &games[game], ply)[at].clone()
    };
    let spent: Vec<Cell<'_>> = (0..8).map(|ply| cell(0, ply, "spent")).collect();
    let nothing = || Cell::Nothing;
    let expected = [
        nothing(),
        nothing(),
        nothing(),
        Cell::Real(3.5),
        Cell::Real(7.0),
        // The clock has gained more than the increment.
        nothing(),
        nothing(),
        nothing(),
    ];
    assert_eq!(spent, expected);
    assert_eq!(cell(0, 2, "centipawns"), Cell::Number(30));
    assert_eq!(cell(0, 3, "centipawns"), Cell::Number(-125));
    assert_eq!((cell(0, 6, "mate_in"), cell(0, 6, "centipawns")), (Cell::Number(1), nothing()));
    assert_eq!((cell(0, 7, "mate_in"), cell(0, 7, "checkmate")), (Cell::Number(0), true.into()));
    let moves = |name| (0..6).map(|ply| cell(1, ply, name)).collect::<Vec<_>>();
    let text = |words: [Option<&'static str>; 6]| words.map(Cell::from).to_vec();
    let piece = [Some("pawn"), Some("king"), Some("pawn"), Some("rook"), Some("king"), None];
    assert_eq!(moves("piece"), text(piece));
    assert_eq!(moves("captured"), text([Some("pawn"), None, None, Some("knight"), None, None]));
    assert_eq!(moves("promotion"), text([None, None, Some("knight"), None, None, None]));
    assert_eq!(
        moves("to"),
        text([Some("d6"), Some("g8"), Some("b8"), Some("b8"), Some("c1"), None])
    );
}

#[test]
fn tags_without_a_column_of_their_own_are_a_map() {
    let games = games();
    assert_eq!(tag_cell("tags", &games[0].tags), Some(Cell::Map(vec![("Annotator", "x")])));
    assert_eq!(tag_cell("white_elo", &games[0].tags), Some(Cell::Nothing));
    assert_eq!(tag_cell("plies", &games[0].tags), None);
}

#[test]
fn a_line_with_a_position_has_no_tags_and_no_result() {
    let all = all_positions();
    let wanted = ["game", "ply", "fen", "result", "white", "san", "white_material", "tags"];
    let wanted: Vec<usize> = wanted.iter().map(|name| all.index_of(name).unwrap()).collect();
    let mut rows = PositionRows::new(&wanted);
    rows.push_position("x.epd", 7, &Position::default());
    let batch = rows.finish().unwrap();
    let nulls: Vec<usize> = batch.columns().iter().map(|column| column.null_count()).collect();
    assert_eq!(nulls, [0, 0, 0, 1, 1, 1, 0, 1]);
}
