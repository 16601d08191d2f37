//! A batch of games.

use std::collections::HashMap;

use fourchess::{MoveError, Position, Random, Rules, Seat};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    actions::Action,
    config::{Autoreset, Config, Illegal},
    error::Error,
    games::{Arrays, Games, Refusal, Start, filled},
    observation::{Number, Observation, Planes, Scalars},
    players::Player,
    state::{State, StateError},
};

/// Many games that are stepped together.
///
/// All results of a step are in flat arrays. They keep their address for the lifetime of the batch,
/// and methods return them as slices. The entries of one game are adjacent, and games are in order.
///
/// ```
/// use fourchess::Rules;
/// use fourchess_env::{Batch, Config, Player};
///
/// let mut batch = Batch::new(Config::new(&Rules::FFA, 64))?;
/// let mut actions = vec![0; batch.len()];
/// for _ in 0..100 {
///     batch.choose(Player::Random, &mut actions)?;
///     batch.step(&actions)?;
/// }
/// assert_eq!(batch.rewards().len(), 4 * 64);
/// # Ok::<(), fourchess_env::Error>(())
/// ```
pub struct Batch {
    config: Config,
    start: Start,
    arrays: Arrays,
    /// `None` if the batch uses one thread only.
    pool: Option<Pool>,
}

/// A thread pool, and the process that it runs in.
struct Pool {
    threads: ThreadPool,
    process: u32,
}

impl Pool {
    fn new(threads: usize) -> Result<Pool, Error> {
        let error = |cause: rayon::ThreadPoolBuildError| Error::Threads {
            threads,
            cause: cause.to_string(),
        };
        let threads = ThreadPoolBuilder::new().num_threads(threads).build().map_err(error)?;
        Ok(Pool { threads, process: std::process::id() })
    }

    /// The threads. A forked process does not have the threads of its parent, and would wait for
    /// them for ever. So it starts its own.
    fn threads(&mut self) -> Result<&ThreadPool, Error> {
        if self.process != std::process::id() {
            let fresh = Pool::new(self.threads.current_num_threads())?;
            // The threads of the parent cannot be stopped from here.
            std::mem::forget(std::mem::replace(self, fresh));
        }
        Ok(&self.threads)
    }
}

/// The smallest number of games for a thread. Fewer are not worth the overhead.
const SHARE: usize = 64;

impl Batch {
    /// The length of the list of legal actions of each game in [`legal`](Batch::legal).
    pub const LEGAL_ROOM: usize = crate::legal::ROOM;

    /// The number of words of each game in [`legal_bits`](Batch::legal_bits).
    pub const LEGAL_WORDS: usize = crate::games::BIT_WORDS;

    /// Fills [`legal`](Batch::legal) after the last action.
    pub const NO_ACTION: u16 = crate::actions::NONE;

    /// The code in [`endings`](Batch::endings) of a game lost by an illegal action.
    pub const ENDED_BY_ILLEGAL_ACTION: u8 = crate::games::ILLEGAL_CODE;

