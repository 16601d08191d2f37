//! A server in this process, and a client that sends exactly the bytes it is told to.

#![allow(dead_code, reason = "each test uses its part")]

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::Value;
use web::{Config, Server};

/// A server that ends with the test.
pub(crate) struct Page {
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
    pub(crate) url: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Page {
    /// Serves a directory on a free port.
    pub(crate) fn of(root: &Path) -> Page {
        Page::with(Config::new(root))
    }

    pub(crate) fn with(config: Config) -> Page {
        let server = Server::bind(Config { port: 0, ..config }).expect("a free port");
        let url = server.url();
        let (address, key) = url.split_once("/#key=").expect("a key");
        let address = address.trim_start_matches("http://").parse().expect("an address");
        let key = key.to_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        let run = move || server.run(|| asked.load(Ordering::Relaxed)).expect("a server");
        let thread = Some(thread::spawn(run));
        Page { address, key, url, stop, thread }
    }

    /// Asks with the key, as the page does.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[("X-Everyply-Key", &self.key)], b"")
    }

    /// Asks with the key and a body of JSON.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [("X-Everyply-Key", &*self.key), ("Content-Type", "application/json")];
        self.ask("POST", path, &headers, body.to_string().as_bytes())
    }

    /// Asks with the key and a body of text, such as games.
    pub(crate) fn post_text(&self, path: &str, body: &str) -> Answer {
        let headers = [("X-Everyply-Key", &*self.key), ("Content-Type", "text/plain")];
        self.ask("POST", path, &headers, body.as_bytes())
    }

    /// The JSON of an answer that has to be good.
    pub(crate) fn json(&self, path: &str) -> Value {
        self.get(path).good()
    }

    /// Asks with these headers only. `Host` is ours unless it is among them.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            let _ = write!(head, "Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if !body.is_empty() || method == "POST" {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        head.push_str("Connection: close\r\n\r\n");
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).expect("a server that listens");
        // A body that is too large is refused before it has been sent.
        let _ = stream.write_all(body);
        Answer::read(&mut BufReader::new(stream))
    }

    /// A connection that waits for at most a minute.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a server that listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream.set_nodelay(true).expect("a socket");
        stream
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !thread::panicking()
        {
            panic!("the server has panicked");
        }
    }
}

impl Answer {
    /// Reads an answer with a length, in chunks, or until the connection ends.
    pub(crate) fn read(stream: &mut impl BufRead) -> Answer {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a status");
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status in {line:?}"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).expect("a header");
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = chunks(stream);
        } else if let Some(length) = answer.header("content-length") {
            let length: usize = length.parse().expect("a length");
            answer.body.resize(length, 0);
            stream.read_exact(&mut answer.body).expect("the whole body");
        } else {
            stream.read_to_end(&mut answer.body).expect("the whole body");
        }
        answer
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    /// The JSON of an answer that has to be good.
    #[track_caller]
    pub(crate) fn good(&self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The sentence of a refusal with this status.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> String {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{text}");
        let body: Value = serde_json::from_str(&text).expect("JSON");
        body["error"].as_str().expect("a sentence").to_owned()
    }

    /// The lines of a stream.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        self.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn chunks(stream: &mut impl BufRead) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("the length of a chunk");
        let length = usize::from_str_radix(line.trim_end(), 16).expect("a length");
        let mut chunk = vec![0; length + 2];
        stream.read_exact(&mut chunk).expect("a chunk");
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&chunk[..length]);
    }
}
