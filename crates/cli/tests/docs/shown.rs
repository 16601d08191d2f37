//! Whether what was printed is what a page shows.

/// Any number of lines.
const LINES: &str = "...";
/// Anything inside a line, for what differs from run to run.
const ANYTHING: char = '…';

/// Whether the lines that were printed are those shown: a line `...` stands for any lines, a `…`
/// inside a line for any text.
pub(crate) fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&LINES, rest)) => (0..=printed.len()).any(|from| matches(rest, &printed[from..])),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(found, others)| line_matches(line, found) && matches(rest, others)),
    }
}

fn line_matches(shown: &str, printed: &str) -> bool {
    let Some((start, rest)) = shown.split_once(ANYTHING) else { return shown == printed };
    let Some(printed) = printed.strip_prefix(start) else { return false };
    let ends = (0..=printed.len()).filter(|&end| printed.is_char_boundary(end));
    ends.into_iter().any(|end| line_matches(rest, &printed[end..]))
}

#[test]
fn marks_stand_for_lines_and_for_parts_of_them() {
    let cases: [(&[&str], &[&str], bool); 8] = [
        (&["a", "b"], &["a", "b"], true),
        (&["a"], &["a", "b"], false),
        (&["a", "..."], &["a", "b", "c"], true),
        (&["...", "c"], &["a", "b", "c"], true),
        (&["a", "...", "c"], &["a", "c"], true),
        (&["...", "b"], &["a", "c"], false),
        (&["took … s, … rows"], &["took 0.25 s, 7 rows"], true),
        (&["took … s"], &["took 0.25 s or more"], false),
    ];
    for (shown, printed, expected) in cases {
        assert_eq!(matches(shown, printed), expected, "{shown:?} {printed:?}");
    }
}
