//! Forks, and the moves that make them, found from the targets: the squares from which a piece
//! would see two of them are known before any piece is looked at.

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

/// The forks a side has, and its moves that fork. Returns where the pieces other than the king
/// may go.
#[inline(always)]
pub(crate) fn find<S: Sliders>(
    position: &Position,
    field: &Field,
    color: Color,
    us: &mut Side,
    them: &Side,
    by_them: Reaches,
    freedom: &Freedom,
) -> Bitboard {
    let pieces = field.colors[!color as usize] - field.roles[Role::Pawn.index()];
    for forker in both_ahead(!color, pieces) & field.of(color, Role::Pawn) {
        let targets = attacks::pawn(color, forker) & pieces;
        us.forks.push(Fork { forker, targets });
    }
    let undefended = pieces - them.attacks;
    let [_, twice, more @ ..] = them.attack_counts;
    // A move takes away at most one defender of a piece: it captures it or stands in its way, and
    // where it captures something it stands in nobody's way. En passant could do both, but to a
    // pawn every piece is dearer anyway.
    let shaky = pieces - more.into_iter().fold(twice, |any, plane| any | plane);
    let dearer = Dearer::than_each(field);
    let search = Search { field, color, pieces, shaky, dearer, freedom };

    let seeing = search.seeing_two::<S>(us, them);
    let mut found = |mv: Option<ForkMove>| {
        if let Some(mv) = mv {
            us.fork_moves.push(mv);
        }
    };
    search.by_pawns::<S>(position, &mut found);
    // What a cheaper piece attacks is lost there whatever protects it.
    let by_minors = by_them.pawns | by_them.minors;
    let by_rooks = by_minors | by_them.rooks;
    let dangerous =
        [Bitboard::FULL, by_them.pawns, by_them.pawns, by_minors, by_rooks, Bitboard::FULL];
    let mut reached = Bitboard::EMPTY;
    for reach in &us.reaches {
        let Reach { role, square: from, attacks } = *reach;
        if role == Role::King {
            continue;
        }
        let dear = dearer.than(role);
        let targets = attacks & pieces & (dear | undefended);
        if targets.is_many() {
            us.forks.push(Fork { forker: from, targets });
        }
        let mut seen = seeing.0[role.index()];
        // A slider that moves away from a target keeps seeing it.
        for target in attacks & pieces & (dear | shaky) {
            let line = attacks::line(from, target) - attacks::between(from, target);
            seen.add(line & attacks);
        }
        let free = freedom.among(from, attacks);
        reached |= free;
        for to in free & (seen.twos - dangerous[role.index()]) {
            let mv = Move { from, to, promotion: None };
            found(search.test::<S>(role, mv));
        }
    }
    reached
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

/// From where a piece of each role would see targets, by [`Role::index`].
#[derive(Default)]
struct Seeing([Twice; 6]);

/// Pieces of both colours that are worth more than a role.
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
    /// Enemy pieces other than pawns.
    pieces: Bitboard,
    /// Those of them that have at most one defender.
    shaky: Bitboard,
    dearer: Dearer,
    freedom: &'a Freedom,
}

impl Search<'_> {
    /// From where pieces see two targets. A target that has one defender and is not dear enough
    /// counts only where the move takes the defender or stands in its way.
    #[inline(always)]
    fn seeing_two<S: Sliders>(&self, us: &Side, them: &Side) -> Seeing {
        let Search { field, color, pieces, shaky, .. } = *self;
        let [_, knights, bishops, rooks, queens, _] = field.roles;
        let occupied = field.occupied;
        let mut seeing = Seeing::default();
        // Minor pieces are dearer than no piece, so they must be undefended.
        for target in pieces & shaky & (knights | bishops) {
            let (diagonal, straight) = (S::bishop(target, occupied), S::rook(target, occupied));
            self.see(&mut seeing, them, target, diagonal, straight);
        }
        for target in pieces & (rooks | queens) {
            let (diagonal, straight) = (S::bishop(target, occupied), S::rook(target, occupied));
            self.see(&mut seeing, them, target, diagonal, straight);
        }
        let king = field.king(!color);
        self.see(&mut seeing, them, king, us.check_squares[2], us.check_squares[3]);
        seeing
    }

    /// Counts the squares from which one target is seen.
    #[inline(always)]
    fn see(
        &self,
        seeing: &mut Seeing,
        them: &Side,
        target: Square,
        diagonal: Bitboard,
        straight: Bitboard,
    ) {
        let Search { field, color, shaky, dearer, .. } = *self;
        let [pawns, knights, .., kings] = field.roles;
        let near = attacks::knight(target);
        let defender = field.colors[!color as usize]
            & (attacks::pawn(color, target) & pawns
                | near & knights
                | attacks::king(target) & kings
                | diagonal & field.diagonal
                | straight & field.straight);
        let unguarded = defender | attacks::between(lowest(defender), target);
        let whence =
            all_if(!them.attacks.contains(target)) | unguarded & all_if(shaky.contains(target));
        let dear = |role| all_if(dearer.than(role).contains(target));
        let for_minors = whence | dear(Role::Knight);
        let [_, by_knight, by_bishop, by_rook, by_queen, _] = &mut seeing.0;
        by_knight.add(near & for_minors);
        by_bishop.add(diagonal & for_minors);
        by_rook.add(straight & (whence | dear(Role::Rook)));
        by_queen.add((diagonal | straight) & (whence | dear(Role::Queen)));
    }

    /// Whether a legal move forks, given what the piece is afterwards.
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
        let uncertain = seen & (self.shaky - targets);
        if !(targets | uncertain).is_many() {
            return None;
        }
        let exchange =
            Exchange { square: to, occupied, begins: !self.color, value: VALUES[role.index()] };
        if exchange.gain::<S>(field) > 0 {
            return None;
        }
        let enemy = field.colors[!self.color as usize] & (occupied - to);
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
            if enemy.contains(to) {
                from_where = attacks::pawn(!color, to) & pawns;
            } else if !(behind & pawns).is_empty() {
                from_where = behind;
            } else if to.rank() == Rank::FOURTH.of(color) && (behind & field.occupied).is_empty() {
                from_where = ahead(!color, behind) & pawns;
            }
            let targets = attacks::pawn(color, to) & pieces;
            for from in from_where {
                if !freedom.among(from, to.into()).is_empty() {
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

/// Every square or none, without a branch.
#[inline(always)]
fn all_if(holds: bool) -> Bitboard {
    Bitboard(u64::from(holds).wrapping_neg())
}

/// The first square of a set, or any square of an empty one.
#[inline(always)]
fn lowest(set: Bitboard) -> Square {
    Square::from_index(set.0.trailing_zeros() as usize & 63)
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
