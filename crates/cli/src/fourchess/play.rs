//! `everyply fourchess play`

mod table;

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use fourchess::{
    Game, Move, Seat,
    drawing::Drawing,
    pgn::{Exit as Departure, Ply},
};
use fourchess_env::{Config, Player, Random};

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
use table::Table;

/// Play any seat against built-in players, or against the one that learned
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess play
  everyply fourchess play --against learned
  everyply fourchess play --seats blue,green --rules teams --against random --seed 7
  everyply fourchess play --resume game.pgn4 --side yellow
  echo 'h2-h3 save game.pgn4 quit' | everyply fourchess play --seats red

Type a move such as h2-h3, Nj1-i3, h8-g8=Q or O-O. 'moves' lists the legal moves, 'hint' says what
greedy and random would play, 'undo' takes your last move back, 'resign' resigns, 'side blue' turns
the board, 'save FILE' writes the game as PGN4, 'fen' prints the position, 'help' lists these words,
and 'quit' ends the program.")]
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
    /// Seat whose side of the board stays at the bottom [default: the first of --seats]
    #[arg(long, value_name = "SEAT", value_parser = seat)]
    side: Option<Seat>,
    /// Go on with the first game of a PGN4 file, with its rules
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "setup", "rules", "changes"])]
    resume: Option<PathBuf>,
    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

/// What a person says.
enum Said {
    Play(Move),
    Moves,
    Hint,
    Undo,
    Resign,
    Side(Seat),
    Save(PathBuf),
    Fen,
    Help,
    Quit,
}

const HELP: &str =
    "a move such as h2-h3, moves, hint, undo, resign, side SEAT, save FILE, fen, quit";

pub(crate) fn run(args: &Args) -> Outcome {
    let mut table = match &args.resume {
        Some(path) => Table::resume(path)?,
        None => Table::new(args.board.position()?, &args.board.rules()),
    };
    // Built-in players choose among actions, which moves by some rules do not have.
    Config::new(table.game.rules(), 1).check().map_err(bad_command)?;
    let mut side = args.side.or(args.seats.first().copied()).unwrap_or(Seat::Red);
    let brain = args.weights.network(&[args.against])?;
    let mut thinking = brain.as_ref().map(Thinking::of);
    let mut random = Random::new(args.seed);
    let mut words = Words::default();
    let mut out = io::stdout().lock();
    let mut is_told = false;
    loop {
        if interrupt::requested() {
            return Ok(Exit::Interrupted);
        }
        let seat = table.game.position().turn();
        let is_over = table.game.ending().is_some();
        if !is_over && !args.seats.contains(&seat) {
            let mv = choose(args.against, &mut thinking, &table.game, &mut random);
            make(&mut out, &mut table, Ply::Move(mv))?;
            continue;
        }
        if !(is_over && is_told) {
            show(&mut out, &table, side)?;
        }
        if is_over && !is_told {
            end(&mut out, &table.game)?;
        }
        // A game that is over can still be saved, and its last move taken back.
        is_told = is_over;
        match listen(&mut words, &mut out, &table.game)? {
            Said::Play(mv) => {
                table.mark();
                make(&mut out, &mut table, Ply::Move(mv))?;
            }
            Said::Resign | Said::Hint if is_over => writeln!(out, "the game is over")?,
            Said::Resign => {
                table.mark();
                make(&mut out, &mut table, Ply::Leave { seat, exit: Departure::Resigns })?;
            }
            Said::Undo if !table.undo() => writeln!(out, "there is nothing to undo")?,
            Said::Undo => {}
            Said::Moves => {
                let game = &table.game;
                let moves: Vec<_> = game.moves().iter().map(|&mv| game.move_text(mv)).collect();
                writeln!(out, "{}", moves.join(" "))?;
            }
            Said::Hint => hint(&mut out, &table.game, random)?,
            Said::Side(seat) => (side, is_told) = (seat, false),
            Said::Save(path) => save(&mut out, &table, &path)?,
            Said::Fen => writeln!(out, "{}", table.game.position().fen(table.game.rules()))?,
            Said::Help => writeln!(out, "{HELP}")?,
            Said::Quit => return Ok(Exit::Fine),
        }
    }
}

