//! Whether to colour.

use std::io::IsTerminal;

/// Colour only for eyes that have not asked to be spared it.
pub fn wanted(out: &impl IsTerminal) -> bool {
    out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
