//! Writers, stores and clusters that are killed, stopped, filled up and cut off from power at
//! random moments: whatever was finished stays, nothing is half written under its name, and who
//! goes on comes to the end of an undisturbed run.
//!
//! `cargo xtask torture --kills N` does it N times. The tests do it 20 times, without the demo, which
//! takes long, and without servers and clusters, which have tests of their own. `EVERYPLY_SEED` chooses other moments.

#[path = "../cluster/processes.rs"]
#[allow(dead_code, reason = "the tests of clusters use the rest")]
mod processes;
#[path = "../../../stores/tests/servers/mod.rs"]
mod servers;

mod clusters;
mod power;
mod writers;

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use power::Recording;
use tempfile::TempDir;
use writers::{Length, Shown, WRITERS, Writer};

/// How often the tests disturb, without being told.
const KILLS: usize = 20;

/// From so many on, the demo, servers and a cluster take part.
const MANY: usize = 100;

#[test]
fn a_disturbed_writer_resumes_to_the_result_of_an_undisturbed_one() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse().ok());
    let kills = number("EVERYPLY_KILLS").unwrap_or(KILLS as u64) as usize;
    let seed = number("EVERYPLY_SEED").unwrap_or(1);
    let mut random = Random(chess::Random::new(seed));
    println!("{kills} disturbances, seed {seed}");
    let mut torture = Torture::new(kills);
    let mut tally: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let mut kinds = Vec::new();
    for at in 0..kills {
        if kinds.is_empty() {
            kinds = torture.kinds();
            random.shuffle(&mut kinds);
        }
        let (name, how) = kinds.pop().expect("there is a writer");
        let struck = torture.disturb(name, how, &mut random);
        let entry = tally.entry((name, how.name())).or_default();
        *entry = (entry.0 + 1, entry.1 + usize::from(struck));
        if (at + 1) % 50 == 0 {
            println!("{} of {kills}", at + 1);
        }
    }
    println!("writer, disturbance: how often, how often in the middle of its work");
    for ((name, how), (all, struck)) in tally {
        println!("{name}, {how}: {all}, {struck}");
    }
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The process ends at once, as by `kill -9`.
    Kill,
    /// It is asked to end.
    Term,
    /// The disk is full.
    Full,
    /// The machine stops, and the disk has what was synced and some of the rest.
    Power,
    /// An executor of a cluster ends at once.
    Executor,
}

impl How {
    fn name(self) -> &'static str {
        match self {
            How::Kill => "kill -9",
            How::Term => "TERM",
            How::Full => "full disk",
            How::Power => "power cut",
            How::Executor => "executor killed",
        }
    }
}

/// The writers, and what they do if nobody disturbs them.
struct Torture {
    kills: usize,
    undisturbed: BTreeMap<&'static str, Undisturbed>,
    recordings: BTreeMap<&'static str, Recording>,
    can_mount: bool,
    can_trace: bool,
    servers: BTreeMap<&'static str, servers::Server>,
    cluster: Option<clusters::Tortured>,
    /// The number of the next store on a server.
    next: usize,
}

struct Undisturbed {
    end: BTreeMap<String, Vec<u8>>,
    took: Duration,
    bytes: usize,
}

impl Torture {
    fn new(kills: usize) -> Torture {
        let mut torture = Torture {
            kills,
            undisturbed: BTreeMap::new(),
            recordings: BTreeMap::new(),
            can_mount: can_mount(),
            can_trace: power::can_trace(),
            servers: BTreeMap::new(),
            cluster: None,
            next: 0,
        };
        if !torture.can_mount {
            servers::not_run("full disks, because a small disk cannot be mounted here");
        }
        if !torture.can_trace {
            servers::not_run("power cuts, because strace is missing or may not trace");
        }
        if kills < MANY {
            println!("not run: the demo, servers and clusters; cargo xtask torture has them");
            return torture;
        }
        for (name, server) in [("postgres", servers::postgres()), ("s3", servers::s3())] {
            match server {
                Some(server) => drop(torture.servers.insert(name, server)),
                None => servers::not_run(&format!("{name} is missing")),
            }
        }
        torture.cluster = Some(clusters::Tortured::start());
        torture
    }

