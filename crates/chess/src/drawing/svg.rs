//! The parts of a board as SVG, each square 100 by 100. Other boards of chess use them too.
//!
//! Each function appends to a string. `at` is the upper left corner of a square, or the middle of a
//! label.

use std::fmt::{Display, Write};

use crate::Role;

/// A square in its colour, tinted for danger or else for light.
pub fn ground(svg: &mut String, (x, y): (usize, usize), color: &str, danger: bool, lit: bool) {
    let rect = format!("<rect x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\"");
    let _ = writeln!(svg, "{rect} fill=\"{color}\"/>");
    let tint = if danger { Some("#d43b2a") } else { lit.then_some("#e8c52e") };
    if let Some(tint) = tint {
        let _ = writeln!(svg, "{rect} fill=\"{tint}\" fill-opacity=\"0.55\"/>");
    }
}

/// A dot in the middle of a square, or a ring around what stands there, in a colour and its
/// opacity.
pub fn dot(
    svg: &mut String,
    (x, y): (usize, usize),
    (color, opacity): (&str, &str),
    is_taken: bool,
) {
    let shape = if is_taken {
        format!(
            "r=\"44\" fill=\"none\" stroke=\"{color}\" stroke-opacity=\"{opacity}\" stroke-width=\"8\""
        )
    } else {
        format!("r=\"15\" fill=\"{color}\" fill-opacity=\"{opacity}\"")
    };
    let _ = writeln!(svg, "<circle cx=\"{}\" cy=\"{}\" {shape}/>", x + 50, y + 50);
}

/// A text beside the board.
pub fn label(svg: &mut String, (x, y): (usize, usize), color: &str, text: impl Display) {
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" fill=\"{color}\" font-family=\"sans-serif\" font-size=\"24\" \
         text-anchor=\"middle\" dominant-baseline=\"central\">{text}</text>"
    );
}

/// A piece, in the colours of its body and its outline. The lines inside it have a colour of their
/// own or that of the outline.
pub fn piece(
    svg: &mut String,
    (x, y): (usize, usize),
    role: Role,
    (fill, line): (&str, &str),
    detail: Option<&str>,
) {
    let (body, details) = outline(role);
    let stroke = detail.map_or(String::new(), |color| format!(" stroke=\"{color}\""));
    let _ = writeln!(
        svg,
        "<g transform=\"translate({x} {y})\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"3.4\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\">{body}<path d=\"{details}\" \
         fill=\"none\"{stroke} stroke-width=\"2.8\"/></g>"
    );
}

/// The outline of a piece on a square of 100 by 100 as SVG elements, and the lines inside it as the
/// data of a path.
pub fn outline(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Pawn => (
            "<path d=\"M43 50C42 62 36 70 30 76H70C64 70 58 62 57 50Z\"/>\
             <path d=\"M36 46H64V52H36Z\"/><circle cx=\"50\" cy=\"33\" r=\"14\"/>\
             <path d=\"M25 76H75V87H25Z\"/>",
            "M33 81.5H67",
        ),
        Role::Knight => (
            "<path d=\"M32 76C32 63 45 58 47 47C42 51 38 52 34 57C31 61 27 63 23 60C19 57 20 53 23 48\
             C27 41 28 33 36 27L37 15L47 23C66 24 76 42 74 76Z\"/><path d=\"M25 76H77V87H25Z\"/>",
            "M39 36L42 34M27 54L28.5 53M52 30C62 35 67 48 67 66M33 81.5H69",
        ),
        Role::Bishop => (
            "<path d=\"M40 64C40 70 34 74 29 76H71C66 74 60 70 60 64Z\"/>\
             <path d=\"M50 20C64 31 71 46 60 59H40C29 46 36 31 50 20Z\"/><path d=\"M35 58H65V65H35Z\"/>\
             <circle cx=\"50\" cy=\"15\" r=\"5.5\"/><path d=\"M25 76H75V87H25Z\"/>",
            "M50 33V49M43 41H57M33 81.5H67",
        ),
        Role::Rook => (
            "<path d=\"M36 40L34 68L28 76H72L66 68L64 40Z\"/>\
             <path d=\"M27 20H38V27H45V20H55V27H62V20H73V38L66 43H34L27 38Z\"/>\
             <path d=\"M23 76H77V87H23Z\"/>",
            "M35 48H65M34 67H66M31 81.5H69",
        ),
        Role::Queen => (
            "<path d=\"M21 33L35 53L35 25L46 50L50 21L54 50L65 25L65 53L79 33L70 66C68 70 71 73 72 76\
             H28C29 73 32 70 30 66Z\"/><circle cx=\"20\" cy=\"29\" r=\"5\"/><circle cx=\"35\" cy=\"20\" r=\"5\"/>\
             <circle cx=\"50\" cy=\"16\" r=\"5\"/><circle cx=\"65\" cy=\"20\" r=\"5\"/>\
             <circle cx=\"80\" cy=\"29\" r=\"5\"/><path d=\"M25 76H75V87H25Z\"/>",
            "M31 67C43 63 57 63 69 67M33 81.5H67",
        ),
        Role::King => (
            "<path d=\"M47 8H53V14H59V20H53V29H47V20H41V14H47Z\"/>\
             <path d=\"M50 44C50 34 44 30 50 26C56 30 50 34 50 44Z\"/>\
             <path d=\"M50 40C54 28 82 27 78 47C76 57 70 59 69 66L72 76H28L31 66C30 59 24 57 22 47\
             C18 27 46 28 50 40Z\"/><path d=\"M25 76H75V87H25Z\"/>",
            "M50 41V61M31 66C43 62 57 62 69 66M33 81.5H67",
        ),
    }
}
