//! The views in memory while a table is built. Their total size is bounded.

use std::collections::{BTreeMap, HashMap};

use game::{Dense, Given, Half, Mover, Sheet, View};

use super::{
    block::{Index, block_of, cells},
    directory::Directory,
    manifest::Manifest,
    turn::turn,
};
use crate::{StoreError, pages::Values};

/// Views in memory. The order of work is fixed, so eviction is optimal: the view whose next use is
/// farthest away is evicted first.
pub(super) struct Views<'a, D: Dense> {
    dense: &'a D,
    place: &'a Directory,
    held: BTreeMap<View, Values>,
    bytes: usize,
    /// For each view the steps of work that use it, ascending.
    uses: HashMap<View, Vec<u32>>,
}

impl<'a, D: Dense> Views<'a, D> {
    /// An empty cache. `work` lists the sheets to compute, in order.
    pub(super) fn new(dense: &'a D, place: &'a Directory, work: &[Sheet]) -> Views<'a, D> {
        let mut uses: HashMap<View, Vec<u32>> = HashMap::new();
        for (step, sheet) in (0..).zip(work) {
            for view in dense.needs(*sheet) {
                uses.entry(view).or_default().push(step);
            }
        }
        Views { dense, place, held: BTreeMap::new(), bytes: 0, uses }
    }

    /// The bytes of all views in memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Evicts views until at most `room` bytes are in use.
    pub(super) fn shrink(&mut self, step: u32, room: usize) {
        self.make_room(step, room, 0, &[]);
    }

    /// Keeps a new view if it will be used again and fits.
    pub(super) fn keep(&mut self, step: u32, view: View, values: Values, room: usize) {
        let Some(next) = self.next_use(view, step) else { return };
        let fits = self.make_room_before(step, room, values.len(), &[], Some(next));
        if fits {
            self.insert(view, values);
        }
    }

    /// Loads as many of these views as fit, from the first on, and returns their number.
    pub(super) fn fetch(
        &mut self,
        manifest: &Manifest,
        step: u32,
        views: &[View],
        room: usize,
    ) -> Result<usize, StoreError> {
        for (at, view) in views.iter().enumerate() {
            if self.held.contains_key(view) {
                continue;
            }
            let size = Self::load_size(self.dense.halves(), *view);
            if !self.make_room(step, room, size, &views[..at]) {
                return Ok(at);
            }
            let values = self.load(manifest, *view)?;
            self.insert(*view, values);
        }
        Ok(views.len())
    }

    /// The memory needed to load a view. A transposed view needs twice its size, because it is
    /// stored upright.
    pub(super) fn load_size(halves: &[Half], view: View) -> usize {
        let size = cells(halves, view.sheet());
        match view.mover {
            Mover::Rows => size,
            Mover::Columns => 2 * size,
        }
    }

    /// These views, all of which must be in memory.
    pub(super) fn given(&self, views: &[View]) -> Given<'_> {
        let mut given = Given::new(self.dense.halves().len() as u16 - 1);
        for view in views {
            given.add(*view, &self.held[view]);
        }
        given
    }

    fn insert(&mut self, view: View, values: Values) {
        self.bytes += values.len();
        self.held.insert(view, values);
    }

    /// Reads a view. Its index is not kept: it is read again in no time, and the indices of all
    /// blocks of a large table would take hundreds of megabytes.
    fn load(&self, manifest: &Manifest, view: View) -> Result<Values, StoreError> {
        let halves = self.dense.halves();
        let sheet = view.sheet();
        let index = Index::read(self.place, halves, block_of(sheet), manifest)?;
        let upright = index.read_sheet(self.place, halves, sheet)?;
        let half = |units: u16| &halves[usize::from(units)];
        Ok(match view.mover {
            Mover::Rows => upright,
            Mover::Columns => turn(&upright, half(sheet.own), half(sheet.other)),
        })
    }

    fn next_use(&self, view: View, step: u32) -> Option<u32> {
        let uses = self.uses.get(&view)?;
        uses.get(uses.partition_point(|used| *used < step)).copied()
    }

    fn make_room(&mut self, step: u32, room: usize, size: usize, keep: &[View]) -> bool {
        self.make_room_before(step, room, size, keep, None)
    }

    /// Evicts views until `size` more bytes fit into `room`, those with the latest next use first,
    /// but none that is used before `next`. Returns whether they fit.
    fn make_room_before(
        &mut self,
        step: u32,
        room: usize,
        size: usize,
        keep: &[View],
        next: Option<u32>,
    ) -> bool {
        if self.bytes + size <= room {
            return true;
        }
        let use_of = |view: View| self.next_use(view, step).unwrap_or(u32::MAX);
        let droppable = |view: &View| {
            keep.binary_search(view).is_err() && next.is_none_or(|next| use_of(*view) > next)
        };
        let mut order: Vec<(u32, View)> = self
            .held
            .keys()
            .filter(|view| droppable(view))
            .map(|view| (use_of(*view), *view))
            .collect();
        order.sort_unstable();
        while self.bytes + size > room {
            let Some((_, view)) = order.pop() else { return false };
            self.bytes -= self.held.remove(&view).expect("it was listed").len();
        }
        true
    }
}
