//! Drawings as pages of a PDF document.

mod font;

use std::collections::BTreeMap;

use pdf_writer::{
    Content, Finish, Name, Pdf, Rect, Ref,
    types::{LineCapStyle, LineJoinStyle},
    writers::Resources,
};
use resvg::{
    tiny_skia::{Path as Outline, PathSegment, Point, Transform},
    usvg::{
        BlendMode, ClipPath, Fill, FillRule, Group, LineCap, LineJoin, Node, Paint, PaintOrder,
        Path, Stroke, Text, Tree,
    },
};

use self::font::Font;

use crate::{
    PictureError,
    drawing::{parse, pixels},
};

/// Draws each SVG on a page of its own size, as vectors. Text can be selected and searched.
///
/// # Errors
///
/// Where a text is no SVG, has no usable size, uses what PDF pages are not
/// drawn with here, or there is no page at all.
pub fn pdf(pages: &[&str]) -> Result<Vec<u8>, PictureError> {
    if pages.is_empty() {
        return Err(PictureError::NoPages);
    }
    let mut book = Book::new();
    for svg in pages {
        book.add_page(&parse(svg)?)?;
    }
    Ok(book.finish())
}

/// A unit of SVG is a 96th of an inch, one of PDF a 72nd.
const POINTS_PER_UNIT: f32 = 72.0 / 96.0;

/// One resource dictionary serves all pages.
struct Book {
    pdf: Pdf,
    last: Ref,
    tree: Ref,
    resources: Ref,
    pages: Vec<Ref>,
    /// Graphics states by the opacity they set, in thousandths.
    opacities: BTreeMap<u16, Ref>,
    /// Groups that are painted as one.
    layers: Vec<Ref>,
    font: Font,
}

impl Book {
    fn new() -> Self {
        let mut pdf = Pdf::new();
        let [catalog, tree, resources] = [1, 2, 3].map(Ref::new);
        pdf.catalog(catalog).pages(tree);
        Book {
            pdf,
            last: resources,
            tree,
            resources,
            pages: Vec::new(),
            opacities: BTreeMap::new(),
            layers: Vec::new(),
            font: Font::new(),
        }
    }

    fn next(&mut self) -> Ref {
        self.last.bump();
        self.last
    }

    fn add_page(&mut self, tree: &Tree) -> Result<(), PictureError> {
        let (width, height) = (tree.size().width(), tree.size().height());
        pixels(width.into(), height.into())?;
        let (width, height) = (width * POINTS_PER_UNIT, height * POINTS_PER_UNIT);
        let mut content = Content::new();
        // PDF counts upwards from the bottom.
        content.transform([POINTS_PER_UNIT, 0.0, 0.0, -POINTS_PER_UNIT, 0.0, height]);
        self.draw_group(tree.root(), &mut content)?;

        let (page, stream) = (self.next(), self.next());
        self.pdf.stream(stream, &content.finish());
        let mut writer = self.pdf.page(page);
        writer.media_box(Rect::new(0.0, 0.0, width, height)).parent(self.tree).contents(stream);
        writer.pair(Name(b"Resources"), self.resources);
        writer.finish();
        self.pages.push(page);
        Ok(())
    }

    fn draw_group(&mut self, group: &Group, content: &mut Content) -> Result<(), PictureError> {
        refuse(group.mask().is_some(), "a mask")?;
        refuse(!group.filters().is_empty(), "a filter")?;
        refuse(group.blend_mode() != BlendMode::Normal, "a blend mode")?;
        content.save_state();
        content.transform(matrix(group.transform()));
        if let Some(clip) = group.clip_path() {
            clip_to(clip, content)?;
        }
        if group.opacity().get() < 1.0 {
            let mut inside = Content::new();
            self.draw_nodes(group, &mut inside)?;
            let layer = self.layer(group, inside);
            self.set_opacity(group.opacity().get(), content);
            content.x_object(Name(layer.as_bytes()));
        } else {
            self.draw_nodes(group, content)?;
        }
        content.restore_state();
        Ok(())
    }

    fn draw_nodes(&mut self, group: &Group, content: &mut Content) -> Result<(), PictureError> {
        for node in group.children() {
            match node {
                Node::Group(group) => self.draw_group(group, content)?,
                Node::Path(path) => self.draw_path(path, content)?,
                Node::Text(text) => self.draw_text(text, content)?,
                Node::Image(_) => refuse(true, "an image")?,
            }
        }
        Ok(())
    }

