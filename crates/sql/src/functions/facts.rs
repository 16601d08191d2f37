//! Everything true of a position, as one struct.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, StructArray},
    buffer::NullBuffer,
    datatypes::{DataType, Field, Fields},
};
use chess::Position;
use chess_facts::{Definitions, Facts, Selection, UnknownFact};
use datafusion::scalar::ScalarValue;
use tables::chess::{FACT_KEYS, FactRows, facts_schema};

use super::{Call, FunctionError, Gives, Scalar, Takes, chess::position, may_take, takes};

pub(super) const FUNCTIONS: &[Scalar] = &[Scalar {
    name: NAME,
    takes: &[
        takes("fen", Takes::Text),
        may_take("facts", Takes::Text),
        may_take("definitions", Takes::Text),
    ],
    gives: Gives::Facts,
    says: "The facts of a position as a struct with the columns of the table chess.facts. The \
           optional second argument selects them like --facts: lines, exchange, forks, everything \
           (the default), masks, lists, moves, or names of facts, separated by commas. The \
           optional third one is std (the default) or literal.",
    example: "chess_facts('r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1')['white_pinned']",
    work: facts,
}];

const NAME: &str = "chess_facts";

/// The struct that a call gives.
pub(super) fn field(
    name: &str,
    arguments: &[Option<&ScalarValue>],
) -> Result<Field, FunctionError> {
    let literal = |index: usize, which: &str| match arguments.get(index) {
        None => Ok(None),
        Some(Some(ScalarValue::Utf8(text))) => Ok(text.as_deref()),
        Some(_) => Err(FunctionError::Facts {
            function: NAME,
            cause: format!("the {which} argument must be a string literal, not a column"),
        }),
    };
    let chosen = selection(literal(1, "second")?)?;
    let columns = facts_schema(&chosen, definitions(literal(2, "third")?)?);
    let columns = columns.fields().iter().skip(FACT_KEYS.len());
    let fields: Fields =
        columns.map(|column| tables::narrow(column.as_ref().clone()).with_nullable(true)).collect();
    Ok(Field::new(name, DataType::Struct(fields), true))
}

fn selection(names: Option<&str>) -> Result<Selection, FunctionError> {
    let names = names.unwrap_or("everything").split(',').map(str::trim);
    let unknown =
        |cause: UnknownFact| FunctionError::Facts { function: NAME, cause: cause.to_string() };
    Selection::parse(names).map_err(unknown)
}

fn definitions(name: Option<&str>) -> Result<Definitions, FunctionError> {
    let name = name.unwrap_or(Definitions::Std.name());
    let known = Definitions::ALL.into_iter().find(|definitions| definitions.name() == name);
    known.ok_or_else(|| FunctionError::Value {
        function: NAME,
        found: name.to_owned(),
        expected: "set of definitions, expected std or literal",
    })
}

fn facts(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let fens = call.text(0);
    let literal = |index: usize| {
        (call.columns.len() > index).then(|| call.text(index).iter().flatten().next()).flatten()
    };
    let (selection, definitions) = (selection(literal(1))?, definitions(literal(2))?);
    let level = selection.level();
    let mut facts = Box::new(Facts::empty());
    let mut rows = FactRows::new(&selection, definitions);
    // A missing position needs facts to stand in the columns, which nobody sees.
    let stand_in = Position::default();
    for row in 0..call.rows {
        let position = match call.is_null(row) {
            true => stand_in,
            false => position(call.function, fens.value(row))?,
        };
        facts.compute(&position, level, definitions);
        rows.push("", 0, 0, &position, &facts);
    }
    let broken = |cause: String| FunctionError::Facts { function: NAME, cause };
    let batch = rows.finish().map_err(|error| broken(error.to_string()))?;
    let DataType::Struct(fields) = call.gives.data_type() else {
        unreachable!("the function gives a struct");
    };
    let present: NullBuffer = (0..call.rows).map(|row| !call.is_null(row)).collect();
    // The caller has the FEN, which says which position a row is about.
    let columns = batch.columns()[FACT_KEYS.len()..].to_vec();
    let column = StructArray::try_new(fields.clone(), columns, Some(present));
    Ok(Arc::new(column.map_err(|error| broken(error.to_string()))?))
}
