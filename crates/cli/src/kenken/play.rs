//! `everyply kenken play`

mod game;
mod said;

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use kenken::{Attempt, Cell, Hint, Level, Limits, Puzzle, Recipe, Size, Solver, drawing, generate};

use self::{
    game::{Game, resume},
    said::{HELP, Said, listen},
};
use super::{
    Cost,
    explain::{level, only},
    puzzles::Inputs,
    seed::{Seed, seed},
};
use crate::{
    colors,
    exit::{Exit, Outcome, bad_command},
    interrupt,
    prompt::Words,
};

/// Solve a puzzle in the terminal, with pencil marks, hints and undo
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken play
  everyply kenken play --size 4 --level easy --seed random
  everyply kenken play '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken play --resume game.json
  echo 'r1c1=3 r1c2+14 hint save game.json quit' | everyply kenken play --size 4

Type r1c2=3 to fill in a digit, r1c2=. to remove it, r1c2+14 to pencil in 1 and 4, and r1c2-4 to rub
4 out. 'marks' pencils in every digit that is possible at a glance, and 'tidy' rubs out those that no
longer are. 'check' says what is wrong so far. 'hint' says where to look, again which rule helps, and
a third time what follows; 'follow' does that. 'undo' takes the last change back, 'solution' shows the
solution, 'show' draws the grid, 'save FILE' writes the game as JSON, and 'quit' ends the program. In
grids larger than 9x9, separate pencil marks by commas.")]
pub(crate) struct Args {
    /// Game ID, JSON object or file with one puzzle; '-' is not possible [default: a new puzzle]
    #[arg(value_name = "PUZZLE", conflicts_with_all = ["size", "level", "seed", "resume"])]
    puzzle: Option<String>,
    /// Number of rows and columns of a new puzzle
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=16))]
    size: u8,
    /// Difficulty of a new puzzle: easy, normal, hard, extreme or unreasonable
    #[arg(long, default_value = "easy", value_parser = level)]
    level: Level,
    /// Random seed; the same seed gives the same puzzle. 'random' takes a new one and prints it
    #[arg(long, value_name = "SEED", default_value = "0", value_parser = seed)]
    seed: Seed,
    /// Go on with a game that was saved
    #[arg(long, value_name = "FILE", conflicts_with_all = ["size", "level", "seed"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    cost: Cost,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let (puzzle, grids) = match (&args.puzzle, &args.resume) {
        (_, Some(path)) => resume(path)?,
        (Some(text), None) if text == "-" => {
            return Err(bad_command("standard input is where you type; name a file instead"));
        }
        (Some(text), None) => (only(&Inputs::of(text))?.puzzle, Vec::new()),
        (None, None) => (new(args)?, Vec::new()),
    };
    let game = Game::new(&puzzle, &grids)?;
    play(game, args.cost)
}

fn new(args: &Args) -> anyhow::Result<Puzzle> {
    let size = Size::new(usize::from(args.size)).expect("the flag is in range");
    let made = generate(&Recipe::new(size, Some(args.level)), args.seed.take());
    Ok(made.map_err(bad_command)?.puzzle)
}

fn play(mut game: Game<'_>, cost: Cost) -> Outcome {
    let mut words = Words::default();
    let mut out = io::stdout().lock();
    let mut hints = Hints::default();
    show(&mut out, game.now(), &[])?;
    loop {
        if interrupt::requested() {
            return Ok(Exit::Interrupted);
        }
        let is_solved = game.now().is_solved();
        let ask = if is_solved { "solved" } else { "kenken" };
        let said = listen(&mut words, &mut out, ask, game.now())?;
        let changed = match said {
            Said::Change(cell, digit, marks) => {
                game.change(|attempt| {
                    attempt.place(cell, digit);
                    attempt.mark(cell, marks);
                });
                true
            }
            Said::Marks => game.change(Attempt::fill_marks),
            Said::Tidy => game.change(Attempt::tidy_marks),
            Said::Undo => {
                let undone = game.undo();
                if !undone {
                    writeln!(out, "there is nothing to undo")?;
                }
                undone
            }
            Said::Follow => match hints.follow(&mut game) {
                true => true,
                false => {
                    writeln!(out, "ask for a hint first")?;
                    false
                }
            },
            Said::Hint => {
                hints.tell(&mut out, game.now(), &cost.limits())?;
                false
            }
            Said::Check => {
                check(&mut out, game.now(), &cost.limits())?;
                false
            }
            Said::Solution => {
                solution(&mut out, game.now().puzzle(), &cost.limits())?;
                false
            }
            Said::Save(path) => {
                save(&mut out, &game, &path)?;
                false
            }
            Said::Show => true,
            Said::Help => {
                writeln!(out, "{HELP}")?;
                false
            }
            Said::Quit => return Ok(Exit::Fine),
        };
        if changed {
            let clashing: Vec<Cell> =
                game.now().clashes().into_iter().flat_map(|clash| clash.cells).collect();
            show(&mut out, game.now(), &clashing)?;
            if game.now().is_solved() && !is_solved {
                writeln!(out, "Solved.")?;
            }
        }
    }
}