    /// Writes text with the embedded font. Text with a contour or a line under it is drawn as
    /// outlines.
    fn draw_text(&mut self, text: &Text, content: &mut Content) -> Result<(), PictureError> {
        let is_plain = text.layouted().iter().all(|span| {
            let lines = [&span.underline, &span.overline, &span.line_through];
            span.stroke.is_none() && lines.into_iter().all(Option::is_none)
        });
        if !is_plain {
            return self.draw_group(text.flattened(), content);
        }
        for span in text.layouted().iter().filter(|span| span.visible) {
            let Some(fill) = &span.fill else { continue };
            let [red, green, blue] = color(fill.paint())?;
            content.save_state();
            self.set_opacity(fill.opacity().get(), content);
            content.set_fill_rgb(red, green, blue);
            self.font.show(&span.positioned_glyphs, content);
            content.restore_state();
        }
        Ok(())
    }

    fn draw_path(&mut self, path: &Path, content: &mut Content) -> Result<(), PictureError> {
        if !path.is_visible() {
            return Ok(());
        }
        let (fill, stroke) = (path.fill(), path.stroke());
        match path.paint_order() {
            PaintOrder::FillAndStroke => {
                self.fill(path, fill, content)?;
                self.stroke(path, stroke, content)
            }
            PaintOrder::StrokeAndFill => {
                self.stroke(path, stroke, content)?;
                self.fill(path, fill, content)
            }
        }
    }

    fn fill(
        &mut self,
        path: &Path,
        fill: Option<&Fill>,
        content: &mut Content,
    ) -> Result<(), PictureError> {
        // Where SVG paints nothing, PDF paints a line as thin as the device can.
        let Some(fill) = fill.filter(|_| has_area(path.data())) else { return Ok(()) };
        let [red, green, blue] = color(fill.paint())?;
        content.save_state();
        self.set_opacity(fill.opacity().get(), content);
        content.set_fill_rgb(red, green, blue);
        trace(path.data(), content);
        match fill.rule() {
            FillRule::NonZero => content.fill_nonzero(),
            FillRule::EvenOdd => content.fill_even_odd(),
        };
        content.restore_state();
        Ok(())
    }

    fn stroke(
        &mut self,
        path: &Path,
        stroke: Option<&Stroke>,
        content: &mut Content,
    ) -> Result<(), PictureError> {
        let Some(stroke) = stroke else { return Ok(()) };
        let [red, green, blue] = color(stroke.paint())?;
        content.save_state();
        self.set_opacity(stroke.opacity().get(), content);
        content.set_stroke_rgb(red, green, blue);
        content.set_line_width(stroke.width().get());
        content.set_miter_limit(stroke.miterlimit().get());
        content.set_line_cap(match stroke.linecap() {
            LineCap::Butt => LineCapStyle::ButtCap,
            LineCap::Round => LineCapStyle::RoundCap,
            LineCap::Square => LineCapStyle::ProjectingSquareCap,
        });
        content.set_line_join(match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
            LineJoin::Round => LineJoinStyle::RoundJoin,
            LineJoin::Bevel => LineJoinStyle::BevelJoin,
        });
        if let Some(dashes) = stroke.dasharray() {
            content.set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
        }
        trace(path.data(), content);
        content.stroke();
        content.restore_state();
        Ok(())
    }

    fn set_opacity(&mut self, opacity: f32, content: &mut Content) {
        let thousandths = (opacity * 1000.0).round() as u16;
        if thousandths < 1000 {
            if !self.opacities.contains_key(&thousandths) {
                let state = self.next();
                self.opacities.insert(thousandths, state);
            }
            content.set_parameters(Name(opacity_name(thousandths).as_bytes()));
        }
    }

    /// Stores a drawing that is to be painted as one, and names it.
    fn layer(&mut self, group: &Group, content: Content) -> String {
        let layer = self.next();
        let bounds = group.layer_bounding_box();
        let content = content.finish();
        let mut form = self.pdf.form_xobject(layer, &content);
        form.bbox(Rect::new(bounds.left(), bounds.top(), bounds.right(), bounds.bottom()));
        form.group().transparency().isolated(true);
        form.pair(Name(b"Resources"), self.resources);
        form.finish();
        self.layers.push(layer);
        layer_name(layer)
    }

    fn finish(mut self) -> Vec<u8> {
        let count = i32::try_from(self.pages.len()).expect("fewer pages than objects");
        self.pdf.pages(self.tree).kids(self.pages.iter().copied()).count(count);
        for (&thousandths, &state) in &self.opacities {
            let opacity = f32::from(thousandths) / 1000.0;
            self.pdf.ext_graphics(state).non_stroking_alpha(opacity).stroking_alpha(opacity);
        }
        let font = self.font.is_used().then(|| self.next());
        if let Some(font) = font {
            let last = &mut self.last;
            self.font.write(&mut self.pdf, font, || {
                last.bump();
                *last
            });
        }
        let mut resources = self.pdf.indirect(self.resources).start::<Resources<'_>>();
        let mut states = resources.ext_g_states();
        for (&thousandths, &state) in &self.opacities {
            states.pair(Name(opacity_name(thousandths).as_bytes()), state);
        }
        states.finish();
        let mut layers = resources.x_objects();
        for &layer in &self.layers {
            layers.pair(Name(layer_name(layer).as_bytes()), layer);
        }
        layers.finish();
        if let Some(font) = font {
            resources.fonts().pair(Name(font::NAME), font);
        }
        resources.finish();
        self.pdf.finish()
    }
}

