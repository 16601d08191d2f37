//! `everyply completions`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{Cli, Exit, Outcome, files};

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply completions bash > ~/.local/share/bash-completion/completions/everyply
  everyply completions zsh > ~/.zfunc/_everyply
  everyply completions fish > ~/.config/fish/completions/everyply.fish")]
pub(crate) struct Args {
    /// Shell to complete for
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Outcome {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "everyply", &mut script);
    files::print(&script)?;
    Ok(Exit::Fine)
}
