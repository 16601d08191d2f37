//! A page as one file that needs no server: its modules, styles and pieces, and the answers to all
//! that it asks.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::{assets, chess, fourchess, kenken, pieces, refusal::Refusal};

/// What a page in one file shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A game of chess, from PGN.
    Chess,
    /// A game of four-player chess, from PGN4.
    Fourchess,
    /// A KenKen puzzle, from a game ID, JSON or a drawing.
    Kenken,
}

/// Why there is no page of a text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PageError(String);

impl Subject {
    /// All subjects.
    pub const ALL: [Subject; 3] = [Subject::Chess, Subject::Fourchess, Subject::Kenken];

    /// The name of its page.
    pub const fn name(self) -> &'static str {
        match self {
            Subject::Chess => "chess",
            Subject::Fourchess => "fourchess",
            Subject::Kenken => "kenken",
        }
    }

    /// A page that shows one game or puzzle of a text, by its number from 1. The page is one file
    /// of HTML that fetches nothing. `name` is what errors call the text.
    ///
    /// ```
    /// let page = web::Subject::Chess.page("game.pgn", b"1. e4 e5 2. Nf3 *", 1)?;
    /// assert!(page.starts_with("<!doctype html>"));
    /// # Ok::<(), web::PageError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text has no such game or puzzle, or it is wrong.
    pub fn page(self, name: &str, text: &[u8], number: u64) -> Result<String, PageError> {
        let answers = match self {
            Subject::Chess => chess::answers(name, text, number),
            Subject::Fourchess => fourchess::answers(name, text, number),
            Subject::Kenken => kenken::answers(name, text, number),
        };
        let answers = answers.map_err(|Refusal { message, .. }| PageError(message))?;
        Ok(written(self.name(), &answers))
    }
}

/// The page with everything it needs in it.
fn written(page: &str, answers: &Map<String, Value>) -> String {
    let html = asset(&format!("{page}.html"));
    let mut file = String::new();
    for line in html.lines() {
        if let Some(style) = between(line, "<link rel=\"stylesheet\" href=\"/assets/", "\">") {
            let _ = writeln!(file, "<style>\n{}</style>", asset(style));
        } else if line.starts_with("<link rel=\"icon\"") {
            let icon = percent(asset("icon.svg"));
            let _ = writeln!(file, "<link rel=\"icon\" href=\"data:image/svg+xml,{icon}\">");
        } else if let Some(script) = between(line, "<script type=\"module\" src=\"/assets/", "\">")
        {
            let _ = writeln!(file, "<script type=\"importmap\">{}</script>", imports(script));
            let _ = writeln!(file, "<script type=\"module\">import \"{PREFIX}{script}\";</script>");
        } else if line == "</body>" {
            // The symbols of the pieces, which a page of the server fetches.
            file.push_str("<svg width=\"0\" height=\"0\" class=\"sr\" aria-hidden=\"true\"");
            file.push_str(pieces::symbols().trim_start_matches("<svg"));
            let _ = writeln!(file, "\n{}\n{line}", data(answers));
        } else {
            file.push_str(line);
            file.push('\n');
        }
    }
    file
}

/// Modules of a file import each other by names with this before them, which the map turns into
/// their text.
const PREFIX: &str = "everyply/";

/// The map from the names of modules to their text, beginning with one and all that it imports.
fn imports(first: &str) -> String {
    let mut names = vec![first.to_owned()];
    let mut imports = Map::new();
    while let Some(name) = names.pop() {
        let text = renamed(asset(&name));
        for part in text.split(PREFIX).skip(1) {
            let imported = part.split(['"', '\'']).next().unwrap_or_default().to_owned();
            if !imports.contains_key(&format!("{PREFIX}{imported}")) && !names.contains(&imported) {
                names.push(imported);
            }
        }
        let url = format!("data:text/javascript;charset=utf-8,{}", percent(&text));
        imports.insert(format!("{PREFIX}{name}"), url.into());
    }
    serde_json::json!({ "imports": imports }).to_string()
}

/// A module whose imports go by the names of the map.
fn renamed(module: &str) -> String {
    let mut module = module.to_owned();
    for word in ["from", "import", "import("] {
        for quote in ['"', '\''] {
            module = module.replace(&format!("{word}{quote}./"), &format!("{word}{quote}{PREFIX}"));
        }
    }
    module
}

/// The answers as data of the page. No text of a game can end the element: there is no `<` in it.
fn data(answers: &Map<String, Value>) -> String {
    let json = Value::Object(answers.clone()).to_string();
    let json = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    let json = json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("<script type=\"application/json\" id=\"answers\">{json}</script>")
}

fn asset(name: &str) -> &'static str {
    assets::text(name).unwrap_or_else(|| panic!("the page has no file {name}"))
}

fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    line.strip_prefix(before)?.split(after).next()
}

/// Text inside a URL: all but letters, digits and a few signs as bytes in hexadecimal.
fn percent(text: &str) -> String {
    encoded(text, "-_.!~*();/:@$,+=?[]{}|^`", "%20")
}

/// The value of a query as browsers write it.
pub(crate) fn escaped(value: &str) -> String {
    encoded(value, "*-._", "+")
}

fn encoded(text: &str, plain: &str, space: &str) -> String {
    let mut url = String::with_capacity(2 * text.len());
    for byte in text.bytes() {
        match char::from(byte) {
            ' ' => url.push_str(space),
            sign if sign.is_ascii_alphanumeric() || plain.contains(sign) && sign.is_ascii() => {
                url.push(sign);
            }
            _ => {
                let _ = write!(url, "%{byte:02X}");
            }
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_written_as_browsers_write_them() {
        assert_eq!(escaped("8/8 w - é*"), "8%2F8+w+-+%C3%A9*");
    }

    #[test]
    fn modules_import_only_what_the_file_holds() {
        let map = imports("chess.js");
        let map: Value = serde_json::from_str(&map).unwrap();
        let map = map["imports"].as_object().unwrap();
        assert!(map.contains_key("everyply/app.js") && map.contains_key("everyply/chess-board.js"));
        for url in map.values() {
            assert!(!url.as_str().unwrap().contains("from%22."), "{url}");
        }
    }
}
