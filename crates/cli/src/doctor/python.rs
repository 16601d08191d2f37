//! Python and the wheel.

use super::{Finding, program};

const VERSION: &str = "import importlib.metadata as m; print(m.version('everyply'))";
const GET: &str = "pip install the wheel of the release, or: \
                   cargo xtask wheel, then pip install target/wheels/everyply-*.whl";

pub(super) fn findings() -> Vec<Finding> {
    let Some(version) = program::first_line("python3", &["--version"]) else {
        let advice = "apt-get install python3 python3-venv, for the wheel";
        return vec![Finding::missing("Python", "python3 is not in PATH", advice)];
    };
    vec![Finding::ready("Python", version), wheel(program::first_line("python3", &["-c", VERSION]))]
}

/// The wheel of whichever Python comes first on the path, an activated environment included.
fn wheel(installed: Option<String>) -> Finding {
    let ours = env!("CARGO_PKG_VERSION");
    match installed {
        None => Finding::missing("wheel", "everyply is not installed in this Python", GET),
        Some(version) if version == ours => Finding::ready("wheel", version),
        Some(version) => {
            let detail = format!("{version}, but this program is {ours}");
            Finding::ready("wheel", detail).with_advice(GET)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn a_wheel_of_another_version_is_advised_about() {
        assert_eq!(wheel(None).state, State::Missing);
        assert_eq!(wheel(Some(env!("CARGO_PKG_VERSION").to_owned())).advice, None);
        assert!(wheel(Some("0.0.1".to_owned())).advice.is_some());
    }
}
