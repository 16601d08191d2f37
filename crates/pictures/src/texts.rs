//! Where the texts of a drawing are.

use resvg::usvg::{Group, Node, TextChunk};

use crate::{PictureError, drawing::parse};

/// A text of a drawing and the smallest box around its ink, in units of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct TextBox {
    /// The text.
    pub text: String,
    /// Its left edge.
    pub left: f32,
    /// Its upper edge.
    pub top: f32,
    /// Its right edge.
    pub right: f32,
    /// Its lower edge.
    pub bottom: f32,
}

/// Measures every text of an SVG as it is painted, in their order.
///
/// # Errors
///
/// Where the text is no SVG.
pub fn text_boxes(svg: &str) -> Result<Vec<TextBox>, PictureError> {
    let mut boxes = Vec::new();
    gather(parse(svg)?.root(), &mut boxes);
    Ok(boxes)
}

fn gather(group: &Group, boxes: &mut Vec<TextBox>) {
    for node in group.children() {
        match node {
            Node::Group(group) => gather(group, boxes),
            Node::Text(text) => {
                let ink = text.flattened().abs_bounding_box();
                boxes.push(TextBox {
                    text: text.chunks().iter().map(TextChunk::text).collect(),
                    left: ink.left(),
                    top: ink.top(),
                    right: ink.right(),
                    bottom: ink.bottom(),
                });
            }
            Node::Path(_) | Node::Image(_) => {}
        }
    }
}
