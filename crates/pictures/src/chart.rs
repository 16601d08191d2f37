//! Numbers as drawings: bars, lines and dots, as SVG.
//!
//! ```
//! use pictures::chart::{Chart, Column, Palette, Series};
//!
//! let series = [Series { name: "won", color: "#2f7d5b" }];
//! let chart = Chart { title: "Games", axis: "year", series: &series, palette: Palette::LIGHT };
//! let columns = [Column { name: "2026".to_owned(), values: vec![7.0] }];
//! assert!(chart.stacked(&columns).starts_with("<svg "));
//! ```

mod scale;

use std::{borrow::Cow, fmt::Write};

use self::scale::Scale;

/// What a drawing is about.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// The text above it.
    pub title: &'a str,
    /// What its columns are named by.
    pub axis: &'a str,
    /// The colours.
    pub series: &'a [Series<'a>],
    /// What it is drawn on.
    pub palette: Palette,
}

/// The numbers of one colour.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// What they are called.
    pub name: &'a str,
    /// A colour of SVG.
    pub color: &'a str,
}

/// A number of each series, under one name. A number that is missing is not finite.
#[derive(Clone, Debug)]
pub struct Column {
    /// The text below it.
    pub name: String,
    /// One for each series.
    pub values: Vec<f64>,
}

/// The colours of what is no number.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// The ground.
    pub paper: &'static str,
    /// The texts.
    pub ink: &'static str,
    /// The lines at round numbers.
    pub line: &'static str,
}

impl Palette {
    /// Black on white.
    pub const LIGHT: Palette = Palette { paper: "#ffffff", ink: "#000000", line: "#dddddd" };
    /// White on black, nearly.
    pub const DARK: Palette = Palette { paper: "#212429", ink: "#e6e4df", line: "#3d434a" };
}

/// The results of a side: ahead, even, behind.
pub const AHEAD_EVEN_BEHIND: [Series<'static>; 3] = [
    Series { name: "ahead", color: "#2f7d5b" },
    Series { name: "even", color: "#c9b458" },
    Series { name: "behind", color: "#a8433a" },
];

pub(crate) const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 66.0;
const BOTTOM: f64 = 60.0;

/// Where columns and numbers are on the drawing.
struct Plane {
    /// How far columns are apart.
    step: f64,
    scale: Scale,
}

impl Plane {
    fn new(numbers: impl Iterator<Item = f64>, columns: usize) -> Plane {
        let step = (WIDTH - LEFT - RIGHT) / columns.max(1) as f64;
        Plane { scale: Scale::of(numbers), step }
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * self.scale.part(value)
    }

    /// The middle of a column.
    fn x(&self, column: usize) -> f64 {
        LEFT + (column as f64 + 0.5) * self.step
    }
}

