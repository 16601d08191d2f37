//! Extended Position Description: a position and named operations about it.

use std::{fmt, str::FromStr};

use crate::{
    FenError, Move, Position, San, SanError, Setup,
    fen::{Fields, castling_letter, shown},
};

/// A position with operations, such as `bm Nf3; id "example";`.
///
/// The opcodes `hmvc` and `fmvn` are the position's counters and become part of it. A line
/// may also hold the counters as the two last fields of a FEN, and operations may be
/// introduced by a semicolon, as perft suites write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The position.
    pub position: Position,
    /// What is said about it, in the order of the line.
    pub operations: Vec<Operation>,
}

/// An opcode and its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// For example `bm`, `id` or `D5`.
    pub opcode: String,
    /// What follows it.
    pub operands: Vec<Operand>,
}

/// One operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A text in quotation marks.
    Text(String),
    /// A move, a number or another word.
    Word(String),
}

impl Operand {
    /// The text or word.
    pub fn as_str(&self) -> &str {
        match self {
            Operand::Text(text) | Operand::Word(text) => text,
        }
    }
}

/// Why a line is not EPD.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// The position is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// An operation whose name is none.
    #[error("operation '{0}' does not begin with a letter")]
    Opcode(String),
    /// A quotation mark without its pair.
    #[error("operation {0}: text without closing quotation mark")]
    Unclosed(String),
    /// A counter that is not a small number.
    #[error("operation {opcode}: '{found}', expected a number up to 65535")]
    Counter {
        /// `hmvc` or `fmvn`.
        opcode: String,
        /// What stands there.
        found: String,
    },
}

impl Epd {
    /// Reads a line.
    pub fn from_line(line: &[u8]) -> Result<Epd, EpdError> {
        let mut fields = Fields(line);
        let mut setup = fields.setup()?;
        take_counters(&mut fields, &mut setup);
        let mut operations = Vec::new();
        let mut rest = fields.0;
        while let Some(operation) = take_operation(&mut rest)? {
            match operation.opcode.as_str() {
                "hmvc" => setup.halfmoves = counter(&operation)?,
                "fmvn" => setup.fullmoves = counter(&operation)?,
                _ => operations.push(operation),
            }
        }
        Ok(Epd { position: Position::new(setup).map_err(FenError::from)?, operations })
    }

    /// The operands of the first operation with this opcode.
    pub fn operands(&self, opcode: &str) -> Option<&[Operand]> {
        let operation = self.operations.iter().find(|operation| operation.opcode == opcode)?;
        Some(&operation.operands)
    }

    /// The operands of an opcode such as `bm` or `am` as moves of the position.
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, SanError> {
        let operands = self.operands(opcode).unwrap_or_default();
        operands
            .iter()
            .map(|operand| operand.as_str().parse::<San>()?.find(&self.position))
            .collect()
    }
}

/// A FEN's two counters, if the next two words are numbers. No operation begins with a digit, so
/// they cannot be taken for one.
fn take_counters(fields: &mut Fields<'_>, setup: &mut Setup) {
    let mut ahead = fields.0;
    let mut number = || {
        let text = ahead.trim_ascii_start();
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = text.split_at(digits);
        if rest.first().is_some_and(|b| !b.is_ascii_whitespace() && *b != b';') {
            return None;
        }
        ahead = rest;
        std::str::from_utf8(number).ok()?.parse::<u16>().ok()
    };
    if let (Some(halfmoves), Some(fullmoves)) = (number(), number()) {
        setup.halfmoves = halfmoves;
        setup.fullmoves = fullmoves;
        fields.0 = ahead;
    }
}

fn counter(operation: &Operation) -> Result<u16, EpdError> {
    let words: Vec<&str> = operation.operands.iter().map(Operand::as_str).collect();
    let text = words.join(" ");
    text.parse().map_err(|_| EpdError::Counter {
        opcode: operation.opcode.clone(),
        found: shown(text.as_bytes()),
    })
}

fn take_operation(rest: &mut &[u8]) -> Result<Option<Operation>, EpdError> {
    let mut opcode = None;
    let mut operands = Vec::new();
    loop {
        *rest = rest.trim_ascii_start();
        match *rest {
            // An operation without an opcode is nothing: skip stray semicolons.
            [b';', tail @ ..] => {
                *rest = tail;
                if opcode.is_some() {
                    break;
                }
            }
            [b'"', tail @ ..] if opcode.is_some() => {
                let Some(end) = memchr::memchr(b'"', tail) else {
                    let opcode: String = opcode.unwrap_or_default();
                    return Err(EpdError::Unclosed(shown(opcode.as_bytes())));
                };
                operands.push(Operand::Text(String::from_utf8_lossy(&tail[..end]).into_owned()));
                *rest = &tail[end + 1..];
            }
            [] => break,
            text => {
                // A quotation mark ends a word, so that every word can be written back as it was.
                let ends = |b: &u8| b.is_ascii_whitespace() || matches!(b, b';' | b'"');
                let end = 1 + text[1..].iter().position(ends).unwrap_or(text.len() - 1);
                let word = String::from_utf8_lossy(&text[..end]).into_owned();
                *rest = &text[end..];
                match opcode {
                    None if !text[0].is_ascii_alphabetic() => {
                        return Err(EpdError::Opcode(shown(word.as_bytes())));
                    }
                    None => opcode = Some(word),
                    Some(_) => operands.push(Operand::Word(word)),
                }
            }
        }
    }
    Ok(opcode.map(|opcode| Operation { opcode, operands }))
}

impl FromStr for Epd {
    type Err = EpdError;

    fn from_str(line: &str) -> Result<Epd, EpdError> {
        Epd::from_line(line.as_bytes())
    }
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = String::new();
        self.position.write_epd_fields(&mut fields, castling_letter);
        f.write_str(&fields)?;
        if self.position.halfmoves() != 0 {
            write!(f, " hmvc {};", self.position.halfmoves())?;
        }
        if self.position.fullmoves() != 1 {
            write!(f, " fmvn {};", self.position.fullmoves())?;
        }
        for Operation { opcode, operands } in &self.operations {
            write!(f, " {opcode}")?;
            for operand in operands {
                match operand {
                    Operand::Text(text) => write!(f, " \"{text}\"")?,
                    Operand::Word(word) => write!(f, " {word}")?,
                }
            }
            f.write_str(";")?;
        }
        Ok(())
    }
}
