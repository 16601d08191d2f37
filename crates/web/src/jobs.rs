//! Long work as one streamed answer: a line of JSON for each step, until it is done or nobody
//! reads any more.

use std::{
    io,
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
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, mpsc},
    task::spawn_blocking,
    time::timeout,
};

use crate::{app::App, refusal::Refusal};

/// Lines that may wait for a slow reader.
const AHEAD: usize = 64;

/// Where work puts its lines.
pub(crate) struct Sender {
    lines: mpsc::Sender<io::Result<Bytes>>,
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
    fn new(app: &App) -> (Sender, Body) {
        let (lines, mut received) = mpsc::channel(AHEAD);
        let patience = app.config.limits.body_time;
        let sender = Sender { lines, runtime: Handle::current(), patience };
        let lines = stream::poll_fn(move |context| received.poll_recv(context));
        (sender, Body::from_stream(lines))
    }

    /// Sends a line. Waits for a slow reader, but not for ever.
    pub(crate) fn send(&self, line: &Value) -> Result<(), Gone> {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        self.push(Ok(bytes.into()))
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&self, bytes: Bytes) -> Result<(), Gone> {
        self.push(Ok(bytes))
    }

    fn push(&self, bytes: io::Result<Bytes>) -> Result<(), Gone> {
        // A timer begins in its runtime, and this may be any thread.
        let send = async { timeout(self.patience, self.lines.send(bytes)).await };
        let sent = self.runtime.block_on(send);
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    /// Asks the same from another thread.
    pub(crate) fn watch(&self) -> Watch {
        Watch(self.lines.downgrade())
    }

    /// Whether somebody still reads. Long steps ask now and then.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.lines.is_closed()
    }
}

/// Asks for a [`Sender`] whether somebody still reads, wherever the sender itself is.
#[derive(Clone)]
pub(crate) struct Watch(mpsc::WeakSender<io::Result<Bytes>>);

impl Watch {
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.upgrade().is_some_and(|lines| !lines.is_closed())
    }
}

/// Streams the lines of work on a thread of its own, when there is one. The last line is
/// `{"done":true}`, or `{"error":".."}` where the work has failed. When the client goes away,
/// sending fails.
pub(crate) async fn stream(
    app: &App,
    work: impl FnOnce(&Sender) -> Result<(), Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let slot = app.streams.take().await?;
    Ok(stream_in(app, slot, work))
}

/// Streams the lines of work that has its place already, and leaves it at the end.
pub(crate) fn stream_in(
    app: &App,
    slot: OwnedSemaphorePermit,
    work: impl FnOnce(&Sender) -> Result<(), Refusal> + Send + 'static,
) -> Response {
    let (sender, body) = Sender::new(app);
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
    let kind = (header::CONTENT_TYPE, "application/x-ndjson");
    let fresh = (header::CACHE_CONTROL, "no-store");
    ([kind, fresh], body).into_response()
}

/// Streams bytes that are made on a thread of their own. If making them fails, the connection is
/// cut, so that nobody takes a part for the whole.
pub(crate) async fn bytes(
    app: &App,
    work: impl FnOnce(&Sender) -> Result<(), Refusal> + Send + 'static,
) -> Result<Body, Refusal> {
    let slot = app.streams.take().await?;
    let (sender, body) = Sender::new(app);
    spawn_blocking(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&sender)));
        if !matches!(done, Ok(Ok(()))) {
            let _ = sender.push(Err(io::Error::other("cut")));
        }
        drop(slot);
    });
    Ok(body)
}