    /// New games, all at their start.
    pub fn new(config: Config) -> Result<Batch, Error> {
        config.check()?;
        let start = Start::new(Position::start(&config.rules), &config.rules);
        let start = start.ok_or(Error::Rules("a game is over at its start"))?;
        let bytes = config.bytes();
        let too_large = Error::TooLarge { games: config.games, bytes };
        // Each array alone may fit into memory although all of them together do not.
        Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| too_large.clone())?;
        let arrays = Arrays::new(&config, &start).ok_or(too_large)?;
        let pool = if config.threads == 1 { None } else { Some(Pool::new(config.threads)?) };
        let mut batch = Batch { config, start, arrays, pool };
        batch.reset_all(batch.config.seed);
        Ok(batch)
    }

    /// Resets every game. Each game gets its own seed, derived from this one.
    pub fn reset_all(&mut self, seed: u64) {
        let mut games = self.arrays.games();
        for game in 0..games.len() {
            games.reset(game, Random::seed(seed, game), &self.start, &self.config);
        }
    }

    /// Resets some games, each with its seed.
    pub fn reset(&mut self, games: &[usize], seeds: &[u64]) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("seeds", seeds.len(), games.len())?;
        for (&game, &seed) in games.iter().zip(seeds) {
            self.arrays.games().reset(game, seed, &self.start, &self.config);
        }
        Ok(())
    }

    /// Starts some games from positions in FEN4, each with its seed. The next reset of such a game
    /// starts from the start position of the rules.
    pub fn reset_from<T: AsRef<str>>(
        &mut self,
        games: &[usize],
        seeds: &[u64],
        fens: &[T],
    ) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("seeds", seeds.len(), games.len())?;
        check_length("positions", fens.len(), games.len())?;
        let rules = &self.config.rules;
        let read = |(&game, fen): (&usize, &T)| {
            let position = Position::from_fen(fen.as_ref(), rules);
            let position = position.map_err(|cause| Error::Fen { game, cause })?;
            Start::new(position, rules).ok_or(Error::Over { game })
        };
        // All positions are read first, so that an error changes nothing.
        let mut starts = room::<Start>(games.len())?;
        for start in games.iter().zip(fens).map(read) {
            starts.push(start?);
        }
        for ((&game, &seed), start) in games.iter().zip(seeds).zip(&starts) {
            self.arrays.games().reset(game, seed, start, &self.config);
        }
        Ok(())
    }

    /// The bytes of a saved game.
    pub const STATE_BYTES: usize = crate::state::BYTES;

    /// Saves chosen games: [`STATE_BYTES`](Batch::STATE_BYTES) each, in the documented form. A
    /// saved game goes on exactly as the game would have, random numbers and repetitions
    /// included, in any batch with the same rules. Rewards and flags of the last step are not
    /// part of it.
    pub fn save(&self, games: &[usize]) -> Result<Vec<u8>, Error> {
        self.check_games(games)?;
        let fingerprint = self.config.rules.fingerprint();
        let size = games.len().saturating_mul(Batch::STATE_BYTES);
        let too_large = Error::TooLarge { games: games.len(), bytes: size };
        let mut bytes = filled(0, size).ok_or(too_large)?;
        for (&game, place) in games.iter().zip(bytes.as_chunks_mut().0) {
            self.arrays.state(game).write(fingerprint, place);
        }
        Ok(bytes)
    }

    /// Puts saved games in the places of chosen ones. Every state is checked before the first is
    /// used, so that an error changes nothing.
    pub fn load(&mut self, games: &[usize], states: &[u8]) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("bytes of states", states.len(), games.len() * Batch::STATE_BYTES)?;
        let (rules, same_step) = (&self.config.rules, self.config.autoreset == Autoreset::SameStep);
        let fingerprint = rules.fingerprint();
        let read = |(index, bytes)| {
            let state = State::read(bytes, fingerprint, rules);
            let state = match state {
                Ok(state) if state.is_over() && same_step => Err(StateError::Over),
                other => other,
            };
            state.map_err(|cause| Error::State { index, cause })
        };
        let states = states.as_chunks().0;
        let mut checked = room::<State>(states.len())?;
        for state in states.iter().enumerate().map(read) {
            checked.push(state?);
        }
        for (&game, state) in games.iter().zip(&checked) {
            self.arrays.games().load(game, state, &self.config);
        }
        Ok(())
    }

    /// Makes each game of `to` a copy of the game of `from` in the same place, as if that had been
    /// saved and loaded. A game may be copied to many places and may itself be overwritten: what
    /// is copied are the games as they were before the call.
    pub fn copy_games(&mut self, from: &[usize], to: &[usize]) -> Result<(), Error> {
        check_length("games to copy to", to.len(), from.len())?;
        self.check_games(from)?;
        self.check_games(to)?;
        let mut is_target = room(self.len())?;
        is_target.resize(self.len(), false);
        for &game in to {
            if std::mem::replace(&mut is_target[game], true) {
                return Err(Error::Twice { game });
            }
        }
        // A game that is read after it may have been written over is kept aside first.
        let read = from.iter().filter(|&&game| is_target[game]).count();
        let mut aside: HashMap<usize, State> = HashMap::new();
        let bytes = read * size_of::<State>();
        aside.try_reserve(read).map_err(|_| Error::TooLarge { games: read, bytes })?;
        for &game in from.iter().filter(|&&game| is_target[game]) {
            aside.entry(game).or_insert_with(|| self.arrays.state(game));
        }
        for (source, &target) in from.iter().zip(to) {
            let state = match aside.get(source) {
                Some(state) => state,
                None => &self.arrays.state(*source),
            };
            self.arrays.games().load(target, state, &self.config);
        }
        Ok(())
    }

    /// Resigns for a seat in each of some games, on turn or not. Rewards, flags and resets are
    /// those of a step; nothing happens in a game that has ended or to a seat that is out.
    pub fn resign(&mut self, games: &[usize], seats: &[Seat]) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("seats", seats.len(), games.len())?;
        for (&game, &seat) in games.iter().zip(seats) {
            self.arrays.games().resign(game, seat, &self.config, &self.start);
        }
        Ok(())
    }

    /// Plays an action in every game. Allocates no memory.
    pub fn step(&mut self, actions: &[u16]) -> Result<(), Error> {
        check_length("actions", actions.len(), self.len())?;
        let (config, start) = (&self.config, &self.start);
        if config.illegal == Illegal::Error
            && let Some(refusal) = self.arrays.games().find_illegal(actions, config)
        {
            return Err(match refusal {
                Refusal::Illegal { game, action } => Error::IllegalAction { game, action },
                Refusal::Ended { game } => Error::Ended { game },
            });
        }
        let threads = self.pool.as_mut().map(Pool::threads).transpose()?;
        let games = self.arrays.games();
        match threads {
            None => step(games, actions, config, start),
            Some(threads) => threads.install(|| step_in_parts(games, actions, config, start)),
        }
        Ok(())
    }

    /// Lets a built-in player choose an action in every game, with the random numbers of that game.
    /// Games that have ended get action 0.
    pub fn choose(&mut self, player: Player, actions: &mut [u16]) -> Result<(), Error> {
        self.choose_for([Some(player); 4], actions)
    }

    /// Lets built-in players choose the actions of the seats they play; the first player is Red's.
    /// The other actions are not changed.
    pub fn choose_for(
        &mut self,
        players: [Option<Player>; 4],
        actions: &mut [u16],
    ) -> Result<(), Error> {
        check_length("actions", actions.len(), self.len())?;
        let threads = self.pool.as_mut().map(Pool::threads).transpose()?;
        let (games, rules) = (self.arrays.games(), &self.config.rules);
        match threads {
            None => choose(games, actions, players, rules),
            Some(threads) => threads.install(|| choose_in_parts(games, actions, players, rules)),
        }
        Ok(())
    }

    /// The number of games.
    #[expect(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.config.games
    }

    /// The configuration of the batch.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The rules of all games.
    pub fn rules(&self) -> &Rules {
        &self.config.rules
    }

    /// The positions of all games.
    pub fn positions(&self) -> &[Position] {
        &self.arrays.positions
    }

    /// The player to move of each game: 0 Red, 1 Blue, 2 Yellow, 3 Green.
    pub fn current_player(&self) -> &[u8] {
        &self.arrays.players
    }

    /// The reward of each seat in the last step: four entries for each game, Red first.
    pub fn rewards(&self) -> &[f32] {
        self.arrays.rewards.as_flattened()
    }

    /// Whether the last step ended the game according to the rules.
    pub fn terminated(&self) -> &[bool] {
        &self.arrays.terminated
    }

    /// Whether the last step truncated the game.
    pub fn truncated(&self) -> &[bool] {
        &self.arrays.truncated
    }

    /// Whether the action in the last step was legal. It is true if the action was ignored because
    /// of a reset, and false if the game had already ended and was not reset.
    pub fn move_valid(&self) -> &[bool] {
        &self.arrays.move_valid
    }

    /// The legal actions: [`LEGAL_ROOM`](Batch::LEGAL_ROOM) entries for each game. The first
    /// [`legal_counts`](Batch::legal_counts) entries are in use, and the others are
    /// [`NO_ACTION`](Batch::NO_ACTION). Their order is that of the move generator.
    pub fn legal(&self) -> &[u16] {
        self.arrays.legal.as_flattened()
    }

    /// The number of legal actions of each game; 0 if the game has ended.
    pub fn legal_counts(&self) -> &[u16] {
        &self.arrays.legal_counts
    }

    /// The legal actions of one game.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn legal_of(&self, game: usize) -> &[u16] {
        &self.arrays.legal[game][..self.arrays.legal_counts[game] as usize]
    }

    /// The legal action of one game that a text means: a move by its squares, such as `e1-f3`, or
    /// as PGN4 writes it, such as `Ne1-f3`.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn find_action(&self, game: usize, text: &str) -> Result<Action, MoveError> {
        // A game that was lost by an illegal action is over although its position goes on.
        if self.legal_of(game).is_empty() {
            return Err(MoveError::Over);
        }
        let (position, rules) = (&self.arrays.positions[game], &self.config.rules);
        let mv = position.find_move(text, rules)?;
        Ok(Action::of(mv, rules.edge(position.turn())).expect("moves of a batch have actions"))
    }

    /// The legal actions as a bit mask: [`LEGAL_WORDS`](Batch::LEGAL_WORDS) words for each game,
    /// with action 0 in the lowest bit of the first word.
    pub fn legal_bits(&self) -> &[u64] {
        self.arrays.legal_bits.as_flattened()
    }

    /// The legal actions as a byte mask of 0 and 1: [`Action::COUNT`](crate::Action::COUNT) bytes
    /// for each game.
    pub fn legal_bytes(&self) -> &[u8] {
        self.arrays.legal_bytes.as_flattened()
    }

    /// The planes of the observation: for each game [`Observation::PLANES`] planes of
    /// [`Observation::WORDS`] words.
    pub fn planes(&self) -> &[u32] {
        self.arrays.planes.as_flattened().as_flattened()
    }

    /// The scalars of the observation: [`Observation::SCALARS`] for each game.
    pub fn scalars(&self) -> &[i16] {
        self.arrays.scalars.as_flattened()
    }

    /// The final planes of games that ended and were reset in the same step.
    pub fn final_planes(&self) -> &[u32] {
        self.arrays.final_planes.as_flattened().as_flattened()
    }

    /// The final scalars of games that ended and were reset in the same step.
    pub fn final_scalars(&self) -> &[i16] {
        self.arrays.final_scalars.as_flattened()
    }

    /// The final points of the last game that ended in each slot: four entries for each game.
    pub fn final_points(&self) -> &[i16] {
        self.arrays.final_points.as_flattened()
    }

    /// The ending of the last game that ended in each slot: 0 if none has, 1 for the first
    /// [`Ending`](fourchess::Ending) and so on in their order, or
    /// [`ENDED_BY_ILLEGAL_ACTION`](Batch::ENDED_BY_ILLEGAL_ACTION).
    pub fn endings(&self) -> &[u8] {
        &self.arrays.endings
    }

    /// Expands the observation of every game to numbers: [`Observation::FLOAT_PLANES`] planes of 14
    /// x 14 for each game (see [`Observation::expand`]).
    pub fn expand_observations<N: Number>(&mut self, floats: &mut [N]) -> Result<(), Error> {
        let (planes, scalars) = (&self.arrays.planes, &self.arrays.scalars);
        expand(self.pool.as_mut(), planes, scalars, floats)
    }

    /// Expands the final observation of games that were reset in the same step.
    pub fn expand_final_observations<N: Number>(&mut self, floats: &mut [N]) -> Result<(), Error> {
        let (planes, scalars) = (&self.arrays.final_planes, &self.arrays.final_scalars);
        expand(self.pool.as_mut(), planes, scalars, floats)
    }

    fn check_games(&self, games: &[usize]) -> Result<(), Error> {
        match games.iter().find(|&&game| game >= self.len()) {
            Some(&game) => Err(Error::NoGame { game, games: self.len() }),
            None => Ok(()),
        }
    }
}

