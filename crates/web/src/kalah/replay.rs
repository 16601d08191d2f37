//! A game replayed from its start: the board at every ply, seen from the first player.

use game::{Game, Score, Turn};
use kalah::{Hole, Kalah, Pit, Position, Rules, Sown, Standing};
use kalah_answers::{AnswerError, Answers};
use serde_json::{Value, json};
use solver::search::Between;

use super::searching::Found;
use crate::refusal::Refusal;

/// A game in progress. Player 0 moved first.
#[derive(Clone, Copy)]
pub(super) struct Ply {
    pub(super) position: Position,
    pub(super) mover: usize,
    pub(super) stores: [u32; 2],
}

/// A game: its rules, its plies and the pits that were sown between them.
pub(super) struct Replay {
    pub(super) kalah: Kalah,
    pub(super) plies: Vec<Ply>,
    pub(super) pits: Vec<Pit>,
}

/// The most moves of a game. Every move lowers the rank, but a long game needs no more.
const MOST_MOVES: usize = 10_000;

impl Replay {
    /// Plays moves from a start. A move that is not legal is refused by its number.
    pub(super) fn new(start: &Standing, rules: Rules, moves: &[u16]) -> Result<Replay, Refusal> {
        if moves.len() > MOST_MOVES {
            return Err(Refusal::bad(format_args!("a game has at most {MOST_MOVES} moves")));
        }
        let kalah = Kalah::from_start(start.position, rules);
        let (own, other) = start.stores.unwrap_or_default();
        let first = Ply { position: start.position, mover: 0, stores: [own, other] };
        let mut replay = Replay { kalah, plies: vec![first], pits: Vec::new() };
        for (number, &mv) in (1..).zip(moves) {
            let ply = replay.last();
            let pit = kalah.pit(mv).filter(|pit| kalah.moves(&ply.position).any(|p| p == *pit));
            let refuse = || Refusal::bad(format_args!("move {number}: pit {mv} cannot be sown"));
            let pit = pit.ok_or_else(refuse)?;
            let next = ply.after(&kalah.sow(&ply.position, pit));
            replay.plies.push(next);
            replay.pits.push(pit);
        }
        Ok(replay)
    }

    pub(super) fn last(&self) -> Ply {
        *self.plies.last().expect("a game has a start")
    }
}

impl Ply {
    fn after(&self, sown: &Sown) -> Ply {
        let mut stores = self.stores;
        stores[self.mover] += sown.gain;
        let mover = match sown.turn {
            Turn::Keeps => self.mover,
            Turn::Passes => 1 - self.mover,
        };
        Ply { position: sown.to, mover, stores }
    }

    /// The final lead of the mover, if the position has this value.
    pub(super) fn lead(&self, score: Score) -> i32 {
        self.stores[self.mover] as i32 - self.stores[1 - self.mover] as i32 + i32::from(score.0)
    }

    /// The same lead for player 0.
    pub(super) fn lead_of_first(&self, score: Score) -> i32 {
        if self.mover == 0 { self.lead(score) } else { -self.lead(score) }
    }

    fn standing(&self) -> Standing {
        let stores = (self.stores[self.mover], self.stores[1 - self.mover]);
        Standing { position: self.position, stores: Some(stores) }
    }
}

/// Where values come from.
pub(super) enum Source<'a> {
    Nowhere,
    Answers(&'a mut Answers),
    /// What searches have found so far.
    Searched(&'a Found),
}

/// What is known of a position: its value or bounds, or why there is none.
enum Known {
    Between(Between),
    Not(Option<String>),
}

impl Source<'_> {
    fn look_up(&mut self, kalah: &Kalah, position: &Position) -> Result<Known, Refusal> {
        if let Some(score) = kalah.outcome(position) {
            return Ok(Known::Between(Between::exactly(score)));
        }
        match self {
            Source::Nowhere => {
                let why = "no store is chosen, so no values are known";
                Ok(Known::Not(Some(why.to_owned())))
            }
            Source::Answers(answers) => match answers.verdict(position) {
                Ok(verdict) => Ok(Known::Between(Between::exactly(verdict.score))),
                Err(error) => unknown(error).map(|why| Known::Not(Some(why))),
            },
            Source::Searched(found) => {
                Ok(found.get(position).map_or(Known::Not(None), Known::Between))
            }
        }
    }
}

impl Ply {
    /// The least and the greatest final lead of player 0.
    fn leads_of_first(&self, between: Between) -> [i32; 2] {
        let mut leads = [between.least, between.most].map(|score| self.lead_of_first(score));
        leads.sort_unstable();
        leads
    }
}

/// The number that is left, if the bounds leave only one.
fn only([least, most]: [i32; 2]) -> Option<i32> {
    (least == most).then_some(least)
}

/// Why a position has no value, unless the store itself has failed.
fn unknown(error: AnswerError) -> Result<String, Refusal> {
    match error {
        AnswerError::Pits { .. }
        | AnswerError::Unreachable { .. }
        | AnswerError::Beyond { .. }
        | AnswerError::Unsolved(_) => Ok(error.to_string()),
        error => Err(Refusal::bad(error)),
    }
}

