//! A drawing as a PNG image.

use png::{BitDepth, ColorType, Compression, Encoder};
use resvg::tiny_skia::{Color, Pixmap, PixmapPaint, Transform};

use crate::{
    PictureError,
    drawing::{parse, pixels},
};

/// How large to paint an SVG; its proportions are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// So many pixels to one unit of the SVG.
    Scale(f32),
    /// So many pixels wide.
    Width(u32),
}

/// Paints an SVG as a PNG file. What the SVG leaves bare stays transparent.
///
/// # Errors
///
/// Where the text is no SVG, or a side would have no pixel or more than
/// [`LONGEST_SIDE`](crate::LONGEST_SIDE).
pub fn png(svg: &str, size: Size) -> Result<Vec<u8>, PictureError> {
    paint(svg, size).map(encode)
}

/// Pixels of red, green and blue, a byte each, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

/// Paints an SVG as pixels on white.
///
/// # Errors
///
/// Those of [`png`](png()).
pub fn image(svg: &str, size: Size) -> Result<Image, PictureError> {
    let painted = paint(svg, size)?;
    let (width, height) = (painted.width() as usize, painted.height() as usize);
    let mut pixmap = Pixmap::new(painted.width(), painted.height()).expect("the same size again");
    pixmap.fill(Color::WHITE);
    let (paint, place) = (PixmapPaint::default(), Transform::identity());
    pixmap.draw_pixmap(0, 0, painted.as_ref(), &paint, place, None);
    let rgb = pixmap.data().chunks_exact(4).flat_map(|rgba| [rgba[0], rgba[1], rgba[2]]).collect();
    Ok(Image { width, height, rgb })
}

fn paint(svg: &str, size: Size) -> Result<Pixmap, PictureError> {
    let tree = parse(svg)?;
    let natural = (f64::from(tree.size().width()), f64::from(tree.size().height()));
    let scale = match size {
        Size::Scale(scale) => f64::from(scale),
        Size::Width(width) => f64::from(width) / natural.0,
    };
    let (width, height) = pixels(natural.0 * scale, natural.1 * scale)?;
    let mut pixmap = Pixmap::new(width, height).expect("both sides were checked");
    let stretch = |pixels: u32, natural: f64| (f64::from(pixels) / natural) as f32;
    let transform = Transform::from_scale(stretch(width, natural.0), stretch(height, natural.1));
    resvg::render(&tree, transform, &mut pixmap.as_mut());
    Ok(pixmap)
}

fn encode(pixmap: Pixmap) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, pixmap.width(), pixmap.height());
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    // The slower levels go through flate2, whose bytes depend on the backend
    // that some other crate of the build may have switched on.
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header().expect("a vector takes every byte");
    writer.write_image_data(&pixmap.take_demultiplied()).expect("a vector takes every byte");
    writer.finish().expect("a vector takes every byte");
    file
}
