//! Work whose results come in order, on as many threads as there are.

mod no_threads;

use std::{num::NonZeroUsize, ops::ControlFlow};

use no_threads::without_threads;

fn squares(threads: usize) -> Vec<u64> {
    let (mut numbers, mut squares) = (0..1000_u64, Vec::new());
    games::in_order(
        NonZeroUsize::new(threads).unwrap(),
        || numbers.next(),
        || |number: u64| number * number,
        |square| {
            squares.push(square);
            ControlFlow::Continue(())
        },
    );
    squares
}

#[test]
fn c3_without_threads_the_one_that_calls_works() {
    let expected: Vec<u64> = (0..1000).map(|number| number * number).collect();
    let work = |()| assert!(squares(3) == expected);
    without_threads("c3_without_threads_the_one_that_calls_works", || (), work);
}
