//! Stores, their servers, and the tools to run such servers here.

use std::{
    net::{IpAddr, TcpStream, ToSocketAddrs},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Finding, State, program};

/// How long a server may take to take a connection.
const PATIENCE: Duration = Duration::from_secs(2);

/// A store that needs a server.
struct Served {
    name: &'static str,
    feature: &'static str,
    built: bool,
    /// What may name its server, in the order they are looked at.
    variables: &'static [&'static str],
    /// The port where none is named.
    port: u16,
    /// What to do where nothing names a server.
    advice: &'static str,
}

const SERVED: &[Served] = &[
    Served {
        name: "store postgres",
        feature: "postgres",
        built: cfg!(feature = "postgres"),
        variables: &["PGHOST"],
        port: 5432,
        advice: "use --store postgres://USER@HOST/DATABASE; set PGHOST to let doctor try a server",
    },
    Served {
        name: "store s3",
        feature: "s3",
        built: cfg!(feature = "s3"),
        variables: &["AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
        port: 443,
        advice: "use --store s3://BUCKET/PREFIX; AWS_ENDPOINT_URL names a server other than AWS",
    },
    Served {
        name: "store gs",
        feature: "gs",
        built: cfg!(feature = "gs"),
        variables: &["STORAGE_EMULATOR_HOST"],
        port: 80,
        advice: "use --store gs://BUCKET/PREFIX; STORAGE_EMULATOR_HOST names an emulator",
    },
    Served {
        name: "store bigtable",
        feature: "bigtable",
        built: cfg!(feature = "bigtable"),
        variables: &["BIGTABLE_EMULATOR_HOST"],
        port: 8086,
        advice: "use --store bigtable://PROJECT/INSTANCE/TABLE; BIGTABLE_EMULATOR_HOST names an emulator",
    },
];

pub(super) fn findings(variable: impl Fn(&str) -> Option<String>, connect: bool) -> Vec<Finding> {
    let mut findings = vec![
        Finding::ready("store sqlite", "built in: --store sqlite:FILE"),
        Finding::ready("store file", "built in: --store file:DIR"),
        Finding::ready("SQL", "built in: everyply sql"),
        clusters(),
    ];
    findings.extend(SERVED.iter().map(|store| store.finding(&variable, connect)));
    findings.push(postgres_tools());
    findings.push(bigtable_tools());
    findings
}

impl Served {
    fn finding(&self, variable: &impl Fn(&str) -> Option<String>, connect: bool) -> Finding {
        let finding = |state, detail: String, advice: Option<&str>| Finding {
            name: self.name,
            state,
            detail,
            advice: advice.map(str::to_owned),
        };
        if !self.built {
            let advice = format!("cargo build --release --features {}", self.feature);
            let detail = "this program was built without it".to_owned();
            return finding(State::LeftOut, detail, Some(&advice));
        }
        let named = self.variables.iter().find_map(|name| Some((*name, variable(name)?)));
        let Some((name, value)) = named else {
            let names = self.variables.join(" or ");
            return finding(State::NotSet, format!("{names} is not set"), Some(self.advice));
        };
        let port = variable("PGPORT").filter(|_| self.feature == "postgres");
        let port = port.and_then(|port| port.parse().ok()).unwrap_or(self.port);
        let Some(server) = Server::parse(&value, port) else {
            let advice = "expected HOST, HOST:PORT or a URL of one";
            return finding(State::Silent, format!("{name} does not name a server"), Some(advice));
        };
        let shown = format!("{name} names {}", server.shown());
        if !connect && !server.is_here() {
            let advice = "everyply doctor --connect tries it";
            return finding(State::NotTried, shown, Some(advice));
        }
        match server.answers() {
            true => finding(State::Ready, format!("{shown}, which answers"), None),
            false => {
                let advice = "start it, or correct the variable";
                finding(State::Silent, format!("{shown}, which does not answer"), Some(advice))
            }
        }
    }
}

/// Where a server listens.
#[derive(Debug, PartialEq, Eq)]
enum Server {
    Tcp(String, u16),
    /// A socket in the file system, as PostgreSQL has.
    Socket(PathBuf),
}

impl Server {
    /// `HOST`, `HOST:PORT`, a URL of either, or a directory with PostgreSQL's socket. A user and a
    /// password are left out, so that they are never shown.
    fn parse(text: &str, port: u16) -> Option<Server> {
        if text.starts_with('/') {
            return Some(Server::Socket(Path::new(text).join(format!(".s.PGSQL.{port}"))));
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => port,
        };
        let place = rest.split(['/', '?']).next().unwrap_or_default();
        let place = place.rsplit('@').next().unwrap_or_default();
        let (host, port) = match place.rsplit_once(':') {
            // An address of IPv6 without a port ends in a bracket.
            Some((host, digits)) if !digits.ends_with(']') => (host, digits.parse().ok()?),
            _ => (place, port),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        (!host.is_empty()).then(|| Server::Tcp(host.to_owned(), port))
    }

    fn shown(&self) -> String {
        match self {
            Server::Tcp(host, port) => format!("{host}:{port}"),
            Server::Socket(path) => path.display().to_string(),
        }
    }

    fn is_here(&self) -> bool {
        match self {
            Server::Tcp(host, _) => {
                host == "localhost" || host.parse().is_ok_and(|host: IpAddr| host.is_loopback())
            }
            Server::Socket(_) => true,
        }
    }

    fn answers(&self) -> bool {
        match self {
            Server::Tcp(host, port) => {
                let addresses = (host.as_str(), *port).to_socket_addrs();
                addresses.is_ok_and(|mut addresses| {
                    addresses.any(|place| TcpStream::connect_timeout(&place, PATIENCE).is_ok())
                })
            }
            #[cfg(unix)]
            Server::Socket(path) => std::os::unix::net::UnixStream::connect(path).is_ok(),
            #[cfg(not(unix))]
            Server::Socket(_) => false,
        }
    }
}

fn clusters() -> Finding {
    let name = "clusters";
    if cfg!(feature = "cluster") {
        return Finding::ready(name, "built in: everyply cluster, everyply sql --cluster");
    }
    let detail = "this program was built without them".to_owned();
    let advice = Some("cargo build --release --features cluster".to_owned());
    Finding { name, state: State::LeftOut, detail, advice }
}

fn postgres_tools() -> Finding {
    // Debian keeps the programs of each version apart and off the path.
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let directories: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    let name = "local PostgreSQL";
    match program::find("postgres", &directories) {
        Some(place) => {
            let place = place.display().to_string();
            let version = program::first_line(&place, &["--version"]).unwrap_or_default();
            Finding::ready(name, format!("{place}: {version}"))
        }
        None => {
            let advice = "apt-get install postgresql, to run a server on this machine";
            Finding::missing(name, "no server is installed", advice)
        }
    }
}

fn bigtable_tools() -> Finding {
    let name = "Bigtable emulator";
    let directory = PathBuf::from("/usr/lib/google-cloud-sdk/platform/bigtable-emulator");
    match program::find("cbtemulator", &[directory]) {
        Some(emulator) => Finding::ready(name, emulator.display().to_string()),
        None => {
            let advice = "gcloud components install bigtable, to test without Google Cloud";
            Finding::missing(name, "it is not installed", advice)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn servers_are_read_from_what_the_environment_says() {
        let tcp = |host: &str, port| Some(Server::Tcp(host.to_owned(), port));
        let cases = [
            ("localhost", tcp("localhost", 5432)),
            ("db.example.org:5555", tcp("db.example.org", 5555)),
            ("http://127.0.0.1:5000", tcp("127.0.0.1", 5000)),
            ("https://user:secret@minio.example.org/x?y", tcp("minio.example.org", 443)),
            ("http://localhost", tcp("localhost", 80)),
            ("[::1]:8086", tcp("::1", 8086)),
            ("[::1]", tcp("::1", 5432)),
            ("/run/postgresql", Some(Server::Socket("/run/postgresql/.s.PGSQL.5432".into()))),
            ("host:many", None),
            ("http://", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Server::parse(text, 5432), expected, "{text}");
        }
    }

    #[test]
    fn a_server_elsewhere_is_tried_only_when_asked_for() {
        let store = Served { built: true, ..SERVED[1] };
        let named = |value: &'static str| {
            move |name: &str| (name == "AWS_ENDPOINT_URL").then(|| value.to_owned())
        };
        let state = |value, connect| store.finding(&named(value), connect).state;
        assert_eq!(state("https://s3.example.org", false), State::NotTried);
        assert_eq!(state("nowhere.invalid:1", true), State::Silent);
        assert_eq!(store.finding(&|_: &str| None, true).state, State::NotSet);
        assert_eq!(
            Served { built: false, ..SERVED[1] }.finding(&|_: &str| None, true).state,
            State::LeftOut
        );
    }

    #[test]
    fn a_server_on_this_machine_is_tried() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let store = Served { built: true, ..SERVED[3] };
        let found = || {
            store.finding(
                &|name: &str| (name == "BIGTABLE_EMULATOR_HOST").then(|| place.clone()),
                false,
            )
        };
        assert_eq!(found().state, State::Ready);
        drop(listener);
        let silent = found();
        assert_eq!(silent.state, State::Silent);
        assert!(silent.detail.contains("does not answer"), "{}", silent.detail);
    }
}
