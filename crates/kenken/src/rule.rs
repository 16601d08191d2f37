//! The rules of deduction, and the levels.

use std::fmt;

/// A kind of deduction. Every rule is sound: it never removes a digit of any solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Rule {
    /// A placed digit is removed from the rest of its row and column.
    NakedSingle,
    /// A digit with one possible cell left in a row or column goes there.
    HiddenSingle,
    /// A cage keeps only digits that occur somewhere in one of its fillings.
    CageDigits,
    /// Each cell of a cage keeps only the digits that some filling puts into that cell.
    CageCandidates,
    /// If every filling of a cage puts a digit into the same line, the digit is removed from the
    /// rest of that line.
    MustAppear,
    /// If k cells of a line have k candidates together, these are removed from the rest of the
    /// line.
    LineSet,
    /// If the candidates of a digit in k rows lie in k columns, the digit is removed from the other
    /// rows of those columns; the same with rows and columns exchanged.
    Fish,
    /// A chain of cells with two candidates each shows that one of its two end cells must hold a
    /// digit, so a cell in line with both cannot hold it.
    Chain,
    /// A digit is tried and leads to a contradiction.
    Trial,
}

impl Rule {
    /// Every rule, from the simplest to the hardest.
    pub const ALL: [Rule; 9] = [
        Rule::NakedSingle,
        Rule::HiddenSingle,
        Rule::CageDigits,
        Rule::CageCandidates,
        Rule::MustAppear,
        Rule::LineSet,
        Rule::Fish,
        Rule::Chain,
        Rule::Trial,
    ];

    /// Its name in words.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::NakedSingle => "naked single",
            Rule::HiddenSingle => "hidden single",
            Rule::CageDigits => "cage digits",
            Rule::CageCandidates => "cage candidates",
            Rule::MustAppear => "must appear",
            Rule::LineSet => "set in a line",
            Rule::Fish => "fish",
            Rule::Chain => "forcing chain",
            Rule::Trial => "trial",
        }
    }

    /// The rule as advice to a player, in one sentence.
    pub const fn advice(self) -> &'static str {
        match self {
            Rule::NakedSingle => {
                "a cell cannot hold a digit that its row or column already has; if only one digit \
                 is left, it goes there"
            }
            Rule::HiddenSingle => {
                "every row and column has every digit; if a digit fits only one cell of a line, it \
                 goes there"
            }
            Rule::CageDigits => {
                "list the sets of digits that make the clue; a digit in none of them cannot be in \
                 the cage"
            }
            Rule::CageCandidates => {
                "try each digit in each cell of the cage; if the other cells cannot complete the \
                 clue, the digit is impossible there"
            }
            Rule::MustAppear => {
                "if every way to fill the cage puts a digit into the same row or column, no other \
                 cell of that line can hold it"
            }
            Rule::LineSet => {
                "if some cells of a row or column have just as many candidates among them, these \
                 digits are used up there, and no other cell of the line can hold them"
            }
            Rule::Fish => {
                "if a digit fits only two columns in two rows (or three in three, and so on), it is \
                 used up there, and no other row can have it in these columns"
            }
            Rule::Chain => {
                "follow cells with two candidates from one to the next; if both ends cannot miss a \
                 digit together, a cell in line with both cannot hold it"
            }
            Rule::Trial => {
                "suppose a digit and follow the consequences; if they contradict each other, the \
                 digit is impossible"
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RuleSet(u16);

impl RuleSet {
    /// No rule: bare search.
    pub const NONE: RuleSet = RuleSet(0);

    /// The rules that the solver propagates between guesses: those that save time.
    pub const SEARCH: RuleSet = RuleSet::NONE
        .with(Rule::NakedSingle)
        .with(Rule::HiddenSingle)
        .with(Rule::CageCandidates)
        .with(Rule::MustAppear);

    /// The set with one more rule.
    pub const fn with(self, rule: Rule) -> RuleSet {
        RuleSet(self.0 | 1 << rule as u8)
    }

    /// Whether it holds a rule.
    #[inline]
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 == 1
    }

    /// Its rules, from the simplest to the hardest.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.into_iter().filter(move |&rule| self.contains(rule))
    }
}

/// The difficulty of a puzzle: the lowest level whose rules solve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Singles and cage digits.
    Easy,
    /// Also cage candidates.
    Normal,
    /// Also digits that must appear, and sets in a line.
    Hard,
    /// Also fish and forcing chains.
    Extreme,
    /// Also trial.
    Unreasonable,
}

impl Level {
    /// Every level, from the easiest to the hardest.
    pub const ALL: [Level; 5] =
        [Level::Easy, Level::Normal, Level::Hard, Level::Extreme, Level::Unreasonable];

    /// The rules of this level.
    pub const fn rules(self) -> RuleSet {
        let easy =
            RuleSet::NONE.with(Rule::NakedSingle).with(Rule::HiddenSingle).with(Rule::CageDigits);
        let normal = easy.with(Rule::CageCandidates);
        let hard = normal.with(Rule::MustAppear).with(Rule::LineSet);
        let extreme = hard.with(Rule::Fish).with(Rule::Chain);
        match self {
            Level::Easy => easy,
            Level::Normal => normal,
            Level::Hard => hard,
            Level::Extreme => extreme,
            Level::Unreasonable => extreme.with(Rule::Trial),
        }
    }

    /// The letter that Keen uses for it.
    pub const fn letter(self) -> char {
        match self {
            Level::Easy => 'e',
            Level::Normal => 'n',
            Level::Hard => 'h',
            Level::Extreme => 'x',
            Level::Unreasonable => 'u',
        }
    }

    /// Its name in words.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Normal => "normal",
            Level::Hard => "hard",
            Level::Extreme => "extreme",
            Level::Unreasonable => "unreasonable",
        }
    }

    /// The level with this name or letter.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| {
            name.eq_ignore_ascii_case(level.name()) || name.chars().eq([level.letter()])
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
