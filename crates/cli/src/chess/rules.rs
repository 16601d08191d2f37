//! `everyply chess rules`, and the flags of commands that follow such rules.

use std::{fs, path::PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use sql::{Engine, Interrupt, Rules, Settings, VARIANTS, cluster::Address};
use tables::{Shape, chess::PATTERNS};

use crate::{
    cluster,
    exit::{Exit, Outcome, bad_input},
    interrupt,
    rows::Output,
    sql::told,
    threads::Threads,
};

/// Print the rules of chess as a table, to read or to edit
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess rules
  everyply chess rules --variant crowned-knights --format csv > patterns.csv
  everyply chess timeline --plies 2 --patterns patterns.csv

docs/relations.md explains the columns.")]
pub(crate) struct Args {
    #[command(flatten)]
    rules: Chosen,
    #[command(flatten)]
    output: Output,
}

/// Which rules count.
#[derive(clap::Args)]
pub(crate) struct Chosen {
    /// Which of the bundled rules of chess to use
    #[arg(long, value_name = "VARIANT", default_value = "chess960", value_parser = variants())]
    variant: String,
    /// File with your own rules of chess, in the format that 'everyply chess rules --format csv'
    /// prints
    #[arg(long, value_name = "FILE", conflicts_with = "variant")]
    patterns: Option<PathBuf>,
}

/// The names of rules that come along, with what is special about each.
fn variants() -> PossibleValuesParser {
    VARIANTS.map(|(name, about)| PossibleValue::new(name).help(about)).into()
}

impl Chosen {
    pub(crate) fn rules(&self) -> anyhow::Result<Rules> {
        let Some(path) = &self.patterns else {
            return Ok(Rules::named(&self.variant).expect("the flag takes no other names"));
        };
        let text = fs::read_to_string(path)
            .map_err(|error| bad_input(format_args!("cannot read {}: {error}", path.display())))?;
        Rules::from_csv(&text)
            .map_err(|error| bad_input(format_args!("{}: {error}", path.display())))
    }

    /// Whether something else than the usual rules is asked for.
    pub(crate) fn is_special(&self) -> bool {
        self.patterns.is_some() || self.variant != "chess960"
    }
}

/// An engine that follows these rules, here or on a cluster.
pub(crate) fn engine(
    rules: Rules,
    threads: Threads,
    cluster: Option<&Address>,
) -> anyhow::Result<Engine> {
    if cluster.is_some() {
        cluster::require()?;
    }
    let settings = Settings {
        rules,
        threads: threads.count(),
        cluster: cluster.cloned(),
        interrupt: Interrupt::when(interrupt::requested),
        ..Settings::default()
    };
    Engine::new(settings).map_err(told)
}

pub(crate) fn run(args: &Args) -> Outcome {
    let rules = args.rules.rules()?;
    let mut rows = args.output.rows(&PATTERNS, Shape::Many)?;
    for pattern in rules.patterns() {
        rows.row(&pattern.columns().map(Into::into))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
