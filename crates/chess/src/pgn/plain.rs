//! Plain moves: a pawn or piece that goes to a square and changes nothing else. Nine of ten moves
//! are plain. They are read, found and made in one go, nearly without branches, because which
//! piece moves where cannot be predicted. Whatever is not plain is left to [`San`](crate::San)
//! and to [`Position::make`], which find the same.

use crate::{
    Bitboard, Board, Color, File, Move, Piece, Position, Rank, Role, Square,
    attacks::{self, Sliders},
    movegen::{Black, Side, White, attackers},
    zobrist,
};

/// The longest text of a plain move, such as `Qa1xd4+`.
pub(super) const LONGEST: usize = 7;

/// The move that a text means, and the position after it, if the move is plain. The text stands in
/// the lowest bytes, first byte lowest, and the bytes behind it are zero.
#[inline(always)]
pub(super) fn play<S: Sliders>(
    position: &Position,
    text: u64,
    length: usize,
) -> Option<(Move, Position)> {
    let words = Words::of(text, length)?;
    match position.turn {
        Color::White => words.play::<S, White>(position),
        Color::Black => words.play::<S, Black>(position),
    }
}

/// What the text of a move says.
struct Words {
    role: Role,
    /// Where the piece may come from.
    origins: Bitboard,
    to: Square,
}

impl Words {
    /// At most one letter or digit says where the piece comes from.
    #[inline(always)]
    fn of(text: u64, length: usize) -> Option<Words> {
        let mark = (text >> (8 * (length - 1))) as u8;
        let length = length - usize::from(mark == b'+' || mark == b'#');
        // The last bytes, moved to the top: `..xe4`.
        let tail = text << ((64 - 8 * length) & 63);
        let rank = ((tail >> 56) as u8).wrapping_sub(b'1');
        let file = ((tail >> 48) as u8).wrapping_sub(b'a');
        let captures = (tail >> 40) as u8 == b'x';
        let before = tail << (16 + 8 * u32::from(captures)) >> 56;
        let role = ROLES[text as usize & 0xff];
        let is_piece = usize::from(role != Role::Pawn as u8);
        // Bytes that say where the piece comes from.
        let told = length.wrapping_sub(2 + is_piece + usize::from(captures));
        if (told > 1) | (rank | file > 7) | (role > Role::King as u8) {
            return None;
        }
        let origins = ORIGINS[before as usize & told.wrapping_neg() & 0xff];
        let to = Square::from_low_bits(u32::from(rank << 3 | file));
        Some(Words { role: Role::ALL[role as usize], origins, to })
    }