    /// Every writer with everything that can go wrong with it here.
    fn kinds(&self) -> Vec<(&'static str, How)> {
        let mut kinds = Vec::new();
        for writer in WRITERS.iter().filter(|writer| self.is_there(writer)) {
            kinds.extend([(writer.name, How::Kill), (writer.name, How::Term)]);
            if self.can_mount && writer.server.is_none() {
                kinds.push((writer.name, How::Full));
            }
            if self.can_trace && writer.server.is_none() {
                kinds.push((writer.name, How::Power));
            }
        }
        if self.cluster.is_some() {
            kinds.push((clusters::NAME, How::Executor));
        }
        kinds
    }

    fn is_there(&self, writer: &Writer) -> bool {
        let has_time = writer.length == Length::Short || self.kills >= MANY;
        has_time && writer.server.is_none_or(|server| self.servers.contains_key(server))
    }

    /// Disturbs a writer once, lets it go on, and compares. Says whether it was in the middle of
    /// its work.
    fn disturb(&mut self, name: &'static str, how: How, random: &mut Random) -> bool {
        if let (How::Executor, Some(cluster)) = (how, &mut self.cluster) {
            return cluster.disturb(random);
        }
        let writer = WRITERS.iter().find(|writer| writer.name == name).expect("a writer");
        self.run_undisturbed(writer);
        let place = tempfile::tempdir().expect("there is room for a directory");
        let out = place.path().canonicalize().expect("it was just made").join("out");
        fs::create_dir(&out).expect("it was just made");
        let job = Job { writer, out: &out, address: self.address(writer), number: self.next() };
        let Undisturbed { end, took, bytes } = &self.undisturbed[name];
        let mut mounted = None;
        let struck = match how {
            How::Kill => job.run_for("-KILL", took.mul_f64(random.fraction())),
            How::Term => job.run_for("-TERM", took.mul_f64(random.fraction())),
            How::Full => {
                let size = (*bytes as f64 * 1.2 * random.fraction()) as usize;
                mounted = Some(Mounted::new(&out, size.max(4096)));
                job.run_on_a_full_disk()
            }
            How::Power => {
                let recording =
                    self.recordings.entry(name).or_insert_with(|| Recording::of(writer));
                recording.rebuild(&out, random)
            }
            How::Executor => unreachable!("a cluster is no writer"),
        };
        job.check_names(end, how);
        if let Some(mounted) = &mounted {
            mounted.enlarge();
        }
        job.go_on();
        let reached = job.shown();
        drop(mounted);
        assert!(
            reached.keys().eq(end.keys()),
            "{name} after {}: {:?}, expected {:?}",
            how.name(),
            reached.keys(),
            end.keys()
        );
        for (file, bytes) in end {
            assert!(&reached[file] == bytes, "{name} after {}: {file} differs", how.name());
        }
        struck
    }

    fn run_undisturbed(&mut self, writer: &'static Writer) {
        if self.undisturbed.contains_key(writer.name) {
            return;
        }
        let place = tempfile::tempdir().expect("there is room for a directory");
        let out = place.path().canonicalize().expect("it was just made");
        let job = Job { writer, out: &out, address: self.address(writer), number: self.next() };
        let start = Instant::now();
        let ended = job.command(writer.words).output().expect("the binary starts");
        assert!(ended.status.success(), "{}: {}", writer.name, told(&ended));
        let took = start.elapsed();
        let bytes = files(&out).values().map(Vec::len).sum();
        let undisturbed = Undisturbed { end: job.shown(), took, bytes };
        assert!(!undisturbed.end.is_empty(), "{} writes nothing", writer.name);
        self.undisturbed.insert(writer.name, undisturbed);
    }

    fn address(&self, writer: &Writer) -> String {
        let server = writer.server.and_then(|server| self.servers.get(server));
        server.map_or_else(String::new, servers::Server::address)
    }

    fn next(&mut self) -> usize {
        self.next += 1;
        self.next
    }
}

/// A writer at a place.
struct Job<'a> {
    writer: &'a Writer,
    out: &'a Path,
    address: String,
    number: usize,
}

