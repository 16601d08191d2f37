//! Statements typed one after the other.

use std::{env, fs, path::PathBuf, time::Instant};

use anyhow::Context;
use arrow::array::AsArray;
use commands::sql::say_bad_games;
use rustyline::{
    Config, Editor, Helper,
    completion::{Completer, FilenameCompleter, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use sql::{Engine, is_complete};
use tables::Format;

use super::{Sink, told};
use crate::{
    exit::{Exit, Outcome, say},
    interrupt::{self, SIGINT},
};

const HELP: &str = r"\d         list tables
\d NAME    list the columns of a table
\df        list functions
\?         show this help
\q         quit
A statement ends with a semicolon and may have several lines. Ctrl-C cancels it.";

const TABLES: &str = "select table_schema as schema, table_name as name, table_type as type \
    from information_schema.tables where table_schema <> 'information_schema' order by 1, 2";
const FUNCTIONS: &str = "select syntax, gives, description from everyply.functions order by name";

pub(super) fn run(engine: &Engine, format: Format) -> Outcome {
    let path = history();
    let mut editor = editor(engine)?;
    if let Some(path) = &path {
        // The first session has none yet.
        let _ = editor.load_history(path);
    }
    say(r"SQL; \? for help, \q to quit");
    loop {
        let typed = match editor.readline("everyply> ") {
            Ok(typed) => typed,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        };
        if ["\\q", "exit", "quit"].contains(&typed.trim().trim_end_matches(';')) {
            break;
        }
        // While an editor lives it takes every Ctrl-C, also one that is meant for a statement.
        let lines: Vec<String> = editor.history().iter().cloned().collect();
        drop(editor);
        answer(engine, format, typed.trim());
        editor = self::editor(engine)?;
        for line in lines {
            editor.add_history_entry(line)?;
        }
    }
    if let Some(path) = &path
        && let Err(error) = editor.save_history(path)
    {
        say(format_args!("the history was not saved: {error}"));
    }
    Ok(Exit::Fine)
}

fn editor(engine: &Engine) -> anyhow::Result<Editor<Typing<'_>, FileHistory>> {
    let config = Config::builder().history_ignore_space(true).auto_add_history(true).build();
    let mut editor = Editor::with_config(config).context("there is no terminal to read from")?;
    editor.set_helper(Some(Typing { engine, files: FilenameCompleter::new() }));
    Ok(editor)
}

/// Runs what was typed. Nothing that goes wrong ends the session.
fn answer(engine: &Engine, format: Format, typed: &str) {
    let text = match typed.split_once(char::is_whitespace).unwrap_or((typed, "")) {
        ("\\?", _) => return say(format_args!("commands\n{HELP}")),
        ("\\d", "") => TABLES.to_owned(),
        ("\\d", name) => format!("describe {}", name.trim().trim_end_matches(';')),
        ("\\df", _) => FUNCTIONS.to_owned(),
        (command, _) if command.starts_with('\\') => {
            return say(format_args!(r"unknown command {command}; \? lists the commands"));
        }
        _ => typed.to_owned(),
    };
    let started = Instant::now();
    let answered = engine.statements(&text).map_err(told).and_then(|statements| {
        let mut sink = Sink::new(Some(format), None)?;
        let mut rows = 0;
        for statement in statements {
            rows += sink.write(engine.execute(statement).map_err(told)?)?;
        }
        Ok(rows)
    });
    say_bad_games(engine);
    match answered {
        Ok(rows) => {
            let plural = if rows == 1 { "" } else { "s" };
            let seconds = started.elapsed().as_secs_f64();
            say(format_args!("{rows} row{plural}, {seconds:.2} s"));
        }
        Err(error) => say(format_args!("{error:#}")),
    }
    interrupt::forgive(SIGINT);
}

/// Where what was typed is kept: the XDG state directory.
fn history() -> Option<PathBuf> {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    let directory = state.join("everyply");
    fs::create_dir_all(&directory).ok()?;
    Some(directory.join("sql_history"))
}

/// Completes words and paths, and takes lines until a statement is complete.
struct Typing<'a> {
    engine: &'a Engine,
    files: FilenameCompleter,
}

const KEYWORDS: &str = "all and as asc avg between by case cast copy count create cross cube describe desc \
    distinct drop else end except exists explain external false from full group grouping having in inner \
    insert intersect interval into is join lateral left like limit max min natural not null nulls offset on \
    or order outer over partition recursive right rollup select semi set show sum table then true union \
    unnest using values view when where window with";

impl Typing<'_> {
    fn words(&self) -> Vec<String> {
        let query = "select name from everyply.functions \
            union all select table_name from information_schema.tables";
        let mut words: Vec<String> = KEYWORDS.split_whitespace().map(str::to_owned).collect();
        let batches = self.engine.sql(query).into_iter().flatten().flatten();
        for batch in batches {
            let names = batch.column(0).as_string_opt::<i32>().into_iter().flatten().flatten();
            words.extend(names.map(str::to_owned));
        }
        words.sort();
        words.dedup();
        words
    }
}

impl Completer for Typing<'_> {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        context: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..position];
        if before.matches('\'').count() % 2 == 1 {
            return self.files.complete(line, position, context);
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let start = before.trim_end_matches(is_part).len();
        let typed = before[start..].to_lowercase();
        if typed.is_empty() {
            return Ok((start, Vec::new()));
        }
        let words = self.words().into_iter().filter(|word| word.starts_with(&typed));
        let pairs = words.map(|word| Pair { display: word.clone(), replacement: word });
        Ok((start, pairs.collect()))
    }
}

impl Hinter for Typing<'_> {
    type Hint = String;
}

impl Highlighter for Typing<'_> {}

impl Validator for Typing<'_> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let typed = context.input().trim();
        let is_command = typed.starts_with('\\') || ["exit", "quit", ""].contains(&typed);
        Ok(if is_command || is_complete(typed) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

impl Helper for Typing<'_> {}
