//! A cluster that loses an executor.

use std::{process::Stdio, thread, time::Duration, time::Instant};

use crate::{
    Random,
    processes::{Cluster, everyply},
};

pub(crate) const NAME: &str = "statement on a cluster";

const STATEMENT: &str = "select * from chess_perft('start', 4)";

/// A cluster of two, and what it answers if nobody disturbs it.
pub(crate) struct Tortured {
    cluster: Cluster,
    answer: Vec<u8>,
    took: Duration,
}

impl Tortured {
    pub(crate) fn start() -> Tortured {
        let cluster = Cluster::start(2);
        let mut tortured = Tortured { cluster, answer: Vec::new(), took: Duration::ZERO };
        let start = Instant::now();
        tortured.answer = tortured.ask();
        tortured.took = start.elapsed();
        tortured
    }

    /// Kills an executor at a random moment of a statement, which must have its answer all the same,
    /// or say that work was lost; then a new one takes its place. True if the statement was not
    /// over.
    pub(crate) fn disturb(&mut self, random: &mut Random) -> bool {
        let address = self.cluster.address();
        let mut command = everyply();
        command.args(["sql", "--format", "csv", "--cluster", &address, STATEMENT]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the binary starts");
        thread::sleep(self.took.mul_f64(random.fraction()));
        let one = random.below(self.cluster.executors.len());
        self.cluster.executors.remove(one).kill();
        let killed = Instant::now();
        let ended = child.wait_with_output().expect("a process of our own");
        let struck = killed.elapsed() > Duration::from_millis(5);
        let told = String::from_utf8_lossy(&ended.stderr);
        if ended.status.success() {
            assert!(ended.stdout == self.answer, "{}", String::from_utf8_lossy(&ended.stdout));
        } else {
            assert_eq!(ended.status.code(), Some(3), "{told}");
            assert!(told.contains("lost"), "{told}");
        }
        let work = self.cluster.directory().join(format!("work-again-{}", random.below(1 << 30)));
        std::fs::create_dir(&work).expect("a directory of ours");
        self.cluster.add_executor(everyply(), &work);
        assert!(self.ask() == self.answer, "{}", self.cluster.told());
        struck
    }

    fn ask(&self) -> Vec<u8> {
        let mut command = everyply();
        let address = self.cluster.address();
        command.args(["sql", "--format", "csv", "--cluster", &address, STATEMENT]);
        let ended = command.stdin(Stdio::null()).output().expect("the binary starts");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{told}\n{}", self.cluster.told());
        ended.stdout
    }
}
