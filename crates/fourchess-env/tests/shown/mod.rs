//! What a batch shows, computed the obvious way from a position, and all of it as bytes.

#![allow(dead_code, reason = "every test file that has this module uses a part of it")]

use fourchess::{Piece, Position, Rules, Seat, Square};
use fourchess_env::{Action, Batch, Observation};

/// Every array of a batch, and the positions as text.
pub(crate) fn bytes(batch: &Batch) -> Vec<u8> {
    let mut bytes = Vec::new();
    for game in 0..batch.len() {
        bytes.extend(game_bytes(batch, game));
    }
    bytes
}

/// What is shown of one game.
pub(crate) fn game_bytes(batch: &Batch, game: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let position = &batch.positions()[game];
    bytes.extend(position.fen(batch.rules()).to_string().into_bytes());
    bytes.extend(position.key().to_le_bytes());
    bytes.extend([position.plies(), position.quiet()].map(u16::to_le_bytes).as_flattened());
    let flags = [batch.terminated()[game], batch.truncated()[game], batch.move_valid()[game]];
    bytes.extend(flags.map(u8::from));
    bytes.extend([batch.current_player()[game], batch.endings()[game]]);
    bytes.extend(batch.legal_counts()[game].to_le_bytes());
    let part = |len: usize, all: usize| {
        let size = len.checked_div(batch.len()).unwrap_or(0);
        assert_eq!(size * batch.len(), len, "{all}");
        game * size..(game + 1) * size
    };
    macro_rules! take {
        ($($array:ident),*) => {$(
            let range = part(batch.$array().len(), batch.len());
            batch.$array()[range].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        )*};
    }
    take!(rewards, legal, legal_bits, legal_bytes, planes, scalars);
    take!(final_planes, final_scalars, final_points);
    bytes
}

/// The planes by their definition: one square after the other.
pub(crate) fn planes(position: &Position, rules: &Rules) -> Vec<u32> {
    let turn = position.turn();
    let edge = rules.edge(turn);
    let mut planes = vec![0; Observation::PLANES * Observation::WORDS];
    for seen in Square::all() {
        let square = Square::all().find(|square| square.seen_from(edge) == seen).unwrap();
        let mut set = |plane: usize| {
            planes[plane * Observation::WORDS + seen.index() / 32] |= 1 << (seen.index() % 32);
        };
        set(26);
        match position.piece(square) {
            Some(Piece::Living { seat, role, promoted }) => {
                let after = (0..4).find(|&turns| nth(turn, turns) == seat).unwrap();
                set(6 * after + role.index());
                if promoted {
                    set(25);
                }
            }
            Some(Piece::Dead { .. }) => set(24),
            None => {}
        }
        for seat in Seat::ALL {
            let line = fourchess::geometry::back_line(rules.edge(seat));
            let king = position.king(seat).and_then(|king| line.iter().position(|&s| s == king));
            let (near, far) = if king == Some(3) { (line[0], line[7]) } else { (line[7], line[0]) };
            let [to_near, to_far] = position.castling(seat, rules);
            if to_near && square == near || to_far && square == far {
                set(27);
            }
            if position.offer(seat, rules).is_some_and(|offer| offer.passed == square) {
                set(28);
            }
            if position.king(seat) == Some(square) && position.in_check(seat, rules) {
                set(29);
            }
        }
    }
    planes
}

/// The numbers by their definition.
pub(crate) fn scalars(position: &Position) -> Vec<i16> {
    let seats = (0..4).map(|turns| nth(position.turn(), turns));
    let points = seats.clone().map(|seat| position.points()[seat.index()]);
    let left = seats.map(|seat| match position.status(seat) {
        fourchess::Status::Active => 0,
        fourchess::Status::Walking => 1,
        fourchess::Status::Out => 2,
    });
    let clocks = [position.quiet() as i16, position.plies() as i16];
    points.chain(left).chain(clocks).collect()
}

/// A mask of all actions, set where a list names them.
pub(crate) fn byte_mask(legal: &[u16]) -> Vec<u8> {
    let mut mask = vec![0; Action::COUNT];
    for &id in legal {
        assert_eq!(mask[id as usize], 0, "action {id} twice");
        mask[id as usize] = 1;
    }
    mask
}

fn nth(seat: Seat, turns: usize) -> Seat {
    (0..turns).fold(seat, |seat, _| seat.next())
}
