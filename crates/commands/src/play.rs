//! The command `play`.

use std::io::{self, Write};

use clap::ValueEnum;
use game::{Edge, MoveId, Score, Turn};
use solver::mix;

use crate::{
    Notation, colors,
    exit::{Exit, Outcome},
    interrupt,
    prompt::Words,
    stored::{Solved, Stored, Worth},
};

/// Play against perfect play, with the value of every move shown
///
/// Type a move to make it, 'hint' for the best move, 'undo' to take your last move back, 'values'
/// to show or hide values, 'help' to list these commands, 'quit' to leave. Moves can also be piped
/// in.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    stored: Stored,
    /// Start position [default: the start of the game]
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
    /// Opponent
    #[arg(long, value_enum, value_name = "OPPONENT", default_value_t = Against::Perfect)]
    against: Against,
    /// Side that you play
    #[arg(long, value_enum, value_name = "SIDE", default_value_t = You::First)]
    you: You,
    /// Hide the values of the moves
    #[arg(long)]
    hide: bool,
    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Against {
    /// Plays a best move
    Perfect,
    /// Plays a random legal move
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum You {
    First,
    Second,
    Both,
}

impl You {
    fn plays(self, player: usize) -> bool {
        match self {
            You::Both => true,
            You::First => player == 0,
            You::Second => player == 1,
        }
    }
}

const HELP: &str = "a move, hint, undo, values, help, quit";

/// Plays a game at a prompt.
pub fn run<G: Notation>(args: &Args) -> Outcome {
    let mut solved = args.stored.open::<G>()?;
    let position = solved.position_or_start(args.position.as_deref())?;
    // Refused before anything is drawn, if the store does not have it.
    solved.verdict(&position)?;
    let stdout = io::stdout();
    let has_colors = colors::wanted(&stdout);
    let plies = vec![Ply { position, player: 0, lead: 0 }];
    let mut table = Table { args, solved, plies, hide: args.hide, has_colors };
    table.play(&mut stdout.lock())
}

/// A moment of a game.
struct Ply<P> {
    position: P,
    /// Who moves, 0 or 1.
    player: usize,
    /// The points that player 1 has scored so far, less those of player 2.
    lead: i32,
}

/// A game that is being played.
struct Table<'a, G: Notation> {
    args: &'a Args,
    solved: Solved<G>,
    /// Every moment so far; there is at least one.
    plies: Vec<Ply<G::Position>>,
    hide: bool,
    has_colors: bool,
}

/// What follows from what was said.
enum Then {
    Listen,
    Play,
    Quit,
}

impl<P> Ply<P> {
    /// The lead of player 1 if the mover scores this.
    fn lead_with(&self, points: i32) -> i32 {
        self.lead + if self.player == 0 { points } else { -points }
    }
}

