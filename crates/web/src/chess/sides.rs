//! All facts of one side as JSON.

use chess::{Color, Position, Role, Uci};
use chess_facts::{Facts, Hanging, Line};
use serde::Serialize;

use super::names::{Files, Name, Names, Three, lines};

/// The facts of one side. The names are those of `chess_facts::Side`, but for pins, which say what
/// they are.
#[derive(Serialize)]
pub(crate) struct Side {
    material: u8,
    pieces: Pieces,
    attacks: Names,
    attacked: Names,
    loose: Names,
    undefended: Names,
    hanging_count: Names,
    checkers: Names,
    check_squares: CheckSquares,
    pins: Vec<Pin>,
    skewers: Vec<Three>,
    xrays: Vec<Three>,
    discovered: Vec<Three>,
    batteries: Vec<[Name; 2]>,
    hanging: Vec<Hangs>,
    hanging_pins: Vec<Hangs>,
    forks: Vec<Fork>,
    fork_moves: Vec<ForkMove>,
    mobility: Names,
    minors: Names,
    developed: Names,
    home_minors: Names,
    pawns: Pawns,
}

#[derive(Serialize)]
struct Pieces {
    pawns: u8,
    knights: u8,
    bishops: u8,
    rooks: u8,
    queens: u8,
}

#[derive(Serialize)]
struct CheckSquares {
    pawn: Names,
    knight: Names,
    bishop: Names,
    rook: Names,
}

/// Who pins what to what. A pin is absolute if it is to the king.
#[derive(Serialize)]
struct Pin {
    pinner: Name,
    pinned: Name,
    target: Name,
    absolute: bool,
}

#[derive(Serialize)]
struct Hangs {
    square: Name,
    gain: u8,
}

#[derive(Serialize)]
struct Fork {
    forker: Name,
    targets: Names,
}

#[derive(Serialize)]
struct ForkMove {
    uci: String,
    from: Name,
    to: Name,
    targets: Names,
}

#[derive(Serialize)]
struct Pawns {
    all: Names,
    doubled: Names,
    doubled_extra: Names,
    isolated: Names,
    backward: Names,
    behind_all: Names,
    passed: Names,
    passed_front: Names,
    candidates: Names,
    connected: Names,
    islands: u8,
    half_open_files: Files,
}

impl Side {
    /// The facts of a side of a position.
    pub(crate) fn of(position: &Position, facts: &Facts, color: Color) -> Side {
        let side = &facts[color];
        let pins = side.pins.iter().map(|line| pin(line, true));
        let relative = side.relative_pins.iter().map(|line| pin(line, false));
        let forks = side
            .forks
            .iter()
            .map(|fork| Fork { forker: Name(fork.forker), targets: Names(fork.targets) });
        let fork_moves = side.fork_moves.iter().map(|fork| ForkMove {
            uci: Uci::of(position, fork.mv).to_string(),
            from: Name(fork.mv.from),
            to: Name(fork.mv.to),
            targets: Names(fork.targets),
        });
        Side {
            material: side.material,
            pieces: pieces(side),
            attacks: Names(side.attacks),
            attacked: Names(side.attacked),
            loose: Names(side.loose),
            undefended: Names(side.undefended),
            hanging_count: Names(side.hanging_count),
            checkers: Names(side.checkers),
            check_squares: check_squares(side),
            pins: pins.chain(relative).collect(),
            skewers: lines(&side.skewers),
            xrays: lines(&side.xrays),
            discovered: lines(&side.discovered),
            batteries: side.batteries.iter().map(|b| [Name(b.first), Name(b.second)]).collect(),
            hanging: hanging(&side.hanging),
            hanging_pins: hanging(&side.hanging_pins),
            forks: forks.collect(),
            fork_moves: fork_moves.collect(),
            mobility: Names(side.mobility),
            minors: Names(side.minors),
            developed: Names(side.developed),
            home_minors: Names(side.home_minors),
            pawns: pawns(side),
        }
    }
}

fn pieces(side: &chess_facts::Side) -> Pieces {
    let count = |role: Role| side.pieces[role.index()];
    Pieces {
        pawns: count(Role::Pawn),
        knights: count(Role::Knight),
        bishops: count(Role::Bishop),
        rooks: count(Role::Rook),
        queens: count(Role::Queen),
    }
}

fn check_squares(side: &chess_facts::Side) -> CheckSquares {
    let squares = |role: Role| Names(side.check_squares[role.index()]);
    CheckSquares {
        pawn: squares(Role::Pawn),
        knight: squares(Role::Knight),
        bishop: squares(Role::Bishop),
        rook: squares(Role::Rook),
    }
}

fn pin(line: &Line, absolute: bool) -> Pin {
    Pin { pinner: Name(line.slider), pinned: Name(line.front), target: Name(line.back), absolute }
}

fn hanging(list: &[Hanging]) -> Vec<Hangs> {
    list.iter().map(|hangs| Hangs { square: Name(hangs.square), gain: hangs.gain }).collect()
}

fn pawns(side: &chess_facts::Side) -> Pawns {
    let pawns = &side.pawns;
    Pawns {
        all: Names(pawns.all),
        doubled: Names(pawns.doubled),
        doubled_extra: Names(pawns.doubled_extra),
        isolated: Names(pawns.isolated),
        backward: Names(pawns.backward),
        behind_all: Names(pawns.behind_all),
        passed: Names(pawns.passed),
        passed_front: Names(pawns.passed_front),
        candidates: Names(pawns.candidates),
        connected: Names(pawns.connected),
        islands: pawns.islands,
        half_open_files: Files(pawns.half_open_files),
    }
}
