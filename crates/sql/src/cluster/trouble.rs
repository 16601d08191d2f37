//! What went wrong on a cluster, and whether it may go well next time.
//!
//! Errors of Ballista arrive as text, so what they mean has to be read off their sentences. All
//! that are known are listed here with who says them; tests provoke them, and fail when another
//! version is used, so that somebody looks.

use std::io;

use ballista_core::error::BallistaError;
use datafusion::error::DataFusionError;

use solver_plans::TASK_FAILED;

use super::{Address, repeats::COMPUTED_AGAIN};

/// What went wrong, in words.
pub(super) struct Trouble {
    pub(super) error: DataFusionError,
    /// Whether it may go well next time.
    pub(super) may_pass: bool,
    /// Whether the cluster has given up the job itself.
    pub(super) is_over: bool,
}

/// What a sentence means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// The disk of an executor has no room.
    DiskFull,
    /// The scheduler does not answer.
    Silent,
    /// The scheduler has called the job off, because executors are gone.
    CalledOff,
    /// An executor is gone, or a connection to it.
    Lost,
    /// What answered in the place of the scheduler is none, or not of this version.
    Foreign,
}

/// Sentences, by the package and the version that says them, or by the system. The first one that
/// is found counts.
const SENTENCES: &[(&str, &[(&str, Meaning)])] = &[
    ("everyply", &[(COMPUTED_AGAIN, Meaning::Lost)]),
    ("Linux", &[("No space left on device (os error 28)", Meaning::DiskFull)]),
    ("tonic 0.14.9", &[("Timeout expired", Meaning::Silent)]),
    (
        "ballista-scheduler 55.0.0",
        &[
            ("failed: Cancelled", Meaning::CalledOff),
            ("all executors were lost and no executor re-registered", Meaning::Lost),
            ("Task failure due to Executor ", Meaning::Lost),
            // Only rows that cannot be fetched fail a stage so, whatever the reason is: an executor
            // that was restarted has no such file.
            (" has failed 1 times, most recent failure reason: ", Meaning::Lost),
        ],
    ),
    (
        "ballista-core 55.0.0",
        &[
            ("(no `ballista-version` header)", Meaning::Foreign),
            ("Shuffle fetch partition error from Executor ", Meaning::Lost),
            ("FetchFailed(", Meaning::Lost),
            ("FetchPartitionError(", Meaning::Lost),
            ("Grpc connection error: ", Meaning::Lost),
            ("GrpcConnectionError(", Meaning::Lost),
            ("Grpc Execute Action error: ", Meaning::Lost),
            ("GrpcActionError(", Meaning::Lost),
        ],
    ),
    (
        "tonic 0.14.9",
        &[
            ("tonic::transport::Error(", Meaning::Lost),
            ("transport error", Meaning::Lost),
            ("code: Unavailable", Meaning::Lost),
            ("code: 'The service is currently unavailable'", Meaning::Lost),
        ],
    ),
    ("hyper 1.12.0", &[("error reading a body from connection", Meaning::Lost)]),
    ("h2 0.4.20", &[("closed because of a broken pipe", Meaning::Lost)]),
    (
        "Linux",
        &[
            ("Connection refused (os error 111)", Meaning::Lost),
            ("Connection reset by peer (os error 104)", Meaning::Lost),
            ("Broken pipe (os error 32)", Meaning::Lost),
        ],
    ),
];

impl Trouble {
    /// What an error means, if the scheduler still answers.
    pub(super) fn of(error: &DataFusionError, at: &Address) -> Trouble {
        let text = error.to_string();
        let (kind, what, may_pass) = match meaning(error, &text) {
            None => {
                let error = DataFusionError::Execution(text);
                return Trouble { error, may_pass: false, is_over: true };
            }
            Some(Meaning::DiskFull) => {
                let what = format!("the disk of an executor is full: {text}");
                // Not of the kind of a full disk: it is not the disk of this machine.
                (io::ErrorKind::ConnectionReset, what, false)
            }
            Some(Meaning::Silent) => {
                let what = format!("no scheduler answers at {at}: {text}");
                (io::ErrorKind::TimedOut, what, false)
            }
            Some(Meaning::CalledOff) => {
                let what =
                    "the job was cancelled: executors were lost, or there are none".to_owned();
                (io::ErrorKind::ConnectionReset, what, true)
            }
            Some(Meaning::Foreign) => {
                let what = format!("no scheduler of this version answers at {at}: {text}");
                (io::ErrorKind::ConnectionReset, what, true)
            }
            Some(Meaning::Lost) => {
                let what = format!("an executor was lost: {text}");
                (io::ErrorKind::ConnectionReset, what, true)
            }
        };
        // A connection that was lost does not end a job.
        Trouble { error: trouble(kind, what), may_pass, is_over: false }
    }

    /// The scheduler was there before.
    pub(super) fn gone(at: &Address, error: &io::Error) -> Trouble {
        Trouble { error: gone(at, error), may_pass: false, is_over: false }
    }
}

fn meaning(error: &DataFusionError, text: &str) -> Option<Meaning> {
    // A store may name the same causes as a cluster.
    if text.contains(TASK_FAILED) {
        return None;
    }
    let mut sentences = SENTENCES.iter().flat_map(|(_, sentences)| *sentences);
    let found = sentences.find(|(sentence, _)| text.contains(sentence)).map(|found| found.1);
    // What is fetched from executors fails with an error that is not yet text.
    let is_lost = match error.find_root() {
        DataFusionError::External(error) => matches!(
            error.downcast_ref(),
            Some(
                BallistaError::FetchFailed(..)
                    | BallistaError::GrpcConnectionError(_)
                    | BallistaError::GrpcActionError(_)
                    | BallistaError::TonicError(_)
                    | BallistaError::GrpcError(_)
            )
        ),
        _ => false,
    };
    found.or(is_lost.then_some(Meaning::Lost))
}

