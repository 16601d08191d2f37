//! How long and how deeply nested a text of statements may be.

use datafusion::sql::sqlparser::{
    keywords::Keyword,
    tokenizer::{Token, TokenWithSpan},
};

use crate::SqlError;

/// Bounds on the text of statements. Reading and planning a statement is recursive in places that
/// this program does not own, and takes more than linear time in others; within these bounds both
/// are known to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of a text.
    pub bytes: usize,
    /// Words, numbers, texts and signs of a statement.
    pub terms: usize,
    /// Brackets within brackets, and types within types.
    pub depth: usize,
    /// Operators that follow each other without a bracket, a comma, AND or OR between them; tables
    /// that are joined, and queries that are united, count as well.
    pub chain: usize,
    /// SELECTs of a statement, those of views and of common table expressions wherever they are
    /// named.
    pub selects: usize,
    /// Terms of a condition, if each of its columns is written as what computes it. As it is
    /// written it has fewer than tokens.
    pub condition: usize,
}

/// Brackets of forms within those of others. The parser reads a form that it cannot make sense of
/// once more as the call of a function, and everything in it with it: each level takes twice the
/// time of the one in it, and `cast(` 60 times would take for ever.
const FORMS: usize = 10;

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            bytes: 1 << 20,
            terms: 100_000,
            depth: 64,
            chain: 500,
            selects: 2_000,
            condition: 150_000,
        }
    }
}

impl Bounds {
    pub(super) fn check_length(&self, text: &str) -> Result<(), SqlError> {
        if text.len() > self.bytes {
            return Err(SqlError::Refused(format!(
                "the SQL text is longer than {} bytes; put values into a file and join it",
                self.bytes
            )));
        }
        Ok(())
    }

    pub(super) fn check_selects(&self, selects: usize) -> Result<(), SqlError> {
        if selects > self.selects {
            return Err(SqlError::Refused(format!(
                "the statement has more than {} SELECTs, counting views and WITH queries wherever \
                 they are named; put what is named often into a table",
                self.selects
            )));
        }
        Ok(())
    }

    pub(super) fn check_condition(&self, terms: usize) -> Result<(), SqlError> {
        if terms > self.condition {
            return Err(SqlError::Refused(format!(
                "a condition has more than {} terms if its columns are written as what computes \
                 them; put what is used often into a table",
                self.condition
            )));
        }
        Ok(())
    }

    /// Counts the tokens of every statement.
    pub(super) fn check_tokens(&self, tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
        let mut count = Count::default();
        let words = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_)));
        for token in words {
            count.take(&token.token);
            let (what, most) = if count.terms > self.terms {
                ("tokens", self.terms)
            } else if count.chain() > self.chain {
                ("operators, joins or unions in a row", self.chain)
            } else if count.forms > FORMS {
                return Err(SqlError::Refused(format!(
                    "CAST, NOT, SUBSTRING and the like are nested more than {FORMS} deep"
                )));
            } else if count.depth() > self.depth {
                return Err(SqlError::Refused(format!(
                    "the statement is nested more than {} deep",
                    self.depth
                )));
            } else {
                continue;
            };
            return Err(SqlError::Refused(format!(
                "the statement has more than {most} {what}; put values into a file and join it"
            )));
        }
        Ok(())
    }
}

/// What has been seen of a statement so far.
#[derive(Default)]
struct Count {
    terms: usize,
    /// Joins and set operations, each of which is an input of the next.
    inputs: usize,
    /// Open `<` of types.
    types: usize,
    /// What stands in the brackets that are open, the outermost first.
    open: Vec<Level>,
    /// What stands outside all brackets.
    ground: Level,
    /// Whether a `<` would begin the inner type of an array, a map or a struct.
    is_type: bool,
    /// Whether a bracket would be that of a form.
    is_form: bool,
    /// Open brackets of forms.
    forms: usize,
}

