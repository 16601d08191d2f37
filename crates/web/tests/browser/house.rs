//! A server that stories end and start again, and what it spends.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::page::Outcome;

/// Starts a server on a port, or on a free one where that is 0.
pub(crate) type Launch = Box<dyn Fn(u16) -> Launched>;

/// A server that answers.
pub(crate) struct Launched {
    /// The address of its first page, with what opens it.
    pub(crate) url: String,
    /// The process that it runs in.
    pub(crate) process: u32,
    /// Ends it at once, whatever it is doing.
    pub(crate) end: Box<dyn FnOnce()>,
}

/// A server that comes back on the same port.
pub(crate) struct House {
    launch: Launch,
    running: Option<Launched>,
    url: String,
}

/// What counts as idle: this part of one processor, during this time. A server in the process of
/// the stories shares it with their driver, which spends a little of its own.
const IDLE: f64 = 0.2;
const LOOK: Duration = Duration::from_millis(100);

impl House {
    /// Starts the server.
    pub(crate) fn new(launch: Launch) -> Self {
        let mut house = House { launch, running: None, url: String::new() };
        house.start();
        house
    }

    /// Starts the server where it is not running, on the port that it had.
    pub(crate) fn start(&mut self) {
        if self.running.is_none() {
            let launched = (self.launch)(self.port());
            self.url.clone_from(&launched.url);
            self.running = Some(launched);
        }
    }

    /// Ends the server at once, whatever it is doing.
    pub(crate) fn stop(&mut self) {
        if let Some(launched) = self.running.take() {
            (launched.end)();
        }
    }

    /// The address of a page, with what opens it.
    pub(crate) fn url_of(&self, path: &str) -> String {
        let address = format!("{}{path}", self.origin());
        match self.url.split_once('#') {
            Some((_, key)) if path.contains('#') => format!("{address}&{key}"),
            Some((_, key)) => format!("{address}#{key}"),
            None => address,
        }
    }

    /// The address without a path.
    pub(crate) fn origin(&self) -> String {
        let end = self.url.match_indices('/').nth(2).map_or(self.url.len(), |(index, _)| index);
        self.url[..end].to_owned()
    }

    fn port(&self) -> u16 {
        let origin = self.origin();
        origin.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(0)
    }

    /// Processor time of the process of the server so far.
    pub(crate) fn spent(&self) -> Outcome<Duration> {
        spent(self.running.as_ref().ok_or("the server is not running")?.process)
    }

    /// Looks whether the process of the server does nothing now.
    pub(crate) async fn idle(&self) -> Outcome<()> {
        let (start, before) = (Instant::now(), self.spent()?);
        tokio::time::sleep(LOOK).await;
        let part = (self.spent()? - before).as_secs_f64() / start.elapsed().as_secs_f64();
        match part < IDLE {
            true => Ok(()),
            false => Err(format!("{:.0} % of a processor is busy", part * 100.0)),
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Processor time of a process so far.
fn spent(process: u32) -> Outcome<Duration> {
    let stat =
        fs::read_to_string(format!("/proc/{process}/stat")).map_err(|error| error.to_string())?;
    // The name of the program comes before the last bracket and may hold anything.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    let ticks = |index: usize| -> Outcome<u64> {
        let field = fields.get(index).ok_or("the record of the process is too short")?;
        field.parse().map_err(|_| format!("{field} is no number of ticks"))
    };
    // User and system time, in hundredths of a second on every Linux that we know.
    Ok(Duration::from_millis((ticks(12)? + ticks(13)?) * 10))
}
