//! Forsyth-Edwards notation, with X-FEN and Shredder castling.
//!
//! Read: `KQkq` name the outermost rook on that side of the king (X-FEN), `A` to `H` and
//! `a` to `h` a rook by its file (Shredder). The en-passant square may be given whether or not
//! a capture is possible. The two counters may be missing, as in EPD.
//!
//! Written: `KQkq` where the rook is the outermost one and its file letter where it is not; the
//! en-passant square only if a legal capture exists.

mod writer;

use std::{fmt, str::FromStr};

pub use self::writer::FenWriter;
use crate::{
    Bitboard, Board, CastlingSide, Color, File, IllegalPosition, Piece, Position, Rank, Role,
    Setup, Square,
};

/// Why a text is not the FEN of a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// A field is not there.
    #[error("{0} missing")]
    Missing(FenField),
    /// Text after the last field.
    #[error("unexpected '{0}' after the move number")]
    Trailing(String),
    /// More or fewer than eight ranks.
    #[error("{0} ranks, expected 8")]
    Ranks(usize),
    /// A rank that is too long or too short.
    #[error("rank {rank} has {files} files, expected 8")]
    Files {
        /// Which rank.
        rank: Rank,
        /// How many files it describes.
        files: u32,
    },
    /// A character that is no piece.
    #[error("rank {rank}: '{}' is neither a piece nor a count of empty squares", .found.escape_debug())]
    Piece {
        /// On which rank.
        rank: Rank,
        /// The character.
        found: char,
    },
    /// A side to move other than `w` and `b`.
    #[error("side to move '{0}', expected 'w' or 'b'")]
    Turn(String),
    /// A character that is no castling right.
    #[error("castling right '{}', expected KQkq, a file letter or '-'", .0.escape_debug())]
    Castling(char),
    /// A castling right whose rook or king is not there.
    #[error("castling right '{}', but there is no rook for it", .0.escape_debug())]
    CastlingRook(char),
    /// Something that is no square.
    #[error("en-passant square '{0}', expected a square or '-'")]
    EnPassant(String),
    /// Something that is no small number.
    #[error("{field} '{found}', expected a number up to 65535")]
    Counter {
        /// Which counter.
        field: FenField,
        /// What stands there.
        found: String,
    },
    /// The parts are well formed, but not a legal position.
    #[error(transparent)]
    Illegal(#[from] IllegalPosition),
}

/// The six fields of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FenField {
    Board,
    Turn,
    Castling,
    EnPassant,
    Halfmoves,
    Fullmoves,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenField::Board => "board",
            FenField::Turn => "side to move",
            FenField::Castling => "castling rights",
            FenField::EnPassant => "en-passant square",
            FenField::Halfmoves => "halfmove clock",
            FenField::Fullmoves => "move number",
        })
    }
}

impl Position {
    /// Reads a FEN of four, five or six fields.
    pub fn from_fen(fen: impl AsRef<[u8]>) -> Result<Position, FenError> {
        Position::read_fen(fen.as_ref())
    }

    fn read_fen(fen: &[u8]) -> Result<Position, FenError> {
        let mut fields = Fields(fen);
        let setup = fields.setup()?;
        let halfmoves = fields.counter(FenField::Halfmoves)?.unwrap_or(0);
        let fullmoves = fields.counter(FenField::Fullmoves)?.unwrap_or(1);
        if let Some(rest) = fields.next() {
            return Err(FenError::Trailing(shown(rest)));
        }
        Ok(Position::new(Setup { halfmoves, fullmoves, ..setup })?)
    }

    /// Reads a position as people name it: a FEN, or `start` or `startpos` for the one that games
    /// start from. White space around it says nothing.
    ///
    /// ```
    /// use chess::Position;
    ///
    /// assert_eq!(Position::from_text(" startpos"), Ok(Position::default()));
    /// assert!(Position::from_text("8/8/8/8/8/4k3/8/4K3 w - - 0 1").is_ok());
    /// ```
    pub fn from_text(text: &str) -> Result<Position, FenError> {
        match text.trim() {
            "start" | "startpos" => Ok(Position::default()),
            fen => fen.parse(),
        }
    }

