//! Four-player chess on the page: positions, moves, games, built-in players.

mod exports;
mod line;
mod players;
mod records;
mod shown;
mod words;

use std::{fs::File, io::Cursor};

use ::fourchess::{
    Game, Rules, Setup, Status,
    pgn::{Exit, Ply},
};
use axum::{
    Json, Router,
    extract::State,
    response::Response,
    routing::{get, post},
};
use fourchess_env::Player;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    app::App,
    asked::{Posted, PostedGames, Query},
    jobs,
    refusal::Refusal,
};
use exports::{Moving, Written};
use line::Named;
use players::{Chooser, Mind, SelfPlay};

pub(crate) use records::answers;

/// The routes below `/api/fourchess`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/fourchess/rules", get(rules))
        .route("/api/fourchess/position", get(position))
        .route("/api/fourchess/play", post(play))
        .route("/api/fourchess/game", get(file).post(game))
        .route("/api/fourchess/read", post(read))
        .route("/api/fourchess/choose", get(choose))
        .route("/api/fourchess/hint", get(hint))
        .route("/api/fourchess/selfplay", post(selfplay))
        .route("/api/fourchess/pgn4", post(pgn4))
        .route("/api/fourchess/animate", post(animate))
}

type Answer = Result<Json<Value>, Refusal>;

/// The rules in words, and all that can be chosen.
async fn rules(Query(named): Query<Named>) -> Answer {
    let mut shown = shown::rules(&named.rules()?);
    let named = |name: &str, title: &str| json!({ "name": name, "title": title });
    let presets = Rules::PRESETS.map(|preset| named(preset.name, words::preset(preset)));
    let setups = Setup::ALL.map(|setup| named(setup.name(), words::setup(setup)));
    shown["presets"] = presets.to_vec().into();
    shown["setups"] = setups.to_vec().into();
    shown["players"] = Chooser::ALL.map(Chooser::name).to_vec().into();
    Ok(Json(shown))
}

/// A position with its legal moves.
async fn position(Query(named): Query<Named>) -> Answer {
    let rules = named.rules()?;
    Ok(Json(shown::position(&Game::from_position(named.start(&rules)?, &rules))))
}

/// A ply that is to be played in a game: one of these.
#[derive(Deserialize)]
struct Next {
    #[serde(flatten)]
    named: Named,
    /// A move as people write it.
    #[serde(rename = "move")]
    text: Option<String>,
    /// A ply in three letters.
    code: Option<String>,
    /// The seat that resigns.
    leave: Option<String>,
    /// The built-in player who chooses.
    player: Option<String>,
    #[serde(default)]
    seed: u64,
}

impl Next {
    fn ply(&self, game: &Game) -> Result<Ply, Refusal> {
        if game.ending().is_some() {
            return Err(Refusal::bad("the game is over"));
        }
        match (&self.text, &self.code, &self.leave, &self.player) {
            (Some(text), None, None, None) => {
                game.find_move(text).map(Ply::Move).map_err(Refusal::bad)
            }
            (None, Some(code), None, None) => {
                let found = line::decode(code.as_bytes(), game);
                found.ok_or_else(|| Refusal::bad(format_args!("{code:?} is not a legal move here")))
            }
            (None, None, Some(name), None) => {
                let seat = exports::seat(name)?;
                if game.position().status(seat) == Status::Active {
                    return Ok(Ply::Leave { seat, exit: Exit::Resigns });
                }
                Err(Refusal::bad(format_args!("{seat} has left already")))
            }
            (None, None, None, Some(name)) => {
                players::check(game.rules())?;
                let player = players::named(name)?;
                Ok(Ply::Move(Mind::new(self.seed).choose(player, game)))
            }
            _ => Err(Refusal::bad("expected one of move, code, leave and player")),
        }
    }
}

/// Plays a move, and says what follows from it.
async fn play(State(app): State<App>, Posted(next): Posted<Next>) -> Answer {
    let work = move || -> Result<Value, Refusal> {
        let mut game = next.named.play()?.game;
        let ply = next.ply(&game)?;
        if next.named.line.as_ref().is_some_and(|line| line.len() >= 3 * line::MOST_PLIES) {
            return Err(line::too_long());
        }
        let mut shown = shown::ply(&game, ply);
        game.apply(ply);
        shown["moves"] = shown::moves(&game);
        Ok(shown)
    };
    Ok(Json(app.compute(work).await??))
}

/// A game by its line.
async fn game(State(app): State<App>, Posted(named): Posted<Named>) -> Answer {
    let work = move || named.play().map(|played| shown::played(&played));
    Ok(Json(app.compute(work).await??))
}

/// A game of a file below the root.
#[derive(Deserialize)]
struct InFile {
    file: String,
    number: Option<u64>,
}

async fn file(State(app): State<App>, Query(asked): Query<InFile>) -> Answer {
    let path = app.files.find(&asked.file)?;
    let number = asked.number.unwrap_or(1);
    let work = move || {
        let missing = || Refusal::missing(format!("{:?} cannot be read", asked.file));
        let file = File::open(&path).map_err(|_| missing())?;
        records::read(&asked.file, file, number)
    };
    Ok(Json(app.compute(work).await??))
}

/// Which game of a text.
#[derive(Deserialize)]
struct Which {
    number: Option<u64>,
}

/// A game of a text that was pasted or dropped.
async fn read(
    State(app): State<App>,
    Query(which): Query<Which>,
    PostedGames(text): PostedGames,
) -> Answer {
    let number = which.number.unwrap_or(1);
    // A few packed bytes can hold more text than anybody wants to wait for.
    if text.starts_with(&[0x1f, 0x8b]) || text.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Err(Refusal::bad(
            "the text is compressed; put the file below the root and open it",
        ));
    }
    let work = move || records::read("PGN4", Cursor::new(text), number);
    Ok(Json(app.compute(work).await??))
}

/// Who is to choose a move, and where.
#[derive(Deserialize)]
struct Choosing {
    rules: Option<String>,
    fen4: Option<String>,
    player: Option<String>,
    seed: Option<u64>,
}

impl Choosing {
    fn choice(self, player: Chooser) -> Answer {
        let named = Named { rules: self.rules, fen4: self.fen4, line: None };
        let rules = named.rules()?;
        let game = Game::from_position(named.start(&rules)?, &rules);
        Ok(Json(players::choice(player, &game, self.seed.unwrap_or(0))?))
    }
}

/// What a built-in player would do.
async fn choose(Query(asked): Query<Choosing>) -> Answer {
    let player = players::named(asked.player.as_deref().unwrap_or("greedy"))?;
    asked.choice(player)
}

/// What greedy would do.
async fn hint(Query(asked): Query<Choosing>) -> Answer {
    asked.choice(Chooser::BuiltIn(Player::Greedy))
}

/// Games between built-in players, as a stream.
async fn selfplay(
    State(app): State<App>,
    Posted(asked): Posted<SelfPlay>,
) -> Result<Response, Refusal> {
    let ready = app.compute(move || asked.ready()).await??;
    jobs::stream(&app, move |out| ready.run(out)).await
}

/// A game as PGN4.
async fn pgn4(State(app): State<App>, Posted(written): Posted<Written>) -> Answer {
    let text = app.compute(move || written.text()).await??;
    Ok(Json(json!({ "text": text })))
}

/// A game as a moving picture.
async fn animate(
    State(app): State<App>,
    Posted(moving): Posted<Moving>,
) -> Result<Response, Refusal> {
    app.compute(move || moving.draw()).await?
}