impl Chart<'_> {
    /// Bars, the series on top of each other.
    pub fn stacked(&self, columns: &[Column]) -> String {
        let known = |value: &&f64| value.is_finite();
        // Numbers below zero are stacked downwards.
        let ends = columns.iter().flat_map(|column| {
            let values = || column.values.iter().filter(known);
            [
                values().filter(|value| **value > 0.0).sum(),
                values().filter(|value| **value < 0.0).sum(),
            ]
        });
        let plane = Plane::new(ends, columns.len());
        let mut svg = self.ground(&plane, columns);
        for (at, column) in columns.iter().enumerate() {
            let (mut above, mut below) = (0.0, 0.0);
            for (value, Series { color, .. }) in column.values.iter().zip(self.series) {
                if !value.is_finite() {
                    continue;
                }
                let base = if *value < 0.0 { &mut below } else { &mut above };
                let (one, other) = (plane.y(*base), plane.y(*base + value));
                let _ = writeln!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{color}\"/>",
                    plane.x(at) - plane.step * 0.4,
                    one.min(other),
                    plane.step * 0.8,
                    (one - other).abs()
                );
                *base += value;
            }
        }
        svg + "</svg>\n"
    }

    /// A line for each series. Where a number is missing, the line is cut.
    pub fn lines(&self, columns: &[Column]) -> String {
        let numbers = columns.iter().flat_map(|column| &column.values).copied();
        let plane = Plane::new(numbers, columns.len());
        let mut svg = self.ground(&plane, columns);
        for (index, Series { color, .. }) in self.series.iter().enumerate() {
            let rows: Vec<(usize, f64)> =
                columns.iter().map(|column| column.values[index]).enumerate().collect();
            for part in rows.split(|(_, value)| !value.is_finite()) {
                let points = part
                    .iter()
                    .map(|&(at, value)| format!("{:.1},{:.1}", plane.x(at), plane.y(value)));
                let points: Vec<String> = points.collect();
                if points.is_empty() {
                    continue;
                }
                let _ = writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"3\"/>",
                    points.join(" ")
                );
            }
        }
        svg + "</svg>\n"
    }

    /// A dot for each number, where its column has a place among numbers.
    pub fn dots(&self, places: &[f64], columns: &[Column]) -> String {
        let numbers = columns.iter().flat_map(|column| &column.values).copied();
        let plane = Plane::new(numbers, 1);
        let across = Scale::of(places.iter().copied());
        let x = |place: f64| LEFT + (WIDTH - LEFT - RIGHT) * across.part(place);
        let mut svg = self.ground(&plane, &[]);
        for tick in across.ticks() {
            let y = HEIGHT - BOTTOM + 18.0;
            self.text(&mut svg, (x(tick), y), "middle", &scale::shown(tick));
        }
        for (place, column) in places.iter().zip(columns).filter(|(place, _)| place.is_finite()) {
            for (value, Series { color, .. }) in column.values.iter().zip(self.series) {
                if value.is_finite() {
                    let _ = writeln!(
                        svg,
                        "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\" fill-opacity=\"0.7\"/>",
                        x(*place),
                        plane.y(*value)
                    );
                }
            }
        }
        svg + "</svg>\n"
    }

    /// Everything but the numbers.
    fn ground(&self, plane: &Plane, columns: &[Column]) -> String {
        let Chart { title, axis, series, palette: Palette { paper, ink, line } } = self;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"DejaVu Sans, sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>\n\
             <text x=\"{LEFT}\" y=\"24\" fill=\"{ink}\" font-size=\"15\">{}</text>\n",
            escaped(title)
        );
        for tick in plane.scale.ticks() {
            let (at, right) = (plane.y(tick), WIDTH - RIGHT);
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"{line}\"/>"
            );
            self.text(&mut svg, (LEFT - 8.0, at + 4.0), "end", &scale::shown(tick));
        }
        // Names that would overlap are left out.
        let longest = columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0);
        let every = ((10.0 + 8.0 * longest as f64) / plane.step).ceil().max(1.0) as usize;
        for (at, column) in columns.iter().enumerate().step_by(every) {
            let at = (plane.x(at), HEIGHT - BOTTOM + 18.0);
            self.text(&mut svg, at, "middle", &column.name);
        }
        let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
        self.text(&mut svg, (middle, HEIGHT - 14.0), "middle", axis);
        let mut right = WIDTH - RIGHT;
        for Series { name, color } in series.iter().rev() {
            right -= 40.0 + 7.0 * name.chars().count() as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{right}\" y=\"36\" width=\"12\" height=\"12\" fill=\"{color}\"/>"
            );
            self.text(&mut svg, (right + 18.0, 46.0), "start", name);
        }
        svg
    }

    fn text(&self, svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
        let (ink, text) = (self.palette.ink, escaped(text));
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{ink}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }
}

/// A text that stays text.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '>', '&', '"']) && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no way to write them.
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHART: Chart<'static> =
        Chart { title: "t", axis: "a", series: &AHEAD_EVEN_BEHIND, palette: Palette::LIGHT };

    fn column(values: [f64; 3]) -> Column {
        Column { name: "n".into(), values: values.into() }
    }

    #[test]
    fn every_number_is_drawn() {
        let columns = [column([1.0, 2.0, 3.0]), column([0.0, 0.0, 9.0])];
        let bars = CHART.stacked(&columns);
        // The ground, three parts of each bar, three colours of the legend.
        assert_eq!(bars.matches("<rect").count(), 1 + 6 + 3);
        let lines = CHART.lines(&columns);
        assert_eq!(lines.matches("<polyline").count(), 3);
        // The last line ends nearest to the top: the axis goes to 20.
        assert!(lines.contains("650.0,227.7"), "{lines}");
        let dots = CHART.dots(&[1.0, 5.0], &columns);
        assert_eq!(dots.matches("<circle").count(), 6);
    }

    #[test]
    fn missing_numbers_are_left_out_and_negative_ones_go_down() {
        let columns = [column([1.0, f64::NAN, -3.0]), column([1.0, 2.0, -4.0])];
        assert_eq!(CHART.stacked(&columns).matches("<rect").count(), 1 + 5 + 3);
        assert_eq!(CHART.lines(&columns).matches("<polyline").count(), 3);
        assert_eq!(CHART.dots(&[f64::NAN, 1.0], &columns).matches("<circle").count(), 3);
    }

    #[test]
    fn texts_stay_texts() {
        let chart = Chart { title: "<b>&\"\u{1}", ..CHART };
        let svg = chart.lines(&[]);
        assert!(svg.contains(">&lt;b&gt;&amp;&quot; </text>"), "{svg}");
    }
}