    /// Appends the FEN to a string, without allocating if there is room.
    pub fn write_fen(&self, out: &mut String) {
        self.write_epd_fields(out, castling_letter);
        self.write_clocks(out);
    }

    fn write_clocks(&self, out: &mut String) {
        out.push(' ');
        push_number(out, self.halfmoves);
        out.push(' ');
        push_number(out, self.fullmoves);
    }

    /// The FEN with castling rights by file letters, as Chess960 programs of the Shredder
    /// family write it.
    pub fn shredder_fen(&self) -> String {
        let mut out = String::new();
        self.write_epd_fields(&mut out, |_, _, rook, _| rook.file().letter());
        out + &format!(" {} {}", self.halfmoves, self.fullmoves)
    }

    /// Appends the first four fields, which are also those of EPD.
    pub(crate) fn write_epd_fields(
        &self,
        out: &mut String,
        letter: fn(&Position, Color, Square, CastlingSide) -> char,
    ) {
        out.reserve(96);
        write_board(&self.board, out);
        self.write_state(out, letter);
    }

    /// Appends the second, third and fourth field, each behind a blank.
    fn write_state(
        &self,
        out: &mut String,
        letter: fn(&Position, Color, Square, CastlingSide) -> char,
    ) {
        out.push(' ');
        out.push(self.turn.letter());
        out.push(' ');
        if self.castling.is_empty() {
            out.push('-');
        } else {
            self.write_castling(out, letter);
        }
        out.push(' ');
        match self.en_passant {
            Some(square) => {
                out.push(square.file().letter());
                out.push(square.rank().digit());
            }
            None => out.push('-'),
        }
    }

    fn write_castling(
        &self,
        out: &mut String,
        letter: fn(&Position, Color, Square, CastlingSide) -> char,
    ) {
        for color in Color::ALL {
            for side in [CastlingSide::Short, CastlingSide::Long] {
                if let Some(rook) = self.castling_rook(color, side) {
                    let letter = letter(self, color, rook, side);
                    out.push(match color {
                        Color::White => letter.to_ascii_uppercase(),
                        Color::Black => letter,
                    });
                }
            }
        }
    }
}

/// The X-FEN letter of a castling right, in lower case.
pub(crate) fn castling_letter(
    position: &Position,
    color: Color,
    rook: Square,
    side: CastlingSide,
) -> char {
    match (outermost_rook(&position.board, color, side) == Some(rook), side) {
        (true, CastlingSide::Short) => 'k',
        (true, CastlingSide::Long) => 'q',
        (false, _) => rook.file().letter(),
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Position, FenError> {
        Position::from_fen(fen)
    }
}

/// Writes the FEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fen = String::new();
        self.write_fen(&mut fen);
        f.write_str(&fen)
    }
}

/// The fields of a line, separated by blanks.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.0.trim_ascii_start();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        self.0 = &text[end..];
        (end > 0).then_some(&text[..end])
    }

    #[inline]
    fn expect(&mut self, field: FenField) -> Result<&'a [u8], FenError> {
        match self.next() {
            Some(text) => Ok(text),
            None => Err(FenError::Missing(field)),
        }
    }

    /// The four fields that FEN and EPD share, with the counters at their defaults.
    pub(crate) fn setup(&mut self) -> Result<Setup, FenError> {
        let board = parse_board(self)?;
        let turn = match self.expect(FenField::Turn)? {
            b"w" => Color::White,
            b"b" => Color::Black,
            other => return Err(FenError::Turn(shown(other))),
        };
        let castling = self.expect(FenField::Castling)?;
        let castling = parse_castling(castling, &board)?;
        let en_passant = match self.expect(FenField::EnPassant)? {
            b"-" => None,
            name => Some(Square::from_ascii(name).ok_or_else(|| FenError::EnPassant(shown(name)))?),
        };
        Ok(Setup { board, turn, castling, en_passant, halfmoves: 0, fullmoves: 1 })
    }

    fn counter(&mut self, field: FenField) -> Result<Option<u16>, FenError> {
        let Some(text) = self.next() else { return Ok(None) };
        let wrong = || FenError::Counter { field, found: shown(text) };
        let mut number = 0u16;
        for &byte in text {
            let digit = u16::from(byte.wrapping_sub(b'0'));
            if digit > 9 {
                return Err(wrong());
            }
            number = number
                .checked_mul(10)
                .and_then(|number| number.checked_add(digit))
                .ok_or_else(wrong)?;
        }
        Ok(Some(number))
    }
}

