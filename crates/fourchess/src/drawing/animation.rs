//! Games as animated SVG, without any script.

use std::fmt::Write;

use super::Drawing;
use crate::{
    game::Game,
    pgn::{Ply, Record},
    seat::Seat,
    square::WIDTH,
};

/// The drawings of a game: its start, and the board after each ply with its move pointed out.
///
/// ```
/// use fourchess::{drawing::{animated_svg, frames}, pgn::Reader};
///
/// let game = Reader::new("1. h2-h3 .. b7-c7".as_bytes()).next().unwrap()?;
/// let frames = frames(&game);
/// assert_eq!(frames.len(), 3);
/// assert!(animated_svg(&frames, 0.5).contains("<animate "));
/// # Ok::<(), fourchess::pgn::PgnError>(())
/// ```
pub fn frames(record: &Record) -> Vec<Drawing> {
    let mut game = Game::from_position(*record.start(), record.rules());
    let mut frames = vec![Drawing::of(game.position(), record.rules())];
    for ply in record.plies() {
        game.apply(ply);
        let drawing = Drawing::of(game.position(), record.rules());
        frames.push(match ply {
            Ply::Move(mv) => drawing.after(mv),
            Ply::Leave { .. } => drawing,
        });
    }
    frames
}

/// Drawings as one SVG that shows each for so many seconds, the last one longer, and then begins
/// again. All of them must be seen from the same edge.
///
/// A square or a player is drawn once for each way it looks, and shown while it looks like that.
/// Where SVG is not animated, the last drawing is shown.
///
/// # Panics
///
/// If there are no drawings.
pub fn animated_svg(frames: &[Drawing], seconds: f64) -> String {
    let (first, others) = frames.split_first().expect("an animation has a drawing");
    assert!(others.iter().all(|frame| frame.viewpoint == first.viewpoint), "one viewpoint");
    let time = Time { frames: frames.len(), seconds };
    let mut svg = String::new();
    first.write_ground(&mut svg);
    for (column, row) in (0..WIDTH).flat_map(|row| (0..WIDTH).map(move |column| (column, row))) {
        if let Some(square) = first.square(column, row) {
            time.write(&mut svg, frames, |frame, svg| {
                frame.write_square(svg, square, Drawing::place(column, row));
            });
        }
    }
    for seat in Seat::ALL {
        time.write(&mut svg, frames, |frame, svg| frame.write_player(svg, seat));
    }
    svg.push_str("</svg>\n");
    svg
}

/// When frames are shown.
struct Time {
    frames: usize,
    seconds: f64,
}

/// The last drawing is shown so many times as long as the others.
const LAST: usize = 4;

impl Time {
    /// Writes one part of all frames: every look that it has, with the frames that have it.
    fn write(&self, svg: &mut String, frames: &[Drawing], part: impl Fn(&Drawing, &mut String)) {
        let mut looks: Vec<(String, Vec<bool>)> = Vec::new();
        for (at, frame) in frames.iter().enumerate() {
            let mut text = String::new();
            part(frame, &mut text);
            let known = looks.iter().position(|look| look.0 == text);
            let look = known.unwrap_or_else(|| {
                looks.push((text, vec![false; self.frames]));
                looks.len() - 1
            });
            looks[look].1[at] = true;
        }
        if let [(text, _)] = &looks[..] {
            svg.push_str(text);
            return;
        }
        for (text, shown) in &looks {
            let is_last = shown.last() == Some(&true);
            let still = if is_last { "" } else { " visibility=\"hidden\"" };
            let _ = write!(svg, "<g{still}>\n{text}");
            self.write_times(svg, shown);
            svg.push_str("</g>\n");
        }
    }

    /// Says when something is shown: a value for each change.
    fn write_times(&self, svg: &mut String, shown: &[bool]) {
        let all = (self.frames - 1 + LAST) as f64;
        let is_change = |at: &usize| *at == 0 || shown[*at] != shown[at - 1];
        let changes: Vec<usize> = (0..shown.len()).filter(is_change).collect();
        let values: Vec<&str> =
            changes.iter().map(|&at| if shown[at] { "visible" } else { "hidden" }).collect();
        let times: Vec<String> =
            changes.iter().map(|&at| format!("{:.5}", at as f64 / all)).collect();
        let _ = writeln!(
            svg,
            "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{:.2}s\" \
             repeatCount=\"indefinite\" values=\"{}\" keyTimes=\"{}\"/>",
            all * self.seconds,
            values.join(";"),
            times.join(";")
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::Reader;

    const GAME: &str = "[Rules \"ffa departure=all_die\"]\n\n1. h2-h4 .. b7-c7 .. g13-g12 .. m8-l8\n2. Qg1-j4 .. c7-d7 .. R .. l8-k8";

    /// What is shown of an animation at a frame: all that is still, or visible then.
    fn still(svg: &str, at: usize, all: usize) -> String {
        let time = at as f64 / (all - 1 + LAST) as f64 + 1e-4;
        let mut text = String::new();
        let mut group: Option<String> = None;
        for line in svg.lines() {
            match &mut group {
                None if line.starts_with("<g>") || line.starts_with("<g visibility") => {
                    group = Some(String::new());
                }
                None => text += &format!("{line}\n"),
                Some(inner) if line.starts_with("<animate ") => {
                    let list = |name: &str| {
                        let rest = line.split(&format!("{name}=\"")).nth(1).unwrap();
                        rest.split('"').next().unwrap().split(';').collect::<Vec<_>>()
                    };
                    let times = list("keyTimes");
                    let last = times.iter().rposition(|at| at.parse::<f64>().unwrap() <= time);
                    if list("values")[last.unwrap()] == "visible" {
                        text += inner;
                    }
                    inner.clear();
                }
                Some(_) if line == "</g>" => group = None,
                Some(inner) => *inner += &format!("{line}\n"),
            }
        }
        text
    }

    #[test]
    fn an_animation_shows_every_drawing_in_its_turn() {
        let game = Reader::new(GAME.as_bytes()).next().unwrap().unwrap();
        let frames = frames(&game);
        assert_eq!(frames.len(), 9);
        let svg = animated_svg(&frames, 0.5);
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        for (at, frame) in frames.iter().enumerate() {
            assert_eq!(sorted(&still(&svg, at, frames.len())), sorted(&frame.svg()), "frame {at}");
        }
        assert!(svg.contains("dur=\"6.00s\""), "eight frames, and four times the last");
        assert_eq!(animated_svg(&frames[..1], 1.0), frames[0].svg(), "nothing moves");
    }
}
