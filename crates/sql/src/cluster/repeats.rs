//! Stages that Ballista computes again.
//!
//! When what a stage reads is lost with an executor, Ballista 55 computes the stage again. Where it
//! keeps the addresses of what tasks of the first attempt had written, the next stage reads these
//! rows twice. So no executor takes a task of a second attempt: the job fails, and its client
//! submits it again, from the beginning.

use datafusion::error::{DataFusionError, Result};

/// What an executor says that refuses a task.
pub(super) const COMPUTED_AGAIN: &str = "not computed again in part";

/// An error for a task of a stage that has been tried before. Ballista names tasks
/// `TID job/stage.attempt/task.attempt`; a plan that is read for no task has no name.
pub(super) fn refuse(task: Option<String>) -> Result<()> {
    let Some(task) = task else { return Ok(()) };
    let stage = task.split('/').nth(1).and_then(|stage| stage.split_once('.'));
    match stage.map(|(_, attempt)| attempt) {
        Some("0") => Ok(()),
        Some(_) => Err(DataFusionError::Execution(format!(
            "{task}: rows of this job were lost, and a job is {COMPUTED_AGAIN}"
        ))),
        None => Err(DataFusionError::Internal(format!("the task {task} is of no attempt"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_attempts_are_taken() {
        let of = |task: &str| refuse(Some(task.to_owned()));
        assert!(refuse(None).is_ok());
        // The second number behind the task counts failures of the task alone.
        for task in ["TID 038FGPFJHG000/2.0/5", "TID a/1.0/15.0", "TID a/1.0/0.3"] {
            assert!(of(task).is_ok(), "{task}");
        }
        for task in ["TID 038FGPFJHG000/2.1/10.0", "TID a/10.12/0.0"] {
            assert!(of(task).unwrap_err().to_string().contains(COMPUTED_AGAIN), "{task}");
        }
        for task in ["", "TID a", "TID a/1/2.0"] {
            assert!(of(task).unwrap_err().to_string().contains("no attempt"), "{task}");
        }
    }
}
