//! Ports, connections and requests, before any route.

use std::{
    convert::Infallible,
    io::{self, Write},
    net::{IpAddr, SocketAddr, TcpListener},
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{Router, body::Body, http::Request, response::IntoResponse, response::Response};
use futures_util::FutureExt;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener as AsyncListener, TcpStream},
    runtime,
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};
use tower::ServiceExt;

use crate::{
    app::{self, App},
    config::Config,
    files::Files,
    guard::{self, Guard, Hosts, Key},
    refusal::Refusal,
};

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// The root is no directory that can be read.
    #[error("cannot show the files of {}: {cause}", root.display())]
    Root {
        /// The directory.
        root: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A file to open is not below the root.
    #[error("cannot open {}: it is not below {}", file.display(), root.display())]
    Opened {
        /// The file.
        file: PathBuf,
        /// The root.
        root: PathBuf,
    },
    /// A port is taken, or an address is not one of this machine.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address with its port.
        address: SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// An address was given that others reach, but no name by which they may call it.
    #[error("{0} is reached from other machines: name the hosts that may be asked for")]
    Open(IpAddr),
    /// The system has no random numbers for the key.
    #[error("cannot make a key: {0}")]
    Key(getrandom::Error),
    /// The system gives no threads or timers.
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

/// A server whose ports are open.
pub struct Server {
    app: App,
    listeners: Vec<TcpListener>,
    /// Where pages are: the first address.
    authority: String,
}

/// How long a request to stop may go unnoticed.
const TICK: Duration = Duration::from_millis(50);

impl Server {
    /// Opens the ports. Requests wait until [`Server::run`] answers them.
    pub fn bind(mut config: Config) -> Result<Server, WebError> {
        let root = |cause| WebError::Root { root: config.root.clone(), cause };
        let files = Files::new(&config.root).map_err(root)?;
        if let Some(file) = config.opened.iter().find(|file| files.name(file).is_none()) {
            return Err(WebError::Opened { file: file.clone(), root: config.root });
        }
        let open = config.addresses.iter().find(|address| !address.is_loopback());
        if let (Some(&address), true) = (open, config.allowed_hosts.is_empty()) {
            return Err(WebError::Open(address));
        }
        let listeners = listen(&config)?;
        let first = listeners[0].local_addr().map_err(WebError::Start)?;
        config.port = first.port();
        let hosts = Hosts::new(config.port, &config.allowed_hosts);
        let key = Key::new().map_err(WebError::Key)?;
        let authority = match config.allowed_hosts.first() {
            Some(name) => format!("{name}:{}", config.port),
            None => first.to_string(),
        };
        let app = App::new(config, Guard { hosts, key }, files);
        Ok(Server { app, listeners, authority })
    }

    /// The address of the start page, with the key. Whoever has it may ask.
    pub fn url(&self) -> String {
        self.url_of("/")
    }

    /// The address of a page, such as `/chess?file=game.pgn`, with the key.
    pub fn url_of(&self, page: &str) -> String {
        format!("http://{}{page}#key={}", self.authority, self.app.guard.key.digits())
    }

    /// The directory whose files are shown.
    pub fn root(&self) -> &Path {
        self.app.files.root()
    }

    /// Answers requests until `stop` says so. Then it ends at once: streams are cut.
    pub fn run(self, stop: impl Fn() -> bool) -> Result<(), WebError> {
        let runtime = runtime::Builder::new_multi_thread()
            .thread_name("page")
            .enable_all()
            .build()
            .map_err(WebError::Start)?;
        let served = runtime.block_on(self.serve(stop));
        runtime.shutdown_background();
        served
    }

    async fn serve(self, stop: impl Fn() -> bool) -> Result<(), WebError> {
        let places = Arc::new(Semaphore::new(self.app.config.limits.connections));
        let router = app::routes(self.app.clone());
        for listener in self.listeners {
            listener.set_nonblocking(true).map_err(WebError::Start)?;
            let listener = AsyncListener::from_std(listener).map_err(WebError::Start)?;
            tokio::spawn(accept(self.app.clone(), router.clone(), listener, places.clone()));
        }
        while !stop() {
            time::sleep(TICK).await;
        }
        Ok(())
    }
}

/// Opens a port on each address. Where none was asked for, all get the one the first has found.
fn listen(config: &Config) -> Result<Vec<TcpListener>, WebError> {
    let mut port = config.port;
    let mut listeners = Vec::new();
    for &address in &config.addresses {
        let address = SocketAddr::new(address, port);
        match TcpListener::bind(address) {
            Ok(listener) => {
                port = listener.local_addr().map_err(WebError::Start)?.port();
                listeners.push(listener);
            }
            // Many machines have no IPv6, and one address of this machine is enough.
            Err(_) if address.ip().is_loopback() && !listeners.is_empty() => {}
            Err(cause) => return Err(WebError::Listen { address, cause }),
        }
    }
    if listeners.is_empty() {
        let cause = io::Error::from(io::ErrorKind::AddrNotAvailable);
        let address = SocketAddr::new(IpAddr::from([127, 0, 0, 1]), port);
        return Err(WebError::Listen { address, cause });
    }
    Ok(listeners)
}

async fn accept(app: App, router: Router, listener: AsyncListener, places: Arc<Semaphore>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // There are too many open files, or the client has gone: both pass.
            time::sleep(TICK).await;
            continue;
        };
        match places.clone().try_acquire_owned() {
            Ok(place) => drop(tokio::spawn(talk(app.clone(), router.clone(), stream, place))),
            Err(_) => turn_away(stream),
        }
    }
}

