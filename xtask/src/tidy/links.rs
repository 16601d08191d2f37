//! Links between files of the repository.

use super::{Finding, files::File};

/// Finds relative links in Markdown that lead to no file, or to no heading of one; `exists` is
/// asked about paths from the root.
pub(crate) fn check(files: &[File], exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, link) in links(&file.text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (target, anchor) = match link.split_once('#') {
                Some((target, anchor)) => (target, Some(anchor)),
                None => (link.as_str(), None),
            };
            let path = match target {
                "" => Some(file.path.clone()),
                target => resolve(&file.path, target).filter(|path| exists(path)),
            };
            let Some(path) = path else {
                findings.push(Finding::at(&file.path, line, format!("{target} leads nowhere")));
                continue;
            };
            let page = files.iter().find(|file| file.path == path && path.ends_with(".md"));
            if let (Some(page), Some(anchor)) = (page, anchor)
                && !anchors(&page.text).iter().any(|known| known == anchor)
            {
                let what = format!("there is no heading #{anchor} in {path}");
                findings.push(Finding::at(&file.path, line, what));
            }
        }
    }
    findings
}

/// Finds pages that code speaks of, in comments and in help, and that are not there.
pub(crate) fn pages(files: &[File], exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && !file.path.starts_with("xtask/")) {
        for (index, line) in file.text.lines().enumerate() {
            for (start, _) in line.match_indices("docs/") {
                let part = |sign: char| sign.is_ascii_alphanumeric() || "-_/.".contains(sign);
                let rest = &line[start..];
                let end = rest.find(|sign| !part(sign)).unwrap_or(rest.len());
                let page = rest[..end].trim_end_matches('.');
                if page.ends_with(".md") && !exists(page) {
                    findings.push(Finding::at(
                        &file.path,
                        index + 1,
                        format!("there is no {page}"),
                    ));
                }
            }
        }
    }
    findings
}

/// What the headings of a page are called in links, as GitHub and mdBook make them: lower case
/// with hyphens for blanks, other signs left out, and a number behind the second of a name.
fn anchors(markdown: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let title = line.trim_start_matches('#');
        if in_code || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = |sign: &char| sign.is_alphanumeric() || " -_".contains(*sign);
        let name: String = title.trim().to_lowercase().chars().filter(kept).collect();
        let name = name.replace(' ', "-");
        let number =
            |known: &&String| **known == name || known.strip_prefix(&name).is_some_and(is_number);
        match anchors.iter().filter(number).count() {
            0 => anchors.push(name),
            count => anchors.push(format!("{name}-{count}")),
        }
    }
    anchors
}

fn is_number(ending: &str) -> bool {
    let digits = ending.strip_prefix('-').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
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
    use super::{super::shown, *};

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let text = "# Here\n[a](formats.md) ![b](../README.md \"title\") [c](gone.md#part)\n\
                    [d](https://example.org/x) [e](#here) [f](../../out.md)\n\
                    `[g](code.md)`\n```\n[h](block.md)\n```\n[i]: missing.md\n[j](../crates/)\n\
                    [`k`](lost.md) [l](/absolute.md)\n";
        let exists = |path: &str| ["docs/formats.md", "README.md", "crates"].contains(&path);
        let findings = check(&[File::new("docs/a.md", text), File::new("a.rs", text)], exists);
        let expected = [
            "docs/a.md:2: gone.md leads nowhere",
            "docs/a.md:3: ../../out.md leads nowhere",
            "docs/a.md:8: missing.md leads nowhere",
            "docs/a.md:10: lost.md leads nowhere",
            "docs/a.md:10: /absolute.md leads nowhere",
        ];
        assert_eq!(shown(&findings), expected);
    }

    #[test]
    fn pages_that_code_speaks_of_are_there() {
        let text = "//! See docs/formats.md.\nconst HELP: &str = \"the guide is docs/gone.md.\";\n";
        let files = [File::new("crates/cli/src/sql.rs", text), File::new("docs/a.md", text)];
        let expected = ["crates/cli/src/sql.rs:2: there is no docs/gone.md"];
        assert_eq!(shown(&pages(&files, |path| path == "docs/formats.md")), expected);
    }

    #[test]
    fn headings_that_are_not_there_are_found() {
        let page = "# A page\n## `chess moves`\n## Exit codes, all of them!\n## Twice\n## Twice\n\
                    ```sh\n# a comment\n```\n";
        let names = ["a-page", "chess-moves", "exit-codes-all-of-them", "twice", "twice-1"];
        assert_eq!(anchors(page), names);
        let text = "[a](b.md#twice-1) [b](b.md#a-comment) [c](#here) [d](b.md#gone)\n# Here\n";
        let files = [File::new("docs/a.md", text), File::new("docs/b.md", page)];
        let expected = [
            "docs/a.md:1: there is no heading #a-comment in docs/b.md",
            "docs/a.md:1: there is no heading #gone in docs/b.md",
        ];
        assert_eq!(shown(&check(&files, |_| true)), expected);
    }
}