/// Lets a ply happen and says what follows from it.
fn make(out: &mut impl Write, table: &mut Table, ply: Ply) -> io::Result<()> {
    let game = &table.game;
    let seat = game.position().turn();
    let follows: Vec<String> = game.consequences(ply).iter().map(ToString::to_string).collect();
    let follows =
        if follows.is_empty() { String::new() } else { format!(" ({})", follows.join("; ")) };
    match ply {
        Ply::Move(mv) => writeln!(out, "{seat} plays {}{follows}", game.move_text(mv))?,
        Ply::Leave { .. } => writeln!(out, "{ply}")?,
    }
    table.play(ply);
    Ok(())
}

/// Lets a player choose among the legal moves.
fn choose(
    player: Opponent,
    thinking: &mut Option<Thinking<'_>>,
    game: &Game,
    random: &mut Random,
) -> Move {
    let at = (game.position(), game.rules());
    table::choose(game, |legal| learned::choose(player, thinking, at, legal, random))
}

/// What the built-in players would do. The random numbers of the game stay as they are.
fn hint(out: &mut impl Write, game: &Game, random: Random) -> io::Result<()> {
    for player in Player::ALL {
        let mv = choose(Opponent::BuiltIn(player), &mut None, game, &mut { random });
        let follows: Vec<String> =
            game.consequences(Ply::Move(mv)).iter().map(ToString::to_string).collect();
        let follows = if follows.is_empty() {
            "nothing follows at once".to_owned()
        } else {
            follows.join("; ")
        };
        writeln!(out, "{} would play {}: {follows}", player.name(), game.move_text(mv))?;
    }
    Ok(())
}

/// A file that cannot be written does not end the game.
fn save(out: &mut impl Write, table: &Table, path: &Path) -> io::Result<()> {
    match table.save(path) {
        Ok(()) => writeln!(out, "saved in {}", path.display()),
        Err(error) => writeln!(out, "{error:#}"),
    }
}

fn end(out: &mut impl Write, game: &Game) -> io::Result<()> {
    let ending = game.ending().expect("the game is over");
    let standings = Seat::ALL.map(|seat| {
        let (place, points) = (game.places()[seat.index()], game.position().points()[seat.index()]);
        format!("{seat} has place {place} and {points} points")
    });
    writeln!(out, "The game is over: {}. {}.", ending.name(), standings.join(", "))
}

fn show(out: &mut (impl Write + IsTerminal), table: &Table, side: Seat) -> io::Result<()> {
    let (game, rules) = (&table.game, table.game.rules());
    let mut drawing = Drawing::of(game.position(), rules);
    drawing.viewpoint = rules.edge(side);
    let window = terminal_size::terminal_size().filter(|_| out.is_terminal());
    drawing.narrow = window.is_some_and(|(width, _)| usize::from(width.0) < Drawing::COLUMNS);
    if let Some(mv) = table.last() {
        drawing = drawing.after(mv);
    }
    let board = if colors::wanted(out) { drawing.colored() } else { drawing.plain() };
    let points = Seat::ALL.map(|seat| format!("{seat} {}", game.position().points()[seat.index()]));
    writeln!(out, "\n{board}\n{}", points.join(", "))?;
    out.flush()
}

/// What a person says that makes sense here.
fn listen(words: &mut Words, out: &mut impl Write, game: &Game) -> io::Result<Said> {
    loop {
        let ask = if game.ending().is_some() { "over" } else { game.position().turn().name() };
        let Some(word) = words.next(out, ask)? else { return Ok(Said::Quit) };
        return Ok(match word.as_str() {
            "moves" => Said::Moves,
            "hint" => Said::Hint,
            "undo" => Said::Undo,
            "resign" => Said::Resign,
            "fen" => Said::Fen,
            "help" => Said::Help,
            "quit" => Said::Quit,
            "side" => match words.waiting().map(|name| seat(&name)) {
                Some(Ok(seat)) => Said::Side(seat),
                _ => {
                    writeln!(out, "side: expected red, blue, yellow or green")?;
                    continue;
                }
            },
            "save" => match words.waiting() {
                Some(path) => Said::Save(path.into()),
                None => {
                    writeln!(out, "save: expected a file name")?;
                    continue;
                }
            },
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
