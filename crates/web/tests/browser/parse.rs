//! The lines of a story as commands.

use super::{
    story::{Command, Expectation, Kind, Property, Remembered, SIZES, State, THEMES, Target},
    words::Words,
};

/// Reads a command.
pub(crate) fn command(words: &mut Words<'_>) -> Result<Command, String> {
    Ok(match words.word()? {
        "open" => Command::Open(words.string()?),
        "size" => Command::Resize(words.one_of(SIZES)?),
        "theme" => Command::Theme(words.one_of(THEMES)?),
        "click" => {
            let target = target(words)?;
            let holding = words.take("holding").then(|| words.word().map(str::to_owned));
            Command::Click { target, holding: holding.transpose()? }
        }
        "double" => {
            words.require("click")?;
            Command::DoubleClick(target(words)?)
        }
        "right" => {
            words.require("click")?;
            Command::RightClick(target(words)?)
        }
        "press" => press(words)?,
        "type" => {
            let text = words.string()?;
            let into = words.take("into").then(|| target(words)).transpose()?;
            Command::Type { text, into }
        }
        "fill" => Command::Fill { target: target(words)?, text: words.string()? },
        "choose" => {
            let option = words.string()?;
            words.require("of")?;
            Command::Choose { option, of: target(words)? }
        }
        "drag" => {
            let from = target(words)?;
            words.require("to")?;
            Command::Drag { from, to: target(words)? }
        }
        "drop" => {
            let file = words.string()?;
            words.require("on")?;
            Command::Drop { file, on: target(words)? }
        }
        "upload" => {
            let file = words.string()?;
            words.require("to")?;
            Command::Upload { file, to: target(words)? }
        }
        "hover" => Command::Hover(target(words)?),
        "tab" => {
            words.require("to")?;
            Command::TabTo(target(words)?)
        }
        "scroll" => {
            let target = target(words)?;
            words.require("to")?;
            Command::Scroll { target, to: words.number()? }
        }
        "expect" => Command::Expect(expectation(words)?),
        "await" => Command::Await(expectation(words)?),
        "remember" => {
            let name = words.word()?.to_owned();
            words.require("as")?;
            Command::Remember { name, what: remembered(words)? }
        }
        "reload" => Command::Reload,
        "back" => Command::Back,
        "forward" => Command::Forward,
        "new" => {
            words.require("tab")?;
            Command::NewTab
        }
        "close" => {
            words.require("tab")?;
            Command::CloseTab
        }
        "server" => match words.word()? {
            "stop" => Command::StopServer,
            "kill" => Command::KillServer,
            "start" => Command::StartServer,
            word => return Err(format!("`server {word}`: expected stop, kill or start")),
        },
        "allow" => Command::Allow(words.string()?),
        "accessible" => Command::Accessible,
        "meanwhile" => Command::Meanwhile(Box::new(command(words)?)),
        "shot" => {
            let name = words.word()?.to_owned();
            let of = words.take("of").then(|| target(words)).transpose()?;
            Command::Shot { name, of }
        }
        word => return Err(format!("unknown command `{word}`")),
    })
}

fn press(words: &mut Words<'_>) -> Result<Command, String> {
    let keys = words.word()?.to_owned();
    let times = match words.is_empty() {
        true => 1,
        false => {
            let times = words.count()?;
            words.require("times")?;
            times
        }
    };
    Ok(Command::Press { keys, times })
}

fn remembered(words: &mut Words<'_>) -> Result<Remembered, String> {
    if words.take("url") {
        return Ok(Remembered::Url);
    }
    if words.take("picture") {
        words.require("of")?;
        return Ok(Remembered::Picture(target(words)?));
    }
    let property = property(words)?.ok_or("expected url, picture, text, value, name or has")?;
    words.require("of")?;
    Ok(Remembered::Of(target(words)?, property))
}

fn property(words: &mut Words<'_>) -> Result<Option<Property>, String> {
    Ok(Some(match words.peek() {
        Some("text") => words.skip(Property::Text),
        Some("value") => words.skip(Property::Value),
        Some("name") => words.skip(Property::Name),
        Some("has") => {
            words.require("has")?;
            Property::Attribute(words.word()?.to_owned())
        }
        Some("style") => {
            words.require("style")?;
            Property::Style(words.word()?.to_owned())
        }
        _ => return Ok(None),
    }))
}

const STATES: &[(&str, State)] = &[
    ("focused", State::Focused),
    ("enabled", State::Enabled),
    ("disabled", State::Disabled),
    ("checked", State::Checked),
    ("unchecked", State::Unchecked),
    ("visible", State::Visible),
    ("inside", State::Inside),
];

