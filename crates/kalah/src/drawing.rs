//! Draws a board as text.

use std::fmt::Write;

use crate::Standing;

/// The side of the board that is drawn below.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Below {
    /// That of the side to move.
    Mover,
    /// That of the other side.
    Other,
}

/// Draws a board. `notes` are printed below the pits of the side to move; a missing note is blank.
///
/// ```
/// let standing: kalah::Standing = "4,0,5/3,1,2/1-0".parse()?;
/// let notes = [Some("+2".into()), None, Some("-1".into())];
/// assert_eq!(format!("\n{}", kalah::drawing::board(&standing, &notes)), "
///        3    2    1
///     ┌────┬────┬────┐
///   0 │  2 │  1 │  3 │
///     ├────┼────┼────┤
///     │  4 │  0 │  5 │ 1
///     └────┴────┴────┘
///        1    2    3
///       +2        -1
/// ");
/// # Ok::<(), kalah::ParsePositionError>(())
/// ```
pub fn board(standing: &Standing, notes: &[Option<String>]) -> String {
    board_from(standing, Below::Mover, notes)
}

/// Draws a board with either side below, so that it can stay where it is when the turn passes.
/// `notes` are printed at the pits of the side to move.
///
/// ```
/// use kalah::drawing::{Below, board_from};
///
/// let standing: kalah::Standing = "4,0,5/3,1,2/1-0".parse()?;
/// let notes = [Some("+2".into()), None, Some("-1".into())];
/// assert_eq!(format!("\n{}", board_from(&standing, Below::Other, &notes)), "
///       -1        +2
///        3    2    1
///     ┌────┬────┬────┐
///   1 │  5 │  0 │  4 │
///     ├────┼────┼────┤
///     │  3 │  1 │  2 │ 0
///     └────┴────┴────┘
///        1    2    3
/// ");
/// # Ok::<(), kalah::ParsePositionError>(())
/// ```
pub fn board_from(standing: &Standing, below: Below, notes: &[Option<String>]) -> String {
    let position = &standing.position;
    let (mover, other) = (position.own().pits(), position.other().pits());
    let stores = standing.stores.map_or((String::new(), String::new()), |(own, other)| {
        (own.to_string(), other.to_string())
    });
    let (low, high, low_store, high_store) = match below {
        Below::Mover => (mover, other, stores.0, stores.1),
        Below::Other => (other, mover, stores.1, stores.0),
    };
    let pits = low.len();
    let rule =
        |left, middle, right| format!("    {left}{}{right}\n", vec!["────"; pits].join(middle));
    let row = |pits: &mut dyn Iterator<Item = &u8>| {
        pits.fold(String::from("│"), |row, seeds| format!("{row} {seeds:>2} │"))
    };
    let words = |words: &mut dyn Iterator<Item = String>| {
        let line = words.fold(String::from("    "), |line, word| format!("{line} {word:>3} "));
        format!("{}\n", line.trim_end())
    };
    let note = |pit: usize| notes.get(pit).cloned().flatten().unwrap_or_default();
    let has_notes = notes.iter().any(Option::is_some);
    let mut text = String::new();
    if has_notes && below == Below::Other {
        text += &words(&mut (0..pits).rev().map(note));
    }
    text += &words(&mut (1..=pits).rev().map(|number| number.to_string()));
    text += &rule("┌", "┬", "┐");
    let _ = writeln!(text, "{high_store:>3} {}", row(&mut high.iter().rev()));
    text += &rule("├", "┼", "┤");
    let _ = writeln!(text, "{}", format!("    {} {low_store}", row(&mut low.iter())).trim_end());
    text += &rule("└", "┴", "┘");
    text += &words(&mut (1..=pits).map(|number| number.to_string()));
    if has_notes && below == Below::Mover {
        text += &words(&mut (0..pits).map(note));
    }
    text
}