/// The whole game as the page shows it, with the moves of one ply.
pub(super) fn shown(replay: &Replay, source: &mut Source<'_>, at: usize) -> Result<Value, Refusal> {
    let kalah = &replay.kalah;
    let mut reason = Value::Null;
    let mut plies = Vec::with_capacity(replay.plies.len());
    let mut leads: Vec<Option<i32>> = Vec::with_capacity(replay.plies.len());
    for (number, ply) in replay.plies.iter().enumerate() {
        let over = kalah.outcome(&ply.position);
        let (lead, why) = match source.look_up(kalah, &ply.position)? {
            Known::Between(between) => {
                let leads @ [least, most] = ply.leads_of_first(between);
                let why = format!("not found in time: player 1 ends between {least} and {most}");
                (only(leads), Some(why).filter(|_| least < most))
            }
            Known::Not(why) => (None, why),
        };
        if number == at {
            reason = why.into();
        }
        leads.push(lead);
        let (own, other) = (ply.position.own().pits(), ply.position.other().pits());
        let pits = if ply.mover == 0 { [own, other] } else { [other, own] };
        plies.push(json!({
            "position": ply.standing().to_string(),
            "mover": ply.mover,
            "pits": pits,
            "stores": ply.stores,
            "lead": lead,
            "over": over.map(|_| end(ply, kalah)),
        }));
    }
    let history: Vec<Value> = (0..replay.pits.len())
        .map(|number| played(replay, number, leads[number], leads[number + 1]))
        .collect();
    Ok(json!({
        "game": kalah.name(),
        "pits": kalah.pits(),
        "seeds": kalah.seeds(),
        "rules": kalah.rules().name(),
        "ply": at,
        "plies": plies,
        "history": history,
        "moves": moves(replay, source, at)?,
        "unknown": reason,
    }))
}

/// One move of the history: who sowed which pit, what it did, and what it gave away.
fn played(replay: &Replay, number: usize, before: Option<i32>, after: Option<i32>) -> Value {
    let (ply, pit) = (&replay.plies[number], replay.pits[number]);
    let sown = replay.kalah.sow(&ply.position, pit);
    let sign = if ply.mover == 0 { 1 } else { -1 };
    let gave = before.zip(after).map(|(before, after)| sign * (before - after));
    json!({
        "player": ply.mover,
        "pit": pit.number(),
        "why": sown.why(),
        "again": sown.turn == Turn::Keeps,
        "gave": gave,
        "path": path(&replay.kalah, ply, pit),
    })
}

/// The result of a game that is over.
fn end(ply: &Ply, kalah: &Kalah) -> Value {
    let score = kalah.outcome(&ply.position).unwrap_or_default();
    let lead = ply.lead_of_first(score);
    let total = |player: usize| {
        let side = if player == ply.mover { ply.position.own() } else { ply.position.other() };
        ply.stores[player] + side.total()
    };
    let text = match lead {
        0 => "a draw".to_owned(),
        lead => format!("player {} wins by {}", if lead > 0 { 1 } else { 2 }, lead.abs()),
    };
    json!({ "lead": lead, "totals": [total(0), total(1)], "text": text })
}

/// The legal moves of a ply with their values, in the order of their pits.
fn moves(replay: &Replay, source: &mut Source<'_>, at: usize) -> Result<Vec<Value>, Refusal> {
    let (kalah, ply) = (&replay.kalah, &replay.plies[at]);
    let mut found: Vec<(Pit, Sown, Option<[i32; 2]>)> = Vec::new();
    for pit in kalah.moves(&ply.position) {
        let sown = kalah.sow(&ply.position, pit);
        let leads = match source.look_up(kalah, &sown.to)? {
            Known::Between(between) => {
                let [least, most] = ply.after(&sown).leads_of_first(between);
                Some(if ply.mover == 0 { [least, most] } else { [-most, -least] })
            }
            Known::Not(_) => None,
        };
        found.push((pit, sown, leads));
    }
    // If nothing is known of some move, nobody knows the best one.
    let leads: Option<Vec<[i32; 2]>> = found.iter().map(|(_, _, leads)| *leads).collect();
    let most = leads.and_then(|leads| leads.into_iter().map(|[_, most]| most).max());
    let best = most.filter(|most| found.iter().any(|(_, _, leads)| *leads == Some([*most; 2])));
    Ok(found
        .into_iter()
        .map(|(pit, sown, leads)| {
            let lead = leads.and_then(only);
            json!({
                "pit": pit.number(),
                "seeds": ply.position.own()[pit],
                "gain": sown.gain,
                "captured": sown.captured,
                "again": sown.turn == Turn::Keeps,
                "why": sown.why(),
                "path": path(kalah, ply, pit),
                "lead": lead,
                "words": leads.map(words),
                "best": best.is_some() && lead == best,
                "worse": lead.zip(best).map(|(lead, best)| best - lead),
            })
        })
        .collect())
}

/// The holes that the seeds of a pit fall into: the player, and the number of the pit or 0 for the
/// store.
fn path(kalah: &Kalah, ply: &Ply, pit: Pit) -> Vec<[u16; 2]> {
    let (own, other) = (ply.mover as u16, 1 - ply.mover as u16);
    let hole = |hole| match hole {
        Hole::Own(pit) => [own, pit.number()],
        Hole::Store => [own, 0],
        Hole::Other(pit) => [other, pit.number()],
    };
    kalah.path(&ply.position, pit).into_iter().map(hole).collect()
}

/// A final lead in words, for the side that moves.
fn words(leads: [i32; 2]) -> String {
    match leads {
        [least, most] if least < most => format!("ends between {least} and {most}"),
        [0, _] => "draws".to_owned(),
        [lead, _] if lead > 0 => format!("wins by {lead}"),
        [lead, _] => format!("loses by {}", -lead),
    }
}
