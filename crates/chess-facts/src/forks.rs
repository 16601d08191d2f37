//! Forks, and the moves that make them, found from the targets: the squares from which a man
//! would see two of them are known before any man is looked at.

use chess::{
    Bitboard, Color, Move, Position, Rank, Role, Square,
    attacks::{self, Sliders},
};

use crate::{
    Fork, ForkMove, Reach, Side,
    exchange::{Exchange, passed_pawn},
    field::{Field, VALUES},
    mobility::Freedom,
    survey::Reaches,
};

/// The forks a side has now.
#[inline(always)]
pub(crate) fn now(field: &Field, color: Color, us: &mut Side, them: &Side) {
    let pieces = field.colors[!color as usize] - field.roles[Role::Pawn.index()];
    let undefended = pieces - them.attacks;
    for fork in both_ahead(!color, pieces) & field.of(color, Role::Pawn) {
        let targets = attacks::pawn(color, fork) & pieces;
        us.forks.push(Fork { forker: fork, targets });
    }
    let dearer = Dearer::than_each(field);
    for reach in &us.reaches {
        let targets = reach.attacks & pieces & (dearer.than(reach.role) | undefended);
        if reach.role != Role::King && targets.is_many() {
            us.forks.push(Fork { forker: reach.square, targets });
        }
    }
}

/// The moves of a side that fork.
#[inline(always)]
pub(crate) fn moves<S: Sliders>(
    position: &Position,
    field: &Field,
    color: Color,
    us: &mut Side,
    them: &Side,
    by_them: Reaches,
    freedom: &Freedom,
) {
    let pieces = field.colors[!color as usize] - field.roles[Role::Pawn.index()];
    if !pieces.is_many() {
        return;
    }
    let [_, twice, more @ ..] = them.attack_counts;
    // A move takes away at most one defender of a man: it captures it or stands in its way, and
    // where it captures something it stands in nobody's way. En passant could do both, but to a
    // pawn every piece is dearer anyway.
    let shaky = pieces - more.into_iter().fold(twice, |any, plane| any | plane);
    let dearer = Dearer::than_each(field);
    let search = Search { field, color, pieces, shaky, dearer, freedom };

    let mut found = |mv: Option<ForkMove>| {
        if let Some(mv) = mv {
            us.fork_moves.push(mv);
        }
    };
    search.by_pawns::<S>(position, &mut found);
    let seeing = search.seeing_two::<S>();
    for reach in &us.reaches {
        let Reach { role, square: from, attacks } = *reach;
        let Some((ones, mut twos, dangerous)) = (match role {
            Role::Knight => Some((Bitboard::EMPTY, seeing.knight.twos, by_them.pawns)),
            Role::Bishop => Some((seeing.bishop.ones, seeing.bishop.twos, by_them.pawns)),
            Role::Rook => {
                Some((seeing.rook.ones, seeing.rook.twos, by_them.pawns | by_them.minors))
            }
            Role::Queen => Some((
                seeing.queen.ones,
                seeing.queen.twos,
                by_them.pawns | by_them.minors | by_them.rooks,
            )),
            Role::Pawn | Role::King => None,
        }) else {
            continue;
        };
        let targets = attacks & pieces & (dearer.than(role) | shaky);
        if role != Role::Knight && targets.is_some() {
            // A slider that moves away from a target keeps seeing it.
            let mut seen = Twice { ones, twos };
            for target in targets {
                let line = attacks::line(from, target) - attacks::between(from, target);
                seen.add(line & attacks);
            }
            twos = seen.twos;
        }
        // What a cheaper man attacks is lost there whatever protects it.
        for to in freedom.among(from, attacks & twos) - dangerous {
            let mv = Move { from, to, promotion: None };
            found(search.test::<S>(role, mv));
        }
    }
}

/// Squares counted up to two.
#[derive(Clone, Copy, Default)]
struct Twice {
    ones: Bitboard,
    twos: Bitboard,
}

impl Twice {
    #[inline(always)]
    fn add(&mut self, set: Bitboard) {
        self.twos |= self.ones & set;
        self.ones |= set;
    }
}

/// From where a man of each role would see targets.
#[derive(Default)]
struct Seeing {
    knight: Twice,
    bishop: Twice,
    rook: Twice,
    queen: Twice,
}

/// Men of both colours that are worth more than a role.
#[derive(Clone, Copy)]
struct Dearer([Bitboard; 6]);

impl Dearer {
    #[inline(always)]
    fn than_each(field: &Field) -> Dearer {
        let [pawns, .., rooks, queens, kings] = field.roles;
        let than_rook = queens | kings;
        let than_minor = than_rook | rooks;
        Dearer([!pawns, than_minor, than_minor, than_rook, kings, Bitboard::EMPTY])
    }

    #[inline(always)]
    fn than(&self, role: Role) -> Bitboard {
        self.0[role.index()]
    }
}

struct Search<'a> {
    field: &'a Field,
    color: Color,
    /// Enemy men other than pawns.
    pieces: Bitboard,
    /// Those of them that have at most one defender.
    shaky: Bitboard,
    dearer: Dearer,
    freedom: &'a Freedom,
}

