//! SIGTERM and SIGHUP end a command like Ctrl-C: what is finished stays, what is not is removed.

mod everyply;
#[path = "../../stores/tests/servers/mod.rs"]
mod servers;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use everyply::{run, stderr};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

/// Starts a command with signals as a terminal would give them, whatever this test was started by.
fn start(manner: &str, arguments: &[&str]) -> Child {
    start_with(manner, arguments, &[])
}

/// The same with variables.
fn start_with(manner: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Child {
    let mut command = Command::new("env");
    command.arg(manner).arg(env!("CARGO_BIN_EXE_everyply")).args(arguments);
    command.envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("env is there")
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        thread::sleep(Duration::from_millis(3));
    }
}

/// A file that takes long to read.
fn many_games(directory: &Path) -> String {
    let games = directory.join("games.pgn");
    fs::write(&games, fs::read(SAMPLE).unwrap().repeat(40)).unwrap();
    games.to_str().unwrap().to_owned()
}

#[test]
fn d2_a_signal_leaves_finished_parts_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let games = many_games(place.path());
    for signal in ["-INT", "-TERM", "-HUP"] {
        let out = place.path().join(format!("parts{signal}"));
        let arguments =
            ["chess", "facts", &games, "--part-rows", "20000", "--out", out.to_str().unwrap()];
        let mut child = start("--default-signal", &arguments);
        wait_for("a part is finished", || names(&out).contains(&"part-00000.parquet".to_owned()));
        assert_eq!(child.try_wait().unwrap(), None, "{signal}: parts are left to write");
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let left = names(&out);
        assert!(left.contains(&"part-00000.parquet".to_owned()), "{signal}: {left:?}");
        assert!(left.iter().all(|name| name.ends_with(".parquet")), "{signal}: {left:?}");
    }
}

#[test]
fn d2_a_signal_removes_a_file_that_is_not_complete() {
    let place = tempfile::tempdir().unwrap();
    let games = many_games(place.path());
    for signal in ["-INT", "-TERM", "-HUP"] {
        let out = place.path().join(format!("out{signal}"));
        fs::create_dir(&out).unwrap();
        let file = out.join("facts.csv");
        let arguments = ["chess", "facts", &games, "--out", file.to_str().unwrap()];
        let mut child = start("--default-signal", &arguments);
        wait_for("the file is begun", || {
            fs::metadata(out.join("facts.csv.unfinished")).is_ok_and(|file| file.len() > 0)
        });
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(names(&out), [""; 0], "{signal}");
    }
}

#[test]
fn d2_a_stopped_solver_leaves_its_store_free_at_once() {
    let place = tempfile::tempdir().unwrap();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let store = place.path().join(format!("store{signal}"));
        let url = format!("file:{}", store.display());
        let arguments = ["kalah", "solve", "--pits", "4", "--seeds", "4", "--store", &url];
        let mut child = start("--default-signal", &arguments);
        wait_for("it solves", || names(&store).contains(&"manifest".to_owned()));
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let left = names(&store);
        let is_finished = |name: &String| name == "manifest" || name.ends_with(".parquet");
        assert!(left.iter().all(is_finished), "{signal}: {left:?}");
    }
}

/// The lease of a bucket lasts a minute. Who is stopped ends it, so the next need not wait.
#[cfg(feature = "s3")]
#[test]
fn d2_a_stopped_solver_leaves_its_bucket_free_at_once() {
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    let endpoint = format!("http://{}", server.address());
    let variables = [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "any"),
        ("AWS_SECRET_ACCESS_KEY", "any"),
    ];
    for signal in ["-INT", "-TERM", "-HUP"] {
        let store = format!("store{signal}");
        let url = format!("s3://games/{store}");
        let object = |name: &str| server.object(&format!("{store}/{name}")).unwrap_or_default();
        // Each of them begins before the lease of the one before would have run out.
        for (writer, resume) in [("writer 1 ", None), ("writer 2 ", Some("--resume"))] {
            let mut arguments = vec!["kalah", "solve", "--pits", "4", "--seeds", "4"];
            arguments.extend(["--store", url.as_str()].into_iter().chain(resume));
            let begun = Instant::now();
            let mut child = start_with("--default-signal", &arguments, &variables);
            wait_for("it solves", || {
                assert_eq!(child.try_wait().unwrap(), None, "{signal}, {writer}");
                object("lease").starts_with(writer) && object("manifest").contains("stage")
            });
            let waited = begun.elapsed();
            assert!(waited < Duration::from_secs(45), "{signal}, {writer}: {waited:?}");
            send(signal, &child);
            assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}, {writer}");
            let lease = object("lease");
            assert!(lease.starts_with(writer) && lease.contains(" until 0 "), "{signal}: {lease}");
        }
    }
}

