//! Every hostile request gets its refusal, and the server goes on.

mod client;
mod hostile;

use std::{
    fs,
    io::{BufReader, Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use client::{Answer, Page};
use hostile::{Below, limits, page};
use serde_json::json;
use web::{Config, Limits};

/// Whether an answer tells nothing that it should not.
#[track_caller]
fn is_discreet(page: &Page, below: &Below, answer: &Answer) {
    let told = format!("{:?}\n{}", answer.headers, String::from_utf8_lossy(&answer.body));
    assert!(!told.contains(&page.key), "the key: {told}");
    assert!(!told.contains(below.outside.path().to_str().unwrap()), "a path outside: {told}");
    assert!(!told.contains(below.root.path().to_str().unwrap()), "where the root is: {told}");
}

#[test]
fn names_of_others_are_refused_before_any_route() {
    let (below, page) = page(Limits::default());
    let port = page.address.port();
    let others = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost:{}", port.wrapping_add(1)),
        "127.0.0.1".to_owned(),
        String::new(),
        format!("localhost:{port}@evil.example"),
    ];
    for host in &others {
        for path in ["/", "/assets/app.js", "/api/hello", "/nothing"] {
            let headers = [("Host", host.as_str()), ("X-Everyply-Key", &page.key)];
            let answer = page.ask("GET", path, &headers, b"");
            answer.refused(403);
            is_discreet(&page, &below, &answer);
        }
    }
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]
    {
        assert_eq!(page.ask("GET", "/", &[("Host", &host)], b"").status, 200, "{host}");
    }
    let own = page.address.to_string();
    let twice = page.ask("GET", "/", &[("Host", &own), ("Host", &own)], b"");
    assert!(matches!(twice.status, 400 | 403));
    let as_proxy = page.ask("GET", "http://evil.example/", &[], b"");
    as_proxy.refused(403);
    let without = raw(&page, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(matches!(without.status, 400 | 403));
}

#[test]
fn pages_of_other_sites_are_refused_even_with_the_key() {
    let (below, page) = page(Limits::default());
    let key = ("X-Everyply-Key", page.key.as_str());
    let hostile = [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://localhost:1"),
    ];
    for header in hostile {
        for (method, path) in [("GET", "/api/hello"), ("POST", "/api/sql/run")] {
            let json = ("Content-Type", "application/json");
            let answer =
                page.ask(method, path, &[key, header, json], b"{\"statement\":\"select 1\"}");
            answer.refused(403);
            is_discreet(&page, &below, &answer);
        }
    }
    let own = format!("http://{}", page.address);
    let good = [key, ("Sec-Fetch-Site", "same-origin"), ("Origin", own.as_str())];
    assert_eq!(page.ask("GET", "/api/hello", &good, b"").status, 200);
    // A link from elsewhere may open a page, which can do nothing without the key.
    assert_eq!(page.ask("GET", "/sql", &[("Sec-Fetch-Site", "cross-site")], b"").status, 200);
    let answer = page.ask("GET", "/", &[], b"");
    assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
    assert!(answer.header("set-cookie").is_none());
    let policy = answer.header("content-security-policy").unwrap();
    for part in ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        assert_eq!(answer.header(name), Some("same-origin"));
    }
}

#[test]
fn without_the_key_nothing_is_told() {
    let (below, page) = page(Limits::default());
    let other = "0".repeat(32);
    let short = page.key[..31].to_owned();
    let cookie = format!("everyply-key={}", page.key);
    let wrong: [&[(&str, &str)]; 5] = [
        &[],
        &[("X-Everyply-Key", &other)],
        &[("X-Everyply-Key", &short)],
        &[("X-Everyply-Key", "")],
        &[("Cookie", &cookie)],
    ];
    for headers in wrong {
        for path in ["/api/hello", "/api/files", "/api/sql/catalog", "/api/nothing"] {
            let answer = page.ask("GET", path, headers, b"");
            answer.refused(401);
            is_discreet(&page, &below, &answer);
        }
        assert_eq!(page.ask("POST", "/api/sql/run", headers, b"{}").status, 401);
    }
    let asked = format!("/api/hello?key={}", page.key);
    assert_eq!(page.ask("GET", &asked, &[], b"").status, 401);
}

#[test]
fn methods_that_change_something_are_refused() {
    let (_below, page) = page(Limits::default());
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "NONSENSE"] {
        let answer = page.ask(method, "/api/hello", &[("X-Everyply-Key", &page.key)], b"");
        assert!(matches!(answer.status, 400 | 403 | 405), "{method}: {}", answer.status);
    }
    assert_eq!(page.ask("POST", "/", &[("X-Everyply-Key", &page.key)], b"").status, 405);
    let form = [("X-Everyply-Key", &*page.key), ("Content-Type", "text/plain")];
    page.ask("POST", "/api/sql/run", &form, b"{\"statement\":\"select 1\"}").refused(415);
}

