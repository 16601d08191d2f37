//! What comes out, pixel by pixel and word by word.

mod extract;

use pictures::{LONGEST_SIDE, PictureError, Size, pdf, png, text_boxes};

const RED: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="20">
    <rect width="10" height="10" fill="red"/></svg>"#;

#[test]
fn a_red_square_is_red_and_the_rest_transparent() {
    let image = decode(&png(RED, Size::Scale(2.0)).unwrap());
    assert_eq!((image.width, image.height), (20, 40));
    assert_eq!(image.pixel(10, 10), [255, 0, 0, 255]);
    assert_eq!(image.pixel(10, 30), [0, 0, 0, 0]);
}

#[test]
fn a_width_keeps_the_proportions() {
    let image = decode(&png(RED, Size::Width(35)).unwrap());
    assert_eq!((image.width, image.height), (35, 70));
    assert_eq!(image.pixel(34, 34), [255, 0, 0, 255]);
}

#[test]
fn every_family_and_style_leaves_ink() {
    for attributes in [
        "",
        "font-family='serif'",
        "font-family='monospace' font-weight='bold'",
        "font-family='No Such Font' font-style='italic'",
    ] {
        for letter in ["8", "K", "\u{265e}"] {
            let ink = decode(&png(&text(letter, attributes), Size::Scale(1.0)).unwrap()).ink();
            assert!(ink > 50, "{letter} with {attributes:?} left {ink} pixels");
        }
    }
}

#[test]
fn files_are_never_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/square.svg");
    assert!(std::fs::exists(path).unwrap());
    let svg = framed(&format!("<image href='{path}' width='40' height='40'/>"));
    assert_eq!(decode(&png(&svg, Size::Scale(1.0)).unwrap()).ink(), 0);
}

#[test]
fn malformed_text_is_refused_with_its_place() {
    let cases = [
        ("<svg xmlns='http://www.w3.org/2000/svg'>\n  <rect</svg>", "malformed SVG at line 2, "),
        ("<svg xmlns='http://www.w3.org/2000/svg'><g></svg>", "malformed SVG at line 1, column "),
        ("", "unusable SVG: the root is not an svg element"),
        ("no markup", "malformed SVG at line 1, column 1"),
        ("<html/>", "unusable SVG: the root is not an svg element"),
        ("<svg xmlns='http://www.w3.org/2000/svg' width='0' height='9'/>", "unusable SVG: "),
    ];
    for (svg, expected) in cases {
        for error in [png(svg, Size::Scale(1.0)).unwrap_err(), pdf(&[svg]).unwrap_err()] {
            assert!(error.to_string().starts_with(expected), "{svg}: {error}");
        }
    }
}

#[test]
fn absurd_sizes_are_refused() {
    let message = |size| png(RED, size).unwrap_err().to_string();
    let limit = format!("each side must be 1 to {LONGEST_SIDE}");
    let expected = format!("a picture of 100000 x 200000 pixels: {limit}");
    assert_eq!(message(Size::Width(100_000)), expected);
    assert_eq!(message(Size::Width(0)), format!("a picture of 0 x 0 pixels: {limit}"));
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
        assert!(message(Size::Scale(scale)).ends_with(&limit), "{scale}");
    }
    let wide = r#"<svg xmlns="http://www.w3.org/2000/svg" width="1e5" height="1"/>"#;
    assert!(matches!(pdf(&[wide]), Err(PictureError::Size { .. })));
}

#[test]
fn the_same_text_gives_the_same_bytes() {
    let board = framed("<rect width='40' height='40' fill='#b58863' opacity='.5'/>");
    let (first, second) = (text("Kh1", ""), board.as_str());
    assert_eq!(png(&first, Size::Width(99)).unwrap(), png(&first, Size::Width(99)).unwrap());
    assert_eq!(pdf(&[&first, second]).unwrap(), pdf(&[&first, second]).unwrap());
}

#[test]
fn a_page_is_as_large_as_its_drawing() {
    let file = words(&[RED, &framed("")]);
    assert!(file.contains("/MediaBox [0 0 7.5 15]"), "{file}");
    assert!(file.contains("/MediaBox [0 0 30 30]"), "{file}");
    assert!(file.contains("/Count 2"), "{file}");
}

#[test]
fn pages_are_drawn_as_vectors() {
    let cases = [
        ("<rect width='4' height='4' fill='red'/>", "1 0 0 rg\n0 0 m\n4 0 l\n4 4 l\n0 4 l\nh\nf\n"),
        ("<path d='M0 0H9' stroke='blue' stroke-width='2' stroke-dasharray='3 1'/>", "[3 1] 0 d\n"),
        ("<path d='M0 0L9 9L9 0z' fill-rule='evenodd'/>", "f*\n"),
        ("<path d='M0 0Q3 3 6 0' fill='lime'/>", "0 0 m\n2 2 4 2 6 0 c\n"),
        ("<g transform='translate(5 6)'><path d='M0 0H9V9'/></g>", "1 0 0 1 5 6 cm\n"),
        ("<circle r='9' fill-opacity='.25'/>", "/A250 gs\n"),
        ("<g opacity='.5'><circle r='9'/><circle r='5'/></g>", "/A500 gs\n/L4 Do\n"),
        ("<text x='5' y='30'>8</text>", "/F 1 Tf\n12 0 0 -12 5 30 Tm\n"),
        ("<text x='5' y='30' stroke='red'>8</text>", " c\n"),
        (
            "<clipPath id='c'><rect width='3' height='3'/></clipPath>\
             <circle r='9' clip-path='url(#c)'/>",
            "0 0 m\n3 0 l\n3 3 l\n0 3 l\nh\nW\nn\n",
        ),
    ];
    for (inside, expected) in cases {
        let file = words(&[&framed(inside)]);
        assert!(file.contains(expected), "{inside}: {file}");
    }
}

