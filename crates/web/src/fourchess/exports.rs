//! Games as PGN4 and as moving pictures.

use ::fourchess::{
    Seat,
    drawing::{Drawing, animated_svg, frames},
};
use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use pictures::Size;
use serde::Deserialize;

use super::{line::Named, players::record};
use crate::refusal::Refusal;

/// Tags that follow from the game itself.
const OWN: [&str; 6] = ["Variant", "RuleVariants", "Rules", "StartFen4", "Result", "Termination"];
/// Tags of a game, and the letters of one.
const MOST_TAGS: usize = 200;
/// Positions of a GIF, each of which is painted.
const MOST_PAINTED: usize = 400;

/// A game that is to be written down.
#[derive(Deserialize)]
pub(crate) struct Written {
    #[serde(flatten)]
    named: Named,
    /// Names and values, those of the players among them.
    #[serde(default)]
    tags: Vec<(String, String)>,
    /// Plies by their numbers from 0, and what is said about them.
    #[serde(default)]
    comments: Vec<(usize, String)>,
}

impl Written {
    /// The PGN4 of the game.
    pub(crate) fn text(&self) -> Result<String, Refusal> {
        if self.tags.len() > MOST_TAGS {
            return Err(Refusal::bad(format_args!("a game may have {MOST_TAGS} tags")));
        }
        let mut record = record(&self.named.play()?)?;
        let tag = |name: &str| self.tags.iter().find(|tag| tag.0 == name).map(|tag| &*tag.1);
        let names = Seat::ALL.map(|seat| seat.to_string());
        record.name_players(std::array::from_fn(|seat| tag(&names[seat]).unwrap_or(&names[seat])));
        for (name, value) in &self.tags {
            if !OWN.contains(&&**name) && !names.contains(name) {
                record.tags.set(name, value);
            }
        }
        for (ply, comment) in &self.comments {
            record.set_comment(*ply, comment);
        }
        Ok(record.to_string())
    }
}

/// A game that is to be drawn.
#[derive(Deserialize)]
pub(crate) struct Moving {
    #[serde(flatten)]
    named: Named,
    /// The seat at the bottom.
    view: Option<String>,
    /// `svg` or `gif`.
    format: String,
    /// How long each position is shown.
    seconds: Option<f64>,
}

impl Moving {
    /// The picture and its type.
    pub(crate) fn draw(&self) -> Result<Response, Refusal> {
        let played = self.named.play()?;
        let mut drawings = frames(&record(&played)?);
        if let Some(view) = &self.view {
            let edge = played.rules.edge(seat(view)?);
            drawings.iter_mut().for_each(|drawing| drawing.viewpoint = edge);
        }
        let seconds = self.seconds.unwrap_or(0.5);
        if !(0.02..=60.0).contains(&seconds) {
            return Err(Refusal::bad("a position is shown for 0.02 to 60 seconds"));
        }
        match &*self.format {
            "svg" => {
                let kind = (header::CONTENT_TYPE, "image/svg+xml");
                Ok(([kind], animated_svg(&drawings, seconds)).into_response())
            }
            "gif" if drawings.len() > MOST_PAINTED => Err(Refusal::bad(format_args!(
                "a GIF may have {MOST_PAINTED} positions, and this game has {}: take SVG, or \
                 everyply fourchess animate",
                drawings.len()
            ))),
            "gif" => {
                let svgs = drawings.iter().map(Drawing::svg);
                let delay = (seconds * 100.0).round() as u16;
                let gif = pictures::gif(svgs, Size::Width(444), delay).map_err(Refusal::bad)?;
                Ok(([(header::CONTENT_TYPE, "image/gif")], gif).into_response())
            }
            other => Err(Refusal::bad(format_args!("{other:?} is not a picture: take svg or gif"))),
        }
    }
}

/// The seat with a name.
pub(crate) fn seat(name: &str) -> Result<Seat, Refusal> {
    let found = Seat::ALL.into_iter().find(|seat| seat.name() == name);
    found.ok_or_else(|| Refusal::bad(format_args!("{name:?} is not red, blue, yellow or green")))
}
