//! The examples of `--help` are command lines that this program takes.

use clap::{CommandFactory, Parser};

use crate::Cli;

#[test]
fn examples_of_every_command_are_understood() {
    let mut examples = Vec::new();
    collect(&Cli::command(), &mut examples);
    assert!(examples.len() > 100, "{}", examples.len());
    for example in examples {
        for words in commands(&example) {
            if let Err(error) = Cli::try_parse_from(&words) {
                panic!("{example}: {words:?}: {error}");
            }
        }
    }
}

#[test]
fn every_command_has_its_counterpart_in_python_or_a_reason() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/python.md");
    let page = std::fs::read_to_string(page).expect("the page on Python");
    let rows = page.lines().filter_map(|line| {
        let (command, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((command, rest.strip_suffix(" |")?))
    });
    let rows: Vec<(&str, &str)> = rows.collect();
    let commands = names(&Cli::command(), &mut Vec::new());
    assert!(commands.len() > 40, "{commands:?}");
    for command in commands {
        let mut found = rows.iter().filter(|(name, _)| *name == command);
        let (Some((_, counterpart)), None) = (found.next(), found.next()) else {
            panic!("docs/python.md has not one row for {command}");
        };
        // A test of Python looks for each of these names.
        let is_name = counterpart.starts_with('`') && counterpart.contains('.');
        let has_reason = counterpart.strip_prefix("none: ").is_some_and(|why| why.len() > 10);
        assert!(is_name || has_reason, "{command}: {counterpart}");
    }
}

/// The names of all commands that do something.
fn names(command: &clap::Command, above: &mut Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        above.push(below.get_name().to_owned());
        if below.has_subcommands() {
            all.extend(names(below, above));
        } else {
            all.push(above.join(" "));
        }
        above.pop();
    }
    all
}

/// The lines with examples of a command and all below it.
fn collect(command: &clap::Command, examples: &mut Vec<String>) {
    let texts = [command.get_after_help(), command.get_after_long_help()];
    for text in texts.into_iter().flatten().map(ToString::to_string) {
        let lines =
            text.lines().filter(|line| line.starts_with("  ") && line.contains("everyply "));
        examples.extend(lines.map(|line| line.trim().to_owned()));
    }
    for command in command.get_subcommands() {
        collect(command, examples);
    }
}

/// The words of each call of ours in a line for the shell: what stands between pipes, without
/// variables before it, files it goes to, and remarks two or more blanks behind it.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut words = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut blanks = 0;
    for sign in line.chars() {
        match (quote, sign) {
            (Some(open), sign) if sign == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, ' ') => {
                blanks += 1;
                words.last_mut().expect("a call").extend(word.take());
                if blanks == 2 {
                    break;
                }
                continue;
            }
            (None, '|') => words.push(Vec::new()),
            _ => word.get_or_insert_default().push(sign),
        }
        blanks = 0;
    }
    words.last_mut().expect("a call").extend(word);
    for call in &mut words {
        let end = call.iter().position(|word| word == ">").unwrap_or(call.len());
        call.truncate(end);
        let start = call.iter().position(|word| word == "everyply").unwrap_or(call.len());
        call.drain(..start);
    }
    words.retain(|call| !call.is_empty());
    words
}

#[test]
fn lines_are_cut_like_a_shell_cuts_them() {
    let cases: [(&str, &[&[&str]]); 5] = [
        ("everyply demo", &[&["everyply", "demo"]]),
        ("everyply a 'b c' \"d 'e'\"", &[&["everyply", "a", "b c", "d 'e'"]]),
        ("X=1 everyply a > ~/b", &[&["everyply", "a"]]),
        ("zcat x | everyply a - | everyply b", &[&["everyply", "a", "-"], &["everyply", "b"]]),
        ("everyply a ''   what it does", &[&["everyply", "a", ""]]),
    ];
    for (line, expected) in cases {
        assert_eq!(commands(line), expected, "{line}");
    }
}
