//! Small pages on which the driver of the stories is tested itself.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use super::house::{Launch, Launched};

/// A page with a bit of everything, whose script says when it is settled.
const PAGE: &str = r##"<!doctype html>
<html lang="en" data-busy="1"><head><meta charset="utf-8"><title>Small page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style"></head>
<body><main><h1>Small page</h1>
<button data-id="add">Add one</button> <output data-id="sum" aria-label="Sum">0</output>
<label><input type="checkbox" data-id="tick"> Tick</label>
<label>Words <input data-id="words"></label>
<label>Kind <select data-id="kind"><option>one</option><option>two</option></select></label>
<div role="grid" aria-label="Board" data-id="board"></div>
<p data-id="said" role="status"></p>
<a href="/other">Other page</a></main>
<script src="/script"></script></body></html>"##;

const STYLE: &str = "body { font: 16px sans-serif; color: #111; background: #fff }
[role=row] { display: flex } [role=grid] { margin-top: 1em }
[role=gridcell] { width: 40px; height: 40px; outline-offset: -2px; touch-action: none; -webkit-tap-highlight-color: transparent }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #111 } a { color: #9cf } }";

const SCRIPT: &str = r##"
const byId = (id) => document.querySelector(`[data-id=${id}]`);
const html = document.documentElement;
const say = (text) => { byId("said").textContent = text; };
byId("add").onclick = () => {
  html.dataset.busy = "1";
  setTimeout(() => {
    byId("sum").textContent = String(Number(byId("sum").textContent) + 1);
    history.replaceState(null, "", `?sum=${byId("sum").textContent}`);
    html.dataset.busy = "0";
  }, 150);
};
byId("sum").textContent = new URLSearchParams(location.search).get("sum") ?? "0";
byId("words").onkeydown = (event) => { if (event.key === "Enter") say(event.target.value); };
byId("words").value = localStorage.words ?? "";
byId("words").oninput = (event) => { localStorage.words = event.target.value; };
let held = null;
const act = (cell) => {
  if (held) { say(`${held.id} to ${cell.id}`); held = null; } else { held = cell; }
};
for (const rank of "21") {
  const row = document.createElement("div");
  row.setAttribute("role", "row");
  for (const file of "abc") {
    const cell = document.createElement("div");
    cell.id = file + rank;
    cell.tabIndex = cell.id === "a2" ? 0 : -1;
    cell.setAttribute("role", "gridcell");
    cell.setAttribute("aria-label", `${cell.id}, empty`);
    cell.onpointerdown = () => { held = null; act(cell); };
    cell.onpointerup = (event) => {
      const over = document.elementFromPoint(event.clientX, event.clientY);
      if (over !== held) act(over);
    };
    cell.onkeydown = (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      if (event.key === "Enter") return act(cell);
      if (!step[event.key]) return;
      const [x, y] = step[event.key];
      const next = String.fromCharCode(file.charCodeAt(0) + x) + (Number(rank) + y);
      document.getElementById(next)?.focus();
    };
    row.append(cell);
  }
  byId("board").append(row);
}
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  html.dataset.busy = "1";
  const [file] = event.dataTransfer.files;
  say(`${file.name}: ${(await file.text()).length} characters`);
  html.dataset.busy = "0";
});
html.dataset.busy = "0";
"##;

/// Pages with one fault each.
const BROKEN: &[(&str, &str)] = &[
    ("/inline", "<script>document.title = 'no'</script>"),
    ("/console", "<script src='/console.js'></script>"),
    ("/thrown", "<script src='/thrown.js'></script>"),
    ("/missing", "<script src='/nowhere.js'></script>"),
    ("/covered", "<button>Under</button><div class='cover'>x</div>"),
    ("/wide", "<div class='wide'>x</div>"),
    (
        "/unnamed",
        "<div role='grid' aria-label='g'><div role='row'><i role='gridcell'></i></div></div>",
    ),
    ("/pale", "<p class='pale'>This can hardly be read.</p>"),
];

fn page(path: &str) -> Option<(&'static str, String)> {
    Some(match path {
        "/" | "/other" => ("text/html", PAGE.to_owned()),
        "/style" => ("text/css", STYLE.to_owned()),
        "/script" => ("text/javascript", SCRIPT.to_owned()),
        "/console.js" => ("text/javascript", "console.error('oh no')".to_owned()),
        "/thrown.js" => ("text/javascript", "setTimeout(() => nothing.here)".to_owned()),
        "/faults" => {
            let style = ".cover { position: fixed; inset: 0 } .wide { width: 2000px } \
                         .pale { color: #eee; background: #fff }";
            ("text/css", style.to_owned())
        }
        "/busy" => ("text/html", PAGE.replace("/script", "/faults")),
        _ => {
            let (_, body) = BROKEN.iter().find(|(name, _)| *name == path)?;
            let head = "<meta charset='utf-8'><title>Broken</title><link rel='icon' href='data:,'>\
                        <link rel='stylesheet' href='/faults'>";
            let text = format!(
                "<!doctype html><html lang='en' data-busy='0'><head>{head}</head><body><main>\
                 <h1>Broken</h1>{body}</main></body></html>"
            );
            ("text/html", text)
        }
    })
}

/// Starts a server of these pages.
pub(crate) fn launch() -> Launch {
    Box::new(|port| {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
        let url = format!("http://{}/", listener.local_addr().expect("it has an address"));
        listener.set_nonblocking(true).expect("it need not wait");
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !asked.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((stream, _)) => drop(thread::spawn(move || answer(&stream))),
                    Err(_) => thread::sleep(Duration::from_millis(5)),
                }
            }
        });
        let end = move || {
            stop.store(true, Ordering::Relaxed);
            thread.join().expect("the server ends without a panic");
        };
        Launched { url, process: std::process::id(), end: Box::new(end) }
    })
}

/// Answers one request; a browser that goes away is no concern of a test.
fn answer(mut stream: &TcpStream) {
    let _ = stream.set_nonblocking(false);
    let mut lines = BufReader::new(stream).lines();
    let Some(Ok(first)) = lines.next() else { return };
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let (status, kind, body) = match page(path) {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain", String::new()),
    };
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                  require-trusted-types-for 'script'";
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Content-Security-Policy: {policy}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}
