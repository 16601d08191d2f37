//! A batch of games on the processor.

use std::sync::Mutex;

use ::fourchess::Seat;
use fourchess_env::Config;
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::{prelude::*, types::PyDict};

use super::{
    access::{self, show},
    arrays::View,
    device, indexes, learned, memory,
    observed::{self, Moment},
    options, raise, refusals, state, tables,
    tensor::Tensor,
};
use crate::{input::integers, strings::Strings};

/// A batch of four-player games that are stepped together.
///
/// `rules` is `ffa`, `teams` or `jax`, or a dictionary of rules by name: `preset` is the preset
/// that the others change, `ffa` by default, and `rule_values` of a batch shows all of them.
/// `setup`, `max_plies`, `repetitions` and `quiet_limit` replace those of the rules. `outputs` lists
/// the outputs besides the list of legal actions: any of `legal_bits`, `legal_bytes`, `observation`.
/// `autoreset` is `next_step`, `same_step` or `disabled`. `illegal` is `error`, `noop` or `lose`; the
/// default is `error`, and `noop` on a GPU. `reward` is `points` or `outcome`; the default is
/// `points` if the rules have points. `ended_mask` is `zeros` or `ones`: what the masks of legal
/// actions show of a game that has ended; ones keep a softmax over a mask finite. `threads` is the
/// number of threads for a step; the results are the same for any number.
///
/// `device` is `cpu`, `cuda`, `cuda:1` and so on, or `auto`: a GPU if there is one that can be used,
/// and else the processor. On a GPU the batch is a `CudaBatch` with the same methods. `stream` is
/// the stream of PyTorch or CuPy for its work. Without it the batch has a stream of its own, which
/// waits for the default stream and is waited for by it.
///
/// All arrays are views of the memory of the batch. They keep their address for its lifetime, and
/// every step and reset overwrites them in place. Copy what you want to keep.
///
/// >>> from everyply import fourchess
/// >>> batch = fourchess.Batch(64, outputs=["observation"], seed=7)
/// >>> for _ in range(100):
/// ...     batch.step(batch.choose("random"))
/// >>> batch.rewards.shape, batch.planes.shape
/// ((64, 4), (64, 30, 5))
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct Batch {
    pub(super) inner: Mutex<fourchess_env::Batch>,
    pub(super) config: Config,
    pub(super) views: Vec<View>,
}

// Python aligns its objects for 16 bytes, whatever is in them.
const _: () = assert!(align_of::<Batch>() <= 16);