/// Answers a connection that there is no place for. The buffer of a new one has room for it, which
/// the runtime does not know yet.
fn turn_away(stream: TcpStream) {
    let answer = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\
                   Connection: close\r\n\r\n";
    if let Ok(mut stream) = stream.into_std() {
        // Whoever has gone already does not miss it.
        let _ = stream.write(answer);
    }
}

/// Answers the requests of a connection, one after the other.
async fn talk(app: App, router: Router, stream: TcpStream, place: OwnedSemaphorePermit) {
    // An answer that waits for a full packet waits for nothing.
    let _ = stream.set_nodelay(true);
    let head_time = app.config.limits.head_time;
    let service = service_fn(move |request: Request<Incoming>| {
        let (app, router) = (app.clone(), router.clone());
        async move { Ok::<_, Infallible>(answer(&app, router, request.map(Body::new)).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), service);
    // Clients go away in the middle of anything; there is nobody to tell.
    let _ = connection.await;
    drop(place);
}

/// Answers a request: guarded before any route sees it, whole where a route panics, and with the
/// headers that every response has.
async fn answer(app: &App, router: Router, request: Request<Body>) -> Response {
    let mut response = match app.guard.check(&request) {
        Err(refusal) => refusal.into_response(),
        Ok(()) => match AssertUnwindSafe(router.oneshot(request)).catch_unwind().await {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(_) => Refusal::broken().into_response(),
        },
    };
    guard::add_headers(response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use axum::{http::StatusCode, routing::get};

    use super::*;

    /// Asks a route that panics, and says what the client hears.
    fn panicking(route: axum::routing::MethodRouter<App>) -> (StatusCode, String) {
        let root = tempfile::tempdir().expect("a directory");
        let server = Server::bind(Config::new(root.path())).expect("a free port");
        let app = server.app.clone();
        let request = Request::get("/api/panic")
            .header("host", &server.authority)
            .header("x-everyply-key", app.guard.key.digits())
            .body(Body::empty())
            .expect("a request");
        let router = Router::new().route("/api/panic", route).with_state(app.clone());
        let runtime =
            runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let response = answer(&app, router, request).await;
            assert!(response.headers().contains_key("content-security-policy"));
            let status = response.status();
            let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
            (status, String::from_utf8(bytes.to_vec()).expect("text"))
        })
    }

    #[test]
    fn a_panic_is_told_without_its_words() {
        let inline = panicking(get(async || -> &'static str { panic!("a secret") }));
        let computing =
            panicking(get(async |axum::extract::State(app): axum::extract::State<App>| {
                app.compute(|| -> String { panic!("a secret") }).await
            }));
        for (status, text) in [inline, computing] {
            assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
            assert!(text.contains("the server made a mistake"), "{text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }
}
