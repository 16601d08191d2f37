//! What every store must do, as tests for whoever writes one.
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
//! A store that falls short is a panic which says in what. Each case opens places of its own, by
//! names that tell them apart; the caller makes a URL, a directory or a table of each name, empty
//! at the start.

mod cases;
mod model;

use crate::store::{Access, Store, StoreError};

/// How long a store lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lasting {
    /// As long as its handle; there is nothing to open again.
    WithItsHandle,
    /// On, once committed.
    BeyondItsHandle,
}

/// Opens the place of a name: `dedup` and `dedup` are the same store, `dedup` and `scan` are not.
pub type Open<'a> = dyn Fn(&str, Access) -> Result<Box<dyn Store>, StoreError> + 'a;

/// Runs every case that fits the store's kind, and says how many those were.
///
/// # Panics
///
/// Where the store does not do what it must.
pub fn run(lasting: Lasting, open: &Open<'_>) -> usize {
    let lasts = lasting == Lasting::BeyondItsHandle;
    let chosen = CASES.iter().filter(|case| lasts || !case.opens_again);
    chosen.map(|case| (case.run)(open)).count()
}

struct Case {
    /// Whether it drops a handle and opens the same place again.
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