#[pymethods]
impl Batch {
    #[new]
    #[expect(clippy::new_ret_no_self, reason = "on a GPU it is a batch of another class")]
    #[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
    #[pyo3(signature = (
        games, rules=None, *, outputs=None, autoreset="next_step", illegal=None, reward=None,
        ended_mask="zeros", seed=0, threads=1, setup=None, max_plies=None, repetitions=None,
        quiet_limit=None, device="cpu", stream=None,
    ))]
    fn new<'py>(
        py: Python<'py>,
        games: usize,
        rules: Option<&Bound<'py, PyAny>>,
        outputs: Option<&Bound<'py, PyAny>>,
        autoreset: &str,
        illegal: Option<&str>,
        reward: Option<&str>,
        ended_mask: &str,
        seed: u64,
        threads: usize,
        setup: Option<&str>,
        max_plies: Option<u16>,
        repetitions: Option<u8>,
        quiet_limit: Option<u16>,
        device: &str,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        refusals::check_size(games, threads)?;
        let mut rules = rules.map_or(Ok(::fourchess::Rules::FFA), options::rules)?;
        if let Some(setup) = setup {
            rules.setup = options::setup(setup)?;
        }
        rules.max_plies = max_plies.unwrap_or(rules.max_plies);
        rules.repetitions = repetitions.unwrap_or(rules.repetitions);
        rules.quiet_limit = quiet_limit.unwrap_or(rules.quiet_limit);
        let mut config = Config::new(&rules, games);
        if let Some(outputs) = outputs {
            config.outputs = options::outputs(outputs)?;
        }
        config.autoreset = options::autoreset(autoreset)?;
        if let Some(reward) = reward {
            config.reward = options::reward(reward)?;
        }
        config.ended_mask = options::ended_mask(ended_mask)?;
        config.seed = seed;
        config.threads = threads;
        device::batch(py, config, device::named(py, device)?, illegal, stream)
    }

    /// Resets every game. Each game gets its own seed, derived from this one.
    #[pyo3(signature = (seed=0))]
    fn reset(&self, py: Python<'_>, seed: u64) {
        py.detach(|| self.lock().reset_all(seed));
    }

    /// Resets some games, each with its seed and, if `fens` are given, from its position in FEN4.
    /// The next reset of such a game starts from the start position of the rules.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(3)
    /// >>> batch.reset_games([2], [7], [batch.fen(0).replace("0,0,0,0-0-", "5,0,0,0-0-")])
    /// >>> batch.fen(2).split("-")[4]
    /// '5,0,0,0'
    #[pyo3(signature = (games, seeds, fens=None))]
    fn reset_games(
        &self,
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        seeds: &Bound<'_, PyAny>,
        fens: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let games = indexes(games, "games")?;
        let seeds: Vec<u64> = integers(seeds, "seeds", Some(games.len()))?;
        let done = match fens {
            None => py.detach(|| self.lock().reset(&games, &seeds)),
            Some(fens) => {
                let fens = Strings::new(fens, "fens")?;
                let fens = fens.texts("fens")?;
                py.detach(|| self.lock().reset_from(&games, &seeds, &fens))
            }
        };
        done.map_err(raise)
    }

    /// Plays an action in every game.
    ///
    /// `actions` holds an integer for each game, of any integer type; an array of `uint16` is used
    /// without conversion. `autoreset` and `illegal` of the batch say what happens to games that
    /// have ended and to illegal actions. If an exception is raised, the whole batch is unchanged.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(2)
    /// >>> batch.step([batch.action(0, "h2-h4"), batch.action(1, "e1-f3")])
    /// >>> batch.step([0, 0])
    /// Traceback (most recent call last):
    ///     ...
    /// everyply.fourchess.IllegalAction: action 0 is not legal in game 0
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions: Vec<u16> = integers(actions, "actions", Some(self.config.games))?;
        py.detach(|| self.lock().step(&actions)).map_err(raise)
    }

    /// Lets a player choose an action in every game: `random` or `greedy`, with the random numbers
    /// of the game, or `learned`; `random` by default. A list of four has a player for each seat,
    /// Red first, or None. The action is 0 in games that have ended or whose seat to move has
    /// None. `weights` are those of `learned`: the path of a safetensors file, or a `Network`.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(2, seed=1)
    /// >>> batch.choose("greedy").dtype
    /// dtype('uint16')
    /// >>> batch.choose([None, "random", "greedy", "learned"]).tolist()
    /// [0, 0]
    #[pyo3(signature = (player=None, *, weights=None))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        player: Option<&Bound<'py, PyAny>>,
        weights: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let (players, learned) = learned::seats(player)?;
        let network = learned::given(weights, learned)?;
        let mut actions = memory::filled(0, self.config.games)?;
        let chosen = py.detach(|| {
            let mut batch = self.lock();
            batch.choose_for(players, &mut actions)?;
            if let Some(network) = &network {
                network.get().network().choose_for(&batch, learned, &mut actions);
            }
            Ok::<(), fourchess_env::Error>(())
        });
        chosen.map_err(raise)?;
        Ok(PyArray1::from_vec(py, actions))
    }

    /// Plays plies with built-in players: the same as choosing and stepping so often.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(2, seed=1)
    /// >>> batch.play(10, "greedy")
    /// >>> batch.plies.tolist()
    /// [10, 10]
    #[pyo3(signature = (plies, player=None))]
    fn play(&self, py: Python<'_>, plies: u32, player: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        device::play(py, self, plies, options::all_players(player)?)
    }

    /// A number for what can be seen of each game: position, legal actions, rewards, flags and the
    /// outputs asked for. Equal games have equal numbers, also on a GPU: `(games,)` of uint64.
    ///
    /// >>> from everyply import fourchess
    /// >>> one, other = fourchess.Batch(2, seed=1), fourchess.Batch(2, seed=1)
    /// >>> one.play(5)
    /// >>> bool((one.digest() == other.digest()).any())
    /// False
    /// >>> other.play(5)
    /// >>> bool((one.digest() == other.digest()).all())
    /// True
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let digests = py.detach(|| device::cuda::digests(&self.lock()))?;
        Ok(PyArray1::from_vec(py, digests))
    }

    /// Saves games as bytes, `(len(games), STATE_BYTES)`: the position, its history and the state
    /// of its random numbers. A saved game goes on exactly as the game would have, in any batch
    /// with the same rules. All games without `games`.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(3, seed=1)
    /// >>> saved = batch.save([0, 2])
    /// >>> saved.shape == (2, fourchess.STATE_BYTES)
    /// True
    #[pyo3(signature = (games=None))]
    fn save<'py>(
        &self,
        py: Python<'py>,
        games: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let all = || memory::collected(0..self.config.games);
        let games = games.map_or_else(all, |games| indexes(games, "games"))?;
        state::save(py, self, &games)
    }

    /// Loads saved games in the places of `games`. Bytes of another version, of other rules, or
    /// of an impossible position raise, and then nothing is changed. Rewards are 0 afterwards.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(3, seed=1)
    /// >>> saved = batch.save([0])
    /// >>> batch.step(batch.choose("greedy"))
    /// >>> batch.load([0], saved)
    /// >>> batch.plies.tolist()
    /// [0, 1, 1]
    fn load(
        &self,
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        states: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        state::load(py, self, &indexes(games, "games")?, states)
    }

    /// Copies games within the batch, `src[i]` to `dst[i]`, as they were before the call: what a
    /// tree search does before it tries a move. Rewards are 0 in the copies.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(3, seed=1)
    /// >>> batch.copy_games([0, 0], [1, 2])
    /// >>> batch.fen(2) == batch.fen(0)
    /// True
    fn copy_games(
        &self,
        py: Python<'_>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (from, to) = (indexes(src, "src")?, indexes(dst, "dst")?);
        py.detach(|| self.lock().copy_games(&from, &to)).map_err(raise)
    }

    /// Resigns for seats, `seats[i]` in `games[i]`: 0 Red to 3 Green, on turn or not. Rewards,
    /// flags and resets are those of a step. Nothing happens to a seat that is out.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(2, "teams")
    /// >>> batch.resign([1], [2])
    /// >>> batch.terminated.tolist()
    /// [False, True]
    fn resign(
        &self,
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        seats: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let games = indexes(games, "games")?;
        let seats: Vec<u64> = integers(seats, "seats", Some(games.len()))?;
        let seats = memory::tried(seats.into_iter().map(state::seat))?;
        py.detach(|| self.lock().resign(&games, &seats)).map_err(raise)
    }

    /// The board of a game as text for a terminal.
    ///
    /// >>> from everyply import fourchess
    /// >>> print(fourchess.Batch(1).text(0).splitlines()[0].strip())
    /// 14          y♜ y♞ y♝ y♚ y♛ y♝ y♞ y♜
    fn text(&self, py: Python<'_>, game: usize) -> PyResult<String> {
        Ok(self.drawing(py, game)?.plain())
    }

    /// The board of a game as SVG.
    ///
    /// >>> from everyply import fourchess
    /// >>> fourchess.Batch(1).svg(0)[:4]
    /// '<svg'
    fn svg(&self, py: Python<'_>, game: usize) -> PyResult<String> {
        Ok(self.drawing(py, game)?.svg())
    }

    /// The board of a game as pixels of red, green and blue: `(height, width, 3)`, `width` wide.
    ///
    /// >>> from everyply import fourchess
    /// >>> fourchess.Batch(1).rgb(0, width=140).shape[1:]
    /// (140, 3)
    #[pyo3(signature = (game, *, width=504))]
    fn rgb<'py>(
        &self,
        py: Python<'py>,
        game: usize,
        width: u32,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        access::pixels(py, &self.svg(py, game)?, width)
    }

    /// Notebooks show the first game.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        self.svg(py, 0)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((usize,), Bound<'py, PyDict>)> {
        state::arguments(py, self)
    }

    fn __getstate__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        state::reduced(slf)
    }

    fn __setstate__(slf: &Bound<'_, Self>, state: &Bound<'_, PyDict>) -> PyResult<()> {
        state::restore(slf, state)
    }

    /// The observation of every game as numbers, `(games, FLOAT_PLANES, 14, 14)`: a plane for each
    /// of `PLANE_NAMES`, with ranks from the mover's own upwards and files from left to right.
    ///
    /// `dtype` is `float32`, `float16`, `bfloat16` (which NumPy knows if `ml_dtypes` is installed)
    /// or `uint8`. The bytes of `uint8` hold scalars that are not divided by their `SCALES`, and
    /// 255 for more. If `out` is given, the result is written into it, which saves an allocation.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(2, outputs=["observation"])
    /// >>> batch.observation(dtype="uint8").sum(axis=(0, 2, 3))[:3].tolist()
    /// [16, 4, 4]
    #[pyo3(signature = (out=None, *, dtype=None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.asked_for("planes")?;
        observed::expand(py, self, Moment::Now, out, dtype)
    }

    /// The same for the final observation of games that were reset in the same step.
    #[pyo3(signature = (out=None, *, dtype=None))]
    fn final_observation<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.asked_for("final_planes")?;
        observed::expand(py, self, Moment::Last, out, dtype)
    }

    /// The position of a game in FEN4.
    ///
    /// >>> from everyply import fourchess
    /// >>> fourchess.Batch(1).fen(0)[:40]
    /// 'R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR'
    fn fen(&self, py: Python<'_>, game: usize) -> PyResult<String> {
        self.check_game(game)?;
        py.detach(|| {
            let batch = self.lock();
            Ok(batch.positions()[game].fen(batch.rules()).to_string())
        })
    }

    /// The legal moves of a game as text, in the order of `legal`.
    ///
    /// >>> from everyply import fourchess
    /// >>> sorted(fourchess.Batch(1).moves(0))[:3]
    /// ['d2-d3', 'd2-d4', 'e1-d3']
    fn moves(&self, py: Python<'_>, game: usize) -> PyResult<Vec<String>> {
        self.check_game(game)?;
        py.detach(|| Ok(self.legal_moves(game).collect()))
    }

    /// The action of a legal move of a game, given as text: by its squares as `moves` lists it, or
    /// as PGN4 writes it, such as `Ne1-f3`, `Qg1xQn8+`, `h8-g8=Q` or `O-O`.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(1)
    /// >>> [batch.action(0, move) for move in batch.moves(0)] == batch.legal[0, :20].tolist()
    /// True
    /// >>> batch.action(0, "Ne1-f3") == batch.action(0, "e1-f3")
    /// True
    #[pyo3(signature = (game, r#move))]
    fn action(&self, py: Python<'_>, game: usize, r#move: &str) -> PyResult<u16> {
        self.check_game(game)?;
        self.action_of(py, game, r#move, game)
    }

    /// Converts an action of each game to the wide encoding; see `fourchess.to_wide`.
    ///
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(1)
    /// >>> wide = batch.to_wide([batch.action(0, "h2-h4")])
    /// >>> batch.from_wide(wide).tolist() == [batch.action(0, "h2-h4")]
    /// True
    fn to_wide<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let actions: Vec<u16> = integers(actions, "actions", Some(self.config.games))?;
        tables::widen(py, &actions, self.edges_to_move(py)?.into_iter())
    }

    /// Converts numbers of the wide encoding to actions, one for each game; `NO_ACTION` if there is
    /// no such action.
    #[pyo3(name = "from_wide")]
    fn narrow<'py>(
        &self,
        py: Python<'py>,
        wide: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let wide: Vec<u32> = integers(wide, "wide", Some(self.config.games))?;
        tables::narrow(py, &wide, self.edges_to_move(py)?.into_iter())
    }

    /// An array by its name, as an object that supports DLPack.
    ///
    /// >>> import numpy
    /// >>> from everyply import fourchess
    /// >>> batch = fourchess.Batch(2)
    /// >>> numpy.from_dlpack(batch.tensor("legal_counts")).tolist()
    /// [20, 20]
    fn tensor(slf: &Bound<'_, Self>, name: &str) -> PyResult<Tensor> {
        Ok(Tensor::new(slf.clone().unbind(), slf.get().asked_for(name)?.clone()))
    }

    fn __len__(&self) -> usize {
        self.config.games
    }

    fn __repr__(&self) -> String {
        format!("Batch({}, '{}')", self.config.games, self.config.rules.name)
    }

    /// Where the games are: `cpu`; a `CudaBatch` has another name.
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }

    /// The name of the rules.
    #[getter]
    fn rules(&self) -> &'static str {
        self.config.rules.name
    }

    /// Every rule by name, `preset` included: what `rules` takes.
    #[getter]
    fn rule_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        options::rule_values(py, &self.config.rules)
    }

    /// The points of each seat, Red first: `(games, 4)`, a copy.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i16>>> {
        self.of_seats(py, ::fourchess::Position::points)
    }

    /// How far each seat is in the game, Red first: 0 plays, 1 walks with its king alone, 2 is
    /// out; `(games, 4)`, a copy.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        self.of_seats(py, |position| Seat::ALL.map(|seat| position.status(seat) as u8))
    }

    /// The plies of each game: `(games,)`, a copy.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u16>>> {
        self.of_games(py, ::fourchess::Position::plies)
    }

    /// The plies of each game since the last capture, pawn move or elimination: `(games,)`, a
    /// copy.
    #[getter]
    fn quiet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u16>>> {
        self.of_games(py, ::fourchess::Position::quiet)
    }

    /// The boards in absolute seats: `(games, 14, 14)`, a copy. Ranks from 1 up, files from a.
    /// 0 is empty and 255 a corner. Bits 0 to 2 are the piece, 1 pawn to 6 king, and bits 3 and 4
    /// its seat; bit 5 marks a queen that was a pawn. 7 in bits 0 to 2 is a dead piece.
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        self.boards(py)
    }

    /// The edge at which each seat sits, Red first: 0 south, 1 west, 2 north, 3 east.
    #[getter]
    fn edges(&self) -> [u8; 4] {
        Seat::ALL.map(|seat| self.config.rules.edge(seat) as u8)
    }

    /// The player to move of each game: 0 Red, 1 Blue, 2 Yellow, 3 Green; `(games,)`, read-only.
    #[getter]
    fn current_player<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "current_player")
    }

    /// The legal actions: `(games, LEGAL_ROOM)`, read-only. The first `legal_counts` entries of a
    /// game are in use, and the others are `NO_ACTION`.
    #[getter]
    fn legal<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "legal")
    }

    /// The number of legal actions of each game, 0 if the game has ended: `(games,)`, read-only.
    #[getter]
    fn legal_counts<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "legal_counts")
    }

    /// The legal actions as a bit mask: `(games, LEGAL_WORDS)`, with action 0 in the lowest bit of
    /// the first word.
    #[getter]
    fn legal_bits<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "legal_bits")
    }

    /// The legal actions as a byte mask of 0 and 1: `(games, ACTIONS)`, read-only.
    #[getter]
    fn legal_bytes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "legal_bytes")
    }

    /// The reward of each seat in the last step, Red first: `(games, 4)`.
    #[getter]
    fn rewards<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "rewards")
    }

    /// Whether the last step ended the game according to the rules: `(games,)`.
    #[getter]
    fn terminated<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "terminated")
    }

    /// Whether the last step truncated the game: `(games,)`.
    #[getter]
    fn truncated<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "truncated")
    }

    /// Whether the action in the last step was legal, or ignored because of a reset: `(games,)`.
    #[getter]
    fn move_valid<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "move_valid")
    }

    /// The bit planes of the observation: `(games, PLANES, 5)` words of 32 squares.
    #[getter]
    fn planes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "planes")
    }

    /// The scalars of the observation: `(games, SCALARS)`.
    #[getter]
    fn scalars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "scalars")
    }

    /// The final planes of games that were reset in the same step.
    #[getter]
    fn final_planes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "final_planes")
    }

    /// The final scalars of games that were reset in the same step.
    #[getter]
    fn final_scalars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "final_scalars")
    }

    /// The final points of the last game that ended in each slot: `(games, 4)`.
    #[getter]
    fn final_points<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "final_points")
    }

    /// The ending of the last game that ended in each slot, as an index into `ENDINGS`: `(games,)`.
    /// 255 means an illegal action.
    #[getter]
    fn endings<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show(slf, "endings")
    }
}