/// The scheduler was there before.
pub(super) fn gone(at: &Address, error: &io::Error) -> DataFusionError {
    trouble(error.kind(), format!("the scheduler at {at} is gone: {error}"))
}

pub(super) fn trouble(kind: io::ErrorKind, what: String) -> DataFusionError {
    // Kinds that mean something else to whoever reads files do not fit a cluster.
    let kind = match kind {
        io::ErrorKind::TimedOut => kind,
        _ => io::ErrorKind::ConnectionReset,
    };
    DataFusionError::IoError(io::Error::new(kind, what))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use ballista_core::serde::protobuf::{
        CancelJobParams, FailedTask, scheduler_grpc_client::SchedulerGrpcClient,
    };

    use super::*;

    fn of(text: &str) -> Option<Meaning> {
        meaning(&DataFusionError::Execution(text.to_owned()), text)
    }

    #[test]
    fn the_sentences_are_those_of_the_versions_that_are_used() {
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
        let lock = fs::read_to_string(lock).unwrap();
        for (by, _) in SENTENCES {
            // Numbers of the system do not change, and our own sentence stands in one place.
            let Some((name, version)) = by.split_once(' ') else { continue };
            let locked = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(lock.contains(&locked), "look at the sentences again: {by} is not used");
        }
        assert_eq!(ballista_core::BALLISTA_VERSION, "55.0.0");
    }

    #[test]
    fn ballista_55_0_0_says_so() {
        let lost = [
            BallistaError::FetchFailed("x".into(), 1, 2, "y".into()),
            BallistaError::GrpcConnectionError("x".into()),
            BallistaError::GrpcActionError("x".into()),
        ];
        for error in lost {
            assert_eq!(of(&error.to_string()), Some(Meaning::Lost), "{error}");
            assert_eq!(of(&format!("{error:?}")), Some(Meaning::Lost), "{error:?}");
            let failed = format!("{:?}", FailedTask::from(error).failed_reason);
            assert!(failed.contains("ExecutionError") || of(&failed) == Some(Meaning::Lost));
        }
        let error = BallistaError::FetchFailed("x".into(), 1, 2, "y".into()).into_datafusion();
        let text = error.to_string();
        assert_eq!(meaning(&error, &text), Some(Meaning::Lost));
        assert!(Trouble::of(&error, &"here:1".parse().unwrap()).may_pass);
        // What is wrong with a statement is wrong next time too.
        for error in [
            BallistaError::General("x".into()),
            BallistaError::Internal("x".into()),
            BallistaError::DataFusionError(Box::new(DataFusionError::Plan("x".into()))),
        ] {
            assert_eq!(of(&error.to_string()), None, "{error}");
            let error = error.into_datafusion();
            assert_eq!(meaning(&error, &error.to_string()), None, "{error}");
        }
    }

    #[test]
    fn ballista_scheduler_55_0_0_says_so() {
        // Of a job that was called off, of one without executors, and of a task.
        assert_eq!(of("Job a1b2 failed: Cancelled"), Some(Meaning::CalledOff));
        let said = "Job a1b2 failed: all executors were lost and no executor re-registered within \
                    30s; no executors remain to run the tasks for this job";
        assert_eq!(of(said), Some(Meaning::Lost));
        let said = "Job a1b2 failed: Job failed due to stage 3 failed: Stage 3 has failed 1 times, \
                    most recent failure reason: \"Internal: Failed to open file: No such file\"";
        assert_eq!(of(said), Some(Meaning::Lost));
        assert_eq!(of("Task failure due to Executor e1 lost"), Some(Meaning::Lost));
        assert_eq!(of("Job a1b2 failed: Error planning job a1b2: x"), None);
    }

    #[test]
    fn linux_says_so() {
        let meant = [
            (28, Meaning::DiskFull),
            (111, Meaning::Lost),
            (104, Meaning::Lost),
            (32, Meaning::Lost),
        ];
        for (number, meant) in meant {
            let said = io::Error::from_raw_os_error(number).to_string();
            assert_eq!(of(&said), Some(meant), "{said}");
        }
        assert_eq!(of(&io::Error::from_raw_os_error(2).to_string()), None);
    }

    #[test]
    fn connections_say_so_when_nobody_is_there() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(speak_to_nobody());
    }

    async fn speak_to_nobody() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = format!("http://{}", listener.local_addr().unwrap());
        // Somebody who takes a connection and is gone.
        let gone = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                drop(connection);
            }
        });
        let cancel = CancelJobParams { job_id: String::new() };
        let said = match SchedulerGrpcClient::connect(at.clone()).await {
            Ok(mut client) => {
                let status = client.cancel_job(cancel).await.unwrap_err();
                vec![status.to_string(), format!("{status:?}")]
            }
            Err(error) => vec![error.to_string(), format!("{error:?}")],
        };
        for said in said {
            assert_eq!(of(&said), Some(Meaning::Lost), "{said}");
        }
        gone.abort();
        let _ = gone.await;
        let error = SchedulerGrpcClient::connect(at).await.unwrap_err();
        for said in [error.to_string(), format!("{error:?}")] {
            assert_eq!(of(&said), Some(Meaning::Lost), "{said}");
        }
    }
}
