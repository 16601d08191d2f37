//! A batch of games on a GPU.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use ::fourchess::Seat;
use fourchess_cuda::{Which, digest};
use fourchess_env::{Config, Player};
use numpy::{PyArray1, PyArray2, ndarray::Array2};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};

use super::{
    access::{alike, entry},
    array::DeviceArray,
    raise, stream,
    taken::{self, Use},
};
use crate::{
    fourchess::{Batch, dlpack::Type, indexes, memory, options, state, tables},
    input::integers,
    strings::Strings,
};

/// A batch of four-player games on a GPU, which `Batch(games, device="cuda")` makes.
///
/// It has the methods of `Batch`, and the same games bit for bit. Its arrays stay on the device:
/// each is a `DeviceArray`, which PyTorch, CuPy and JAX take without copying. Work is put into
/// `stream` and nobody waits for it, except where a method returns something of NumPy or Python.
/// Actions and `out` of another library are taken where they are; its stream is waited for. Use
/// `stream` or `set_stream` if that library does not work in the default stream: then its memory
/// is not reused before the batch has read it.
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct CudaBatch {
    pub(super) inner: Mutex<fourchess_cuda::CudaBatch>,
    pub(super) config: Config,
    pub(super) ordinal: usize,
    pub(super) stream: AtomicU64,
    /// The object of the stream, which must live as long as the batch uses it.
    pub(super) keeper: Mutex<Option<Py<PyAny>>>,
}

#[pymethods]
impl CudaBatch {
    /// Resets every game. Each game gets its own seed, derived from this one.
    #[pyo3(signature = (seed=0))]
    fn reset(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        py.detach(|| self.lock().reset_all(seed)).map_err(raise)
    }

    /// Resets some games, each with its seed and, if `fens` are given, from its position in FEN4.
    /// The next reset of such a game starts from the start position of the rules.
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

