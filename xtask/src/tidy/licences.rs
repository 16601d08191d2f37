//! The licence of every package in the lock file.

use super::{Finding, metadata::Package};

/// Licences that ask for no more than their text to be kept.
const ACCEPTABLE: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "Bitstream-Vera",
    "CC0-1.0",
    "ISC",
    "MIT",
    "NCSA",
    "OFL-1.1",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Finds packages that offer no acceptable licence.
pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let place = format!("{} {}", package.name, package.version);
        let Some(licence) = &package.licence else {
            findings.push(Finding::new(place, "names no licence"));
            continue;
        };
        match is_acceptable(licence) {
            Some(true) => {}
            Some(false) => {
                findings.push(Finding::new(place, format!("may be used only under {licence}")));
            }
            None => findings.push(Finding::new(place, format!("unreadable licence: {licence}"))),
        }
    }
    findings
}

/// Whether an SPDX expression leaves a way to take only acceptable licences;
/// `None` where it is no expression. A `/` is the `OR` of old manifests.
fn is_acceptable(expression: &str) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut tokens = spaced.split_whitespace().peekable();
    let answer = any(&mut tokens)?;
    tokens.next().is_none().then_some(answer)
}

type Tokens<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(tokens: &mut Tokens<'_>) -> Option<bool> {
    let mut answer = all(tokens)?;
    while tokens.next_if_eq(&"OR").is_some() {
        answer |= all(tokens)?;
    }
    Some(answer)
}

fn all(tokens: &mut Tokens<'_>) -> Option<bool> {
    let mut answer = one(tokens)?;
    while tokens.next_if_eq(&"AND").is_some() {
        answer &= one(tokens)?;
    }
    Some(answer)
}

fn one(tokens: &mut Tokens<'_>) -> Option<bool> {
    match tokens.next()? {
        "(" => {
            let answer = any(tokens)?;
            tokens.next_if_eq(&")")?;
            Some(answer)
        }
        ")" | "AND" | "OR" | "WITH" => None,
        licence => {
            // An exception only ever permits more than its licence.
            if tokens.next_if_eq(&"WITH").is_some() {
                tokens.next()?;
            }
            Some(ACCEPTABLE.contains(&licence))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn expressions_are_weighed() {
        let cases = [
            ("MIT", Some(true)),
            ("MIT OR Apache-2.0", Some(true)),
            ("MIT/Apache-2.0", Some(true)),
            ("GPL-3.0-only", Some(false)),
            ("GPL-2.0-or-later OR MIT", Some(true)),
            ("GPL-3.0 AND MIT", Some(false)),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Some(true)),
            ("(MIT OR Apache-2.0) AND LGPL-2.1", Some(false)),
            // AND binds tighter than OR.
            ("MIT OR GPL-3.0 AND Zlib", Some(true)),
            ("(MIT OR GPL-3.0) AND AGPL-3.0", Some(false)),
            ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", Some(true)),
            ("MPL-2.0", Some(false)),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT Apache-2.0", None),
            ("", None),
        ];
        for (expression, expected) in cases {
            assert_eq!(is_acceptable(expression), expected, "{expression}");
        }
    }

    #[test]
    fn packages_without_an_acceptable_licence_are_found() {
        let package = |name: &str, licence: Option<&str>| Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
            ..Package::default()
        };
        let packages = [
            package("free", Some("MIT")),
            package("bound", Some("GPL-3.0")),
            package("silent", None),
            package("odd", Some("MIT AND")),
        ];
        let expected = [
            "bound 1.0.0: may be used only under GPL-3.0",
            "silent 1.0.0: names no licence",
            "odd 1.0.0: unreadable licence: MIT AND",
        ];
        assert_eq!(shown(&check(&packages)), expected);
    }
}