/// Reads a board without a branch for each character: a table says what to store and how far
/// to go on. Anything irregular is left to the plain way, which says what is wrong.
#[inline]
fn parse_board(fields: &mut Fields<'_>) -> Result<Board, FenError> {
    let text = fields.0.trim_ascii_start();
    // Sixteen places for a rank, from the eighth downwards: eight squares, then its slash, which
    // goes on to the next rank. Every character moves the cursor, so none is overwritten unless
    // the text is too long, and a slash in a wrong place is seen as one.
    let mut codes = [0; 128];
    let mut cursor = 0;
    let mut length = 0;
    while let Some(&byte) = text.get(length)
        && byte > b' '
    {
        let Character { code, places } = CHARACTERS[byte as usize];
        codes[cursor & 127] = code;
        cursor += places as usize;
        length += 1;
    }
    match board_of(&codes).filter(|_| cursor == 7 * 16 + 8) {
        Some(board) => {
            fields.0 = &text[length..];
            Ok(board)
        }
        None => {
            let field = fields.expect(FenField::Board)?;
            parse_board_plainly(field)
        }
    }
}

/// What a character of the board field means.
#[derive(Clone, Copy)]
struct Character {
    /// A role counted from 1, plus 8 for Black; 0 if nothing is placed.
    code: u8,
    /// How far the next character's place is.
    places: u8,
}

const SLASH: u8 = 16;
const FOREIGN: u8 = 32;

static CHARACTERS: [Character; 256] = {
    let mut table = [Character { code: FOREIGN, places: 1 }; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(Piece { color, role }) = Piece::from_letter(byte as u8) {
            table[byte] = Character { code: role as u8 + 1 + 8 * color as u8, places: 1 };
        }
        byte += 1;
    }
    let mut count = 1;
    while count <= 8 {
        table[b'0' as usize + count] = Character { code: 0, places: count as u8 };
        count += 1;
    }
    table[b'/' as usize] = Character { code: SLASH, places: 8 };
    table
};

/// Turns codes of four bits into four bitboards, one for each bit, a rank at a time, and
/// combines these into sets. Slashes must be at the end of each rank and nowhere else.
#[inline]
fn board_of(codes: &[u8; 128]) -> Option<Board> {
    let mut bits = [Bitboard::EMPTY; 4];
    let mut regular = true;
    for (index, rank) in codes.chunks_exact(16).enumerate() {
        regular &= rank[8] == if index < 7 { SLASH } else { 0 };
        let rank = u64::from_le_bytes(*rank.first_chunk()?);
        regular &= rank & 0xf0f0_f0f0_f0f0_f0f0 == 0;
        for (bit, set) in bits.iter_mut().enumerate() {
            // Gathers the lowest bit of each byte into one byte.
            let ones = rank >> bit & 0x0101_0101_0101_0101;
            let byte = ones.wrapping_mul(0x0102_0408_1020_4080) >> 56;
            set.0 |= byte << (56 - 8 * index);
        }
    }
    let [one, two, four, black] = bits;
    let roles = [
        one & !two & !four,
        two & !one & !four,
        one & two,
        four & !one & !two,
        four & one,
        four & two,
    ];
    let pieces = one | two | four;
    regular.then_some(Board { roles, colors: [pieces - black, black] })
}

fn parse_board_plainly(text: &[u8]) -> Result<Board, FenError> {
    let mut board = Board::EMPTY;
    let mut ranks = 1;
    let mut files = 0;
    for &byte in text {
        match byte {
            b'/' => {
                check_files(ranks, files)?;
                ranks += 1;
                files = 0;
            }
            b'1'..=b'8' => files += u32::from(byte - b'0'),
            // Too many ranks are reported with their number; nothing of them is placed.
            _ if ranks > 8 => {}
            _ => {
                let rank = Rank::from_digit(b'9' - ranks as u8).expect("one of eight ranks");
                let Some(piece) = Piece::from_letter(byte) else {
                    return Err(FenError::Piece { rank, found: char::from(byte) });
                };
                if let Some(file) = File::all().nth(files as usize) {
                    board.put(Square::new(file, rank), piece);
                }
                files += 1;
            }
        }
    }
    check_files(ranks, files)?;
    if ranks == 8 { Ok(board) } else { Err(FenError::Ranks(ranks)) }
}

