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

/// Which definitions of the facts are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Definitions {
    /// The definitions written at each fact.
    #[default]
    Std,
    /// The definitions of the old Python tool, so that its users can compare results:
    ///
    /// - [`attacked`](crate::Side::attacked) and [`hanging_count`](crate::Side::hanging_count)
    ///   include kings.
    /// - [`pins`](crate::Side::pins) do not include pinned pawns.
    /// - The front of [`skewers`](crate::Side::skewers) is not a pawn and is worth at least as much
    ///   as the piece behind it. A king behind counts as worth nothing, so absolute pins of pieces
    ///   other than pawns are among the skewers.
    /// - [`backward`](crate::PawnFacts::backward) is always empty.
    ///
    /// All other definitions are those of `Std`.
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
