//! The games of a batch as slices, and a step of each game.
//!
//! All arrays are flat and hold plain values, so a range of games is a range of every array.
//! Threads work on ranges, and a range could be copied to a device.

use fourchess::{Ending, History, Position, Random, Rules, Seat, Sides, Status};

use crate::{
    actions::Action,
    config::{Autoreset, Config, EndedMask, ILLEGAL_REWARD, Illegal, Reward},
    legal::{LegalActions, ROOM},
    observation::{Planes, Scalars, observe},
    players::Player,
    prefetch::prefetch,
    state::State,
    view::View,
};

/// The number of words in the bit mask of a game.
pub(crate) const BIT_WORDS: usize = Action::COUNT.div_ceil(64);

/// How many games before its turn the memory of a game is asked for.
const AHEAD: usize = 2;

/// The bits of every action.
const EVERY_BIT: [u64; BIT_WORDS] = {
    let mut bits = [u64::MAX; BIT_WORDS];
    bits[BIT_WORDS - 1] = u64::MAX >> (64 * BIT_WORDS - Action::COUNT);
    bits
};

/// All arrays of a batch. Those of outputs that are off are empty.
#[derive(Clone)]
pub(crate) struct Arrays {
    pub(crate) positions: Vec<Position>,
    pub(crate) histories: Vec<History>,
    pub(crate) randoms: Vec<Random>,
    pub(crate) legal: Vec<[u16; ROOM]>,
    pub(crate) legal_counts: Vec<u16>,
    pub(crate) legal_bits: Vec<[u64; BIT_WORDS]>,
    pub(crate) legal_bytes: Vec<[u8; Action::COUNT]>,
    pub(crate) players: Vec<u8>,
    pub(crate) rewards: Vec<[f32; 4]>,
    pub(crate) terminated: Vec<bool>,
    pub(crate) truncated: Vec<bool>,
    pub(crate) move_valid: Vec<bool>,
    /// Of games whose planes are asked for.
    views: Vec<View>,
    pub(crate) planes: Vec<Planes>,
    pub(crate) scalars: Vec<Scalars>,
    pub(crate) final_planes: Vec<Planes>,
    pub(crate) final_scalars: Vec<Scalars>,
    pub(crate) final_points: Vec<[i16; 4]>,
    pub(crate) endings: Vec<u8>,
}

/// A range of games: the same range of every array.
pub(crate) struct Games<'a> {
    positions: &'a mut [Position],
    histories: &'a mut [History],
    randoms: &'a mut [Random],
    legal: &'a mut [[u16; ROOM]],
    legal_counts: &'a mut [u16],
    legal_bits: &'a mut [[u64; BIT_WORDS]],
    legal_bytes: &'a mut [[u8; Action::COUNT]],
    players: &'a mut [u8],
    rewards: &'a mut [[f32; 4]],
    terminated: &'a mut [bool],
    truncated: &'a mut [bool],
    move_valid: &'a mut [bool],
    views: &'a mut [View],
    planes: &'a mut [Planes],
    scalars: &'a mut [Scalars],
    final_planes: &'a mut [Planes],
    final_scalars: &'a mut [Scalars],
    final_points: &'a mut [[i16; 4]],
    endings: &'a mut [u8],
}

/// The start of a game: a position with its legal actions.
#[derive(Clone)]
pub(crate) struct Start {
    position: Position,
    /// In memory of its own: a batch is a part of objects of Python, which are not aligned for it.
    view: Box<View>,
    legal: [u16; ROOM],
    count: u16,
}

impl Start {
    /// `None` if the game is over in this position.
    pub(crate) fn new(mut position: Position, rules: &Rules) -> Option<Start> {
        let mut legal = [crate::actions::NONE; ROOM];
        let mut actions = LegalActions::new(&mut legal, 0);
        position.settle(&mut History::new(), rules, &mut actions);
        let count = actions.finish();
        let view = Box::new(View::of(&position, rules));
        position.ending().is_none().then_some(Start { position, view, legal, count })
    }
}

macro_rules! fields {
    ($macro:ident) => {
        $macro!(
            positions,
            histories,
            randoms,
            legal,
            legal_counts,
            legal_bits,
            legal_bytes,
            players,
            rewards,
            terminated,
            truncated,
            move_valid,
            views,
            planes,
            scalars,
            final_planes,
            final_scalars,
            final_points,
            endings
        )
    };
}

