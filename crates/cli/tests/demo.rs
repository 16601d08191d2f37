//! The answers of the demo, found again without SQL, files of tables, or stores.

mod everyply;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

use chess::pgn::{Mainline, Reader};
use chess_facts::{Definitions, Facts, Level};
use everyply::{run, stderr, stdout};
use game::{Game, Score};
use kalah::{Kalah, Rules};

fn demo(directory: &Path, flags: &[&str]) -> String {
    let directory = directory.to_str().expect("UTF-8");
    let output = run(&[&["demo", "--out", directory], flags].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    stdout(&output)
}

#[test]
fn the_answers_are_those_of_plain_loops() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("tour");
    let text = demo(&out, &[]);
    let games = games();
    let kalah = kalah_values();
    let fourchess = fourchess_games(&out);
    assert_eq!(answer(&out, "mates"), mates(&games));
    assert_eq!(answer(&out, "choices"), choices(&games, &fourchess, &kalah, &out));
    assert_eq!(answer(&out, "first"), first(&games, &fourchess, &kalah));
    let solved = format!("{} positions. The first player wins by 6", kalah.len());
    assert!(text.contains(&solved), "{text}");
    let positions: usize = games.iter().map(|game| game.positions.len()).sum();
    assert!(text.contains(&format!("{} games with {positions} positions", games.len())), "{text}");
    let all_moves: u64 = games
        .iter()
        .flat_map(|game| &game.positions)
        .map(|position| chess::perft(position, 1))
        .sum();
    assert!(text.contains(&format!("{all_moves} legal moves of all those positions")), "{text}");
}

#[test]
fn what_it_wrote_is_listed_repeatable_and_removed_again() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("a 'tour'");
    let first = demo(&out, &[]);
    let listed = |name: &str| first.lines().any(|line| line.trim_start().starts_with(name));
    let mut names: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.iter().all(|name| listed(name)), "{names:?}\n{first}");
    for picture in ["freest", "kalah", "puzzle", "fourchess", "mates", "choices", "first"] {
        let svg = fs::read_to_string(out.join(format!("{picture}.svg"))).unwrap();
        assert!(svg.trim_end().ends_with("</svg>"), "{picture}");
        let png = fs::read(out.join(format!("{picture}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{picture}");
    }
    let rows = |out: &Path| -> Vec<Vec<u8>> {
        let names = ["games.csv", "facts.parquet", "puzzles.parquet", "moves.parquet", "first.svg"];
        names.iter().map(|name| fs::read(out.join(name)).unwrap()).collect()
    };
    let written = rows(&out);
    let second = demo(&out, &[]);
    let timeless = |text: &str| -> Vec<String> {
        let times = ["Took ", "Answered in ", "The whole demo took "];
        let is_time = |line: &&str| times.iter().any(|words| line.starts_with(words));
        text.lines().filter(|line| !is_time(line)).map(str::to_owned).collect()
    };
    assert_eq!(timeless(&first), timeless(&second));
    assert_eq!(written, rows(&out));
    fs::write(out.join("mine.txt"), "kept").unwrap();
    demo(&out, &["--clean"]);
    let left: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [out.join("mine.txt")]);
}

#[test]
fn a10_it_replaces_and_removes_only_what_it_wrote() {
    let directory = tempfile::tempdir().unwrap();
    let (out, at) = (directory.path().to_str().unwrap(), |name: &str| directory.path().join(name));
    fs::write(at("games.csv"), "mine").unwrap();
    let refused = run(&["demo", "--out", out], "");
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    let said = format!("everyply: {}: the demo did not write this file", at("games.csv").display());
    assert!(stderr(&refused).starts_with(&said), "{}", stderr(&refused));
    let cleaned = run(&["demo", "--clean", "--out", out], "");
    assert_eq!(cleaned.status.code(), Some(0), "{}", stderr(&cleaned));
    assert_eq!(fs::read_to_string(at("games.csv")).unwrap(), "mine");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing was written");

    fs::remove_file(at("games.csv")).unwrap();
    fs::write(at("notes.txt"), "mine").unwrap();
    demo(directory.path(), &[]);
    fs::write(at("first.csv"), "changed").unwrap();
    let refused = run(&["demo", "--out", out], "");
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    let cleaned = run(&["demo", "--clean", "--out", out], "");
    let said = format!("everyply: {}: kept, because it has changed\n", at("first.csv").display());
    assert_eq!((cleaned.status.code(), stderr(&cleaned)), (Some(0), said));
    let mut left: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["first.csv", "notes.txt"]);
}

