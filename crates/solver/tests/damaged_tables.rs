//! What happens to a table when the process is killed, the disk is full, bytes go bad or somebody
//! else writes.

#[path = "../../stores/tests/servers/missing.rs"]
mod missing;

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::Instant,
};

use game::{Dense, Sheet};
use kalah::{Position, Rules, Sheets};
use solver::{
    Next, Sample, StoreError,
    table::{BuildLimits, Directory, Table, TableError, TableFault, build, repair, verify},
};

const LIMITS: BuildLimits = BuildLimits { memory: 1 << 28 };

fn sheets() -> Sheets {
    Sheets::new(4, 16, Rules::STD_EITHER).expect("a size")
}

fn built(directory: &Path) -> Result<solver::table::Built, TableError> {
    build(&sheets(), &Directory::new(directory), &LIMITS, &mut |_| Next::Continue)
}

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries =
        fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry"));
    let mut files: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().expect("a name");
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn d8_an_emptied_a_cut_a_changed_and_a_lost_file_are_filled_again() {
    let directory = tempfile::tempdir().expect("a directory");
    built(directory.path()).expect("a table");
    let whole = files(directory.path());
    let parts: Vec<_> = whole.iter().filter(|(name, _)| name.starts_with("units-")).collect();
    type Damage<'a> = &'a dyn Fn(&Path, &[u8]);
    let damages: [Damage<'_>; 4] = [
        &|path, _| fs::write(path, []).expect("emptied"),
        &|path, bytes| fs::write(path, &bytes[..bytes.len() - 1]).expect("cut"),
        &|path, bytes| {
            let mut bytes = bytes.to_vec();
            let last = bytes.len() - 1;
            bytes[last] ^= 4;
            fs::write(path, bytes).expect("changed");
        },
        &|path, _| fs::remove_file(path).expect("removed"),
    ];
    for (at, damage) in damages.iter().enumerate() {
        // Three files at once, the first, the last and one between.
        for (name, bytes) in [parts[0], parts[parts.len() / 2 + at], parts[parts.len() - 1]] {
            damage(&directory.path().join(name), bytes);
        }
        let again = built(directory.path()).expect("a table");
        assert!(again.repaired >= 3 && again.found < again.positions, "{again:?}");
        assert!(files(directory.path()) == whole, "damage {at} is not undone");
        assert_eq!(built(directory.path()).expect("a table").repaired, 0);
    }
}

#[test]
fn d8_a_wrong_value_is_filled_again() {
    let directory = tempfile::tempdir().expect("a directory");
    built(directory.path()).expect("a table");
    let whole = files(directory.path());
    let damaged = BTreeSet::from([Sheet { own: 5, other: 4 }, Sheet { own: 0, other: 12 }]);
    let place = Directory::new(directory.path());
    let again = repair(&sheets(), &place, &damaged, &LIMITS, &mut |_| Next::Continue);
    assert!(again.expect("a table").repaired >= 2);
    assert!(files(directory.path()) == whole);
}

#[test]
fn b6_a_table_that_does_not_fit_is_refused_before_it_is_begun() {
    let directory = tempfile::tempdir().expect("a directory");
    let limits = BuildLimits { memory: (24 << 20) + sheets().memory() };
    let mut told = 0;
    let error = build(&sheets(), &Directory::new(directory.path()), &limits, &mut |_| {
        told += 1;
        Next::Continue
    });
    assert!(matches!(error, Err(TableError::Memory { .. })), "{error:?}");
    assert_eq!(told, 0, "nothing was filled");
    let least = Sheets::least_memory(4, 16).expect("a size");
    let taken = sheets().memory() as u64;
    assert!(least <= taken && taken < 2 * least, "{least} of {taken}");
}

/// Builds the table that the environment names; the test below runs this in another process and
/// kills it.
#[test]
fn build_for_the_test_that_kills() {
    if let Some(directory) = std::env::var_os("EVERYPLY_BUILD_AND_BE_KILLED") {
        built(Path::new(&directory)).expect("a table");
    }
}

