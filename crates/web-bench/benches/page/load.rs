//! Many clients at a time, each with a connection of its own.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::http::{Place, Request};

/// How the requests come.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// The next one as soon as the last one is answered.
    Full,
    /// So many a second, all clients together, whether the earlier ones are answered or not: an
    /// answer that is late makes the next ones late, and that counts.
    Steady(f64),
}

/// What was measured.
pub(crate) struct Report {
    /// How long each good answer took, sorted.
    pub(crate) times: Vec<Duration>,
    pub(crate) failed: usize,
    pub(crate) took: Duration,
    /// Of the slowest, which it was.
    pub(crate) slowest: &'static str,
}

impl Report {
    pub(crate) fn each_second(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64()
    }

    /// What this part of the answers was quicker than, in milliseconds.
    pub(crate) fn part(&self, part: f64) -> f64 {
        let last = self.times.len().checked_sub(1).expect("something was answered");
        self.times[(last as f64 * part).round() as usize].as_secs_f64() * 1e3
    }
}

/// Sends the requests in turn, over and over.
pub(crate) fn run(
    place: &Place,
    requests: &[Request],
    clients: usize,
    pace: Pace,
    duration: Duration,
) -> Report {
    let start = Instant::now();
    let parts: Vec<(Vec<(Duration, &'static str)>, usize)> = thread::scope(|scope| {
        let started: Vec<_> = (0..clients)
            .map(|client| {
                scope.spawn(move || one(place, requests, client, clients, pace, start, duration))
            })
            .collect();
        started.into_iter().map(|client| client.join().expect("a client")).collect()
    });
    let took = start.elapsed();
    let failed = parts.iter().map(|(_, failed)| failed).sum();
    let mut times: Vec<(Duration, &str)> = parts.into_iter().flat_map(|(times, _)| times).collect();
    times.sort_unstable();
    let slowest = times.last().map_or("nothing", |(_, name)| name);
    Report { times: times.into_iter().map(|(time, _)| time).collect(), failed, took, slowest }
}

fn one(
    place: &Place,
    requests: &[Request],
    client: usize,
    clients: usize,
    pace: Pace,
    start: Instant,
    duration: Duration,
) -> (Vec<(Duration, &'static str)>, usize) {
    let (mut times, mut failed) = (Vec::new(), 0);
    let mut connection = place.connect().ok();
    for index in (client..).step_by(clients) {
        let due = match pace {
            Pace::Full => Instant::now(),
            Pace::Steady(rate) => start + Duration::from_secs_f64(index as f64 / rate),
        };
        if due.duration_since(start) > duration {
            break;
        }
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let request = &requests[index % requests.len()];
        let answer = match &mut connection {
            Some(connection) => connection.ask(request),
            None => place.ask(request),
        };
        match answer {
            Ok(answer) if answer.status == 200 => times.push((due.elapsed(), request.name)),
            Ok(_) => failed += 1,
            Err(_) => {
                failed += 1;
                connection = place.connect().ok();
            }
        }
    }
    (times, failed)
}
