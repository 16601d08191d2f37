//! Fences of Markdown, and the commands in them.

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// Where its first line of content stands.
    pub(crate) line: usize,
    pub(crate) kind: Kind,
    language: String,
    text: Vec<String>,
}

/// What is to be done with a fence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its commands run.
    Commands,
    /// Its commands do not run here, for this reason.
    NotRun(String),
    /// It is no command. Python runs in the tests of the wheel, Rust in doc tests.
    Shown,
    /// An info string that says nothing known, so that no command escapes by a slip of the pen.
    Unknown(String),
}

/// A command and the lines it is shown to print.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
}

const MARK: &str = "```";

/// The fences of a page.
pub(crate) fn read(page: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<Fence> = None;
    for (index, line) in page.lines().enumerate() {
        match (line.strip_prefix(MARK), open.take()) {
            (Some(_), Some(fence)) => fences.push(fence),
            (Some(info), None) => open = Some(opened(info, index + 2)),
            (None, Some(mut fence)) => {
                fence.text.push(line.to_owned());
                open = Some(fence);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    fences
}

fn opened(info: &str, line: usize) -> Fence {
    let (language, note) = info.trim().split_once(' ').unwrap_or((info.trim(), ""));
    let kind = match (language, note.strip_prefix("not run: ")) {
        ("console" | "sh", Some(why)) => Kind::NotRun(why.to_owned()),
        ("console" | "sh", None) if note.is_empty() => Kind::Commands,
        ("json" | "python" | "rust" | "sql" | "text" | "toml", None) if note.is_empty() => {
            Kind::Shown
        }
        _ => Kind::Unknown(info.to_owned()),
    };
    Fence { line, kind, language: language.to_owned(), text: Vec::new() }
}

impl Fence {
    /// In `console`, a line after `$ ` is a command and the lines below are what it prints; in
    /// `sh`, every line is a command. A command goes on behind a backslash.
    pub(crate) fn examples(&self) -> Vec<Example> {
        let mut examples: Vec<Example> = Vec::new();
        let mut goes_on = false;
        for (line, text) in (self.line..).zip(&self.text) {
            let command = match self.language.as_str() {
                "sh" => Some(text.as_str()).filter(|text| !text.trim().is_empty()),
                _ => text.strip_prefix("$ "),
            };
            match (command, examples.last_mut()) {
                (_, Some(example)) if goes_on => {
                    example.command.push('\n');
                    example.command.push_str(text);
                }
                (Some(command), _) => {
                    let command = command.to_owned();
                    examples.push(Example { line, command, output: Vec::new() });
                }
                (None, Some(example)) => example.output.push(text.trim_end().to_owned()),
                (None, None) => {
                    assert!(text.trim().is_empty(), "line {line}: output of no command");
                }
            }
            goes_on = (goes_on || command.is_some()) && text.ends_with('\\');
        }
        for example in &mut examples {
            while example.output.last().is_some_and(String::is_empty) {
                example.output.pop();
            }
        }
        examples
    }
}

#[test]
fn commands_are_told_from_what_they_print() {
    let page = "a\n```console\n$ one\nx\n\ny\n\n$ two \\\n  more\n```\n```sh\nthree\nfour\n```\n\
                ```console not run: it takes hours\n$ five\n```\n```ruby\n```\n```text\n$ six\n```\n";
    let fences = read(page);
    let kinds: Vec<&Kind> = fences.iter().map(|fence| &fence.kind).collect();
    let hours = Kind::NotRun("it takes hours".to_owned());
    let ruby = Kind::Unknown("ruby".to_owned());
    assert_eq!(kinds, [&Kind::Commands, &Kind::Commands, &hours, &ruby, &Kind::Shown]);
    let example = |line, command: &str, output: &[&str]| Example {
        line,
        command: command.to_owned(),
        output: output.iter().map(|&line| line.to_owned()).collect(),
    };
    let expected = [example(3, "one", &["x", "", "y"]), example(8, "two \\\n  more", &[])];
    assert_eq!(fences[0].examples(), expected);
    assert_eq!(fences[1].examples(), [example(12, "three", &[]), example(13, "four", &[])]);
}
