//! Facts next to the theme tags of puzzles.

use std::path::Path;

pub(crate) fn report(_puzzles: &Path) {}
