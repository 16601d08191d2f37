//! `everyply man`

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::{Cli, Exit, Outcome, files};

/// Print the manual page, or write one page for each command
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply man | man -l -
  everyply man --out ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Directory to write the manual pages to, one for each command
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let command = Cli::command();
    let Some(directory) = &args.out else {
        files::print(&page(&Man::new(command))?)?;
        return Ok(Exit::Fine);
    };
    sinks::create_directory(directory)?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_all(command, directory)?;
    Ok(Exit::Fine)
}

/// Writes the pages of a command and of those below it.
fn write_all(command: Command, directory: &Path) -> anyhow::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_all(below.clone(), directory)?;
    }
    let man = Man::new(command);
    files::write(&directory.join(man.get_filename()), &page(&man)?)
}

fn page(man: &Man) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(page)
}
