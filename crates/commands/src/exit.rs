//! How a command ends.

use std::{
    error::Error as _,
    ffi::OsString,
    fmt,
    io::{self, Write},
    num::{IntErrorKind, ParseIntError},
    process::ExitCode,
    sync::OnceLock,
};

use anyhow::Context;
use sources::{printable, redacted};
use tables::TableError;

/// The name of the program, if it is not everyply.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Names the program that lines on standard error begin with.
pub fn call_program(name: &'static str) {
    // Whoever was first has named it.
    let _ = PROGRAM.set(name);
}

/// The documented exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success, also if the answer is "no".
    Fine = 0,
    /// Some input was bad, or a check found a fault.
    BadInput = 1,
    /// The command line was wrong.
    BadCommand = 2,
    /// An internal error, a game with broken rules, a file that cannot be written, or a server that
    /// does not answer.
    Failed = 3,
    /// A signal asked the program to end.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// What a command returns: its own verdict, or an error on the way.
pub type Outcome = anyhow::Result<Exit>;

/// An error whose cause is not us, and the exit code it ends the command with.
#[derive(Debug)]
pub struct Fault {
    what: String,
    exit: Exit,
}

impl Fault {
    /// The same, with its place in front.
    pub fn at(self, place: impl fmt::Display) -> Fault {
        Fault { what: format!("{place}: {}", self.what), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Fault {}

/// Makes an error with exit code 1.
pub fn bad_input(what: impl fmt::Display) -> anyhow::Error {
    Fault { what: what.to_string(), exit: Exit::BadInput }.into()
}

/// Makes an error with exit code 2: conflicting flags or an invalid value.
pub fn bad_command(what: impl fmt::Display) -> anyhow::Error {
    Fault { what: what.to_string(), exit: Exit::BadCommand }.into()
}

/// Says what went wrong, once, and chooses the exit code.
pub fn code(outcome: Outcome) -> Exit {
    if crate::interrupt::requested() {
        return Exit::Interrupted;
    }
    match outcome {
        Ok(exit) => exit,
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Exit::Fine,
        Err(error) => {
            say(format_args!("{error:#}"));
            error.downcast_ref::<Fault>().map_or(Exit::Failed, |fault| fault.exit)
        }
    }
}

/// A line on standard error: something that went wrong, or a figure beside the data. What was
/// handed in is repeated there, but does not steer the terminal, nor show a password.
pub fn say(what: impl fmt::Display) {
    let what = what.to_string();
    let program = PROGRAM.get().copied().unwrap_or("everyply");
    write_error(format_args!("{program}: {}\n", printable(&redacted(&what))));
}

/// Prints what clap says: of a command line that cannot be read on standard error, help and the
/// version on standard output.
pub fn refuse(error: &clap::Error) -> Outcome {
    if !error.use_stderr() {
        let printed = error.print().and_then(|()| io::stdout().flush());
        return printed.map(|()| Exit::Fine).context("cannot write standard output");
    }
    let steers = |argument: OsString| match argument.into_string() {
        Ok(argument) => printable(&argument) != argument,
        Err(_) => true,
    };
    // Colors of our own are as good as lost among those of an argument.
    let text = error.to_string();
    let plain = in_plain_words(error, &text);
    let told = redacted(&plain);
    if told != text || std::env::args_os().any(steers) {
        write_error(format_args!("{}", printable(&told)));
    } else {
        // Standard error may be closed; there is nobody left to tell then.
        let _ = error.print();
    }
    Ok(Exit::BadCommand)
}

/// What clap says, without the words in which the standard library refuses a number.
fn in_plain_words(error: &clap::Error, text: &str) -> String {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<ParseIntError>());
    let Some(cause) = cause else { return text.to_owned() };
    let plain = match cause.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "the number is too large",
        _ => "expected a whole number",
    };
    text.replace(&cause.to_string(), plain)
}

fn write_error(what: fmt::Arguments<'_>) {
    // In one piece: standard error is not buffered, and others may write to it too. It may be
    // closed; there is nobody left to tell then.
    let _ = io::stderr().write_all(what.to_string().as_bytes());
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| match cause.downcast_ref() {
        Some(TableError::Io(error)) => broken(error),
        _ => cause.downcast_ref().is_some_and(broken),
    })
}
