//! The processes of a cluster. All of them end with the test that started them, also if it fails.

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// How long a process may take to be ready.
const PATIENCE: Duration = Duration::from_secs(30);

/// A scheduler and its executors, each with a directory and a log of its own.
pub(crate) struct Cluster {
    pub(crate) scheduler: Node,
    pub(crate) executors: Vec<Node>,
    /// How much every executor may take.
    limits: &'static [&'static str],
    port: u16,
    directory: TempDir,
    _alone: MutexGuard<'static, ()>,
}

/// One cluster at a time: several would only take each other's processors.
static ALONE: Mutex<()> = Mutex::new(());

/// Keeps other tests of this process from starting a cluster.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    // A test that has failed with it has cleaned up all the same.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cluster {
    /// Starts a scheduler and so many executors, and waits until they work.
    pub(crate) fn start(executors: usize) -> Cluster {
        Cluster::start_with(executors, &["--slots", "2"])
    }

    /// The same, with other limits for executors.
    pub(crate) fn start_with(executors: usize, limits: &'static [&'static str]) -> Cluster {
        let alone = alone();
        let directory = tempfile::tempdir().unwrap();
        let port = free_port();
        let scheduler = start_scheduler(port, &directory.path().join("scheduler.log"));
        let executors_wanted = executors;
        let executors = Vec::new();
        let mut cluster = Cluster { scheduler, executors, limits, port, directory, _alone: alone };
        for _ in 0..executors_wanted {
            let work = cluster.directory.path().join(format!("work-{}", cluster.executors.len()));
            fs::create_dir(&work).unwrap();
            cluster.add_executor(everyply(), &work);
        }
        cluster
    }

    /// Starts a scheduler in the place of one that has ended.
    #[allow(dead_code, reason = "not every test does")]
    pub(crate) fn restart_scheduler(&mut self) {
        let log = self.directory.path().join("scheduler-again.log");
        self.scheduler = start_scheduler(self.port, &log);
    }

    /// Starts an executor that works in a directory, by a command that runs `everyply`; its port.
    pub(crate) fn add_executor(&mut self, command: Command, work: &Path) -> u16 {
        self.add_executor_of(&self.place(), command, work)
    }

    /// Starts an executor that takes somebody else for its scheduler; its port.
    pub(crate) fn add_executor_of(
        &mut self,
        scheduler: &str,
        mut command: Command,
        work: &Path,
    ) -> u16 {
        let port = free_port();
        let name = format!("executor-{port}.log");
        command.args(["cluster", "executor", "--log", "steps"]).args(self.limits);
        command.args(["--scheduler", scheduler]);
        command.args(["--bind", &format!("127.0.0.1:{port}")]).arg("--work-dir").arg(work);
        let executor = Node::start(command, &self.directory.path().join(name));
        executor.wait_for("executor at", port);
        self.executors.push(executor);
        port
    }

    pub(crate) fn address(&self) -> String {
        format!("df://{}", self.place())
    }

    /// Where its scheduler listens.
    pub(crate) fn place(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The time that its executors have worked.
    #[allow(dead_code, reason = "not every test asks")]
    pub(crate) fn cpu_time(&self) -> Duration {
        self.executors.iter().map(Node::cpu_time).sum()
    }

    /// The ends of all logs.
    pub(crate) fn told(&self) -> String {
        let mut told = String::new();
        for entry in fs::read_dir(self.directory.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "log") {
                let text = fs::read_to_string(&path).unwrap();
                let lines: Vec<&str> = text.lines().rev().take(20).collect();
                let lines: Vec<&str> = lines.into_iter().rev().collect();
                told += &format!("--- {}\n{}\n", path.display(), lines.join("\n"));
            }
        }
        told
    }
}

fn start_scheduler(port: u16, log: &Path) -> Node {
    let mut command = everyply();
    command.args(["cluster", "scheduler", "--executor-timeout", "8", "--log", "steps"]);
    command.args(["--bind", &format!("127.0.0.1:{port}")]);
    let scheduler = Node::start(command, log);
    scheduler.wait_for("scheduler at", port);
    scheduler
}

/// A process.
pub(crate) struct Node {
    child: Child,
    log: PathBuf,
}

impl Node {
    fn start(mut command: Command, log: &Path) -> Node {
        let output = File::create(log).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output);
        Node { child: command.spawn().expect("the binary starts"), log: log.to_owned() }
    }

    /// Waits until it has said so and listens.
    fn wait_for(&self, what: &str, port: u16) {
        let begun = Instant::now();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        while !self.told().contains(what) || TcpStream::connect(address).is_err() {
            assert!(begun.elapsed() < PATIENCE, "no {what} {port}:\n{}", self.told());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// What it has written.
    pub(crate) fn told(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// The time that its threads have worked.
    pub(crate) fn cpu_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // Behind the name, which is in brackets: fields 14 and 15, in hundredths of a second.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().unwrap()).sum();
        Duration::from_millis(ticks * 10)
    }

    /// The most memory that it has had, in bytes.
    #[allow(dead_code, reason = "not every test asks")]
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Ends it as a machine without power does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends it a signal, and waits for its end.
    #[allow(dead_code, reason = "not every test does")]
    pub(crate) fn stop(&mut self, signal: &str) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.told());
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn everyply() -> Command {
    Command::new(env!("CARGO_BIN_EXE_everyply"))
}

/// A port that nobody listens at.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
