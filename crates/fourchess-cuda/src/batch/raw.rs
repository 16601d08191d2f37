//! Work on arrays of the device whose addresses the caller gives, such as those of tensors.

use fourchess_env::Player;

use super::{
    CudaBatch,
    outputs::{Number, Which},
};
use crate::{device::arguments, error::Error};

/// The type of the entries of an array of actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Entry {
    /// 16 bits, signed or not.
    Bits16 = 2,
    /// 32 bits, signed or not.
    Bits32 = 4,
    /// 64 bits, signed or not.
    Bits64 = 8,
}

impl CudaBatch {
    /// Plays an action in every game, from an array on the device. Allocates nothing. Waits for
    /// nothing either, unless illegal actions are errors. Numbers that are no action are illegal.
    ///
    /// # Safety
    ///
    /// The array must have such an entry for each game, and stay until the work is done.
    pub unsafe fn step_on_device(&mut self, actions: u64, entry: Entry) -> Result<(), Error> {
        self.step_at(actions, entry as u32)
    }

    /// Lets built-in players choose the actions of the seats they play, into an array of 16-bit
    /// entries on the device, without waiting.
    ///
    /// # Safety
    ///
    /// The array must have such an entry for each game, and stay until the work is done.
    pub unsafe fn choose_on_device(
        &mut self,
        players: [Option<Player>; 4],
        actions: u64,
    ) -> Result<(), Error> {
        self.choose_at(players, actions)
    }

    /// Expands observations to numbers in an array on the device.
    ///
    /// # Safety
    ///
    /// The array must begin at a multiple of 16 bytes, have 7,840 numbers for each game, and stay
    /// until the work is done.
    pub unsafe fn expand_on_device(
        &self,
        which: Which,
        number: Number,
        goal: u64,
    ) -> Result<(), Error> {
        self.expand_at(which, number, goal)
    }

    /// Resets the games whose byte in an array on the device is not 0: with seeds from an array on
    /// the device, or else with the random numbers of the game going on.
    ///
    /// # Safety
    ///
    /// The arrays must have a byte and a word of 64 bits for each game, and stay until the work is
    /// done.
    pub unsafe fn reset_where(&mut self, mask: u64, seeds: Option<u64>) -> Result<(), Error> {
        let seeds = seeds.unwrap_or(0);
        let arguments = arguments![self.params, mask, seeds];
        self.launch(self.kernels.reset_where, self.params.games, arguments)
    }

    /// Puts the work of the batch into another stream from now on, once what is in the old one is
    /// done.
    ///
    /// # Safety
    ///
    /// The stream must be one of this device, and live as long as the batch uses it.
    pub unsafe fn set_stream(&mut self, stream: u64) -> Result<(), Error> {
        self.stream.synchronize()?;
        self.stream = self.device.foreign_stream(stream);
        Ok(())
    }
}
