//! The font of a PDF document: the glyphs that its pages use, embedded, with the text they stand
//! for.

use std::collections::BTreeMap;

use pdf_writer::{
    Content, Finish, Name, Pdf, Rect, Ref, Str,
    types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap},
};
use resvg::{
    tiny_skia::{Point, Transform},
    usvg::layout::PositionedGlyph,
};
use skrifa::{
    FontRef, GlyphId, MetadataProvider,
    instance::{LocationRef, Size},
    metrics::GlyphMetrics,
};
use subsetter::GlyphRemapper;

use crate::drawing::FONT;

/// The name of the font in content streams.
pub(super) const NAME: &[u8] = b"F";
/// The name in the file. Six letters and a plus sign mark a font with only some of its glyphs.
const BASE: &[u8] = b"EVEPLY+DejaVuSans";
const REGISTRY: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The glyphs in use.
pub(super) struct Font {
    remapper: GlyphRemapper,
    /// The text of each glyph, by its number in the embedded font.
    texts: BTreeMap<u16, String>,
    widths: GlyphMetrics<'static>,
    /// The units of an em in which the font measures.
    units: f32,
}

impl Font {
    pub(super) fn new() -> Font {
        let widths = font().glyph_metrics(Size::new(EM), LocationRef::default());
        let units = font().metrics(Size::unscaled(), LocationRef::default()).units_per_em.into();
        Font { remapper: GlyphRemapper::new(), texts: BTreeMap::new(), widths, units }
    }

    pub(super) fn is_used(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Writes glyphs one after the other. Viewers that select or search text then find it in one
    /// piece, which they would not if every glyph were placed by itself.
    pub(super) fn show(&mut self, glyphs: &[PositionedGlyph], content: &mut Content) {
        let mut rest = glyphs;
        content.begin_text().set_font(Name(NAME), 1.0);
        while let Some(first) = rest.first() {
            let start = self.em(first);
            content.set_text_matrix(super::matrix(start));
            let mut line = content.show_positioned();
            let mut items = line.items();
            let mut held: Vec<u8> = Vec::new();
            let (mut reached, mut shown) = (0.0, 0);
            for glyph in rest {
                let Some(at) = along(start, self.em(glyph)) else { break };
                if (at - reached).abs() > 0.5 {
                    items.show(Str(&held)).adjust(reached - at);
                    held.clear();
                    reached = at;
                }
                held.extend(self.number(glyph).to_be_bytes());
                reached += self.widths.advance_width(GlyphId::new(glyph.id.0)).unwrap_or(0.0);
                shown += 1;
            }
            items.show(Str(&held));
            items.finish();
            line.finish();
            // A glyph that has no place is skipped.
            rest = &rest[shown.max(1)..];
        }
        content.end_text();
    }

    /// Where a glyph is drawn if an em is one unit.
    fn em(&self, glyph: &PositionedGlyph) -> Transform {
        glyph.outline_transform().pre_scale(self.units, self.units)
    }

    /// The number of a glyph in the embedded font.
    fn number(&mut self, glyph: &PositionedGlyph) -> u16 {
        let id = u16::try_from(glyph.id.0).expect("a TrueType font has 65536 glyphs at most");
        let number = self.remapper.remap(id);
        self.texts.entry(number).or_insert_with(|| glyph.text.clone());
        number
    }

    /// Writes the font. `next` gives it further objects.
    pub(super) fn write(&self, pdf: &mut Pdf, font_ref: Ref, mut next: impl FnMut() -> Ref) {
        let [descendant, descriptor, cmap, data] = [(); 4].map(|()| next());
        pdf.type0_font(font_ref)
            .base_font(Name(BASE))
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(descendant)
            .to_unicode(cmap);
        let mut cid = pdf.cid_font(descendant);
        cid.subtype(CidFontType::Type2)
            .base_font(Name(BASE))
            .system_info(REGISTRY)
            .font_descriptor(descriptor)
            .default_width(0.0)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        let widths = self
            .remapper
            .remapped_gids()
            .map(|glyph| self.widths.advance_width(GlyphId::new(u32::from(glyph))).unwrap_or(0.0));
        cid.widths().consecutive(0, widths);
        cid.finish();
        let metrics = font().metrics(Size::new(EM), LocationRef::default());
        let bounds = metrics.bounds.unwrap_or_default();
        pdf.font_descriptor(descriptor)
            .name(Name(BASE))
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max))
            .italic_angle(0.0)
            .ascent(metrics.ascent)
            .descent(metrics.descent)
            .cap_height(metrics.cap_height.unwrap_or(metrics.ascent))
            .stem_v(80.0)
            .font_file2(data);
        let mut texts = UnicodeCmap::new(Name(b"Texts"), REGISTRY);
        for (&number, text) in &self.texts {
            texts.pair_with_multiple(number, text.chars());
        }
        pdf.cmap(cmap, &texts.finish()).name(Name(b"Texts")).system_info(REGISTRY);
        let subset = subsetter::subset(FONT, 0, &self.remapper).expect("our own font has glyphs");
        pdf.stream(data, &subset).pair(Name(b"Length1"), subset.len() as i32);
    }
}

/// Units of an em in which PDF measures glyphs.
const EM: f32 = 1000.0;

fn font() -> FontRef<'static> {
    FontRef::new(FONT).expect("our own font is one")
}

/// How far a glyph is from another along its baseline, in thousandths of an em; nothing if it is
/// not on the same line or has another size.
fn along(start: Transform, place: Transform) -> Option<f32> {
    let near = |a: f32, b: f32| (a - b).abs() <= 1e-3 * start.sx.abs().max(start.kx.abs());
    let same = near(start.sx, place.sx)
        && near(start.kx, place.kx)
        && near(start.ky, place.ky)
        && near(start.sy, place.sy);
    let mut point = Point::from_xy(place.tx, place.ty);
    start.invert()?.map_point(&mut point);
    (same && point.y.abs() < 1e-3).then_some(point.x * EM)
}
