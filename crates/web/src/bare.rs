//! Modules and styles without what only people read: comments, indentation, and the spaces that
//! separate nothing. Names and lines of code stay as they were written.

/// A file as it is sent.
pub(crate) fn bare(name: &str, text: &str) -> String {
    match name.rsplit('.').next() {
        Some("js") => Module::new(text).bare(),
        Some("css") => style(text),
        _ => text.to_owned(),
    }
}

/// What a module is read as.
enum Inside {
    /// Code, in so many braces; of a text between backticks, the part after `${`.
    Code { braces: usize },
    /// A text between backticks.
    Text,
}

struct Module<'a> {
    rest: &'a str,
    out: String,
    open: Vec<Inside>,
}

/// No statement ends after these, nor before those.
const GOES_ON_AFTER: &str = "{([,;=&|?:";
const GOES_ON_WITH: &str = "})].,;?:&|";
/// Words after which a slash begins a regular expression.
const BEFORE_PATTERN: [&str; 5] = ["return", "typeof", "case", "in", "of"];

impl<'a> Module<'a> {
    fn new(text: &'a str) -> Module<'a> {
        let out = String::with_capacity(text.len());
        Module { rest: text, out, open: vec![Inside::Code { braces: 0 }] }
    }

    fn bare(mut self) -> String {
        while let Some(next) = self.rest.chars().next() {
            match self.open.last_mut() {
                Some(Inside::Text) => self.text(next),
                _ => self.code(next),
            }
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out
    }

    /// Copies so many bytes.
    fn copy(&mut self, bytes: usize) {
        let (copied, rest) = self.rest.split_at(bytes);
        self.out.push_str(copied);
        self.rest = rest;
    }

    fn text(&mut self, next: char) {
        if self.rest.starts_with("${") {
            self.open.push(Inside::Code { braces: 0 });
            return self.copy(2);
        }
        if next == '`' {
            self.open.pop();
        }
        let escaped = if next == '\\' { self.rest[1..].chars().next() } else { None };
        self.copy(next.len_utf8() + escaped.map_or(0, char::len_utf8));
    }

    fn code(&mut self, next: char) {
        match next {
            _ if next.is_whitespace()
                || self.rest.starts_with("//")
                || self.rest.starts_with("/*") =>
            {
                self.space();
            }
            '\'' | '"' => self.copy(quoted(self.rest, next)),
            '`' => {
                self.open.push(Inside::Text);
                self.copy(1);
            }
            '/' if self.begins_pattern() => self.copy(pattern(self.rest)),
            '{' | '}' => {
                // No loop of ours has an empty body, so a brace ends every statement before it.
                if next == '}' && self.out.ends_with([';', ',']) {
                    self.out.pop();
                }
                self.brace(next);
                self.copy(1);
            }
            ')' | ']' if self.out.ends_with(',') => {
                self.out.pop();
                self.copy(1);
            }
            '=' if self.rest.starts_with("=>") => {
                self.bare_parameter();
                self.copy(2);
            }
            _ if self.begins_word("const") => {
                // Whoever assigns to it is told so by the module as it is written.
                self.out.push_str("let");
                self.rest = &self.rest["const".len()..];
            }
            _ => self.copy(next.len_utf8()),
        }
    }

    /// Whether a word of the language begins here.
    fn begins_word(&self, word: &str) -> bool {
        let is_apart = !self.out.ends_with(|last| is_word(last) || last == '.');
        let after = self.rest.strip_prefix(word).and_then(|rest| rest.chars().next());
        is_apart && after.is_some_and(char::is_whitespace)
    }

    /// Takes the brackets from the one parameter of an arrow function.
    fn bare_parameter(&mut self) {
        let Some(name) = self.out.strip_suffix(')') else { return };
        let Some(at) = name.rfind(|char| !is_word(char)) else { return };
        let is_alone = name[at..].len() > 1 && name[at..].starts_with('(');
        if is_alone && !name[..at].ends_with(is_word) {
            self.out.pop();
            self.out.remove(at);
        }
    }

    fn brace(&mut self, brace: char) {
        let Some(Inside::Code { braces }) = self.open.last_mut() else { return };
        match (brace, *braces) {
            ('{', _) => *braces += 1,
            (_, 0) => {
                self.open.pop();
            }
            _ => *braces -= 1,
        }
    }

    /// Leaves out spaces and comments; of them a line break stays, or a space between two words.
    fn space(&mut self) {
        let mut breaks = false;
        loop {
            let trimmed = self.rest.trim_start();
            breaks |= self.rest[..self.rest.len() - trimmed.len()].contains('\n');
            self.rest = trimmed;
            let end = match self.rest.get(..2) {
                Some("//") => self.rest.find('\n'),
                Some("/*") => self.rest.find("*/").map(|end| end + 2),
                _ => break,
            };
            self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
        }
        let (Some(last), Some(next)) = (self.out.chars().last(), self.rest.chars().next()) else {
            return;
        };
        let is_same_sign = last == next && "+-".contains(last);
        if breaks && !GOES_ON_AFTER.contains(last) && !GOES_ON_WITH.contains(next) {
            self.out.push('\n');
        } else if is_word(last) && is_word(next) || is_same_sign {
            self.out.push(' ');
        }
    }

    /// Whether a slash here begins a regular expression, and does not divide.
    fn begins_pattern(&self) -> bool {
        let before = self.out.trim_end();
        match before.chars().last() {
            None => true,
            Some(last) if is_word(last) => {
                let word = before.rsplit(|char| !is_word(char)).next();
                word.is_some_and(|word| BEFORE_PATTERN.contains(&word))
            }
            Some(last) => !")]".contains(last),
        }
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '#')
}

/// The length of a text in quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = true;
    let end = text.find(|char| {
        let ends = char == quote && !is_escaped;
        is_escaped = !is_escaped && char == '\\';
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

/// The length of a regular expression. A slash in brackets does not end it.
fn pattern(text: &str) -> usize {
    let (mut is_escaped, mut is_class) = (true, false);
    let end = text.find(|char| {
        let ends = char == '/' && !is_escaped && !is_class;
        if !is_escaped {
            is_class = char == '[' || is_class && char != ']';
        }
        is_escaped = !is_escaped && char == '\\';
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

/// A style: no space around what separates anyway.
fn style(text: &str) -> String {
    const APART: &str = "{};,>";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if next.is_whitespace() {
            rest = rest.trim_start();
            let last = out.chars().last().unwrap_or('{');
            let joins = |char: char| APART.contains(char);
            if !joins(last) && last != ':' && !rest.starts_with(joins) {
                out.push(' ');
            }
        } else if next == '"' {
            let end = quoted(rest, '"');
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else {
            if next == '}' && out.ends_with(';') {
                out.pop();
            }
            let is_zero =
                rest.starts_with("0.") && !out.ends_with(|last: char| last.is_ascii_digit());
            if !is_zero {
                out.push(next);
            }
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn modules_lose_only_what_people_read() {
        let cases = [
            (
                "const a = 1; // one\n\n/* two\n lines */\nlet b = a + +a - -b;\n",
                "let a=1;let b=a+ +a- -b;\n",
            ),
            ("return /\\/[/ ]/ .test(x) / 2;", "return/\\/[/ ]/.test(x)/2;\n"),
            (
                "f(`a  // ${ b ? `c  ${ d }` : \"e  f\" }  g`)\nh",
                "f(`a  // ${b?`c  ${d}`:\"e  f\"}  g`)\nh\n",
            ),
            ("if (a) {\n  b();\n} else return typeof c;\n", "if(a){b()}else return typeof c;\n"),
            ("a\n++b\n", "a\n++b\n"),
            ("x = [\n  'it\\'s  so',\n  1,\n];\n", "x=['it\\'s  so',1];\n"),
            ("/** @type {A} */ (b).c = (/** @type {D} */ e) => e;", "(b).c=e=>e;\n"),
            (
                "f((a) => g(b), async (c) => { const d = a.const; });",
                "f(a=>g(b),async(c)=>{let d=a.const});\n",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(bare("a.js", text), expected);
        }
    }

    #[test]
    fn styles_keep_the_spaces_that_mean_something() {
        let text = "/* A. */\n.a .b > p:hover,\n.c { margin: 0 -10.5px 0.5em; width: calc(1px + 2%); }\n\
                    @media (max-width: 9px) and (b) {\n  .d::after { content: \"a  /* b\"; }\n}\n";
        let expected = ".a .b>p:hover,.c{margin:0 -10.5px .5em;width:calc(1px + 2%)}\
                        @media (max-width:9px) and (b){.d::after{content:\"a  /* b\"}}";
        assert_eq!(bare("a.css", text), expected);
    }

    #[test]
    fn other_files_stay_as_they_are() {
        assert_eq!(bare("a.html", "<p>  a // b  </p>\n"), "<p>  a // b  </p>\n");
    }
}
