//! Puzzles as JSON objects, one per line in files.
//!
//! `{"v":1,"id":"..","n":6,"rules":{"zero":false,"wide_sub_div":false},
//! "cages":[{"op":"+","target":8,"cells":[0,6]},...],"solution":[..]}`. `v`, `id`, `rules` and
//! `solution` are optional. Unknown fields are ignored. A cell is an index in row-major order or a
//! pair `[row, column]`, both from 0.

use serde_json::{Map, Value, json};

use crate::{
    grid::{Cell, Size},
    puzzle::{Clue, Operator, Puzzle, PuzzleError, Rules},
    solution::Solution,
};

/// The content of one JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its `id`, if it had one.
    pub id: Option<String>,
    /// The puzzle.
    pub puzzle: Puzzle,
    /// Its `solution`, if it has one: digits in row-major order, not checked against the puzzle.
    pub solution: Option<Solution>,
}

/// Why a text is not a puzzle in JSON.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// Not JSON at all.
    #[error("not JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// A field that is missing or of the wrong kind.
    #[error("{place}: expected {expected}")]
    Field {
        /// The field, as a path.
        place: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A version of the format that is not supported.
    #[error("v: version {found}, expected 1")]
    Version {
        /// The version.
        found: u64,
    },
    /// Cages that do not form a puzzle.
    #[error("cages: {0}")]
    Puzzle(#[from] PuzzleError),
}

/// Reads one object.
pub fn parse(text: &str) -> Result<Document, JsonError> {
    let value: Value = serde_json::from_str(text)?;
    let object = value.as_object().ok_or_else(|| field("the text", "an object"))?;
    if let Some(version) = object.get("v") {
        let found = version.as_u64().ok_or_else(|| field("v", "the version number 1"))?;
        if found != 1 {
            return Err(JsonError::Version { found });
        }
    }
    let size = object
        .get("n")
        .and_then(Value::as_u64)
        .and_then(|side| Size::new(usize::try_from(side).ok()?))
        .ok_or_else(|| field("n", "a grid size from 1 to 32"))?;
    let id = match object.get("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(id.clone()),
        Some(_) => return Err(field("id", "a string")),
    };
    let rules = parse_rules(object.get("rules"))?;
    let cages = object.get("cages").and_then(Value::as_array);
    let cages = cages.ok_or_else(|| field("cages", "an array of cages"))?;
    let cages: Vec<(Clue, Vec<Cell>)> = cages
        .iter()
        .enumerate()
        .map(|(number, cage)| parse_cage(number, cage, size))
        .collect::<Result<_, _>>()?;
    let puzzle = Puzzle::new(size, rules, &cages)?;
    let solution = match object.get("solution") {
        None | Some(Value::Null) => None,
        Some(value) => Some(parse_solution(value, size, &rules)?),
    };
    Ok(Document { id, puzzle, solution })
}

/// Writes one object on one line, without a line break at the end.
pub fn print(puzzle: &Puzzle, id: Option<&str>, solution: Option<&Solution>) -> String {
    let mut object = Map::new();
    object.insert("v".into(), json!(1));
    if let Some(id) = id {
        object.insert("id".into(), json!(id));
    }
    object.insert("n".into(), json!(puzzle.size().side()));
    if *puzzle.rules() != Rules::default() {
        object.insert("rules".into(), print_rules(puzzle.rules()));
    }
    let cages = puzzle.cages().map(|cage| {
        let cells: Vec<u16> = cage.cells.iter().map(|cell| cell.0).collect();
        json!({
            "op": cage.clue.operator.sign().to_string(),
            "target": cage.clue.target,
            "cells": cells,
        })
    });
    object.insert("cages".into(), cages.collect());
    if let Some(solution) = solution {
        object.insert("solution".into(), json!(solution.digits()));
    }
    Value::Object(object).to_string()
}

fn field(place: impl Into<String>, expected: &'static str) -> JsonError {
    JsonError::Field { place: place.into(), expected }
}

fn parse_rules(value: Option<&Value>) -> Result<Rules, JsonError> {
    let object = match value {
        None | Some(Value::Null) => return Ok(Rules::default()),
        Some(value) => value.as_object().ok_or_else(|| field("rules", "an object"))?,
    };
    let flag = |name: &str, otherwise: bool| match object.get(name) {
        None => Ok(otherwise),
        Some(value) => {
            value.as_bool().ok_or_else(|| field(format!("rules.{name}"), "true or false"))
        }
    };
    let max_cage = match object.get("max_cage") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let most = value.as_u64().and_then(|most| u16::try_from(most).ok());
            Some(most.ok_or_else(|| field("rules.max_cage", "a number of cells"))?)
        }
    };
    Ok(Rules {
        zero: flag("zero", false)?,
        wide_sub_div: flag("wide_sub_div", false)?,
        max_cage,
        connected: flag("connected", true)?,
    })
}

fn print_rules(rules: &Rules) -> Value {
    let mut object = Map::new();
    object.insert("zero".into(), json!(rules.zero));
    object.insert("wide_sub_div".into(), json!(rules.wide_sub_div));
    if let Some(most) = rules.max_cage {
        object.insert("max_cage".into(), json!(most));
    }
    if !rules.connected {
        object.insert("connected".into(), json!(false));
    }
    Value::Object(object)
}

fn parse_cage(number: usize, value: &Value, size: Size) -> Result<(Clue, Vec<Cell>), JsonError> {
    let place = |name: &str| format!("cages[{number}]{name}");
    let object = value.as_object().ok_or_else(|| field(place(""), "an object"))?;
    let mut sign = object.get("op").and_then(Value::as_str).unwrap_or("").chars();
    let operator = match (sign.next().and_then(Operator::from_sign), sign.next()) {
        (Some(operator), None) => operator,
        _ => return Err(field(place(".op"), "one of + - * / = ?")),
    };
    let target = object
        .get("target")
        .and_then(Value::as_u64)
        .ok_or_else(|| field(place(".target"), "a whole number below 2^64"))?;
    let cells = object
        .get("cells")
        .and_then(Value::as_array)
        .ok_or_else(|| field(place(".cells"), "an array of cells"))?
        .iter()
        .enumerate()
        .map(|(index, cell)| {
            parse_cell(cell, size).ok_or_else(|| {
                field(place(&format!(".cells[{index}]")), "a cell of the grid: an index or [r,c]")
            })
        })
        .collect::<Result<_, _>>()?;
    Ok((Clue { operator, target }, cells))
}

fn parse_cell(value: &Value, size: Size) -> Option<Cell> {
    let inside = |number: &Value, bound: usize| {
        number.as_u64().and_then(|at| usize::try_from(at).ok()).filter(|&at| at < bound)
    };
    match value.as_array().map(Vec::as_slice) {
        None => Some(Cell(inside(value, size.cells())? as u16)),
        Some([row, column]) => {
            Some(Cell::at(inside(row, size.side())?, inside(column, size.side())?, size))
        }
        Some(_) => None,
    }
}

fn parse_solution(value: &Value, size: Size, rules: &Rules) -> Result<Solution, JsonError> {
    let lowest = rules.lowest_digit();
    value
        .as_array()
        .filter(|digits| digits.len() == size.cells())
        .and_then(|digits| {
            let digit = |digit: &Value| {
                let digit = digit.as_u64()?;
                let inside = digit >= lowest && digit < lowest + size.side() as u64;
                inside.then_some(digit as u8)
            };
            digits.iter().map(digit).collect::<Option<Vec<u8>>>()
        })
        .map(|digits| Solution::new(size, digits))
        .ok_or_else(|| field("solution", "one digit for each cell"))
}
