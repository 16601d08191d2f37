//! A store that is solved by tasks: the progress of the work, until it is a store like any other.
//!
//! A stage of the work is a blob of its own, written whole. The manifest lists no parts until the
//! game is solved.

use std::collections::BTreeMap;

use game::Rank;
use solver::{
    Access, Stage, State, StoreError,
    tasks::{Desk, Part},
};

use super::{Bucket, admitted, manifest::Manifest, shelf::Shelf};
use crate::told;

pub(crate) struct PartsDesk {
    shelf: Shelf,
    manifest: Manifest,
}

impl PartsDesk {
    /// Takes over the work in a bucket, which is locked already.
    pub(crate) fn open(bucket: Box<dyn Bucket>, access: &Access) -> Result<PartsDesk, StoreError> {
        let mut shelf = Shelf::new(bucket);
        let mut manifest = admitted(&mut shelf, access)?;
        let is_fresh = manifest.state.stage == Stage::Exploring(None) && manifest.runs.is_empty();
        let is_solved = manifest.state.stage == Stage::Solved;
        if !is_solved && !is_fresh {
            let cause = "it was begun without a cluster; resume it without one".to_owned();
            return Err(StoreError::Unavailable { place: shelf.place().to_owned(), cause });
        }
        manifest.writer = shelf.begin_writing(manifest.writer);
        // At once: no other writer may use the number, because tasks of this one may still write
        // when it is gone.
        shelf.swap(&manifest)?;
        if is_solved {
            // A kill may have left what the tasks wrote.
            shelf.remove_others(&manifest)?;
        }
        Ok(PartsDesk { shelf, manifest })
    }

    pub(crate) fn state(&self) -> &State {
        &self.manifest.state
    }
}

fn name(stage: usize) -> String {
    format!("work-stage-{stage:06}")
}

impl Desk for PartsDesk {
    fn writer(&self) -> u64 {
        self.manifest.writer
    }

    fn stages(&mut self) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut stages = Vec::new();
        while let Some(stage) = self.shelf.bucket().read(&name(stages.len())).map_err(told)? {
            stages.push(stage.into());
        }
        Ok(stages)
    }

    fn commit(&mut self, stage: usize, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.shelf.bucket().swap(&name(stage), bytes.into()).map_err(told)
    }

    fn keep(&mut self) -> Result<(), StoreError> {
        self.shelf.bucket().keep().map_err(told)
    }

    fn finish(&mut self, parts: Vec<Part>, ranks: BTreeMap<Rank, u64>) -> Result<(), StoreError> {
        let state = State { stage: Stage::Solved, ..self.manifest.state.clone() };
        let solved = Manifest { state, ranks, runs: vec![parts], ..self.manifest.clone() };
        self.shelf.swap(&solved).map_err(told)?;
        self.manifest = solved;
        self.shelf.remove_others(&self.manifest).map_err(told)
    }
}