impl Arrays {
    /// All games at their start, with seeds, before any output is computed. `None` if there is not
    /// enough memory.
    pub(crate) fn new(config: &Config, start: &Start) -> Option<Arrays> {
        let (games, outputs) = (config.games, config.outputs);
        let if_asked = |asked: bool| if asked { games } else { 0 };
        let finals = if_asked(outputs.observation && config.autoreset == Autoreset::SameStep);
        let random = |game| Random::new(Random::seed(config.seed, game));
        let mut randoms = filled(Random::new(0), games)?;
        randoms.iter_mut().enumerate().for_each(|(game, place)| *place = random(game));
        Some(Arrays {
            positions: filled(start.position, games)?,
            histories: filled(History::new(), games)?,
            randoms,
            legal: filled(start.legal, games)?,
            legal_counts: filled(start.count, games)?,
            legal_bits: filled([0; BIT_WORDS], if_asked(outputs.legal_bits))?,
            legal_bytes: filled([0; Action::COUNT], if_asked(outputs.legal_bytes))?,
            players: filled(0, games)?,
            rewards: filled([0.0; 4], games)?,
            terminated: filled(false, games)?,
            truncated: filled(false, games)?,
            move_valid: filled(true, games)?,
            views: filled(View::EMPTY, if_asked(outputs.observation))?,
            planes: filled(Planes::default(), if_asked(outputs.observation))?,
            scalars: filled(Scalars::default(), if_asked(outputs.observation))?,
            final_planes: filled(Planes::default(), finals)?,
            final_scalars: filled(Scalars::default(), finals)?,
            final_points: filled([0; 4], games)?,
            endings: filled(0, games)?,
        })
    }

    /// An estimate of the bytes for one game.
    pub(crate) fn bytes_of_a_game(config: &Config) -> usize {
        let shown = size_of::<Planes>() + size_of::<Scalars>();
        let mut bytes = size_of::<Position>() + size_of::<History>() + size_of::<[u16; ROOM]>();
        for (asked, size) in [
            (config.outputs.legal_bits, size_of::<[u64; BIT_WORDS]>()),
            (config.outputs.legal_bytes, Action::COUNT),
            (config.outputs.observation, shown + size_of::<View>()),
            (config.autoreset == Autoreset::SameStep && config.outputs.observation, shown),
        ] {
            bytes += if asked { size } else { 0 };
        }
        bytes
    }

    /// What decides how a game goes on. What Python may write is not read for it.
    pub(crate) fn state(&self, game: usize) -> State {
        let position = self.positions[game];
        State {
            position,
            history: self.histories[game],
            random: self.randoms[game],
            forfeited: self.legal_counts[game] == 0 && position.ending().is_none(),
        }
    }

    pub(crate) fn games(&mut self) -> Games<'_> {
        macro_rules! borrow {
            ($($field:ident),*) => { Games { $($field: &mut self.$field),* } };
        }
        fields!(borrow)
    }
}

impl<'a> Games<'a> {
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Splits the games into the first `middle` games and the others.
    pub(crate) fn split_at(self, middle: usize) -> (Games<'a>, Games<'a>) {
        macro_rules! split {
            ($($field:ident),*) => {{
                // An output that is off has no entries.
                $(let $field = self.$field.split_at_mut(middle.min(self.$field.len()));)*
                (Games { $($field: $field.0),* }, Games { $($field: $field.1),* })
            }};
        }
        fields!(split)
    }

    /// The first game whose action is not possible.
    pub(crate) fn find_illegal(&self, actions: &[u16], config: &Config) -> Option<Refusal> {
        let refuse = |(game, &action): (usize, &u16)| {
            if !self.has_ended(game) {
                (!self.is_legal(game, action)).then_some(Refusal::Illegal { game, action })
            } else {
                (config.autoreset != Autoreset::NextStep).then_some(Refusal::Ended { game })
            }
        };
        actions.iter().enumerate().find_map(refuse)
    }

