//! Converts legal moves from the move generator to actions.

use fourchess::{
    Candidate, Edge, Leaps, Move, PawnSteps, Position, Role, Rules, Sink, Slide, Square,
};

use crate::actions::{Action, IDS_FROM, LEAPS, NONE, PAWN_STEPS, first_of};

/// The length of the list of legal actions of one game.
///
/// A seat has at most sixteen pieces, so at most 15 x 45 + 8 + 2 = 685 moves, with fifteen queens
/// and a king. Pawns have fewer moves than queens. In games from the start, the longest list seen
/// has 82 moves. The rest is space for [`LegalActions`] to write whole runs.
pub(crate) const ROOM: usize = 704;

/// The number of actions written at once. No line has more squares.
const RUN: usize = 16;

/// The legal actions of the seat to move, in the order in which a batch lists them. A player
/// who draws by lot chooses the same from this list as in [`SelfPlay`](crate::SelfPlay).
///
/// The rules must be some under which every move has an action: see
/// [`Config::check`](crate::Config::check).
pub fn legal_actions(position: &Position, rules: &Rules) -> Vec<u16> {
    let mut list = [NONE; ROOM];
    let mut legal = LegalActions::new(&mut list, 0);
    position.legal_moves(rules, &mut legal);
    let count = usize::from(legal.finish());
    list[..count].to_vec()
}

/// Receives legal moves and lists their actions.
pub(crate) struct LegalActions<'a> {
    ids: &'a mut [u16; ROOM],
    len: usize,
    /// The length of the previous list. Entries beyond the new list must be set to [`NONE`] again.
    before: usize,
    edge: Edge,
}

impl<'a> LegalActions<'a> {
    /// Writes to a list whose first `before` entries are in use.
    #[inline]
    pub(crate) fn new(ids: &'a mut [u16; ROOM], before: u16) -> LegalActions<'a> {
        LegalActions { ids, len: 0, before: before as usize, edge: Edge::South }
    }

    /// Clears the entries after the list and returns its length.
    #[inline]
    pub(crate) fn finish(self) -> u16 {
        // At most one run was written beyond the end of the list.
        let end = self.before.max(self.len + RUN).min(ROOM);
        self.ids[self.len..end].fill(NONE);
        self.len as u16
    }

    /// Lists the actions whose bits are set. Every one is written, and the next overwrites it if it
    /// is not legal: which ones are cannot be foreseen.
    #[inline]
    fn push_some<const N: usize>(&mut self, ids: &[u16; N], legal: u32) {
        let place: &mut [u16; RUN] =
            self.ids[self.len..].first_chunk_mut().expect("there is room for a run");
        let mut count = 0;
        for (index, &id) in ids.iter().enumerate() {
            place[count % RUN] = id;
            count += (legal >> index & 1) as usize;
        }
        self.len += count;
    }

    #[cold]
    fn underpromotion(&self, mv: Move) -> u16 {
        let action = Action::of(mv, self.edge);
        action.expect("rules that promote elsewhere are refused").id()
    }
}

impl Sink for LegalActions<'_> {
    #[inline]
    fn clear(&mut self) {
        self.before = self.before.max(self.len + RUN);
        self.len = 0;
    }

    #[inline]
    fn start(&mut self, edge: Edge) {
        self.clear();
        self.edge = edge;
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn push(&mut self, mv: Move) {
        self.push_if_legal(mv.into());
    }

    #[inline]
    fn push_if_legal(&mut self, candidate: Candidate) {
        self.ids[self.len] = match candidate.promotion() {
            None | Some(Role::Queen) => {
                IDS_FROM[self.edge as usize][candidate.from().index()][candidate.goal_index()]
            }
            Some(_) => candidate.legal().map_or(NONE, |mv| self.underpromotion(mv)),
        };
        self.len += usize::from(candidate.is_legal());
    }

    #[inline]
    fn push_leaps(&mut self, from: Square, leaps: &Leaps<'_>) {
        let ids = &LEAPS[leaps.leaper as usize][self.edge as usize][from.index()];
        self.push_some(ids, leaps.legal);
    }

    #[inline]
    fn push_pawn(&mut self, from: Square, steps: &PawnSteps<'_>) {
        self.push_some(&PAWN_STEPS[self.edge as usize][from.index()], steps.legal);
    }

    /// A run is always written with its full length, which needs no loop. The next run overwrites
    /// the excess.
    #[inline]
    fn push_slide(&mut self, from: Square, slide: &Slide<'_>) {
        let first = first_of(self.edge, from, slide);
        let place: &mut [u16; RUN] =
            self.ids[self.len..].first_chunk_mut().expect("there is room for a run");
        *place = std::array::from_fn(|index| first.wrapping_add(index as u16));
        self.len += slide.count();
    }
}