fn refuse(used: bool, what: &'static str) -> Result<(), PictureError> {
    if used { Err(PictureError::NotInPdf { what }) } else { Ok(()) }
}

fn opacity_name(thousandths: u16) -> String {
    format!("A{thousandths}")
}

fn layer_name(layer: Ref) -> String {
    format!("L{}", layer.get())
}

fn color(paint: &Paint) -> Result<[f32; 3], PictureError> {
    let what = match paint {
        Paint::Color(color) => {
            return Ok([color.red, color.green, color.blue].map(|part| f32::from(part) / 255.0));
        }
        Paint::LinearGradient(_) | Paint::RadialGradient(_) => "a gradient",
        Paint::Pattern(_) => "a pattern",
    };
    Err(PictureError::NotInPdf { what })
}

fn matrix(transform: Transform) -> [f32; 6] {
    [transform.sx, transform.ky, transform.kx, transform.sy, transform.tx, transform.ty]
}

/// Intersects what is drawn from here on with a clip path, which must be one
/// shape: PDF clips to a path, and a path is no union of shapes.
fn clip_to(clip: &ClipPath, content: &mut Content) -> Result<(), PictureError> {
    if let Some(outer) = clip.clip_path() {
        clip_to(outer, content)?;
    }
    let mut shapes = Vec::new();
    gather(clip.root(), clip.transform(), &mut shapes)?;
    let [(outline, rule)] = shapes.as_slice() else {
        return refuse(true, "a clip path that is not one shape");
    };
    trace(outline, content);
    match rule {
        FillRule::NonZero => content.clip_nonzero(),
        FillRule::EvenOdd => content.clip_even_odd(),
    };
    content.end_path();
    Ok(())
}

fn gather(
    group: &Group,
    transform: Transform,
    shapes: &mut Vec<(Outline, FillRule)>,
) -> Result<(), PictureError> {
    refuse(group.clip_path().is_some(), "a clip path inside a clip path")?;
    let transform = transform.pre_concat(group.transform());
    for node in group.children() {
        match node {
            Node::Group(group) => gather(group, transform, shapes)?,
            Node::Path(path) => {
                let rule = path.fill().map_or(FillRule::NonZero, Fill::rule);
                shapes.extend(path.data().clone().transform(transform).map(|data| (data, rule)));
            }
            Node::Text(text) => gather(text.flattened(), transform, shapes)?,
            Node::Image(_) => refuse(true, "an image")?,
        }
    }
    Ok(())
}

/// Whether the outline's points do not all lie on one line.
fn has_area(outline: &Outline) -> bool {
    let vector = |from: &Point, to: &Point| {
        (f64::from(to.x) - f64::from(from.x), f64::from(to.y) - f64::from(from.y))
    };
    let [first, rest @ ..] = outline.points() else { return false };
    let Some(second) = rest.iter().find(|point| *point != first) else { return false };
    let (x, y) = vector(first, second);
    rest.iter().map(|point| vector(first, point)).any(|(a, b)| x * b != y * a)
}

fn trace(outline: &Outline, content: &mut Content) {
    let mut from = Point::zero();
    for segment in outline.segments() {
        match segment {
            PathSegment::MoveTo(to) => {
                content.move_to(to.x, to.y);
                from = to;
            }
            PathSegment::LineTo(to) => {
                content.line_to(to.x, to.y);
                from = to;
            }
            // PDF has cubic curves only; a quadratic one is cubic with its
            // handles two thirds of the way.
            PathSegment::QuadTo(by, to) => {
                let toward = |end: Point| {
                    (end.x + (by.x - end.x) * 2.0 / 3.0, end.y + (by.y - end.y) * 2.0 / 3.0)
                };
                let ((x1, y1), (x2, y2)) = (toward(from), toward(to));
                content.cubic_to(x1, y1, x2, y2, to.x, to.y);
                from = to;
            }
            PathSegment::CubicTo(a, b, to) => {
                content.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y);
                from = to;
            }
            PathSegment::Close => {
                content.close_path();
            }
        }
    }
}
