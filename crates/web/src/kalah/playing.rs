//! Games with values, replies of opponents, and records of games.

use axum::{Json, extract::State};
use game::Game;
use kalah::{Kalah, Rules, Standing};
use kalah_answers::{Answers, Opponent};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Answer, parse_game,
    places::{Shared, lock},
    replay::{Replay, Source, shown},
    rules,
    searching::SEARCH,
};
use crate::{app::App, asked::Posted, refusal::Refusal};

/// A game: where values come from, how it started, which pits were sown.
#[derive(Deserialize)]
pub(super) struct Asked {
    /// No values if it is empty; [`SEARCH`] for values that are searched.
    #[serde(default)]
    store: String,
    /// The rules, if no store has its own.
    #[serde(default)]
    pub(super) rules: String,
    /// A position, or a size such as 6x4; that of the store if it is empty.
    #[serde(default)]
    start: String,
    #[serde(default)]
    moves: Vec<u16>,
    /// The ply whose moves are listed; the last one if it is missing.
    ply: Option<usize>,
}

/// What is played if nothing else is asked for.
const USUAL: &str = "6x4";

impl Asked {
    /// Replays the game and passes it on, with its place.
    fn with<T>(
        &self,
        app: &App,
        work: impl FnOnce(&Replay, &mut Source<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.store.is_empty() || self.store == SEARCH {
            let rules = rules(&self.rules)?;
            let replay = self.replay(rules, None)?;
            return match self.store.is_empty() {
                true => work(&replay, &mut Source::Nowhere),
                false => app
                    .kalah
                    .search
                    .with_found(rules, |found| work(&replay, &mut Source::Searched(found))),
            };
        }
        let place: Shared = app.kalah.find(&app.files, &self.store)?;
        let mut answers = lock(&place);
        let start = match &*answers {
            Answers::Solved(solved) => solved.kalah.start(),
            // A table has values for many games; the largest of them that begins evenly will do.
            Answers::Table(table) => {
                let sheets = table.numbered();
                let each = (sheets.seeds() / (2 * sheets.pits() as u32)).max(1);
                let even = Kalah::new(sheets.pits(), each, sheets.rules());
                even.map_err(Refusal::bad)?.start()
            }
        };
        let start = Standing { position: start, stores: None };
        let replay = self.replay(answers.kalah().rules(), Some(start))?;
        work(&replay, &mut Source::Answers(&mut answers))
    }

    pub(super) fn replay(&self, rules: Rules, start: Option<Standing>) -> Result<Replay, Refusal> {
        let start = match (self.start.is_empty(), start) {
            (true, Some(start)) => start,
            (true, None) => parse_game(USUAL, rules)?.1,
            (false, _) => parse_game(&self.start, rules)?.1,
        };
        Replay::new(&start, rules, &self.moves)
    }

    /// The ply whose moves are listed.
    pub(super) fn at(&self, replay: &Replay) -> usize {
        let last = replay.plies.len() - 1;
        self.ply.unwrap_or(last).min(last)
    }
}

/// The whole game: every ply, the history with what each move gave away, the moves of one ply.
pub(super) async fn game(State(app): State<App>, Posted(asked): Posted<Asked>) -> Answer {
    let shared = app.clone();
    app.compute(move || {
        asked.with(&shared, |replay, answers| shown(replay, answers, asked.at(replay)).map(Json))
    })
    .await?
}

#[derive(Deserialize)]
pub(super) struct Turn {
    #[serde(flatten)]
    asked: Asked,
    #[serde(flatten)]
    mover: Mover,
}

/// An opponent whose turn it is.
#[derive(Deserialize)]
pub(super) struct Mover {
    player: Player,
    /// How often an opponent by skill finds a best move, in percent.
    #[serde(default)]
    skill: u64,
    /// As text, because numbers of a browser have only 53 bits.
    seed: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Player {
    Perfect,
    Skill,
    Random,
}

impl Mover {
    fn seed(&self) -> Result<u64, Refusal> {
        let wrong = || Refusal::bad("the seed is not a whole number below 2^64");
        self.seed.trim().parse().map_err(|_| wrong())
    }