impl<G: Notation> Table<'_, G> {
    fn last(&self) -> &Ply<G::Position> {
        self.plies.last().expect("there is at least one")
    }

    fn play(&mut self, out: &mut impl Write) -> Outcome {
        let mut words = Words::default();
        loop {
            if interrupt::requested() {
                return Ok(Exit::Interrupted);
            }
            let outcome = self.solved.game.outcome(&self.last().position);
            match outcome {
                // A game that is over can still be taken back.
                Some(score) => self.end(out, score)?,
                None if self.args.you.plays(self.last().player) => self.show(out)?,
                None => {
                    self.reply(out)?;
                    continue;
                }
            }
            loop {
                let ask = if outcome.is_some() { "over" } else { "move" };
                let Some(word) = words.next(out, ask)? else {
                    let is_stopped = interrupt::requested();
                    return Ok(if is_stopped { Exit::Interrupted } else { Exit::Fine });
                };
                match self.answer(out, &word)? {
                    Then::Listen => {}
                    Then::Play => break,
                    Then::Quit => return Ok(Exit::Fine),
                }
            }
        }
    }

    fn answer(&mut self, out: &mut impl Write, word: &str) -> anyhow::Result<Then> {
        match word {
            "quit" | "q" => return Ok(Then::Quit),
            "help" | "?" => writeln!(out, "{HELP}")?,
            "undo" | "u" if self.undo() => return Ok(Then::Play),
            "undo" | "u" => writeln!(out, "there is nothing to undo")?,
            "hint" | "h" => self.hint(out)?,
            "values" => {
                self.hide = !self.hide;
                return Ok(Then::Play);
            }
            _ => match self.edge_named(word) {
                Some(edge) => {
                    self.make(out, &edge)?;
                    return Ok(Then::Play);
                }
                None => {
                    let word = word.escape_debug();
                    writeln!(out, "'{word}' is not a move here; 'help' lists the words")?;
                }
            },
        }
        Ok(Then::Listen)
    }

    fn edges(&self) -> Vec<Edge<G::Position>> {
        let (game, position) = (&self.solved.game, &self.last().position);
        let mut edges = Vec::new();
        if game.outcome(position).is_none() {
            game.edges(position, |edge| edges.push(edge));
        }
        edges
    }

    fn edge_named(&self, name: &str) -> Option<Edge<G::Position>> {
        self.edges().into_iter().find(|edge| self.name(edge.mv) == name)
    }

    fn name(&self, mv: MoveId) -> String {
        self.solved.game.name_move(&self.last().position, mv)
    }

    /// Draws the position, with the values of its moves unless they are hidden.
    fn show(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        writeln!(out, "player {}, your move", self.last().player + 1)?;
        writeln!(out, "{}", self.solved.game.draw(&self.last().position))?;
        if self.hide {
            let names: Vec<String> = self.edges().iter().map(|edge| self.name(edge.mv)).collect();
            writeln!(out, "moves: {}", names.join(" "))?;
            return Ok(out.flush()?);
        }
        let position = self.last().position;
        let moves = self.solved.moves(&position)?;
        let notes: Vec<String> = moves.iter().map(|worth| self.note(worth)).collect();
        writeln!(out, "moves: {}", notes.join(" "))?;
        let verdict = self.solved.verdict(&position)?;
        let plies = match verdict.remoteness {
            Some(1) => ", in 1 ply".to_owned(),
            Some(plies) => format!(", in {plies} plies"),
            None => String::new(),
        };
        let lead = self.last().lead_with(i32::from(verdict.score.0));
        writeln!(out, "with best play {}{plies}\n", won(lead))?;
        Ok(out.flush()?)
    }

    /// A move with its value.
    fn note(&self, worth: &Worth<G::Position>) -> String {
        let (name, value) = (self.name(worth.edge.mv), worth.value);
        let color = match value.0.signum() {
            1 => "32",
            0 => "33",
            _ => "31",
        };
        match self.has_colors {
            true => format!("{name}(\x1b[{color}m{value}\x1b[0m)"),
            false => format!("{name}({value})"),
        }
    }

    fn hint(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        let position = self.last().position;
        match self.solved.verdict(&position)?.best {
            Some(best) => writeln!(out, "best is {}", self.name(best))?,
            None => writeln!(out, "the game is over")?,
        }
        Ok(())
    }

    /// The opponent's move.
    fn reply(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        let edges = self.edges();
        let chosen = match self.args.against {
            Against::Random => {
                let number = mix(self.args.seed ^ mix(self.plies.len() as u64));
                edges.get((number % edges.len() as u64) as usize)
            }
            Against::Perfect => {
                let position = self.last().position;
                let best = self.solved.verdict(&position)?.best;
                edges.iter().find(|edge| Some(edge.mv) == best)
            }
        };
        let illegal = || anyhow::anyhow!("the stored best move is not a legal move");
        let chosen = chosen.ok_or_else(illegal)?;
        self.make(out, chosen)
    }

    fn make(&mut self, out: &mut impl Write, edge: &Edge<G::Position>) -> anyhow::Result<()> {
        let (name, ply) = (self.name(edge.mv), self.last());
        let points = match edge.gain {
            Score(0) => String::new(),
            Score(points) => format!(", which scores {points}"),
        };
        writeln!(out, "player {} plays {name}{points}\n", ply.player + 1)?;
        let lead = ply.lead_with(i32::from(edge.gain.0));
        let player = match edge.turn {
            Turn::Keeps => ply.player,
            Turn::Passes => 1 - ply.player,
        };
        self.plies.push(Ply { position: edge.to, player, lead });
        Ok(())
    }

    fn end(&self, out: &mut impl Write, score: Score) -> io::Result<()> {
        let ply = self.last();
        writeln!(out, "{}", self.solved.game.draw(&ply.position))?;
        let lead = ply.lead_with(i32::from(score.0));
        writeln!(out, "play is over: {}", won(lead))?;
        out.flush()
    }

    /// Goes back to the last move that was yours.
    fn undo(&mut self) -> bool {
        let before = &self.plies[..self.plies.len() - 1];
        let yours = before.iter().rposition(|ply| self.args.you.plays(ply.player));
        yours.map(|at| self.plies.truncate(at + 1)).is_some()
    }
}

/// Who wins with such a lead of player 1.
fn won(lead: i32) -> String {
    match lead {
        0 => "it is a draw".to_owned(),
        lead if lead > 0 => format!("player 1 wins by {lead}"),
        lead => format!("player 2 wins by {}", -lead),
    }
}
