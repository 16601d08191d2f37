//! `everyply kalah play`

mod talk;

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use clap::ValueEnum;
use game::Game;
use kalah::{
    Kalah, Ply, Record, Standing,
    drawing::{self, Below},
};
use kalah_answers::{Choice, Opponent, Oracle};
use solver::search::Between;

use super::{
    known::{Source, Thinking, standing, unanswered},
    review,
};
use crate::{
    exit::{Exit, Outcome, bad_command, bad_input},
    files, interrupt,
    prompt::Words,
};
use talk::Said;

/// Play against an opponent of any strength, with the value of every move shown
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah play
  everyply kalah play --against casual=30 --you second --hide
  everyply kalah play --pits 4 --seeds 3 --against good=4 --rules empty_either
  everyply kalah play --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah play --resume game.kalah
  echo '3 6 save game.kalah' | everyply kalah play --against random --seed 7

Opponents: 'perfect' always makes a best move; 'good' looks 6 moves ahead, and good=8 looks 8 moves
ahead; 'casual' plays at random in 25 percent of its moves, casual=40 in 40 percent; 'random' always
does.

Type the number of a pit to sow it, 'hint' for the best move, 'undo' to take your last move back,
'values' to show or hide values, 'record' to print the game, 'review' for what each move gave away,
'save FILE' to save the game, 'help' for these words, 'quit' to leave.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,
    /// Number of pits on each side [default: 6, or those of the store]
    #[arg(long, value_name = "M", conflicts_with_all = ["position", "resume", "store"])]
    pits: Option<usize>,
    /// Number of seeds in each pit at the start [default: 4, or those of the store]
    #[arg(long, value_name = "N", conflicts_with_all = ["position", "resume", "store"])]
    seeds: Option<u32>,
    /// Start position, in place of --pits and --seeds
    #[arg(long, value_name = "POSITION", conflicts_with = "resume")]
    position: Option<String>,
    /// Go on with a saved game
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Opponent: perfect, good, casual or random (see below)
    #[arg(long, value_name = "OPPONENT", default_value_t = Opponent::Perfect)]
    against: Opponent,
    /// Side that you play
    #[arg(long, value_enum, value_name = "SIDE", default_value_t = You::First)]
    you: You,
    /// Player whose pits stay below, 1 or 2 [default: you]
    #[arg(long, value_name = "PLAYER", value_parser = clap::value_parser!(u8).range(1..=2))]
    side: Option<u8>,
    /// Hide the values of the moves
    #[arg(long)]
    hide: bool,
    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum You {
    First,
    Second,
    Both,
    Neither,
}

impl You {
    fn plays(self, player: usize) -> bool {
        match self {
            You::Both => true,
            You::Neither => false,
            You::First => player == 0,
            You::Second => player == 1,
        }
    }
}

/// How long the values of all moves may take that are shown beside the board.
const NOTES: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &Args) -> Outcome {
    let resumed = args.resume.as_deref().map(review::read).transpose()?;
    let rules = resumed.as_ref().map(|record| record.kalah().rules());
    let oracle = args.source.open_for(rules)?;
    let record = match resumed {
        Some(record) => record,
        None => Record::new(&start(args, &oracle)?, oracle.rules()),
    };
    let below = match (args.side, args.you) {
        (Some(side), _) => usize::from(side) - 1,
        (None, You::Second) => 1,
        (None, _) => 0,
    };
    let mut table = Table { args, oracle, record, below, hide: args.hide };
    let mut out = io::stdout().lock();
    table.check()?;
    table.play(&mut out)
}

/// The start position: as the command says, else that of the store, else the usual one.
fn start(args: &Args, oracle: &Oracle) -> anyhow::Result<Standing> {
    if let Some(text) = &args.position {
        return standing(text);
    }
    let (pits, seeds) = (args.pits.unwrap_or(6), args.seeds.unwrap_or(4));
    let usual = Kalah::new(pits, seeds, oracle.rules()).map_err(bad_command)?;
    Ok(Standing { position: oracle.solved().unwrap_or(&usual).start(), stores: None })
}

/// A game that is being played.
struct Table<'a> {
    args: &'a Args,
    oracle: Oracle,
    record: Record,
    /// The player whose pits are below.
    below: usize,
    hide: bool,
}

