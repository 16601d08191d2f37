//! Games that break the rules of the trait are refused with the position that shows it, and wrong
//! values in a store are found and mended, through the commands as people run them.
//!
//! The test is a program itself: it starts copies of itself, which are programs for a game.

use std::{
    env,
    process::{Command, ExitCode, Output},
};

use clap::ValueEnum;
use commands::{Notation, Program};
use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};

/// Set for the copies: which rule their game breaks.
const BROKEN: &str = "EVERYPLY_TEST_BROKEN";

/// A move takes one or two stones. Whoever cannot move loses.
struct Countdown {
    start: u16,
    broken: Broken,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Broken {
    Nothing,
    /// All positions have the same rank.
    Rank,
    /// Keys have more bits than the game says.
    Key,
    /// Positions that differ in their moves have the same key.
    Moves,
    /// The positions at the end have another value.
    Value,
}

/// The stones, and whether the last move took two of them, which is not in the key.
#[derive(Clone, Copy)]
struct Stones {
    left: u16,
    took_two: bool,
}

impl Game for Countdown {
    type Position = Stones;

    fn name(&self) -> String {
        format!("countdown start={}", self.start)
    }

    fn key_bits(&self) -> u32 {
        if self.broken == Broken::Key { 3 } else { 8 }
    }

    fn start(&self) -> Stones {
        Stones { left: self.start, took_two: false }
    }

    fn rank(&self, stones: &Stones) -> Rank {
        let level = if self.broken == Broken::Rank { 5 } else { stones.left };
        Rank { level, step: 0 }
    }

    fn outcome(&self, stones: &Stones) -> Option<Score> {
        let score = if self.broken == Broken::Value { 1 } else { -1 };
        (stones.left == 0).then_some(Score(score))
    }

    fn edges(&self, stones: &Stones, mut visit: impl FnMut(Edge<Stones>)) {
        let most = if self.broken == Broken::Moves && stones.took_two { 1 } else { 2 };
        for taken in 1..=most.min(stones.left) {
            let to = Stones { left: stones.left - taken, took_two: taken == 2 };
            visit(Edge { mv: MoveId(taken), to, gain: Score(0), turn: Turn::Passes });
        }
    }

    fn pack(&self, stones: &Stones) -> Key {
        Key(stones.left.into())
    }

    fn unpack(&self, key: Key) -> Option<Stones> {
        let left = u16::try_from(key.0).ok().filter(|left| *left <= self.start)?;
        Some(Stones { left, took_two: false })
    }
}

#[derive(clap::Args)]
struct Flags {
    /// Number of stones at the start
    #[arg(long)]
    start: u16,
}

impl Notation for Countdown {
    type Flags = Flags;

    fn new(flags: &Flags) -> Result<Countdown, String> {
        let broken = env::var(BROKEN).expect("only copies come here");
        Ok(Countdown { start: flags.start, broken: Broken::from_str(&broken, true)? })
    }

    fn read(&self, text: &str) -> Result<Stones, String> {
        let left = text.strip_prefix('s').and_then(|number| number.parse().ok());
        let left = left.ok_or_else(|| "expected stones, such as s9".to_owned())?;
        Ok(Stones { left, took_two: false })
    }

    fn write(&self, stones: &Stones) -> String {
        format!("s{}", stones.left)
    }

