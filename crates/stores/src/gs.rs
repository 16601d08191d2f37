//! Buckets of Google Cloud Storage, through its JSON API.
//!
//! Credentials come from `GOOGLE_APPLICATION_CREDENTIALS`, gcloud's own file or the machine's role.
//! `STORAGE_EMULATOR_HOST` names an emulator, which needs no credentials. The emulator for tests
//! supports only the JSON API, and the crate `object_store` only the XML API, so the few requests
//! are made here.

use std::{future::Future, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use gcp_auth::TokenProvider;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use solver::{Access, Store, StoreError, tasks::Span};
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};

use crate::{
    objects::{self, Only, Service, Version, within},
    parts::{self, Bucket},
    patience::{Failure, SILENCE, allowed, in_time, persistently},
};

/// Timeout for connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// Google accepts one write a second to the same object, and answers others with 429.
const BETWEEN_WRITES: Duration = Duration::from_secs(1);

const SCOPE: &str = "https://www.googleapis.com/auth/devstorage.read_write";

pub(crate) fn open(
    bucket: &str,
    prefix: &str,
    access: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    parts::open(self::bucket(bucket, prefix, access)?, access)
}

/// The bucket, to be written by one writer or by tasks.
pub(crate) fn bucket(
    bucket: &str,
    prefix: &str,
    access: &Access,
) -> Result<Box<dyn Bucket>, StoreError> {
    let place = format!("gs://{bucket}/{prefix}");
    let service =
        Gs::new(bucket).map_err(|cause| StoreError::Unavailable { place: place.clone(), cause })?;
    objects::bucket(Box::new(service), prefix, place, access)
}

struct Gs {
    runtime: Runtime,
    client: Client,
    host: String,
    bucket: String,
    /// Provides a token for each request; none for an emulator.
    tokens: Option<Arc<dyn TokenProvider>>,
}

