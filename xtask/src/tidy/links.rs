//! Links between files of the repository.

use super::Finding;
use super::files::File;

/// Finds relative links in Markdown that lead nowhere; `exists` is asked about
/// paths from the root.
pub(crate) fn check(files: &[File], exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, link) in links(&file.text) {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            if !resolve(&file.path, target).is_some_and(|path| exists(&path)) {
                findings.push(Finding::at(&file.path, line, format!("{target} leads nowhere")));
            }
        }
    }
    findings
}

/// Every link with its line: `[text](link)`, `![text](link)` and `[text]: link`
/// outside code.
fn links(markdown: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut in_code = false;
    for (index, line) in markdown.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            let inline = prose.match_indices("](").map(|(start, _)| &prose[start + 2..]);
            let defined = prose.starts_with('[').then(|| prose.split_once("]: ")).flatten();
            for rest in inline.chain(defined.map(|(_, rest)| rest)) {
                let end = rest.find([')', ' ']).unwrap_or(rest.len());
                links.push((index + 1, rest[..end].trim_matches(['<', '>']).to_owned()));
            }
        }
    }
    links
}

/// The path from the root of a link in the file at `from`; `None` where it
/// leaves the repository.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if link.starts_with('/') {
        return None;
    }
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let text = "[a](formats.md) ![b](../README.md \"title\") [c](gone.md#part)\n\
                    [d](https://example.org/x) [e](#here) [f](../../out.md)\n\
                    `[g](code.md)`\n```\n[h](block.md)\n```\n[i]: missing.md\n[j](../crates/)\n\
                    [`k`](lost.md) [l](/absolute.md)\n";
        let exists = |path: &str| ["docs/formats.md", "README.md", "crates"].contains(&path);
        let findings = check(&[File::new("docs/a.md", text), File::new("a.rs", text)], exists);
        let expected = [
            "docs/a.md:1: gone.md leads nowhere",
            "docs/a.md:2: ../../out.md leads nowhere",
            "docs/a.md:7: missing.md leads nowhere",
            "docs/a.md:9: lost.md leads nowhere",
            "docs/a.md:9: /absolute.md leads nowhere",
        ];
        assert_eq!(shown(&findings), expected);
    }
}
