//! Runs the binary the way people and scripts do.

#![allow(dead_code, reason = "every test uses some of these")]

use std::{
    io::Write,
    process::{Command, Output, Stdio},
    thread,
};

pub(crate) fn run(arguments: &[&str], input: impl AsRef<[u8]> + Send) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_everyply"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    thread::scope(|scope| {
        // It may print much before it has read everything, and end before that.
        scope.spawn(move || drop(stdin.write_all(input.as_ref())));
        child.wait_with_output().expect("the binary ends")
    })
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Runs a command in a pseudo-terminal of 40 columns, which `script` of util-linux makes, and types
/// into it. `None` if there is no such program.
pub(crate) fn in_a_terminal(
    arguments: &str,
    environment: &[(&str, &str)],
    typed: &str,
) -> Option<String> {
    let line = format!("stty rows 24 cols 40; {} {arguments}", env!("CARGO_BIN_EXE_everyply"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").envs(environment.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take().expect("a pipe").write_all(typed.as_bytes()).expect("somebody listens");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    Some(stdout(&output))
}
