//! Moves in a row: positions after them, repetitions, and how games end.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, AsArray, Int64Array, StringArray},
    datatypes::Int64Type,
};
use chess::{Ending, Game, Position, find_move, typed_moves};

use super::{
    Call, FunctionError, Gives, Parameter, Scalar, Takes,
    chess::{at, illegal, texts, try_texts},
    may_take, takes,
};

/// A position and moves from it.
const MOVES: &[Parameter] = &[takes("fen", Takes::Text), takes("moves", Takes::Words)];

pub(super) const FUNCTIONS: &[Scalar] = &[
    Scalar {
        name: "chess_play",
        takes: MOVES,
        gives: Gives::Text,
        says: "The position after moves in SAN or UCI notation: text, or a list of text. Text may \
               be movetext of PGN; numbers, comments, variations, annotations and the result are \
               ignored.",
        example: "chess_play('start', '1. e4 {best by test} e5 2. Nf3 *')",
        work: |call| texts(call, write_played),
    },
    Scalar {
        name: "try_chess_play",
        takes: MOVES,
        gives: Gives::Text,
        says: "As chess_play, but NULL if the position or a move is not legal.",
        example: "try_chess_play('start', 'e4 e4')",
        work: |call| try_texts(call, write_played),
    },
    Scalar {
        name: "chess_ending",
        takes: MOVES,
        gives: Gives::Text,
        says: "How the rules end a game after moves: checkmate, stalemate, insufficient_material, \
               seventy_five_moves or fivefold_repetition; NULL if they do not.",
        example: "chess_ending('start', 'f3 e5 g4 Qh4')",
        work: ending,
    },
    Scalar {
        name: "chess_repetitions",
        takes: MOVES,
        gives: Gives::Count,
        says: "How often the position after moves has occurred, this time included.",
        example: "chess_repetitions('start', 'Nf3 Nf6 Ng1 Ng8')",
        work: |call| counts(call, |game, _| Some(game.repetitions() as i64)),
    },
    Scalar {
        name: "chess_repetition_ply",
        takes: &[
            takes("fen", Takes::Text),
            takes("moves", Takes::Words),
            may_take("times", Takes::Small),
        ],
        gives: Gives::Count,
        says: "The first ply after which a position has occurred so many times, 3 by default, so \
               that a draw can be claimed; NULL if none has.",
        example: "chess_repetition_ply('start', 'Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8')",
        work: |call| counts(call, repetition_ply),
    },
    Scalar {
        name: "chess_fifty_ply",
        takes: MOVES,
        gives: Gives::Count,
        says: "The first ply after which a draw can be claimed by the fifty-move rule; NULL if \
               there is none.",
        example: "chess_fifty_ply('4k3/8/8/8/8/8/8/R3K3 w - - 98 80', 'Ra2 Kd7')",
        work: |call| {
            counts(call, |game, _| {
                let claims = |position: &Position| position.halfmoves() >= 100;
                game.positions().iter().position(claims).map(|ply| ply as i64)
            })
        },
    },
];

fn write_played(
    call: &Call<'_>,
    row: usize,
    position: &Position,
    out: &mut String,
) -> Result<(), FunctionError> {
    let mut position = *position;
    for word in typed_moves(&call.words(1, row)) {
        let mv = find_move(&position, word)
            .map_err(|cause| illegal(call, &position.to_string(), &cause.to_string()))?;
        position = position.play(mv);
    }
    position.write_fen(out);
    Ok(())
}

/// The game of a row.
fn played(call: &Call<'_>, row: usize) -> Result<Game, FunctionError> {
    let mut game = Game::new(at(call, row)?);
    for word in typed_moves(&call.words(1, row)) {
        let wrong = |cause: String| illegal(call, &game.position().to_string(), &cause);
        let mv = find_move(game.position(), word).map_err(|cause| wrong(cause.to_string()))?;
        game.play(mv).expect("a move that was found is legal");
    }
    Ok(game)
}

fn ending(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let found: Vec<Option<Option<Ending>>> = call.each(|row| Ok(played(call, row)?.ending()))?;
    let names = found.into_iter().map(|ending| ending.flatten().map(Ending::name));
    Ok(Arc::new(names.collect::<StringArray>()))
}

/// A number of each game, given how many times are asked for.
fn counts(
    call: &Call<'_>,
    count: fn(&Game, usize) -> Option<i64>,
) -> Result<ArrayRef, FunctionError> {
    let found: Vec<Option<Option<i64>>> = call.each(|row| {
        let times = match call.columns.get(2) {
            Some(times) => times.as_primitive::<Int64Type>().value(row),
            None => 3,
        };
        let times = usize::try_from(times).ok().filter(|times| (1..=255).contains(times));
        let times = times.ok_or_else(|| FunctionError::Value {
            function: call.function,
            found: call.columns[2].as_primitive::<Int64Type>().value(row).to_string(),
            expected: "number of times, expected 1 to 255",
        })?;
        Ok(count(&played(call, row)?, times))
    })?;
    Ok(Arc::new(found.into_iter().map(Option::flatten).collect::<Int64Array>()))
}

fn repetition_ply(game: &Game, times: usize) -> Option<i64> {
    let positions = game.positions();
    let repeats = |ply: &usize| chess::repetitions(&positions[..=*ply]) >= times;
    (0..positions.len()).find(repeats).map(|ply| ply as i64)
}
