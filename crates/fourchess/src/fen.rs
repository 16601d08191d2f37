//! FEN4, the text of a position.
//!
//! `turn-dead-castling K-castling Q-points-clock[-{extra}]-board`, for instance
//! `R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-{'enPassant':('j3:j4','','','')}-3,yR,yN,...`. Lists run
//! by Red, Blue, Yellow, Green; the board runs from rank 14 down and from file a. Blanks and line
//! ends are skipped wherever they stand.

mod extra;

use std::fmt;

use thiserror::Error;

use crate::{
    castling::{CASTLES, home_index, near_side, right},
    geometry::PAWNS,
    piece::{Cell, Piece, Role},
    position::{Position, Status},
    rules::{EnPassant, KingCapture, Rules},
    seat::Seat,
    square::{Square, WIDTH},
};
use extra::Extra;

/// Why a text is not the FEN4 of a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// The text ends before this field.
    #[error("the {0} is missing")]
    Missing(&'static str),
    /// The first field names no seat.
    #[error("the turn is {0:?}, expected R, B, Y or G")]
    Turn(String),
    /// The seat to move is out.
    #[error("it is the turn of {0}, who is out")]
    TurnOfDead(Seat),
    /// A list has not four entries.
    #[error("{field} {text:?} has {entries} entries, expected 4")]
    Entries {
        /// Which list.
        field: &'static str,
        /// What it says.
        text: String,
        /// How many entries it has.
        entries: usize,
    },
    /// An entry of a list of flags is not 0 or 1.
    #[error("{field} of {seat} is {text:?}, expected 0 or 1")]
    Flag {
        /// Which list.
        field: &'static str,
        /// Whose entry.
        seat: Seat,
        /// What it says.
        text: String,
    },
    /// Points that are not a number from 0 to 32767.
    #[error("the points of {seat} are {text:?}, expected a number from 0 to 32767")]
    Points {
        /// Whose.
        seat: Seat,
        /// What it says.
        text: String,
    },
    /// A clock that is not a number from 0 to 65535.
    #[error("the clock is {0:?}, expected a number from 0 to 65535")]
    Clock(String),
    /// The part in braces is not what it should be there.
    #[error("the extra part is malformed at {0:?}")]
    Extra(String),
    /// An extra that would change the rules, or that is not known.
    #[error("the extra {name:?} with the value {value:?} is not supported")]
    UnknownExtra {
        /// Its name.
        name: String,
        /// What it says.
        value: String,
    },
    /// A royal piece that is not the king.
    #[error("the royal piece of {seat} is on {text:?}, where its king is not")]
    Royal {
        /// Whose.
        seat: Seat,
        /// What it says.
        text: String,
    },
    /// A pawn to be taken in passing that could not have come there.
    #[error("en passant of {seat} is {text:?}: no pawn of theirs has just passed there")]
    EnPassant {
        /// Whose pawn.
        seat: Seat,
        /// What it says.
        text: String,
    },
    /// The board has not fourteen ranks.
    #[error("the board has {0} ranks, expected 14")]
    Ranks(usize),
    /// A rank has not fourteen cells.
    #[error("rank {rank} has {cells} cells, expected 14")]
    Cells {
        /// Which rank, 1 to 14.
        rank: u8,
        /// How many cells it has.
        cells: usize,
    },
    /// A cell that is neither a piece nor a number.
    #[error("rank {rank} has {text:?}, which is neither a piece nor a number of empty squares")]
    Cell {
        /// Which rank, 1 to 14.
        rank: u8,
        /// What it says.
        text: String,
    },
    /// A piece in a corner, or a corner within the board.
    #[error("rank {rank} has {text:?} on file {file}, where it cannot be")]
    Corner {
        /// Which rank, 1 to 14.
        rank: u8,
        /// Which file.
        file: char,
        /// What it says.
        text: String,
    },
    /// A seat that plays must have one king, and one that is out at most one.
    #[error("{seat} has {kings} kings")]
    Kings {
        /// Whose.
        seat: Seat,
        /// How many.
        kings: usize,
    },
    /// More pieces than a game can bring about.
    #[error("{seat} has {pieces} pieces, expected at most 16")]
    Pieces {
        /// Whose.
        seat: Seat,
        /// How many.
        pieces: usize,
    },
}

