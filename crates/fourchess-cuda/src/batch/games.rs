//! Games of a batch that are reset, saved, loaded, copied and resigned.

use fourchess::Seat;
use fourchess_env::{Batch, Config};

use super::{CudaBatch, check_length};
use crate::{
    device::{Buffer, arguments},
    error::Error,
};

impl CudaBatch {
    /// Resets every game. Each game gets its own seed, derived from this one.
    pub fn reset_all(&mut self, seed: u64) -> Result<(), Error> {
        self.reset_with(0, 0, seed, self.len())
    }

    /// Resets some games, each with its seed.
    pub fn reset(&mut self, games: &[usize], seeds: &[u64]) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("seeds", seeds.len(), games.len())?;
        for round in rounds(games) {
            let index = self.upload("games to reset", &pick(&round, |at| games[at] as u64))?;
            let seeds = self.upload("seeds", &pick(&round, |at| seeds[at]))?;
            self.reset_with(index.address(), seeds.address(), 0, round.len())?;
            self.stream.synchronize()?;
        }
        Ok(())
    }

    fn reset_with(&self, index: u64, seeds: u64, seed: u64, count: usize) -> Result<(), Error> {
        let count = count as u64;
        let arguments = arguments![self.params, index, seeds, seed, count];
        self.launch(self.kernels.reset, count, arguments)
    }

    /// Starts some games from positions in FEN4, each with its seed.
    pub fn reset_from<T: AsRef<str>>(
        &mut self,
        games: &[usize],
        seeds: &[u64],
        fens: &[T],
    ) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("seeds", seeds.len(), games.len())?;
        check_length("positions", fens.len(), games.len())?;
        if games.is_empty() {
            return Ok(());
        }
        let mut starts = self.on_processor(games.len())?;
        let places: Vec<usize> = (0..games.len()).collect();
        starts.reset_from(&places, seeds, fens).map_err(|error| renumbered(error, games))?;
        self.load_checked(games, &starts.save(&places)?, true)
    }

    /// Saves chosen games: [`Batch::STATE_BYTES`] each, in the documented form.
    pub fn save(&self, games: &[usize]) -> Result<Vec<u8>, Error> {
        self.check_games(games)?;
        let states = self.save_on_device(games)?;
        self.download(states.address(), states.bytes())
    }

    fn save_on_device(&self, games: &[usize]) -> Result<Buffer, Error> {
        let index: Vec<u64> = games.iter().map(|&game| game as u64).collect();
        let index = self.upload("games to save", &index)?;
        let states = self.device.allocate("saved games", games.len() * Batch::STATE_BYTES)?;
        let (count, fingerprint) = (games.len() as u64, self.config.rules.fingerprint());
        let (place, goal) = (index.address(), states.address());
        let arguments = arguments![self.params, place, count, fingerprint, goal];
        self.launch(self.kernels.save, count, arguments)?;
        self.stream.synchronize()?;
        Ok(states)
    }

    /// Puts saved games in the places of chosen ones. Every state is checked before the first is
    /// used, so that an error changes nothing.
    pub fn load(&mut self, games: &[usize], states: &[u8]) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("bytes of states", states.len(), games.len() * Batch::STATE_BYTES)?;
        if games.is_empty() {
            return Ok(());
        }
        let places: Vec<usize> = (0..games.len()).collect();
        self.on_processor(games.len())?.load(&places, states)?;
        self.load_checked(games, states, false)
    }

    pub(super) fn load_checked(
        &self,
        games: &[usize],
        states: &[u8],
        as_reset: bool,
    ) -> Result<(), Error> {
        for round in rounds(games) {
            let of_round = |&at: &usize| &states[at * Batch::STATE_BYTES..][..Batch::STATE_BYTES];
            let chosen: Vec<u8> = round.iter().flat_map(of_round).copied().collect();
            let chosen = self.upload("saved games", &chosen)?;
            let index: Vec<usize> = round.iter().map(|&at| games[at]).collect();
            self.load_from(&index, &chosen, as_reset)?;
        }
        Ok(())
    }

    fn load_from(&self, games: &[usize], states: &Buffer, as_reset: bool) -> Result<(), Error> {
        let index: Vec<u64> = games.iter().map(|&game| game as u64).collect();
        let index = self.upload("games to load", &index)?;
        let (count, as_reset) = (games.len() as u64, u32::from(as_reset));
        let (place, source) = (index.address(), states.address());
        let arguments = arguments![self.params, place, count, source, as_reset];
        self.launch(self.kernels.load, count, arguments)?;
        self.stream.synchronize()
    }

    /// Makes each game of `to` a copy of the game of `from` in the same place, as they were before
    /// the call.
    pub fn copy_games(&mut self, from: &[usize], to: &[usize]) -> Result<(), Error> {
        check_length("games to copy to", to.len(), from.len())?;
        self.check_games(from)?;
        self.check_games(to)?;
        let mut is_target = vec![false; self.len()];
        for &game in to {
            if std::mem::replace(&mut is_target[game], true) {
                return Err(fourchess_env::Error::Twice { game }.into());
            }
        }
        if from.is_empty() {
            return Ok(());
        }
        let states = self.save_on_device(from)?;
        self.load_from(to, &states, false)
    }

    /// Resigns for a seat in each of some games, on turn or not.
    pub fn resign(&mut self, games: &[usize], seats: &[Seat]) -> Result<(), Error> {
        self.check_games(games)?;
        check_length("seats", seats.len(), games.len())?;
        for round in rounds(games) {
            let index = self.upload("games", &pick(&round, |at| games[at] as u64))?;
            let seats = self.upload("seats", &pick(&round, |at| seats[at] as u8))?;
            let (place, who, count) = (index.address(), seats.address(), round.len() as u64);
            let arguments = arguments![self.params, place, who, count];
            self.launch(self.kernels.resign, count, arguments)?;
            self.stream.synchronize()?;
        }
        Ok(())
    }

    /// A batch of so many games on the processor, which checks positions and states.
    fn on_processor(&self, games: usize) -> Result<Batch, Error> {
        let outputs = Default::default();
        Ok(Batch::new(Config { games, threads: 1, outputs, ..self.config.clone() })?)
    }
}

/// Places of a list of games in rounds that name no game twice, so that games of a round can be
/// worked on at once.
fn rounds(games: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = std::collections::HashMap::new();
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for (at, game) in games.iter().enumerate() {
        let times: &mut usize = seen.entry(game).or_default();
        if rounds.len() == *times {
            rounds.push(Vec::new());
        }
        rounds[*times].push(at);
        *times += 1;
    }
    rounds
}

fn pick<T>(round: &[usize], value: impl Fn(usize) -> T) -> Vec<T> {
    round.iter().map(|&at| value(at)).collect()
}

/// The same error for the games that the caller named.
fn renumbered(error: fourchess_env::Error, games: &[usize]) -> fourchess_env::Error {
    use fourchess_env::Error;
    match error {
        Error::Fen { game, cause } => Error::Fen { game: games[game], cause },
        Error::Over { game } => Error::Over { game: games[game] },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_round_names_a_game_twice_and_places_keep_their_order() {
        assert_eq!(rounds(&[4, 7, 4, 4, 7, 1]), [vec![0, 1, 5], vec![2, 4], vec![3]]);
        assert_eq!(rounds(&[]), [[0; 0]; 0]);
    }
}