    #[inline(always)]
    fn play<S: Sliders, C: Side>(self, position: &Position) -> Option<(Move, Position)> {
        let Words { role, to, .. } = self;
        let board = &position.board;
        let target = Bitboard::of(to);
        let (us, them) = (board.by_color(C::COLOR), board.by_color(C::Other::COLOR));
        let origin = self.candidates::<C>(board);
        let from = origin.only()?;
        // Nothing stands between, and the target is what the move says it is.
        let way = attacks::between(from, to) & board.occupied();
        let wrong = target & (them ^ all_if(self.pawn_captures()));

        let is_pawn = all_if(role == Role::Pawn);
        let is_king = all_if(role == Role::King);
        let back = Bitboard::rank(Rank::FIRST.of(C::COLOR));
        let last = Bitboard::rank(Rank::EIGHTH.of(C::COLOR));
        let rights = position.castling & (origin | target | back & is_king);
        // A pawn that passes another by two squares may be captured en passant.
        let second = Bitboard::rank(Rank::SECOND.of(C::COLOR));
        let fourth = Bitboard::rank(Rank::FOURTH.of(C::COLOR));
        let beside = all_if(!(origin & second).is_empty())
            & ((target & fourth).left() | (target & fourth).right())
            & board.by_role(Role::Pawn)
            & them;
        let special = way | target & us | is_pawn & (target & last | beside | wrong);
        if !special.is_empty() {
            return None;
        }

        // Of the enemy nothing changes but what is captured.
        let step = origin | target;
        let king = (board.by_piece(C::COLOR, Role::King) - origin) | target & is_king;
        let king = Square::from_low_bits(king.0.trailing_zeros());
        let occupied = (us ^ step) | them;
        if !(attackers::<S, C::Other>(board, king, occupied) - target).is_empty() {
            return None;
        }

        let mut next = *board;
        for set in &mut next.roles {
            *set -= step;
        }
        next.roles[role.index()] |= target;
        next.colors[C::COLOR as usize] = us ^ step;
        next.colors[C::Other::COLOR as usize] = them - target;
        let captured = zobrist::captured(board, C::Other::COLOR, to);
        let key = |square| zobrist::piece(Piece { color: C::COLOR, role }, square);
        let mut hash = position.hash ^ zobrist::black_to_move() ^ key(from) ^ key(to) ^ captured;
        for rook in rights {
            hash ^= zobrist::castling(rook);
        }
        if let Some(square) = position.en_passant {
            hash ^= zobrist::en_passant(square);
        }
        let is_reversible = (role != Role::Pawn) & !them.contains(to);
        let halfmoves = position.halfmoves.saturating_add(1) * u16::from(is_reversible);
        let fullmoves = position.fullmoves.saturating_add((C::COLOR == Color::Black).into());
        let next = Position {
            board: next,
            hash,
            castling: position.castling - rights,
            halfmoves,
            fullmoves,
            en_passant: None,
            turn: C::Other::COLOR,
        };
        Some((Move { from, to, promotion: None }, next))
    }

    /// The pieces that the text may mean if nothing stands in their way.
    #[inline(always)]
    fn candidates<C: Side>(&self, board: &Board) -> Bitboard {
        let Words { role, origins, to } = *self;
        let row = if self.pawn_captures() { PAWN_CAPTURES } else { role.index() };
        let reached = REACHES[C::COLOR as usize][row][to.index()];
        let candidates = reached & origins & board.by_piece(C::COLOR, role);
        if candidates.is_many() {
            let occupied = board.occupied();
            let is_free = |from: &Square| (attacks::between(*from, to) & occupied).is_empty();
            return candidates.filter(is_free).collect();
        }
        candidates
    }

    /// A pawn that is said to come from another file captures, else it advances.
    #[inline(always)]
    fn pawn_captures(&self) -> bool {
        (self.role == Role::Pawn) & !self.origins.contains(self.to)
    }
}

/// Every square or none: a condition that costs no branch.
#[inline(always)]
const fn all_if(condition: bool) -> Bitboard {
    Bitboard((condition as u64).wrapping_neg())
}

/// The role by the first byte of a text, or more than any.
static ROLES: [u8; 256] = {
    let mut table = [u8::MAX; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(_file) = File::from_letter(byte as u8) {
            table[byte] = Role::Pawn as u8;
        } else if let Some(role) = Role::from_letter(byte as u8)
            && role as u8 != Role::Pawn as u8
        {
            table[byte] = role as u8;
        }
        byte += 1;
    }
    table
};

/// The squares of a file by its letter, of a rank by its digit; for zero, which says nothing, all.
static ORIGINS: [Bitboard; 256] = {
    let mut table = [Bitboard::EMPTY; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(file) = File::from_letter(byte as u8) {
            table[byte] = Bitboard::file(file);
        } else if let Some(rank) = Rank::from_digit(byte as u8) {
            table[byte] = Bitboard::rank(rank);
        }
        byte += 1;
    }
    table[0] = Bitboard::FULL;
    table
};

/// The row behind those of the roles.
const PAWN_CAPTURES: usize = 6;

/// Where a role of a colour can come from to a square on an empty board, and where a pawn can
/// come from that captures.
static REACHES: [[[Bitboard; 64]; 7]; 2] = [reaches(Color::White), reaches(Color::Black)];

