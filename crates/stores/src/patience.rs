//! Retries of requests to services that are busy, slow or gone.
//!
//! A request that fails for a temporary reason is retried after a pause that doubles each time. An
//! attempt that takes too long counts as failed. The last attempt begins within half a minute and
//! takes at most another half, so an error is reported within a minute.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, sleep, timeout};

/// How long after the first attempt a retry may begin.
const AGAIN: Duration = Duration::from_secs(30);

/// How long an attempt may take.
pub(crate) const ATTEMPT: Duration = Duration::from_secs(25);

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

/// Retries until an attempt succeeds, fails permanently, or the time is up.
pub(crate) async fn persistently<T, F: Future<Output = Result<T, Failure>>>(
    mut attempt: impl FnMut() -> F,
) -> Result<Outcome<T>, String> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    let mut again = false;
    loop {
        let silent = || format!("the service does not answer within {} s", ATTEMPT.as_secs());
        let (cause, asked) = match timeout(ATTEMPT, attempt()).await {
            Ok(Ok(answer)) => return Ok(Outcome { answer, again }),
            Ok(Err(Failure::Lasting(cause))) => return Err(cause),
            Ok(Err(Failure::Passing(cause, asked))) => (cause, asked),
            Err(_) => (silent(), None),
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
