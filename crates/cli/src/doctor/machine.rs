//! The program itself, the processor, memory, the terminal and the directories it writes to.

use std::{
    fs,
    io::{self, IsTerminal},
    path::Path,
    thread,
};

use indicatif::HumanBytes;

use super::{Finding, State};
use crate::{colors, space};

pub(super) fn findings() -> Vec<Finding> {
    let temporary = std::env::temp_dir();
    let current = std::env::current_dir().unwrap_or_default();
    vec![
        this_program(),
        processor(),
        memory(&fs::read_to_string("/proc/meminfo").unwrap_or_default()),
        terminal(),
        directory("temporary directory", &temporary, "choose another with TMPDIR"),
        directory("this directory", &current, "write elsewhere with --out or --store"),
    ]
}

fn this_program() -> Finding {
    let system = format!("{} {}", std::env::consts::ARCH, std::env::consts::OS);
    let version = env!("CARGO_PKG_VERSION");
    if cfg!(debug_assertions) {
        let finding = Finding::ready("everyply", format!("{version}, {system}, debug build"));
        return finding.with_advice("cargo build --release builds the optimised program");
    }
    Finding::ready("everyply", format!("{version}, {system}"))
}

fn processor() -> Finding {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = about.lines().find(|line| line.starts_with(key))?;
        line.split_once(':').map(|(_, value)| value.trim())
    };
    let model = value("model name").map_or(String::new(), |name| format!(", {name}"));
    let finding = Finding::ready("processor", format!("{threads} threads{model}"));
    let has_pext = value("flags").is_none_or(|flags| flags.split(' ').any(|flag| flag == "bmi2"));
    match has_pext {
        true => finding,
        false => finding
            .with_advice("without BMI2, chess move generation has about 60 percent of its speed"),
    }
}

fn memory(meminfo: &str) -> Finding {
    let bytes = |key: &str| -> Option<u64> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
        let kibibytes: u64 =
            line.trim_start_matches(':').trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kibibytes << 10)
    };
    let detail = match (bytes("MemTotal"), bytes("MemAvailable")) {
        (Some(total), Some(free)) => {
            format!("{}, {} of it available", HumanBytes(total), HumanBytes(free))
        }
        _ => "unknown on this system".to_owned(),
    };
    Finding::ready("memory", detail)
}

fn terminal() -> Finding {
    let out = io::stdout();
    let detail = match (out.is_terminal(), colors::wanted(&out)) {
        (true, true) => "standard output is a terminal, boards are coloured",
        (true, false) => "standard output is a terminal, boards are not coloured: NO_COLOR is set",
        (false, _) => "standard output is not a terminal, boards are not coloured",
    };
    let progress = if io::stderr().is_terminal() { "shown" } else { "not shown" };
    Finding::ready("terminal", format!("{detail}; progress is {progress}"))
}

/// Whether a file can be made in a directory, and how much fits there.
fn directory(name: &'static str, path: &Path, advice: &str) -> Finding {
    let probe = path.join(format!(".everyply-doctor-{}", std::process::id()));
    let made = fs::File::create_new(&probe);
    let _ = fs::remove_file(&probe);
    let place = path.display().to_string();
    if let Err(error) = made {
        let detail = format!("{place} cannot be written: {error}");
        let advice = Some(advice.to_owned());
        return Finding { name, state: State::Missing, detail, advice };
    }
    let free = match space::free(path) {
        Some(bytes) => format!(", {} free", HumanBytes(bytes)),
        None => String::new(),
    };
    Finding::ready(name, format!("{place} can be written{free}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_what_linux_says() {
        let text = "MemTotal:       24605012 kB\nMemFree:   1 kB\nMemAvailable:   23068672 kB\n";
        assert_eq!(memory(text).detail, "23.47 GiB, 22.00 GiB of it available");
        assert_eq!(memory("").detail, "unknown on this system");
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_missing() {
        let directory_there = tempfile::tempdir().unwrap();
        assert_eq!(directory("x", directory_there.path(), "y").state, State::Ready);
        assert!(directory_there.path().read_dir().unwrap().next().is_none(), "no trace is left");
        let nowhere = directory("x", Path::new("/nowhere"), "y");
        assert_eq!((nowhere.state, nowhere.advice.as_deref()), (State::Missing, Some("y")));
    }
}