fn builder(directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "build_for_the_test_that_kills"]);
    command
        .env("EVERYPLY_BUILD_AND_BE_KILLED", directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
fn a_killed_build_is_resumed_to_the_same_bytes() {
    let whole = tempfile::tempdir().expect("a directory");
    let start = Instant::now();
    assert!(builder(whole.path()).status().expect("a builder").success());
    let time = start.elapsed();
    let expected = files(whole.path());
    // Killed at moments spread over the time that a build takes, over and over, until done.
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let kills = if slow { 50 } else { 8 };
    let (mut killed, mut round, mut seed) = (0, 0, 0x5eed_u64);
    while killed < kills {
        let parts = tempfile::tempdir().expect("a directory");
        round += 1;
        assert!(round < 1000, "the builder is always done before it is killed");
        loop {
            let mut child = builder(parts.path()).spawn().expect("a builder");
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sleep(time.mul_f64((seed >> 33) as f64 / f64::from(1_u32 << 31)));
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            child.kill().expect("a kill");
            child.wait().expect("a dead child");
            killed += 1;
            // What is there after a kill can be read.
            let place = Directory::new(parts.path());
            let sheets = sheets();
            if solver::table::Manifest::read(&place).expect("a manifest").is_some() {
                let report = verify(
                    &sheets,
                    &place,
                    Sample::Some { rows: 2000, seed: 1 },
                    1 << 24,
                    &mut |_, _| Next::Continue,
                );
                let faults = report.expect("a report").faults;
                assert!(
                    faults.iter().all(|fault| matches!(fault, TableFault::Missing(_))),
                    "{faults:?}"
                );
            }
        }
        built(parts.path()).expect("a table");
        assert!(files(parts.path()) == expected, "round {round}, {killed} kills");
    }
    println!("{killed} kills in {round} builds");
}

#[test]
fn d2_what_a_killed_build_left_is_removed_by_the_next() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let left = ["manifest.unfinished", "units-012-000.unfinished", ".lock"];
    for name in left.iter().chain(&["mine.unfinished"]) {
        fs::write(at(name), "half").expect("a file");
    }
    built(directory.path()).expect("a table");
    assert!(left.iter().all(|name| !at(name).exists()), "{:?}", files(directory.path()));
    assert!(at("mine.unfinished").exists(), "somebody else's file is kept");
}

#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    let directory = tempfile::tempdir().expect("a directory");
    built(directory.path()).expect("a table");
    let place = Directory::new(directory.path());
    let lock = place.lock().expect("a lock");
    assert!(matches!(built(directory.path()), Err(TableError::Store(StoreError::Busy(_)))));
    assert!(Table::open(&sheets(), &place, 1 << 20).is_ok());
    drop(lock);
    assert!(built(directory.path()).is_ok());
}

/// The error that comes of verifying a table.
fn first_fault(directory: &Path) -> Option<TableFault<Position>> {
    let place = Directory::new(directory);
    let sheets = sheets();
    let report = verify(&sheets, &place, Sample::All, 1 << 26, &mut |_, _| Next::Continue);
    report.expect("a report").faults.into_iter().next()
}

#[test]
fn a_flipped_byte_anywhere_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    built(directory.path()).expect("a table");
    assert_eq!(first_fault(directory.path()), None);
    for name in ["units-009-000", "units-016-000"] {
        let path = directory.path().join(name);
        let good = fs::read(&path).expect("a file");
        for at in [0, 9, 20, 40, good.len() / 2, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            fs::write(&path, bad).expect("a file");
            match first_fault(directory.path()) {
                Some(TableFault::Unreadable {
                    error: StoreError::Corrupt { place, .. }, ..
                }) => {
                    assert!(place.contains(name), "{place}");
                }
                other => panic!("byte {at} of {name}: {other:?}"),
            }
        }
        fs::write(&path, good).expect("a file");
    }
    assert_eq!(first_fault(directory.path()), None);
    let manifest = directory.path().join("manifest");
    let good = fs::read(&manifest).expect("a file");
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x01;
        fs::write(&manifest, bad).expect("a file");
        assert!(Table::open(&sheets(), &Directory::new(directory.path()), 0).is_err(), "byte {at}");
        assert!(built(directory.path()).is_err(), "byte {at}");
    }
}

