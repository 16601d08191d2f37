//! Legal actions as they come out of the move generator.

use fourchess::{Edge, Kind, Move, Sink, Slide, Square};

use crate::actions::{Action, IDS_FROM, NONE, first_of};

/// Room for the legal actions of one game.
///
/// A seat has sixteen pieces at most, so fifteen queens and a king have 15 x 45 + 8 + 2 = 685
/// moves at most, and pawns have fewer than queens. In games from the start the longest list seen
/// has 82. The rest is room for [`LegalActions`] to write whole runs.
pub(crate) const ROOM: usize = 704;

/// As many as a run is written at once; a line has no more squares.
const RUN: usize = 16;

/// Takes in legal moves as numbers of actions.
pub(crate) struct LegalActions<'a> {
    ids: &'a mut [u16; ROOM],
    len: usize,
    /// How many were there before; what is beyond must become [`NONE`] again.
    before: usize,
    edge: Edge,
}

impl<'a> LegalActions<'a> {
    /// Over a list of which the first `before` are in use.
    #[inline]
    pub(crate) fn new(ids: &'a mut [u16; ROOM], before: u16) -> LegalActions<'a> {
        LegalActions { ids, len: 0, before: before as usize, edge: Edge::South }
    }

    /// Wipes what is left behind the list and says how long the list is.
    #[inline]
    pub(crate) fn finish(self) -> u16 {
        // Nothing was ever written more than a run beyond the list.
        let end = self.before.max(self.len + RUN).min(ROOM);
        self.ids[self.len..end].fill(NONE);
        self.len as u16
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
        self.push_if(mv, true);
    }

    #[inline]
    fn push_if(&mut self, mv: Move, is_legal: bool) {
        self.ids[self.len] = match mv.promotion {
            None | Some(Kind::Queen) => {
                IDS_FROM[self.edge as usize][mv.from.index()][mv.to.index()]
            }
            Some(_) => self.underpromotion(mv),
        };
        self.len += usize::from(is_legal);
    }

    /// A run is written whole whatever its length, which needs no loop; what follows writes over
    /// the rest.
    #[inline]
    fn push_slide(&mut self, from: Square, slide: &Slide<'_>) {
        let first = first_of(self.edge, from, slide);
        let place: &mut [u16; RUN] =
            self.ids[self.len..].first_chunk_mut().expect("there is room for a run");
        *place = std::array::from_fn(|index| first.wrapping_add(index as u16));
        self.len += slide.count();
    }
}
