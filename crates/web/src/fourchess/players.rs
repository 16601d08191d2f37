//! Built-in players: one move, and whole games as a stream.

use ::fourchess::{
    Ending, Game, Move, Random, Rules,
    pgn::{Ply, Record},
};
use fourchess_env::{Action, Config, Player, legal_actions};
use fourchess_learned::{Memory, Network};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    line::{self, MOST_PLIES, Named, Played},
    shown,
};
use crate::{jobs::Sender, refusal::Refusal};

/// Games of one request for many.
const MOST_GAMES: u64 = 1_000;
/// Plies after which a game of many is left unfinished.
const PLIES: usize = 10_000;

/// Who chooses the moves of a seat.
#[derive(Clone, Copy)]
pub(crate) enum Chooser {
    BuiltIn(Player),
    /// The network that comes with the program.
    Learned,
}

impl Chooser {
    /// All of them.
    pub(crate) const ALL: [Chooser; 3] =
        [Chooser::BuiltIn(Player::Random), Chooser::BuiltIn(Player::Greedy), Chooser::Learned];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Chooser::BuiltIn(player) => player.name(),
            Chooser::Learned => "learned",
        }
    }
}

/// The player with a name.
pub(crate) fn named(name: &str) -> Result<Chooser, Refusal> {
    let found = Chooser::ALL.into_iter().find(|player| player.name() == name);
    found.ok_or_else(|| {
        let names = Chooser::ALL.map(Chooser::name);
        Refusal::bad(format_args!("{name:?} is not a player; the players are {}", names.join(", ")))
    })
}

/// Refuses rules under which moves have no actions: built-in players choose among actions.
pub(crate) fn check(rules: &Rules) -> Result<(), Refusal> {
    Config::new(rules, 1).check().map_err(Refusal::bad)
}

/// What players need to choose: random numbers, and room for a network to compute in.
pub(crate) struct Mind {
    random: Random,
    memory: Option<Memory>,
}

impl Mind {
    pub(crate) fn new(seed: u64) -> Mind {
        Mind { random: Random::new(seed), memory: None }
    }

    /// The move that a player chooses in a game that goes on.
    pub(crate) fn choose(&mut self, player: Chooser, game: &Game) -> Move {
        let (position, rules) = (game.position(), game.rules());
        let legal = legal_actions(position, rules);
        let chosen = match player {
            Chooser::BuiltIn(player) => player.choose(position, rules, &legal, &mut self.random),
            Chooser::Learned => {
                let network = Network::trained();
                let memory = self.memory.get_or_insert_with(|| network.memory());
                network.choose(position, rules, &legal, memory)
            }
        };
        Action::new(chosen).expect("legal actions are actions").move_in(position, rules)
    }
}

/// What a player would do, and what would follow.
pub(crate) fn choice(player: Chooser, game: &Game, seed: u64) -> Result<Value, Refusal> {
    check(game.rules())?;
    if game.ending().is_some() {
        return Err(Refusal::bad("the game is over"));
    }
    let mv = Mind::new(seed).choose(player, game);
    let mut shown = shown::what(game, Ply::Move(mv));
    shown.insert("player".to_owned(), player.name().into());
    Ok(shown.into())
}

/// Games that built-in players are to play.
#[derive(Deserialize)]
pub(crate) struct SelfPlay {
    #[serde(flatten)]
    named: Named,
    /// The player of each seat, Red first.
    players: [String; 4],
    #[serde(default)]
    seed: u64,
    /// How many plies at most.
    plies: Option<usize>,
    /// How many games. Of one, every ply is sent; of many, each game when it is over.
    games: Option<u64>,
}

/// Games that are ready to be played.
pub(crate) struct Ready {
    played: Played,
    players: [Chooser; 4],
    seed: u64,
    plies: usize,
    games: Option<u64>,
}

impl SelfPlay {
    pub(crate) fn ready(&self) -> Result<Ready, Refusal> {
        let played = self.named.play()?;
        check(&played.rules)?;
        let [red, blue, yellow, green] = &self.players;
        let players = [named(red)?, named(blue)?, named(yellow)?, named(green)?];
        if self.games.is_some_and(|games| games > MOST_GAMES) {
            return Err(Refusal::bad(format_args!("at most {MOST_GAMES} games at a time")));
        }
        let room = MOST_PLIES.saturating_sub(played.plies.len());
        let plies = self.plies.unwrap_or(PLIES).min(room);
        Ok(Ready { played, players, seed: self.seed, plies, games: self.games })
    }
}

impl Ready {
    /// Plays, and sends what happens until nobody wants it any more.
    pub(crate) fn run(self, out: &Sender) -> Result<(), Refusal> {
        let Some(games) = self.games else { return self.watch(out) };
        for game in 0..games {
            self.result(self.seed.wrapping_add(game), out)?;
        }
        Ok(())
    }

    /// One game, ply by ply.
    fn watch(self, out: &Sender) -> Result<(), Refusal> {
        let mut game = self.played.game;
        let mut mind = Mind::new(self.seed);
        for _ in 0..self.plies {
            if game.ending().is_some() {
                break;
            }
            let player = self.players[game.position().turn().index()];
            let ply = Ply::Move(mind.choose(player, &game));
            out.send(&shown::ply(&game, ply))?;
            game.apply(ply);
        }
        Ok(())
    }

    /// A whole game, with its line.
    fn result(&self, seed: u64, out: &Sender) -> Result<(), Refusal> {
        let mut game = self.played.game.clone();
        let mut mind = Mind::new(seed);
        let mut line: String = self.played.plies.iter().map(|&ply| line::encode(ply)).collect();
        let mut plies = 0;
        while game.ending().is_none() && plies < self.plies && out.is_wanted() {
            let player = self.players[game.position().turn().index()];
            let mv = mind.choose(player, &game);
            line += &line::encode(Ply::Move(mv));
            game.play(mv).expect("a player chooses a legal move");
            plies += 1;
        }
        out.send(&json!({
            "seed": seed,
            "plies": plies,
            "ending": game.ending().map(Ending::name),
            "points": game.position().points(),
            "places": game.places(),
            "line": line,
        }))?;
        Ok(())
    }
}

/// The record of a game that was played on the page.
pub(crate) fn record(played: &Played) -> Result<Record, Refusal> {
    let plies = played.plies.iter().copied();
    Record::new(&played.start, &played.rules, plies).map_err(Refusal::bad)
}