impl Table<'_> {
    /// Refuses a start that the named place cannot answer, before anything is drawn.
    fn check(&mut self) -> anyhow::Result<()> {
        let position = self.record.last().position;
        let solved = self.oracle.solved().copied();
        solved
            .map_or(Ok(()), |kalah| kalah_answers::check_pits(&kalah, &position))
            .map_err(unanswered)
    }

    fn play(&mut self, out: &mut impl Write) -> Outcome {
        let mut words = Words::default();
        let mut is_told = false;
        loop {
            if interrupt::requested() {
                return Ok(Exit::Interrupted);
            }
            let ply = self.record.last();
            let is_over = self.record.totals().is_some();
            let yours = self.args.you.plays(ply.mover);
            if !is_over && !yours {
                self.reply(out, &ply)?;
                continue;
            }
            if is_over && !is_told {
                self.end(out)?;
            } else if !is_over {
                self.show(out, &ply)?;
            }
            // A game that is over can still be saved, reviewed, and its last move taken back.
            is_told = is_over;
            loop {
                let said = talk::listen(&mut words, out, &self.record)?;
                match self.answer(out, said)? {
                    Then::Listen => {}
                    Then::Play => break,
                    Then::Quit => return Ok(Exit::Fine),
                }
            }
        }
    }

    /// The opponent's move.
    fn reply(&mut self, out: &mut impl Write, ply: &Ply) -> anyhow::Result<()> {
        if self.args.you == You::Neither {
            writeln!(out, "player {}, my move", ply.mover + 1)?;
            writeln!(out, "{}", self.board(ply, &[]))?;
        }
        let mut thinking = Thinking::new();
        let before = self.record.pits().len();
        let chosen = self.args.against.choose(
            &mut self.oracle,
            &ply.position,
            self.args.seed,
            before,
            &mut |event| thinking.heed(event),
        );
        drop(thinking);
        match chosen {
            // What was interrupted is not worth a sentence.
            _ if interrupt::requested() => Ok(()),
            Ok(mv) => self.sow(out, mv.expect("play is not over").0),
            Err(error) => Err(unanswered(error)),
        }
    }

    fn sow(&mut self, out: &mut impl Write, pit: u16) -> anyhow::Result<()> {
        let mover = self.record.last().mover + 1;
        let sown = self.record.play(pit).map_err(bad_input)?;
        writeln!(out, "player {mover} sows pit {pit}: {}\n", sown.why())?;
        Ok(())
    }

    fn board(&self, ply: &Ply, notes: &[Option<String>]) -> String {
        let below = if ply.mover == self.below { Below::Mover } else { Below::Other };
        drawing::board_from(&ply.standing(), below, notes)
    }

    /// Draws the board, with values unless they are hidden.
    fn show(&mut self, out: &mut impl Write, ply: &Ply) -> anyhow::Result<()> {
        writeln!(out, "player {}, your move", ply.mover + 1)?;
        if self.hide {
            writeln!(out, "{}", self.board(ply, &[]))?;
            return Ok(out.flush()?);
        }
        // The board is there before the thinking begins.
        out.flush()?;
        let mut thinking = Thinking::new();
        let answer = self.oracle.answer(&ply.position, &mut |event| thinking.heed(event));
        let answer = answer.map_err(unanswered)?;
        let limit = self.args.source.time_limit();
        self.oracle.effort().time = Some(limit.map_or(NOTES, |limit| limit.min(NOTES)));
        let moves = self.oracle.moves(&ply.position, &mut |event| thinking.heed(event));
        self.oracle.effort().time = limit;
        drop(thinking);
        let moves = moves.map_err(unanswered)?;
        writeln!(out, "{}", self.board(ply, &notes(ply, &moves)))?;
        writeln!(out, "{}\n", talk::prospect(ply, answer.between))?;
        Ok(out.flush()?)
    }

    fn end(&self, out: &mut impl Write) -> io::Result<()> {
        let (Some([first, second]), Some(result)) = (self.record.totals(), self.record.result())
        else {
            return Ok(());
        };
        writeln!(out, "{}", self.board(&self.record.last(), &[]))?;
        writeln!(out, "player 1 has {first} seeds, player 2 has {second}")?;
        writeln!(out, "play is over: {result}")
    }

    fn answer(&mut self, out: &mut impl Write, said: Said) -> anyhow::Result<Then> {
        match said {
            Said::Sow(pit) => {
                self.sow(out, pit)?;
                return Ok(Then::Play);
            }
            Said::Undo => {
                if self.undo() {
                    return Ok(Then::Play);
                }
                writeln!(out, "there is nothing to undo")?;
            }
            Said::Values => {
                self.hide = !self.hide;
                if self.record.totals().is_none() {
                    return Ok(Then::Play);
                }
            }
            Said::Hint => self.hint(out)?,
            Said::Record => write!(out, "{}", self.record)?,
            Said::Review => {
                let judged = review::judged(&mut self.oracle, &self.record)?;
                talk::review(out, &self.record, &judged)?;
            }
            // A file that cannot be written does not end the game.
            Said::Save(path) => match files::write(&path, self.record.to_string().as_bytes()) {
                Ok(()) => writeln!(out, "saved in {}", path.display())?,
                Err(error) => writeln!(out, "{error:#}")?,
            },
            Said::Help => writeln!(out, "{}", talk::HELP)?,
            Said::Quit => return Ok(Then::Quit),
        }
        Ok(Then::Listen)
    }

    /// Goes back to the last move that was yours.
    fn undo(&mut self) -> bool {
        let plies = self.record.plies();
        let yours = |ply: &Ply| self.args.you.plays(ply.mover);
        let Some(at) = plies[..plies.len() - 1].iter().rposition(yours) else { return false };
        while self.record.pits().len() > at {
            self.record.undo();
        }
        true
    }

    fn hint(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        let position = self.record.last().position;
        let mut thinking = Thinking::new();
        let answer = self.oracle.answer(&position, &mut |event| thinking.heed(event));
        drop(thinking);
        let answer = answer.map_err(unanswered)?;
        let Some(best) = answer.best else {
            writeln!(out, "the game is over")?;
            return Ok(());
        };
        let kalah = self.record.kalah();
        let why = kalah.sow(&position, kalah.pit_of(best).expect("a move of the position")).why();
        match answer.between.value() {
            Some(_) => writeln!(out, "best is pit {}: it {why}\n", best.0)?,
            None => writeln!(out, "pit {} looks best: it {why}\n", best.0)?,
        }
        Ok(())
    }
}

/// What follows from what was said.
enum Then {
    Listen,
    Play,
    Quit,
}

/// The values of moves as notes beside their pits.
fn notes(ply: &Ply, moves: &[Choice]) -> Vec<Option<String>> {
    let mut notes = vec![None; ply.position.pits()];
    let seeds = ply.position.seeds_in_play() as i16;
    for Choice { edge, between: Between { least, most }, .. } in moves {
        let note = if least == most {
            least.to_string()
        } else if most.0 < seeds {
            format!("≤{}", most.0)
        } else if least.0 > -seeds {
            format!("≥{}", least.0)
        } else {
            "?".to_owned()
        };
        notes[usize::from(edge.mv.0) - 1] = Some(note);
    }
    notes
}
