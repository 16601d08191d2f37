//! Many processes or threads write one file, and some processes are killed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use sinks::{SinkError, write};

/// Names the file that this program, run once more, is to write over and over.
const FILE: &str = "EVERYPLY_RACE_FILE";
const LENGTH: usize = 100_000;
const WRITERS: u8 = 6;
const KILLS: usize = 40;

#[test]
fn a4_of_many_writers_each_completes_or_is_refused() {
    if let Some(path) = env::var_os(FILE) {
        write_for_ever(&PathBuf::from(path));
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows");
    write(&path, &[b'a'; LENGTH]).unwrap();
    let mut writers: Vec<Child> = (0..WRITERS).map(|_| start(&path)).collect();
    let mut seen = std::collections::BTreeSet::new();
    for kill in 0..KILLS {
        let until = Instant::now() + Duration::from_millis(10 + kill as u64 % 7);
        while Instant::now() < until {
            let bytes = fs::read(&path).expect("it is always there");
            assert_eq!(bytes.len(), LENGTH, "kill {kill}");
            assert!(bytes.iter().all(|byte| *byte == bytes[0]), "kill {kill}");
            seen.insert(bytes[0]);
        }
        let at = kill % writers.len();
        end(&mut writers[at], "kill");
        writers[at] = start(&path);
    }
    for writer in &mut writers {
        end(writer, "kill");
    }
    assert!(seen.len() > 5, "writers take turns: {seen:?}");
    write(&path, &[b'z'; LENGTH]).unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left over");
}

/// A task that is taken for lost runs again while it still runs, often in the same process.
#[test]
fn of_many_threads_each_completes_or_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows");
    thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..5000 {
                    match write(path, &[writer; 100]) {
                        Ok(()) | Err(SinkError::Busy { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let bytes = fs::read(&path).expect("it is there");
    assert!(bytes.len() == 100 && bytes.iter().all(|byte| *byte == bytes[0]), "{bytes:?}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left over");
}

/// Writes bytes that tell writes apart. The lock may be held, nothing else may be wrong.
fn write_for_ever(path: &Path) -> ! {
    for round in std::process::id().. {
        match write(path, &[(round % 251) as u8; LENGTH]) {
            Ok(()) | Err(SinkError::Busy { .. }) => {}
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    }
    unreachable!("it is killed long before")
}

fn start(path: &Path) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["a4_of_many_writers_each_completes_or_is_refused", "--exact", "--nocapture"]);
    command.env(FILE, path).stdout(Stdio::null()).spawn().unwrap()
}

fn end(writer: &mut Child, what: &str) {
    assert_eq!(writer.try_wait().unwrap(), None, "a writer failed before its {what}");
    writer.kill().unwrap();
    writer.wait().unwrap();
}
