//! A step allocates nothing.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicUsize, Ordering},
};

use fourchess::Rules;
use fourchess_env::{Autoreset, Batch, Config, Outputs, Player};

/// Counts what it hands out, to this thread and to all.
struct Counting;

static ALL: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALL.fetch_add(1, Ordering::Relaxed);
        OWN.set(OWN.get() + 1);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// One test alone in its file: another would allocate beside it.
#[test]
fn steps_and_choices_allocate_nothing() {
    const STEPS: usize = 2000;
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        for threads in [1, 2] {
            let config = Config {
                outputs: Outputs { legal_bits: true, legal_bytes: true, observation: true },
                autoreset,
                threads,
                ..Config::new(&Rules::FFA, 200)
            };
            let mut batch = Batch::new(config).unwrap();
            let mut actions = vec![0; batch.len()];
            let (mut ends, own, all) = (0, OWN.get(), ALL.load(Ordering::Relaxed));
            for _ in 0..STEPS {
                batch.choose(Player::Random, &mut actions).unwrap();
                batch.step(&actions).unwrap();
                ends += batch.terminated().iter().filter(|&&end| end).count();
            }
            let (own, all) = (OWN.get() - own, ALL.load(Ordering::Relaxed) - all);
            assert!(ends > 100, "games end and begin: {ends}");
            if threads == 1 {
                // Other threads of the test may allocate meanwhile.
                assert_eq!(own, 0);
            } else {
                // Work is handed to the pool through a queue that grows by blocks of 63 entries.
                assert!(all <= 2 * STEPS / 32, "{all} allocations");
            }
        }
    }
}