    /// Steps every game.
    pub(crate) fn step(&mut self, actions: &[u16], config: &Config, start: &Start) {
        for (game, &action) in actions.iter().enumerate() {
            self.prefetch(game + AHEAD);
            self.step_game(game, action, config, start);
        }
    }

    /// Asks for what a step of a game will read and write, if there is such a game.
    #[inline(always)]
    fn prefetch(&self, game: usize) {
        let Some(position) = self.positions.get(game) else { return };
        prefetch(position, 0..size_of::<Position>());
        // The count and the first tags.
        prefetch(&self.histories[game], 0..128);
        prefetch(&self.legal[game], 0..128);
        if let Some(bits) = self.legal_bits.get(game) {
            prefetch(bits, 0..size_of_val(bits));
        }
        if let Some(planes) = self.planes.get(game) {
            prefetch(&self.views[game], 0..size_of::<View>());
            prefetch(planes, 0..size_of::<Planes>());
        }
    }

    /// Lets players choose the actions of games in which their seat is to move.
    pub(crate) fn choose(
        &mut self,
        actions: &mut [u16],
        players: [Option<Player>; 4],
        rules: &Rules,
    ) {
        for (game, action) in actions.iter_mut().enumerate() {
            let Some(player) = players[self.players[game] as usize] else { continue };
            let legal = &self.legal[game][..self.legal_counts[game] as usize];
            *action = match legal {
                [] => 0,
                _ => player.choose(&self.positions[game], rules, legal, &mut self.randoms[game]),
            };
        }
    }

    #[inline]
    fn step_game(&mut self, game: usize, action: u16, config: &Config, start: &Start) {
        self.rewards[game] = [0.0; 4];
        self.move_valid[game] = true;
        if self.has_ended(game) {
            match config.autoreset {
                Autoreset::NextStep => self.start(game, start, config),
                Autoreset::SameStep | Autoreset::Disabled => self.move_valid[game] = false,
            }
            return;
        }
        // After a reset in the same step, the flags still belong to the game that ended.
        self.terminated[game] = false;
        self.truncated[game] = false;
        // With `Error`, the actions of the whole batch were checked before.
        if config.illegal == Illegal::Error || self.is_legal(game, action) {
            self.play(game, action, config);
        } else {
            self.move_valid[game] = false;
            if config.illegal == Illegal::Noop {
                return;
            }
            self.lose(game, config);
        }
        if self.has_ended(game) && config.autoreset == Autoreset::SameStep {
            self.start_over(game, config, start);
        }
    }

    /// Starts a new game. Its random numbers continue.
    pub(crate) fn start(&mut self, game: usize, start: &Start, config: &Config) {
        self.clear_bytes(game, config);
        self.positions[game] = start.position;
        // The first position counts for repetitions.
        self.histories[game].clear();
        self.histories[game].add(start.position.key());
        self.legal[game] = start.legal;
        self.legal_counts[game] = start.count;
        self.terminated[game] = false;
        self.truncated[game] = false;
        if !self.views.is_empty() {
            self.views[game] = *start.view;
        }
        self.show(game, config);
    }

    /// Starts a new game with a seed.
    pub(crate) fn reset(&mut self, game: usize, seed: u64, start: &Start, config: &Config) {
        self.randoms[game] = Random::new(seed);
        self.rewards[game] = [0.0; 4];
        self.move_valid[game] = true;
        self.start(game, start, config);
    }

    #[inline]
    fn play(&mut self, game: usize, action: u16, config: &Config) {
        let rules = &config.rules;
        let action = Action::new(action).expect("legal actions are actions");
        let mv = action.move_in(&self.positions[game], rules);
        let (mover, before) = (self.positions[game].turn(), self.statuses(game));
        self.change(game, config, |position, history, legal| {
            position.step(history, mv, rules, legal);
        });
        if !self.views.is_empty() {
            let is_same = self.statuses(game) == before;
            let (view, position) = (&mut self.views[game], &self.positions[game]);
            // Where nobody's status changed, no other pieces did.
            if is_same {
                view.follow(mv, mover, position, rules);
            } else {
                *view = View::of(position, rules);
            }
        }
        self.show(game, config);
    }

    #[inline]
    fn statuses(&self, game: usize) -> [Status; 4] {
        Seat::ALL.map(|seat| self.positions[game].status(seat))
    }