impl Position {
    /// Reads a position as people name it: FEN4, or `start` or `startpos` for the one that games
    /// by the rules start from. White space says nothing.
    pub fn from_text(text: &str, rules: &Rules) -> Result<Position, FenError> {
        match text.trim() {
            "start" | "startpos" => Ok(Position::start(rules)),
            fen => Position::from_fen(fen, rules),
        }
    }

    /// Reads FEN4.
    ///
    /// Two things are put right instead of being refused, because their meaning is plain: rights
    /// that cannot be used are dropped (to castle without king or rook at home, or what the rules
    /// do not have), and coloured pieces of a seat that is out are dead, all but a king, which then
    /// walks. Extras that name who has left, or that only describe, are understood or skipped, and
    /// so are extras that say what the rules say anyway, such as `'pawnsBaseRank':2`, or that are
    /// off. Extras that would change the rules are refused.
    ///
    /// ```
    /// use fourchess::{Position, Rules};
    ///
    /// let start = Position::start(&Rules::TEAMS);
    /// let text = start.fen(&Rules::TEAMS).to_string();
    /// assert_eq!(Position::from_fen(&text, &Rules::TEAMS), Ok(start));
    /// ```
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with the text.
    pub fn from_fen(fen: impl AsRef<[u8]>, rules: &Rules) -> Result<Position, FenError> {
        // What is not UTF-8 counts as a letter that FEN4 does not have.
        Position::read_fen(&String::from_utf8_lossy(fen.as_ref()), rules)
    }

    fn read_fen(text: &str, rules: &Rules) -> Result<Position, FenError> {
        let text: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
        let mut rest = text.as_str();
        let mut field = |name| {
            let (field, after) = rest.split_once('-').ok_or(FenError::Missing(name))?;
            rest = after;
            Ok(field)
        };
        let turn = field("turn")?;
        let dead = flags("dead", field("list of the dead")?)?;
        let castling = [
            flags("castling K", field("castling K")?)?,
            flags("castling Q", field("castling Q")?)?,
        ];
        let points = points(field("list of points")?)?;
        let clock = field("clock")?;
        let (extra, board) = match rest.rsplit_once('-') {
            Some((extra, board)) => (Some(extra), board),
            None => (None, rest),
        };
        let extra = extra.map_or(Ok(Extra::default()), Extra::parse)?;

        let mut position = Position::empty();
        let turn = seat(turn).ok_or_else(|| FenError::Turn(clip(turn)))?;
        position.set_turn(turn);
        position.points = points;
        position.quiet = number(clock).ok_or_else(|| FenError::Clock(clip(clock)))?;
        let mut cells = read_board(board, rules)?;
        for seat in Seat::ALL {
            let has_left = dead[seat.index()] || extra.has_left(seat)?;
            position.status[seat.index()] = seat_status(&mut cells, seat, has_left, rules)?;
        }
        for (square, cell) in Square::all().zip(cells) {
            if !cell.is_empty() {
                position.put(square, cell);
            }
        }
        let all_out = position.status.iter().all(|&status| status == Status::Out);
        if position.status(turn) == Status::Out && !all_out {
            return Err(FenError::TurnOfDead(turn));
        }
        position.set_castling(castling, rules);
        extra.check_royal(&position)?;
        for seat in Seat::ALL {
            position.set_offer(seat, extra.value("enPassant", seat)?.unwrap_or(""), rules)?;
        }
        Ok(position)
    }

    /// The position as FEN4, corners as empty squares, in one line.
    pub fn fen<'a>(&'a self, rules: &'a Rules) -> impl fmt::Display + 'a {
        Fen { position: self, rules }
    }

    fn set_castling(&mut self, castling: [[bool; 4]; 2], rules: &Rules) {
        let mut rights = 0;
        for seat in Seat::ALL.into_iter().filter(|_| rules.castling) {
            let edge = rules.edge(seat);
            let king = self.king(seat).and_then(|king| home_index(edge, king));
            let Some(king) = king.filter(|_| self.status(seat) == Status::Active) else { continue };
            for (way, flags) in castling.iter().enumerate() {
                let side = near_side(king) ^ way;
                let castle = &CASTLES[edge as usize][king - 3][side];
                let rook = self.piece(castle.rook_from);
                if flags[seat.index()] && rook == Some(Piece::new(seat, Role::Rook)) {
                    rights |= right(edge, side);
                }
            }
        }
        self.set_rights(rights);
    }