/// The rows of an answer, without the names of its columns.
fn answer(out: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(out.join(format!("{name}.csv"))).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

fn games() -> Vec<Mainline> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");
    let bytes = fs::read(path).unwrap();
    let mut reader = Reader::new(&bytes[..]);
    let mut games = Vec::new();
    loop {
        let mut game = Mainline::default();
        if !game.read(&mut reader).unwrap() {
            return games;
        }
        games.push(game);
    }
}

/// A mean with so many places, as it is written.
fn rounded(total: f64, count: u64, places: i32) -> String {
    let unit = 10f64.powi(places);
    let text = ((total / count as f64 * unit).round() / unit).to_string();
    if text.contains('.') { text } else { text + ".0" }
}

/// Mates in one, played, missed, and while a piece of the mover hangs, by rating.
fn mates(games: &[Mainline]) -> Vec<String> {
    let mut found: BTreeMap<u32, [u64; 4]> = BTreeMap::new();
    let mut facts = Box::new(Facts::empty());
    for game in games {
        let rating = |name: &str| game.tags.get(name).unwrap().parse::<u32>().unwrap();
        let ratings = [rating("WhiteElo"), rating("BlackElo")];
        for (ply, (position, played)) in game.positions.iter().zip(&game.moves).enumerate() {
            let moves = position.legal_moves();
            let mates: Vec<_> =
                moves.iter().filter(|&mv| position.play(mv).is_checkmate()).collect();
            if mates.is_empty() {
                continue;
            }
            facts.compute(position, Level::Exchange, Definitions::Std);
            let counts = found.entry(ratings[ply % 2] / 400 * 400).or_default();
            counts[0] += 1;
            counts[if mates.contains(played) { 1 } else { 2 }] += 1;
            counts[3] += u64::from(!facts[position.turn()].hanging_see().is_empty());
        }
    }
    let row = |(rating, [all, played, missed, hanging]): (u32, [u64; 4])| {
        let percent = rounded(100.0 * played as f64, all, 1);
        format!("{rating},{all},{played},{missed},{percent},{hanging}")
    };
    found.into_iter().map(row).collect()
}

/// The mean number of choices in each tenth of the way: chess, four players, Kalah, KenKen.
fn choices(
    games: &[Mainline],
    fourchess: &[fourchess::pgn::Record],
    kalah: &HashMap<kalah::Position, Known>,
    out: &Path,
) -> Vec<String> {
    let mut means = [[(0.0, 0); 4]; 10];
    let mut add = |tenth: usize, what: usize, choices: f64| {
        means[tenth][what].0 += choices;
        means[tenth][what].1 += 1;
    };
    for game in games {
        for (ply, position) in game.positions[..game.moves.len()].iter().enumerate() {
            add(10 * ply / game.moves.len(), 0, chess::perft(position, 1) as f64);
        }
    }
    for record in fourchess {
        let plies: Vec<_> = record.plies().collect();
        let mut game = fourchess::Game::from_position(*record.start(), record.rules());
        for (ply, made) in plies.iter().enumerate() {
            add(10 * ply / plies.len(), 1, game.moves().len() as f64);
            assert!(game.apply(*made));
        }
    }
    for known in kalah.values().filter(|known| known.moves > 0) {
        add(10 * (24 - known.seeds) / 24, 2, known.moves as f64);
    }
    for puzzle in puzzles(out) {
        let cells = puzzle.size().side() * puzzle.size().side();
        let mut open = vec![puzzle.size().side(); cells];
        let steps =
            kenken::explain(&puzzle, kenken::Level::Unreasonable, &kenken::Limits::NONE).steps;
        for (index, step) in steps.iter().enumerate() {
            let candidates = open.iter().filter(|&&count| count > 1);
            let total: usize = candidates.clone().sum();
            add(10 * index / steps.len(), 3, total as f64 / candidates.count() as f64);
            for (cell, digits) in &step.removed {
                open[cell.index()] -= digits.len();
            }
        }
    }
    let row = |(tenth, means): (usize, &[(f64, u64); 4])| {
        let means = means.map(|(total, count)| rounded(total, count, 2));
        format!("{tenth},{}", means.join(","))
    };
    means.iter().enumerate().map(row).collect()
}

