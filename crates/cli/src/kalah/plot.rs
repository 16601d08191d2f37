//! Counts as a drawing.

use std::fmt::Write;

/// Positions of one kind: ahead, even, behind.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) parts: [u64; 3],
}

const COLORS: [(&str, &str); 3] =
    [("ahead", "#2f7d5b"), ("even", "#c9b458"), ("behind", "#a8433a")];
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;

/// A chart of stacked bars.
pub(crate) fn bars(title: &str, axis: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.parts.iter().sum()).max().unwrap_or(0).max(1);
    let top = round_up(most);
    let (room, height) = (WIDTH - LEFT - 20.0, HEIGHT - TOP - BOTTOM);
    let step = room / bars.len().max(1) as f64;
    let y = |count: u64| TOP + height - height * count as f64 / top as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"DejaVu Sans, sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{title}</text>\n"
    );
    for quarter in 0..=4 {
        let count = top / 4 * quarter;
        let (at, right) = (y(count), WIDTH - 20.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{count}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    // Names that would overlap are left out.
    let every = (34.0 / step).ceil().max(1.0) as usize;
    for (at, bar) in bars.iter().enumerate() {
        let x = LEFT + at as f64 * step;
        let mut below = 0;
        for (part, (_, color)) in bar.parts.iter().zip(COLORS) {
            let (upper, lower) = (y(below + part), y(below));
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{upper:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{color}\"/>",
                x + step * 0.1,
                step * 0.8,
                lower - upper
            );
            below += part;
        }
        if at % every == 0 {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x + step / 2.0,
                TOP + height + 18.0,
                bar.name
            );
        }
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{axis}</text>",
        LEFT + room / 2.0,
        HEIGHT - 14.0
    );
    for (at, (name, color)) in COLORS.iter().enumerate() {
        let x = WIDTH - 260.0 + 85.0 * at as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"14\" width=\"12\" height=\"12\" fill=\"{color}\"/>\
             <text x=\"{}\" y=\"24\">{name}</text>",
            x + 18.0
        );
    }
    svg + "</svg>\n"
}

/// The next number that can be cut into quarters and reads well.
fn round_up(most: u64) -> u64 {
    let mut unit = 4;
    loop {
        for factor in [1, 2, 5] {
            if unit * factor >= most {
                return unit * factor;
            }
        }
        unit *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_ends_at_a_round_number_that_holds_everything() {
        assert_eq!([1, 4, 5, 17, 849_460].map(round_up), [4, 4, 8, 20, 2_000_000]);
    }

    #[test]
    fn every_bar_is_drawn() {
        let bar = |parts| Bar { name: "n".into(), parts };
        let svg = bars("t", "a", &[bar([1, 2, 3]), bar([0, 0, 9])]);
        // The ground, three parts of each bar, three colours of the legend.
        assert_eq!(svg.matches("<rect").count(), 1 + 6 + 3);
    }
}
