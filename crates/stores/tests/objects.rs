//! S3, Google Cloud Storage and Bigtable do what every store must. Their clients find the server
//! by variables, so each test starts the server and then runs itself in a process that has them.

mod servers;
mod solved;

use solver::conformance::{self, Lasting};

#[test]
fn s3_does_what_every_store_must() {
    if std::env::var("AWS_ENDPOINT_URL").is_ok() {
        let url = |name: &str| format!("s3://games/conformance/{name}");
        let open = |name: &str, access| stores::open(&url(name), access);
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
        return;
    }
    let Some(server) = servers::s3() else {
        println!("not run: moto_server is missing");
        return;
    };
    let endpoint = format!("http://{}", server.address());
    let variables = [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ACCESS_KEY_ID", "any"),
        ("AWS_SECRET_ACCESS_KEY", "any"),
        ("AWS_REGION", "us-east-1"),
    ];
    servers::in_child("s3_does_what_every_store_must", &variables);
}

#[test]
fn gs_does_what_every_store_must() {
    if std::env::var("STORAGE_EMULATOR_HOST").is_ok() {
        let url = |name: &str| format!("gs://games/conformance/{name}");
        let open = |name: &str, access| stores::open(&url(name), access);
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
        return;
    }
    let Some(server) = servers::gs() else {
        println!("not run: gcp-storage-emulator is missing");
        return;
    };
    let variables = [("STORAGE_EMULATOR_HOST", server.address())];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    servers::in_child("gs_does_what_every_store_must", &variables);
}

#[test]
fn bigtable_does_what_every_store_must() {
    if std::env::var("BIGTABLE_EMULATOR_HOST").is_ok() {
        let open = |name: &str, access| {
            stores::open(&format!("bigtable://project/instance/{name}"), access)
        };
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
        return;
    }
    let Some(server) = servers::bigtable() else {
        println!("not run: cbtemulator is missing");
        return;
    };
    let address = server.address();
    let variables = [("BIGTABLE_EMULATOR_HOST", address.as_str())];
    servers::in_child("bigtable_does_what_every_store_must", &variables);
}
