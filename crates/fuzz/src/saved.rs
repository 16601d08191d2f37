//! Saved games of four-player chess, as batches save them.

use std::cell::RefCell;

use fourchess::Rules;
use fourchess_env::{Autoreset, Batch, Config, Illegal, Player};

/// The first byte chooses a game that was saved; the rest changes it, three bytes at a time: a
/// place and a value. A saved game has more bytes than chance would put in their places.
pub(crate) fn a_saved_game_is_refused_or_goes_on(data: &[u8]) {
    thread_local! {
        static GAMES: RefCell<(Batch, Vec<Vec<u8>>)> = RefCell::new(games());
    }
    let Some((first, changes)) = data.split_first() else { return };
    GAMES.with_borrow_mut(|(batch, saved)| {
        let mut bytes = saved[usize::from(*first) % saved.len()].clone();
        for change in changes.as_chunks::<3>().0 {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
            bytes[place] = change[2];
        }
        match batch.load(&[0], &bytes) {
            Ok(()) => check(batch, &bytes),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}

fn check(batch: &mut Batch, bytes: &[u8]) {
    assert_eq!(batch.save(&[0]).as_deref(), Ok(bytes), "a game is saved as it was loaded");
    let mut actions = [0];
    for _ in 0..8 {
        batch.choose(Player::Random, &mut actions).expect("one action for one game");
        batch.step(&actions).expect("actions that are not legal do nothing");
    }
    let again = batch.save(&[0]).expect("there is such a game");
    assert_eq!(batch.load(&[0], &again), Ok(()), "what was saved is loaded");
}

/// A batch of one game, and games from the first ply to the end.
fn games() -> (Batch, Vec<Vec<u8>>) {
    let config = Config {
        autoreset: Autoreset::Disabled,
        illegal: Illegal::Noop,
        threads: 1,
        ..Config::new(&Rules::FFA, 1)
    };
    let mut batch = Batch::new(config).expect("one game fits into memory");
    let mut saved = Vec::new();
    let mut actions = [0];
    for ply in 0..600 {
        if ply % 60 == 0 {
            saved.push(batch.save(&[0]).expect("there is such a game"));
        }
        batch.choose(Player::Random, &mut actions).expect("one action for one game");
        batch.step(&actions).expect("actions that are not legal do nothing");
    }
    (batch, saved)
}
