//! Directories and buckets that tasks share: every row is that of a store solved in one process.

mod servers;

use std::{fs, thread};

use game::Game;
use kalah::{Kalah, Rules};
use solver::{
    Access, Header, Limits, Memory, Next, Row, SolveError, Stage, Store, StoreError, every_row,
    solve,
    tasks::{self, Done, Number, Runner, Span, Split, Task, Worker},
};

/// Runs the tasks of a stage at once, each with a handle of its own.
struct Threads<'a> {
    kalah: &'a Kalah,
    url: &'a str,
}

impl Runner for Threads<'_> {
    type Error = SolveError;

    fn run(
        &mut self,
        tasks: &[Task],
        wait: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<Vec<Done>, SolveError> {
        wait()?;
        let (kalah, url) = (self.kalah, self.url);
        let run = |task: Task| kalah.run(&task, &mut *stores::tasks::blobs(url)?);
        thread::scope(|scope| {
            // The first one runs twice, as if it had been taken for lost.
            let begun: Vec<_> = tasks.iter().chain(&tasks[..1]).cloned().collect();
            let begun: Vec<_> =
                begun.into_iter().map(|task| scope.spawn(move || run(task))).collect();
            let ended = begun.into_iter().map(|task| task.join().expect("it does not panic"));
            let mut done = ended.collect::<Result<Vec<_>, _>>()?;
            let again = done.pop();
            assert_eq!(again.as_ref(), done.first());
            Ok(done)
        })
    }
}

const SPLIT: Split = Split { wide: 500, enough: 2000, tasks: 3, memory: usize::MAX, part: 3000 };

/// Solves as far as `stages` go; true if all is done.
fn solve_on(kalah: &Kalah, url: &str, access: &Access, mut stages: usize) -> bool {
    let (mut desk, state) = stores::tasks::desk(url, access).expect("a desk");
    assert_eq!(state.header, Header::of(kalah));
    let mut runner = Threads { kalah, url };
    let solved = tasks::solve(kalah, &mut *desk, &mut runner, SPLIT, &mut |_| {
        stages -= 1;
        if stages == 0 { Next::Stop } else { Next::Continue }
    });
    match solved {
        Ok(()) => true,
        Err(SolveError::Stopped) => false,
        Err(error) => panic!("{url}: {error}"),
    }
}

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

/// Solves a game at a place, with stops and without, and compares every row.
fn compare(place: &str, rules: &[Rules], names: &dyn Fn(&str) -> Vec<String>) {
    for (number, &rules) in rules.iter().enumerate() {
        let kalah = Kalah::new(3, 3, rules).expect("a size that fits");
        let url = format!("{place}/{number}");
        let (create, resume) =
            (Access::Create(Header::of(&kalah)), Access::Resume(Header::of(&kalah)));
        // A store in one go, and others that are resumed after so many stages.
        let stages = [usize::MAX, 3, 1, 7][number];
        let mut access = create;
        while !solve_on(&kalah, &url, &access, stages) {
            let mut store = stores::open(&url, Access::Read).expect("it can be read meanwhile");
            assert_eq!(store.state().stage, Stage::Exploring(None));
            assert!(rows(&mut *store).is_empty());
            access = resume.clone();
        }
        let mut store = stores::open(&url, Access::Read).expect("a solved store");
        assert_eq!(store.state().stage, Stage::Solved);
        assert!(rows(&mut *store) == expected(&kalah), "{}", kalah.name());
        let left = names(&number.to_string());
        assert!(left.iter().all(|name| !name.contains("work")), "{left:?}");
        assert!(left.iter().filter(|name| name.ends_with(".parquet")).count() > 1, "{left:?}");
    }
}

