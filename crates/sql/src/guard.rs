//! What a statement may be and do, whoever wrote it: one guard for the command, for Python, for
//! clusters and for pages that take statements from strangers.

mod balance;
mod bounds;
mod growth;
mod options;
mod places;
mod plans;
mod selects;

use std::path::PathBuf;

use datafusion::{
    logical_expr::LogicalPlan,
    sql::{
        parser::DFParserBuilder,
        sqlparser::{dialect::GenericDialect, tokenizer::Tokenizer},
    },
};

pub use self::bounds::Bounds;
pub(crate) use self::{
    places::{GuardedFiles, Refusal},
    selects::{Views, view},
};
use crate::{SqlError, Statement, stacks};

/// Whether statements may write files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Statements that write files are refused.
    ReadOnly,
    /// `COPY` and `INSERT` write files.
    Writable,
}

/// Whether statements may name servers: buckets and databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Any server may be named.
    Allowed,
    /// Only files of this machine may be named.
    Refused,
}

/// Whether statements may set options of their session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Options {
    /// `SET` and `RESET` change those that lift no limit.
    Listed,
    /// `SET` and `RESET` are refused.
    Refused,
}

/// Which statements are allowed, and which files and servers they may use. Everything else is
/// refused with an error that names it.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Whether statements may write.
    pub access: Access,
    /// Statements may use only files below this directory; `None` allows all files. It does not
    /// apply to tables that the program adds with
    /// [`Engine::add_table`](crate::Engine::add_table).
    pub root: Option<PathBuf>,
    /// Whether statements may name servers.
    pub network: Network,
    /// Whether statements may set options.
    pub options: Options,
    /// Limits on the length and the nesting of the SQL text.
    pub bounds: Bounds,
}

impl Default for Guard {
    /// Allows any file and any server to be read, and nothing to be written.
    fn default() -> Guard {
        Guard {
            access: Access::ReadOnly,
            root: None,
            network: Network::Allowed,
            options: Options::Listed,
            bounds: Bounds::default(),
        }
    }
}

impl Guard {
    /// The statements of a text, separated by semicolons. All are read before any is run, so a
    /// mistake in the last one does not leave half of the work done. The text is cut into tokens
    /// and these are counted before anything recursive sees them.
    pub fn read(&self, text: &str) -> Result<Vec<Statement>, SqlError> {
        // Editors of some systems begin every text with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        self.bounds.check_length(text)?;
        let mut tokenizer = Tokenizer::new(&GenericDialect, text);
        let tokens = tokenizer
            .tokenize_with_location()
            .map_err(|error| SqlError::Syntax(error.to_string()))?;
        self.bounds.check_tokens(&tokens)?;
        stacks::on_a_large_stack(move || {
            let mut parser = DFParserBuilder::new(tokens).with_dialect(&GenericDialect).build()?;
            let mut statements = parser.parse_statements()?;
            statements.iter_mut().for_each(balance::statement);
            Ok(statements.into_iter().map(Statement).collect())
        })?
    }

    /// Refuses a statement of too many selects, and otherwise returns how many it has.
    pub(crate) fn check_selects(
        &self,
        statement: &Statement,
        views: &Views,
    ) -> Result<usize, SqlError> {
        let planned = selects::planned(&statement.0, views);
        self.bounds.check_selects(planned)?;
        Ok(planned)
    }

    /// Refuses a plan that is not on the list of what a statement may do. `threads` bounds what a
    /// statement may set.
    pub(crate) fn check(&self, plan: &LogicalPlan, threads: usize) -> Result<(), SqlError> {
        plans::check(self, plan, threads)?;
        self.bounds.check_condition(growth::largest_condition(plan)?)
    }

    /// Refuses a file or a server that a statement may not name.
    pub(crate) fn check_place(&self, name: &str) -> Result<(), SqlError> {
        places::check(self, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c4_a_byte_order_mark_before_a_statement_is_no_part_of_it() {
        assert_eq!(Guard::default().read("\u{feff}select 1").unwrap().len(), 1);
    }

    #[test]
    fn a_text_is_refused_before_it_is_parsed() {
        let refused = |text: String| Guard::default().read(&text).unwrap_err().to_string();
        let nested = refused(format!("select cast(null as {})", "struct<a ".repeat(5_000)));
        assert!(nested.contains("nested more than"), "{nested}");
        let chained = refused(format!("select 1{}", " is null".repeat(100_000)));
        assert!(chained.contains("more than"), "{chained}");
        let long = refused(" ".repeat(5 << 20));
        assert!(long.contains("bytes"), "{long}");
    }
}
