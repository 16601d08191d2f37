//! What all routes share.

use std::{ops::Deref, panic::resume_unwind, sync::Arc};

use axum::Router;
use tokio::task::spawn_blocking;

use crate::{
    assets, chess, config::Config, files::Files, fourchess, guard::Guard, kalah, kenken, opened,
    refusal::Refusal, slots::Slots, sql,
};

/// What all routes share. Clones are the same.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

/// The parts of an [`App`].
pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) guard: Guard,
    pub(crate) files: Files,
    /// Where short computations wait for a thread.
    slots: Slots,
    /// Where streams wait for a thread. They take long, so they are counted on their own.
    pub(crate) streams: Slots,
    pub(crate) chess: chess::Room,
    pub(crate) kalah: kalah::Room,
    pub(crate) kenken: kenken::Room,
    pub(crate) sql: sql::Room,
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    pub(crate) fn new(config: Config, guard: Guard, files: Files) -> App {
        let threads = config.limits.threads.get();
        App(Arc::new(Inner {
            guard,
            files,
            slots: Slots::new(threads, config.limits.waiting),
            streams: Slots::new(threads.max(4), config.limits.waiting),
            chess: chess::Room::new(&config),
            kalah: kalah::Room::new(&config),
            kenken: kenken::Room::new(&config),
            sql: sql::Room::new(&config),
            config,
        }))
    }

    /// Computes on a thread of its own. What takes less than a millisecond is computed where it is
    /// asked for.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let slot = self.slots.take().await?;
        let done = spawn_blocking(move || {
            let done = work();
            drop(slot);
            done
        });
        done.await.map_err(|failed| match failed.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Refusal::busy(),
        })
    }
}

/// All routes.
pub(crate) fn routes(app: App) -> Router {
    Router::new()
        .merge(assets::routes())
        .merge(opened::routes())
        .merge(chess::routes())
        .merge(fourchess::routes())
        .merge(kalah::routes())
        .merge(kenken::routes())
        .merge(sql::routes())
        .fallback(async || Refusal::missing("there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            Refusal::new(
                axum::http::StatusCode::METHOD_NOT_ALLOWED,
                "this address is asked in another way",
            )
        })
        .with_state(app)
}