/// Room for something of each of so many games. A normal vector would abort the process where there
/// is not enough memory.
fn room<T>(games: usize) -> Result<Vec<T>, Error> {
    let mut items = Vec::new();
    let bytes = games.saturating_mul(size_of::<T>());
    items.try_reserve_exact(games).map_err(|_| Error::TooLarge { games, bytes })?;
    Ok(items)
}

pub(crate) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::Length { what, found, expected }) }
}

fn expand<N: Number>(
    pool: Option<&mut Pool>,
    planes: &[Planes],
    scalars: &[Scalars],
    floats: &mut [N],
) -> Result<(), Error> {
    check_length("floats", floats.len(), planes.len() * EXPANDED)?;
    match pool.map(Pool::threads).transpose()? {
        None => expand_in_parts(planes, scalars, floats, planes.len()),
        Some(threads) => threads.install(|| expand_in_parts(planes, scalars, floats, SHARE)),
    }
    Ok(())
}

/// The numbers of an expanded observation.
const EXPANDED: usize = Observation::FLOAT_PLANES * Observation::CELLS;

fn expand_in_parts<N: Number>(
    planes: &[Planes],
    scalars: &[Scalars],
    floats: &mut [N],
    share: usize,
) {
    if planes.len() > share {
        let middle = planes.len() / 2;
        let ((one, other), (first, second)) = (planes.split_at(middle), scalars.split_at(middle));
        let (left, right) = floats.split_at_mut(middle * EXPANDED);
        rayon::join(
            || expand_in_parts(one, first, left, share),
            || expand_in_parts(other, second, right, share),
        );
        return;
    }
    let games = planes.iter().zip(scalars);
    for ((planes, scalars), floats) in games.zip(floats.chunks_exact_mut(EXPANDED)) {
        Observation::expand(planes.as_flattened(), scalars, floats);
    }
}

