//! Long work as one streamed answer: a line of JSON for each step, until it is done or nobody
//! reads any more.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::{runtime::Handle, sync::mpsc, task::spawn_blocking, time::timeout};

use crate::{app::App, refusal::Refusal};

/// Lines that may wait for a slow reader.
const AHEAD: usize = 64;

/// Where work puts its lines.
pub(crate) struct Sender {
    lines: mpsc::Sender<Bytes>,
    runtime: Handle,
    patience: Duration,
}

/// Nobody reads any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gone;

impl From<Gone> for Refusal {
    fn from(_: Gone) -> Refusal {
        Refusal::bad("nobody listens any more")
    }
}

impl Sender {
    /// Sends a line. Waits for a slow reader, but not for ever.
    pub(crate) fn send(&self, line: &Value) -> Result<(), Gone> {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        let sent = self.runtime.block_on(timeout(self.patience, self.lines.send(bytes.into())));
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    /// Whether somebody still reads. Long steps ask now and then.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.lines.is_closed()
    }
}

/// Streams the lines of work on a thread of its own. The last one is `{"done":true}`, or
/// `{"error":".."}` where the work has failed. When the client goes away, sending fails.
pub(crate) async fn stream(
    app: &App,
    work: impl FnOnce(&Sender) -> Result<(), Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let slot = app.streams.take().await?;
    let (lines, mut received) = mpsc::channel(AHEAD);
    let patience = app.config.limits.body_time;
    let sender = Sender { lines, runtime: Handle::current(), patience };
    spawn_blocking(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&sender)));
        let last = match done {
            Ok(Ok(())) => json!({ "done": true }),
            Ok(Err(refusal)) => json!({ "error": refusal.message }),
            Err(_) => json!({ "error": Refusal::broken().message }),
        };
        // Whoever has gone does not miss it.
        let _ = sender.send(&last);
        drop(slot);
    });
    let lines = stream::poll_fn(move |context| received.poll_recv(context));
    let body = Body::from_stream(futures_util::StreamExt::map(lines, Ok::<Bytes, std::io::Error>));
    let kind = (header::CONTENT_TYPE, "application/x-ndjson");
    // Proxies and browsers keep their hands off it.
    let fresh = (header::CACHE_CONTROL, "no-store");
    Ok(([kind, fresh], body).into_response())
}
