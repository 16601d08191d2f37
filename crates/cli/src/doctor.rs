//! `everyply doctor`

mod gpu;
mod machine;
mod program;
mod python;
mod servers;

use tables::{
    Shape,
    program::{DOCTOR, finding},
};

use crate::{
    exit::{Exit, Outcome},
    rows::Output,
};

/// Report what is available on this machine, and how to install what is missing
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply doctor
  everyply doctor --format json
  AWS_ENDPOINT_URL=http://localhost:5000 everyply doctor
  everyply doctor --connect

Servers on other machines are contacted only with --connect; without it only their names are shown.")]
pub(crate) struct Args {
    /// Also connect to servers on other machines that environment variables name
    #[arg(long)]
    connect: bool,
    #[command(flatten)]
    output: Output,
}

/// Something that is or is not there.
struct Finding {
    name: &'static str,
    state: State,
    detail: String,
    /// How to get it, or what to know of it.
    advice: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is there.
    Ready,
    /// It is not on this machine.
    Missing,
    /// This program was built without it.
    LeftOut,
    /// It is named, and does not answer.
    Silent,
    /// It is named, and was not asked.
    NotTried,
    /// Nothing names it.
    NotSet,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            State::Ready => "ready",
            State::Missing => "missing",
            State::LeftOut => "left out",
            State::Silent => "silent",
            State::NotTried => "not tried",
            State::NotSet => "not set",
        }
    }
}

impl Finding {
    fn ready(name: &'static str, detail: impl Into<String>) -> Finding {
        Finding { name, state: State::Ready, detail: detail.into(), advice: None }
    }

    fn missing(
        name: &'static str,
        detail: impl Into<String>,
        advice: impl Into<String>,
    ) -> Finding {
        let advice = Some(advice.into());
        Finding { name, state: State::Missing, detail: detail.into(), advice }
    }

    fn with_advice(self, advice: impl Into<String>) -> Finding {
        Finding { advice: Some(advice.into()), ..self }
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let findings = [
        machine::findings(),
        servers::findings(variable, args.connect),
        python::findings(),
        gpu::findings(),
    ];
    let mut rows = args.output.rows(&DOCTOR, Shape::Many)?;
    for Finding { name, state, detail, advice } in findings.iter().flatten() {
        rows.row(&finding(name, state.name(), detail, advice.as_deref()))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