#[test]
fn bodies_are_bounded() {
    let (below, page) = page(Limits { body_time: Duration::from_millis(400), ..limits() });
    let head = |rest: &str| {
        format!(
            "POST /api/sql/run HTTP/1.1\r\nHost: {}\r\nX-Everyply-Key: {}\r\n\
             Content-Type: application/json\r\n{rest}\r\n",
            page.address, page.key
        )
    };
    // A hundred megabytes that are announced are not waited for.
    let mut stream = page.connect();
    stream.write_all(head("Content-Length: 104857600\r\n").as_bytes()).unwrap();
    let answer = Answer::read(&mut BufReader::new(&stream));
    answer.refused(413);
    is_discreet(&page, &below, &answer);
    // Those that are not announced are read to the limit only.
    let mut stream = page.connect();
    stream.write_all(head("Transfer-Encoding: chunked\r\n").as_bytes()).unwrap();
    let chunk = [b"10000\r\n".to_vec(), vec![b' '; 0x10000], b"\r\n".to_vec()].concat();
    let mut sent = 0;
    while sent < 100 << 20 && stream.write_all(&chunk).is_ok() {
        sent += 0x10000;
    }
    assert!(sent < 64 << 20, "{sent} bytes were taken");
    // One that comes too slowly is given up.
    let mut stream = page.connect();
    stream.write_all(head("Content-Length: 100\r\n").as_bytes()).unwrap();
    stream.write_all(b"{").unwrap();
    Answer::read(&mut BufReader::new(&stream)).refused(408);
    assert_eq!(page.get("/api/hello").status, 200);
}

#[test]
fn text_that_is_none_is_refused() {
    let (below, page) = page(Limits::default());
    let json = [("X-Everyply-Key", &*page.key), ("Content-Type", "application/json")];
    let bodies: [&[u8]; 6] =
        [b"", b"{", b"[]", b"{\"statement\":\"\xff\xfe\"}", b"{\"statement\":7}", b"\x00\x01"];
    for body in bodies {
        let answer = page.ask("POST", "/api/sql/run", &json, body);
        answer.refused(400);
        is_discreet(&page, &below, &answer);
    }
    let answers = page.get("/api/sql/drawing?text=%ff%fe");
    assert!(matches!(answers.status, 400), "{}", answers.status);
    assert_eq!(page.get("/api/%ff").status, 404);
    assert_eq!(page.get("/assets/%ff%2e%2e").status, 400);
    let garbage = raw(&page, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n");
    assert_eq!(garbage.status, 400);
    let header = format!("GET /api/hello HTTP/1.1\r\nHost: {}\r\nX-Everyply-Key: ", page.address);
    let header = [header.as_bytes(), b"\xff\xfe\r\nConnection: close\r\n\r\n"].concat();
    assert_eq!(raw(&page, &header).status, 401);
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(200_000));
    assert!(matches!(raw(&page, long.as_bytes()).status, 400 | 414 | 431));
}