/// `ranks` counts from the eighth rank downwards.
#[inline]
fn check_files(ranks: usize, files: u32) -> Result<(), FenError> {
    if files == 8 || ranks > 8 {
        return Ok(());
    }
    let rank = Rank::from_digit(b'9' - ranks as u8).expect("one of eight ranks");
    Err(FenError::Files { rank, files })
}

fn parse_castling(text: &[u8], board: &Board) -> Result<Bitboard, FenError> {
    let mut rooks = Bitboard::EMPTY;
    if text == b"-" {
        return Ok(rooks);
    }
    for &letter in text {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rook = match letter.to_ascii_lowercase() {
            b'k' => outermost_rook(board, color, CastlingSide::Short),
            b'q' => outermost_rook(board, color, CastlingSide::Long),
            file => {
                let file = File::from_letter(file).ok_or(FenError::Castling(char::from(letter)))?;
                Some(Square::new(file, Rank::FIRST.of(color)))
            }
        };
        rooks |= rook.ok_or(FenError::CastlingRook(char::from(letter)))?;
    }
    Ok(rooks)
}

/// The rook furthest from the king on one side of it, if the king is on its back rank.
fn outermost_rook(board: &Board, color: Color, side: CastlingSide) -> Option<Square> {
    let back_rank = Bitboard::rank(Rank::FIRST.of(color));
    let king = (board.by_piece(color, Role::King) & back_rank).first()?;
    let rooks = board.by_piece(color, Role::Rook) & back_rank;
    match side {
        CastlingSide::Short => rooks.last().filter(|&rook| rook > king),
        CastlingSide::Long => rooks.first().filter(|&rook| rook < king),
    }
}

/// The letters of pieces, by four bits of what they are.
const LETTERS: &[u8; 16] = b"PNBRQK..pnbrqk..";

fn write_board(board: &Board, out: &mut String) {
    // One step for each piece, its letter put together from four sets, into a buffer: tables hold a
    // FEN in every row.
    let [_, knights, bishops, rooks, queens, kings] = board.roles;
    let bits = [knights | rooks | kings, bishops | rooks, queens | kings, board.colors[1]];
    let bits = bits.map(Bitboard::flip);
    let mut text = [0; 80];
    let mut length = 0;
    // Squares count from a8 along the ranks to h1, as in the text.
    let mut next = 0;
    for square in board.occupied().flip() {
        length = push_empty(&mut text, length, next, square.index());
        let bit = |index: usize| (bits[index].0 >> square.index() & 1) as usize;
        text[length] = LETTERS[bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3];
        length += 1;
        next = square.index() + 1;
    }
    length = push_empty(&mut text, length, next, 64);
    out.push_str(std::str::from_utf8(&text[..length]).expect("ASCII"));
}

/// Writes the empty squares from one square to another and the slashes on the way. A slash is
/// written before the first square of a rank.
#[inline(always)]
fn push_empty(text: &mut [u8; 80], mut length: usize, mut from: usize, to: usize) -> usize {
    loop {
        if from.is_multiple_of(8) && 0 < from && from < 64 && text[length.max(1) - 1] != b'/' {
            text[length] = b'/';
            length += 1;
        }
        if from == to {
            return length;
        }
        let end = to.min((from | 7) + 1);
        text[length] = b'0' + (end - from) as u8;
        length += 1;
        from = end;
    }
}

fn push_number(out: &mut String, number: u16) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// Foreign text for an error message: short and printable.
pub(crate) fn shown(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = String::from_utf8_lossy(&text[..text.len().min(LONGEST)])
        .chars()
        .flat_map(char::escape_debug)
        .collect();
    if text.len() > LONGEST {
        shown.push_str("...");
    }
    shown
}
