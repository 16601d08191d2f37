//! The language of the stories: one command a line, read before anything is run.
//!
//! `crates/web/tests/stories/README.md` describes it for those who write stories.

use std::fmt;

use super::{
    parse,
    words::{Line, Words, lines},
};

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
    /// Like `StopServer`, but the server is a process of its own.
    KillServer,
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
    /// No part of it lies outside the element that contains it.
    Inside,
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
        let command = parse::command(&mut words)?;
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

    /// Whether the server must be a process of its own: to be killed, or to see what it spends.
    pub(crate) fn needs_a_process(&self) -> bool {
        self.steps.iter().any(|step| needs_a_process(&step.command))
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

fn needs_a_process(command: &Command) -> bool {
    match command {
        Command::KillServer
        | Command::Expect(Expectation::Idle)
        | Command::Await(Expectation::Idle) => true,
        Command::Meanwhile(command) => needs_a_process(command),
        _ => false,
    }
}

pub(crate) const SIZES: &[(&str, Size)] = &[("desk", Size::Desk), ("phone", Size::Phone)];
pub(crate) const THEMES: &[(&str, Theme)] = &[("light", Theme::Light), ("dark", Theme::Dark)];

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
