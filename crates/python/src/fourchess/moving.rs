//! Games as moving pictures.

use ::fourchess::{
    Piece, Position, Rules, Square, Squares,
    drawing::{self, Drawing},
};
use pictures::Size;
use pyo3::{prelude::*, types::PyBytes};

use super::options;
use crate::{
    error::{Raise, refuse},
    strings::Strings,
};

/// Positions in FEN4 as an animated SVG, which shows each for so many seconds and then begins again.
/// It has no script, so that pages such as READMEs show it.
///
/// `fens` are those of a game in order, from `Batch.fen` or from the column `fen` of `positions`:
/// any iterable of str, or an Arrow array of strings. The squares of each move are pointed out.
/// `rules` is a preset or a dictionary of rules as for `Batch`.
///
/// >>> from everyply import fourchess
/// >>> batch, fens = fourchess.Batch(1), []
/// >>> for _ in range(20):
/// ...     fens.append(batch.fen(0))
/// ...     batch.step(batch.choose("greedy"))
/// >>> fourchess.animated_svg(fens, seconds=1)[:4]
/// '<svg'
#[pyfunction]
#[pyo3(signature = (fens, *, rules=None, seconds=0.5))]
#[pyo3(text_signature = "(fens, *, rules='ffa', seconds=0.5)")]
pub(crate) fn animated_svg(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    rules: Option<&Bound<'_, PyAny>>,
    seconds: f64,
) -> PyResult<String> {
    let drawings = drawings(fens, rules)?;
    hundredths(seconds)?;
    Ok(py.detach(|| drawing::animated_svg(&drawings, seconds)))
}

/// Positions in FEN4 as an animated GIF of 256 colours, `width` pixels wide: the bytes of a file.
///
/// The arguments are those of `animated_svg`.
///
/// >>> from everyply import fourchess
/// >>> fourchess.animated_gif([fourchess.Batch(1).fen(0)], width=74)[:6]
/// b'GIF89a'
#[pyfunction]
#[pyo3(signature = (fens, *, rules=None, seconds=0.5, width=444))]
#[pyo3(text_signature = "(fens, *, rules='ffa', seconds=0.5, width=444)")]
pub(crate) fn animated_gif<'py>(
    py: Python<'py>,
    fens: &Bound<'py, PyAny>,
    rules: Option<&Bound<'py, PyAny>>,
    seconds: f64,
    width: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let drawings = drawings(fens, rules)?;
    let delay = hundredths(seconds)?;
    let painted =
        py.detach(|| pictures::gif(drawings.iter().map(Drawing::svg), Size::Width(width), delay));
    let painted = painted.map_err(|cause| refuse(format!("width: {cause}")))?;
    Ok(PyBytes::new(py, &painted))
}

fn hundredths(seconds: f64) -> PyResult<u16> {
    match (0.02..=60.0).contains(&seconds) {
        true => Ok((seconds * 100.0).round() as u16),
        false => Err(refuse(format!("seconds: {seconds}, expected 0.02 to 60"))),
    }
}

fn drawings(fens: &Bound<'_, PyAny>, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Drawing>> {
    let rules = rules.map_or(Ok(Rules::FFA), options::rules)?;
    let strings = Strings::new(fens, "fens")?;
    let mut drawings: Vec<Drawing> = Vec::new();
    for (index, text) in strings.texts("fens")?.into_iter().enumerate() {
        let position = Position::from_fen(text, &rules);
        let position = position.map_err(|error| error.raise_at(&format!("fens[{index}]: ")))?;
        let mut drawing = Drawing::of(&position, &rules);
        if let Some(before) = drawings.last() {
            drawing.lit = moved(&before.position, &position);
        }
        drawings.push(drawing);
    }
    if drawings.is_empty() {
        return Err(refuse("fens: no position".to_owned()));
    }
    Ok(drawings)
}

/// The squares that the player who was to move has left or reached.
fn moved(before: &Position, after: &Position) -> Squares {
    let turn = before.turn();
    let own = |position: &Position, square| {
        position.piece(square).filter(|piece| piece.owner() == Some(turn)).map(Piece::role)
    };
    let has_moved = |square: &Square| {
        let (old, new) = (own(before, *square), own(after, *square));
        old != new
    };
    Square::all().filter(has_moved).collect()
}
