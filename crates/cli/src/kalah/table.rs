//! `everyply kalah table`

use std::{
    mem,
    path::{Path, PathBuf},
};

use commands::{effort::Effort, stored::refused};
use indicatif::HumanBytes;
use kalah::{Rules, Sheets};
use kalah_answers::bytes_on_disk;
use solver::{
    Next,
    table::{BuildLimits, BuildProgress, Directory, TableError, build},
};
use tables::{
    Shape,
    kalah::{self as table, TABLE},
};

use crate::{
    exit::{Exit, Outcome, bad_command, say},
    interrupt, progress,
    rows::Output,
    space,
};

/// Compute the value of every position up to a number of seeds, reachable or not
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah table --pits 6 --max-seeds 16 --out kalah6
  everyply kalah table --pits 6 --max-seeds 22 --out kalah6 --memory-limit 2GiB
  everyply kalah value 0,1,0,2,0,3/4,0,0,0,0,1 --table kalah6

If DIR already holds a table, the work is resumed, also to extend a finished table to more seeds.
Existing blocks are compared with their checksums, and computed again if they are damaged. A kill
loses only the file in progress.")]
pub(crate) struct Args {
    /// Number of pits on each side, 1 to 8
    #[arg(long, value_name = "M")]
    pits: usize,
    /// Largest number of seeds in play
    #[arg(long, value_name = "S")]
    max_seeds: u32,
    /// Rules: std_either, empty_either, std_mover or empty_mover (see docs/kalah.md)
    #[arg(long, value_name = "RULES", default_value_t = Rules::STD_EITHER)]
    rules: Rules,
    /// Directory of the table
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.output.check()?;
    let limits = BuildLimits { memory: args.effort.memory_limit };
    let least = Sheets::least_memory(args.pits, args.max_seeds).map_err(bad_command)?;
    if least > limits.memory as u64 {
        return Err(bad_command(format_args!(
            "a table of {} pits with up to {} seeds needs at least {} of memory; the limit is {}; \
             raise it with --memory-limit",
            args.pits,
            args.max_seeds,
            HumanBytes(least),
            HumanBytes(limits.memory as u64)
        )));
    }
    let sheets = Sheets::new(args.pits, args.max_seeds, args.rules).map_err(bad_command)?;
    let directory = Directory::new(&args.out);
    // The current file is finished first.
    interrupt::be_patient(60);
    let bar = progress::positions();
    let mut warned = false;
    let built = args.effort.run(|| {
        build(&sheets, &directory, &limits, &mut |progress| {
            if !mem::replace(&mut warned, true) {
                bar.suspend(|| warn_of_size(&args.out, progress));
            }
            let (own, other) = (progress.sheet.own, progress.sheet.other);
            let memory = HumanBytes(progress.memory as u64);
            bar.set_message(format!("{own} and {other} seeds, {memory} held"));
            bar.set_length(progress.total);
            bar.set_position(progress.done);
            if interrupt::requested() { Next::Stop } else { Next::Continue }
        })
    })?;
    bar.finish_and_clear();
    let built = match built {
        Ok(built) => built,
        Err(TableError::Stopped) => return Ok(Exit::Interrupted),
        Err(error @ TableError::Memory { .. }) => {
            return Err(bad_command(format_args!("{error}; raise it with --memory-limit")));
        }
        Err(TableError::Store(error)) => return Err(refused(error)),
        Err(error) => return Err(error.into()),
    };
    if built.repaired > 0 {
        say(format_args!("{} damaged blocks were computed again", built.repaired));
    }
    let mut rows = args.output.rows(&TABLE, Shape::One)?;
    rows.row(&table::table(&sheets, &built, &args.out.display().to_string()))?;
    rows.finish()?;
    Ok(Exit::Fine)
}

/// A build that does not fit the disk ends hours later with "no space left", so this is told at
/// its begin. It goes on: space can be made meanwhile, and what is built is kept.
fn warn_of_size(directory: &Path, progress: &BuildProgress) {
    let needed = bytes_on_disk(progress.total - progress.done);
    if let Some(free) = space::free(directory).filter(|free| *free < needed) {
        say(format_args!(
            "the rest of the table takes about {}, and {} has {} free; without more space the \
             build will stop, and can be resumed",
            HumanBytes(needed),
            directory.display(),
            HumanBytes(free)
        ));
    }
}
