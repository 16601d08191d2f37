//! A game as JSON: tags, moves with variations, comments, clocks, drawings, and what each ply
//! changes.

use chess::{
    Color, Ending, Position,
    pgn::{self, Evaluation, Node, Shape, Variation},
};
use chess_facts::{Definitions, Facts, Level};
use serde::Serialize;

use super::{
    marks::Marks,
    names::Name,
    position::{LegalMove, ended},
};

/// More moves than any annotated game has; the answer stays below a few megabytes.
const MOST_MOVES: usize = 20_000;

/// A game with everything its text says.
#[derive(Serialize)]
pub(crate) struct Answer {
    /// Its number in the text, from 1.
    number: u64,
    tags: Vec<[String; 2]>,
    result: &'static str,
    /// How the rules end the game after its last move, in words.
    ending: Option<String>,
    start: String,
    marks: Marks,
    #[serde(flatten)]
    said: Said,
    line: Vec<Ply>,
}

/// What comments say: a text, and what is drawn on the board.
#[derive(Default, Serialize)]
struct Said {
    text: Vec<String>,
    arrows: Vec<Arrow>,
    circles: Vec<Circle>,
    /// Seconds left on the clock of the side that moved.
    clock: Option<f64>,
    /// Seconds spent on the move.
    elapsed: Option<f64>,
    evaluation: Option<String>,
}

#[derive(Serialize)]
struct Arrow {
    from: Name,
    to: Name,
    brush: &'static str,
}

#[derive(Serialize)]
struct Circle {
    square: Name,
    brush: &'static str,
}

/// A move and the position after it.
#[derive(Serialize)]
pub(crate) struct Ply {
    #[serde(flatten)]
    mv: LegalMove,
    /// The number of the move and the side that makes it.
    number: u16,
    color: &'static str,
    fen: String,
    glyphs: Vec<String>,
    #[serde(flatten)]
    said: Said,
    marks: Marks,
    variations: Vec<Branch>,
}

/// A line that could have been played instead.
#[derive(Serialize)]
struct Branch {
    /// What is said before its first move.
    #[serde(flatten)]
    said: Said,
    line: Vec<Ply>,
}

/// The moves of a game are more than the page takes.
#[derive(Debug, thiserror::Error)]
#[error(
    "the game has more than {MOST_MOVES} moves with its variations, which is more than the page can show"
)]
pub(crate) struct TooLong;

impl Answer {
    /// The answer for a game of a text.
    pub(crate) fn of(number: u64, game: &pgn::Game) -> Result<Answer, TooLong> {
        let mut writer = Writer { moves: 0 };
        let start = Here::new(game.start);
        let marks = Marks::of(&start.facts, None);
        let line = writer.line(&game.mainline, start)?;
        let mut positions = vec![game.start];
        for node in &game.mainline.moves {
            positions.push(positions[positions.len() - 1].play(node.mv));
        }
        let last = positions[positions.len() - 1];
        Ok(Answer {
            number,
            tags: game.tags.iter().map(|(name, value)| [name.into(), value.into()]).collect(),
            result: game.result.as_str(),
            ending: Ending::of(&positions).map(|ending| ended(ending, last.turn())),
            start: game.start.to_string(),
            marks,
            said: said(&game.mainline.comments),
            line,
        })
    }

    /// The FEN of every position of the game and of its variations, the start first.
    pub(crate) fn fens(&self) -> Vec<&str> {
        let mut fens = vec![self.start.as_str()];
        collect(&self.line, &mut fens);
        fens
    }
}

fn collect<'a>(line: &'a [Ply], fens: &mut Vec<&'a str>) {
    for ply in line {
        fens.push(&ply.fen);
        for branch in &ply.variations {
            collect(&branch.line, fens);
        }
    }
}

/// A legal move that was made, as a ply of a game.
pub(crate) fn played(position: Position, mv: chess::Move) -> Ply {
    Here::new(position).play(mv).0
}

/// A position and its facts.
#[derive(Clone)]
struct Here {
    position: Position,
    facts: Box<Facts>,
}

