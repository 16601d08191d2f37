//! Work that needs a secret and succeeds prints it nowhere, and keeps it in no file, table, bucket or
//! log.

mod everyply;
#[path = "secrets/hidden.rs"]
mod hidden;
#[path = "cluster/processes.rs"]
#[allow(dead_code, reason = "the tests of clusters use the rest")]
mod processes;
#[path = "../../stores/tests/servers/mod.rs"]
mod servers;

use std::{fs, path::Path, process::Command};

use hidden::{BINARY, SECRET, hides};

/// Work that succeeds, with a store that stands for the `@@`.
const WORK: &[&[&str]] = &[
    &["kalah", "solve", "--pits", "3", "--seeds", "2", "--store", "@@"],
    &["kalah", "solve", "--pits", "3", "--seeds", "2", "--store", "@@", "--resume"],
    &["kalah", "value", "2,2,2/2,2,2", "--store", "@@", "--format", "json"],
    &["kalah", "best", "2,2,2/2,2,2", "--store", "@@"],
    &["kalah", "line", "2,2,2/2,2,2", "--store", "@@"],
    &["kalah", "stats", "--store", "@@", "--format", "csv"],
    &["kalah", "verify", "--store", "@@"],
    &["kalah", "export", "--store", "@@", "--out", "export.parquet"],
    &["sql", "select * from kalah_store('@@')", "--out", "rows.csv"],
    &["sql", "explain analyze select count(*) from kalah_store('@@')"],
    &["doctor"],
];

/// Whoever has a logger or prints a trace is asked for all of it.
const TALKATIVE: &[(&str, &str)] = &[("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full")];

/// Does all of [`WORK`] in a new directory, and once more in a terminal, where progress is shown.
fn does_the_work(store: &str, variables: &[(&str, &str)]) {
    let directory = tempfile::tempdir().expect("a directory");
    let variables = [variables, TALKATIVE].concat();
    for command in WORK {
        let words: Vec<String> = command.iter().map(|word| word.replace("@@", store)).collect();
        works(&words, &variables, directory.path());
    }
    assert!(directory.path().join("export.parquet").exists());
    let again = format!("kalah solve --pits 4 --seeds 2 --store '{store}_4'");
    match everyply::in_a_terminal(&again, &variables, "") {
        Some(shown) => {
            assert!(shown.contains("\u{1b}[") && !shown.contains(SECRET), "{again}: {shown}");
        }
        None => servers::not_run("there is no program script, which makes a pseudo-terminal"),
    }
}

/// Runs a command that must succeed and keep the secret.
fn works(words: &[String], variables: &[(&str, &str)], directory: &Path) {
    let mut command = Command::new(BINARY);
    command.args(words).envs(variables.iter().copied()).current_dir(directory);
    let output = command.output().expect("the binary runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {told}");
    hides(words, &output, directory);
}

#[test]
fn d3_work_with_a_password_of_postgres_prints_and_keeps_none() {
    let Some(server) = servers::postgres_with_password(SECRET) else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join(".pgpass");
    let line = format!("{}:postgres:postgres:{SECRET}\n", server.address());
    fs::write(&file, line).expect("a file");
    let (home, file) = (home.path().display().to_string(), file.display().to_string());
    let ways: [(&str, &str); 3] = [("PGPASSWORD", SECRET), ("HOME", &home), ("PGPASSFILE", &file)];
    for (name, value) in ways {
        let schema = name.to_lowercase();
        let url = format!("postgres://postgres@{}/postgres?schema={schema}", server.address());
        does_the_work(&url, &[(name, value)]);
        for table in ["header", "ranks", "rows"] {
            let mut read = Command::new("psql");
            let query = format!("SELECT * FROM {schema}.{table}");
            read.args([
                &format!("postgres://postgres@{}/postgres", server.address()),
                "-c",
                &query,
            ]);
            let output = read.env("PGPASSWORD", SECRET).output().expect("psql is there");
            let rows = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && rows.contains("row"), "{query}");
            assert!(!rows.contains(SECRET), "{query}: {rows}");
        }
    }
    let log = server.log();
    assert!(log.contains("COPY") && !log.contains(SECRET), "the server's log has it");
    // Without the password, and with it in the URL, nothing works.
    let directory = tempfile::tempdir().expect("a directory");
    let address = server.address();
    for (user, words) in [("postgres", "password"), ("postgres:hunter2", "PGPASSWORD")] {
        let url = format!("postgres://{user}@{address}/postgres?schema=pgpassword");
        let command = ["kalah", "stats", "--store", &url].map(str::to_owned);
        let mut refused = Command::new(BINARY);
        refused.args(&command).env("HOME", directory.path()).env_remove("PGPASSWORD");
        let output = refused.current_dir(directory.path()).output().expect("the binary runs");
        assert!(!output.status.success(), "{command:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(words), "{command:?}: {told}");
        hides(&command, &output, directory.path());
    }
}