#[test]
fn a_thousand_connections_are_too_many_but_harm_nobody() {
    if open_files().is_some_and(|most| most < 2_000) {
        println!("not run: a process may open fewer than 2,000 files here (ulimit -n)");
        return;
    }
    // Whoever says nothing would be sent away before a busy machine has opened them all.
    let (_below, page) = page(Limits { head_time: Duration::from_secs(300), ..limits() });
    let idle: Vec<TcpStream> =
        (0..1_000).filter_map(|_| TcpStream::connect(page.address).ok()).collect();
    assert!(idle.len() > 900);
    let mut refused = 0;
    for mut stream in idle.iter().rev().take(100) {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut start = [0; 12];
        refused += usize::from(stream.read_exact(&mut start).is_ok() && &start == b"HTTP/1.1 503");
    }
    assert_eq!(refused, 100);
    drop(idle);
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let asked = try_ask(&page);
        if asked == Some(200) {
            break;
        }
        assert!(Instant::now() < end, "there is no room again: {asked:?}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// How many files this process may open, where the system says so.
fn open_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The status of a plain request, where the connection holds so long.
fn try_ask(page: &Page) -> Option<u16> {
    let mut stream = TcpStream::connect(page.address).ok()?;
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", page.address);
    stream.write_all(head.as_bytes()).ok()?;
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    std::str::from_utf8(text.get(9..12)?).ok()?.parse().ok()
}

#[test]
fn a_slow_head_is_not_waited_for() {
    let (_below, page) = page(Limits { head_time: Duration::from_millis(300), ..limits() });
    let mut stream = page.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{rest:?}");
}

#[test]
fn addresses_that_others_reach_need_a_name() {
    let root = tempfile::tempdir().unwrap();
    let open = Config { addresses: vec!["0.0.0.0".parse().unwrap()], ..Config::new(root.path()) };
    assert!(matches!(web::Server::bind(open.clone()), Err(web::WebError::Open(_))));
    let named = Config { allowed_hosts: vec!["chess.example".to_owned()], ..open };
    let server = web::Server::bind(named).unwrap();
    assert!(server.url().starts_with("http://chess.example:"), "{}", server.url());
    assert!(server.url().contains("#key="));
}

/// Sends bytes as they are.
fn raw(page: &Page, bytes: &[u8]) -> Answer {
    let mut stream = page.connect();
    stream.write_all(bytes).unwrap();
    Answer::read(&mut BufReader::new(stream))
}

#[test]
fn statements_see_what_is_below_the_root_and_nothing_else() {
    let (below, page) = page(Limits::default());
    let good = page.post("/api/sql/run", &json!({ "statement": below.statement("inside.csv") }));
    assert_eq!(good.lines().last().unwrap()["done"], true, "{good:?}");
    for statement in below.hostile() {
        let answer = page.post("/api/sql/run", &json!({ "statement": statement }));
        let lines = answer.lines();
        let last = lines.last().unwrap();
        assert!(last["error"].is_string(), "{statement}: {lines:?}");
        assert!(!answer.text().contains("SECRET"), "{statement}: {lines:?}");
        // A name that was sent may be sent back.
        if !statement.contains(below.outside.path().to_str().unwrap()) {
            is_discreet(&page, &below, &answer);
        }
    }
    assert!(!below.root.path().join("written.csv").exists());
    assert!(!below.outside.path().join("written.csv").exists());
    // What a directory or a pattern finds is looked at as well.
    for statement in below.skipping() {
        let answer = page.post("/api/sql/run", &json!({ "statement": statement }));
        let lines = answer.lines();
        let answered = lines.iter().find(|line| !line["answer"].is_null());
        if let Some(number) = answered.map(|line| line["answer"].as_u64().unwrap()) {
            let rows = page.get(&format!("/api/sql/rows?answer={number}&from=0&count=100"));
            assert!(!rows.text().contains("SECRET"), "{statement}: {}", rows.text());
        }
        assert!(!answer.text().contains("SECRET"), "{statement}: {lines:?}");
        is_discreet(&page, &below, &answer);
    }
}

#[test]
fn statements_that_would_never_end_do() {
    let (below, page) = page(Limits { statement_time: Duration::from_millis(700), ..limits() });
    for statement in hostile::ENDLESS {
        let answer = page.post("/api/sql/run", &json!({ "statement": statement }));
        let lines = answer.lines();
        let last = lines.last().unwrap();
        assert!(last["error"].is_string(), "{statement}: {last}");
        is_discreet(&page, &below, &answer);
    }
    let answer = page.post("/api/sql/run", &json!({ "statement": "select 1 as one" }));
    assert_eq!(answer.lines().last().unwrap()["done"], true);
}

#[test]
fn more_statements_than_may_wait_are_told_to_come_again() {
    let statements = std::num::NonZeroUsize::MIN;
    let time = Duration::from_secs(60);
    let limits = Limits { statements, waiting_statements: 0, statement_time: time, ..limits() };
    let (_below, page) = page(limits);
    let endless = json!({ "statement": hostile::ENDLESS[0] }).to_string();
    let head = format!(
        "POST /api/sql/run HTTP/1.1\r\nHost: {}\r\nX-Everyply-Key: {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{endless}",
        page.address,
        page.key,
        endless.len()
    );
    let mut stream = page.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let mut status = [0; 15];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200 OK");
    let short = json!({ "statement": "select 1" });
    let busy = page.post("/api/sql/run", &short);
    busy.refused(503);
    assert_eq!(busy.header("retry-after"), Some("1"));
    // A closed tab ends its statement.
    drop(stream);
    let closed = Instant::now();
    while page.post("/api/sql/run", &short).status == 503 {
        assert!(closed.elapsed() < Duration::from_secs(30), "the statement goes on");
        thread::sleep(Duration::from_millis(20));
    }
    println!("free again {:?} after the tab was closed", closed.elapsed());
}
