//! The names by which browsers may call the server.

use axum::{
    body::Body,
    http::{Request, header},
};

/// The values of `Host` that are ours.
#[derive(Debug)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    /// Names of this machine, and others that are allowed.
    pub(crate) fn new(port: u16, allowed: &[String]) -> Hosts {
        let own = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned);
        let names = own.iter().chain(allowed).map(|name| name.to_ascii_lowercase());
        // The port that HTTP has by itself is left out by browsers.
        let bare = if port == 80 { "" } else { &format!(":{port}") };
        let hosts = names.map(|name| format!("{name}{bare}"));
        Hosts(hosts.collect())
    }

    /// Whether a request names one of them, and nothing else.
    pub(crate) fn allow(&self, request: &Request<Body>) -> bool {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        // Asked in the manner of a proxy, a request names its host twice.
        let target = request.uri().authority().map(|authority| authority.as_str().as_bytes());
        self.contains(host.as_bytes()) && target.is_none_or(|target| self.contains(target))
    }

    /// Whether an origin is that of our pages.
    pub(crate) fn is_origin(&self, origin: &[u8]) -> bool {
        origin.strip_prefix(b"http://").is_some_and(|host| self.contains(host))
    }

    fn contains(&self, host: &[u8]) -> bool {
        self.0.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_with_our_port_are_ours() {
        let hosts = Hosts::new(8080, &["Chess.Example".to_owned()]);
        for host in ["127.0.0.1:8080", "LOCALHOST:8080", "[::1]:8080", "chess.example:8080"] {
            assert!(hosts.contains(host.as_bytes()), "{host}");
        }
        for host in ["", "localhost", "127.0.0.1:8081", "localhost.:8080", "a.localhost:8080"] {
            assert!(!hosts.contains(host.as_bytes()), "{host}");
        }
        assert!(hosts.is_origin(b"http://localhost:8080"));
        for origin in ["null", "https://localhost:8080", "http://localhost:8080/", "localhost:8080"]
        {
            assert!(!hosts.is_origin(origin.as_bytes()), "{origin}");
        }
        assert!(Hosts::new(80, &[]).contains(b"localhost"));
    }
}