/// How it ends for the one who moves first, in percent.
fn first(
    games: &[Mainline],
    fourchess: &[fourchess::pgn::Record],
    kalah: &HashMap<kalah::Position, Known>,
) -> Vec<String> {
    let chess = games.iter().map(|game| match game.tags.get("Result").unwrap() {
        "1-0" => 1,
        "0-1" => -1,
        _ => 0,
    });
    let four = fourchess.iter().map(|record| {
        let places = record.play().places();
        match (places[0], places[1..].iter().min()) {
            (1, Some(1)) => 0,
            (1, _) => 1,
            _ => -1,
        }
    });
    let kalah = kalah.values().filter(|known| known.moves > 0).map(|known| known.value.signum());
    let outcomes: [(&str, Vec<i16>); 3] = [
        ("chess games", chess.collect()),
        ("four-player games", four.collect()),
        ("Kalah positions", kalah.collect()),
    ];
    let mut rows: Vec<(f64, String)> = outcomes
        .iter()
        .map(|(game, outcomes)| {
            let share = |wanted: i16| outcomes.iter().filter(|&&n| n == wanted).count() as f64;
            let percent = |wanted| rounded(100.0 * share(wanted), outcomes.len() as u64, 1);
            let row = [1, 0, -1].map(percent).join(",");
            (share(1) / outcomes.len() as f64, format!("{game},{},{row}", outcomes.len()))
        })
        .collect();
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    rows.into_iter().map(|(_, row)| row).collect()
}

fn fourchess_games(out: &Path) -> Vec<fourchess::pgn::Record> {
    let bytes = fs::read(out.join("fourchess.pgn4")).unwrap();
    fourchess::pgn::Reader::new(&bytes[..]).collect::<Result<_, _>>().unwrap()
}

fn puzzles(out: &Path) -> Vec<kenken::Puzzle> {
    let path = out.join("puzzles.parquet");
    let ids = run(&["sql", &format!("select id from '{}'", path.display()), "--format", "csv"], "");
    let ids = stdout(&ids);
    let ids = ids.lines().skip(1).map(|id| id.trim_matches('"'));
    let puzzles: Vec<_> = ids.map(|id| kenken::keen::parse(id).unwrap()).collect();
    assert_eq!(puzzles.len(), 200);
    puzzles
}

/// A position of Kalah.
struct Known {
    value: i16,
    moves: usize,
    seeds: usize,
}

/// Every position that can be reached in Kalah(4,3), by plain recursion.
fn kalah_values() -> HashMap<kalah::Position, Known> {
    fn value(
        kalah: &Kalah,
        position: kalah::Position,
        known: &mut HashMap<kalah::Position, Known>,
    ) -> i16 {
        if let Some(known) = known.get(&position) {
            return known.value;
        }
        let seeds = (position.own().total() + position.other().total()) as usize;
        let (value, moves) = match kalah.outcome(&position) {
            Some(Score(value)) => (value, 0),
            None => {
                let mut edges = Vec::new();
                kalah.edges(&position, |edge| edges.push(edge));
                let worth =
                    edges.iter().map(|edge| edge.worth(Score(value(kalah, edge.to, known))));
                let most = worth.max().expect("a move");
                (most.try_into().expect("few seeds"), edges.len())
            }
        };
        known.insert(position, Known { value, moves, seeds });
        value
    }
    let kalah = Kalah::new(4, 3, Rules::STD_EITHER).unwrap();
    let mut known = HashMap::new();
    value(&kalah, kalah.start(), &mut known);
    known
}
