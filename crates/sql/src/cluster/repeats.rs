//! Stages that Ballista computes again.
//!
//! When what a stage reads is lost with an executor, Ballista 55 computes the stage again. Where it
//! keeps the addresses of what tasks of the first attempt had written, the next stage reads these
//! rows twice. So no executor works on a second attempt: the job fails, and its client submits it
//! again, from the beginning.

use std::{fmt, sync::Arc};

use datafusion::{
    common::tree_node::TreeNodeRecursion,
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    physical_expr::PhysicalExpr,
    physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties},
};

/// What an executor says that refuses a task.
pub(super) const COMPUTED_AGAIN: &str = "not computed again in part";

/// The inputs of an operator of a task; they only fail if its stage has been tried before.
///
/// They fail when they are executed. Of a plan that cannot be read Ballista 55 tells its scheduler
/// nothing that it listens to, and the job would wait for ever.
pub(super) fn inputs(
    inputs: &[Arc<dyn ExecutionPlan>],
    task: Option<String>,
) -> Vec<Arc<dyn ExecutionPlan>> {
    let refused = task.and_then(|task| refusal(&task));
    let inputs = inputs.iter().cloned();
    match refused {
        None => inputs.collect(),
        Some(why) => inputs.map(|input| Refused::in_place_of(input, &why)).collect(),
    }
}

/// Why a task is not worked on. Ballista names tasks `TID job/stage.attempt/task.attempt`.
fn refusal(task: &str) -> Option<String> {
    let stage = task.split('/').nth(1).and_then(|stage| stage.split_once('.'));
    match stage.map(|(_, attempt)| attempt) {
        Some("0") => None,
        Some(_) => Some(format!("{task}: rows were lost, and a job is {COMPUTED_AGAIN}")),
        None => Some(format!("{task}: the name of a task without an attempt")),
    }
}

/// An input that is not computed.
#[derive(Debug)]
struct Refused {
    input: Arc<dyn ExecutionPlan>,
    why: String,
}

impl Refused {
    fn in_place_of(input: Arc<dyn ExecutionPlan>, why: &str) -> Arc<dyn ExecutionPlan> {
        Arc::new(Refused { input, why: why.to_owned() })
    }
}

impl DisplayAs for Refused {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Refused: {}", self.why)
    }
}

impl ExecutionPlan for Refused {
    fn name(&self) -> &str {
        "Refused"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match <[_; 1]>::try_from(children) {
            Ok([input]) => Ok(Refused::in_place_of(input, &self.why)),
            Err(_) => Err(DataFusionError::Internal("Refused has one input".to_owned())),
        }
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        Err(DataFusionError::Execution(self.why.clone()))
    }
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::Schema;
    use datafusion::physical_plan::empty::EmptyExec;

    use super::*;

    #[test]
    fn only_first_attempts_are_worked_on() {
        let input: Arc<dyn ExecutionPlan> = Arc::new(EmptyExec::new(Arc::new(Schema::empty())));
        let executed = |task: Option<&str>| {
            let given = inputs(std::slice::from_ref(&input), task.map(str::to_owned));
            assert_eq!(given.len(), 1);
            let executed = given[0].execute(0, Arc::default());
            executed.map(|_| ()).map_err(|error| error.to_string())
        };
        // The second number behind the task counts failures of the task alone.
        let first = ["TID 038FGPFJHG000/2.0/5", "TID a/1.0/15.0", "TID a/1.0/0.3"];
        for task in first.map(Some).into_iter().chain([None]) {
            assert_eq!(executed(task), Ok(()), "{task:?}");
        }
        for task in ["TID 038FGPFJHG000/2.1/10.0", "TID a/10.12/0.0"] {
            assert!(executed(Some(task)).unwrap_err().contains(COMPUTED_AGAIN), "{task}");
        }
        for task in ["", "TID a", "TID a/1/2.0"] {
            assert!(executed(Some(task)).unwrap_err().contains("without an attempt"), "{task}");
        }
    }
}
