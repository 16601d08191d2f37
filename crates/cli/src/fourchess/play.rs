//! `everyply fourchess play`

use std::io::{self, IsTerminal, Write};

use fourchess::{Game, Move, Seat, drawing::Drawing};
use fourchess_env::{Action, Config, Random};

use super::{
    Board,
    learned::{self, Opponent, Thinking, Weights, opponent},
    seat,
};
use crate::{
    colors,
    exit::{Exit, Outcome, bad_command},
    interrupt,
    prompt::Words,
};

/// Play any seat against built-in players, or against the one that learned
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess play
  everyply fourchess play --against learned
  everyply fourchess play --seats blue,green --rules teams --against random --seed 7
  echo 'h2-h3 quit' | everyply fourchess play --seats red

Type a move such as h2-h3, Nj1-i3, h8-g8=Q or O-O. 'moves' lists the legal moves, 'undo' takes your
last move back, 'resign' resigns, 'fen' prints the position, and 'quit' ends the program.")]
pub(crate) struct Args {
    #[command(flatten)]
    board: Board,
    /// Seats that you play, separated by commas
    #[arg(long, value_name = "SEATS", value_delimiter = ',', default_value = "red", value_parser = seat)]
    seats: Vec<Seat>,
    /// Player for the other seats: random, greedy or learned
    #[arg(long, value_name = "PLAYER", default_value = "greedy", value_parser = opponent)]
    against: Opponent,
    #[command(flatten)]
    weights: Weights,
    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

/// What a person says.
enum Said {
    Play(Move),
    Moves,
    Undo,
    Resign,
    Fen,
    Quit,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let rules = args.board.rules();
    // Players choose among actions, which moves by some rules do not have.
    Config::new(&rules, 1).check().map_err(bad_command)?;
    let mut game = Game::from_position(args.board.position()?, &rules);
    let brain = args.weights.network(&[args.against])?;
    let mut thinking = brain.as_ref().map(Thinking::of);
    let mut random = Random::new(args.seed);
    let mut before: Vec<Game> = Vec::new();
    let mut words = Words::default();
    let mut out = io::stdout().lock();
    let mut last = None;
    while game.ending().is_none() {
        if interrupt::requested() {
            return Ok(Exit::Interrupted);
        }
        let seat = game.position().turn();
        if !args.seats.contains(&seat) {
            let mv = choose(args.against, &mut thinking, &game, &mut random);
            writeln!(out, "{seat} plays {}", game.move_text(mv))?;
            game.play(mv).expect("a player chooses a legal move");
            last = Some(mv);
            continue;
        }
        show(&mut out, &game, last)?;
        match listen(&mut words, &mut out, &game)? {
            Said::Play(mv) => {
                before.push(game.clone());
                writeln!(out, "{seat} plays {}", game.move_text(mv))?;
                game.play(mv).expect("a move that was found is legal");
                last = Some(mv);
            }
            Said::Moves => {
                let moves: Vec<_> = game.moves().iter().map(|&mv| game.move_text(mv)).collect();
                writeln!(out, "{}", moves.join(" "))?;
            }
            Said::Undo => match before.pop() {
                Some(earlier) => (game, last) = (earlier, None),
                None => writeln!(out, "there is nothing to undo")?,
            },
            Said::Resign => {
                before.push(game.clone());
                writeln!(out, "{seat} resigns")?;
                game.leave(seat);
                last = None;
            }
            Said::Fen => writeln!(out, "{}", game.position().fen(&rules))?,
            Said::Quit => return Ok(Exit::Fine),
        }
    }
    show(&mut out, &game, last)?;
    let ending = game.ending().expect("the game is over");
    let standings = Seat::ALL.map(|seat| {
        let (place, points) = (game.places()[seat.index()], game.position().points()[seat.index()]);
        format!("{seat} has place {place} and {points} points")
    });
    writeln!(out, "The game is over: {}. {}.", ending.name(), standings.join(", "))?;
    Ok(Exit::Fine)
}

fn show(out: &mut (impl Write + IsTerminal), game: &Game, last: Option<Move>) -> io::Result<()> {
    let drawing = Drawing::of(game.position(), game.rules());
    let drawing = last.map_or(drawing.clone(), |mv| drawing.after(mv));
    let board = if colors::wanted(out) { drawing.colored() } else { drawing.plain() };
    let points = Seat::ALL.map(|seat| format!("{seat} {}", game.position().points()[seat.index()]));
    writeln!(out, "\n{board}\n{}", points.join(", "))?;
    out.flush()
}

/// Lets a player choose among the legal moves.
fn choose(
    player: Opponent,
    thinking: &mut Option<Thinking<'_>>,
    game: &Game,
    random: &mut Random,
) -> Move {
    let (position, rules) = (game.position(), game.rules());
    let edge = rules.edge(position.turn());
    let number = |mv: &Move| {
        Action::of(*mv, edge).expect("rules were checked for moves without actions").id()
    };
    let numbers: Vec<u16> = game.moves().iter().map(number).collect();
    let chosen = learned::choose(player, thinking, (position, rules), &numbers, random);
    let at = numbers.iter().position(|number| *number == chosen).expect("one of the list");
    game.moves()[at]
}

/// What a person says that makes sense here.
fn listen(words: &mut Words, out: &mut impl Write, game: &Game) -> io::Result<Said> {
    loop {
        let ask = game.position().turn().name();
        let Some(word) = words.next(out, ask)? else { return Ok(Said::Quit) };
        return Ok(match word.as_str() {
            "moves" => Said::Moves,
            "undo" => Said::Undo,
            "resign" => Said::Resign,
            "fen" => Said::Fen,
            "quit" => Said::Quit,
            text => match game.find_move(text) {
                Ok(mv) => Said::Play(mv),
                Err(error) => {
                    writeln!(out, "{error}")?;
                    continue;
                }
            },
        });
    }
}