impl Gs {
    fn new(bucket: &str) -> Result<Gs, String> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let (host, tokens) = match std::env::var("STORAGE_EMULATOR_HOST") {
            Ok(host) if host.contains("://") => (host, None),
            Ok(host) => (format!("http://{host}"), None),
            Err(_) => {
                let tokens = async { timeout(SILENCE, gcp_auth::provider()).await };
                let tokens = runtime.block_on(tokens);
                let tokens = tokens
                    .map_err(|_| "no service answers the request for credentials".to_owned())?;
                let tokens = tokens.map_err(|error| error.to_string())?;
                ("https://storage.googleapis.com".to_owned(), Some(tokens))
            }
        };
        let host = host.trim_end_matches('/').to_owned();
        let client = Client::builder().connect_timeout(CONNECT).build();
        let client = client.map_err(|error| error.to_string())?;
        Ok(Gs { runtime, client, host, bucket: bucket.to_owned(), tokens })
    }

    fn object(&self, name: &str) -> String {
        format!("{}/storage/v1/b/{}/o/{}", self.host, self.bucket, encoded(name))
    }

    fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.client.request(method, url)
    }

    /// Sends a request without content.
    async fn send(
        &self,
        request: RequestBuilder,
        expected: &[StatusCode],
    ) -> Result<Response, Failure> {
        self.send_bytes(request, 0, expected).await
    }

    /// Sends a request of so many bytes with a token. A response that is neither a success nor one
    /// of the expected statuses is an error.
    async fn send_bytes(
        &self,
        request: RequestBuilder,
        bytes: usize,
        expected: &[StatusCode],
    ) -> Result<Response, Failure> {
        let request = match &self.tokens {
            Some(tokens) => {
                // The service of tokens can be busy or down like any other.
                let passing = |error: gcp_auth::Error| Failure::Passing(error.to_string(), None);
                let token = async { tokens.token(&[SCOPE]).await.map_err(passing) };
                request.bearer_auth(in_time(SILENCE, token).await?.as_str())
            }
            None => request,
        };
        let sent = async { request.send().await.map_err(words) };
        let answer = in_time(allowed(bytes), sent).await?;
        let status = answer.status();
        if status.is_success() || expected.contains(&status) {
            return Ok(answer);
        }
        let cause = format!("the service answered {status}");
        let busy = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
        if !status.is_server_error() && !busy.contains(&status) {
            return Err(Failure::Lasting(cause));
        }
        let after = answer.headers().get("retry-after").and_then(|after| after.to_str().ok());
        let after = after.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
        Err(Failure::Passing(cause, after))
    }

    /// Retries a request until it succeeds or fails permanently.
    fn ask<'a, T, F: Future<Output = Result<T, Failure>> + 'a>(
        &'a self,
        attempt: impl FnMut() -> F,
    ) -> Result<T, String> {
        self.runtime.block_on(persistently(attempt)).map(|outcome| outcome.answer)
    }

    async fn generation(&self, name: &str) -> Result<Option<Version>, Failure> {
        let request = self.request(Method::GET, &self.object(name));
        let answer = self.send(request, &[StatusCode::NOT_FOUND]).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        version(&json(answer).await?).map(Some)
    }

    async fn get_now(&self, name: &str) -> Result<Option<(Bytes, Version)>, Failure> {
        let request = self.request(Method::GET, &format!("{}?alt=media", self.object(name)));
        let answer = self.send(request, &[StatusCode::NOT_FOUND]).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let header = answer.headers().get("x-goog-generation");
        let header = header.and_then(|header| header.to_str().ok()).map(str::to_owned);
        let bytes = content(answer).await?;
        match header {
            Some(generation) => Ok(Some((bytes, Version(generation)))),
            // The emulator does not send the header.
            None => Ok(self.generation(name).await?.map(|version| (bytes, version))),
        }
    }

    async fn get_span_now(&self, name: &str, span: Span) -> Result<Option<Bytes>, Failure> {
        let request = self.request(Method::GET, &format!("{}?alt=media", self.object(name)));
        // An empty range cannot be asked for.
        let last = (span.offset + span.bytes.max(1)) - 1;
        let request = request.header("range", format!("bytes={}-{last}", span.offset));
        let expected = [StatusCode::NOT_FOUND, StatusCode::RANGE_NOT_SATISFIABLE];
        let answer = self.send(request, &expected).await?;
        match answer.status() {
            StatusCode::NOT_FOUND => Ok(None),
            StatusCode::RANGE_NOT_SATISFIABLE => Ok(Some(Bytes::new())),
            StatusCode::PARTIAL_CONTENT => {
                let bytes = content(answer).await?;
                Ok(Some(within(&bytes, Span { offset: 0, ..span })))
            }
            // The emulator does not know ranges.
            _ => Ok(Some(within(&content(answer).await?, span))),
        }
    }

    async fn put_now(
        &self,
        name: &str,
        bytes: Bytes,
        only: &Only,
    ) -> Result<Option<Version>, Failure> {
        let condition = match only {
            Only::Always => String::new(),
            Only::IfAbsent => "&ifGenerationMatch=0".to_owned(),
            Only::IfStill(Version(generation)) => format!("&ifGenerationMatch={generation}"),
        };
        let (host, bucket, name) = (&self.host, &self.bucket, encoded(name));
        let url = format!(
            "{host}/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}{condition}"
        );
        let size = bytes.len();
        let request = self.request(Method::POST, &url).body(bytes);
        let request = request.header("content-type", "application/octet-stream");
        let answer = self.send_bytes(request, size, &[StatusCode::PRECONDITION_FAILED]).await?;
        if answer.status() == StatusCode::PRECONDITION_FAILED {
            return Ok(None);
        }
        version(&json(answer).await?).map(Some)
    }

    async fn list_now(&self, prefix: &str) -> Result<Vec<String>, Failure> {
        let (mut names, mut page) = (Vec::new(), String::new());
        loop {
            let (host, bucket, prefix) = (&self.host, &self.bucket, encoded(prefix));
            let url = format!("{host}/storage/v1/b/{bucket}/o?prefix={prefix}{page}");
            let answer = json(self.send(self.request(Method::GET, &url), &[]).await?).await?;
            let items = answer["items"].as_array().into_iter().flatten();
            names.extend(items.filter_map(|item| item["name"].as_str()).map(str::to_owned));
            match answer["nextPageToken"].as_str() {
                Some(token) => page = format!("&pageToken={}", encoded(token)),
                None => return Ok(names),
            }
        }
    }
}

