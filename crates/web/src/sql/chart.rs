//! Columns of an answer as a chart.

use arrow::{
    array::{Array, ArrayRef, AsArray},
    compute::{cast, concat},
    datatypes::{DataType, Float64Type},
    record_batch::RecordBatch,
};
use pictures::chart::{Chart, Column, Palette, Series};
use serde::Deserialize;

use super::answers::Answer;
use crate::refusal::Refusal;

/// Which columns of which answer, and how they are drawn.
#[derive(Deserialize)]
pub(super) struct Wanted {
    pub(super) answer: u64,
    kind: Kind,
    /// The column that names the others, by its number.
    x: usize,
    /// The columns of numbers, by their numbers, with commas between them.
    y: String,
    #[serde(default)]
    dark: bool,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Bars,
    Lines,
    Dots,
}

/// Rows of a chart; more than that nobody could tell apart.
const MOST_ROWS: usize = 5_000;
/// Colours that are told apart on both grounds.
const COLORS: [&str; 8] =
    ["#2f9e8f", "#d07a3e", "#5b84c4", "#c9b458", "#b0597f", "#7aa24a", "#8f7bc0", "#a8433a"];

pub(super) fn svg(answer: &Answer, wanted: &Wanted) -> Result<String, Refusal> {
    let numbers = wanted.y.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>();
    let numbers = numbers.map_err(|_| Refusal::bad("the columns of a chart are numbers"))?;
    let width = answer.schema.fields().len();
    if numbers.is_empty() || numbers.len() > COLORS.len() {
        return Err(Refusal::bad(format!("a chart has 1 to {} columns", COLORS.len())));
    }
    if numbers.iter().chain([&wanted.x]).any(|&column| column >= width) {
        return Err(Refusal::bad(format!("the answer has {width} columns")));
    }
    let rows = answer.slices(0, MOST_ROWS);
    let name = |column: usize| answer.schema.field(column).name().as_str();
    let values = numbers.iter().map(|&column| real(&rows, column, name(column)));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let names = texts(&rows, wanted.x)?;
    let columns = names.into_iter().enumerate().map(|(row, name)| Column {
        name,
        values: values.iter().map(|column| column[row]).collect(),
    });
    let columns: Vec<Column> = columns.collect();
    let series: Vec<Series<'_>> = numbers
        .iter()
        .zip(COLORS)
        .map(|(&column, color)| Series { name: name(column), color })
        .collect();
    let palette = if wanted.dark { Palette::DARK } else { Palette::LIGHT };
    let all = answer.rows();
    let title = if all > MOST_ROWS {
        format!("The first {MOST_ROWS} of {all} rows")
    } else {
        String::new()
    };
    let chart = Chart { title: &title, axis: name(wanted.x), series: &series, palette };
    Ok(match wanted.kind {
        Kind::Bars => chart.stacked(&columns),
        Kind::Lines => chart.lines(&columns),
        Kind::Dots => chart.dots(&real(&rows, wanted.x, name(wanted.x))?, &columns),
    })
}

/// The values of a column in one piece.
fn whole(
    rows: &[RecordBatch],
    column: usize,
    kind: &DataType,
) -> Result<Option<ArrayRef>, Refusal> {
    let parts = rows.iter().map(|batch| cast(batch.column(column), kind));
    let parts = parts.collect::<Result<Vec<_>, _>>().map_err(Refusal::bad)?;
    let parts: Vec<&dyn Array> = parts.iter().map(|part| &**part).collect();
    if parts.is_empty() { Ok(None) } else { concat(&parts).map(Some).map_err(Refusal::bad) }
}

/// A column as numbers; what is missing is not finite.
fn real(rows: &[RecordBatch], column: usize, name: &str) -> Result<Vec<f64>, Refusal> {
    let none = || Refusal::bad(format!("the column {name} has no numbers"));
    // A text would be read as a number where it happens to be one.
    let is_number =
        |kind: &DataType| kind.is_numeric() || kind.is_temporal() || *kind == DataType::Boolean;
    if rows.iter().any(|batch| !is_number(batch.column(column).data_type())) {
        return Err(none());
    }
    let numbers = whole(rows, column, &DataType::Float64).map_err(|_| none())?;
    let Some(numbers) = numbers else { return Ok(Vec::new()) };
    let numbers = numbers.as_primitive::<Float64Type>();
    Ok(numbers.iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

fn texts(rows: &[RecordBatch], column: usize) -> Result<Vec<String>, Refusal> {
    let Some(texts) = whole(rows, column, &DataType::Utf8)? else { return Ok(Vec::new()) };
    Ok(texts.as_string::<i32>().iter().map(|text| text.unwrap_or_default().to_owned()).collect())
}