    fn name_move(&self, _: &Stones, mv: MoveId) -> String {
        format!("take-{}", mv.0)
    }
}

fn main() -> ExitCode {
    if env::var_os(BROKEN).is_some() {
        let (name, version) = ("countdown", "1.0.0");
        return commands::run::<Countdown>(Program { name, version, about: "A game" });
    }
    games_that_break_a_rule_are_refused_with_the_position();
    wrong_values_are_found_and_mended();
    what_is_no_store_or_position_of_the_game_is_refused();
    moves_are_made_and_taken_back();
    ExitCode::SUCCESS
}

/// Runs a copy in a directory.
fn run(place: &tempfile::TempDir, broken: &str, line: &str, input: &str) -> Output {
    let mut command = Command::new(env::current_exe().expect("the path of this program"));
    command.args(line.split(' ')).env(BROKEN, broken).current_dir(place.path());
    let file = place.path().join("input");
    std::fs::write(&file, input).expect("a file");
    command.stdin(std::fs::File::open(&file).expect("a file")).output().expect("a copy")
}

#[track_caller]
fn expect(output: &Output, exit: i32, stdout: &str, stderr: &str) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    assert_eq!((text(&output.stdout).as_str(), text(&output.stderr).as_str()), (stdout, stderr));
    assert_eq!(output.status.code(), Some(exit));
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn games_that_break_a_rule_are_refused_with_the_position() {
    let cases = [
        (
            "rank",
            "position s9: position 0x9: a move leads from rank 5.0 to 5.0, which is not lower",
        ),
        (
            "key",
            "position s9: key 0x9 has more than 3 bits, the number that countdown start=9 declares",
        ),
        (
            "moves",
            "position s7: position 0x7 of rank 7.0: countdown start=9 gave two different answers \
             about its moves",
        ),
    ];
    for (broken, message) in cases {
        let place = directory();
        for store in ["memory:", "sqlite:a.sqlite", "file:b"] {
            let output = run(&place, broken, &format!("solve --start 9 --store {store}"), "");
            expect(&output, 3, "", &format!("countdown: {message}\n"));
        }
        let output = run(&place, broken, "solve --start 9 --store sqlite:a.sqlite --resume", "");
        expect(&output, 3, "", &format!("countdown: {message}\n"));
    }
    let solved = "game               value  best    remoteness  positions  store\n\
                  countdown start=9     -1  take-1           6         10  memory:\n";
    let output = run(&directory(), "nothing", "solve --start 9 --store memory:", "");
    expect(&output, 0, solved, "");
}

fn wrong_values_are_found_and_mended() {
    let place = directory();
    let store = "--store sqlite:countdown-start-4.sqlite";
    assert!(run(&place, "value", "solve --start 4", "").status.success());
    let output = run(&place, "nothing", &format!("verify {store} --format csv"), "");
    let faults = "fault,position,level,value,best,remoteness,derived_value,derived_best,derived_remoteness\n\
                  wrong,s0,0,1,,0,-1,,0\n";
    expect(&output, 1, faults, "countdown: 5 of 5 positions recomputed, 1 wrong\n");
    let output = run(&place, "nothing", &format!("verify {store} --repair --format jsonl"), "");
    assert_eq!(output.status.code(), Some(0));
    let output = run(&place, "nothing", &format!("verify {store}"), "");
    assert_eq!(output.status.code(), Some(0));
    let best = "move,value,best,remoteness,gain,again,position\n\
                take-1,1,true,3,0,false,s3\n\
                take-2,-1,false,2,0,false,s2\n";
    expect(&run(&place, "nothing", &format!("best {store} --format csv"), ""), 0, best, "");
}

fn what_is_no_store_or_position_of_the_game_is_refused() {
    let place = directory();
    assert!(run(&place, "nothing", "solve --start 4 --store file:four", "").status.success());
    let cases = [
        ("best s5 --store file:four", 1, "position 's5': not a position of countdown start=4"),
        ("line five --store file:four", 1, "position 'five': expected stones, such as s9"),
        ("stats --store nowhere:x", 2, "…"),
        ("export --store file:none", 1, "…"),
        ("solve --start 4 --store file:four", 1, "…"),
    ];
    for (line, exit, message) in cases {
        let output = run(&place, "nothing", line, "");
        assert_eq!(output.status.code(), Some(exit), "{line}: {output:?}");
        if message != "…" {
            expect(&output, exit, "", &format!("countdown: {message}\n"));
        }
    }
}

fn moves_are_made_and_taken_back() {
    let place = directory();
    assert!(run(&place, "nothing", "solve --start 4 --store file:four", "").status.success());
    let typed = "take-3 take-2\nundo hint\ntake-1 take-1\nundo undo undo quit";
    let output = run(&place, "nothing", "play --store file:four", typed);
    let shown = "player 1, your move\ns4\nmoves: take-1(+1) take-2(-1)\n\
                 with best play player 1 wins by 1, in 3 plies\n\n\
                 'take-3' is not a move here; 'help' lists the words\n\
                 player 1 plays take-2\n\nplayer 2 plays take-2\n\n\
                 s0\nplay is over: player 2 wins by 1\n\
                 player 1, your move\ns4\nmoves: take-1(+1) take-2(-1)\n\
                 with best play player 1 wins by 1, in 3 plies\n\n\
                 best is take-1\n\
                 player 1 plays take-1\n\nplayer 2 plays take-1\n\n\
                 player 1, your move\ns2\nmoves: take-1(-1) take-2(+1)\n\
                 with best play player 1 wins by 1, in 1 ply\n\n\
                 player 1 plays take-1\n\nplayer 2 plays take-1\n\n\
                 s0\nplay is over: player 2 wins by 1\n\
                 player 1, your move\ns2\nmoves: take-1(-1) take-2(+1)\n\
                 with best play player 1 wins by 1, in 1 ply\n\n\
                 player 1, your move\ns4\nmoves: take-1(+1) take-2(-1)\n\
                 with best play player 1 wins by 1, in 3 plies\n\n\
                 there is nothing to undo\n";
    expect(&output, 0, shown, "");
}
