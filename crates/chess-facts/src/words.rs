//! Facts said in words.

use std::fmt;

use chess::{Bitboard, Board, Color, Square};

use crate::{Facts, Line, Side};

/// One fact as a sentence, with what is needed to mark it on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Whose fact it is: the side that suffers pins, skewers, attacks and checks and that has
    /// x-rays, batteries, forks and pawns.
    pub color: Color,
    /// The name of its column.
    pub name: &'static str,
    /// The pieces and squares it speaks of.
    pub squares: Bitboard,
    /// The sentence, without a full stop.
    pub text: String,
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Every fact in words, White's first: checks, pins, skewers, what hangs, forks, discovered
/// attacks, x-rays, batteries, pawns, and how the sides stand.
///
/// ```
/// use chess::Position;
/// use chess_facts::{Level, facts, words};
/// let position: Position = "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1".parse()?;
/// let sentences = words::sentences(&facts(&position, Level::Everything));
/// assert!(sentences.iter().any(|sentence| {
///     sentence.text == "the knight on f6 is pinned to the queen on d8 by the bishop on g5"
/// }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sentences(facts: &Facts) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for color in Color::ALL {
        let mut writer = Writer { board: &facts.board, color, sentences: &mut sentences };
        let side = &facts[color];
        writer.tactics(facts, side);
        writer.lines(side);
        writer.pawns(facts, side);
        writer.state(facts, side);
    }
    sentences
}

struct Writer<'a> {
    board: &'a Board,
    color: Color,
    sentences: &'a mut Vec<Sentence>,
}

impl Writer<'_> {
    fn say(&mut self, name: &'static str, squares: Bitboard, text: String) {
        self.sentences.push(Sentence { color: self.color, name, squares, text });
    }

    /// Says the same of each square of a set.
    fn each(&mut self, name: &'static str, squares: Bitboard, what: &str) {
        for square in squares {
            self.say(name, square.into(), format!("the {} {what}", self.man(square)));
        }
    }

    fn man(&self, square: Square) -> String {
        match self.board.role_at(square) {
            Some(role) => format!("{} on {square}", role.name()),
            None => square.to_string(),
        }
    }

    /// `the king on e1 and the rook on h1`.
    fn pieces(&self, squares: Bitboard) -> String {
        let pieces: Vec<String> =
            squares.map(|square| format!("the {}", self.man(square))).collect();
        match &pieces[..] {
            [] => "nothing".to_owned(),
            [man] => man.clone(),
            [pieces @ .., last] => format!("{} and {last}", pieces.join(", ")),
        }
    }

    fn tactics(&mut self, facts: &Facts, side: &Side) {
        let king = facts.board.by_piece(self.color, chess::Role::King);
        if !side.checkers.is_empty() {
            let text =
                format!("{} is in check from {}", self.pieces(king), self.pieces(side.checkers));
            self.say("checkers", side.checkers | king, text);
        }
        for pin in &side.pins {
            self.line("pins", pin, |[slider, front, back]| {
                format!("the {front} is pinned to the {back} by the {slider}")
            });
        }
        for pin in &side.relative_pins {
            self.line("relative_pins", pin, |[slider, front, back]| {
                format!("the {front} is pinned to the {back} by the {slider}")
            });
        }
        for skewer in &side.skewers {
            self.line("skewers", skewer, |[slider, front, back]| {
                format!("the {front} is skewered against the {back} by the {slider}")
            });
        }
        for hanging in &side.hanging {
            let by = facts.attackers(hanging.square, !self.color);
            let (man, gain) = (self.man(hanging.square), hanging.gain);
            let text = format!(
                "the {man} hangs: capturing it gains {gain}; it is attacked by {}",
                self.pieces(by)
            );
            self.say("hanging_see", by | hanging.square, text);
        }
        let only = side.undefended - side.hanging_see();
        self.each("undefended", only, "is attacked and not defended");
        for fork in &side.forks {
            let text = format!("the {} forks {}", self.man(fork.forker), self.pieces(fork.targets));
            self.say("forks", fork.targets | fork.forker, text);
        }
        for fork in &side.fork_moves {
            let (from, to) = (fork.mv.from, fork.mv.to);
            let placed = match fork.mv.promotion {
                Some(role) => format!("become a {} on {to}", role.name()),
                None => format!("go to {to}"),
            };
            let targets = self.pieces(fork.targets);
            let text = format!("the {} can {placed} and fork {targets}", self.man(from));
            self.say("fork_moves", fork.targets | from | to, text);
        }
    }

    fn lines(&mut self, side: &Side) {
        for line in &side.discovered {
            self.line("discovered", line, |[slider, front, back]| {
                format!("the {front} can uncover an attack by the {slider} on the {back}")
            });
        }
        for line in &side.xrays {
            // Through enemy pieces only pins and skewers are worth a sentence, and they have
            // theirs.
            if !side.discovered.contains(line)
                && self.board.by_color(self.color).contains(line.front)
            {
                self.line("xrays", line, |[slider, front, back]| {
                    format!("the {slider} looks through the {front} at the {back}")
                });
            }
        }
        for battery in &side.batteries {
            let pair = Bitboard::of(battery.first) | battery.second;
            let text = format!("{} form a battery", self.pieces(pair));
            self.say("batteries", pair, text);
        }
    }

    fn line(&mut self, name: &'static str, line: &Line, text: impl Fn([String; 3]) -> String) {
        let squares = [line.slider, line.front, line.back];
        let text = text(squares.map(|square| self.man(square)));
        self.say(name, squares.into_iter().collect(), text);
    }

    fn pawns(&mut self, facts: &Facts, side: &Side) {
        let pawns = &side.pawns;
        self.each("passed", pawns.passed, "is passed");
        self.each("candidates", pawns.candidates, "is a candidate passed pawn");
        self.each("isolated", pawns.isolated, "is isolated");
        self.each("backward", pawns.backward, "is backward");
        self.each("doubled", pawns.doubled, "is doubled");
        let name = self.color.name();
        if pawns.islands > 1 {
            let text = format!("{name} has {} pawn islands", pawns.islands);
            self.say("pawn_islands", pawns.all, text);
        }
        for (column, whose, files) in [
            ("half_open_files", format!(" half-open for {name}"), pawns.half_open_files),
            ("open_files", " open".to_owned(), facts.open_files),
        ] {
            // Open files belong to both; they are said once.
            if column == "open_files" && self.color == Color::Black {
                continue;
            }
            for first in files & Bitboard(0xff) {
                let text = format!("the {}-file is{whose}", first.file());
                self.say(column, Bitboard::file(first.file()), text);
            }
        }
    }

    fn state(&mut self, facts: &Facts, side: &Side) {
        let name = self.color.name();
        let developed = format!(
            "{name} has developed {} of {} minor pieces",
            side.developed.len(),
            side.minors.len()
        );
        self.say("developed", side.developed, developed);
        let pieces = facts.board.by_color(self.color);
        self.say("material", pieces, format!("{name} has material worth {}", side.material));
        if facts.level == crate::Level::Everything {
            let text = format!(
                "{name} can move other pieces than pawns to {} squares",
                side.mobility.len()
            );
            self.say("mobility", side.mobility, text);
        }
    }
}