impl Here {
    fn new(position: Position) -> Here {
        let mut facts = Box::new(Facts::empty());
        facts.compute(&position, Level::Everything, Definitions::Std);
        Here { position, facts }
    }

    /// A move as a ply without any comment, and what comes behind it.
    fn play(&self, mv: chess::Move) -> (Ply, Here) {
        let position = &self.position;
        let next = Here::new(position.play(mv));
        let ply = Ply {
            mv: LegalMove::of(position, &position.legal_moves(), mv),
            number: position.fullmoves(),
            color: position.turn().name(),
            fen: next.position.to_string(),
            glyphs: Vec::new(),
            said: Said::default(),
            marks: Marks::of(&next.facts, Some(&self.facts)),
            variations: Vec::new(),
        };
        (ply, next)
    }
}

/// Counts the moves it writes.
struct Writer {
    moves: usize,
}

impl Writer {
    fn line(&mut self, line: &Variation, start: Here) -> Result<Vec<Ply>, TooLong> {
        let mut here = start;
        let mut plies = Vec::with_capacity(line.moves.len());
        for node in &line.moves {
            self.moves += 1;
            if self.moves > MOST_MOVES {
                return Err(TooLong);
            }
            let (ply, next) = here.play(node.mv);
            plies.push(self.noted(ply, node, &here)?);
            here = next;
        }
        Ok(plies)
    }

    /// The ply with what is said about it and what could have been played instead.
    fn noted(&mut self, ply: Ply, node: &Node, before: &Here) -> Result<Ply, TooLong> {
        let mut variations = Vec::with_capacity(node.variations.len());
        for variation in &node.variations {
            let line = self.line(variation, before.clone())?;
            variations.push(Branch { said: said(&variation.comments), line });
        }
        let glyphs = node.nags.iter().map(|&nag| glyph(nag)).collect();
        Ok(Ply { glyphs, said: said(&node.comments), variations, ..ply })
    }
}

fn said(comments: &[String]) -> Said {
    let mut said = Said::default();
    for comment in comments {
        let text = pgn::remark(comment);
        if !text.is_empty() {
            said.text.push(text);
        }
        for Shape { brush, from, to } in pgn::shapes(comment) {
            let brush = brush.name();
            match to {
                Some(to) => said.arrows.push(Arrow { from: Name(from), to: Name(to), brush }),
                None => said.circles.push(Circle { square: Name(from), brush }),
            }
        }
        let bytes = comment.as_bytes();
        said.clock = pgn::clock(bytes).map(|time| time.as_secs_f64()).or(said.clock);
        said.elapsed = pgn::elapsed(bytes).map(|time| time.as_secs_f64()).or(said.elapsed);
        said.evaluation = pgn::evaluation(bytes).map(evaluation).or(said.evaluation);
    }
    said
}

fn evaluation(evaluation: Evaluation) -> String {
    match evaluation {
        Evaluation::Pawns(pawns) => format!("{pawns:+.2}"),
        Evaluation::Mate(moves) => format!("#{moves}"),
    }
}

/// The sign of a numeric annotation glyph, or its number.
fn glyph(nag: u8) -> String {
    let sign = match nag {
        1 => "!",
        2 => "?",
        3 => "!!",
        4 => "??",
        5 => "!?",
        6 => "?!",
        7 | 8 => "□",
        10..=12 => "=",
        13 => "∞",
        14 => "⩲",
        15 => "⩱",
        16 => "±",
        17 => "∓",
        18 | 20 => "+−",
        19 | 21 => "−+",
        22 | 23 => "⨀",
        32 | 33 => "⟳",
        36 | 37 => "→",
        40 | 41 => "↑",
        44 | 45 => "⯹",
        132 | 133 => "⇆",
        138 | 139 => "⨁",
        140 => "∆",
        146 => "N",
        _ => return format!("${nag}"),
    };
    sign.to_owned()
}

/// A side by the name that tags give its player, if they give one.
pub(crate) fn player(tags: &pgn::Tags, color: Color) -> Option<&str> {
    let name = match color {
        Color::White => "White",
        Color::Black => "Black",
    };
    tags.get(name).filter(|name| !name.is_empty() && *name != "?")
}