    /// Resets the games whose entry in `mask`, an array of bool on the device, is true. Their random
    /// numbers go on, or start from `seeds`, an array of 64-bit integers on the device. Nobody waits
    /// for it.
    #[pyo3(signature = (mask, seeds=None))]
    fn reset_where(
        &self,
        py: Python<'_>,
        mask: &Bound<'_, PyAny>,
        seeds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let games = [self.config.games];
        let read = |argument: &Bound<'_, PyAny>, name: &str, types: &[Type]| {
            let missing = || {
                let words = format!("{name}: expected an array on {}", self.device());
                PyTypeError::new_err(words)
            };
            let given = taken::given(self, argument, name, Use::Reads)?.ok_or_else(missing)?;
            let given = given.of_shape(name, &games)?.of_types(name, types)?;
            Ok::<u64, PyErr>(given.address)
        };
        let mask = read(mask, "mask", &[Type::BOOL, Type::UINT8])?;
        let seeds = seeds.map(|seeds| read(seeds, "seeds", &[Type::INT64, Type::UINT64]));
        let seeds = seeds.transpose()?;
        // SAFETY: both arrays have such an entry for each game.
        py.detach(|| unsafe { self.lock().reset_where(mask, seeds) }).map_err(raise)
    }

    /// Plays an action in every game.
    ///
    /// `actions` is an array of 16, 32 or 64-bit integers on the device, or anything on the
    /// processor that `Batch.step` takes, which is copied. `out` is a dictionary of arrays on the
    /// device by the names of arrays of the batch, which are copied there after the step. Nothing is
    /// allocated, and nobody waits, unless the actions come from the processor or `illegal` is
    /// `error`. So a CUDA graph can record it.
    #[pyo3(signature = (actions, *, out=None))]
    fn step<'py>(
        slf: &Bound<'py, Self>,
        actions: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<()> {
        let (py, batch) = (slf.py(), slf.get());
        let outs = CudaBatch::outs(slf, out)?;
        match taken::given(batch, actions, "actions", Use::Reads)? {
            None => {
                let actions: Vec<u16> = integers(actions, "actions", Some(batch.config.games))?;
                py.detach(|| batch.lock().step(&actions)).map_err(raise)?;
            }
            Some(given) => {
                let given = given.of_shape("actions", &[batch.config.games])?;
                let (address, entry) = (given.address, entry(&given)?);
                // SAFETY: the array has such an entry for each game. Its library frees it in the
                // order of its stream, which is that of the batch or waits for it.
                let step = || unsafe { batch.lock().step_on_device(address, entry) };
                py.detach(step).map_err(raise)?;
            }
        }
        for (array, goal) in outs {
            let address = goal.address;
            // SAFETY: the shape and the type of the goal are those of the array.
            py.detach(|| unsafe { batch.lock().copy_array(array, address) }).map_err(raise)?;
        }
        Ok(())
    }

    /// Lets a built-in player, `random` or `greedy`, choose an action in every game, as
    /// `Batch.choose` does: 16-bit integers on the device, in `out` if it is given. Else they are in
    /// memory of the batch that the next call overwrites.
    #[pyo3(signature = (player=None, *, out=None))]
    fn choose<'py>(
        slf: &Bound<'py, Self>,
        player: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, batch) = (slf.py(), slf.get());
        let players = player.map_or(Ok([Some(Player::Random); 4]), options::players)?;
        let games = batch.config.games;
        let given = match out {
            None => None,
            Some(out) => {
                let given = batch.out(out, "out")?.of_shape("out", &[games])?;
                Some(given.of_types("out", alike(Type::INT16))?)
            }
        };
        let goal = given.as_ref().map(|given| given.address);
        let goal = py.detach(|| {
            let mut batch = batch.lock();
            let goal = goal.unwrap_or_else(|| batch.own_actions());
            // Games of nobody get the action 0.
            if players.contains(&None) {
                // SAFETY: the array has 16 bits for each game.
                unsafe { batch.clear(goal, 2 * games)? };
            }
            // SAFETY: as above.
            unsafe { batch.choose_on_device(players, goal).map(|()| goal) }
        });
        let goal = goal.map_err(raise)?;
        match out {
            Some(out) => Ok(out.clone()),
            None => {
                let owner = slf.clone().unbind();
                let array = DeviceArray::new(owner, goal, vec![games], Type::INT16);
                Ok(Bound::new(py, array)?.into_any())
            }
        }
    }

    /// Plays plies with built-in players in one launch: the same games as choosing and stepping so
    /// often.
    #[pyo3(signature = (plies, player=None))]
    fn play(&self, py: Python<'_>, plies: u32, player: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let players = options::all_players(player)?;
        py.detach(|| self.lock().play(players, plies)).map_err(raise)
    }

    /// Saves games as bytes on the processor, `(len(games), STATE_BYTES)`, as `Batch.save` does:
    /// either kind of batch loads them.
    #[pyo3(signature = (games=None))]
    fn save<'py>(
        &self,
        py: Python<'py>,
        games: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let games = self.games(games)?;
        let bytes = py.detach(|| self.lock().save(&games)).map_err(raise)?;
        let shape = (games.len(), fourchess_env::Batch::STATE_BYTES);
        let array = Array2::from_shape_vec(shape, bytes);
        Ok(PyArray2::from_owned_array(py, array.expect("as many bytes as games have")))
    }

    /// Loads saved games in the places of `games`. Bytes of another version, of other rules, or
    /// of an impossible position raise, and then nothing is changed. Rewards are 0 afterwards.
    fn load(
        &self,
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        states: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let games = indexes(games, "games")?;
        let bytes = state::bytes(states, games.len())?;
        py.detach(|| self.lock().load(&games, &bytes)).map_err(raise)
    }

    /// Copies games within the batch, `src[i]` to `dst[i]`, as they were before the call. Rewards
    /// are 0 in the copies.
    fn copy_games(
        &self,
        py: Python<'_>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (from, to) = (indexes(src, "src")?, indexes(dst, "dst")?);
        py.detach(|| self.lock().copy_games(&from, &to)).map_err(raise)
    }

    /// Resigns for seats, `seats[i]` in `games[i]`: 0 Red to 3 Green, on turn or not.
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

    /// The observation of every game as numbers on the device, `(games, FLOAT_PLANES, 14, 14)`.
    ///
    /// `dtype` is `float32`, `bfloat16`, `float16` or `uint8`. If `out` is given, an array on the
    /// device, the result is written into it and nothing is allocated.
    #[pyo3(signature = (out=None, *, dtype=None))]
    fn observation<'py>(
        slf: &Bound<'py, Self>,
        out: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        CudaBatch::named(slf, "planes")?;
        CudaBatch::expand(slf, Which::Current, out, dtype)
    }

    /// The same for the final observation of games that were reset in the same step.
    #[pyo3(signature = (out=None, *, dtype=None))]
    fn final_observation<'py>(
        slf: &Bound<'py, Self>,
        out: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        CudaBatch::named(slf, "final_planes")?;
        CudaBatch::expand(slf, Which::Final, out, dtype)
    }

    /// A number for what can be seen of each game: equal to that of `Batch.digest` for equal games.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let digests = py.detach(|| self.lock().digests(digest::ALL)).map_err(raise)?;
        Ok(PyArray1::from_vec(py, digests))
    }

    /// What happened since the batch was made: `endings` by name, `illegal_endings`, the sums of
    /// `plies` and `points` of all games that ended, and `illegal_actions`.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = py.detach(|| self.lock().stats()).map_err(raise)?;
        let endings = PyDict::new(py);
        for (name, count) in tables::endings().into_iter().zip(stats.endings).skip(1) {
            endings.set_item(name, count)?;
        }
        let told = PyDict::new(py);
        told.set_item("endings", endings)?;
        told.set_item("illegal_endings", stats.illegal_endings)?;
        told.set_item("plies", stats.plies)?;
        told.set_item("points", stats.points)?;
        told.set_item("illegal_actions", stats.illegal_actions)?;
        Ok(told)
    }

    /// A batch on the processor with copies of games; all games without `games`.
    #[pyo3(signature = (games=None))]
    fn cpu<'py>(
        &self,
        py: Python<'py>,
        games: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &self.games(games)?)
    }

    /// Waits until the work of the batch is done.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.lock().synchronize()).map_err(raise)
    }

    /// Puts the work of the batch into another stream from now on: one of PyTorch or CuPy, or the
    /// address of one. Waits for the work that is in the old one.
    fn set_stream(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<()> {
        let address = stream::address(stream)?;
        // SAFETY: the object of the stream is kept. An address alone is vouched for by the caller.
        py.detach(|| unsafe { self.lock().set_stream(address) }).map_err(raise)?;
        self.stream.store(address, Ordering::Release);
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let _old = keeper.replace(stream.clone().unbind());
        Ok(())
    }

    /// The address of the stream that the work of the batch is put into.
    #[getter]
    fn stream(&self, py: Python<'_>) -> u64 {
        self.address_of_stream(py)
    }

    /// The name of the device, such as `cuda:0`.
    #[getter]
    pub(super) fn device(&self) -> String {
        format!("cuda:{}", self.ordinal)
    }

    /// The bytes of the device's memory that the batch takes.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().bytes())
    }

    /// The position of a game in FEN4.
    fn fen<'py>(&self, py: Python<'py>, game: usize) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &[game])?.call_method1("fen", (0,))
    }

    /// The legal moves of a game as text, in the order of `legal`.
    fn moves<'py>(&self, py: Python<'py>, game: usize) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &[game])?.call_method1("moves", (0,))
    }

    /// The action of a legal move of a game, given as text.
    #[pyo3(signature = (game, r#move))]
    fn action(&self, py: Python<'_>, game: usize, r#move: &str) -> PyResult<u16> {
        let copy = self.copies(py, &[game])?;
        copy.cast::<Batch>()?.get().action_of(py, 0, r#move, game)
    }

    /// The board of a game as text for a terminal.
    fn text<'py>(&self, py: Python<'py>, game: usize) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &[game])?.call_method1("text", (0,))
    }

    /// The board of a game as SVG.
    fn svg<'py>(&self, py: Python<'py>, game: usize) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &[game])?.call_method1("svg", (0,))
    }

    /// Notebooks show the first game.
    fn _repr_svg_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.svg(py, 0)
    }

    /// The board of a game as pixels of red, green and blue: `(height, width, 3)`, `width` wide.
    #[pyo3(signature = (game, *, width=504))]
    fn rgb<'py>(&self, py: Python<'py>, game: usize, width: u32) -> PyResult<Bound<'py, PyAny>> {
        let keywords = PyDict::new(py);
        keywords.set_item("width", width)?;
        self.copies(py, &[game])?.call_method("rgb", (0,), Some(&keywords))
    }

    /// An array by its name.
    fn tensor(slf: &Bound<'_, Self>, name: &str) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, name)
    }

    fn __len__(&self) -> usize {
        self.config.games
    }

    fn __repr__(&self) -> String {
        let Config { games, rules, .. } = &self.config;
        format!("CudaBatch({games}, '{}', device='{}')", rules.name, self.device())
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

    /// The edge at which each seat sits, Red first: 0 south, 1 west, 2 north, 3 east.
    #[getter]
    fn edges(&self) -> [u8; 4] {
        Seat::ALL.map(|seat| self.config.rules.edge(seat) as u8)
    }

    /// The points of each seat, Red first: `(games, 4)`, a copy on the processor.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &self.all()?)?.getattr("points")
    }

    /// How far each seat is in the game, Red first: 0 plays, 1 walks with its king alone, 2 is
    /// out; `(games, 4)`, a copy on the processor.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &self.all()?)?.getattr("status")
    }

    /// The plies of each game: `(games,)`, a copy on the processor.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &self.all()?)?.getattr("plies")
    }

    /// The plies of each game since the last capture, pawn move or elimination: `(games,)`, a copy
    /// on the processor.
    #[getter]
    fn quiet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &self.all()?)?.getattr("quiet")
    }

    /// The boards in absolute seats, as those of `Batch`: `(games, 14, 14)`, a copy on the
    /// processor.
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.copies(py, &self.all()?)?.getattr("board")
    }

    /// The player to move of each game: 0 Red, 1 Blue, 2 Yellow, 3 Green; `(games,)`.
    #[getter]
    fn current_player(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "current_player")
    }

    /// The legal actions: `(games, LEGAL_ROOM)` of int16. The first `legal_counts` entries of a game
    /// are in use, and the others are -1.
    #[getter]
    fn legal(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "legal")
    }

    /// The number of legal actions of each game, 0 if the game has ended: `(games,)` of int16.
    #[getter]
    fn legal_counts(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "legal_counts")
    }

    /// The legal actions as a bit mask: `(games, LEGAL_WORDS)` of int64, with action 0 in the lowest
    /// bit of the first word.
    #[getter]
    fn legal_bits(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "legal_bits")
    }

    /// The legal actions as a byte mask of 0 and 1: `(games, ACTIONS)`.
    #[getter]
    fn legal_bytes(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "legal_bytes")
    }

    /// The reward of each seat in the last step, Red first: `(games, 4)`.
    #[getter]
    fn rewards(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "rewards")
    }

    /// Whether the last step ended the game according to the rules: `(games,)`.
    #[getter]
    fn terminated(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "terminated")
    }

    /// Whether the last step truncated the game: `(games,)`.
    #[getter]
    fn truncated(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "truncated")
    }

    /// Whether the action in the last step was legal, or ignored because of a reset: `(games,)`.
    #[getter]
    fn move_valid(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "move_valid")
    }

    /// The bit planes of the observation: `(games, PLANES, 5)` words of 32 squares, as int32.
    #[getter]
    fn planes(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "planes")
    }

    /// The scalars of the observation: `(games, SCALARS)`.
    #[getter]
    fn scalars(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "scalars")
    }

    /// The final planes of games that were reset in the same step.
    #[getter]
    fn final_planes(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "final_planes")
    }

    /// The final scalars of games that were reset in the same step.
    #[getter]
    fn final_scalars(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "final_scalars")
    }

    /// The final points of the last game that ended in each slot: `(games, 4)`.
    #[getter]
    fn final_points(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "final_points")
    }

    /// The ending of the last game that ended in each slot, as an index into `ENDINGS`: `(games,)`.
    /// 255 means an illegal action.
    #[getter]
    fn endings(slf: &Bound<'_, Self>) -> PyResult<DeviceArray> {
        CudaBatch::named(slf, "endings")
    }
}
