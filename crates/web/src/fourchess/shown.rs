//! Positions, plies and games as the page shows them.

use ::fourchess::{
    Edge, Game, Position, Role, Rules, Seat, Sides, Status,
    pgn::{Line, Ply, Record},
};
use serde_json::{Map, Value, json};

use super::{
    line::{self, MOST_PLIES, Played},
    words,
};
use crate::refusal::Refusal;

/// Whether legal moves are shown with each position of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moves {
    Listed,
    Omitted,
}

/// The rules as the page needs them: in words, and which seat sits where.
pub(crate) fn rules(rules: &Rules) -> Value {
    let edges = Seat::ALL.map(|seat| match rules.edge(seat) {
        Edge::South => "south",
        Edge::West => "west",
        Edge::North => "north",
        Edge::East => "east",
    });
    json!({
        "words": rules.words(),
        "name": rules.name,
        "title": words::preset(rules),
        "setup": rules.setup.name(),
        "edges": edges,
        "pairs": rules.sides == Sides::Pairs,
        "sentences": words::sentences(rules),
    })
}

/// A position: the board, the seats, whose turn it is, who is in check, how the game ended.
pub(crate) fn state(game: &Game) -> Map<String, Value> {
    let (position, rules) = (game.position(), game.rules());
    let ending = game.ending();
    let turn = ending.is_none().then(|| position.turn().name());
    let state = json!({
        "fen4": position.fen(rules).to_string(),
        "turn": turn,
        "points": position.points(),
        "status": Seat::ALL.map(|seat| status(position.status(seat))),
        "places": game.places(),
        "checks": checks(position, rules),
        "quiet": position.quiet(),
        "ending": ending.map(|ending| json!({ "name": ending.name(), "says": ending.sentence() })),
    });
    match state {
        Value::Object(state) => state,
        _ => unreachable!("it is written as an object"),
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Active => "plays",
        Status::Walking => "walks",
        Status::Out => "out",
    }
}

/// The kings in check, and by which pieces.
fn checks(position: &Position, rules: &Rules) -> Vec<Value> {
    let kings = Seat::ALL.into_iter().filter_map(|seat| Some((seat, position.king(seat)?)));
    kings
        .filter_map(|(seat, king)| {
            let by: Vec<String> = position
                .attackers(king, seat, rules)
                .into_iter()
                .map(|at| at.to_string())
                .collect();
            let check = json!({ "seat": seat.name(), "king": king.to_string(), "by": by });
            (!by.is_empty()).then_some(check)
        })
        .collect()
}

/// The legal moves, by the square they start from.
pub(crate) fn moves(game: &Game) -> Value {
    let mut from = Map::new();
    for &mv in game.moves() {
        let mut shown = json!({
            "to": mv.to.to_string(),
            "text": game.move_text(mv),
            "code": line::encode(Ply::Move(mv)),
        });
        if let Some(role) = mv.promotion {
            shown["promotion"] = role.name().into();
        }
        let list = from.entry(mv.from.to_string()).or_insert_with(|| json!([]));
        list.as_array_mut().expect("each entry is a list").push(shown);
    }
    from.into()
}

/// A position with its legal moves.
pub(crate) fn position(game: &Game) -> Value {
    let mut shown = state(game);
    shown.insert("moves".to_owned(), moves(game));
    shown.into()
}

/// A ply that is possible in a game: who, what, what follows, and the position behind it.
pub(crate) fn ply(game: &Game, ply: Ply) -> Value {
    let mut after = game.clone();
    let could = after.apply(ply);
    assert!(could, "the ply was found in the game");
    let mut shown = what(game, ply);
    shown.extend(state(&after));
    shown.into()
}

/// A ply without the position behind it.
pub(crate) fn what(game: &Game, ply: Ply) -> Map<String, Value> {
    let says: Vec<String> = game.consequences(ply).iter().map(ToString::to_string).collect();
    let mut shown = Map::new();
    let mut set = |name: &str, value: Value| shown.insert(name.to_owned(), value);
    match ply {
        Ply::Move(mv) => {
            let piece = game.position().piece(mv.from).map(|piece| piece.role().name());
            set("seat", game.position().turn().name().into());
            set("text", game.move_text(mv).into());
            set("piece", piece.into());
            set("from", mv.from.to_string().into());
            set("to", mv.to.to_string().into());
            if let Some(promotion) = mv.promotion.map(Role::name) {
                set("promotion", promotion.into());
            }
        }
        Ply::Leave { seat, exit } => {
            set("seat", seat.name().into());
            set("text", exit.letter().to_string().into());
        }
    }
    set("code", line::encode(ply).into());
    set("says", says.into());
    shown
}

/// A game that was played on the page.
pub(crate) fn played(played: &Played) -> Value {
    let mut game = Game::from_position(played.start, &played.rules);
    let start = state(&game);
    let mut plies = Vec::new();
    for &next in &played.plies {
        plies.push(ply(&game, next));
        game.apply(next);
    }
    json!({
        "rules": rules(&played.rules),
        "fen4": unless_standard(&played.start, &played.rules),
        "start": start,
        "plies": plies,
        "tags": [],
        "comment": "",
    })
}

/// The FEN4 of a start, empty where it is that of the rules.
fn unless_standard(start: &Position, rules: &Rules) -> String {
    if *start == Position::start(rules) { String::new() } else { start.fen(rules).to_string() }
}

/// A game that was read, with its tags, comments and variations.
pub(crate) fn recorded(record: &Record, listed: Moves) -> Result<Value, Refusal> {
    if record.line().nodes.len() > MOST_PLIES {
        return Err(line::too_long());
    }
    let mut game = Game::from_position(*record.start(), record.rules());
    let mut start = state(&game);
    if listed == Moves::Listed {
        start.insert("moves".to_owned(), moves(&game));
    }
    let mut plies = Vec::new();
    let mut codes = String::new();
    for node in &record.line().nodes {
        let mut shown = ply(&game, node.ply);
        let other = variations(&game, &codes, &node.variations);
        game.apply(node.ply);
        codes += &line::encode(node.ply);
        if !node.comment.is_empty() {
            shown["comment"] = node.comment.as_str().into();
        }
        if !other.is_empty() {
            shown["variations"] = other.into();
        }
        if listed == Moves::Listed {
            shown["moves"] = moves(&game);
        }
        plies.push(shown);
    }
    let tags: Vec<[&str; 2]> = record.tags.iter().map(|(name, value)| [name, value]).collect();
    Ok(json!({
        "rules": rules(record.rules()),
        "fen4": unless_standard(record.start(), record.rules()),
        "start": start,
        "plies": plies,
        "tags": tags,
        "comment": record.line().comment,
    }))
}

/// What could have happened instead: its text, and the line that leads through it.
fn variations(game: &Game, before: &str, variations: &[Line]) -> Vec<Value> {
    let one = |variation: &Line| {
        let mut game = game.clone();
        let (mut texts, mut codes) = (Vec::new(), before.to_owned());
        for node in &variation.nodes {
            texts.push(match node.ply {
                Ply::Move(mv) => game.move_text(mv),
                Ply::Leave { .. } => node.ply.to_string(),
            });
            game.apply(node.ply);
            codes += &line::encode(node.ply);
        }
        json!({ "text": texts.join(" "), "comment": variation.comment, "line": codes })
    };
    variations.iter().map(one).collect()
}
