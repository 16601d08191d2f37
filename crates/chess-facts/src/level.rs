//! How much is computed, and which definitions are used.

/// How much is computed. Each level holds the ones before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Attacks, lines, pawns, development, checks and material.
    Lines,
    /// And the exchange evaluation of every attacked piece.
    Exchange,
    /// And forks, and the moves that fork.
    Forks,
    /// And mobility: all there is.
    #[default]
    Everything,
}

impl Level {
    /// The four levels, the cheapest first.
    pub const ALL: [Level; 4] = [Level::Lines, Level::Exchange, Level::Forks, Level::Everything];

    /// The name used on command lines and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Lines => "lines",
            Level::Exchange => "exchange",
            Level::Forks => "forks",
            Level::Everything => "everything",
        }
    }
}

/// Which rules decide what a word means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Definitions {
    /// The definitions written at each fact.
    #[default]
    Std,
    /// Rules of the old Python tool, kept so that people who relied on it can compare:
    /// [`attacked`](crate::Side::attacked) and [`hanging_count`](crate::Side::hanging_count) hold
    /// kings as well; [`pins`](crate::Side::pins) leave out pinned pawns;
    /// [`skewers`](crate::Side::skewers) are lines whose front is no pawn and is a king or worth
    /// at least as much as the piece behind it, which may be any piece of the same colour, with a
    /// king behind counted as worth nothing, so that absolute pins are among them; and
    /// [`backward`](crate::PawnFacts::backward) is always empty. The rest is as in `Std`.
    Literal,
}

impl Definitions {
    /// Both sets of definitions.
    pub const ALL: [Definitions; 2] = [Definitions::Std, Definitions::Literal];

    /// The name used on command lines and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Definitions::Std => "std",
            Definitions::Literal => "literal",
        }
    }
}
