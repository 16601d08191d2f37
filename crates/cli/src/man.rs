//! `everyply man`

use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;

use crate::{Cli, Exit, Outcome, files};

/// Print the manual page, or write the pages of all commands
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply man | man -l -
  everyply man --out ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Write a page for each command into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let command = Cli::command();
    if let Some(folder) = &args.out {
        let failed = || format!("{}: cannot write manual pages", folder.display());
        std::fs::create_dir_all(folder).with_context(failed)?;
        clap_mangen::generate_to(command, folder).with_context(failed)?;
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        files::print(&page)?;
    }
    Ok(Exit::Fine)
}
