//! Numbers as drawings.

use std::fmt::Write;

/// What a drawing is about.
pub(crate) struct Chart<'a> {
    pub(crate) title: &'a str,
    /// What its columns are named by.
    pub(crate) axis: &'a str,
    pub(crate) series: &'a [Series],
}

/// The numbers of one colour.
#[derive(Clone, Copy)]
pub(crate) struct Series {
    pub(crate) name: &'static str,
    pub(crate) color: &'static str,
}

/// A number of each series, under one name.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
}

pub(crate) const AHEAD_EVEN_BEHIND: [Series; 3] = [
    Series { name: "ahead", color: "#2f7d5b" },
    Series { name: "even", color: "#c9b458" },
    Series { name: "behind", color: "#a8433a" },
];

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 66.0;
const BOTTOM: f64 = 60.0;

impl Chart<'_> {
    /// Bars, the series on top of each other.
    pub(crate) fn stacked(&self, columns: &[Column]) -> String {
        let most = columns.iter().map(|column| column.values.iter().sum()).fold(0.0, f64::max);
        let scale = Scale::new(most, columns.len());
        let mut svg = self.ground(&scale, columns);
        for (at, column) in columns.iter().enumerate() {
            let mut below = 0.0;
            for (value, Series { color, .. }) in column.values.iter().zip(self.series) {
                let (upper, lower) = (scale.y(below + value), scale.y(below));
                let _ = writeln!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{upper:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{color}\"/>",
                    scale.x(at) - scale.step * 0.4,
                    scale.step * 0.8,
                    lower - upper
                );
                below += value;
            }
        }
        svg + "</svg>\n"
    }

    /// A line for each series.
    pub(crate) fn lines(&self, columns: &[Column]) -> String {
        let most = columns.iter().flat_map(|column| &column.values).copied().fold(0.0, f64::max);
        let scale = Scale::new(most, columns.len());
        let mut svg = self.ground(&scale, columns);
        for (index, Series { color, .. }) in self.series.iter().enumerate() {
            let points = columns.iter().enumerate().map(|(at, column)| {
                format!("{:.1},{:.1}", scale.x(at), scale.y(column.values[index]))
            });
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"3\"/>",
                points.collect::<Vec<_>>().join(" ")
            );
        }
        svg + "</svg>\n"
    }

    /// Everything but the numbers.
    fn ground(&self, scale: &Scale, columns: &[Column]) -> String {
        let Chart { title, axis, series } = self;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"DejaVu Sans, sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
             <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{title}</text>\n"
        );
        for quarter in 0..=4 {
            let count = scale.top / 4 * quarter;
            let (at, right) = (scale.y(count as f64), WIDTH - RIGHT);
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{count}</text>",
                LEFT - 8.0,
                at + 4.0
            );
        }
        // Names that would overlap are left out.
        let longest = columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0);
        let every = ((10.0 + 8.0 * longest as f64) / scale.step).ceil().max(1.0) as usize;
        for (at, column) in columns.iter().enumerate().step_by(every) {
            let (x, y, name) = (scale.x(at), HEIGHT - BOTTOM + 18.0, &column.name);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{name}</text>"
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{axis}</text>",
            LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
            HEIGHT - 14.0
        );
        let mut right = WIDTH - RIGHT;
        for Series { name, color } in series.iter().rev() {
            right -= 40.0 + 7.0 * name.chars().count() as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{right}\" y=\"36\" width=\"12\" height=\"12\" fill=\"{color}\"/>\
                 <text x=\"{}\" y=\"46\">{name}</text>",
                right + 18.0
            );
        }
        svg
    }
}

/// Where numbers and columns are on the drawing.
struct Scale {
    /// The number at the upper end.
    top: u64,
    /// How far columns are apart.
    step: f64,
}

impl Scale {
    fn new(most: f64, columns: usize) -> Scale {
        let step = (WIDTH - LEFT - RIGHT) / columns.max(1) as f64;
        Scale { top: round_up(most.round() as u64), step }
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.top as f64
    }

    /// The middle of a column.
    fn x(&self, column: usize) -> f64 {
        LEFT + (column as f64 + 0.5) * self.step
    }
}

/// The next number that can be cut into quarters and reads well.
fn round_up(most: u64) -> u64 {
    let mut unit = 4;
    loop {
        for top in [unit, 2 * unit, unit * 5 / 2, 5 * unit] {
            if top >= most && top % 4 == 0 {
                return top;
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
        assert_eq!([0, 4, 5, 9, 90, 849_460].map(round_up), [4, 4, 8, 20, 100, 1_000_000]);
    }

    #[test]
    fn every_number_is_drawn() {
        let column = |values: [f64; 3]| Column { name: "n".into(), values: values.into() };
        let columns = [column([1.0, 2.0, 3.0]), column([0.0, 0.0, 9.0])];
        let chart = Chart { title: "t", axis: "a", series: &AHEAD_EVEN_BEHIND };
        let bars = chart.stacked(&columns);
        // The ground, three parts of each bar, three colours of the legend.
        assert_eq!(bars.matches("<rect").count(), 1 + 6 + 3);
        let lines = chart.lines(&columns);
        assert_eq!(lines.matches("<polyline").count(), 3);
        // The last line ends nearest to the top: the axis goes to 20.
        assert!(lines.contains("650.0,227.7"), "{lines}");
    }
}
