//! `everyply serve`: one line with the address, the files of a directory, and an end at once.

#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

const BINARY: &str = env!("CARGO_BIN_EXE_everyply");

/// A server under way.
struct Serving {
    process: Child,
    /// Host and port.
    address: String,
    page: String,
    key: String,
}

impl Serving {
    fn start(directory: &Path, words: &[&str]) -> Serving {
        let mut process = Command::new(BINARY)
            .args(["serve", "--no-open"])
            .args(words)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        let out = process.stdout.as_mut().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line.trim_end().strip_prefix("http://").expect("an address").to_owned();
        let (address, key) = address.split_once("#key=").expect("a key");
        let (address, page) = address.split_at(address.find('/').expect("a page"));
        let (address, page, key) = (address.to_owned(), page.to_owned(), key.to_owned());
        Serving { process, address, page, key }
    }

    fn send(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let Serving { address, key, .. } = self;
        let mut stream = TcpStream::connect(address).expect("a server");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nX-Everyply-Key: {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .expect("a server that listens");
        stream
    }

    fn get(&self, path: &str) -> String {
        let mut text = String::new();
        self.send("GET", path, "").read_to_string(&mut text).expect("an answer");
        text
    }

    fn interrupt(mut self) -> Output {
        let id = self.process.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
        let end = Instant::now() + Duration::from_secs(60);
        while self.process.try_wait().expect("a process").is_none() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Nothing is left to wait for, or it is ended here.
        let _ = self.process.kill();
        self.process.wait_with_output().expect("a process")
    }
}

#[test]
fn it_prints_one_line_and_ends_at_once_with_a_statement_under_way() {
    let directory = tempfile::tempdir().expect("a directory");
    let serving = Serving::start(directory.path(), &[]);
    assert_eq!(serving.page, "/");
    assert_eq!(serving.key.len(), 32);
    assert!(serving.address.starts_with("127.0.0.1:"), "{}", serving.address);
    assert!(serving.get("/api/hello").starts_with("HTTP/1.1 200"));
    let endless = "{\"statement\":\"select count(*) from generate_series(1, 3000000) a, \
                   generate_series(1, 3000000) b where a.value + b.value = 7\"}";
    let mut stream = serving.send("POST", "/api/sql/run", endless);
    let mut status = [0; 12];
    stream.read_exact(&mut status).expect("a status");
    assert_eq!(&status, b"HTTP/1.1 200");
    let asked = Instant::now();
    let output = serving.interrupt();
    println!("ended after {:?}", asked.elapsed());
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn files_and_directories_are_opened_where_they_lie() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("games")).expect("a directory");
    fs::write(directory.path().join("games/one game.pgn"), "1. e4 *\n").expect("a file");
    fs::write(directory.path().join("a.csv"), "a\n1\n").expect("a file");
    let game = Serving::start(directory.path(), &["games/one game.pgn"]);
    assert_eq!(game.page, "/chess?game=games/one%20game.pgn");
    assert!(game.get("/api/files").contains("\"a.csv\""));
    assert_eq!(game.interrupt().status.code(), Some(130));
    let below = Serving::start(directory.path(), &["games"]);
    let files = below.get("/api/files");
    assert!(files.contains("\"one game.pgn\"") && !files.contains("a.csv"), "{files}");
    assert_eq!(below.interrupt().status.code(), Some(130));
    let elsewhere = tempfile::tempdir().expect("a directory");
    let root = directory.path().to_str().expect("UTF-8");
    let named = Serving::start(elsewhere.path(), &["--root", root]);
    let mut text = String::new();
    let statement = "{\"statement\":\"select sum(a) as total from 'a.csv'\"}";
    named.send("POST", "/api/sql/run", statement).read_to_string(&mut text).expect("an answer");
    assert!(text.contains("\"total\"") && text.contains("{\"done\":true}"), "{text}");
    assert_eq!(named.interrupt().status.code(), Some(130));
}

#[test]
fn what_cannot_be_served_is_said_in_one_line() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("inside")).expect("a directory");
    fs::write(directory.path().join("a.pgn"), "*\n").expect("a file");
    let cases = [
        (vec!["nothing.pgn"], 1, "cannot open nothing.pgn"),
        (vec!["--root", "nothing"], 1, "cannot show the files of nothing"),
        (vec!["--root", "inside", "a.pgn"], 1, "it is not below"),
        (vec!["inside", "a.pgn"], 2, "one directory"),
        (vec!["--bind", "0.0.0.0"], 2, "--allow-host"),
        (vec!["--bind", "203.0.113.7", "--allow-host", "a.example"], 3, "cannot listen on"),
    ];
    for (words, code, said) in cases {
        let output = Command::new(BINARY)
            .args(["serve", "--no-open"])
            .args(&words)
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {text}");
        assert!(text.contains(said), "{words:?}: {text}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
}