#[test]
fn a_line_is_stroked_and_not_filled() {
    for line in ["M0 0L9 5", "M0 0L9 5L18 10z", "M1 1H9", "M1 1V9V2"] {
        let file = words(&[&framed(&format!("<path d='{line}' stroke='red'/>"))]);
        assert!(file.contains("\nS\n") && !file.contains("\nf\n"), "{line}: {file}");
    }
}

#[test]
fn what_a_page_is_not_drawn_with_is_refused_by_name() {
    let cases = [
        (
            "<linearGradient id='a'><stop offset='0' stop-color='red'/><stop offset='1'/>\
             </linearGradient><rect width='9' height='9' fill='url(#a)'/>",
            "a gradient cannot be drawn in a PDF",
        ),
        (
            "<mask id='a'><rect width='9' height='9' fill='white'/></mask>\
             <rect width='9' height='9' mask='url(#a)'/>",
            "a mask cannot be drawn in a PDF",
        ),
        (
            "<filter id='a'><feGaussianBlur stdDeviation='2'/></filter>\
             <rect width='9' height='9' filter='url(#a)'/>",
            "a filter cannot be drawn in a PDF",
        ),
        (
            "<rect width='9' height='9' style='mix-blend-mode: multiply'/>",
            "a blend mode cannot be drawn in a PDF",
        ),
    ];
    for (inside, expected) in cases {
        let svg = framed(inside);
        assert_eq!(pdf(&[&svg]).unwrap_err().to_string(), expected);
        assert!(png(&svg, Size::Scale(1.0)).is_ok());
    }
    assert_eq!(pdf(&[]).unwrap_err().to_string(), "a PDF of no pages");
}

#[test]
fn text_of_a_page_is_text_in_a_font_that_comes_along() {
    let page = |inside: &str| {
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='400' height='400'>{inside}</svg>")
    };
    let first = page(
        "<text x='5' y='32'>AVAST ye (\\), 12\u{d7}</text>\
         <g transform='rotate(30) scale(2)'><text x='20' y='5' fill='red'>\u{2212}7 &amp; \u{f7}</text></g>\
         <text x='9' y='90' fill-opacity='0.5'>half</text><text x='9' y='99' rotate='9'>turned</text>",
    );
    let second = page("<text x='100' y='100' text-anchor='end'>second page</text>");
    let file = pdf(&[&first, &second]).unwrap();
    let texts = extract::texts(&file);
    let expected =
        ["AVAST ye (\\), 12\u{d7}", "\u{2212}7 & \u{f7}", "half", "turned", "second page"];
    assert_eq!(texts, expected);
    let words = String::from_utf8_lossy(&file);
    assert_eq!(words.matches("/FontFile2").count(), 1);
    assert!(file.len() < 40_000, "only the glyphs in use are embedded: {} bytes", file.len());
    // What is more than a filled glyph stays an outline.
    let outlined = page("<text x='5' y='32' stroke='red'>a</text>");
    assert!(extract::texts(&pdf(&[&outlined]).unwrap()).is_empty());
    assert!(!String::from_utf8_lossy(&pdf(&[RED]).unwrap()).contains("/Font"));
}

#[test]
fn texts_are_measured_where_they_are_painted() {
    let svg = framed("<g transform='translate(10 20) scale(0.5)'><text x='4' y='30'>I-</text></g>");
    let boxes = text_boxes(&svg).unwrap();
    assert_eq!(boxes.len(), 1);
    assert_eq!(boxes[0].text, "I-");
    let image = decode(&png(&svg, Size::Scale(8.0)).unwrap());
    let inked = |x: f32, y: f32| image.pixel((x * 8.0) as u32, (y * 8.0) as u32)[3] > 0;
    let ink = &boxes[0];
    let middle = (ink.left + ink.right) / 2.0;
    assert!((12.0..13.5).contains(&ink.left) && (34.0..35.1).contains(&ink.bottom), "{ink:?}");
    assert!(inked(ink.left + 0.2, ink.top + 0.3) && !inked(ink.left - 0.2, ink.top + 0.3));
    assert!(!inked(middle, ink.top - 0.3) && !inked(middle, ink.bottom + 0.3));
}

/// A PDF as text; the four bytes that mark it as binary do not matter.
fn words(pages: &[&str]) -> String {
    String::from_utf8_lossy(&pdf(pages).unwrap()).into_owned()
}

fn framed(inside: &str) -> String {
    format!("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'>{inside}</svg>")
}

fn text(words: &str, attributes: &str) -> String {
    framed(&format!("<text x='5' y='32' font-size='30' {attributes}>{words}</text>"))
}

struct Image {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Image {
    fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let start = ((y * self.width + x) * 4) as usize;
        self.bytes[start..start + 4].try_into().unwrap()
    }

    fn ink(&self) -> usize {
        self.bytes.chunks(4).filter(|pixel| pixel[3] > 0).count()
    }
}

fn decode(file: &[u8]) -> Image {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    Image { width: info.width, height: info.height, bytes }
}
