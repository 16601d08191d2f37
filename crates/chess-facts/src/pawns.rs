//! Pawn structure, for all pawns of a side at once.

use chess::{Bitboard, Color, File};

use crate::PawnFacts;

/// The facts about the pawns of a side, backward ones by the standard definition.
#[inline(always)]
pub(crate) fn pawns(color: Color, own: Bitboard, enemy: Bitboard) -> PawnFacts {
    let ahead = fill(color, own);
    let strictly_ahead = step(color, ahead);
    let strictly_behind = step(!color, fill(!color, own));
    let files = ahead | strictly_behind;
    let isolated = own - sideways(files);
    // Squares with an own pawn on an adjacent file on the same rank or behind.
    let accompanied = sideways(ahead);
    let behind_all = own - isolated - accompanied;
    let enemy_attacks = sideways(step(!color, enemy));
    let stopped = step(!color, enemy | enemy_attacks);
    // Squares with an enemy pawn ahead.
    let enemy_ahead = step(!color, fill(!color, enemy));
    let passed = own - enemy_ahead - sideways(enemy_ahead);
    let enemy_files = enemy_ahead | fill(color, enemy);
    let ranks = own | step(color, own) | step(!color, own);
    let first_rank = (own_files(files) & !(own_files(files) << 1)) as u8;
    PawnFacts {
        all: own,
        doubled: own & (strictly_ahead | strictly_behind),
        doubled_extra: own & strictly_behind,
        isolated,
        backward: behind_all & stopped,
        behind_all,
        passed,
        passed_front: passed - strictly_behind,
        candidates: candidates(color, own, enemy, own - passed - enemy_ahead - strictly_behind),
        connected: own & sideways(ranks),
        islands: first_rank.count_ones() as u8,
        half_open_files: enemy_files - files,
    }
}

/// The files without any pawn.
#[inline(always)]
pub(crate) fn open_files(pawns: Bitboard) -> Bitboard {
    !(fill(Color::White, pawns) | fill(Color::Black, pawns))
}

/// Those of `among` that have as many helpers as there are enemy pawns to hold them up.
#[inline(always)]
fn candidates(color: Color, own: Bitboard, enemy: Bitboard, among: Bitboard) -> Bitboard {
    let mut candidates = Bitboard::EMPTY;
    for pawn in among {
        let ahead = step(color, fill(color, pawn.into()));
        let column = Bitboard::file(pawn.file());
        let helpers = own & sideways(column - ahead);
        let guards = enemy & sideways(ahead);
        if helpers.len() >= guards.len() {
            candidates |= pawn;
        }
    }
    candidates
}

/// The files of a set of whole files, a the lowest bit.
#[inline(always)]
fn own_files(files: Bitboard) -> u64 {
    files.0 & 0xff
}

#[inline(always)]
fn sideways(set: Bitboard) -> Bitboard {
    const NOT_A: Bitboard = Bitboard(!Bitboard::file(File::A).0);
    const NOT_H: Bitboard = Bitboard(!Bitboard::file(File::H).0);
    (set & NOT_H) << 1 | (set & NOT_A) >> 1
}

/// One rank towards the enemy.
#[inline(always)]
fn step(color: Color, set: Bitboard) -> Bitboard {
    match color {
        Color::White => set.up(),
        Color::Black => set.down(),
    }
}

/// The set and everything ahead of it.
#[inline(always)]
fn fill(color: Color, set: Bitboard) -> Bitboard {
    let mut set = set;
    match color {
        Color::White => {
            set |= set << 8;
            set |= set << 16;
            set | set << 32
        }
        Color::Black => {
            set |= set >> 8;
            set |= set >> 16;
            set | set >> 32
        }
    }
}
