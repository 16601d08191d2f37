//! Texts cut into statements.

use datafusion::sql::parser;

use crate::{Guard, SqlError};

/// A parsed statement; it may still fail when it runs.
#[derive(Clone, Debug)]
pub struct Statement(pub(crate) parser::Statement);

/// The statements of a text, separated by semicolons. All are read before any is run, so a
/// mistake in the last one does not leave half of the work done. The bounds on the text are those
/// of a [`Guard`] by default.
pub fn statements(text: &str) -> Result<Vec<Statement>, SqlError> {
    Guard::default().read(text)
}

/// Whether what has been typed so far ends with the semicolon of a statement, not with one inside
/// a text, a name or a comment.
pub fn is_complete(text: &str) -> bool {
    let mut rest = text;
    let mut last = None;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let until = |end: &str, from: &str| from.find(end).map(|place| place + end.len());
        let (end, from) = match first {
            '\'' | '"' | '`' => (until(&first.to_string(), after), after),
            '-' if after.starts_with('-') => (until("\n", after).or(Some(after.len())), after),
            '/' if after.starts_with('*') => (until("*/", &after[1..]), &after[1..]),
            _ => (Some(0), after),
        };
        // What was begun and not ended is not complete.
        let Some(end) = end else { return false };
        let is_comment = from.len() < after.len() || first == '-' && after.starts_with('-');
        if !is_comment && !first.is_whitespace() {
            last = Some(first);
        }
        rest = &from[end..];
    }
    last == Some(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_ends_a_statement_unless_something_is_open() {
        let complete =
            ["select 1;", "select ';';", "select 1; -- done", "a;\n\n", "/* ; */ select 1 ;/* */"];
        for text in complete {
            assert!(is_complete(text), "{text}");
        }
        let open = ["", "select 1", "select ';", "-- done;", "select 1 /* ;", "\"a;", "1; 2"];
        for text in open {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn statements_are_cut_at_semicolons() {
        assert_eq!(statements("select 1; select ';'; ").unwrap().len(), 2);
        assert!(statements(" -- nothing\n").unwrap().is_empty());
        let error = statements("select 1; selec 2").unwrap_err();
        assert!(matches!(error, SqlError::Syntax(_)), "{error:?}");
    }
}
