//! Cages that are too large to enumerate: the digits that a sum or a product allows, computed layer
//! by layer.
//!
//! Layer i holds the partial results that the first i cells can give and that the other cells can
//! complete. This is exact for the clue alone. It ignores that digits must not repeat in a line;
//! the rules for lines handle that.

use crate::{
    puzzle::{Clue, Operator, Rules},
    solution::comes_out,
};

/// If a target has more divisors, a product is checked only when all cells are placed.
const MOST_DIVISORS: usize = 4096;

/// Reduces each domain to the digits that the clue allows. Returns `false` if it allows none.
pub(crate) fn filter(side: usize, rules: &Rules, clue: Clue, domains: &mut [u32]) -> bool {
    if domains.iter().all(|domain| domain.is_power_of_two()) {
        return placed(rules, clue, domains);
    }
    let lowest = rules.lowest_digit();
    let mut kept = vec![0; domains.len()];
    let sub_div = rules.allows(Operator::Subtract, domains.len());
    let open = match clue.operator {
        Operator::Given | Operator::Add => sums(lowest, clue.target, domains, &mut kept),
        Operator::Multiply => products(side, lowest, clue.target, domains, &mut kept),
        Operator::Subtract | Operator::Divide => Judged::Unjudged,
        Operator::Unknown if sub_div => Judged::Unjudged,
        Operator::Unknown => match sums(lowest, clue.target, domains, &mut kept) {
            Judged::Judged => products(side, lowest, clue.target, domains, &mut kept),
            Judged::Unjudged => Judged::Unjudged,
        },
    };
    if let Judged::Judged = open {
        domains.copy_from_slice(&kept);
    }
    domains.iter().all(|&domain| domain != 0)
}

/// Whether the pass could decide which digits are possible.
enum Judged {
    Judged,
    Unjudged,
}

fn placed(rules: &Rules, clue: Clue, domains: &[u32]) -> bool {
    let lowest = rules.lowest_digit();
    let digits: Vec<u64> =
        domains.iter().map(|domain| u64::from(domain.trailing_zeros()) + lowest).collect();
    comes_out(rules, crate::puzzle::Cage { clue, cells: &[] }, &digits)
}

/// Digits of a domain, with their ranks.
fn digits(domain: u32, lowest: u64) -> impl Iterator<Item = (usize, u64)> {
    (0..32)
        .filter(move |rank| domain >> rank & 1 == 1)
        .map(move |rank| (rank, rank as u64 + lowest))
}

fn sums(lowest: u64, target: u64, domains: &[u32], kept: &mut [u32]) -> Judged {
    // No cage of this grid has a larger sum, so no set of sums is larger.
    if target > 32 * domains.len() as u64 {
        return Judged::Judged;
    }
    let words = target as usize / 64 + 1;
    let mut forward = vec![0u64; words * (domains.len() + 1)];
    forward[0] = 1;
    for (cell, &domain) in domains.iter().enumerate() {
        let (before, after) = forward.split_at_mut((cell + 1) * words);
        let before = &before[cell * words..];
        for (_, digit) in digits(domain, lowest) {
            or_shifted_up(&mut after[..words], before, digit as usize);
        }
    }
    let mut backward = vec![0u64; words];
    backward[target as usize / 64] = 1 << (target % 64);
    let mut shifted = vec![0u64; words];
    for (cell, &domain) in domains.iter().enumerate().rev() {
        let layer = &forward[cell * words..(cell + 1) * words];
        let mut earlier = vec![0u64; words];
        for (rank, digit) in digits(domain, lowest) {
            shifted.fill(0);
            or_shifted_up(&mut shifted, layer, digit as usize);
            if shifted.iter().zip(&backward).any(|(a, b)| a & b != 0) {
                kept[cell] |= 1 << rank;
                or_shifted_down(&mut earlier, &backward, digit as usize);
            }
        }
        backward = earlier;
    }
    Judged::Judged
}

fn or_shifted_up(to: &mut [u64], from: &[u64], by: usize) {
    for (word, &bits) in from.iter().enumerate() {
        if bits == 0 {
            continue;
        }
        to[word] |= bits << by;
        if by > 0 && word + 1 < to.len() {
            to[word + 1] |= bits >> (64 - by);
        }
    }
}

fn or_shifted_down(to: &mut [u64], from: &[u64], by: usize) {
    for (word, &bits) in from.iter().enumerate() {
        to[word] |= bits >> by;
        if by > 0 && word > 0 {
            to[word - 1] |= bits << (64 - by);
        }
    }
}

fn products(side: usize, lowest: u64, target: u64, domains: &[u32], kept: &mut [u32]) -> Judged {
    // Layers 0 and 1: whether a 0 has occurred.
    if target == 0 {
        return zero_products(domains, kept);
    }
    let Some(divisors) = divisors(target, side as u64 + lowest - 1) else {
        return Judged::Unjudged;
    };
    let step: Vec<[u32; 32]> = divisors
        .iter()
        .map(|&divisor| {
            let mut next = [u32::MAX; 32];
            for (rank, digit) in digits(u32::MAX, lowest).take(side).filter(|&(_, d)| d != 0) {
                if let Some(product) = divisor.checked_mul(digit)
                    && let Ok(index) = divisors.binary_search(&product)
                {
                    next[rank] = index as u32;
                }
            }
            next
        })
        .collect();
    let width = divisors.len();
    let mut forward = vec![false; width * (domains.len() + 1)];
    forward[0] = true;
    for (cell, &domain) in domains.iter().enumerate() {
        for at in (0..width).filter(|at| forward[cell * width + at]).collect::<Vec<_>>() {
            for (rank, _) in digits(domain, lowest) {
                if step[at][rank] != u32::MAX {
                    forward[(cell + 1) * width + step[at][rank] as usize] = true;
                }
            }
        }
    }
    let mut backward = vec![false; width];
    // Divisors are sorted. A divisor with a prime factor larger than all digits can never be
    // completed.
    let Ok(end) = divisors.binary_search(&target) else { return Judged::Judged };
    backward[end] = true;
    for (cell, &domain) in domains.iter().enumerate().rev() {
        let mut earlier = vec![false; width];
        for at in (0..width).filter(|at| forward[cell * width + at]) {
            for (rank, _) in digits(domain, lowest) {
                let next = step[at][rank];
                if next != u32::MAX && backward[next as usize] {
                    kept[cell] |= 1 << rank;
                    earlier[at] = true;
                }
            }
        }
        backward = earlier;
    }
    Judged::Judged
}

fn zero_products(domains: &[u32], kept: &mut [u32]) -> Judged {
    let zeros = domains.iter().filter(|&&domain| domain & 1 == 1).count();
    for (kept, &domain) in kept.iter_mut().zip(domains) {
        let elsewhere = zeros > usize::from(domain & 1 == 1);
        *kept |= if elsewhere { domain } else { domain & 1 };
    }
    Judged::Judged
}

/// The divisors of a target with prime factors up to `largest`, sorted; `None` if there are too
/// many.
pub(crate) fn divisors(target: u64, largest: u64) -> Option<Vec<u64>> {
    let mut divisors = vec![1u64];
    let mut rest = target;
    for prime in 2..=largest {
        let powers = divisors.len();
        let mut power = 1;
        while rest.is_multiple_of(prime) {
            rest /= prime;
            power *= prime;
            for index in 0..powers {
                divisors.push(divisors[index] * power);
            }
            if divisors.len() > MOST_DIVISORS {
                return None;
            }
        }
    }
    divisors.sort_unstable();
    Some(divisors)
}
