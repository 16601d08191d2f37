//! Creates the table if it does not exist.
//!
//! The client library can access rows but not create tables. Another library for one request is not
//! worth it, so these are the fields of Google's messages that the request needs.

use std::collections::HashMap;

use rustls::RootCertStore;
use tonic::{
    Code, Request, Status,
    codegen::http::uri::PathAndQuery,
    transport::{Channel, ClientTlsConfig, Endpoint},
};
use tonic_prost::ProstCodec;

use super::session::{HEADERS, POSITIONS};
use crate::patience::SILENCE;

const SERVICE: &str = "https://bigtableadmin.googleapis.com";
const SCOPE: &str = "https://www.googleapis.com/auth/bigtable.admin.table";
const CREATE: &str = "/google.bigtable.admin.v2.BigtableTableAdmin/CreateTable";

#[derive(Clone, PartialEq, prost::Message)]
struct CreateTable {
    #[prost(string, tag = "1")]
    parent: String,
    #[prost(string, tag = "2")]
    table_id: String,
    #[prost(message, optional, tag = "3")]
    table: Option<Table>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Table {
    #[prost(map = "string, message", tag = "3")]
    column_families: HashMap<String, Family>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Family {
    #[prost(message, optional, tag = "1")]
    gc_rule: Option<Rule>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
struct Rule {
    #[prost(int32, tag = "1")]
    max_num_versions: i32,
}

/// Creates a table with our two column families. Positions keep two versions: a committed one, and
/// one that is not committed yet.
pub(super) async fn create(project: &str, instance: &str, table: &str) -> Result<(), Status> {
    let family = |versions| Family { gc_rule: Some(Rule { max_num_versions: versions }) };
    let families = [(POSITIONS.to_owned(), family(2)), (HEADERS.to_owned(), family(1))];
    let message = CreateTable {
        parent: format!("projects/{project}/instances/{instance}"),
        table_id: table.to_owned(),
        table: Some(Table { column_families: families.into() }),
    };
    let (channel, token) = connect().await?;
    let mut request = Request::new(message);
    if let Some(token) = token {
        let token = token.parse().map_err(|_| Status::unauthenticated("the token is not text"))?;
        request.metadata_mut().insert("authorization", token);
    }
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.map_err(unavailable)?;
    let path = PathAndQuery::from_static(CREATE);
    match client.unary::<_, Table, _>(request, path, ProstCodec::default()).await {
        // Another process has created it meanwhile.
        Err(status) if status.code() == Code::AlreadyExists => Ok(()),
        answer => answer.map(drop),
    }
}

/// A channel and the value of its authorization header; none for an emulator.
async fn connect() -> Result<(Channel, Option<String>), Status> {
    if let Ok(host) = std::env::var("BIGTABLE_EMULATOR_HOST") {
        let endpoint = Endpoint::from_shared(format!("http://{host}")).map_err(unavailable)?;
        return Ok((endpoint.timeout(SILENCE).connect_lazy(), None));
    }
    let tokens = gcp_auth::provider().await.map_err(unavailable)?;
    let token = tokens.token(&[SCOPE]).await.map_err(unavailable)?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let endpoint = Endpoint::from_static(SERVICE)
        .tls_config(ClientTlsConfig::new().trust_anchors(roots.roots))
        .map_err(unavailable)?;
    let channel = endpoint.timeout(SILENCE).connect_lazy();
    Ok((channel, Some(format!("Bearer {}", token.as_str()))))
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn unavailable(error: impl std::fmt::Display) -> Status {
    Status::unavailable(error.to_string())
}
