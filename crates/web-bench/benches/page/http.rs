//! A client of the page's server that does no more than needed: one connection, one request at a
//! time, answers read whole.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// What is asked for.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) name: &'static str,
    bytes: Vec<u8>,
}

/// What comes back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// Where the server is and what opens it.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
}

impl Place {
    /// Reads an address such as `http://127.0.0.1:8000/#key=00ff`.
    pub(crate) fn of(url: &str) -> Place {
        let rest = url.strip_prefix("http://").expect("an address of HTTP");
        let (host, rest) = rest.split_once('/').expect("a path");
        let (_, key) = rest.split_once("key=").expect("a key");
        Place { address: host.parse().expect("an address"), key: key.trim().to_owned() }
    }

    pub(crate) fn get(&self, name: &'static str, path: &str) -> Request {
        Request { name, bytes: self.head("GET", path, "").into_bytes() }
    }

    pub(crate) fn post(&self, name: &'static str, path: &str, body: &str) -> Request {
        let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        Request { name, bytes: (self.head("POST", path, &more) + body).into_bytes() }
    }

    fn head(&self, method: &str, path: &str, more: &str) -> String {
        let Place { address, key } = self;
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nX-Everyply-Key: {key}\r\n{more}\r\n"
        )
    }

    pub(crate) fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        // Nothing that is asked here may take longer.
        stream.set_read_timeout(Some(Duration::from_secs(90)))?;
        Ok(Connection { stream: BufReader::new(stream) })
    }

    /// Asks once, on a connection of its own.
    pub(crate) fn ask(&self, request: &Request) -> io::Result<Answer> {
        self.connect()?.ask(request)
    }
}

/// A connection that is kept.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn send(&mut self, request: &Request) -> io::Result<()> {
        self.stream.get_mut().write_all(&request.bytes)
    }

    pub(crate) fn ask(&mut self, request: &Request) -> io::Result<Answer> {
        self.send(request)?;
        self.answer()
    }

    pub(crate) fn answer(&mut self) -> io::Result<Answer> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no status in {line:?}")))?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let text = line.trim_end().to_ascii_lowercase();
            if text.is_empty() {
                break;
            }
            if let Some(value) = text.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            is_chunked |= text.starts_with("transfer-encoding:") && text.ends_with("chunked");
        }
        let body = if is_chunked { self.chunks()? } else { self.bytes(length)? };
        Ok(Answer { status, body })
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
            let chunk = self.bytes(length + 2)?;
            if length == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&chunk[..length]);
        }
    }
}
