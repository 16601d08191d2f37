//! Games solved on a cluster: every row is that of the same game solved in one process, whatever is
//! killed meanwhile.

#[path = "cluster/processes.rs"]
mod processes;
#[path = "../../stores/tests/servers/mod.rs"]
mod servers;

use std::{
    env,
    fmt::Display,
    fs,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use kalah::{Kalah, Rules};
use solver::{Access, Header, Limits, Memory, Next, Row, Stage, Store, every_row, solve};

use tempfile::TempDir;

use self::processes::{Cluster, everyply};

/// Every row of a game, solved in this process.
fn expected(kalah: &Kalah) -> Vec<Row> {
    let mut memory = Memory::new(Header::of(kalah));
    solve(kalah, &mut memory, &Limits::default(), &mut |_| Next::Continue).expect("a solution");
    rows(&mut memory)
}

fn rows(store: &mut dyn Store) -> Vec<Row> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row)).expect("rows");
    rows
}

/// A game, where it goes, and who solves it.
struct Solve {
    size: (usize, u32),
    rules: Rules,
    store: String,
    cluster: String,
}

impl Solve {
    fn command(&self, more: &[&str]) -> Command {
        let (pits, seeds) = (self.size.0.to_string(), self.size.1.to_string());
        let mut command = everyply();
        command.args(["kalah", "solve", "--pits", &pits, "--seeds", &seeds]);
        command.args(["--rules", &self.rules.to_string(), "--store", &self.store]);
        command.args(["--cluster", &self.cluster, "--format", "csv"]).args(more);
        command.stdin(Stdio::null());
        command
    }

    fn begin(&self, more: &[&str]) -> Child {
        let mut command = self.command(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
    }

    /// Goes on with the work. A client that was killed keeps its bucket until its lease has expired.
    fn resume(&self) -> Output {
        let begun = Instant::now();
        loop {
            let output = self.command(&["--resume"]).output().expect("it starts");
            let told = String::from_utf8_lossy(&output.stderr);
            if !told.contains("is being written by another process") {
                return output;
            }
            assert!(self.store.starts_with("s3:"), "{told}");
            assert!(begun.elapsed() < Duration::from_secs(75), "{told}");
            thread::sleep(Duration::from_secs(1));
        }
    }

    fn kalah(&self) -> Kalah {
        Kalah::new(self.size.0, self.size.1, self.rules).expect("a size that fits")
    }

    /// Compares every row.
    fn check(&self, output: &Output, cluster: &Cluster) {
        self.compare(output, cluster, &expected(&self.kalah()));
    }

    fn compare(&self, output: &Output, cluster: &Cluster, expected: &[Row]) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}\n{}", cluster.told());
        let mut store = stores::open(&self.store, Access::Read).expect("a solved store");
        assert_eq!(store.state().stage, Stage::Solved);
        let found = rows(&mut *store);
        assert!(found == expected, "{}: {} rows", self.store, found.len());
        let line = String::from_utf8_lossy(&output.stdout);
        let positions = format!(",{},", expected.len());
        assert!(line.contains(&positions), "{line}");
    }
}