#[test]
fn a_shortened_file_is_found_and_a_missing_one_too() {
    let directory = tempfile::tempdir().expect("a directory");
    built(directory.path()).expect("a table");
    let path = directory.path().join("units-012-000");
    let good = fs::read(&path).expect("a file");
    for length in [0, 10, good.len() / 2, good.len() - 1] {
        fs::write(&path, &good[..length]).expect("a file");
        match first_fault(directory.path()) {
            Some(TableFault::Unreadable {
                error: StoreError::Corrupt { place, cause }, ..
            }) => {
                assert!(
                    place.contains("units-012-000") && cause.contains("ends"),
                    "{place} {cause}"
                );
            }
            other => panic!("{length} bytes: {other:?}"),
        }
    }
    fs::remove_file(&path).expect("a file");
    let fault = format!("{:?}", first_fault(directory.path()));
    assert!(fault.contains("missing"), "{fault}");
    // A build that needs the block fills it again.
    let more = Sheets::new(4, 17, Rules::STD_EITHER).expect("a size");
    let place = Directory::new(directory.path());
    let again = build(&more, &place, &LIMITS, &mut |_| Next::Continue).expect("a table");
    assert_eq!(again.repaired, 7, "the blocks of that file");
    assert!(fs::read(&path).expect("a file") == good);
}

#[test]
fn a_wrong_value_and_a_missing_block_are_named() {
    // A table of other rules under this name has wrong values with right checksums.
    let directory = tempfile::tempdir().expect("a directory");
    let other = Sheets::new(4, 10, Rules::EMPTY_EITHER).expect("a size");
    let place = Directory::new(directory.path());
    build(&other, &place, &LIMITS, &mut |_| Next::Continue).expect("a table");
    let mut manifest = solver::table::Manifest::read(&place).expect("a place").expect("a table");
    manifest.game = "kalah pits=4 rules=std_either".to_owned();
    manifest.blocks.remove(&(6, 4));
    manifest.write(&place).expect("a manifest");
    let sheets = Sheets::new(4, 10, Rules::STD_EITHER).expect("a size");
    let report = verify(&sheets, &place, Sample::All, 1 << 26, &mut |_, _| Next::Continue);
    let report = report.expect("a report");
    assert!(report.wrong > 100 && report.faults.len() <= 1000);
    assert!(report.faults.iter().any(|fault| matches!(fault, TableFault::Missing(_))));
    assert!(report.faults.iter().any(|fault| matches!(fault, TableFault::Wrong { .. })));
    let some = Sample::Some { rows: 5000, seed: 3 };
    let sampled = verify(&sheets, &place, some, 1 << 26, &mut |_, _| Next::Continue);
    let sampled = sampled.expect("a report");
    assert_eq!(sampled.checked, 5000);
    assert!(sampled.wrong > 2);
}

#[test]
fn a_full_disk_is_an_error_and_the_build_goes_on_when_there_is_room() {
    let directory = tempfile::tempdir().expect("a directory");
    let mount = |size: &str, again: &str| {
        Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}{again}"), "tmpfs"])
            .arg(directory.path())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !mount("96k", "") {
        missing::not_run("a small disk cannot be mounted here");
        return;
    }
    let error = built(directory.path()).expect_err("96 KiB are not enough").to_string();
    let left = files(directory.path());
    assert!(mount("64m", ",remount"), "the disk cannot grow");
    let resumed = built(directory.path()).map(|built| built.found);
    let after = files(directory.path());
    let unmounted = Command::new("umount").arg(directory.path()).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    assert!(error.contains("units-") && error.contains("space"), "{error}");
    assert!(left.len() > 5, "nothing was kept");
    assert!(resumed.expect("a table") > 0);
    let whole = tempfile::tempdir().expect("a directory");
    built(whole.path()).expect("a table");
    assert!(after == files(whole.path()));
}
