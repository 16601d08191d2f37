//! S3, Google Cloud Storage and Bigtable do what every store must. Their clients find the server
//! by variables, so each test starts the server and then runs itself in a process that has them.

mod servers;
mod solved;

use solver::conformance::{self, Lasting};

#[test]
fn s3_does_what_every_store_must() {
    if servers::has_s3("s3_does_what_every_store_must") {
        let url = |name: &str| format!("s3://games/conformance/{name}");
        let open = |name: &str, access| stores::open(&url(name), access);
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
    }
}

#[test]
fn gs_does_what_every_store_must() {
    if servers::has_gs("gs_does_what_every_store_must") {
        let url = |name: &str| format!("gs://games/conformance/{name}");
        let open = |name: &str, access| stores::open(&url(name), access);
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
    }
}

#[test]
fn bigtable_does_what_every_store_must() {
    if servers::has_bigtable("bigtable_does_what_every_store_must") {
        let open = |name: &str, access| {
            stores::open(&format!("bigtable://project/instance/{name}"), access)
        };
        conformance::run(Lasting::BeyondItsHandle, &open);
        solved::has_the_rows_of_memory(&open);
    }
}
