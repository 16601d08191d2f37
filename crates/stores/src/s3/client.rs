//! The client of S3, with our timeouts and retries.
//!
//! The timeout of the crate `object_store` is one for the whole of a request, its content and that
//! of the answer included. So a large part would fail on a slow connection, and a large file that is
//! read piece by piece on any. Here the time depends on the size of what is sent, and what is
//! received may take any time as long as pieces of it arrive.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use object_store::{
    BackoffConfig, ClientOptions, Error, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService, ReqwestConnector,
    },
};
use tokio::time::{Sleep, sleep, timeout};

use crate::patience::{AGAIN, SILENCE, allowed, silent};

/// Timeout for connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// A client for a bucket. Keys, region and endpoint come from the environment, or from the machine's
/// role. Requests are retried for half a minute, and a service that does not answer is an error
/// within a minute.
///
/// # Errors
///
/// If a variable of the environment has no meaning.
pub fn client(bucket: &str) -> Result<AmazonS3, Error> {
    let endpoints = ["AWS_ENDPOINT_URL", "AWS_ENDPOINT"].map(std::env::var);
    let plain = endpoints.iter().flatten().any(|endpoint| endpoint.starts_with("http://"));
    let retries = RetryConfig {
        backoff: BackoffConfig { max_backoff: LONGEST_PAUSE, ..BackoffConfig::default() },
        // More than there is time for.
        max_retries: 1000,
        // The time is looked at before the pause.
        retry_timeout: AGAIN - LONGEST_PAUSE,
    };
    AmazonS3Builder::from_env()
        .with_bucket_name(bucket)
        .with_client_options(ClientOptions::new().with_connect_timeout(CONNECT))
        .with_allow_http(plain)
        .with_retry(retries)
        .with_http_connector(Patient)
        .build()
}

/// Makes clients that wait as long as [`crate::patience`] says.
#[derive(Debug)]
struct Patient;

impl HttpConnector for Patient {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let options = options.clone().with_timeout_disabled();
        let client = ReqwestConnector::default().connect(&options)?;
        Ok(HttpClient::new(PatientClient(client)))
    }
}

#[derive(Debug)]
struct PatientClient(HttpClient);

#[async_trait]
impl HttpService for PatientClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let time = allowed(request.body().content_length());
        let answer = timeout(time, self.0.execute(request)).await;
        let (parts, body) = answer.unwrap_or_else(|_| Err(late(time)))?.into_parts();
        let body = PatientBody { body, waiting: None };
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}

/// The content of an answer, which fails if no piece of it comes for too long.
struct PatientBody {
    body: HttpResponseBody,
    /// Since somebody waits for the next piece.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Body for PatientBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.waiting = None;
            return Poll::Ready(frame);
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(SILENCE)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Some(Err(late(SILENCE))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn late(time: Duration) -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, std::io::Error::other(silent(time)))
}
