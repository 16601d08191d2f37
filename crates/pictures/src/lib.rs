//! Pixels out: SVG to PNG, animated GIF and PDF, the same bytes on every machine.
//!
//! ```
//! use pictures::{Size, gif, pdf, png};
//!
//! # fn main() -> Result<(), pictures::PictureError> {
//! let board = r##"<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80">
//!     <rect width="80" height="80" fill="#b58863"/>
//!     <text x="40" y="60" font-size="60" text-anchor="middle">♞</text>
//! </svg>"##;
//! let image = png(board, Size::Width(400))?;
//! assert!(image.starts_with(b"\x89PNG"));
//!
//! let moving = gif([board, board], Size::Width(100), 50)?; // half a second each
//! assert!(moving.starts_with(b"GIF89a"));
//!
//! let book = pdf(&[board, board])?; // one page each
//! assert!(book.starts_with(b"%PDF"));
//! # Ok(())
//! # }
//! ```
//!
//! [`chart`] draws numbers as such an SVG.
//!
//! Text is set in the DejaVu Sans that is embedded here (750 KB of the binary),
//! whatever family the SVG asks for, bold and italic included. Fonts of the
//! machine are never consulted, nor is any file an SVG may point to.
//!
//! In PDF, text is text: it can be selected, and the glyphs in use are embedded.
//!
//! What it does not do: draw pictures inside the SVG (`<image>`). In PDF,
//! gradients, patterns, masks, filters and blend modes are refused by name; PNG
//! and GIF know them all.

pub mod chart;
mod drawing;
mod error;
mod gif;
mod pdf;
mod png;
mod texts;

pub use error::PictureError;
pub use gif::gif;
pub use pdf::pdf;
pub use png::{Image, Size, image, png};
pub use texts::{TextBox, text_boxes};

/// The longest side a picture may have, in pixels. A square of that size takes
/// 256 MiB to paint.
pub const LONGEST_SIDE: u32 = 8192;