    /// Lets a seat resign.
    pub(crate) fn resign(&mut self, game: usize, seat: Seat, config: &Config, start: &Start) {
        self.rewards[game] = [0.0; 4];
        self.move_valid[game] = true;
        if self.has_ended(game) || self.positions[game].status(seat) != Status::Active {
            return;
        }
        self.terminated[game] = false;
        self.truncated[game] = false;
        self.change(game, config, |position, history, legal| {
            position.leave(history, seat, &config.rules, legal);
        });
        self.renew_view(game, config);
        self.show(game, config);
        if self.has_ended(game) && config.autoreset == Autoreset::SameStep {
            self.start_over(game, config, start);
        }
    }

    /// Changes a position and computes all that follows from it, but not what is shown of it.
    #[inline]
    fn change(
        &mut self,
        game: usize,
        config: &Config,
        change: impl FnOnce(&mut Position, &mut History, &mut LegalActions<'_>),
    ) {
        self.clear_bytes(game, config);
        let position = &mut self.positions[game];
        let before = position.points();
        let mut legal = LegalActions::new(&mut self.legal[game], self.legal_counts[game]);
        change(position, &mut self.histories[game], &mut legal);
        self.legal_counts[game] = legal.finish();
        if config.reward == Reward::Points {
            let won = |seat: usize| f32::from(position.points()[seat] - before[seat]);
            self.rewards[game] = std::array::from_fn(won);
        }
        if let Some(ending) = position.ending() {
            self.end(game, ending, config);
        }
    }

    #[cold]
    fn end(&mut self, game: usize, ending: Ending, config: &Config) {
        self.terminated[game] = !ending.is_cut_off();
        self.truncated[game] = ending.is_cut_off();
        self.final_points[game] = self.positions[game].points();
        self.endings[game] = ending_code(ending);
        if config.reward == Reward::Outcome && !ending.is_cut_off() {
            let places = self.positions[game].places(&config.rules);
            self.rewards[game] = outcome(places, config.rules.sides);
        }
    }

    /// Ends a game because of an illegal action.
    #[cold]
    fn lose(&mut self, game: usize, config: &Config) {
        self.clear_bytes(game, config);
        let loser = self.positions[game].turn();
        self.rewards[game][loser.index()] = ILLEGAL_REWARD;
        self.terminated[game] = true;
        self.final_points[game] = self.positions[game].points();
        self.endings[game] = ILLEGAL_CODE;
        self.legal_counts[game] =
            LegalActions::new(&mut self.legal[game], self.legal_counts[game]).finish();
        self.show(game, config);
    }

    /// Starts the next game in the same step, and keeps the final observation of the last one.
    #[cold]
    fn start_over(&mut self, game: usize, config: &Config, start: &Start) {
        if !self.final_planes.is_empty() {
            self.final_planes[game] = self.planes[game];
            self.final_scalars[game] = self.scalars[game];
        }
        let flags = (self.terminated[game], self.truncated[game]);
        self.start(game, start, config);
        (self.terminated[game], self.truncated[game]) = flags;
    }

    /// Puts a state in the place of a game, as a reset would, and computes what is to be seen.
    pub(crate) fn load(&mut self, game: usize, state: &State, config: &Config) {
        self.clear_bytes(game, config);
        self.positions[game] = state.position;
        self.histories[game] = state.history;
        self.randoms[game] = state.random;
        let mut legal = LegalActions::new(&mut self.legal[game], self.legal_counts[game]);
        if !state.is_over() {
            state.position.legal_moves(&config.rules, &mut legal);
        }
        self.legal_counts[game] = legal.finish();
        self.rewards[game] = [0.0; 4];
        self.move_valid[game] = true;
        let ending = state.position.ending();
        self.truncated[game] = ending.is_some_and(Ending::is_cut_off);
        self.terminated[game] = state.is_over() && !self.truncated[game];
        self.endings[game] = match ending {
            Some(ending) => ending_code(ending),
            None if state.forfeited => ILLEGAL_CODE,
            None => 0,
        };
        let is_over = state.is_over();
        self.final_points[game] = if is_over { state.position.points() } else { [0; 4] };
        self.renew_view(game, config);
        self.show(game, config);
    }

    fn renew_view(&mut self, game: usize, config: &Config) {
        if !self.views.is_empty() {
            self.views[game] = View::of(&self.positions[game], &config.rules);
        }
    }

    /// A game that has not ended always has a legal action.
    #[inline]
    fn has_ended(&self, game: usize) -> bool {
        self.legal_counts[game] == 0
    }

    #[inline]
    fn is_legal(&self, game: usize, action: u16) -> bool {
        self.legal_of(game).contains(&action)
    }

    #[inline]
    fn legal_of(&self, game: usize) -> &[u16] {
        &self.legal[game][..self.legal_counts[game] as usize]
    }

    /// Clears the byte mask by its legal actions. Setting all 7,192 bytes to 0 would be slower.
    #[inline]
    fn clear_bytes(&mut self, game: usize, config: &Config) {
        if !self.legal_bytes.is_empty() {
            if self.has_ended(game) && config.ended_mask == EndedMask::Ones {
                self.legal_bytes[game].fill(0);
            }
            for &id in &self.legal[game][..self.legal_counts[game] as usize] {
                self.legal_bytes[game][id as usize] = 0;
            }
        }
    }

    /// Computes the outputs for a position, its view and its legal actions. The byte mask must be
    /// clear.
    #[inline]
    pub(crate) fn show(&mut self, game: usize, config: &Config) {
        let position = &self.positions[game];
        self.players[game] = position.turn().index() as u8;
        let is_full = self.has_ended(game) && config.ended_mask == EndedMask::Ones;
        let legal = &self.legal[game][..self.legal_counts[game] as usize];
        if !self.legal_bits.is_empty() {
            let bits = &mut self.legal_bits[game];
            bits.fill(0);
            set_bits(legal, bits);
            if is_full {
                *bits = EVERY_BIT;
            }
        }
        if !self.legal_bytes.is_empty() {
            if is_full {
                self.legal_bytes[game].fill(1);
            }
            for &id in legal {
                self.legal_bytes[game][id as usize] = 1;
            }
        }
        if !self.planes.is_empty() {
            let (planes, scalars) = (&mut self.planes[game], &mut self.scalars[game]);
            observe(position, &self.views[game], &config.rules, planes, scalars);
        }
    }
}

/// Sets the bits of some actions. Neighbours in the list often share a word, and each would wait
/// for the one before, so four parts of the list take turns.
#[inline]
fn set_bits(actions: &[u16], bits: &mut [u64; BIT_WORDS]) {
    let mut set = |id: u16| bits[id as usize / 64] |= 1 << (id % 64);
    let part = actions.len() / 4;
    let (one, rest) = actions.split_at(part);
    let (two, rest) = rest.split_at(part);
    let (three, rest) = rest.split_at(part);
    let (four, rest) = rest.split_at(part);
    for (((&one, &two), &three), &four) in one.iter().zip(two).zip(three).zip(four) {
        set(one);
        set(two);
        set(three);
        set(four);
    }
    rest.iter().for_each(|&id| set(id));
}

/// A vector of copies of a value; `None` if there is not enough memory. A normal vector would abort
/// the process.
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    values.resize(count, value);
    Some(values)
}

/// Why a game cannot be stepped.
pub(crate) enum Refusal {
    Illegal { game: usize, action: u16 },
    Ended { game: usize },
}

/// The code of a game that was lost by an illegal action.
pub(crate) const ILLEGAL_CODE: u8 = u8::MAX;

/// 1 for the first [`Ending`] and so on. 0 means none.
fn ending_code(ending: Ending) -> u8 {
    ending as u8 + 1
}

/// From 1 for the first place to -1 for the last, in equal steps. Tied players get the mean of
/// their places.
fn outcome(places: [u8; 4], sides: Sides) -> [f32; 4] {
    places.map(|place| {
        let equals = places.iter().filter(|&&other| other == place).count() as f32;
        match sides {
            Sides::Pairs if equals > 2.0 => 0.0,
            Sides::Pairs => {
                if place == 1 {
                    1.0
                } else {
                    -1.0
                }
            }
            Sides::Free => (5.0 - 2.0 * f32::from(place) - (equals - 1.0)) / 3.0,
        }
    })
}
