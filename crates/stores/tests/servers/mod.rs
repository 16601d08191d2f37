//! Real servers, each started for one test on a free port and ended with it.

#![allow(dead_code, reason = "every test uses some of these")]

mod missing;
pub(crate) mod proxy;

use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

pub(crate) use missing::not_run;
use tempfile::TempDir;

/// A server that ends when this is dropped.
pub(crate) struct Server {
    process: Child,
    port: u16,
    _directory: TempDir,
}

impl Server {
    fn start(mut command: Command, port: u16, directory: TempDir) -> Server {
        let log = fs::File::create(directory.path().join("log")).expect("a log of the server");
        command.stdin(Stdio::null()).stderr(log).stdout(Stdio::null());
        let process = command.spawn().expect("the server is there");
        let mut server = Server { process, port, _directory: directory };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.process.try_wait().expect("a process of our own").is_some();
            let log =
                || fs::read_to_string(server._directory.path().join("log")).unwrap_or_default();
            assert!(!ended && start.elapsed() < Duration::from_secs(60), "{}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The text of an object in the bucket `games` of S3, if it exists.
    pub(crate) fn object(&self, name: &str) -> Option<String> {
        let answer = ask(self.port, &format!("GET /games/{name}"));
        let (head, text) = answer.split_once("\r\n\r\n")?;
        is_fine(head).then(|| text.to_owned())
    }

    /// The names of all objects there.
    pub(crate) fn objects(&self) -> Vec<String> {
        let answer = ask(self.port, "GET /games?list-type=2");
        let keys = answer.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
        keys.map(|(key, _)| key.to_owned()).collect()
    }

    /// What the server has logged.
    pub(crate) fn log(&self) -> String {
        let log = fs::read(self._directory.path().join("log")).expect("a log of the server");
        String::from_utf8_lossy(&log).into_owned()
    }

    /// Ends it at once, in the middle of whatever it does.
    pub(crate) fn kill(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// PostgreSQL on an empty directory; as the user `postgres` where we are root, which it refuses to
/// be.
pub(crate) fn postgres() -> Option<Server> {
    postgres_with(&|_, _| vec![])
}

/// PostgreSQL that can encrypt, with a certificate for `localhost`, and the certificate to trust.
pub(crate) fn postgres_encrypted() -> Option<(Server, PathBuf)> {
    on_path("openssl")?;
    let server = postgres_with(&|directory, owner| {
        make_certificates(directory);
        let key = directory.join("server.key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("our own file");
        if let Some((user, group)) = owner {
            chown(&key, Some(user), Some(group)).expect("root gives files away");
        }
        let file = |name: &str| directory.join(name).display().to_string();
        vec![
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", file("server.crt")),
            format!("ssl_key_file={}", file("server.key")),
        ]
    })?;
    let trusted = server._directory.path().join("ca.crt");
    Some((server, trusted))
}

/// PostgreSQL that admits the user `postgres` with this password, and logs every statement.
pub(crate) fn postgres_with_password(password: &str) -> Option<Server> {
    let server = postgres_with(&|directory, owner| {
        let admitted = directory.join("admitted");
        // The password is set through the socket, which needs none.
        let lines = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        fs::write(&admitted, lines).expect("a file");
        if let Some((user, group)) = owner {
            chown(&admitted, Some(user), Some(group)).expect("root gives files away");
        }
        vec![
            format!("hba_file={}", admitted.display()),
            "password_encryption=scram-sha-256".to_owned(),
            "log_connections=on".to_owned(),
            "log_statement=all".to_owned(),
        ]
    })?;
    let mut set = Command::new("psql");
    set.arg("-qh").arg(server._directory.path()).args(["-p", &server.port.to_string()]);
    set.args(["-U", "postgres", "-c", "SET log_statement = none", "-c"]);
    set.arg(format!("ALTER USER postgres PASSWORD '{password}'"));
    assert!(set.status().expect("psql is there").success());
    Some(server)
}

/// An authority of our own, and what it signs for `localhost`.
fn make_certificates(directory: &Path) {
    fs::write(directory.join("names"), "subjectAltName=DNS:localhost\n").expect("a file");
    let steps = [
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.crt",
        "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr",
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
         -extfile names -out server.crt",
    ];
    for step in steps {
        let mut openssl = Command::new("openssl");
        openssl.args(step.split_whitespace()).current_dir(directory).stderr(Stdio::null());
        assert!(openssl.status().expect("openssl is there").success(), "{step}");
    }
}

/// The user and group that PostgreSQL runs as, where those are not ours.
type Owner = Option<(u32, u32)>;

fn postgres_with(settings: &dyn Fn(&Path, Owner) -> Vec<String>) -> Option<Server> {
    let programs = postgres_programs()?;
    let user = as_root().then(|| (id("-u", "postgres"), id("-g", "postgres")));
    let directory = tempfile::tempdir().expect("a directory for the database");
    let command = |program: &str| {
        let mut command = Command::new(programs.join(program));
        command.current_dir("/");
        if let Some((user, group)) = user {
            command.uid(user).gid(group);
        }
        command
    };
    if let Some((user, group)) = user {
        chown(directory.path(), Some(user), Some(group)).expect("root gives directories away");
    }
    let data = directory.path().join("data");
    let mut make = command("initdb");
    make.arg("-D").arg(&data).args(["-A", "trust", "-U", "postgres", "--data-checksums"]);
    let made = make.stdout(Stdio::null()).status().expect("initdb is there");
    assert!(made.success(), "initdb ended with {made}");
    let port = free_port();
    let mut serve = command("postgres");
    serve.arg("-D").arg(&data).arg("-k").arg(directory.path());
    serve.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
    for setting in settings(directory.path(), user) {
        serve.args(["-c", &setting]);
    }
    let server = Server::start(serve, port, directory);
    // It listens before it is ready.
    let mut ready = Command::new(programs.join("pg_isready"));
    ready.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]);
    let start = Instant::now();
    while !ready.status().is_ok_and(|status| status.success()) {
        assert!(start.elapsed() < Duration::from_secs(60), "PostgreSQL does not get ready");
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(server)
}

/// S3 by moto, with the bucket `games`.
pub(crate) fn s3() -> Option<Server> {
    let program = python_program("moto_server")?;
    let port = free_port();
    let mut command = Command::new(program);
    command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
    let server =
        Server::start(command, port, tempfile::tempdir().expect("a directory for the log"));
    let answer = ask(port, "PUT /games");
    assert!(is_fine(&answer), "{answer}");
    Some(server)
}

/// Runs a test again in a process that finds S3 by its variables; true in that process.
pub(crate) fn has_s3(test: &str) -> bool {
    let keys = [
        ("AWS_ACCESS_KEY_ID", "any"),
        ("AWS_SECRET_ACCESS_KEY", "any"),
        ("AWS_REGION", "us-east-1"),
    ];
    has(test, "AWS_ENDPOINT_URL", "moto_server", s3, |address| format!("http://{address}"), &keys)
}

/// The same with Google Cloud Storage.
pub(crate) fn has_gs(test: &str) -> bool {
    has(test, "STORAGE_EMULATOR_HOST", "gcp-storage-emulator", gs, |address| address, &[])
}

/// The same with Bigtable.
pub(crate) fn has_bigtable(test: &str) -> bool {
    has(test, "BIGTABLE_EMULATOR_HOST", "cbtemulator", bigtable, |address| address, &[])
}

fn has(
    test: &str,
    variable: &str,
    program: &str,
    start: fn() -> Option<Server>,
    place: fn(String) -> String,
    more: &[(&str, &str)],
) -> bool {
    if std::env::var_os(variable).is_some() {
        return true;
    }
    match start() {
        Some(server) => {
            let place = place(server.address());
            in_child(test, &[&[(variable, place.as_str())], more].concat());
        }
        None => not_run(&format!("{program} is missing")),
    }
    false
}

/// Google Cloud Storage by gcp-storage-emulator, with the bucket `games`.
pub(crate) fn gs() -> Option<Server> {
    let program = python_program("gcp-storage-emulator")?;
    let port = free_port();
    let mut command = Command::new(program);
    command.args(["start", "--host=127.0.0.1", "--in-memory", "--default-bucket=games"]);
    command.arg(format!("--port={port}"));
    Some(Server::start(command, port, tempfile::tempdir().expect("a directory for the log")))
}

/// The Bigtable emulator, from the path or from where Google's packages put it.
pub(crate) fn bigtable() -> Option<Server> {
    let sdk = Path::new("/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator");
    let program = on_path("cbtemulator").or_else(|| sdk.exists().then(|| sdk.to_owned()))?;
    let port = free_port();
    let mut command = Command::new(program);
    command.args(["-host", "127.0.0.1", "-port", &port.to_string()]);
    Some(Server::start(command, port, tempfile::tempdir().expect("a directory for the log")))
}

/// Runs a test of this program in a process of its own, with these variables.
pub(crate) fn in_child(test: &str, variables: &[(&str, &str)]) {
    let status = child(test, variables).status().expect("this program can be run");
    assert!(status.success(), "{test} with {variables:?} ended with {status}");
}

/// This program, to run one test with these variables.
pub(crate) fn child(test: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a place"));
    command.args([test, "--exact", "--nocapture"]).envs(variables.iter().copied());
    command
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("a bound port has an address").port()
}

/// The answer of moto, which looks at signatures but does not check them.
fn ask(port: u16, request: &str) -> String {
    let request = format!(
        "{request} HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\nAuthorization: \
         AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, \
         SignedHeaders=host, Signature=b\r\n\r\n"
    );
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("it answers");
    String::from_utf8_lossy(&answer).into_owned()
}

fn is_fine(answer: &str) -> bool {
    answer.lines().next().is_some_and(|line| line.contains(" 200"))
}

fn postgres_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut directories: Vec<PathBuf> =
        versions.map(|version| version.path().join("bin")).collect();
    directories.sort();
    let debian = directories.into_iter().rfind(|directory| directory.join("initdb").exists());
    debian.or_else(|| on_path("initdb").and_then(|path| path.parent().map(Path::to_owned)))
}

/// A program of the environment that `cargo xtask test` makes.
fn python_program(name: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target/tmp is in target");
    let program = target.join("venvs/stores/bin").join(name);
    program.exists().then_some(program).or_else(|| on_path(name))
}

pub(crate) fn on_path(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    let name = Path::new(name.as_ref());
    std::env::split_paths(&directories)
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}

fn as_root() -> bool {
    id("-u", "") == 0
}

fn id(what: &str, user: &str) -> u32 {
    let mut command = Command::new("id");
    command.arg(what).args((!user.is_empty()).then_some(user));
    let output = command.output().expect("id is there").stdout;
    String::from_utf8_lossy(&output).trim().parse().expect("id prints a number")
}
