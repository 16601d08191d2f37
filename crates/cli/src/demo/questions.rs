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
use sinks::Unfinished;
use sql::Settings;
use tables::{Format, Shape, Writer};

use super::picture;
use crate::{
    files::{self, Stream},
    interrupt,
    plot::{AHEAD_EVEN_BEHIND, Chart, Column, Series},
    sql::told,
};

/// A question, and how its answer is drawn: as a column for each row, named by the first column
/// of the answer.
struct Question {
    /// Of its files, which are the answer and its picture.
    name: &'static str,
    words: &'static str,
    statement: &'static str,
    axis: &'static str,
    /// The columns of the answer to be drawn, and in what colours.
    drawn: &'static [(&'static str, Series)],
    style: fn(&Chart<'_>, &[Column]) -> String,
}

const QUESTIONS: [Question; 3] = [
    Question {
        name: "mates",
        words: "How often is there a mate in one, and is it played?",
        statement: include_str!("questions/mates.sql"),
        axis: "rating of the player, from",
        drawn: &[
            ("played", Series { name: "played", color: "#2f7d5b" }),
            ("missed", Series { name: "missed", color: "#a8433a" }),
        ],
        style: |chart, columns| chart.stacked(columns),
    },
    Question {
        name: "choices",
        words: "How many choices are there, from the start of a game to its end?",
        statement: include_str!("questions/choices.sql"),
        axis: "tenth of the game",
        drawn: &[
            ("chess", Series { name: "chess", color: "#3b6ea8" }),
            ("four_player_chess", Series { name: "four-player chess", color: "#a8433a" }),
            ("kalah", Series { name: "Kalah", color: "#2f7d5b" }),
            ("kenken", Series { name: "KenKen, per cell", color: "#c9b458" }),
        ],
        style: |chart, columns| chart.lines(columns),
    },
    Question {
        name: "first",
        words: "Is it an advantage to move first?",
        statement: include_str!("questions/first.sql"),
        axis: "results of the side that moves first, percent",
        drawn: &[
            ("ahead_percent", AHEAD_EVEN_BEHIND[0]),
            ("even_percent", AHEAD_EVEN_BEHIND[1]),
            ("behind_percent", AHEAD_EVEN_BEHIND[2]),
        ],
        style: |chart, columns| chart.stacked(columns),
    },
];

/// Asks all three, and prints each with its statement, its answer and its time.
pub(super) fn ask(out: &mut Stream, directory: &Path) -> anyhow::Result<()> {
    let engine = Engine::new(directory)?;
    for (index, question) in QUESTIONS.iter().enumerate() {
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
        picture(directory, name, &question.draw(&answer)?)?;
    }
    Ok(())
}

impl Question {
    fn draw(&self, answer: &Answer) -> anyhow::Result<String> {
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
        let series: Vec<Series> = self.drawn.iter().map(|&(_, series)| series).collect();
        let chart = Chart { title: self.words, axis: self.axis, series: &series };
        Ok((self.style)(&chart, &columns))
    }
}

/// An engine for the files of a directory.
pub(super) struct Engine {
    engine: sql::Engine,
    directory: String,
}

impl Engine {
    pub(super) fn new(directory: &Path) -> anyhow::Result<Engine> {
        let settings = Settings { interrupted: interrupt::requested, ..Settings::default() };
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
