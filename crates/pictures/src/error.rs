//! Why a drawing cannot be converted.

use thiserror::Error;

use crate::LONGEST_SIDE;

/// Why a picture could not be made.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The text is no well-formed XML.
    #[error("malformed SVG at line {line}, column {column}: {cause}")]
    Malformed {
        /// The line, counted from 1.
        line: u32,
        /// The column, counted from 1.
        column: u32,
        /// What the XML reader said.
        cause: String,
    },
    /// The text is XML, but no SVG that can be drawn.
    #[error("unusable SVG: {cause}")]
    Unusable {
        /// What the SVG reader said.
        cause: String,
    },
    /// The picture would have no pixels or too many.
    #[error("a picture of {width} x {height} pixels: each side must be 1 to {LONGEST_SIDE}")]
    Size {
        /// The width in pixels.
        width: f64,
        /// The height in pixels.
        height: f64,
    },
    /// The SVG uses something that PDF pages are not drawn with.
    #[error("{what} cannot be drawn in a PDF")]
    NotInPdf {
        /// What it uses.
        what: &'static str,
    },
    /// A GIF needs at least one picture.
    #[error("a GIF of no pictures")]
    NoFrames,
    /// Pictures of a GIF must have the same size.
    #[error(
        "a GIF of pictures of {} x {} and {} x {} pixels: all must have the same size",
        first.0, first.1, other.0, other.1
    )]
    Frames {
        /// Width and height of the first picture.
        first: (usize, usize),
        /// Those of a picture that differs.
        other: (usize, usize),
    },
    /// A PDF needs at least one page.
    #[error("a PDF of no pages")]
    NoPages,
}
