//! Links that lead out of the root of a guard.
//!
//! The guard looks at the names in a statement. A directory or a pattern stands for names that no
//! statement has, so what is found there is looked at here.

use std::path::{Path, PathBuf, absolute};

/// Knows where links may lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// The root as it is called, and without links.
    root: Option<(PathBuf, PathBuf)>,
}

impl Links {
    pub(super) fn new(root: Option<&Path>) -> Links {
        let names = |root: &Path| Some((absolute(root).ok()?, root.canonicalize().ok()?));
        Links { root: root.and_then(names) }
    }

    /// Whether a path below the root is a link to something that is not. What lies elsewhere by its
    /// name was added by the program itself.
    pub(super) fn lead_out(&self, path: &Path) -> bool {
        let Some((called, real)) = &self.root else { return false };
        if !path.starts_with(called) && !path.starts_with(real) {
            return false;
        }
        path.canonicalize().is_ok_and(|path| !path.starts_with(real))
    }
}
