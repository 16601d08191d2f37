//! The command `sql` of a program without SQL.

use crate::{
    Notation,
    exit::{Outcome, bad_command},
};

/// Run SQL over the positions of a solved game, and over files (not in this build)
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    ignored: Vec<String>,
}

/// Says that there is no SQL.
pub fn run<G: Notation>(_: &Args) -> Outcome {
    Err(bad_command("this program is built without SQL; build it with the feature sql"))
}
