//! Retries of requests to services that are busy, slow or gone.
//!
//! A request that fails for a temporary reason is retried after a pause that doubles each time. The
//! last attempt begins within half a minute. An attempt fails if the service is silent for almost
//! half a minute, so an error is reported within a minute. Only what takes long to send may take
//! longer: how much longer depends on its size.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, sleep, timeout};

/// How long after the first attempt a retry may begin.
pub(crate) const AGAIN: Duration = Duration::from_secs(30);

/// How long a service may be silent before it begins to answer, and between two pieces of its
/// answer.
pub(crate) const SILENCE: Duration = Duration::from_secs(25);

/// The slowest connection that large requests are sent over, in bytes a second: half a megabit.
const SLOWEST: u64 = 1 << 16;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// Why an attempt failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// A retry may succeed, after this pause if the service asks for one.
    Passing(String, Option<Duration>),
    /// No retry can succeed.
    Lasting(String),
}

/// The result of all attempts.
pub(crate) struct Outcome<T> {
    pub(crate) answer: T,
    /// Whether an earlier attempt may have been carried out although it failed.
    pub(crate) again: bool,
}

/// How long it may take until the answer to a request of so many bytes begins.
pub(crate) fn allowed(bytes: usize) -> Duration {
    SILENCE + Duration::from_secs(bytes as u64 / SLOWEST)
}

/// What is said of a service that was silent for so long.
pub(crate) fn silent(time: Duration) -> String {
    format!("the service does not answer within {} s", time.as_secs())
}

/// An attempt that fails if it takes longer.
pub(crate) async fn in_time<T>(
    time: Duration,
    attempt: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let late = |_| Err(Failure::Passing(silent(time), None));
    timeout(time, attempt).await.unwrap_or_else(late)
}

/// Retries until an attempt succeeds, fails permanently, or the time is up.
pub(crate) async fn persistently<T, F: Future<Output = Result<T, Failure>>>(
    mut attempt: impl FnMut() -> F,
) -> Result<Outcome<T>, String> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    let mut again = false;
    loop {
        let (cause, asked) = match attempt().await {
            Ok(answer) => return Ok(Outcome { answer, again }),
            Err(Failure::Lasting(cause)) => return Err(cause),
            Err(Failure::Passing(cause, asked)) => (cause, asked),
        };
        again = true;
        let wait = asked.unwrap_or(pause).min(LONGEST_PAUSE);
        if start.elapsed() + wait >= AGAIN {
            return Err(cause);
        }
        sleep(wait).await;
        pause *= 2;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::runtime::Builder;

    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(work)
    }

    #[test]
    fn what_passes_is_tried_again_and_what_lasts_is_not() {
        let tries = Cell::new(0);
        let third = || {
            tries.set(tries.get() + 1);
            let tried = tries.get();
            async move {
                let pause = Some(Duration::from_millis(1));
                if tried < 3 { Err(Failure::Passing("busy".to_owned(), pause)) } else { Ok(tried) }
            }
        };
        let outcome = run(persistently(third)).expect("the third succeeds");
        assert_eq!((outcome.answer, outcome.again), (3, true));
        tries.set(0);
        let lasting = || {
            tries.set(tries.get() + 1);
            async { Err::<(), _>(Failure::Lasting("no".to_owned())) }
        };
        assert_eq!(run(persistently(lasting)).err().as_deref(), Some("no"));
        assert_eq!(tries.get(), 1);
    }
}
