//! What a person types, word by word.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::interrupt;

/// Words typed and not used yet, the last first.
#[derive(Default)]
pub struct Words {
    waiting: Vec<String>,
}

impl Words {
    /// The next word of a line that was typed already.
    pub fn waiting(&mut self) -> Option<String> {
        self.waiting.pop()
    }

    /// The next word, asked for if a person types; nothing when the input has ended or Ctrl-C was
    /// pressed.
    pub fn next(&mut self, out: &mut impl Write, ask: &str) -> io::Result<Option<String>> {
        while self.waiting.is_empty() {
            if io::stdin().is_terminal() {
                write!(out, "{ask}> ")?;
                out.flush()?;
            }
            let mut line = Vec::new();
            if io::stdin().lock().read_until(b'\n', &mut line)? == 0 || interrupt::requested() {
                return Ok(None);
            }
            // What is no UTF-8 is no word that anybody knows, and is answered like one.
            let line = String::from_utf8_lossy(&line);
            self.waiting = line.split_whitespace().rev().map(str::to_owned).collect();
        }
        Ok(self.waiting.pop())
    }
}