    /// The same opponent for those who search, with its seed.
    pub(super) fn opponent(&self) -> Result<(Opponent, u64), Refusal> {
        let opponent = match self.player {
            Player::Perfect => Opponent::Perfect,
            Player::Random => Opponent::Random,
            Player::Skill => Opponent::Casual { errs: 100 - self.skill.min(100) as u32 },
        };
        Ok((opponent, self.seed()?))
    }
}

/// The move of an opponent. The same game and seed give the same move.
pub(super) async fn reply(State(app): State<App>, Posted(turn): Posted<Turn>) -> Answer {
    let shared = app.clone();
    app.compute(move || {
        let seed = turn.mover.seed()?;
        turn.asked.with(&shared, |replay, answers| {
            let seed = solver::mix(seed ^ solver::mix(replay.pits.len() as u64));
            choose(replay, answers, turn.mover.player, turn.mover.skill, seed)
                .map(|pit| Json(json!({ "pit": pit })))
        })
    })
    .await?
}

fn choose(
    replay: &Replay,
    answers: &mut Source<'_>,
    player: Player,
    skill: u64,
    seed: u64,
) -> Result<u16, Refusal> {
    let position = replay.last().position;
    let legal: Vec<u16> = replay.kalah.moves(&position).map(kalah::Pit::number).collect();
    if legal.is_empty() {
        return Err(Refusal::bad("the game is over"));
    }
    let finds_best = match player {
        Player::Perfect => true,
        Player::Random => false,
        Player::Skill => solver::mix(seed ^ 1) % 100 < skill,
    };
    let among = if finds_best {
        let unknown = "no store is chosen, so only the random opponent can play";
        let Source::Answers(answers) = answers else { return Err(Refusal::bad(unknown)) };
        let moves = answers.moves(&position).map_err(Refusal::bad)?;
        let best = moves.iter().map(|worth| worth.value).max();
        let best = moves.iter().filter(|worth| Some(worth.value) == best);
        best.map(|worth| worth.edge.mv.0).collect()
    } else {
        legal
    };
    Ok(among[(seed % among.len() as u64) as usize])
}

#[derive(Deserialize)]
pub(super) struct Written {
    text: String,
}

/// Reads the record of a game: lines `rules`, `start` and `moves`, as the page writes them.
pub(super) async fn record(Posted(written): Posted<Written>) -> Answer {
    read_record(&written.text).map(Json)
}

fn read_record(text: &str) -> Result<Value, Refusal> {
    let mut named = [("rules", None), ("start", None), ("moves", None)];
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let slot = named.iter_mut().find(|(other, _)| *other == name);
        let Some((_, slot)) = slot else {
            return Err(Refusal::bad(format_args!(
                "line {number}: expected rules, start or moves, found '{}'",
                name.escape_debug()
            )));
        };
        if slot.replace(value.trim().to_owned()).is_some() {
            return Err(Refusal::bad(format_args!("line {number}: {name} is given twice")));
        }
    }
    let [rules_name, start, moves] = named.map(|(_, value)| value);
    let start = start.ok_or_else(|| Refusal::bad("the record has no line 'start'"))?;
    let moves: Vec<u16> = moves
        .unwrap_or_default()
        .split([' ', '+', ','])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let word = word.escape_debug();
            word.to_string().parse().map_err(|_| {
                Refusal::bad(format_args!("moves: '{word}' is not the number of a pit"))
            })
        })
        .collect::<Result<_, _>>()?;
    let rules = rules(&rules_name.unwrap_or_default())?;
    let (_, standing) = parse_game(&start, rules)?;
    Replay::new(&standing, rules, &moves)?;
    Ok(json!({ "rules": rules.name(), "start": standing.to_string(), "moves": moves }))
}
