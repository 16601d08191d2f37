//! Whether to colour.

use std::io::IsTerminal;

/// Colours only on a terminal, and not if NO_COLOR is set.
pub fn wanted(out: &impl IsTerminal) -> bool {
    out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
