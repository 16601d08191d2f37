//! How a batch behaves: ends, resets, illegal actions, bad input.

use fourchess::{Ending, Game, MoveError, Position, Rules, Seat};
use fourchess_env::{
    Action, Autoreset, Batch, Config, Error, ILLEGAL_REWARD, Illegal, Outputs, Player, Reward,
};

mod shown;

const EVERYTHING: Outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };

/// Ends after 12 plies.
fn short() -> Rules {
    Rules { max_plies: 12, ..Rules::FFA }
}

fn batch(rules: &Rules, autoreset: Autoreset, illegal: Illegal) -> Batch {
    let config = Config { outputs: EVERYTHING, autoreset, illegal, ..Config::new(rules, 5) };
    Batch::new(config).unwrap()
}

fn step_randomly(batch: &mut Batch) -> Vec<u16> {
    let mut actions = vec![0; batch.len()];
    batch.choose(Player::Random, &mut actions).unwrap();
    batch.step(&actions).unwrap();
    actions
}

fn start_bytes(batch: &Batch) -> Vec<u8> {
    let mut fresh = Batch::new(batch.config().clone()).unwrap();
    fresh.reset_all(1);
    planes_of(&fresh, 0)
}

fn planes_of(batch: &Batch, game: usize) -> Vec<u8> {
    let size = batch.planes().len() / batch.len();
    batch.planes()[game * size..][..size].iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a19_the_first_position_counts_when_it_comes_again() {
    let rules = &Rules::FFA;
    let mut batch = batch(rules, Autoreset::Disabled, Illegal::Error);
    let mut twin = Game::new(rules);
    let there = ["e1-d3", "a5-c4", "e14-d12", "n5-l4"];
    let back = ["d3-e1", "c4-a5", "d12-e14", "l4-n5"];
    let mut ends = Vec::new();
    for text in [there, back, there, back].concat() {
        let mv = *twin.moves().iter().find(|mv| mv.to_string() == text).expect(text);
        let action = Action::of(mv, rules.edge(twin.position().turn())).unwrap();
        batch.step(&[action.id(); 5]).unwrap();
        twin.play(mv).unwrap();
        ends.push((twin.ending().is_some(), batch.terminated()[0]));
    }
    assert_eq!(ends[14], (false, false));
    assert_eq!(ends[15], (true, true), "the start has come for the third time");
    assert_eq!(batch.positions()[4].ending(), Some(Ending::Repetition));
}

#[test]
fn a_move_is_found_in_both_notations() {
    for rules in Rules::PRESETS {
        let mut batch = batch(rules, Autoreset::Disabled, Illegal::Lose);
        let mut twin = Game::new(rules);
        for ply in 0..120 {
            let edge = rules.edge(twin.position().turn());
            for &mv in twin.moves() {
                let action = Action::of(mv, edge).unwrap();
                for text in [mv.to_string(), twin.move_text(mv)] {
                    assert_eq!(batch.find_action(2, &text), Ok(action), "{text} at {ply}");
                }
            }
            let actions = step_randomly(&mut batch);
            let mv = Action::new(actions[2]).unwrap().move_in(twin.position(), rules);
            twin.play(mv).unwrap();
        }
        let said = |batch: &Batch, text| batch.find_action(2, text).unwrap_err().to_string();
        assert!(said(&batch, "e4").starts_with("\"e4\" is not a move"), "{}", said(&batch, "e4"));
        assert!(said(&batch, "a1-a2").contains("a1"), "{}", said(&batch, "a1-a2"));
        batch.step(&[u16::MAX; 5]).unwrap();
        assert_eq!(batch.find_action(2, "h2-h3"), Err(MoveError::Over), "lost, not played out");
    }
}

#[test]
fn c6_a_batch_that_does_not_fit_into_memory_is_refused() {
    for games in [1 << 40, usize::MAX / 2, usize::MAX] {
        let refused = Batch::new(Config::new(&Rules::FFA, games)).err();
        assert!(matches!(refused, Some(Error::TooLarge { games: found, .. }) if found == games));
    }
}

#[test]
fn next_step_shows_the_end_and_then_the_start() {
    let mut batch = batch(&short(), Autoreset::NextStep, Illegal::Error);
    for _ in 0..12 {
        assert!(!batch.truncated()[0] && !batch.terminated()[0]);
        step_randomly(&mut batch);
    }
    assert!(batch.truncated().iter().all(|&cut| cut) && !batch.terminated().contains(&true));
    assert_eq!(batch.legal_counts(), [0; 5]);
    assert_eq!(batch.positions()[3].plies(), 12);
    // Any action will do: it is ignored.
    batch.step(&[u16::MAX; 5]).unwrap();
    assert!(!batch.truncated().contains(&true));
    assert!(batch.move_valid().iter().all(|&valid| valid));
    assert_eq!(batch.rewards(), [0.0; 20]);
    assert_eq!(batch.legal_counts(), [20; 5]);
    assert_eq!(planes_of(&batch, 4), start_bytes(&batch));
}

#[test]
fn same_step_shows_the_start_and_keeps_the_end() {
    let mut batch = batch(&short(), Autoreset::SameStep, Illegal::Error);
    let mut twin = self::batch(&short(), Autoreset::NextStep, Illegal::Error);
    for _ in 0..12 {
        let actions = step_randomly(&mut batch);
        twin.step(&actions).unwrap();
        assert_eq!(batch.rewards(), twin.rewards());
        assert_eq!(batch.truncated(), twin.truncated());
    }
    assert!(batch.truncated().iter().all(|&cut| cut));
    assert_eq!(batch.legal_counts(), [20; 5]);
    assert_eq!(planes_of(&batch, 2), start_bytes(&batch));
    assert_eq!(batch.final_planes(), twin.planes());
    assert_eq!(batch.final_scalars(), twin.scalars());
    assert_eq!(batch.final_points(), twin.final_points());
    assert_eq!(batch.endings(), twin.endings());
    assert_eq!(batch.endings()[0], fourchess::Ending::PlyLimit as u8 + 1);
    step_randomly(&mut batch);
    assert!(!batch.truncated().contains(&true), "the flags are those of the last step");
    assert_eq!(batch.positions()[0].plies(), 1);
}

#[test]
fn without_autoreset_an_ended_game_waits() {
    let mut waiting = batch(&short(), Autoreset::Disabled, Illegal::Error);
    for _ in 0..12 {
        step_randomly(&mut waiting);
    }
    let before = shown::bytes(&waiting);
    assert_eq!(waiting.step(&[0; 5]), Err(Error::Ended { game: 0 }));
    assert!(shown::bytes(&waiting) == before);
    waiting.reset(&[0, 1, 2, 4], &[1, 2, 3, 4]).unwrap();
    assert_eq!(waiting.legal_counts(), [20, 20, 20, 0, 20]);
    let action = waiting.legal_of(0)[0];
    assert_eq!(waiting.step(&[action; 5]), Err(Error::Ended { game: 3 }));

    let mut patient = batch(&short(), Autoreset::Disabled, Illegal::Noop);
    for _ in 0..13 {
        step_randomly(&mut patient);
    }
    assert_eq!(patient.move_valid(), [false; 5]);
    assert_eq!(patient.truncated(), [true; 5]);
    assert_eq!(patient.rewards(), [0.0; 20]);
}

#[test]
fn an_illegal_action_is_an_error_and_changes_nothing() {
    let mut batch = batch(&Rules::FFA, Autoreset::NextStep, Illegal::Error);
    let legal: Vec<u16> = (0..5).map(|game| batch.legal_of(game)[3]).collect();
    let before = shown::bytes(&batch);
    for bad in [0, Action::COUNT as u16 - 1, Action::COUNT as u16, u16::MAX] {
        assert!(!batch.legal_of(3).contains(&bad));
        let mut actions = legal.clone();
        actions[3] = bad;
        assert_eq!(batch.step(&actions), Err(Error::IllegalAction { game: 3, action: bad }));
        assert!(shown::bytes(&batch) == before);
    }
    batch.step(&legal).unwrap();
}

#[test]
fn an_illegal_action_may_do_nothing_or_lose() {
    for (illegal, autoreset) in
        [(Illegal::Noop, Autoreset::NextStep), (Illegal::Lose, Autoreset::NextStep)]
    {
        let mut batch = batch(&Rules::FFA, autoreset, illegal);
        step_randomly(&mut batch);
        let before = batch.positions().to_vec();
        let mut actions = vec![0; 5];
        batch.choose(Player::Random, &mut actions).unwrap();
        actions[2] = u16::MAX;
        batch.step(&actions).unwrap();
        assert_eq!(batch.move_valid(), [true, true, false, true, true]);
        assert_eq!(batch.positions()[2], before[2]);
        assert_eq!(batch.positions()[1].plies(), 2);
        let lost = illegal == Illegal::Lose;
        assert_eq!(batch.terminated()[2], lost);
        assert_eq!(batch.legal_counts()[2] == 0, lost);
        let mask = &batch.legal_bytes()[2 * Action::COUNT..][..Action::COUNT];
        assert_eq!(mask, shown::byte_mask(batch.legal_of(2)));
        let mut rewards = [0.0; 4];
        if lost {
            rewards[Seat::Blue.index()] = ILLEGAL_REWARD;
            assert_eq!(batch.endings()[2], Batch::ENDED_BY_ILLEGAL_ACTION);
        }
        assert_eq!(&batch.rewards()[8..12], rewards);
    }
}

#[test]
fn arrays_of_the_wrong_length_change_nothing() {
    let mut batch = batch(&Rules::TEAMS, Autoreset::NextStep, Illegal::Lose);
    step_randomly(&mut batch);
    let before = shown::bytes(&batch);
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    assert_eq!(batch.step(&[0; 4]), length("actions", 4, 5));
    assert_eq!(batch.step(&[0; 6]), length("actions", 6, 5));
    assert_eq!(batch.choose(Player::Random, &mut []), length("actions", 0, 5));
    assert_eq!(batch.reset(&[0, 1], &[1]), length("seeds", 1, 2));
    assert_eq!(batch.reset(&[0, 5], &[1, 2]), Err(Error::NoGame { game: 5, games: 5 }));
    let fen = batch.positions()[0].fen(&Rules::TEAMS).to_string();
    assert_eq!(batch.reset_from(&[0], &[1], &[&fen, &fen]), length("positions", 2, 1));
    let error = batch.reset_from(&[0, 4], &[1, 2], &[fen.as_str(), "nonsense"]).unwrap_err();
    assert!(matches!(error, Error::Fen { game: 4, .. }), "{error}");
    assert_eq!(batch.expand_observations(&mut [0.0; 7]), length("floats", 7, 5 * 40 * 196));
    assert!(shown::bytes(&batch) == before);
}

#[test]
fn what_cannot_be_is_refused_when_a_batch_is_made() {
    let refuse = |config: Config| Batch::new(config).err().unwrap().to_string();
    assert!(refuse(Config::new(&Rules::FFA, 0)).contains("at least one game"));
    assert!(refuse(Config { threads: 0, ..Config::new(&Rules::FFA, 1) }).contains("thread"));
    let two = Rules { en_passant: fourchess::EnPassant::TwoMoves, ..Rules::FFA };
    assert!(refuse(Config::new(&two, 1)).contains("two en-passant captures"));
    let ninth = Rules { promotion_rank: 9, ..Rules::TEAMS };
    assert!(refuse(Config::new(&ninth, 1)).contains("ranks 8 and 11"));
    assert!(Batch::new(Config::new(&Rules { promotion_rank: 9, ..Rules::FFA }, 1)).is_ok());
}

#[test]
fn games_start_from_fen4_and_start_over_as_the_rules_say() {
    let mut batch = batch(&short(), Autoreset::SameStep, Illegal::Error);
    for _ in 0..5 {
        step_randomly(&mut batch);
    }
    let fen = batch.positions()[1].fen(&short()).to_string();
    let others = shown::game_bytes(&batch, 0);
    batch.reset_from(&[4, 2], &[9, 9], &[&fen, &fen]).unwrap();
    assert_eq!(shown::game_bytes(&batch, 0), others);
    assert_eq!(batch.positions()[4].fen(&short()).to_string(), fen);
    assert_eq!(batch.legal_of(4), batch.legal_of(2));
    assert_eq!(batch.current_player()[4], 1);
    assert_eq!(batch.positions()[4].plies(), 0);
    for _ in 0..12 {
        step_randomly(&mut batch);
    }
    assert_eq!(batch.positions()[4], Position::start(&short()));
}

#[test]
fn a_position_in_which_the_game_is_over_is_refused() {
    let mut batch = batch(&Rules::FFA, Autoreset::NextStep, Illegal::Error);
    let before = shown::bytes(&batch);
    let fen = "R-0,1,1,1-0,0,0,0-0,0,0,0-0,0,0,0-0-14/14/14/14/14/14/14/14/14/14/14/14/14/7,rK,6";
    assert_eq!(batch.reset_from(&[1], &[1], &[fen]), Err(Error::Over { game: 1 }));
    assert!(shown::bytes(&batch) == before);
}

#[test]
fn outcomes_add_up_to_nothing() {
    for rules in Rules::PRESETS {
        let config = Config {
            reward: Reward::Outcome,
            autoreset: Autoreset::SameStep,
            ..Config::new(rules, 64)
        };
        let mut batch = Batch::new(config).unwrap();
        let mut ends = 0;
        for _ in 0..1500 {
            step_randomly(&mut batch);
            for game in 0..64 {
                let rewards = &batch.rewards()[4 * game..][..4];
                let sum: f32 = rewards.iter().sum();
                assert!(sum.abs() < 1e-6, "{rewards:?}");
                let over = batch.terminated()[game];
                ends += usize::from(over);
                assert!(over || rewards == [0.0; 4]);
                let points = &batch.final_points()[4 * game..][..4];
                let best = points.iter().max();
                if over
                    && rules.name == "ffa"
                    && points.iter().filter(|p| Some(*p) == best).count() == 1
                {
                    let first = points.iter().position(|p| Some(p) == best).unwrap();
                    assert_eq!(rewards[first], 1.0);
                }
            }
        }
        assert!(ends > 20 || rules.max_plies > 0, "{ends} games of {} ended", rules.name);
    }
}
