//! Drawings as an animated GIF.

use std::collections::HashMap;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::{PictureError, Size, image};

/// Paints SVGs as an animated GIF that begins again after its end. Each SVG is shown for so many
/// hundredths of a second, the last one four times as long. All must have the same proportions.
///
/// A GIF has 256 colours at most. If there are more, the 192 that most pixels have are exact, and
/// the others become the nearest of these and of 64 evenly spaced ones: flat areas keep their
/// colour, and only soft edges change a little.
///
/// # Errors
///
/// Those of [`png`](crate::png()), and if there is no SVG or they have different sizes.
pub fn gif<S: AsRef<str>>(
    svgs: impl IntoIterator<Item = S>,
    size: Size,
    delay: u16,
) -> Result<Vec<u8>, PictureError> {
    let mut pictures = Vec::new();
    let mut colors = Colors::default();
    for svg in svgs {
        let image = image(svg.as_ref(), size)?;
        let sides = (image.width, image.height);
        let first = pictures.first().map_or(sides, |first: &Picture| first.sides);
        if sides != first {
            return Err(PictureError::Frames { first, other: sides });
        }
        let pixels = image.rgb.as_chunks().0.iter().map(|&color| colors.index(color)).collect();
        pictures.push(Picture { sides, pixels });
    }
    let Some(last) = pictures.len().checked_sub(1) else { return Err(PictureError::NoFrames) };
    let (palette, places) = colors.palette();
    let (width, height) = pictures[0].sides;
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width as u16, height as u16, &palette)
        .expect("a vector takes every byte");
    encoder.set_repeat(Repeat::Infinite).expect("a vector takes every byte");
    for at in 0..=last {
        let before = at.checked_sub(1).map(|at| &pictures[at]);
        let delay = if at == last { delay.saturating_mul(4) } else { delay };
        let frame = pictures[at].frame(before, &places, delay);
        encoder.write_frame(&frame).expect("a vector takes every byte");
    }
    drop(encoder);
    Ok(file)
}

/// Pixels by the numbers of their colours.
struct Picture {
    sides: (usize, usize),
    pixels: Vec<u32>,
}

impl Picture {
    /// What has changed since the picture before.
    fn frame(&self, before: Option<&Picture>, places: &[u8], delay: u16) -> Frame<'static> {
        let (width, height) = self.sides;
        let has_changed = |at: usize| before.is_none_or(|old| old.pixels[at] != self.pixels[at]);
        let rows: Vec<usize> =
            (0..height).filter(|row| (0..width).any(|x| has_changed(row * width + x))).collect();
        let columns: Vec<usize> =
            (0..width).filter(|x| (0..height).any(|row| has_changed(row * width + x))).collect();
        // Where nothing has changed, one pixel still takes its time.
        let span = |all: &[usize]| match (all.first(), all.last()) {
            (Some(first), Some(last)) => (*first, last + 1 - first),
            _ => (0, 1),
        };
        let ((top, tall), (left, wide)) = (span(&rows), span(&columns));
        let row = |y: usize| &self.pixels[y * width + left..][..wide];
        let buffer: Vec<u8> = (top..top + tall)
            .flat_map(|y| row(y).iter().map(|&color| places[color as usize]))
            .collect();
        Frame {
            delay,
            dispose: DisposalMethod::Keep,
            top: top as u16,
            left: left as u16,
            width: wide as u16,
            height: tall as u16,
            buffer: buffer.into(),
            ..Frame::default()
        }
    }
}

/// Colours with their numbers, and how many pixels have them.
#[derive(Default)]
struct Colors {
    numbers: HashMap<[u8; 3], u32>,
    counts: Vec<([u8; 3], u64)>,
}

impl Colors {
    fn index(&mut self, color: [u8; 3]) -> u32 {
        let next = self.counts.len() as u32;
        let number = *self.numbers.entry(color).or_insert(next);
        if number == next {
            self.counts.push((color, 0));
        }
        self.counts[number as usize].1 += 1;
        number
    }

    /// The colours of the GIF as bytes, and for each colour which of them it becomes.
    fn palette(&self) -> (Vec<u8>, Vec<u8>) {
        let mut counts = self.counts.clone();
        counts.sort_unstable_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
        let mut kept: Vec<[u8; 3]> = counts.iter().map(|entry| entry.0).collect();
        if kept.len() > 256 {
            kept.truncate(192);
            let shade = |place: u8| place % 4 * 85;
            kept.extend((0..64).map(|at| [shade(at / 16), shade(at / 4), shade(at)]));
        }
        let nearest = |color: [u8; 3]| {
            let distance = |at: &usize| -> u32 {
                let other = kept[*at];
                (0..3).map(|band| u32::from(color[band].abs_diff(other[band])).pow(2)).sum()
            };
            (0..kept.len()).min_by_key(distance).expect("there is a colour") as u8
        };
        let places = self.counts.iter().map(|&(color, _)| nearest(color)).collect();
        (kept.as_flattened().to_vec(), places)
    }
}
