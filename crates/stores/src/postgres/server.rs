//! Connects to a server, and checks whether it is still there.

use std::{future::Future, pin::pin, str::FromStr, time::Duration};

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
        Ok(Server { tls: security.connector()?, config })
    }

    /// A new connection, driven by the current runtime.
    pub(super) async fn connect(&self) -> Result<Client, String> {
        let patience = self.config.get_connect_timeout().copied().unwrap_or(CONNECT);
        let connecting = timeout(patience, self.config.connect(self.tls.clone())).await;
        let silent = |_| format!("the server does not answer within {} s", patience.as_secs());
        let (client, connection) = connecting.map_err(silent)?.map_err(|error| words(&error))?;
        // It ends with the client. Its error also reaches whatever the client was doing.
        tokio::spawn(connection);
        Ok(client)
    }

    /// Waits for a response of the server. A statement may take hours, so there is no timeout. But
    /// if the server is silent for a while, another connection checks whether it is there.
    pub(super) async fn wait_for<T, E: Into<Lost>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Lost> {
        let mut work = pin!(work);
        loop {
            if let Ok(done) = timeout(SILENCE, &mut work).await {
                return done.map_err(Into::into);
            }
            let gone = |cause| Lost(format!("{cause}; committed work is safe"));
            let other = self.connect().await.map_err(gone)?;
            let answer = timeout(CONNECT, other.batch_execute("")).await;
            answer
                .map_err(|_| gone("the server does not answer".to_owned()))?
                .map_err(Lost::from)?;
        }
    }
}

/// The error with its cause, which the crate does not include in its message.
fn words(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
