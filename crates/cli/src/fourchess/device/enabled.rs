//! Games on a GPU.

use std::time::Instant;

use fourchess_cuda::{Array, CudaBatch, Error, Nvrtc, Options, devices};
use fourchess_env::{Autoreset, Config, Illegal, Player, SelfPlay};

use crate::{exit::bad_command, interrupt, progress};

/// The seconds that steps of a batch take, with random choices on the device; `None` if they were
/// interrupted.
pub(crate) fn measure(
    config: &Config,
    ordinal: usize,
    name: &str,
    steps: u32,
) -> anyhow::Result<Option<f64>> {
    let mut batch = batch(Config { illegal: Illegal::Noop, ..config.clone() }, ordinal)?;
    let bar = progress::pieces(name, u64::from(steps));
    let start = Instant::now();
    for _ in 0..steps {
        batch.choose_own([Some(Player::Random); 4])?;
        batch.step_own()?;
        bar.inc(1);
        if interrupt::requested() {
            return Ok(None);
        }
    }
    batch.synchronize()?;
    bar.finish_and_clear();
    Ok(Some(start.elapsed().as_secs_f64()))
}

/// The actions of games with these seeds, which built-in players choose on the device; `None` if
/// they were interrupted.
pub(crate) fn choose(
    selfplay: &SelfPlay,
    seeds: &[u64],
    ordinal: usize,
) -> anyhow::Result<Option<Vec<Vec<u16>>>> {
    let (rules, players) = (selfplay.rules(), selfplay.players.map(Some));
    let config = Config {
        autoreset: Autoreset::Disabled,
        illegal: Illegal::Noop,
        ..Config::new(rules, seeds.len())
    };
    let mut batch = batch(config, ordinal)?;
    let starts = vec![selfplay.start.fen(rules).to_string(); seeds.len()];
    batch.reset_from(&(0..seeds.len()).collect::<Vec<usize>>(), seeds, &starts)?;
    let mut games = vec![Vec::new(); seeds.len()];
    let mut actions = vec![0; seeds.len()];
    for _ in 0..selfplay.max_plies {
        let counts = batch.read(Array::LegalCounts)?;
        let counts = counts.as_chunks().0.iter().map(|&count| u16::from_le_bytes(count));
        let going: Vec<bool> = counts.map(|count| count > 0).collect();
        if !going.contains(&true) {
            break;
        }
        if interrupt::requested() {
            return Ok(None);
        }
        batch.choose_for(players, &mut actions)?;
        batch.step_own()?;
        for (game, (&is_going, &action)) in games.iter_mut().zip(going.iter().zip(&actions)) {
            if is_going {
                game.push(action);
            }
        }
    }
    Ok(Some(games))
}

fn batch(config: Config, ordinal: usize) -> anyhow::Result<CudaBatch> {
    let options = Options { device: ordinal, ..Options::default() };
    CudaBatch::new(config, &options).map_err(bad_command)
}

/// The devices that games can be computed on, or what is missing. `None` without the feature.
pub(crate) fn about() -> Option<Result<String, String>> {
    let found = devices().and_then(|count| {
        let devices = (0..count.max(1)).map(fourchess_cuda::Device::open);
        let devices = devices.collect::<Result<Vec<_>, Error>>()?;
        Ok((devices, Nvrtc::load(&[])?))
    });
    Some(match found {
        Ok((devices, nvrtc)) => {
            let names: Vec<&str> = devices.iter().map(|device| device.name()).collect();
            let (major, minor) = nvrtc.version();
            let place = nvrtc.path().display();
            Ok(format!("{}, libnvrtc {major}.{minor} ({place})", names.join(", ")))
        }
        // The places that were tried are too many for a line.
        Err(Error::NoNvrtc { .. }) => Err("libnvrtc was not found".to_owned()),
        Err(cause) => Err(cause.to_string()),
    })
}