/// The expression that is being read between two brackets.
#[derive(Default)]
struct Level {
    links: usize,
    /// BETWEEN whose AND is still to come.
    betweens: usize,
    /// Whether commas separate tables.
    is_from: bool,
    /// Whether END closes it.
    is_case: bool,
    /// Whether it stands in the brackets of a form.
    is_form: bool,
}

impl Level {
    /// Begins a clause in the same brackets.
    fn restart(&mut self, is_from: bool) {
        let Level { is_case, is_form, .. } = *self;
        *self = Level { is_from, is_case, is_form, ..Level::default() };
    }
}

impl Count {
    /// An upper bound of the height of the tree that is being read.
    fn chain(&self) -> usize {
        let links = self.open.iter().map(|level| level.links).sum::<usize>();
        links + self.ground.links + self.inputs
    }

    fn depth(&self) -> usize {
        self.open.len() + self.types
    }

    fn level(&mut self) -> &mut Level {
        self.open.last_mut().unwrap_or(&mut self.ground)
    }

    fn open(&mut self, is_form: bool) {
        self.forms += usize::from(is_form);
        self.open.push(Level { is_form, ..Level::default() });
    }

    fn close(&mut self) {
        let closed = self.open.pop();
        self.forms -= usize::from(closed.is_some_and(|level| level.is_form));
    }

    fn take(&mut self, token: &Token) {
        self.terms += 1;
        let was_type = std::mem::take(&mut self.is_type);
        let was_form = std::mem::take(&mut self.is_form);
        match token {
            Token::SemiColon => *self = Count::default(),
            Token::LParen | Token::LBrace => self.open(was_form),
            Token::LBracket => {
                // A subscript is a link of a chain of subscripts.
                self.level().links += 1;
                self.open(was_form);
            }
            Token::RParen | Token::RBrace | Token::RBracket => self.close(),
            Token::Comma if self.level().is_from => self.inputs += 1,
            Token::Comma => self.level().links = 0,
            Token::Lt if was_type => self.types += 1,
            Token::Gt if self.types > 0 => self.types -= 1,
            Token::ShiftRight if self.types > 0 => self.types = self.types.saturating_sub(2),
            Token::Word(word) => self.take_word(word.keyword),
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Period
            | Token::Placeholder(_) => {}
            _ => self.level().links += 1,
        }
    }

    fn take_word(&mut self, keyword: Keyword) {
        use Keyword as K;
        self.is_form = is_form(keyword);
        match keyword {
            K::STRUCT | K::ARRAY | K::MAP => self.is_type = true,
            K::UNION | K::EXCEPT | K::INTERSECT | K::MINUS | K::JOIN | K::APPLY => self.inputs += 1,
            // CASE and END are brackets.
            K::CASE => self.open.push(Level { is_case: true, ..Level::default() }),
            K::END if self.level().is_case => self.close(),
            K::FROM | K::USING => self.level().restart(true),
            K::SELECT | K::WHERE | K::GROUP | K::ORDER | K::HAVING | K::LIMIT | K::VALUES => {
                self.level().restart(false);
            }
            K::WHEN | K::THEN | K::ELSE | K::ON | K::OR => self.level().links = 0,
            K::AND if self.level().betweens > 0 => self.level().betweens -= 1,
            K::AND => self.level().links = 0,
            K::BETWEEN => {
                self.level().links += 1;
                self.level().betweens += 1;
            }
            K::IS
            | K::IN
            | K::LIKE
            | K::ILIKE
            | K::SIMILAR
            | K::RLIKE
            | K::REGEXP
            | K::NOT
            | K::COLLATE
            | K::AT
            | K::NOTNULL
            | K::DIV
            | K::OVERLAPS
            | K::XOR => self.level().links += 1,
            _ => {}
        }
    }
}