#[test]
fn work_under_nohup_goes_on_when_the_terminal_is_closed() {
    let place = tempfile::tempdir().unwrap();
    let games = many_games(place.path());
    let out = place.path().join("parts");
    let arguments =
        ["chess", "facts", &games, "--part-rows", "20000", "--out", out.to_str().unwrap()];
    let mut child = start("--ignore-signal=HUP", &arguments);
    wait_for("a part is finished", || names(&out).contains(&"part-00000.parquet".to_owned()));
    send("-HUP", &child);
    wait_for("another is finished", || names(&out).contains(&"part-00003.parquet".to_owned()));
    assert_eq!(child.try_wait().unwrap(), None, "it goes on");
    send("-TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// A small disk, which is gone when it is dropped.
struct Disk(PathBuf);

impl Disk {
    fn mount(place: &Path, size: &str) -> Option<Disk> {
        let disk = place.join(format!("disk-{size}"));
        fs::create_dir(&disk).unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(&disk);
        let mounted = command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !mounted {
            servers::not_run("a small disk cannot be mounted here");
        }
        mounted.then_some(Disk(disk))
    }

    fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || thread::panicking());
    }
}

#[test]
fn d2_c4_a_full_disk_leaves_nothing_half_written_and_is_told_once() {
    let place = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(place.path(), "300k") else { return };
    let solved = format!("file:{}", disk.at("store"));
    let mut cases: Vec<Vec<String>> = vec![
        vec!["chess".into(), "facts".into(), SAMPLE.into(), "--out".into(), disk.at("facts.csv")],
        vec!["chess".into(), "facts".into(), SAMPLE.into(), "--out".into(), disk.at("parts")],
        ["kalah", "solve", "--pits", "4", "--seeds", "3", "--store", &solved]
            .map(str::to_owned)
            .into(),
    ];
    // A few megabytes are written when the file ends, and more than ten before that.
    for rows in [300_000, 2_000_000] {
        for (name, options) in [
            ("n.csv", ""),
            ("n.json", ""),
            ("n.parquet", ""),
            ("n.arrow", ""),
            ("n.csv", " options ('format.has_header' 'false')"),
        ] {
            let rows = format!("select value, random() as r from generate_series(1, {rows})");
            let copy = format!("copy ({rows}) to '{}'{options}", disk.at(name));
            cases.push(vec!["sql".to_owned(), "--writable".to_owned(), copy]);
        }
    }
    for words in cases {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = run(&words, "");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{words:?}: {said}");
        assert_eq!(said.matches("No space left on device").count(), 1, "{words:?}: {said}");
        assert!(said.contains(disk.0.to_str().unwrap()), "{words:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{words:?}: {said}");
        let left = walk(&disk.0);
        let half = |name: &String| name.ends_with("unfinished") || name.ends_with("lock");
        assert!(!left.iter().any(half), "{words:?}: {left:?}");
    }
}

#[test]
fn d8_a_table_that_does_not_fit_its_disk_is_told_at_its_begin() {
    let place = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(place.path(), "2m") else { return };
    let build = |seeds| {
        let out = disk.at("table");
        run(&["kalah", "table", "--pits", "6", "--max-seeds", seeds, "--out", &out], "")
    };
    let fits = build("10");
    assert_eq!((fits.status.code(), stderr(&fits).as_str()), (Some(0), ""));
    let output = build("16");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].contains("the rest of the table takes about 11."), "{said}");
    assert!(lines[0].contains("MiB free; without more space the build will stop"), "{said}");
    assert!(lines[1].contains("No space left on device"), "{said}");
}

#[test]
fn c4_a_full_disk_of_spill_files_is_told() {
    let place = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(place.path(), "3m") else { return };
    let rows = "select value % 1009 as a, value, repeat('x', 40) as t from \
                generate_series(1, 1000000)";
    let statements = [
        format!(
            "select count(*), max(n) from (select row_number() over (order by a, value) as n \
                 from ({rows}))"
        ),
        format!(
            "select count(*) from (select a, value, t, count(*) from ({rows}) group by 1, 2, 3)"
        ),
    ];
    for text in statements {
        let limits = ["--memory-limit", "32MiB", "--spill-dir", disk.0.to_str().unwrap()];
        let output = run(&[&["sql", text.as_str()][..], &limits].concat(), "");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{text}: {said}");
        assert_eq!(said.matches("No space left on device").count(), 1, "{text}: {said}");
        let expected = format!("spill files are in {}", disk.0.display());
        assert!(said.contains(&expected) && said.lines().count() == 1, "{text}: {said}");
        assert_eq!(walk(&disk.0), [""; 0], "{text}");
    }
}

fn walk(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: std::path::PathBuf| match path.is_dir() {
        true => walk(&path),
        false => vec![path.display().to_string()],
    };
    entries.flat_map(below).collect()
}
