//! What a person says during a game, and what is said to them.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use kalah::{Pit, Ply, Record};
use kalah_answers::Reviewed;
use solver::search::Between;

use crate::prompt::Words;

/// What a person says.
pub(super) enum Said {
    Sow(u16),
    Hint,
    Undo,
    Values,
    Record,
    Review,
    Save(PathBuf),
    Help,
    Quit,
}

pub(super) const HELP: &str =
    "the number of a pit, hint, undo, values, record, review, save FILE, help, quit";

/// Reads input until it makes sense.
pub(super) fn listen(words: &mut Words, out: &mut impl Write, record: &Record) -> io::Result<Said> {
    loop {
        let ask = if record.totals().is_some() { "over" } else { "pit" };
        let Some(word) = words.next(out, ask)? else { return Ok(Said::Quit) };
        match word.as_str() {
            "hint" | "h" => return Ok(Said::Hint),
            "undo" | "u" => return Ok(Said::Undo),
            "values" => return Ok(Said::Values),
            "record" => return Ok(Said::Record),
            "review" => return Ok(Said::Review),
            "help" | "?" => return Ok(Said::Help),
            "quit" | "q" => return Ok(Said::Quit),
            "save" => match words.waiting() {
                Some(path) => return Ok(Said::Save(path.into())),
                None => {
                    writeln!(out, "save: expected a file name")?;
                    continue;
                }
            },
            _ => {}
        }
        let pit = word.parse::<u16>().ok();
        let mut legal = record.kalah().moves(&record.last().position).map(Pit::number);
        match legal.find(|number| Some(*number) == pit) {
            Some(number) => return Ok(Said::Sow(number)),
            None => {
                let word = word.escape_debug();
                writeln!(out, "'{word}' is not a pit that can be sown; 'help' lists the words")?;
            }
        }
    }
}

/// How the game ends with best play, in words.
pub(super) fn prospect(ply: &Ply, between: Between) -> String {
    let lead = |lead: i32| match lead {
        0 => "the game is a draw".to_owned(),
        lead if lead > 0 => format!("player 1 wins by {lead}"),
        lead => format!("player 2 wins by {}", -lead),
    };
    match between.value() {
        Some(score) => format!("with best play {}", lead(ply.lead(score))),
        None => {
            let (least, most) = (ply.lead(between.least), ply.lead(between.most));
            let (least, most) = (least.min(most), least.max(most));
            format!("with best play player 1 leads by {least} to {most}; no more was found in time")
        }
    }
}

/// What each move gave away.
pub(super) fn review(out: &mut impl Write, record: &Record, judged: &[Reviewed]) -> io::Result<()> {
    if judged.is_empty() {
        return writeln!(out, "nothing was played yet");
    }
    for ((number, ply), (pit, judged)) in
        (1..).zip(record.plies()).zip(record.pits().iter().zip(judged))
    {
        let gave = match (judged.gave, judged.answer.best) {
            (Some(0), _) => "a best move".to_owned(),
            (Some(gave), Some(best)) => format!("gave {gave} away; best was pit {}", best.0),
            _ => "not judged in time".to_owned(),
        };
        writeln!(out, "{number:>3}. player {} sows pit {pit}: {gave}", ply.mover + 1)?;
    }
    Ok(())
}