#[test]
fn a_directory_that_tasks_share_has_the_rows_of_memory() {
    let directory = tempfile::tempdir().expect("a directory for the stores");
    let names = |name: &str| {
        let entries = fs::read_dir(directory.path().join(name)).expect("the store");
        let names = entries.map(|entry| entry.expect("a file").file_name().into_string());
        names.map(|name| name.expect("text")).collect::<Vec<_>>()
    };
    compare(&format!("file:{}", directory.path().display()), &Rules::ALL, &names);
}

#[test]
fn a_bucket_that_tasks_share_has_the_rows_of_memory() {
    if servers::has_s3("a_bucket_that_tasks_share_has_the_rows_of_memory") {
        // Without a listing of the bucket; the next writer would find what is left.
        compare("s3://games/tasks", &Rules::ALL[..2], &|_| vec![".parquet".to_owned(); 2]);
    }
}

#[test]
fn a_bucket_of_google_that_tasks_share_has_the_rows_of_memory() {
    if servers::has_gs("a_bucket_of_google_that_tasks_share_has_the_rows_of_memory") {
        compare("gs://games/tasks", &Rules::ALL[..2], &|_| vec![".parquet".to_owned(); 2]);
    }
}

#[test]
fn the_two_ways_to_solve_do_not_mix_but_by_starting_again() {
    let directory = tempfile::tempdir().expect("a directory for the store");
    let url = format!("file:{}", directory.path().display());
    let kalah = Kalah::new(3, 3, Rules::STD_EITHER).expect("a size that fits");
    let header = Header::of(&kalah);
    let limits = Limits { commit_every: std::time::Duration::ZERO, ..Limits::default() };
    let mut left = 40;
    let mut stop = |_: &solver::Progress| {
        left -= 1;
        if left == 0 { Next::Stop } else { Next::Continue }
    };
    // Begun by tasks: one process starts again, and removes what they wrote.
    assert!(!solve_on(&kalah, &url, &Access::Create(header.clone()), 4));
    let mut store = stores::open(&url, Access::Resume(header.clone())).expect("a store");
    assert_eq!(solve(&kalah, &mut *store, &limits, &mut stop), Err(SolveError::Stopped));
    // Begun in one process: tasks cannot go on.
    let busy = stores::tasks::desk(&url, &Access::Resume(header.clone())).map(|_| ());
    assert!(matches!(busy, Err(StoreError::Busy(_))), "{busy:?}");
    drop(store);
    let begun = stores::tasks::desk(&url, &Access::Resume(header.clone())).map(|_| ());
    let refusal = begun.expect_err("it is half solved").to_string();
    assert!(refusal.contains("resume it without"), "{refusal}");
    // Solved: there is nothing to do.
    let mut store = stores::open(&url, Access::Resume(header.clone())).expect("a store");
    solve(&kalah, &mut *store, &limits, &mut |_| Next::Continue).expect("a solution");
    assert!(rows(&mut *store) == expected(&kalah));
    drop(store);
    fs::write(directory.path().join("work-000001-000000-000000"), "left over").expect("a file");
    let (desk, state) = stores::tasks::desk(&url, &Access::Resume(header)).expect("a desk");
    assert_eq!(state.stage, Stage::Solved);
    drop(desk);
    assert!(!directory.path().join("work-000001-000000-000000").exists());
    // A task that was taken for lost comes too late: its rows would stand beside those of the store.
    let mut blobs = stores::tasks::blobs(&url).expect("blobs");
    let number = Number { writer: 1, part: 900 };
    let late = blobs.write_part(number, &Header::of(&kalah), &expected(&kalah)[..9]);
    assert!(matches!(late, Err(StoreError::Busy(_))), "{late:?}");
    let cut = blobs.read("manifest", Span { offset: 10, bytes: 1 << 40 });
    assert!(matches!(cut, Err(StoreError::Corrupt { .. })), "{cut:?}");
    let other = stores::tasks::desk("sqlite:x", &Access::Read).map(|_| ());
    assert!(other.expect_err("no directory").to_string().contains("file:, s3: or gs:"));
}
