//! `everyply kalah play`

use std::io::{self, Write};

use clap::ValueEnum;
use game::{Game, MoveId, Score, Turn};
use kalah::{Kalah, Position, Sown, Standing, drawing};
use kalah_answers::{Answers, TABLE_MEMORY, Worth};

use super::known::{Place, unanswered};
use crate::{
    exit::{Exit, Outcome, bad_command, bad_input},
    interrupt,
    prompt::Words,
};

/// Play against a perfect opponent, with the value of every move shown
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah play --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah play --store sqlite:k43.sqlite --you second --hide
  echo '3 1 2' | everyply kalah play --store sqlite:k43.sqlite

Type the number of a pit to sow it, 'hint' for the best move, 'undo' to take your last move back,
'quit' to leave.")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// Side that you play
    #[arg(long, value_enum, value_name = "SIDE", default_value_t = You::First)]
    you: You,
    /// Start position [default: that of the solved game]
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
    /// Hide the values of the moves
    #[arg(long)]
    hide: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum You {
    First,
    Second,
    Both,
    Neither,
}

/// The state of a game. Player 0 moved first.
#[derive(Clone, Copy)]
struct State {
    position: Position,
    mover: usize,
    stores: [u32; 2],
}

impl State {
    fn standing(&self) -> Standing {
        let stores = (self.stores[self.mover], self.stores[1 - self.mover]);
        Standing { position: self.position, stores: Some(stores) }
    }

    /// The final difference for the first player, if the current position has the value `score` for
    /// the mover.
    fn result(&self, score: Score) -> i32 {
        let sign = if self.mover == 0 { 1 } else { -1 };
        self.stores[0] as i32 - self.stores[1] as i32 + sign * i32::from(score.0)
    }
}

enum Said {
    Sow(MoveId),
    Hint,
    Undo,
    Quit,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut known = args.place.open(TABLE_MEMORY)?;
    let standing = match &args.position {
        Some(text) => text.parse::<Standing>().map_err(bad_input)?,
        None => start(&known)?,
    };
    let (own, other) = standing.stores.unwrap_or_default();
    let mut state = State { position: standing.position, mover: 0, stores: [own, other] };
    known.verdict(&state.position).map_err(unanswered)?;
    let mut before = Vec::new();
    let mut words = Words::default();
    let mut out = io::stdout().lock();
    let kalah = known.kalah();
    while kalah.outcome(&state.position).is_none() {
        let moves = known.moves(&state.position).map_err(unanswered)?;
        let best =
            known.verdict(&state.position).map_err(unanswered)?.best.expect("play is not over");
        let yours = match args.you {
            You::Both => true,
            You::Neither => false,
            You::First => state.mover == 0,
            You::Second => state.mover == 1,
        };
        show(&mut out, &state, &moves, args.hide, yours)?;
        let mv = if yours {
            match listen(&mut words, &mut out, &moves)? {
                Said::Sow(mv) => mv,
                Said::Hint => {
                    let why = sown(&kalah, &state.position, best).why();
                    writeln!(out, "best is pit {}: it {why}\n", best.0)?;
                    continue;
                }
                Said::Undo => {
                    match before.pop() {
                        Some(earlier) => state = earlier,
                        None => writeln!(out, "there is nothing to undo\n")?,
                    }
                    continue;
                }
                Said::Quit => return Ok(Exit::Fine),
            }
        } else {
            best
        };
        if yours {
            before.push(state);
        }
        state = play(&mut out, &kalah, &state, mv)?;
        if interrupt::requested() {
            return Ok(Exit::Interrupted);
        }
    }
    end(&mut out, &kalah, &state)
}

/// The start position of a solved game. A table has none.
fn start(known: &Answers) -> anyhow::Result<Standing> {
    match known {
        Answers::Solved(solved) => Ok(Standing { position: solved.kalah.start(), stores: None }),
        Answers::Table(_) => Err(bad_command("--table needs a start position; use --position")),
    }
}

fn show(
    out: &mut impl Write,
    state: &State,
    moves: &[Worth],
    hide: bool,
    yours: bool,
) -> io::Result<()> {
    let mut notes = vec![None; state.position.pits()];
    for worth in moves.iter().filter(|_| !hide) {
        notes[usize::from(worth.edge.mv.0) - 1] = Some(worth.value.to_string());
    }
    let who = if yours { "your move" } else { "my move" };
    writeln!(out, "player {}, {who}", state.mover + 1)?;
    writeln!(out, "{}", drawing::board(&state.standing(), &notes))?;
    out.flush()
}

fn play(out: &mut impl Write, kalah: &Kalah, state: &State, mv: MoveId) -> anyhow::Result<State> {
    let sown = sown(kalah, &state.position, mv);
    writeln!(out, "player {} sows pit {}: {}\n", state.mover + 1, mv.0, sown.why())?;
    let mut stores = state.stores;
    stores[state.mover] += sown.gain;
    let mover = match sown.turn {
        Turn::Keeps => state.mover,
        Turn::Passes => 1 - state.mover,
    };
    Ok(State { position: sown.to, mover, stores })
}

/// The effect of a move.
fn sown(kalah: &Kalah, position: &Position, mv: MoveId) -> Sown {
    kalah.sow(position, kalah.pit_of(mv).expect("a move of the position"))
}

fn end(out: &mut impl Write, kalah: &Kalah, state: &State) -> Outcome {
    let score = kalah.outcome(&state.position).expect("play is over");
    writeln!(out, "{}", drawing::board(&state.standing(), &[]))?;
    let result = state.result(score);
    match result {
        0 => writeln!(out, "play is over: a draw")?,
        _ => {
            let winner = if result > 0 { 1 } else { 2 };
            writeln!(out, "play is over: player {winner} wins by {}", result.abs())?;
        }
    }
    Ok(Exit::Fine)
}

/// Reads input until it makes sense.
fn listen(words: &mut Words, out: &mut impl Write, moves: &[Worth]) -> io::Result<Said> {
    loop {
        let Some(word) = words.next(out, "pit")? else { return Ok(Said::Quit) };
        match word.as_str() {
            "hint" | "h" => return Ok(Said::Hint),
            "undo" | "u" => return Ok(Said::Undo),
            "quit" | "q" => return Ok(Said::Quit),
            _ => {}
        }
        let pit = word.parse().ok().map(MoveId);
        match moves.iter().find(|worth| Some(worth.edge.mv) == pit) {
            Some(worth) => return Ok(Said::Sow(worth.edge.mv)),
            None => writeln!(out, "'{word}' is not a pit that can be sown")?,
        }
    }
}
