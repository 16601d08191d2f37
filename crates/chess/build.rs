//! Computes the slider tables: for every square and every arrangement of
//! blockers the attacked squares, once in the order of a multiplication ("magic")
//! and once in the order of the PEXT instruction.

use std::{env, fmt::Write as _, fs, path::Path};

#[allow(dead_code, unreachable_pub)]
#[path = "src/random.rs"]
mod random;
#[path = "src/attacks/walk.rs"]
mod walk;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/attacks/walk.rs");
    println!("cargo::rerun-if-changed=src/random.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let little_endian = env::var("CARGO_CFG_TARGET_ENDIAN").as_deref() == Ok("little");

    let mut tables = Tables::default();
    let bishop = tables.add(&walk::BISHOP);
    let rook = tables.add(&walk::ROOK);

    let mut source = String::new();
    let entries = tables.by_magic.len();
    writeln!(source, "pub(super) const ENTRIES: usize = {entries};").expect("write to a string");
    source += &lookups_source("BISHOP", &bishop);
    source += &lookups_source("ROOK", &rook);
    fs::write(Path::new(&out).join("lookups.rs"), source).expect("write lookups.rs");

    for (name, table) in [("magic.bin", &tables.by_magic), ("pext.bin", &tables.by_pext)] {
        let bytes: Vec<u8> = table
            .iter()
            .flat_map(|word| if little_endian { word.to_le_bytes() } else { word.to_be_bytes() })
            .collect();
        fs::write(Path::new(&out).join(name), bytes).expect("write a table");
    }
}

struct Lookup {
    mask: u64,
    factor: u64,
    shift: u32,
    offset: usize,
}

#[derive(Default)]
struct Tables {
    by_magic: Vec<u64>,
    by_pext: Vec<u64>,
}

impl Tables {
    fn add(&mut self, directions: &[(i8, i8); 4]) -> Vec<Lookup> {
        (0..64).map(|square| self.add_square(square, directions)).collect()
    }

    fn add_square(&mut self, square: u8, directions: &[(i8, i8); 4]) -> Lookup {
        let mask = walk::relevant(square, directions);
        // Walking the subsets of a mask by `(subset - mask) & mask` visits them in
        // the order of their PEXT index.
        let mut blockers = Vec::with_capacity(1 << mask.count_ones());
        let mut attacks = Vec::with_capacity(1 << mask.count_ones());
        let mut subset = 0u64;
        loop {
            blockers.push(subset);
            attacks.push(walk::walk(square, subset, directions));
            subset = subset.wrapping_sub(mask) & mask;
            if subset == 0 {
                break;
            }
        }
        let shift = 64 - mask.count_ones();
        let (factor, by_magic) = find_factor(square, shift, &blockers, &attacks);
        let offset = self.by_magic.len();
        self.by_magic.extend(by_magic);
        self.by_pext.extend(attacks);
        Lookup { mask, factor, shift, offset }
    }
}

/// Tries sparse random factors until one maps no two arrangements with different
/// attacks to the same index.
fn find_factor(square: u8, shift: u32, blockers: &[u64], attacks: &[u64]) -> (u64, Vec<u64>) {
    let mut random = random::Random::new(0x6576_6572_7970_6c79 ^ u64::from(square));
    let mut table = vec![0; blockers.len()];
    let mut seen = vec![0u32; blockers.len()];
    let mut attempt = 0;
    'next: loop {
        let factor = random.next() & random.next() & random.next();
        attempt += 1;
        for (&blocker, &attack) in blockers.iter().zip(attacks) {
            let index = (blocker.wrapping_mul(factor) >> shift) as usize;
            if seen[index] == attempt && table[index] != attack {
                continue 'next;
            }
            seen[index] = attempt;
            table[index] = attack;
        }
        return (factor, table);
    }
}

fn lookups_source(name: &str, lookups: &[Lookup]) -> String {
    let mut source = format!("pub(super) static {name}: [Lookup; 64] = [\n");
    for Lookup { mask, factor, shift, offset } in lookups {
        writeln!(
            source,
            "    Lookup {{ mask: {mask:#x}, factor: {factor:#x}, shift: {shift}, offset: {offset} }},"
        )
        .expect("write to a string");
    }
    source + "];\n"
}