/// Words that begin an expression of their own kind, and may be names of functions as well: those of
/// `parse_expr_prefix_by_reserved_word` in sqlparser 0.62.
fn is_form(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::CURRENT_CATALOG
            | K::CURRENT_USER
            | K::SESSION_USER
            | K::USER
            | K::CURRENT_TIMESTAMP
            | K::CURRENT_TIME
            | K::CURRENT_DATE
            | K::LOCALTIME
            | K::LOCALTIMESTAMP
            | K::CASE
            | K::CONVERT
            | K::TRY_CONVERT
            | K::CAST
            | K::TRY_CAST
            | K::SAFE_CAST
            | K::EXISTS
            | K::EXTRACT
            | K::CEIL
            | K::FLOOR
            | K::POSITION
            | K::SUBSTR
            | K::SUBSTRING
            | K::OVERLAY
            | K::TRIM
            | K::INTERVAL
            | K::ARRAY
            | K::NOT
            | K::MATCH
            | K::STRUCT
            | K::PRIOR
            | K::MAP
            | K::LAMBDA
            | K::CIRCLE
            | K::BOX
            | K::PATH
            | K::LINE
            | K::LSEG
            | K::POINT
            | K::POLYGON
    )
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::{dialect::GenericDialect, tokenizer::Tokenizer};

    use super::*;

    fn check(text: &str) -> Result<(), SqlError> {
        let tokens = Tokenizer::new(&GenericDialect, text).tokenize_with_location().unwrap();
        Bounds::default().check_tokens(&tokens)
    }

    #[test]
    fn b8_wide_statements_are_within_bounds() {
        let columns: Vec<String> = (0..3_000).map(|n| format!("a + {n} as c{n}")).collect();
        let terms: Vec<String> = (0..10_000).map(|n| format!("a = {n}")).collect();
        let values: Vec<String> = (0..40_000).map(|n| n.to_string()).collect();
        let statements = [
            format!("select {} from t", columns.join(", ")),
            format!("select * from t where {}", terms.join(" or ")),
            format!("select * from t where {}", terms.join(" and ")),
            format!("select * from t where a in ({})", values.join(", ")),
            format!("values ({})", values[..20_000].join("), (")),
            "select a + 1; ".repeat(5_000),
            format!("select {}", vec!["case when a then 1 else 2 end"; 5_000].join(", ")),
            format!("select {}", vec!["cast(trim(a) as int)"; 5_000].join(", ")),
            format!("select {}1{}", "f(".repeat(60), ")".repeat(60)),
        ];
        for statement in statements {
            assert!(check(&statement).is_ok(), "{}", &statement[..80]);
        }
    }

    #[test]
    fn c1_chains_and_nests_are_out_of_bounds() {
        let chains = [
            format!("select 1{}", " is null".repeat(1_000)),
            format!("select 1{}", " between 0 and 1".repeat(1_000)),
            format!("select 1{}", "::int".repeat(1_000)),
            format!("select 1{}", " + 1".repeat(1_000)),
            format!("select a{}", "[1]".repeat(1_000)),
            format!("select cast(null as int{})", "[]".repeat(1_000)),
            format!("select {} true", "not ".repeat(1_000)),
            format!("select {} 1", "- ".repeat(1_000)),
            format!("select 1{}", " union all select 1".repeat(1_000)),
            format!("select 1 from t{}", " join t using (a)".repeat(1_000)),
            format!("select 1 from t{}", ", t".repeat(1_000)),
            format!("select {}1{}", "(".repeat(100), ")".repeat(100)),
            format!("select {}", "case when ".repeat(1_000)),
            format!("select cast(1 as {})", "array<".repeat(100)),
            format!("values {}", "1,".repeat(60_000)),
            format!("select {} 1", "cast(".repeat(11)),
            format!("select {} 1", "position(".repeat(11)),
            format!("select {} 1", "array[".repeat(11)),
            format!("select {} 1", "f(not (".repeat(11)),
        ];
        for statement in chains {
            assert!(matches!(check(&statement), Err(SqlError::Refused(_))), "{}", &statement[..60]);
        }
    }
}
