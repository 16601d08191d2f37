//! The conformance suite: tests that every store must pass, for use by authors of stores.
//!
//! ```
//! use solver::conformance::{self, Lasting};
//! use solver::{Access, Memory, Store, StoreError};
//!
//! conformance::run(Lasting::WithItsHandle, &|_place, access| match access {
//!     Access::Create(header) | Access::Resume(header) => Ok(Box::new(Memory::new(header))),
//!     Access::Read => Err(StoreError::Missing("memory:".to_owned())),
//! });
//! ```
//!
//! If a store fails a test, the suite panics with a message that says why. Each test opens stores
//! under its own names. The caller maps each name to a URL, a directory or a table, which must be
//! empty at first.

mod cases;
mod model;

use crate::store::{Access, Store, StoreError};

/// Whether a store outlives its handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lasting {
    /// It ends with its handle and cannot be opened again.
    WithItsHandle,
    /// It persists once it is committed.
    BeyondItsHandle,
}

/// Opens the store with a name. The same name always means the same store.
pub type Open<'a> = dyn Fn(&str, Access) -> Result<Box<dyn Store>, StoreError> + 'a;

/// Runs every test that applies to this kind of store, and returns how many these were.
///
/// # Panics
///
/// If the store fails a test.
pub fn run(lasting: Lasting, open: &Open<'_>) -> usize {
    let lasts = lasting == Lasting::BeyondItsHandle;
    let chosen = CASES.iter().filter(|case| lasts || !case.opens_again);
    chosen.map(|case| (case.run)(open)).count()
}

struct Case {
    /// Whether the test drops a handle and opens the same store again.
    opens_again: bool,
    run: fn(&Open<'_>),
}

const fn once(run: fn(&Open<'_>)) -> Case {
    Case { opens_again: false, run }
}

const fn again(run: fn(&Open<'_>)) -> Case {
    Case { opens_again: true, run }
}

const CASES: &[Case] = &[
    once(cases::a_new_store_is_empty),
    once(cases::only_new_positions_are_counted),
    once(cases::the_smaller_depth_wins),
    once(cases::a_verdict_outlives_another_finding),
    once(cases::scans_are_ordered_and_bounded),
    once(cases::a_scan_can_be_broken_off),
    once(cases::levels_and_depths_can_be_listed),
    once(cases::missing_positions_are_not_found),
    once(cases::empty_batches_change_nothing),
    once(cases::every_number_comes_back),
    once(cases::keys_of_every_width_keep_their_order),
    once(cases::a_position_that_is_not_there_cannot_be_settled),
    once(cases::large_batches_are_taken),
    once(model::a_store_does_what_a_map_does),
    again(model::a_store_does_what_a_map_does_across_openings),
    again(cases::what_is_committed_lasts),
    again(cases::what_is_not_committed_is_gone),
    again(cases::a_reader_beside_a_writer_sees_what_is_committed),
    again(cases::ranks_that_are_cleared_can_be_filled_again),
    again(cases::every_stage_comes_back),
    again(cases::a_place_without_a_store_is_said_to_be_one),
    again(cases::a_store_is_not_begun_twice),
    again(cases::another_game_is_refused),
    again(cases::a_second_writer_is_refused),
    again(cases::a_reader_does_not_write),
];