const fn reaches(color: Color) -> [[Bitboard; 64]; 7] {
    let mut table = [[Bitboard::EMPTY; 64]; 7];
    table[PAWN_CAPTURES] = attacks::PAWN[1 - color as usize];
    let mut index = 0;
    while index < 64 {
        let to = Square::from_index(index);
        let back = if matches!(color, Color::White) { -1 } else { 1 };
        if let Some(one) = to.step(0, back) {
            table[Role::Pawn.index()][index].0 |= Bitboard::of(one).0;
        }
        if let Some(two) = to.step(0, 2 * back)
            && to.rank().index() == Rank::FOURTH.of(color).index()
        {
            table[Role::Pawn.index()][index].0 |= Bitboard::of(two).0;
        }
        let (diagonal, straight) = (attacks::BISHOP_RAYS[index], attacks::ROOK_RAYS[index]);
        table[Role::Knight.index()][index] = attacks::KNIGHT[index];
        table[Role::Bishop.index()][index] = diagonal;
        table[Role::Rook.index()][index] = straight;
        table[Role::Queen.index()][index] = Bitboard(diagonal.0 | straight.0);
        table[Role::King.index()][index] = attacks::KING[index];
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, San, attacks::Magic};

    const STARTS: [&str; 3] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        // Many queens, rooks and knights, so that files and ranks have to be told.
        "3k4/1q1n1r2/8/2Q1Q3/n1N5/2Q1Q1R1/R2N2r1/4K3 w - - 0 1",
    ];

    #[test]
    fn plain_moves_are_those_that_san_finds_and_the_board_makes() {
        let seed = 17;
        let mut random = Random::new(seed);
        let (mut plain, mut legal) = (0, 0);
        for start in STARTS.iter().cycle().take(30) {
            let mut position = Position::from_fen(start).expect("a legal position");
            for _ in 0..60 {
                let moves: Vec<Move> = position.legal_moves().iter().collect();
                if moves.is_empty() {
                    break;
                }
                for mv in &moves {
                    let text = San::of(&position, *mv).to_string();
                    plain += usize::from(compare(&position, text.as_bytes(), seed));
                    legal += 1;
                }
                position = position.play(moves[random.below(moves.len())]);
            }
        }
        assert!(plain * 10 > legal * 8, "{plain} of {legal} moves are plain");
    }

    #[test]
    fn whatever_is_said_of_a_move_is_understood_as_san_does() {
        let seed = 18;
        let mut random = Random::new(seed);
        let told: Vec<String> = ["", "a", "c", "e", "h", "1", "2", "5", "7", "-", "N", "e3", "aa"]
            .iter()
            .flat_map(|told| [told.to_string(), format!("{told}x")])
            .collect();
        for start in STARTS.iter().cycle().take(12) {
            let mut position = Position::from_fen(start).expect("a legal position");
            for _ in 0..random.below(50) {
                let moves: Vec<Move> = position.legal_moves().iter().collect();
                let Some(mv) = moves.get(random.below(moves.len().max(1))) else {
                    break;
                };
                position = position.play(*mv);
            }
            for role in ["", "N", "B", "R", "Q", "K", "P", "O"] {
                for told in &told {
                    for to in Square::all() {
                        let mark = ["", "+", "#", "!"][random.below(4)];
                        let text = format!("{role}{told}{to}{mark}");
                        compare(&position, text.as_bytes(), seed);
                    }
                }
            }
        }
    }

    /// Whether the text is a plain move; if so, it must be what the other way finds.
    fn compare(position: &Position, text: &[u8], seed: u64) -> bool {
        if text.len() > LONGEST {
            return false;
        }
        let mut bytes = [0; 8];
        bytes[..text.len()].copy_from_slice(text);
        let word = u64::from_le_bytes(bytes);
        let Some((mv, next)) = play::<Magic>(position, word, text.len()) else { return false };
        let place = || format!("{} in {position}, seed {seed}", String::from_utf8_lossy(text));
        let found = San::from_ascii(text).and_then(|san| san.find(position));
        assert_eq!(found, Ok(mv), "{}", place());
        assert_eq!(position.play(mv), next, "{}", place());
        true
    }
}
