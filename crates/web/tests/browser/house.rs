//! A server in this process that stories stop and start again, and what it spends.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use super::page::Outcome;

/// Starts a server on a port, or on a free one where that is 0, that ends when it is told to.
pub(crate) type Launch = Box<dyn Fn(u16, Arc<AtomicBool>) -> Launched>;

/// A server that answers.
pub(crate) struct Launched {
    /// The address of its first page, with what opens it.
    pub(crate) url: String,
    pub(crate) thread: JoinHandle<()>,
}

/// A server that comes back on the same port.
pub(crate) struct House {
    launch: Launch,
    running: Option<(Launched, Arc<AtomicBool>)>,
    url: String,
}

/// What counts as idle: this part of one processor, during this time. The driver of the stories
/// lives in the same process and spends a little of its own.
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
            let stop = Arc::new(AtomicBool::new(false));
            let launched = (self.launch)(self.port(), Arc::clone(&stop));
            self.url.clone_from(&launched.url);
            self.running = Some((launched, stop));
        }
    }

    /// Ends the server at once, whatever it is doing.
    pub(crate) fn stop(&mut self) {
        if let Some((launched, stop)) = self.running.take() {
            stop.store(true, Ordering::Relaxed);
            launched.thread.join().expect("the server ends without a panic");
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

    /// Looks whether the process does nothing now.
    pub(crate) async fn idle(&self) -> Outcome<()> {
        let (start, before) = (Instant::now(), spent()?);
        tokio::time::sleep(LOOK).await;
        let part = (spent()? - before).as_secs_f64() / start.elapsed().as_secs_f64();
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

/// Processor time of this process so far.
pub(crate) fn spent() -> Outcome<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    // The name of the program comes before the last bracket and may hold anything.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    let ticks = |index: usize| -> Outcome<u64> {
        let field = fields.get(index).ok_or("/proc/self/stat is too short")?;
        field.parse().map_err(|_| format!("{field} is no number of ticks"))
    };
    // User and system time, in hundredths of a second on every Linux that we know.
    Ok(Duration::from_millis((ticks(12)? + ticks(13)?) * 10))
}