    fn set_offer(&mut self, seat: Seat, text: &str, rules: &Rules) -> Result<(), FenError> {
        if text.is_empty() {
            return Ok(());
        }
        let error = || FenError::EnPassant { seat, text: clip(text) };
        let (passed, landed) = text.split_once(':').ok_or_else(error)?;
        let passed: Square = passed.parse().map_err(|_| error())?;
        let landed: Square = landed.parse().map_err(|_| error())?;
        let edge = rules.edge(seat);
        let is_right = passed.own_rank(edge) == 3
            && PAWNS[edge as usize][passed.index()].push == landed
            && self.piece(landed) == Some(Piece::new(seat, Role::Pawn));
        if !is_right {
            return Err(error());
        }
        if rules.en_passant != EnPassant::Off {
            self.set_passed(seat, passed);
        }
        Ok(())
    }
}

fn seat(text: &str) -> Option<Seat> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_uppercase() => Seat::from_letter(*letter),
        _ => None,
    }
}

/// Enough of a text to recognise it in an error.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

fn number(text: &str) -> Option<u16> {
    let is_plain = (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

fn entries<'a>(field: &'static str, text: &'a str) -> Result<[&'a str; 4], FenError> {
    let entries: Vec<&str> = text.split(',').collect();
    <[&str; 4]>::try_from(entries).map_err(|found| FenError::Entries {
        field,
        text: clip(text),
        entries: found.len(),
    })
}

fn flags(field: &'static str, text: &str) -> Result<[bool; 4], FenError> {
    let entries = entries(field, text)?;
    let mut flags = [false; 4];
    for seat in Seat::ALL {
        flags[seat.index()] = match entries[seat.index()] {
            "0" => false,
            "1" => true,
            other => return Err(FenError::Flag { field, seat, text: clip(other) }),
        };
    }
    Ok(flags)
}

fn points(text: &str) -> Result<[i16; 4], FenError> {
    let entries = entries("points", text)?;
    let mut points = [0; 4];
    for seat in Seat::ALL {
        let text = entries[seat.index()];
        let number = number(text).and_then(|number| i16::try_from(number).ok());
        points[seat.index()] = number.ok_or_else(|| FenError::Points { seat, text: clip(text) })?;
    }
    Ok(points)
}

type Cells = [Cell; Square::COUNT];

fn read_board(text: &str, rules: &Rules) -> Result<Cells, FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != WIDTH as usize {
        return Err(FenError::Ranks(ranks.len()));
    }
    let mut cells = [Cell::EMPTY; Square::COUNT];
    for (rank, text) in (0..WIDTH).rev().zip(ranks) {
        read_rank(rank, text, rules, &mut cells)?;
    }
    Ok(cells)
}

fn read_rank(rank: u8, text: &str, rules: &Rules, cells: &mut Cells) -> Result<(), FenError> {
    let mut file: usize = 0;
    for part in text.split(',') {
        if let Some(empty) = number(part).filter(|&empty| empty > 0) {
            file += usize::from(empty);
            continue;
        }
        let square = if file < WIDTH as usize { Square::at(file as u8, rank) } else { None };
        let is_corner = matches!(part, "x" | "X");
        let piece = parse_piece(part, rules);
        if piece.is_none() && !is_corner {
            return Err(FenError::Cell { rank: rank + 1, text: clip(part) });
        }
        match (square, piece) {
            (Some(square), Some(piece)) => cells[square.index()] = Cell::of(piece),
            (None, None) => {}
            _ if file >= WIDTH as usize => {}
            _ => {
                let file = char::from(b'a' + file as u8);
                return Err(FenError::Corner { rank: rank + 1, file, text: clip(part) });
            }
        }
        file += 1;
    }
    if file == WIDTH as usize {
        Ok(())
    } else {
        Err(FenError::Cells { rank: rank + 1, cells: file })
    }
}

fn parse_piece(text: &str, rules: &Rules) -> Option<Piece> {
    let role = |letter: u8| match letter {
        b'D' => Some(Role::Queen),
        _ => Role::from_letter(letter),
    };
    let owner = |letter: u8| {
        if letter.is_ascii_lowercase() { Seat::from_letter(letter) } else { None }
    };
    match *text.as_bytes() {
        [b'd', letter] => Some(Piece::Dead { seat: None, role: role(letter)? }),
        [b'd', seat, letter] => Some(Piece::Dead { seat: Some(owner(seat)?), role: role(letter)? }),
        [seat, letter] => Some(Piece::Living {
            seat: owner(seat)?,
            role: role(letter)?,
            promoted: letter == b'D' && rules.marks_promoted(),
        }),
        _ => None,
    }
}

