//! Games solved on a cluster: every row is that of the same game solved in one process, whatever is
//! killed meanwhile.

#[path = "cluster/processes.rs"]
mod processes;
#[path = "../../stores/tests/servers/mod.rs"]
mod servers;

use std::{
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use kalah::{Kalah, Rules};
use solver::{Access, Header, Limits, Memory, Next, Row, Stage, Store, every_row, solve};

use self::processes::{Cluster, everyply};

/// An executor that has worked for so long is in the middle of it.
const WORKING: Duration = Duration::from_millis(150);

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

    fn kalah(&self) -> Kalah {
        Kalah::new(self.size.0, self.size.1, self.rules).expect("a size that fits")
    }

    /// Compares every row.
    fn check(&self, output: &Output, cluster: &Cluster) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}\n{}", cluster.told());
        let kalah = self.kalah();
        let mut store = stores::open(&self.store, Access::Read).expect("a solved store");
        assert_eq!(store.state().stage, Stage::Solved);
        let (found, expected) = (rows(&mut *store), expected(&kalah));
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
    if !servers::has_s3("every_row_of_a_bucket_is_that_of_one_process") {
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

/// Waits until an executor has worked a while on a solve; false if the solve has ended before.
fn wait_for_work(cluster: &Cluster, child: &mut Child, idle: Duration) -> bool {
    let begun = Instant::now();
    while cluster.executors[0].cpu_time() < idle + WORKING {
        if child.try_wait().expect("a process of our own").is_some() {
            return false;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{}", cluster.told());
        thread::sleep(Duration::from_millis(10));
    }
    true
}

#[test]
fn a_solve_outlives_an_executor() {
    let mut cluster = Cluster::start(2);
    let directory = tempfile::tempdir().expect("a directory for the store");
    let store = format!("file:{}", directory.path().join("k").display());
    let (size, rules, address) = ((4, 3), Rules::STD_EITHER, cluster.address());
    let solve = Solve { size, rules, store, cluster: address };
    let idle = cluster.executors[0].cpu_time();
    let mut child = solve.begin(&[]);
    assert!(wait_for_work(&cluster, &mut child, idle), "it is still to be killed in the middle");
    cluster.executors[0].kill();
    let output = child.wait_with_output().expect("a process of our own");
    solve.check(&output, &cluster);
}

#[test]
fn a_solve_is_resumed_after_a_scheduler_and_a_client_died() {
    let mut cluster = Cluster::start(2);
    let directory = tempfile::tempdir().expect("a directory for the store");
    let store = format!("file:{}", directory.path().join("k").display());
    let (size, rules, address) = ((4, 3), Rules::EMPTY_EITHER, cluster.address());
    let solve = Solve { size, rules, store, cluster: address };
    let idle = cluster.executors[0].cpu_time();
    let mut child = solve.begin(&[]);
    assert!(wait_for_work(&cluster, &mut child, idle), "it is still to be killed in the middle");
    cluster.scheduler.kill();
    let output = child.wait_with_output().expect("a process of our own");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("scheduler"), "{told}");
    cluster.restart_scheduler();
    // And now the client.
    let idle = cluster.executors[0].cpu_time();
    let mut child = solve.begin(&["--resume"]);
    if wait_for_work(&cluster, &mut child, idle) {
        child.kill().expect("a process of our own");
    }
    child.wait().expect("a process of our own");
    let output = solve.command(&["--resume"]).output().expect("it starts");
    solve.check(&output, &cluster);
}

fn is_slow() -> bool {
    std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1")
}

#[test]
fn a_solve_survives_kills_at_random_moments() {
    if !is_slow() {
        println!("not run: 20 kills (EVERYPLY_SLOW=1)");
        return;
    }
    let mut seed = 20;
    eprintln!("seed {seed}");
    let mut random = |below: u64| {
        seed = solver::mix(seed);
        seed % below
    };
    let mut cluster = Cluster::start(2);
    let directory = tempfile::tempdir().expect("a directory for the stores");
    let (size, rules) = ((4, 3), Rules::STD_EITHER);
    let expected = expected(&Kalah::new(size.0, size.1, rules).expect("a size that fits"));
    let mut took = Duration::from_secs(6);
    for kill in 0..20 {
        let store = format!("file:{}", directory.path().join(kill.to_string()).display());
        let solve = Solve { size, rules, store, cluster: cluster.address() };
        let begun = Instant::now();
        let mut child = solve.begin(&[]);
        thread::sleep(took.mul_f64(random(1000) as f64 / 1000.0));
        let (victim, was_over) = (random(4), child.try_wait().expect("our own").is_some());
        match victim {
            0 => cluster.scheduler.kill(),
            1 => child.kill().expect("our own"),
            executor => {
                cluster.executors.remove(executor as usize - 2).kill();
                let work = cluster.directory().join(format!("work-again-{kill}"));
                std::fs::create_dir(&work).expect("a directory");
                cluster.add_executor(everyply(), &work);
            }
        }
        let mut output = child.wait_with_output().expect("our own");
        if victim == 0 {
            cluster.restart_scheduler();
        }
        let name = ["scheduler", "client", "executor", "executor"][victim as usize];
        let ended = output.status;
        if !output.status.success() {
            output = solve.command(&["--resume"]).output().expect("it starts");
        } else if victim == 1 {
            took = begun.elapsed().min(took);
        }
        let seconds = begun.elapsed().as_secs_f64();
        eprintln!("{kill}: {name} killed (over: {was_over}), {ended}, {seconds:.1} s");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}\n{}", cluster.told());
        let mut found = stores::open(&solve.store, Access::Read).expect("a solved store");
        assert!(rows(&mut *found) == expected, "{}", solve.store);
    }
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
