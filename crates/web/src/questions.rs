//! The questions of the demo, to all of its results together.

/// A question in words and as a statement.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// A word for it, also the name of its files.
    pub name: &'static str,
    /// The question in words.
    pub words: &'static str,
    /// The statement; `DEMO` stands for the directory with the files of the demo.
    pub statement: &'static str,
}

/// The questions of the demo.
pub const QUESTIONS: [Question; 3] = [
    Question {
        name: "mates",
        words: "How often is there a mate in one, and is it played?",
        statement: include_str!("questions/mates.sql"),
    },
    Question {
        name: "choices",
        words: "How many choices are there, from the start of a game to its end?",
        statement: include_str!("questions/choices.sql"),
    },
    Question {
        name: "first",
        words: "Is it an advantage to move first?",
        statement: include_str!("questions/first.sql"),
    },
];
