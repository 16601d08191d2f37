//! The language of the stories: one command a line, read before anything is run.
//!
//! `crates/web/tests/stories/README.md` describes it for those who write stories.

use std::fmt;

use super::words::{Line, Words, lines};

/// A file of commands and the ways in which to run it.
#[derive(Debug)]
pub(crate) struct Story {
    /// The name of the file without its end.
    pub(crate) name: String,
    pub(crate) inputs: Vec<Input>,
    pub(crate) sizes: Vec<Size>,
    pub(crate) themes: Vec<Theme>,
    pub(crate) steps: Vec<Step>,
}

/// One way to run a story.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Way {
    pub(crate) input: Input,
    pub(crate) size: Size,
    pub(crate) theme: Theme,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Input {
    Mouse,
    Keyboard,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Size {
    Desk,
    Phone,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

/// A command and where it stands.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) command: Command,
}

/// What a line does.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Open(String),
    Resize(Size),
    Theme(Theme),
    Click {
        target: Target,
        holding: Option<String>,
    },
    DoubleClick(Target),
    RightClick(Target),
    Press {
        keys: String,
        times: usize,
    },
    Type {
        text: String,
        into: Option<Target>,
    },
    Fill {
        target: Target,
        text: String,
    },
    Choose {
        option: String,
        of: Target,
    },
    Drag {
        from: Target,
        to: Target,
    },
    Drop {
        file: String,
        on: Target,
    },
    Upload {
        file: String,
        to: Target,
    },
    Hover(Target),
    TabTo(Target),
    Scroll {
        target: Target,
        to: f64,
    },
    Expect(Expectation),
    Await(Expectation),
    Remember {
        name: String,
        what: Remembered,
    },
    Reload,
    Back,
    Forward,
    NewTab,
    CloseTab,
    StopServer,
    StartServer,
    Allow(String),
    Accessible,
    Shot {
        name: String,
        of: Option<Target>,
    },
    /// Done without waiting until the page is settled.
    Meanwhile(Box<Command>),
}

/// What must be true once the page is settled.
#[derive(Debug, PartialEq)]
pub(crate) enum Expectation {
    Count { at_least: usize, at_most: usize, target: Target },
    Property { target: Target, property: Property, pattern: Pattern },
    State { target: Target, state: State },
    Url(Pattern),
    Title(Pattern),
    Clipboard(Pattern),
    Download { name: Pattern, text: Option<Pattern> },
    Picture { target: Target, of: String, is_same: bool },
    Fits,
    Idle,
}

/// Something of an element that is text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Property {
    Text,
    Value,
    Name,
    Attribute(String),
    Style(String),
}

/// Something of an element that is true or false.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    Focused,
    Enabled,
    Disabled,
    Checked,
    Unchecked,
    Visible,
}

/// What a story keeps to compare with later.
#[derive(Debug, PartialEq)]
pub(crate) enum Remembered {
    Of(Target, Property),
    Url,
    Picture(Target),
}

/// One or several elements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// Which of them, from 1.
    pub(crate) number: Option<usize>,
    pub(crate) within: Option<Box<Target>>,
}

/// How elements are found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// By the attribute `data-id`.
    Id(String),
    /// By role and accessible name, as Chromium computes them.
    Role(String, Option<Pattern>),
    /// The innermost elements with this text.
    Text(Pattern),
    Css(String),
}

/// Text in which `*` stands for any text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern(pub(crate) String);

impl Story {
    /// Reads a story, or says in which line it is wrong.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut story = Story {
            name: name.to_owned(),
            inputs: vec![Input::Mouse],
            sizes: vec![Size::Desk],
            themes: vec![Theme::Light],
            steps: Vec::new(),
        };
        for line in lines(text) {
            let line = line.map_err(|(number, error)| format!("line {number}: {error}"))?;
            story.read(&line).map_err(|error| format!("line {}: {error}", line.number))?;
        }
        if story.steps.is_empty() {
            return Err("the story is empty".to_owned());
        }
        Ok(story)
    }

    fn read(&mut self, line: &Line) -> Result<(), String> {
        let mut words = Words::of(line);
        if words.take("run") {
            if !self.steps.is_empty() {
                return Err("`run` belongs above the first command".to_owned());
            }
            return self.read_ways(&mut words);
        }
        let command = command(&mut words)?;
        words.end()?;
        self.steps.push(Step { line: line.number, text: line.text.clone(), command });
        Ok(())
    }

    fn read_ways(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        match words.word()? {
            "by" => {
                self.inputs =
                    words.list(&[("mouse", Input::Mouse), ("keyboard", Input::Keyboard)])?;
            }
            "at" => self.sizes = words.list(SIZES)?,
            "in" => self.themes = words.list(THEMES)?,
            word => return Err(format!("`run {word}`: expected by, at or in")),
        }
        words.end()
    }

    /// Whether it asks if the process is idle.
    pub(crate) fn looks_at_the_process(&self) -> bool {
        self.steps.iter().any(|step| {
            matches!(
                &step.command,
                Command::Expect(Expectation::Idle) | Command::Await(Expectation::Idle)
            )
        })
    }

    /// Every combination of the ways.
    pub(crate) fn ways(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for &input in &self.inputs {
            for &size in &self.sizes {
                ways.extend(self.themes.iter().map(|&theme| Way { input, size, theme }));
            }
        }
        ways
    }
}

const SIZES: &[(&str, Size)] = &[("desk", Size::Desk), ("phone", Size::Phone)];
const THEMES: &[(&str, Theme)] = &[("light", Theme::Light), ("dark", Theme::Dark)];

impl Size {
    /// Width and height in pixels.
    pub(crate) fn pixels(self) -> (u32, u32) {
        match self {
            Size::Desk => (1440, 900),
            Size::Phone => (390, 844),
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = match self.input {
            Input::Mouse => "mouse",
            Input::Keyboard => "keyboard",
        };
        let size = SIZES.iter().find(|(_, size)| *size == self.size).map_or("", |(name, _)| name);
        let theme =
            THEMES.iter().find(|(_, theme)| *theme == self.theme).map_or("", |(name, _)| name);
        write!(f, "{input}, {size}, {theme}")
    }
}

fn command(words: &mut Words<'_>) -> Result<Command, String> {
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
            "start" => Command::StartServer,
            word => return Err(format!("`server {word}`: expected stop or start")),
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
    use super::*;

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
