//! Planes as numbers: the kernels, run on the processor, against the obvious.

mod emulation;

use emulation::{Build, Emulation};
use fourchess::Rules;
use fourchess_env::{Batch, Config, Outputs, Player};

/// The value of a float with so many bits of exponent and fraction.
fn value(bits: u16, exponent_bits: u32, fraction_bits: u32) -> f64 {
    let bits = u32::from(bits);
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let bias = (1 << (exponent_bits - 1)) - 1;
    match exponent {
        0 => sign * fraction * 2f64.powi(1 - bias),
        _ => sign * (1.0 + fraction) * 2f64.powi(exponent as i32 - bias),
    }
}

/// Whether no neighbour is nearer, and of two that are equally near the even one was taken.
fn is_nearest(bits: u16, goal: f32, exponent_bits: u32, fraction_bits: u32) -> bool {
    let distance = |bits| (value(bits, exponent_bits, fraction_bits) - f64::from(goal)).abs();
    let mine = distance(bits);
    [bits.wrapping_sub(1), bits.wrapping_add(1)].into_iter().all(|other| {
        let theirs = distance(other);
        mine < theirs || (mine == theirs && bits.is_multiple_of(2)) || bits & 0x7fff == 0
    })
}

#[test]
fn numbers_are_those_of_the_batch_or_the_nearest_to_them() {
    let outputs = Outputs { observation: true, ..Outputs::default() };
    let rules = Rules { stalemate_victim: -1000, mate: 1000, ..Rules::FFA };
    for rules in [rules, Rules::JAX] {
        let config = Config { outputs, ..Config::new(&rules, 25) };
        let mut one = Batch::new(config.clone()).unwrap();
        let mut other = Emulation::new(Build { lanes: 32, descending: false }, &config);
        let mut actions = vec![0; 25];
        for _ in 0..900 {
            one.choose(Player::Random, &mut actions).unwrap();
            one.step(&actions).unwrap();
        }
        other.play([Some(Player::Random); 4], 900);
        let mut floats = vec![0.0; 25 * 40 * 196];
        one.expand_observations(&mut floats).unwrap();
        let whole: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        assert!(whole == other.expand("f32", 4), "f32");
        for (name, exponent_bits, fraction_bits) in [("bf16", 8, 7), ("f16", 5, 10)] {
            let found = other.expand(name, 2);
            for (pair, &goal) in found.as_chunks().0.iter().zip(&floats) {
                let bits = u16::from_le_bytes(*pair);
                let near = is_nearest(bits, goal, exponent_bits, fraction_bits);
                assert!(near && (goal != 0.0 || bits == 0), "{name}: {bits:#x} for {goal}");
            }
        }
        let bytes = other.expand("u8", 1);
        for (at, (&byte, &float)) in bytes.iter().zip(&floats).enumerate() {
            let (game, plane) = (at / 7840, at % 7840 / 196);
            let expected = match plane {
                0..30 => float as u8,
                _ if float == 0.0 => 0,
                _ => one.scalars()[10 * game + plane - 30].clamp(0, 255) as u8,
            };
            assert_eq!(byte, expected, "game {game}, plane {plane}");
        }
    }
}
