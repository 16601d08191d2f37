//! Draws a board as text, with the side to move below.

use std::fmt::Write;

use crate::Standing;

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
    let position = &standing.position;
    let (own, other) = (position.own().pits(), position.other().pits());
    let pits = own.len();
    let stores = standing.stores.map_or((String::new(), String::new()), |(own, other)| {
        (own.to_string(), other.to_string())
    });
    let rule =
        |left, middle, right| format!("    {left}{}{right}\n", vec!["────"; pits].join(middle));
    let row = |pits: &mut dyn Iterator<Item = &u8>| {
        pits.fold(String::from("│"), |row, seeds| format!("{row} {seeds:>2} │"))
    };
    let numbers = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers.fold(String::from("    "), |line, number| format!("{line} {number:>3} "))
    };
    let mut text = String::new();
    let _ = writeln!(text, "{}", numbers(&mut (1..=pits).rev()).trim_end());
    text += &rule("┌", "┬", "┐");
    let _ = writeln!(text, "{:>3} {}", stores.1, row(&mut other.iter().rev()));
    text += &rule("├", "┼", "┤");
    let _ = writeln!(text, "{}", format!("    {} {}", row(&mut own.iter()), stores.0).trim_end());
    text += &rule("└", "┴", "┘");
    let _ = writeln!(text, "{}", numbers(&mut (1..=pits)).trim_end());
    if notes.iter().any(Option::is_some) {
        let line = notes.iter().fold(String::from("    "), |line, note| {
            format!("{line} {:>3} ", note.as_deref().unwrap_or(""))
        });
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
