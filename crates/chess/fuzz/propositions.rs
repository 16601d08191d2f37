//! What must hold of any bytes whatever. Each function panics if it does not; the fuzz targets
//! and the property tests call the same ones.

use std::io::Read;

use chess::{
    Epd, Move, Position, San, Uci,
    pgn::{self, Mainline, PgnError, Reader},
};

pub(crate) fn an_accepted_fen_is_read_back_as_it_was(data: &[u8]) {
    match Position::from_fen(data) {
        Ok(position) => check_position(&position),
        Err(error) => check_message(&error.to_string()),
    }
}

pub(crate) fn an_accepted_epd_is_read_back_as_it_was(data: &[u8]) {
    let epd = match Epd::from_line(data) {
        Ok(epd) => epd,
        Err(error) => return check_message(&error.to_string()),
    };
    let written = epd.to_string();
    assert_eq!(written.parse().as_ref(), Ok(&epd), "{written}");
    check_position(&epd.position);
    for operation in &epd.operations {
        for mv in epd.moves(&operation.opcode).unwrap_or_default() {
            assert!(epd.position.is_legal(mv), "{written}");
        }
    }
}

/// The bytes are a move, or a FEN and a move on the next line.
pub(crate) fn an_accepted_san_is_read_back_as_it_was(data: &[u8]) {
    let (position, text) = position_and_move(data);
    let san = match San::from_ascii(text) {
        Ok(san) => san,
        Err(error) => return check_message(&error.to_string()),
    };
    assert_eq!(san.to_string().parse(), Ok(san));
    let Ok(mv) = san.find(&position) else { return };
    assert!(position.is_legal(mv), "{san} in {position}");
    check_move(&position, mv);
}

/// The bytes are a move, or a FEN and a move on the next line.
pub(crate) fn an_accepted_uci_is_read_back_as_it_was(data: &[u8]) {
    let (position, text) = position_and_move(data);
    let uci = match Uci::from_ascii(text) {
        Ok(uci) => uci,
        Err(error) => return check_message(&error.to_string()),
    };
    assert_eq!(uci.to_string().parse(), Ok(uci));
    let Ok(mv) = uci.find(&position) else { return };
    assert!(position.is_legal(mv), "{uci} in {position}");
    check_move(&position, mv);
}

/// A small buffer is filled often, costs little, and is too small for some comments.
const BUFFER: usize = 1024;
const BLANKS: &[u8] = &[b' '; 400];

pub(crate) fn pgn_is_read_back_as_it_was_however_it_arrives(data: &[u8]) {
    let pieces = Chunks { data, sizes: data, at: 0 };
    check_events(Reader::with_buffer(data, BUFFER), Reader::with_buffer(pieces, BUFFER));
    // The quick ways give up near the end of the input, so with blanks behind it the whole text
    // goes through them and without, a short one goes through none. Blanks may be part of a
    // comment, which then must still fit.
    if data.len() + BLANKS.len() < BUFFER {
        let padded = data.chain(BLANKS);
        check_events(Reader::with_buffer(data, BUFFER), Reader::with_buffer(padded, BUFFER));
    }

    let mut tree = Reader::with_buffer(data, BUFFER);
    let mut flat = Reader::with_buffer(data, BUFFER);
    let mut line = Mainline::with_notes();
    loop {
        let game = pgn::Game::read(&mut tree);
        let played = line.read(&mut flat);
        match game {
            Ok(None) => return assert!(matches!(played, Ok(false))),
            Ok(Some(game)) => {
                assert!(matches!(played, Ok(true)), "{played:?} for\n{game}");
                check_line(&game, &line);
                check_game(&game);
            }
            // A main line may be good although one of its variations is not.
            Err(PgnError::Game { .. }) => assert!(!matches!(played, Ok(false))),
            Err(PgnError::Io(error)) => panic!("{error} from bytes in memory"),
        }
    }
}

/// A message about foreign bytes does not repeat what could steer a terminal.
fn check_message(message: &str) {
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
}

fn check_position(position: &Position) {
    for written in [position.to_string(), position.shredder_fen()] {
        let again: Position = written.parse().unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(again, *position, "{written}");
        assert_eq!(again.zobrist(), position.zobrist(), "{written}");
    }
    assert_eq!(Position::new(position.setup()).as_ref(), Ok(position));
    for mv in position.legal_moves().iter() {
        let next = position.play(mv);
        assert_eq!(Position::new(next.setup()), Ok(next), "{mv:?} in {position}");
    }
}

fn check_move(position: &Position, mv: Move) {
    let san = San::of(position, mv);
    assert_eq!(san.to_string().parse::<San>().and_then(|san| san.find(position)), Ok(mv));
    let uci = Uci::of(position, mv);
    assert_eq!(uci.to_string().parse::<Uci>().and_then(|uci| uci.find(position)), Ok(mv));
}

fn check_line(game: &pgn::Game, line: &Mainline) {
    let moves: Vec<Move> = game.mainline.moves.iter().map(|node| node.mv).collect();
    assert_eq!(moves, line.moves);
    assert_eq!((&game.tags, game.result), (&line.tags, line.result));
    assert_eq!(game.start, line.positions[0]);
    assert_eq!(line.positions.len(), line.moves.len() + 1);
    assert_eq!(line.notes.len(), line.moves.len());
}

fn check_game(game: &pgn::Game) {
    let written = game.to_string();
    let mut reader = Reader::new(written.as_bytes());
    let again = pgn::Game::read(&mut reader);
    let again = again.unwrap_or_else(|error| panic!("{error} in\n{written}"));
    assert_eq!(again.as_ref(), Some(game), "{written}");
    assert!(matches!(pgn::Game::read(&mut reader), Ok(None)), "{written}");
}

fn position_and_move(data: &[u8]) -> (Position, &[u8]) {
    let Some(newline) = data.iter().position(|&byte| byte == b'\n') else {
        return (Position::default(), data);
    };
    let position = Position::from_fen(&data[..newline]).unwrap_or_default();
    (position, &data[newline + 1..])
}

/// Two readers see the same events and errors, with the same numbers of games and lines.
fn check_events(mut one: Reader<impl Read>, mut other: Reader<impl Read>) {
    loop {
        let is_over = match (one.next_event(), other.next_event()) {
            (Ok(a), Ok(b)) => {
                assert_eq!(a, b);
                a.is_none()
            }
            (Err(a), Err(b)) => {
                assert_eq!(a.to_string(), b.to_string());
                check_message(&a.to_string());
                false
            }
            (a, b) => panic!("{a:?} and {b:?}"),
        };
        assert_eq!((one.game(), one.line()), (other.game(), other.line()));
        if is_over {
            return;
        }
    }
}

/// The data in pieces whose sizes are taken from the bytes of another text.
struct Chunks<'a> {
    data: &'a [u8],
    sizes: &'a [u8],
    at: usize,
}

impl Read for Chunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = self.sizes.get(self.at % self.sizes.len().max(1)).map_or(1, |&b| b % 7 + 1);
        self.at += 1;
        let size = usize::from(size).min(buffer.len());
        (&mut self.data).take(size as u64).read(buffer)
    }
}
