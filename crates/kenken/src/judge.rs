//! Judges a draft of a puzzle: whether it is unique and of a level, or what it lacks.

use crate::{
    board::{Board, Deduced},
    compact::Compact,
    draft::Draft,
    grid::Cell,
    rule::{Level, RuleSet},
    search::{Candidates, End, Limits, ValueOrder, search},
};

/// The most guesses for a proof of uniqueness. Harder puzzles are discarded.
pub(crate) const MOST_GUESSES: u64 = 20_000;

/// The result of grading a draft.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    Fits,
    TooEasy,
    /// Not solved at this level; these cells are unsolved.
    Open(Vec<Cell>),
}

/// What judging a draft needs of a board.
pub(crate) trait DraftBoard: Candidates {
    /// Loads a draft and applies these rules. `None` if the board cannot take it.
    fn load_draft(&mut self, draft: &Draft, rules: RuleSet) -> Option<Deduced>;
    /// Applies more rules.
    fn extend(&mut self, rules: RuleSet) -> Deduced;
    /// The candidates of every cell.
    fn candidates(&self) -> Vec<u32>;
    /// Whether every cell has one candidate.
    fn is_placed(&self) -> bool;
}

impl DraftBoard for Board {
    fn load_draft(&mut self, draft: &Draft, rules: RuleSet) -> Option<Deduced> {
        Some(self.load(&draft.puzzle(), rules).and_then(|()| self.settle()))
    }

    fn extend(&mut self, rules: RuleSet) -> Deduced {
        self.promote(rules);
        self.settle()
    }

    fn candidates(&self) -> Vec<u32> {
        self.domains.clone()
    }

    fn is_placed(&self) -> bool {
        Board::is_placed(self)
    }
}

impl DraftBoard for Compact {
    fn load_draft(&mut self, draft: &Draft, rules: RuleSet) -> Option<Deduced> {
        self.load(draft, rules)
    }

    fn extend(&mut self, rules: RuleSet) -> Deduced {
        self.promote(rules)
    }

    fn candidates(&self) -> Vec<u32> {
        self.domains()
    }

    fn is_placed(&self) -> bool {
        Compact::is_placed(self)
    }
}

/// A draft fits its own grid, so no rule can refute it.
const PROMISE: &str = "a draft has a solution";

/// Judges a draft; `None` if the board cannot take it.
pub(crate) fn judge(
    board: &mut impl DraftBoard,
    draft: &Draft,
    level: Option<Level>,
) -> Option<Judgement> {
    let Some(level) = level.filter(|&level| level < Level::Unreasonable) else {
        return judge_by_search(board, draft, level);
    };
    let lower = Level::ALL.into_iter().rev().find(|&other| other < level);
    board.load_draft(draft, lower.unwrap_or(level).rules())?.expect(PROMISE);
    Some(match (lower, board.is_placed()) {
        (None, true) => Judgement::Fits,
        (None, false) => open(board),
        (Some(_), true) => Judgement::TooEasy,
        (Some(_), false) => {
            board.extend(level.rules()).expect(PROMISE);
            if board.is_placed() { Judgement::Fits } else { open(board) }
        }
    })
}

/// The same for any level, or for the one that needs search.
fn judge_by_search(
    board: &mut impl DraftBoard,
    draft: &Draft,
    level: Option<Level>,
) -> Option<Judgement> {
    // Most drafts have several solutions, and search finds that out faster than the rules of the
    // upper levels.
    board.load_draft(draft, RuleSet::SEARCH)?.expect(PROMISE);
    let root = board.mark();
    let mut found: Vec<Vec<u32>> = Vec::new();
    let limits = Limits { nodes: Some(MOST_GUESSES), deadline: None };
    let end = search(board, ValueOrder::Ascending, &limits, &mut |board| {
        found.push(board.candidates());
        found.len() < 2
    });
    board.undo(root);
    Some(match found.as_slice() {
        [_] if end == End::Exhausted && level.is_none() => Judgement::Fits,
        // What these rules solve without a guess, lower levels solve too.
        [_] if end == End::Exhausted && board.statistics().nodes == 0 => Judgement::TooEasy,
        [_] if end == End::Exhausted => {
            board.extend(Level::Extreme.rules()).expect(PROMISE);
            if board.is_placed() { Judgement::TooEasy } else { Judgement::Fits }
        }
        [a, b] => {
            let differ = |cell: &Cell| a[cell.index()] != b[cell.index()];
            Judgement::Open((0..a.len() as u16).map(Cell).filter(differ).collect())
        }
        _ => open(board),
    })
}

fn open(board: &impl DraftBoard) -> Judgement {
    let cells = board.candidates();
    let open = |cell: &Cell| !cells[cell.index()].is_power_of_two();
    Judgement::Open((0..cells.len() as u16).map(Cell).filter(open).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        generate::{Recipe, ease, harden},
        grid::Size,
        random::{Random, latin_square},
    };

    /// Drafts on their way to a level are judged alike by both boards.
    #[test]
    fn the_compact_board_judges_as_the_general_one_does() {
        let (mut board, mut compact) = (Board::new(), Compact::new());
        let mut judged = [0; 3];
        for seed in 0..60 {
            let side = [4, 5, 6, 9][seed % 4];
            let level = [None].into_iter().chain(Level::ALL.map(Some)).nth(seed % 6).flatten();
            let recipe = Recipe::new(Size::new(side).unwrap(), level);
            let mut random = Random::new(29, seed as u64);
            let square = latin_square(&mut random, side);
            let wanted = recipe.wanted();
            let cut = Draft::cut(&mut random, recipe.size, recipe.rules, square, &wanted);
            let mut draft = cut.expect("these cages cover the grid");
            draft.clue_all(&mut random, &recipe.operators);
            for _ in 0..60 {
                let judgement = judge(&mut board, &draft, level);
                if let Some(other) = judge(&mut compact, &draft, level) {
                    assert_eq!(Some(&other), judgement.as_ref(), "{:?}", draft.puzzle());
                }
                match judgement.expect("the general board takes every draft") {
                    Judgement::Open(open) => {
                        judged[0] += 1;
                        ease(&mut draft, &recipe, &mut random, &open);
                    }
                    Judgement::TooEasy => {
                        judged[1] += 1;
                        harden(&mut draft, &recipe, &mut random);
                    }
                    Judgement::Fits => {
                        judged[2] += 1;
                        harden(&mut draft, &recipe, &mut random);
                    }
                }
            }
        }
        assert!(judged.iter().all(|&count| count > 50), "{judged:?}");
    }
}