/// Checks a seat's pieces, and kills them if it has left.
fn seat_status(
    cells: &mut Cells,
    seat: Seat,
    has_left: bool,
    rules: &Rules,
) -> Result<Status, FenError> {
    let own = |cell: &&Cell| cell.piece().and_then(Piece::owner) == Some(seat);
    let pieces = cells.iter().filter(own).count();
    let is_king = |cell: &&Cell| cell.piece().is_some_and(|piece| piece.role() == Role::King);
    let kings = cells.iter().filter(own).filter(is_king).count();
    let may_lack_king = has_left || rules.king_capture == KingCapture::Continues;
    if kings > 1 || (kings == 0 && !may_lack_king) {
        return Err(FenError::Kings { seat, kings });
    }
    if pieces > 16 {
        return Err(FenError::Pieces { seat, pieces });
    }
    if !has_left {
        return Ok(Status::Active);
    }
    for cell in cells.iter_mut() {
        if let Some(Piece::Living { seat: owner, role, .. }) = cell.piece()
            && owner == seat
            && role != Role::King
        {
            *cell = Cell::of(Piece::Dead { seat: Some(seat), role });
        }
    }
    Ok(if kings == 1 { Status::Walking } else { Status::Out })
}

struct Fen<'a> {
    position: &'a Position,
    rules: &'a Rules,
}

impl fmt::Display for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (position, rules) = (self.position, self.rules);
        write!(f, "{}-", position.turn.letter())?;
        let flag = |flag: bool| if flag { "1" } else { "0" };
        let castling = Seat::ALL.map(|seat| position.castling(seat, rules));
        write_list(f, position.status.map(|status| flag(status != Status::Active)))?;
        write!(f, "-")?;
        write_list(f, castling.map(|sides| flag(sides[0])))?;
        write!(f, "-")?;
        write_list(f, castling.map(|sides| flag(sides[1])))?;
        write!(f, "-")?;
        write_list(f, position.points)?;
        write!(f, "-{}-", position.quiet)?;
        self.write_extra(f)?;
        for rank in (0..WIDTH).rev() {
            self.write_rank(f, rank)?;
            if rank > 0 {
                write!(f, "/")?;
            }
        }
        Ok(())
    }
}

impl Fen<'_> {
    fn write_extra(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offers = Seat::ALL.map(|seat| self.position.offer(seat, self.rules));
        let walks = self.position.status.map(|status| status == Status::Walking);
        let (has_walker, has_offer) = (walks.contains(&true), offers.iter().any(Option::is_some));
        if !has_walker && !has_offer {
            return Ok(());
        }
        write!(f, "{{")?;
        if has_walker {
            write!(f, "'resigned':(")?;
            write_list(f, walks)?;
            write!(f, ")")?;
        }
        if has_offer {
            write!(f, "{}'enPassant':(", if has_walker { "," } else { "" })?;
            write_list(
                f,
                offers.map(|offer| match offer {
                    Some(offer) => format!("'{}:{}'", offer.passed, offer.pawn),
                    None => "''".to_owned(),
                }),
            )?;
            write!(f, ")")?;
        }
        write!(f, "}}-")
    }

    fn write_rank(&self, f: &mut fmt::Formatter<'_>, rank: u8) -> fmt::Result {
        let mut parts = Vec::new();
        let mut empty = 0;
        for file in 0..WIDTH {
            match Square::at(file, rank).and_then(|square| self.position.piece(square)) {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        parts.push(empty.to_string());
                    }
                    parts.push(piece_text(piece));
                    empty = 0;
                }
            }
        }
        if empty > 0 {
            parts.push(empty.to_string());
        }
        write!(f, "{}", parts.join(","))
    }
}

fn piece_text(piece: Piece) -> String {
    let owner = |seat: Seat| seat.letter().to_ascii_lowercase();
    match piece {
        Piece::Living { seat, promoted: true, .. } => format!("{}D", owner(seat)),
        Piece::Living { seat, role, .. } => format!("{}{}", owner(seat), role.letter()),
        Piece::Dead { seat: Some(seat), role } => format!("d{}{}", owner(seat), role.letter()),
        Piece::Dead { seat: None, role } => format!("d{}", role.letter()),
    }
}

fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, entries: [T; 4]) -> fmt::Result {
    let [red, blue, yellow, green] = entries;
    write!(f, "{red},{blue},{yellow},{green}")
}
