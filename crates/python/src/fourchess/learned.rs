//! The player that learned.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use fourchess_env::Player;
use fourchess_learned::Network as Inner;
use numpy::PyArray1;
use pyo3::{
    prelude::*,
    types::{PyBytes, PyString},
};

use super::{Batch, device::cuda::CudaBatch, indexes, options};
use crate::error::{Raise, refuse};

/// The name of the player.
const NAME: &str = "learned";

/// A network that plays four-player chess, on the processor and without PyTorch.
///
/// `weights` is the path of a safetensors file that `train_fourchess.py` exported, or its bytes. The
/// weights that come with the package learned the rules `ffa`. A network is a player for `evaluate`.
///
/// >>> from everyply import fourchess
/// >>> network, batch = fourchess.Network(), fourchess.Batch(3)
/// >>> network.choose(batch, [0]).tolist() == [batch.action(0, "h2-h3")]
/// True
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct Network(Weights);

enum Weights {
    Trained(&'static Inner),
    Given(Box<Inner>),
}

impl Network {
    pub(super) fn network(&self) -> &Inner {
        match &self.0 {
            Weights::Trained(network) => network,
            Weights::Given(network) => network,
        }
    }

    fn of_file(path: &Path) -> PyResult<Network> {
        let name = path.display();
        let bytes = fs::read(path)
            .map_err(|cause| io::Error::new(cause.kind(), format!("{name}: {cause}")))?;
        Network::of_bytes(&bytes, &format!("{name}: "))
    }

    fn of_bytes(bytes: &[u8], place: &str) -> PyResult<Network> {
        let network = Inner::from_bytes(bytes).map_err(|cause| cause.raise_at(place))?;
        Ok(Network(Weights::Given(Box::new(network))))
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (weights=None))]
    fn new(weights: Option<&Bound<'_, PyAny>>) -> PyResult<Network> {
        let Some(weights) = weights else {
            return Ok(Network(Weights::Trained(Inner::trained())));
        };
        match weights.cast::<PyBytes>() {
            Ok(bytes) => Network::of_bytes(bytes.as_bytes(), "weights: "),
            Err(_) => Network::of_file(&weights.extract::<PathBuf>()?),
        }
    }

    /// Chooses the best action, as the network sees it, in some games of a batch; all games without
    /// `games`. The action is 0 in games that have ended. Of equally good actions the lowest is
    /// chosen. Games of a batch on a GPU are copied to the processor.
    #[pyo3(signature = (batch, games=None))]
    fn choose<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        games: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        let py = batch.py();
        if batch.is_instance_of::<CudaBatch>() {
            return self.choose(&batch.call_method1("cpu", (games,))?, None);
        }
        let batch = batch.cast::<Batch>()?.get();
        let games = match games {
            Some(games) => indexes(games, "games")?,
            None => (0..batch.config.games).collect(),
        };
        games.iter().try_for_each(|&game| batch.check_game(game))?;
        let actions = py.detach(|| self.network().choose_games(&batch.lock(), &games));
        Ok(PyArray1::from_vec(py, actions))
    }

    /// The same as `choose`.
    fn __call__<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        games: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u16>>> {
        self.choose(batch, Some(games))
    }
}

/// The built-in players of the seats, and which seats learned.
pub(super) fn seats(
    argument: Option<&Bound<'_, PyAny>>,
) -> PyResult<([Option<Player>; 4], [bool; 4])> {
    let Some(argument) = argument else {
        return Ok(([Some(Player::Random); 4], [false; 4]));
    };
    if let Ok(name) = argument.cast::<PyString>() {
        let is_learned = name.to_cow()? == NAME;
        let players = if is_learned { [None; 4] } else { options::players(argument)? };
        return Ok((players, [is_learned; 4]));
    }
    let Ok(names) = argument.extract::<[Option<String>; 4]>() else {
        return Ok((options::players(argument)?, [false; 4]));
    };
    let learned = names.each_ref().map(|name| name.as_deref() == Some(NAME));
    let built_in = names.map(|name| name.filter(|name| name != NAME));
    Ok((options::players(built_in.into_pyobject(argument.py())?.as_any())?, learned))
}

/// The network for seats that learned, if there are any.
pub(super) fn given(
    weights: Option<&Bound<'_, PyAny>>,
    learned: [bool; 4],
) -> PyResult<Option<Py<Network>>> {
    let is_asked = learned.contains(&true);
    match weights {
        None if !is_asked => Ok(None),
        None => Python::attach(|py| Py::new(py, Network::new(None)?).map(Some)),
        Some(_) if !is_asked => Err(refuse("weights: no player is 'learned'".to_owned())),
        Some(weights) => match weights.cast::<Network>() {
            Ok(network) => Ok(Some(network.clone().unbind())),
            Err(_) => Py::new(weights.py(), Network::new(Some(weights))?).map(Some),
        },
    }
}
