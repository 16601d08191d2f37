//! Connects to a server, and checks whether it is still there.

use std::{
    future::Future,
    pin::pin,
    str::FromStr,
    time::{Duration, SystemTime},
};

use tokio::time::timeout;
use tokio_postgres::{Client, Config, Error};

use super::{
    password::password,
    tls::{Rustls, Security},
};

/// Timeout for connecting, unless the URL sets another.
const CONNECT: Duration = Duration::from_secs(15);

/// How long a server may be silent before another connection checks whether it is there.
const SILENCE: Duration = Duration::from_secs(20);

/// Why a connection was lost, in words.
pub(super) struct Lost(pub(super) String);

impl From<Error> for Lost {
    fn from(error: Error) -> Lost {
        Lost(match error.is_closed() {
            true => "the connection was lost; committed work is safe".to_owned(),
            false => words(&error),
        })
    }
}

pub(super) struct Server {
    config: Config,
    tls: Rustls,
    /// Once it is known.
    backend: Option<Backend>,
}

/// The process of the server that works for a connection.
struct Backend {
    pid: i32,
    /// When the server was started. Another connection may reach another server.
    started: SystemTime,
}

/// What another connection sees of the backend: whether it is on this server, whether it waits for
/// its client, and what changes while it does not.
const LOOK: &str = "
    SELECT pg_postmaster_start_time(), seen.pid IS NOT NULL,
           coalesce(seen.wait_event_type = 'Client', false),
           seen.state_change, copied.bytes_processed
    FROM (VALUES ($1::int4)) AS ours (pid)
    LEFT JOIN pg_stat_activity AS seen USING (pid)
    LEFT JOIN pg_stat_progress_copy AS copied USING (pid)";

/// What another connection sees of the backend.
#[derive(PartialEq, Eq)]
enum Sight {
    /// It works, or it cannot be seen.
    Busy,
    /// It is gone.
    Gone,
    /// It waits for us: since when, and after how many bytes of COPY.
    Waiting(Option<SystemTime>, Option<i64>),
}

impl Server {
    pub(super) fn new(url: &str) -> Result<Server, String> {
        let (url, security) = Security::take_from(url)?;
        let mut config = Config::from_str(&url).map_err(|error| words(&error))?;
        if let Some(password) = password(&config) {
            config.password(password);
        }
        config.application_name("everyply").ssl_mode(security.mode());
        // TCP keepalive detects a server that neither answers nor refuses, also between two
        // statements.
        config.keepalives_idle(SILENCE).keepalives_interval(SILENCE / 4).keepalives_retries(4);
        config.tcp_user_timeout(2 * SILENCE);
        Ok(Server { tls: security.connector()?, config, backend: None })
    }

    /// A new connection, driven by the current runtime.
    pub(super) async fn connect(&self) -> Result<Client, String> {
        let patience = self.config.get_connect_timeout().copied().unwrap_or(CONNECT);
        let connecting = timeout(patience, self.config.connect(self.tls.clone())).await;
        let connecting = connecting.map_err(|_| silent(patience))?;
        let (client, connection) = connecting.map_err(|error| words(&error))?;
        // It ends with the client. Its error also reaches whatever the client was doing.
        tokio::spawn(connection);
        Ok(client)
    }

    /// A new connection whose backend other connections look at when it is silent.
    pub(super) async fn connect_watched(&mut self) -> Result<Client, String> {
        let client = self.connect().await?;
        let identity = "SELECT pg_backend_pid(), pg_postmaster_start_time()";
        let row = timeout(CONNECT, client.query_one(identity, &[])).await;
        let row = row.map_err(|_| silent(CONNECT))?.map_err(|error| words(&error))?;
        self.backend = Some(Backend { pid: row.get(0), started: row.get(1) });
        Ok(client)
    }

    /// Waits for a response of the server. A statement may take hours, so there is no timeout. But
    /// if the server is silent for a while, another connection checks whether it is there, and
    /// whether it works for us. If it still waits for us a while later, what we sent or what it
    /// answered was lost on the way, and would be waited for in vain.
    pub(super) async fn wait_for<T, E: Into<Lost>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Lost> {
        let mut work = pin!(work);
        let mut last = Sight::Busy;
        loop {
            if let Ok(done) = timeout(SILENCE, &mut work).await {
                return done.map_err(Into::into);
            }
            let gone = |cause| Lost(format!("{cause}; committed work is safe"));
            let sight = self.look().await.map_err(gone)?;
            if sight != Sight::Busy && sight == last {
                return Err(gone("the connection was lost while the server was silent".to_owned()));
            }
            last = sight;
        }
    }

    /// Looks at the backend from another connection.
    async fn look(&self) -> Result<Sight, String> {
        let other = self.connect().await?;
        let Some(backend) = &self.backend else { return Ok(Sight::Busy) };
        let row = timeout(CONNECT, other.query_one(LOOK, &[&backend.pid])).await;
        let row = match row.map_err(|_| silent(CONNECT))? {
            Ok(row) => row,
            // It is there, but does not let us look.
            Err(error) if error.as_db_error().is_some() => return Ok(Sight::Busy),
            Err(error) => return Err(words(&error)),
        };
        let (started, is_there, waits) = (row.get::<_, SystemTime>(0), row.get(1), row.get(2));
        Ok(match (started == backend.started, is_there, waits) {
            // Another server knows nothing of ours.
            (false, _, _) | (true, true, false) => Sight::Busy,
            (true, false, _) => Sight::Gone,
            (true, true, true) => Sight::Waiting(row.get(3), row.get(4)),
        })
    }
}

fn silent(time: Duration) -> String {
    format!("the server does not answer within {} s", time.as_secs())
}

/// The error with its cause, which the crate does not include in its message.
fn words(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
