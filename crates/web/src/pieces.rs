//! The outlines of pieces as symbols, the same that terminals and pictures have.

use std::fmt::Write;

use ::chess::{Role, drawing::svg};

/// A picture that only holds symbols: `piece-pawn` to `piece-king`, each on a square of 100 by 100.
/// Fill and stroke are those of whoever uses them; the lines inside have the class `piece-detail`.
pub(crate) fn symbols() -> String {
    let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\">");
    for role in Role::ALL {
        let (body, details) = svg::outline(role);
        let _ = write!(
            svg,
            "<symbol id=\"piece-{}\" viewBox=\"0 0 100 100\"><g stroke-width=\"3.4\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\">{body}<path \
             class=\"piece-detail\" d=\"{details}\" fill=\"none\" stroke-width=\"2.8\"/></g></symbol>",
            role.name()
        );
    }
    svg.push_str("</svg>");
    svg
}
