//! A parsed SVG document.

use std::sync::{Arc, LazyLock};

use resvg::usvg::{self, ImageHrefResolver, Options, Tree, fontdb::Database, roxmltree};

use crate::{LONGEST_SIDE, PictureError};

/// Reads an SVG; everything it may refer to is inside the text or this crate.
pub(crate) fn parse(svg: &str) -> Result<Tree, PictureError> {
    let options = Options {
        font_family: FAMILY.to_owned(),
        fontdb: FONTS.clone(),
        // Neither files nor embedded images: the same text must give the same
        // picture everywhere, and no image decoder is compiled in.
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| match error {
        usvg::Error::ParsingFailed(roxmltree::Error::NoRootNode) => {
            PictureError::Unusable { cause: "the root is not an svg element".to_owned() }
        }
        usvg::Error::ParsingFailed(cause) => PictureError::Malformed {
            line: cause.pos().row,
            column: cause.pos().col,
            cause: cause.to_string(),
        },
        other => PictureError::Unusable { cause: other.to_string() },
    })
}

/// Rounds a size to whole pixels, if a picture may have it.
pub(crate) fn pixels(width: f64, height: f64) -> Result<(u32, u32), PictureError> {
    let side = |length: f64| {
        let length = length.round();
        (1.0..=f64::from(LONGEST_SIDE)).contains(&length).then_some(length as u32)
    };
    side(width).zip(side(height)).ok_or(PictureError::Size { width, height })
}

const FAMILY: &str = "DejaVu Sans";
pub(crate) const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    // A family that is not there falls back to serif, so all roads lead here.
    fonts.set_serif_family(FAMILY);
    fonts.set_sans_serif_family(FAMILY);
    fonts.set_monospace_family(FAMILY);
    fonts.set_cursive_family(FAMILY);
    fonts.set_fantasy_family(FAMILY);
    Arc::new(fonts)
});