fn expectation(words: &mut Words<'_>) -> Result<Expectation, String> {
    if words.take("url") {
        return Ok(Expectation::Url(words.pattern()?));
    }
    if words.take("title") {
        return Ok(Expectation::Title(words.pattern()?));
    }
    if words.take("clipboard") {
        return Ok(Expectation::Clipboard(words.pattern()?));
    }
    if words.take("download") {
        let name = words.pattern()?;
        let text = (!words.is_empty()).then(|| words.pattern()).transpose()?;
        return Ok(Expectation::Download { name, text });
    }
    if words.take("fits") {
        return Ok(Expectation::Fits);
    }
    if words.take("idle") {
        return Ok(Expectation::Idle);
    }
    if words.take("no") {
        return Ok(Expectation::Count { at_least: 0, at_most: 0, target: target(words)? });
    }
    if words.take("at") {
        words.require("least")?;
        let at_least = words.count()?;
        return Ok(Expectation::Count { at_least, at_most: usize::MAX, target: target(words)? });
    }
    if words.peek().is_some_and(|word| word.parse::<usize>().is_ok()) {
        let count = words.count()?;
        return Ok(Expectation::Count { at_least: count, at_most: count, target: target(words)? });
    }
    let target = target(words)?;
    if words.is_empty() {
        return Ok(Expectation::State { target, state: State::Visible });
    }
    if let Some(property) = property(words)? {
        return Ok(Expectation::Property { target, property, pattern: words.pattern()? });
    }
    if words.peek().is_some_and(|word| ["same", "unlike"].contains(&word)) {
        let is_same = words.word()? == "same";
        return Ok(Expectation::Picture { target, of: words.word()?.to_owned(), is_same });
    }
    Ok(Expectation::State { target, state: words.one_of(STATES)? })
}

fn target(words: &mut Words<'_>) -> Result<Target, String> {
    let kind = match words.word()? {
        "css" => Kind::Css(words.string()?),
        "text" => Kind::Text(words.pattern()?),
        word => match word.strip_prefix('@') {
            Some(id) => Kind::Id(id.to_owned()),
            None => {
                let name = words.is_string().then(|| words.pattern()).transpose()?;
                Kind::Role(role(word)?, name)
            }
        },
    };
    let number = words.peek().and_then(|word| word.strip_prefix('#')).map(str::parse);
    let number = match number {
        Some(number) => words.skip(Some(number.map_err(|_| "a number follows #")?)),
        None => None,
    };
    let within = words.take("in").then(|| target(words).map(Box::new)).transpose()?;
    Ok(Target { kind, number, within })
}

/// The roles by which stories name elements; a short list finds slips of the pen.
const ROLES: &[&str] = &[
    "alert",
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "combobox",
    "dialog",
    "grid",
    "gridcell",
    "group",
    "heading",
    "image",
    "link",
    "list",
    "listbox",
    "listitem",
    "main",
    "menuitem",
    "meter",
    "navigation",
    "note",
    "option",
    "progressbar",
    "radio",
    "region",
    "row",
    "searchbox",
    "slider",
    "spinbutton",
    "status",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "textbox",
    "toolbar",
    "tree",
    "treeitem",
];

fn role(word: &str) -> Result<String, String> {
    match ROLES.contains(&word) {
        true => Ok(word.to_owned()),
        false => {
            Err(format!("`{word}` is no target: write a role with a name, @data-id, text or css"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::story::{Pattern, Story, Way},
        *,
    };

    fn only(line: &str) -> Command {
        let mut story = Story::parse("x", line).unwrap();
        assert_eq!(story.steps.len(), 1);
        story.steps.remove(0).command
    }

    #[test]
    fn commands_are_read() {
        let run = Target {
            kind: Kind::Role("button".to_owned(), Some(Pattern("Run".to_owned()))),
            number: None,
            within: None,
        };
        assert_eq!(
            only("click button \"Run\""),
            Command::Click { target: run.clone(), holding: None }
        );
        let second = Target { number: Some(2), ..run };
        let within = Target { kind: Kind::Id("cell".to_owned()), number: None, within: None };
        let expected = Target { within: Some(Box::new(within)), ..second };
        let Command::Click { target, holding } =
            only("click button \"Run\" #2 in @cell holding Shift")
        else {
            panic!("a click")
        };
        assert_eq!((target, holding.as_deref()), (expected, Some("Shift")));
        assert_eq!(
            only("press Ctrl+Enter 3 times"),
            Command::Press { keys: "Ctrl+Enter".to_owned(), times: 3 }
        );
        let Command::Expect(Expectation::Count { at_least: 2, at_most: 2, .. }) =
            only("expect 2 row")
        else {
            panic!("a count")
        };
        let Command::Await(Expectation::Property { property, pattern, .. }) =
            only("await @sum has aria-label \"5 *\"")
        else {
            panic!("a property")
        };
        assert_eq!(property, Property::Attribute("aria-label".to_owned()));
        assert_eq!(pattern, Pattern("5 *".to_owned()));
    }

    #[test]
    fn every_combination_of_ways_is_run() {
        let text = "run by mouse, keyboard\nrun at desk, phone\nrun in dark\nreload\n";
        let story = Story::parse("x", text).unwrap();
        let ways: Vec<String> = story.ways().iter().map(Way::to_string).collect();
        let expected = [
            "mouse, desk, dark",
            "mouse, phone, dark",
            "keyboard, desk, dark",
            "keyboard, phone, dark",
        ];
        assert_eq!(ways, expected);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, expected) in [
            ("", "the story is empty"),
            ("# nothing\n\njump", "line 3: unknown command `jump`"),
            ("click", "line 1: something is missing at the end"),
            ("click buton \"Run\"", "line 1: `buton` is no target"),
            ("click @a b", "line 1: `b` is not expected"),
            ("open \"/x", "line 1: a string is not closed"),
            ("reload\nrun by mouse", "line 2: `run` belongs above"),
            ("run by foot", "line 1: `foot`: expected mouse or keyboard"),
            ("press Enter x times", "line 1: `x` is no number"),
        ] {
            let error = Story::parse("x", text).unwrap_err();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }
}
