//! The process that works on tasks.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use ballista_core::{
    config::TaskSchedulingPolicy, extension::SessionConfigExt, registry::BallistaFunctionRegistry,
};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::{error::DataFusionError, prelude::SessionConfig};

use super::{Executor, allocator, codec, log, node};
use crate::{Settings, SqlError, context};

/// How long running tasks may take to end when the executor is told to stop. Until then it may take
/// others, see [`PAUSE`](super::job::PAUSE).
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) fn run(settings: &Executor) -> Result<(), SqlError> {
    log::begin(settings.log);
    allocator::return_freed_memory();
    let directory = Directory::new(settings)?;
    let runtime = node::threads(settings.slots.get())?;
    let config = config(settings, &directory.0)?;
    let ended = runtime.block_on(async move {
        // Ballista listens for the same signals, tells the scheduler, and lets tasks end.
        let stop = async {
            node::told_to_stop(settings.interrupted).await;
            tokio::time::sleep(PATIENCE).await;
        };
        tokio::select! {
            ended = start_executor_process(Arc::new(config)) => ended.map_err(|error| {
                SqlError::Io(format!("executor at {}: {error}", settings.bind))
            }),
            () = stop => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    ended
}

fn config(settings: &Executor, directory: &Path) -> Result<ExecutorProcessConfig, SqlError> {
    let place = directory.to_str().ok_or_else(|| {
        SqlError::Io(format!(
            "{}: the path of the work directory is not UTF-8",
            directory.display()
        ))
    })?;
    let limits = Settings {
        memory_limit: settings.memory_limit,
        spill_directory: Some(directory.to_owned()),
        ..Settings::default()
    };
    let environment = context::runtime(&limits, Arc::default())?;
    let functions =
        node::state(SessionConfig::new_with_ballista(), environment, limits.memory_limit)?;
    Ok(ExecutorProcessConfig {
        bind_host: settings.bind.ip().to_string(),
        external_host: settings.advertise.clone(),
        port: settings.bind.port(),
        scheduler_host: settings.scheduler.host.clone(),
        scheduler_port: settings.scheduler.port,
        vcores: settings.slots.get(),
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(place.to_owned()),
        memory_pool_size: Some(settings.memory_limit as u64),
        override_function_registry: Some(Arc::new(BallistaFunctionRegistry::from(&functions))),
        override_runtime_producer: Some(Arc::new(move |_| {
            context::runtime(&limits, Arc::default())
                .map_err(|error| DataFusionError::Execution(error.to_string()))
        })),
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        override_logical_codec: Some(Arc::new(codec::Logical::default())),
        override_physical_codec: Some(Arc::new(codec::Physical::for_games(settings.games.clone()))),
        ..ExecutorProcessConfig::default()
    })
}

/// A directory of its own, gone when the executor ends. One that was killed leaves it behind for
/// the next at the same port to empty.
struct Directory(PathBuf);

impl Directory {
    fn new(settings: &Executor) -> Result<Directory, SqlError> {
        let name = format!("everyply-executor-{}", settings.bind.port());
        let directory = settings.work_directory.join(name);
        let fresh = match fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&directory),
        };
        match fresh.and_then(|()| directory.canonicalize()) {
            Ok(directory) => Ok(Directory(directory)),
            Err(error) => Err(SqlError::Io(format!(
                "cannot use the work directory {}: {error}",
                directory.display()
            ))),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What is left does no harm but take room.
        let _ = fs::remove_dir_all(&self.0);
    }
}