impl Service for Gs {
    fn get(&mut self, name: &str) -> Result<Option<(Bytes, Version)>, String> {
        self.ask(|| self.get_now(name))
    }

    fn get_span(&mut self, name: &str, span: Span) -> Result<Option<Bytes>, String> {
        self.ask(|| self.get_span_now(name, span))
    }

    fn put(&mut self, name: &str, bytes: Bytes, only: Only) -> Result<Option<Version>, String> {
        self.ask(|| self.put_now(name, bytes.clone(), &only))
    }

    fn list(&mut self, prefix: &str) -> Result<Vec<String>, String> {
        self.ask(|| self.list_now(prefix))
    }

    fn delete(&mut self, name: &str) -> Result<(), String> {
        let request = || self.request(Method::DELETE, &self.object(name));
        self.ask(|| self.send(request(), &[StatusCode::NOT_FOUND])).map(drop)
    }

    fn pause(&self) -> Duration {
        // An emulator does not limit the rate of writes.
        if self.tokens.is_some() { BETWEEN_WRITES } else { Duration::ZERO }
    }
}

/// The content of an answer, however long it takes, unless the service falls silent.
async fn content(mut answer: Response) -> Result<Bytes, Failure> {
    let mut content = BytesMut::new();
    let mut piece = async || answer.chunk().await.map_err(words);
    while let Some(piece) = in_time(SILENCE, piece()).await? {
        content.extend_from_slice(&piece);
    }
    Ok(content.freeze())
}

async fn json(answer: Response) -> Result<Value, Failure> {
    let bytes = content(answer).await?;
    let wrong =
        |error| Failure::Passing(format!("the service did not answer with JSON: {error}"), None);
    serde_json::from_slice(&bytes).map_err(wrong)
}

/// The generation of an object. In JSON it is text.
fn version(object: &Value) -> Result<Version, Failure> {
    let generation = object["generation"].as_str().map(|generation| Version(generation.to_owned()));
    generation.ok_or_else(|| Failure::Lasting("the service returned no generation".to_owned()))
}

/// A name in a URL, with its slashes encoded.
fn encoded(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let byte = |byte: u8| match plain(byte) {
        true => (byte as char).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(byte).collect()
}

/// The error with its innermost cause, which is the informative one.
#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn words(error: reqwest::Error) -> Failure {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    Failure::Passing(format!("the service cannot be reached: {cause}"), None)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use async_trait::async_trait;
    use gcp_auth::Token;

    use super::*;

    /// Fails so often, and then gives a token.
    struct Tokens {
        failures: AtomicUsize,
    }

    #[async_trait]
    impl TokenProvider for Tokens {
        async fn token(&self, _: &[&str]) -> Result<Arc<Token>, gcp_auth::Error> {
            let left = self
                .failures
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
            if left.is_ok() {
                return Err(gcp_auth::Error::Str("the service of tokens is down"));
            }
            let token = r#"{"access_token": "a-token", "expires_in": 60}"#;
            Ok(Arc::new(serde_json::from_str(token).expect("a token")))
        }

        async fn project_id(&self) -> Result<Arc<str>, gcp_auth::Error> {
            Ok("project".into())
        }
    }

    #[test]
    fn d7_a_service_of_tokens_that_fails_is_asked_again() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let host = format!("http://{}", listener.local_addr().expect("it is bound"));
        let asked = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().expect("somebody asks");
            let mut request = vec![0; 4096];
            let length = client.read(&mut request).expect("a request");
            let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
            client.write_all(answer).expect("it listens");
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        let gs = Gs {
            runtime: Builder::new_current_thread().enable_all().build().expect("a runtime"),
            client: Client::new(),
            host,
            bucket: "games".to_owned(),
            tokens: Some(Arc::new(Tokens { failures: 2.into() })),
        };
        assert_eq!(gs.ask(|| gs.generation("a")), Ok(None));
        let request = asked.join().expect("it does not panic");
        assert!(request.contains("Bearer a-token"), "{request}");
    }
}
