//! What SQL answers from the files of the demo.

use std::{
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use arrow::{
    array::AsArray,
    compute::{cast, concat_batches},
    datatypes::{DataType, Float64Type},
    record_batch::RecordBatch,
};
use pictures::chart::{AHEAD_EVEN_BEHIND, Chart, Column, Palette, Series};
use sinks::Unfinished;
use sql::{Interrupt, Settings};
use tables::{Format, Shape, Writer};
use web::QUESTIONS;

use super::picture;
use crate::{
    files::{self, Stream},
    interrupt,
    sql::told,
};

/// How the answer to a question is drawn: as a column for each row, named by the first column of
/// the answer.
struct Style {
    axis: &'static str,
    /// The columns of the answer to be drawn, and in what colours.
    drawn: &'static [(&'static str, Series<'static>)],
    draw: fn(&Chart<'_>, &[Column]) -> String,
}

/// In the order of the questions.
const STYLES: [Style; QUESTIONS.len()] = [
    Style {
        axis: "rating of the player, from",
        drawn: &[
            ("played", Series { name: "played", color: "#2f7d5b" }),
            ("missed", Series { name: "missed", color: "#a8433a" }),
        ],
        draw: |chart, columns| chart.stacked(columns),
    },
    Style {
        axis: "tenth of the game",
        drawn: &[
            ("chess", Series { name: "chess", color: "#3b6ea8" }),
            ("four_player_chess", Series { name: "four-player chess", color: "#a8433a" }),
            ("kalah", Series { name: "Kalah", color: "#2f7d5b" }),
            ("kenken", Series { name: "KenKen, per cell", color: "#c9b458" }),
        ],
        draw: |chart, columns| chart.lines(columns),
    },
    Style {
        axis: "results of the side that moves first, percent",
        drawn: &[
            ("ahead_percent", AHEAD_EVEN_BEHIND[0]),
            ("even_percent", AHEAD_EVEN_BEHIND[1]),
            ("behind_percent", AHEAD_EVEN_BEHIND[2]),
        ],
        draw: |chart, columns| chart.stacked(columns),
    },
];

/// Asks all three, and prints each with its statement, its answer and its time.
pub(super) fn ask(out: &mut Stream, directory: &Path) -> anyhow::Result<()> {
    let engine = Engine::new(directory)?;
    for (index, (question, style)) in QUESTIONS.iter().zip(&STYLES).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}\n", question.words)?;
        let statement = engine.placed(question.statement);
        for line in statement.lines() {
            writeln!(out, "    {line}")?;
        }
        writeln!(out)?;
        let answer = engine.answer(question.statement)?;
        answer.print(out)?;
        let name = question.name;
        writeln!(out, "\nAnswered in {:.2} s, drawn in {name}.png.", answer.took.as_secs_f64())?;
        out.flush()?;
        let file = Unfinished::create(&directory.join(format!("{name}.csv")))?;
        files::complete(answer.write(file, Format::Csv)?)?;
        picture(directory, name, &style.picture(question.words, &answer)?)?;
    }
    Ok(())
}

impl Style {
    fn picture(&self, title: &str, answer: &Answer) -> anyhow::Result<String> {
        let names = cast(answer.rows.column(0), &DataType::Utf8)?;
        let names = names.as_string::<i32>();
        let values = self.drawn.iter().map(|(column, _)| {
            let column = answer.rows.column_by_name(column).expect("a column of the statement");
            Ok(cast(column, &DataType::Float64)?.as_primitive::<Float64Type>().clone())
        });
        let values = values.collect::<anyhow::Result<Vec<_>>>()?;
        let columns: Vec<Column> = (0..answer.rows.num_rows())
            .map(|row| Column {
                name: names.value(row).to_owned(),
                values: values.iter().map(|column| column.value(row)).collect(),
            })
            .collect();
        let series: Vec<Series<'_>> = self.drawn.iter().map(|&(_, series)| series).collect();
        let palette = Palette::LIGHT;
        let chart = Chart { title, axis: self.axis, series: &series, palette };
        Ok((self.draw)(&chart, &columns))
    }
}

/// An engine for the files of a directory.
pub(super) struct Engine {
    engine: sql::Engine,
    directory: String,
}

impl Engine {
    pub(super) fn new(directory: &Path) -> anyhow::Result<Engine> {
        let interrupt = Interrupt::when(interrupt::requested);
        let settings = Settings { interrupt, ..Settings::default() };
        let engine = sql::Engine::new(settings).map_err(told)?;
        Ok(Engine { engine, directory: directory.display().to_string() })
    }

    /// A statement, about the files where they are.
    fn placed(&self, statement: &str) -> String {
        statement.replace("DEMO", &self.directory.replace('\'', "''"))
    }

    /// The rows of the last of some statements, as they are computed.
    pub(super) fn stream(&self, text: &str) -> anyhow::Result<sql::Answer<'_>> {
        let mut parsed = self.engine.statements(&self.placed(text)).map_err(told)?;
        let last = parsed.pop().expect("a statement of the demo");
        for statement in parsed {
            self.engine.execute(statement).map_err(told)?;
        }
        self.engine.execute(last).map_err(told)
    }

    pub(super) fn answer(&self, statement: &str) -> anyhow::Result<Answer> {
        let started = Instant::now();
        let stream = self.stream(statement)?;
        let schema = stream.schema().clone();
        let batches = stream.collect::<Result<Vec<_>, _>>().map_err(told)?;
        Ok(Answer { rows: concat_batches(&schema, &batches)?, took: started.elapsed() })
    }
}

/// The rows of a statement, few enough to be held.
pub(super) struct Answer {
    rows: RecordBatch,
    took: Duration,
}

impl Answer {
    pub(super) fn print(&self, out: &mut Stream) -> anyhow::Result<()> {
        self.write(out, Format::Table)?;
        Ok(())
    }

    fn write<W: Write + Send>(&self, out: W, format: Format) -> anyhow::Result<W> {
        let mut writer = Writer::new(out, format, &self.rows.schema(), Shape::Many)?;
        writer.write(&self.rows)?;
        Ok(writer.finish()?)
    }
}
