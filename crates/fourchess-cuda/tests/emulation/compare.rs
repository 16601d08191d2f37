//! A batch and the emulation of the kernels, compared byte by byte.

use fourchess_cuda::Array;
use fourchess_env::Batch;

use super::Emulation;

/// Stops with the first byte that differs, and the game it belongs to.
pub fn compare(one: &Batch, other: &Emulation, place: &str) {
    let flags = |flags: &[bool]| flags.iter().map(|&flag| u8::from(flag)).collect::<Vec<u8>>();
    let look = Look { one, place };
    look.same("legal_counts", one.legal_counts(), other.array(Array::LegalCounts));
    look.same("legal", one.legal(), other.array(Array::Legal));
    let games: Vec<usize> = (0..one.len()).collect();
    let indices: Vec<u64> = (0..one.len() as u64).collect();
    look.same("state", &one.save(&games).unwrap(), &other.save(&indices));
    look.same("current_player", one.current_player(), other.array(Array::CurrentPlayer));
    look.same("rewards", one.rewards(), other.array(Array::Rewards));
    look.same("terminated", &flags(one.terminated()), other.array(Array::Terminated));
    look.same("truncated", &flags(one.truncated()), other.array(Array::Truncated));
    look.same("move_valid", &flags(one.move_valid()), other.array(Array::MoveValid));
    look.same("final_points", one.final_points(), other.array(Array::FinalPoints));
    look.same("endings", one.endings(), other.array(Array::Endings));
    look.same("legal_bits", one.legal_bits(), other.array(Array::LegalBits));
    look.same("legal_bytes", one.legal_bytes(), other.array(Array::LegalBytes));
    look.same("scalars", one.scalars(), other.array(Array::Scalars));
    look.same("planes", one.planes(), other.array(Array::Planes));
    look.same("final_planes", one.final_planes(), other.array(Array::FinalPlanes));
    look.same("final_scalars", one.final_scalars(), other.array(Array::FinalScalars));
    let keys: Vec<u64> = one.positions().iter().map(fourchess::Position::key).collect();
    let found: Vec<u64> =
        other.array::<[u64; 48]>(Array::Records).iter().map(|record| record[0]).collect();
    look.same("keys", &keys, &found);
}

struct Look<'a> {
    one: &'a Batch,
    place: &'a str,
}

impl Look<'_> {
    fn same<T: PartialEq + std::fmt::Debug>(&self, what: &str, expected: &[T], found: &[T]) {
        assert_eq!(expected.len(), found.len(), "{}: {what}", self.place);
        if expected == found {
            return;
        }
        let games = self.one.len();
        let size = expected.len() / games;
        let at = (0..expected.len()).find(|&at| expected[at] != found[at]).unwrap_or(0);
        let fen = self.one.positions()[at / size].fen(self.one.rules());
        let (expected, found) = (&expected[at], &found[at]);
        panic!(
            "{}: {what} of game {} at {}: {expected:?} expected, {found:?} found\n{fen}",
            self.place,
            at / size,
            at % size,
        );
    }
}