fn step(mut games: Games<'_>, actions: &[u16], config: &Config, start: &Start) {
    games.step(actions, config, start);
}

/// Divides the games until a part is small enough for one thread. Games are independent, so the
/// result does not depend on the division.
fn step_in_parts(games: Games<'_>, actions: &[u16], config: &Config, start: &Start) {
    if games.len() <= SHARE {
        return step(games, actions, config, start);
    }
    let middle = games.len() / 2;
    let (one, other) = games.split_at(middle);
    let (first, second) = actions.split_at(middle);
    rayon::join(
        || step_in_parts(one, first, config, start),
        || step_in_parts(other, second, config, start),
    );
}

fn choose(mut games: Games<'_>, actions: &mut [u16], players: [Option<Player>; 4], rules: &Rules) {
    games.choose(actions, players, rules);
}

fn choose_in_parts(
    games: Games<'_>,
    actions: &mut [u16],
    players: [Option<Player>; 4],
    rules: &Rules,
) {
    if games.len() <= SHARE {
        return choose(games, actions, players, rules);
    }
    let middle = games.len() / 2;
    let (one, other) = games.split_at(middle);
    let (first, second) = actions.split_at_mut(middle);
    rayon::join(
        || choose_in_parts(one, first, players, rules),
        || choose_in_parts(other, second, players, rules),
    );
}
