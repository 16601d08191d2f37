//! Other programs, asked for a line.

use std::{
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A program that has not answered by then is taken not to answer.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

/// The first line a program prints, if it is there, ends in time and succeeds.
pub(super) fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let text = output(program, arguments)?;
    text.lines().next().map(|line| line.trim().to_owned())
}

/// What a program prints, if it is there, ends in time and succeeds. It is meant for programs
/// that print little: what a pipe does not hold is not waited for.
pub(super) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if start.elapsed() < PATIENCE => thread::sleep(PAUSE),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let mut text = String::new();
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    status.success().then_some(text)
}

/// Where a program is: on the path, or in one of these directories.
pub(super) fn find(name: &str, directories: &[PathBuf]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|directory| directory.join(name));
    let mut places = on_path.chain(directories.iter().map(|directory| directory.join(name)));
    places.find(|place| is_file(place))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_asked_and_their_failure_is_no_answer() {
        assert_eq!(first_line("sh", &["-c", "echo '  a b '; echo c"]).as_deref(), Some("a b"));
        assert_eq!(first_line("sh", &["-c", "echo a; exit 1"]), None);
        assert_eq!(first_line("everyply-has-no-such-program", &[]), None);
    }

    #[test]
    fn programs_are_found_on_the_path_and_beside_it() {
        assert!(find("sh", &[]).is_some());
        assert_eq!(find("everyply-has-no-such-program", &[PathBuf::from("/")]), None);
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("everyply-has-this-program");
        std::fs::write(&place, "").unwrap();
        let directories = [directory.path().to_owned()];
        assert_eq!(find("everyply-has-this-program", &directories), Some(place));
    }
}