fn run(arguments: &[&str]) -> String {
    let output = everyply().args(arguments).stdin(Stdio::null()).output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn every_row_of_a_directory_is_that_of_one_process() {
    let cluster = Cluster::start(2);
    let directory = tempfile::tempdir().expect("a directory for the stores");
    for size in [(3, 3), (4, 3)] {
        for rules in Rules::ALL {
            let path = directory.path().join(format!("{}-{}-{rules}", size.0, size.1));
            let store = format!("file:{}", path.display());
            let solve = Solve { size, rules, store, cluster: cluster.address() };
            let begun = Instant::now();
            let output = solve.command(&[]).output().expect("it starts");
            eprintln!("{size:?} {rules}: {:.1} s", begun.elapsed().as_secs_f64());
            solve.check(&output, &cluster);
        }
    }
    let work: Vec<Duration> = cluster.executors.iter().map(processes::Node::cpu_time).collect();
    eprintln!("CPU time of the executors: {work:.1?}");
    let address = cluster.address();
    drop(cluster);
    // Whoever uses the store needs no cluster, and no directory of his own to name it by.
    let store = format!("file:{}", directory.path().join("4-3-std_either").display());
    let best = run(&["kalah", "best", "0,1,1,6/4,0,4,4", "--store", &store, "--format", "csv"]);
    assert!(best.contains("4,4,true,10,"), "{best}");
    run(&["kalah", "verify", "--store", &store]);
    let path = directory.path().join("4-3-std_either");
    let count = format!("select count(*) as n from '{}/*.parquet'", path.display());
    assert_eq!(run(&["sql", &count, "--format", "csv"]), "n\n849460\n");
    // There is nothing left to do, and nobody to do it.
    let solve = Solve { size: (4, 3), rules: Rules::ALL[0], store, cluster: address };
    let again = solve.command(&["--resume"]).output().expect("it starts");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let refused = solve.command(&[]).output().expect("it starts");
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn every_row_of_a_bucket_is_that_of_one_process() {
    if !is_in_bucket("every_row_of_a_bucket_is_that_of_one_process") {
        return;
    }
    let cluster = Cluster::start(2);
    let sizes = [(3, 3), (4, 3), (4, 4)];
    for size in sizes.into_iter().take(if is_slow() { 3 } else { 2 }) {
        for rules in Rules::ALL {
            let store = format!("s3://games/{}-{}-{rules}", size.0, size.1);
            let solve = Solve { size, rules, store, cluster: cluster.address() };
            let begun = Instant::now();
            let output = solve.command(&[]).output().expect("it starts");
            eprintln!("{size:?} {rules}: {:.1} s", begun.elapsed().as_secs_f64());
            solve.check(&output, &cluster);
        }
    }
}

/// Runs a test again in a process that finds S3; true in that process.
fn is_in_bucket(test: &str) -> bool {
    // That process has a cluster, too.
    let _alone = env::var_os("AWS_ENDPOINT_URL").is_none().then(processes::alone);
    servers::has_s3(test)
}

/// Where the stores of a test are.
enum Place {
    Directory(TempDir),
    Bucket,
}

impl Place {
    /// A test that begins with this runs twice where moto is installed: in a process of its own with
    /// a bucket, and then in this process with a directory.
    fn of(test: &str) -> Place {
        match is_in_bucket(test) {
            true => Place::Bucket,
            false => Place::Directory(tempfile::tempdir().expect("a directory for the stores")),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Place::Directory(_) => "directory",
            Place::Bucket => "bucket",
        }
    }

    fn store(&self, name: impl Display) -> String {
        match self {
            Place::Directory(directory) => {
                format!("file:{}", directory.path().join(name.to_string()).display())
            }
            Place::Bucket => format!("s3://games/killed-{name}"),
        }
    }
}

/// A process that is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Victim {
    Scheduler,
    Client,
    Executor(usize),
}

impl Victim {
    fn kill(self, cluster: &mut Cluster, client: &mut Child) {
        match self {
            Victim::Scheduler => cluster.scheduler.kill(),
            Victim::Client => client.kill().expect("a process of our own"),
            Victim::Executor(at) => cluster.executors.remove(at).kill(),
        }
    }

    /// Starts another process in its place.
    fn replace(self, cluster: &mut Cluster, name: impl Display) {
        match self {
            Victim::Scheduler => cluster.restart_scheduler(),
            Victim::Client => {}
            Victim::Executor(_) => {
                let work = cluster.directory().join(format!("work-again-{name}"));
                fs::create_dir(&work).expect("a directory");
                cluster.add_executor(everyply(), &work);
            }
        }
    }
}

/// How often a process was killed, and how often in the middle of the work: the executors had begun,
/// and the solve was not over.
#[derive(Default)]
struct Kills {
    all: usize,
    struck: usize,
}

impl Kills {
    /// Kills a process of a solve.
    fn kill(&mut self, victim: Victim, cluster: &mut Cluster, client: &mut Child, idle: Duration) {
        let is_over = client.try_wait().expect("a process of our own").is_some();
        self.all += 1;
        self.struck += usize::from(!is_over && cluster.cpu_time() > idle);
        victim.kill(cluster, client);
    }

    fn check(&self, place: &Place) {
        let Kills { all, struck } = self;
        eprintln!("{}: {struck} of {all} kills struck in the middle of the work", place.name());
        assert!(2 * struck >= *all, "{struck} of {all}");
    }
}

/// The work of the executors after which they are in the middle of a game.
fn middle(size: (usize, u32)) -> Duration {
    Duration::from_millis(match size {
        (3, 3) => 30,
        (4, 3) => 300,
        _ => 2000,
    })
}

/// Waits until the executors have worked so much, or the solve is over.
fn wait_for_work(cluster: &Cluster, client: &mut Child, work: Duration) {
    let begun = Instant::now();
    while cluster.cpu_time() < work && client.try_wait().expect("a process of our own").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{}", cluster.told());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_process_killed_in_the_middle_changes_no_row() {
    let place = Place::of("a_process_killed_in_the_middle_changes_no_row");
    let mut cluster = Cluster::start(2);
    let mut kills = Kills::default();
    let (sizes, all_rules) = match is_slow() {
        true => (&[(3, 3), (4, 3), (4, 4)][..], &Rules::ALL[..]),
        false => (&[(4, 3)][..], &[Rules::EMPTY_EITHER][..]),
    };
    for &size in sizes {
        for &rules in all_rules {
            let expected = expected(&Kalah::new(size.0, size.1, rules).expect("a size that fits"));
            for victim in [Victim::Executor(0), Victim::Scheduler] {
                let store = place.store(kills.all);
                let solve = Solve { size, rules, store, cluster: cluster.address() };
                let (begun, idle) = (Instant::now(), cluster.cpu_time());
                let mut client = solve.begin(&[]);
                wait_for_work(&cluster, &mut client, idle + middle(size));
                kills.kill(victim, &mut cluster, &mut client, idle);
                let mut output = client.wait_with_output().expect("a process of our own");
                let ended = output.status;
                victim.replace(&mut cluster, kills.all);
                if victim == Victim::Scheduler && !ended.success() {
                    let told = String::from_utf8_lossy(&output.stderr);
                    assert_eq!(ended.code(), Some(3), "{told}");
                    assert!(told.contains("scheduler"), "{told}");
                    // And now the client. In a bucket that takes a minute more, see `resume`.
                    if is_slow() || matches!(place, Place::Directory(_)) {
                        let idle = cluster.cpu_time();
                        let mut client = solve.begin(&["--resume"]);
                        wait_for_work(&cluster, &mut client, idle + middle(size));
                        kills.kill(Victim::Client, &mut cluster, &mut client, idle);
                        client.wait().expect("a process of our own");
                    }
                    output = solve.resume();
                }
                let seconds = begun.elapsed().as_secs_f64();
                eprintln!("{size:?} {rules}: {victim:?} killed, {ended}, {seconds:.1} s");
                solve.compare(&output, &cluster, &expected);
            }
        }
    }
    kills.check(&place);
}

fn is_slow() -> bool {
    env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1")
}

/// Random kills in a directory, and as many in a bucket.
const KILLS: usize = 10;

#[test]
fn a_solve_survives_kills_at_random_moments() {
    if !is_slow() {
        println!("not run: {} kills (EVERYPLY_SLOW=1)", 2 * KILLS);
        return;
    }
    let place = Place::of("a_solve_survives_kills_at_random_moments");
    let seed = env::var("EVERYPLY_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut seed: u64 = seed.unwrap_or(20);
    eprintln!("{}: seed {seed}", place.name());
    // Other moments in a bucket.
    seed = solver::mix(seed) ^ u64::from(matches!(place, Place::Bucket));
    let mut random = |below: u64| {
        seed = solver::mix(seed);
        seed % below
    };
    let mut cluster = Cluster::start(2);
    let mut kills = Kills::default();
    let (size, rules) = ((4, 4), Rules::STD_EITHER);
    let expected = expected(&Kalah::new(size.0, size.1, rules).expect("a size that fits"));
    let address = cluster.address();
    let solve = |store: String| Solve { size, rules, store, cluster: address.clone() };
    let undisturbed = solve(place.store("undisturbed"));
    let begun = Instant::now();
    let output = undisturbed.command(&[]).output().expect("it starts");
    let took = begun.elapsed();
    undisturbed.compare(&output, &cluster, &expected);
    eprintln!("undisturbed: {:.1} s", took.as_secs_f64());
    for kill in 0..KILLS {
        let solve = solve(place.store(kill));
        let (begun, idle) = (Instant::now(), cluster.cpu_time());
        let mut client = solve.begin(&[]);
        thread::sleep(took.mul_f64(random(1000) as f64 / 1000.0));
        let victim = match random(4) {
            0 => Victim::Scheduler,
            1 => Victim::Client,
            executor => Victim::Executor(executor as usize - 2),
        };
        kills.kill(victim, &mut cluster, &mut client, idle);
        let killed = begun.elapsed().as_secs_f64();
        // A new executor comes at once, and a scheduler when the client has noticed.
        let mut output = match victim {
            Victim::Executor(_) => {
                victim.replace(&mut cluster, kill);
                client.wait_with_output().expect("a process of our own")
            }
            Victim::Scheduler | Victim::Client => {
                let output = client.wait_with_output().expect("a process of our own");
                victim.replace(&mut cluster, kill);
                output
            }
        };
        let ended = output.status;
        if !ended.success() {
            output = solve.resume();
        }
        let seconds = begun.elapsed().as_secs_f64();
        eprintln!("{kill}: {victim:?} killed after {killed:.1} s, {ended}, {seconds:.1} s");
        solve.compare(&output, &cluster, &expected);
    }
    kills.check(&place);
}

#[test]
fn larger_games_are_equal_too() {
    if !is_slow() {
        println!("not run: Kalah(4,4) (EVERYPLY_SLOW=1)");
        return;
    }
    let cluster = Cluster::start(2);
    let directory = tempfile::tempdir().expect("a directory for the stores");
    for rules in Rules::ALL {
        let store = format!("file:{}", directory.path().join(rules.to_string()).display());
        let address = cluster.address();
        let solve = Solve { size: (4, 4), rules, store, cluster: address };
        let output = solve.command(&[]).output().expect("it starts");
        solve.check(&output, &cluster);
    }
}

#[test]
fn executors_stay_below_their_memory_limit() {
    // The larger game needs more than the limit for its levels, and less for the regions of each.
    const SMALL: &[&str] = &["--slots", "1", "--memory-limit", "256MiB"];
    const LARGE: &[&str] = &["--slots", "1", "--memory-limit", "512MiB"];
    let (size, positions, most, limits) = match is_slow() {
        true => ((5, 3), 86_988_811, 512, LARGE),
        false => ((4, 4), 5_657_900, 256, SMALL),
    };
    let cluster = Cluster::start_with(2, limits);
    let directory = tempfile::tempdir().expect("a directory for the store");
    let store = format!("file:{}", directory.path().join("k").display());
    let rules = Rules::STD_EITHER;
    let solve = Solve { size, rules, store, cluster: cluster.address() };
    let output = solve.command(&[]).output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{}", cluster.told());
    let line = String::from_utf8_lossy(&output.stdout);
    assert!(line.contains(&format!(",{positions},")), "{line}");
    let peaks: Vec<u64> = cluster.executors.iter().map(|node| node.peak_memory() >> 20).collect();
    let times: Vec<Duration> = cluster.executors.iter().map(processes::Node::cpu_time).collect();
    eprintln!("executors of {size:?}: at most {peaks:?} MiB, CPU {times:.1?}");
    assert!(peaks.iter().all(|peak| *peak < most), "{peaks:?} MiB, limit {most}");
    run(&["kalah", "verify", "--store", &solve.store, "--sample", "100000"]);
}
