//! Attacks of sliders, found by walking along the rays.

// The obvious way to find what a slider attacks: walk each ray until something
// stands in the way. The build script fills the lookup tables with it and the
// tests compare the lookups with it, so this file knows no type of the crate.

/// The four directions of a rook, as (file, rank) steps.
pub(crate) const ROOK: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// The four directions of a bishop, as (file, rank) steps.
pub(crate) const BISHOP: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The squares a slider on `square` attacks when `occupied` squares block it.
pub(crate) const fn walk(square: u8, occupied: u64, directions: &[(i8, i8); 4]) -> u64 {
    let mut attacked = 0;
    let mut direction = 0;
    while direction < 4 {
        let (df, dr) = directions[direction];
        let mut file = (square % 8) as i8 + df;
        let mut rank = (square / 8) as i8 + dr;
        while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
            let bit = 1 << (rank * 8 + file);
            attacked |= bit;
            if occupied & bit != 0 {
                break;
            }
            file += df;
            rank += dr;
        }
        direction += 1;
    }
    attacked
}

/// The squares whose occupancy can change what a slider on `square` attacks:
/// every square of its rays except the last of each, which nothing stands behind.
#[allow(dead_code, reason = "only the build script and the tests call it")]
pub(crate) const fn relevant(square: u8, directions: &[(i8, i8); 4]) -> u64 {
    let mut mask = 0;
    let mut direction = 0;
    while direction < 4 {
        let (df, dr) = directions[direction];
        let mut file = (square % 8) as i8 + df;
        let mut rank = (square / 8) as i8 + dr;
        while 0 <= file + df && file + df < 8 && 0 <= rank + dr && rank + dr < 8 {
            mask |= 1 << (rank * 8 + file);
            file += df;
            rank += dr;
        }
        direction += 1;
    }
    mask
}