impl Job<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("env");
        // Whoever started this may ignore signals.
        command.arg("--default-signal").arg(env!("CARGO_BIN_EXE_everyply"));
        let out = self.out.to_str().expect("temporary directories have names of text");
        command.args(words.iter().map(|word| {
            let number = self.number.to_string();
            word.replace("OUT", out).replace("SERVER", &self.address).replace("NUMBER", &number)
        }));
        command.envs(self.writer.environment(&self.address));
        command.stdin(Stdio::null());
        command
    }

    /// Runs it for a time, and sends a signal; true if that ended it.
    fn run_for(&self, signal: &str, patience: Duration) -> bool {
        let mut command = self.command(self.writer.words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        thread::sleep(patience);
        // It may have ended already.
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).output();
        let status = child.wait().expect("a process of our own");
        // Without a code the signal came before the process could care for it, or was not to be
        // cared for.
        let expected = [None, Some(0), Some(130)];
        assert!(expected.contains(&status.code()), "{}: {signal}: {status}", self.writer.name);
        if status.code() == Some(130) {
            self.check_no_left_overs(signal);
        }
        !status.success()
    }

    fn run_on_a_full_disk(&self) -> bool {
        let ended = self.command(self.writer.words).output().expect("the binary starts");
        let code = ended.status.code();
        let name = self.writer.name;
        assert!(matches!(code, Some(0 | 3)), "{name}: full disk: {:?} {}", code, told(&ended));
        self.check_no_left_overs("full disk");
        code == Some(3)
    }

    /// Who ends in order removes what is unfinished.
    fn check_no_left_overs(&self, how: &str) {
        let left: Vec<String> =
            files(self.out).into_keys().filter(|name| is_unfinished(name)).collect();
        assert!(left.is_empty(), "{} after {how} left {left:?}", self.writer.name);
    }

    /// A file under its own name is complete.
    fn check_names(&self, end: &BTreeMap<String, Vec<u8>>, how: How) {
        if self.writer.shown != Shown::Files {
            return;
        }
        let Writer { changes, grows, .. } = self.writer;
        for (name, bytes) in files(self.out) {
            let is_open = changes.iter().any(|part| name.contains(part))
                || grows.contains(&name.as_str())
                || is_unfinished(&name);
            let is_whole = is_open || end.get(&name).is_some_and(|whole| *whole == bytes);
            assert!(is_whole, "{} after {}: {name} is not whole", self.writer.name, how.name());
        }
    }

    /// Goes on to the end. The lock of a killed connection may take a moment to go.
    fn go_on(&self) {
        let start = Instant::now();
        loop {
            let ended = self.command(self.writer.again).output().expect("the binary starts");
            if ended.status.success() {
                return;
            }
            let is_busy = self.writer.server.is_some() && told(&ended).contains("another");
            assert!(
                is_busy && start.elapsed() < Duration::from_secs(90),
                "{} does not go on: {}",
                self.writer.name,
                told(&ended)
            );
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// What is compared.
    fn shown(&self) -> BTreeMap<String, Vec<u8>> {
        match self.writer.shown {
            Shown::Files => {
                let mut found = files(self.out);
                found.retain(|name, _| !self.writer.changes.iter().any(|part| name.contains(part)));
                found
            }
            Shown::Output(words) => {
                let ended = self.command(words).output().expect("the binary starts");
                assert!(ended.status.success(), "{}: {}", self.writer.name, told(&ended));
                BTreeMap::from([("output".to_owned(), ended.stdout)])
            }
        }
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn is_unfinished(name: &str) -> bool {
    name.ends_with(".unfinished") || name.ends_with(".lock")
}

/// Every file below a directory.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).expect("a directory of ours") {
            let path = entry.expect("a directory of ours").path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(directory).expect("it is below");
                let bytes = fs::read(&path).expect("a file of ours");
                found.insert(name.to_str().expect("our names are text").to_owned(), bytes);
            }
        }
    }
    found
}

/// A small disk in memory, which is unmounted when this is dropped.
struct Mounted<'a>(&'a Path);

impl Mounted<'_> {
    fn new(path: &Path, size: usize) -> Mounted<'_> {
        assert!(mount(path, &format!("size={size}")), "it could be mounted before");
        Mounted(path)
    }

    fn enlarge(&self) {
        assert!(mount(self.0, "remount,size=512m"), "a disk in memory can be enlarged");
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).output();
    }
}

fn mount(path: &Path, options: &str) -> bool {
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(path);
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn can_mount() -> bool {
    let place: TempDir = tempfile::tempdir().expect("there is room for a directory");
    let mounted = mount(place.path(), "size=64k");
    if mounted {
        drop(Mounted(place.path()));
    }
    mounted
}

/// A seed chooses what is disturbed and how; the moments are also the system's.
pub(crate) struct Random(chess::Random);

impl Random {
    /// A number below a bound that is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// From 0 up to 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.0.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}
