//! FENs of many positions, one after the other.

use super::{LETTERS, castling_letter};
use crate::{Bitboard, Board, Position};

/// Writes the FENs of many positions, such as those of a game. It looks only at ranks that differ
/// from those of the position before, which are two of eight after most moves, and is faster than
/// [`Position::write_fen`] for that.
///
/// ```
/// use chess::{FenWriter, Position};
///
/// let mut writer = FenWriter::default();
/// let mut fen = String::new();
/// writer.write(&Position::default(), &mut fen);
/// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
#[derive(Clone, Debug)]
pub struct FenWriter {
    /// The board that was written last.
    board: Board,
    /// Its ranks, the first one first.
    ranks: [RankText; 8],
}

#[derive(Clone, Copy, Debug)]
struct RankText {
    letters: [u8; 8],
    length: usize,
}

impl Default for FenWriter {
    fn default() -> FenWriter {
        FenWriter { board: Board::EMPTY, ranks: [RankText::of(&Board::EMPTY, 0); 8] }
    }
}

impl FenWriter {
    /// Appends the FEN of a position to a string, without allocating if there is room.
    pub fn write(&mut self, position: &Position, out: &mut String) {
        let board = position.board();
        let changed = changed(&self.board, board);
        for (rank, text) in self.ranks.iter_mut().enumerate() {
            if changed.0 >> (8 * rank) & 0xff != 0 {
                *text = RankText::of(board, rank);
            }
        }
        self.board = *board;
        let mut text = [0; 80];
        let mut end = 0;
        for RankText { letters, length } in self.ranks.iter().rev() {
            // All eight bytes are one store; what is too much is written over.
            text[end..end + 8].copy_from_slice(letters);
            text[end + length] = b'/';
            end += length + 1;
        }
        out.reserve(96);
        out.push_str(std::str::from_utf8(&text[..end - 1]).expect("ASCII"));
        position.write_state(out, castling_letter);
        position.write_clocks(out);
    }
}

/// The squares on which two boards differ.
fn changed(one: &Board, other: &Board) -> Bitboard {
    let words = one.roles.iter().chain(&one.colors).zip(other.roles.iter().chain(&other.colors));
    words.fold(Bitboard::EMPTY, |changed, (one, other)| changed | (*one ^ *other))
}

impl RankText {
    fn of(board: &Board, rank: usize) -> RankText {
        let row = |squares: Bitboard| (squares.0 >> (8 * rank)) as u8;
        let [_, knights, bishops, rooks, queens, kings] = board.roles;
        let bits = [knights | rooks | kings, bishops | rooks, queens | kings, board.colors[1]];
        let bits = bits.map(row);
        let mut letters = [0; 8];
        let mut length = 0;
        let mut push = |letter: u8| {
            letters[length] = letter;
            length += 1;
        };
        let mut occupied = row(board.occupied());
        let mut next = 0;
        while occupied != 0 {
            let file = occupied.trailing_zeros() as u8;
            if file > next {
                push(b'0' + file - next);
            }
            let bit = |index: usize| usize::from(bits[index] >> file & 1);
            push(LETTERS[bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3]);
            next = file + 1;
            occupied &= occupied - 1;
        }
        if next < 8 {
            push(b'8' - next);
        }
        RankText { letters, length }
    }
}