/// What S3 needs, with the secret in every variable that is one.
fn s3_variables(endpoint: &str) -> [(&str, &str); 5] {
    [
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "any"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_SESSION_TOKEN", SECRET),
    ]
}

/// Fails where a bucket or the log of its server has the secret.
fn hides_in_bucket(server: &servers::Server) {
    let objects = server.objects();
    assert!(objects.iter().any(|name| name.ends_with("manifest")), "{objects:?}");
    for name in objects {
        let object = server.object(&name).expect("it is listed");
        assert!(!object.contains(SECRET), "{name}: {object}");
    }
    let log = server.log();
    assert!(log.contains("PUT /games/") && !log.contains(SECRET), "{log}");
}

#[test]
fn d3_work_with_keys_of_s3_prints_and_keeps_none() {
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    let endpoint = format!("http://{}", server.address());
    let variables = s3_variables(&endpoint);
    does_the_work("s3://games/kept", &variables);
    let directory = tempfile::tempdir().expect("a directory");
    for statement in [
        "copy (select 1 as one) to 's3://games/copied/part.parquet'",
        "select * from 's3://games/copied/'",
        "explain analyze verbose select * from 's3://games/kept/*.parquet' limit 1",
        "select * from information_schema.df_settings",
    ] {
        let words = ["sql", "--writable", statement].map(str::to_owned);
        works(&words, &[&variables[..], TALKATIVE].concat(), directory.path());
    }
    hides_in_bucket(&server);
}

#[test]
fn d3_a_cluster_that_works_with_keys_of_s3_logs_and_keeps_none() {
    if std::env::var_os("AWS_ENDPOINT_URL").is_none() {
        let Some(server) = servers::s3() else {
            servers::not_run("moto_server is missing");
            return;
        };
        let endpoint = format!("http://{}", server.address());
        let test = "d3_a_cluster_that_works_with_keys_of_s3_logs_and_keeps_none";
        servers::in_child(test, &[&s3_variables(&endpoint), TALKATIVE].concat());
        return hides_in_bucket(&server);
    }
    let cluster = processes::Cluster::start(1);
    let address = cluster.address();
    let directory = tempfile::tempdir().expect("a directory");
    let size = ["--pits", "3", "--seeds", "2", "--store", "s3://games/solved"];
    let commands: [&[&str]; 3] = [
        &[&["kalah", "solve", "--cluster", &address][..], &size].concat(),
        &["sql", "select count(*) from 's3://games/solved/*.parquet'", "--cluster", &address],
        &["sql", "explain analyze select * from 's3://games/solved/'", "--cluster", &address],
    ];
    for command in commands {
        let words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        works(&words, &[], directory.path());
    }
    // A statement that fails is logged with its cause.
    let words = ["sql", "select 1/(value - 5) from 's3://games/solved/*.parquet'", "--cluster"];
    let words: Vec<String> =
        words.into_iter().chain([address.as_str()]).map(str::to_owned).collect();
    let output = Command::new(BINARY).args(&words).output().expect("the binary runs");
    hides(&words, &output, cluster.directory());
    let told = cluster.executors[0].told();
    assert!(told.contains("executor at") && !told.contains(SECRET), "{told}");
}