/// The hint that is being told, stage by stage.
#[derive(Default)]
struct Hints {
    told: Option<(String, Hint, u8)>,
}

impl Hints {
    /// Tells the next stage, or the first one if the grid has changed.
    fn tell(
        &mut self,
        out: &mut impl Write,
        attempt: &Attempt<'_>,
        limits: &Limits,
    ) -> io::Result<()> {
        let grid = attempt.to_string();
        let (hint, stage) = match self.told.take() {
            Some((known, hint, stage)) if known == grid => (hint, stage.saturating_add(1)),
            _ => (attempt.hint(Level::Unreasonable, limits), 1),
        };
        match (&hint, stage) {
            (Hint::Wrong(wrong), _) => writeln!(out, "wrong: {}", wrong.text)?,
            (Hint::Deduction(deduction), 1) => writeln!(out, "{}", deduction.look.text)?,
            (Hint::Deduction(deduction), 2) => {
                writeln!(out, "{}: {}", deduction.rule, deduction.rule.advice())?;
            }
            (Hint::Deduction(deduction), _) => writeln!(out, "{}", deduction.follows.text)?,
            (Hint::Solved, _) => writeln!(out, "the puzzle is solved")?,
            (Hint::Stuck, _) => writeln!(out, "no rule applies: there are several solutions")?,
            (Hint::NoSolution, _) => writeln!(out, "the puzzle has no solution")?,
            (Hint::Unsettled, _) => writeln!(out, "no hint was found within the limits")?,
        }
        self.told = Some((grid, hint, stage));
        Ok(())
    }

    /// Does what the hint says, whatever stage was told. Wrong digits and marks are rubbed out.
    fn follow(&mut self, game: &mut Game<'_>) -> bool {
        match &self.told {
            Some((grid, Hint::Deduction(deduction), _)) if *grid == game.now().to_string() => {
                game.change(|attempt| attempt.follow(deduction))
            }
            Some((grid, Hint::Wrong(wrong), _)) if *grid == game.now().to_string() => {
                game.change(|attempt| {
                    for &cell in wrong.digits.iter().chain(&wrong.marks) {
                        attempt.place(cell, None);
                        attempt.mark(cell, kenken::Digits::NONE);
                    }
                })
            }
            _ => false,
        }
    }
}

/// Says what is wrong so far: first what breaks a rule, then what no solution has.
fn check(out: &mut impl Write, attempt: &Attempt<'_>, limits: &Limits) -> io::Result<()> {
    let clashes = attempt.clashes();
    for clash in &clashes {
        writeln!(out, "{}", clash.fault)?;
    }
    match attempt.wrong(limits) {
        Some(wrong) if wrong.is_empty() && clashes.is_empty() => {
            let left = attempt.cells().filter(|&cell| attempt.digit(cell).is_none()).count();
            writeln!(out, "everything so far is right; {left} cells are empty")
        }
        Some(wrong) if wrong.is_empty() => Ok(()),
        Some(wrong) => writeln!(out, "wrong: {}", wrong.text),
        None => writeln!(out, "the puzzle was not solved within the limits, so this is unknown"),
    }
}

fn solution(out: &mut impl Write, puzzle: &Puzzle, limits: &Limits) -> io::Result<()> {
    let count = Solver::new().count(puzzle, 1, limits);
    match &count.first {
        Some(solution) => write!(out, "{}", drawing::boxes(puzzle, Some(solution))),
        None if count.complete => writeln!(out, "the puzzle has no solution"),
        None => writeln!(out, "no solution was found within the limits"),
    }
}

/// A file that cannot be written does not end the game.
fn save(out: &mut impl Write, game: &Game<'_>, path: &Path) -> io::Result<()> {
    match game.save(path) {
        Ok(()) => writeln!(out, "saved in {}", path.display()),
        Err(error) => writeln!(out, "{error:#}"),
    }
}

/// Draws the grid, or lists it if the window is too narrow. Digits that clash are red.
fn show(
    out: &mut (impl Write + IsTerminal),
    attempt: &Attempt<'_>,
    clashing: &[Cell],
) -> io::Result<()> {
    let plain = drawing::attempt_boxes(attempt);
    let across = plain.lines().next().map_or(0, |line| line.chars().count());
    let window = terminal_size::terminal_size().filter(|_| out.is_terminal());
    if window.is_some_and(|(width, _)| usize::from(width.0) < across) {
        let grid = attempt.to_string().replace('/', "\n");
        writeln!(out, "\n{}\n{grid}", drawing::print(attempt.puzzle()))?;
    } else if colors::wanted(out) {
        let style = |cell: Cell, text: String| match attempt.digit(cell) {
            Some(_) if clashing.contains(&cell) => format!("\u{1b}[1;31m{text}\u{1b}[0m"),
            Some(_) => format!("\u{1b}[1m{text}\u{1b}[0m"),
            None => format!("\u{1b}[2m{text}\u{1b}[0m"),
        };
        write!(out, "\n{}", drawing::styled_boxes(attempt, &style))?;
    } else {
        write!(out, "\n{plain}")?;
    }
    out.flush()
}