impl Search<'_> {
    #[inline(always)]
    fn seeing_two<S: Sliders>(&self) -> Seeing {
        let Search { field, color, pieces, shaky, dearer, .. } = *self;
        let mut seeing = Seeing::default();
        let own = field.colors[color as usize];
        let targets = pieces & (dearer.than(Role::Knight) | shaky);
        if (own & field.roles[Role::Knight.index()]).is_some() {
            for target in targets {
                seeing.knight.add(attacks::knight(target));
            }
        }
        let bishops = (own & field.diagonal).is_some();
        let rooks = (own & field.straight).is_some();
        let for_rooks = dearer.than(Role::Rook) | shaky;
        let for_queens = dearer.than(Role::Queen) | shaky;
        for target in targets {
            let mut diagonal = Bitboard::EMPTY;
            let mut straight = Bitboard::EMPTY;
            if bishops {
                diagonal = S::bishop(target, field.occupied);
                seeing.bishop.add(diagonal);
            }
            if rooks {
                straight = S::rook(target, field.occupied);
                if for_rooks.has(target) {
                    seeing.rook.add(straight);
                }
            }
            if for_queens.has(target) {
                seeing.queen.add(diagonal | straight);
            }
        }
        seeing
    }

    /// Whether a legal move forks, given what the man is afterwards.
    #[inline(always)]
    fn test<S: Sliders>(&self, role: Role, mv: Move) -> Option<ForkMove> {
        let field = self.field;
        let Move { from, to, .. } = mv;
        let occupied = field.occupied ^ from | to;
        let attacked = match role {
            Role::Knight => attacks::knight(to),
            Role::Bishop => S::bishop(to, occupied),
            Role::Rook => S::rook(to, occupied),
            Role::Queen => S::bishop(to, occupied) | S::rook(to, occupied),
            Role::Pawn | Role::King => Bitboard::EMPTY,
        };
        let seen = attacked & self.pieces;
        let mut targets = seen & self.dearer.than(role);
        let uncertain = seen & self.shaky - targets;
        if !(targets | uncertain).is_many() {
            return None;
        }
        let exchange =
            Exchange { square: to, occupied, begins: !self.color, value: VALUES[role.index()] };
        if exchange.gain::<S>(field) > 0 {
            return None;
        }
        let enemy = field.colors[!self.color as usize] & occupied - to;
        for target in uncertain {
            if (field.attackers::<S>(target, occupied) & enemy).is_empty() {
                targets |= target;
            }
        }
        targets.is_many().then_some(ForkMove { mv, targets })
    }

    #[inline(always)]
    fn by_pawns<S: Sliders>(&self, position: &Position, found: &mut impl FnMut(Option<ForkMove>)) {
        let Search { field, color, pieces, freedom, .. } = *self;
        let pawns = field.of(color, Role::Pawn);
        let enemy = field.colors[!color as usize];
        let seventh = Bitboard::rank(Rank::SEVENTH.of(color));
        for from in pawns & seventh {
            let push = ahead(color, from.into()) - field.occupied;
            let takes = attacks::pawn(color, from) & enemy;
            for to in freedom.among(from, push | takes) {
                for role in Role::PROMOTIONS {
                    found(self.test::<S>(role, Move { from, to, promotion: Some(role) }));
                }
            }
        }
        for to in both_ahead(!color, pieces) - field.colors[color as usize] {
            let behind = ahead(!color, to.into());
            let mut from_where = Bitboard::EMPTY;
            if enemy.has(to) {
                from_where = attacks::pawn(!color, to) & pawns;
            } else if (behind & pawns).is_some() {
                from_where = behind;
            } else if to.rank() == Rank::FOURTH.of(color) && (behind & field.occupied).is_empty() {
                from_where = ahead(!color, behind) & pawns;
            }
            let targets = attacks::pawn(color, to) & pieces;
            for from in from_where {
                if freedom.among(from, to.into()).is_some() {
                    let occupied = field.occupied ^ from | to;
                    found(self.pawn_fork::<S>(from, to, occupied, targets));
                }
            }
            if position.en_passant() == Some(to) && position.turn() == color {
                for from in attacks::pawn(!color, to) & pawns {
                    let occupied = (field.occupied ^ from | to) - passed_pawn(to);
                    let king = field.king(color);
                    let checkers = field.attackers::<S>(king, occupied) & enemy & occupied;
                    if checkers.is_empty() {
                        found(self.pawn_fork::<S>(from, to, occupied, targets));
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn pawn_fork<S: Sliders>(
        &self,
        from: Square,
        to: Square,
        occupied: Bitboard,
        targets: Bitboard,
    ) -> Option<ForkMove> {
        let exchange = Exchange { square: to, occupied, begins: !self.color, value: 1 };
        let safe = exchange.gain::<S>(self.field) == 0;
        safe.then_some(ForkMove { mv: Move { from, to, promotion: None }, targets })
    }
}

/// The squares that have members of a set diagonally on both sides of the square before them, as
/// seen by pawns of the other colour than `color`.
#[inline(always)]
fn both_ahead(color: Color, set: Bitboard) -> Bitboard {
    let row = ahead(color, set);
    row.left() & row.right()
}

#[inline(always)]
fn ahead(color: Color, set: Bitboard) -> Bitboard {
    match color {
        Color::White => set.up(),
        Color::Black => set.down(),
    }
}
