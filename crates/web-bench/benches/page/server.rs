//! The binary that is measured, as a process of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use super::http::Place;

pub(crate) struct Server {
    process: Child,
    pub(crate) url: String,
    pub(crate) place: Place,
}

impl Server {
    pub(crate) fn start(binary: &Path, root: &Path) -> Server {
        let mut process = Command::new(binary)
            .args(["serve", "--no-open", "--port", "0", "--root"])
            .arg(root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
        let url = address(&mut process).expect("the server prints its address");
        Server { process, place: Place::of(&url), url }
    }

    /// Processor time so far.
    pub(crate) fn spent(&self) -> Duration {
        let stat = self.read("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
        let ticks = |index: usize| fields[index].parse::<u64>().expect("a number of ticks");
        Duration::from_millis((ticks(12) + ticks(13)) * 10)
    }

    /// The most memory it has had, in bytes.
    pub(crate) fn most_memory(&self) -> u64 {
        let status = self.read("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a size");
        let number = line.trim().trim_end_matches(" kB").parse::<u64>().expect("a size");
        number * 1024
    }

    /// How long it takes until it does nothing for a while.
    pub(crate) fn until_idle(&self) -> Option<Duration> {
        const QUIET: Duration = Duration::from_millis(200);
        let start = Instant::now();
        let (mut last, mut since) = (self.spent(), start);
        while start.elapsed() < Duration::from_secs(70) {
            std::thread::sleep(Duration::from_millis(5));
            let now = self.spent();
            if now > last {
                (last, since) = (now, Instant::now());
            }
            if since.elapsed() > QUIET {
                return Some(since.duration_since(start));
            }
        }
        None
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{name}", self.process.id())).expect("it is running")
    }
}

/// The address in what it prints, on whichever of the two it is.
fn address(process: &mut Child) -> Option<String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let outputs: [Box<dyn std::io::Read + Send>; 2] =
        [Box::new(process.stdout.take()?), Box::new(process.stderr.take()?)];
    for output in outputs {
        let sender = sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let start = line.find("http://");
                let url = start.map(|start| line[start..].split_whitespace().next());
                if let Some(Some(url)) = url {
                    let _ = sender.send(url.to_owned());
                }
            }
        });
    }
    receiver.recv_timeout(Duration::from_secs(20)).ok()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
