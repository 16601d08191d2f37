//! Round numbers along an axis.

/// An axis between two round numbers; zero is always on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    bottom: f64,
    top: f64,
    /// How far lines are apart.
    tick: f64,
}

impl Scale {
    /// An axis that holds these numbers.
    pub(super) fn of(numbers: impl Iterator<Item = f64>) -> Scale {
        let (mut least, mut most) = (0.0_f64, 0.0_f64);
        for number in numbers.filter(|number| number.is_finite()) {
            least = least.min(number);
            most = most.max(number);
        }
        let largest = round_up(most.max(-least));
        let tick = largest / 4.0;
        let up = |number: f64| (number / tick - 1e-9).ceil().max(0.0) * tick;
        let top = if least < 0.0 { up(most) } else { largest };
        Scale { bottom: -up(-least), top, tick }
    }

    /// Where a number is, from 0 at the bottom to 1 at the top.
    pub(super) fn part(&self, number: f64) -> f64 {
        (number - self.bottom) / (self.top - self.bottom)
    }

    /// The round numbers.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        let Scale { bottom, top, tick } = *self;
        let count = ((top - bottom) / tick).round() as usize;
        (0..=count).map(move |index| bottom + tick * index as f64)
    }
}

/// The next number that reads well and whose quarters do.
fn round_up(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 4.0;
    }
    // Whole numbers get an axis of whole numbers.
    let least = if most.fract() == 0.0 || most > 4.0 { 4.0 } else { f64::MIN_POSITIVE };
    let mut unit = 4.0 * 10_f64.powf((most / 4.0).log10().floor());
    if unit < least {
        unit = least;
    }
    loop {
        for factor in [1.0, 2.0, 2.5, 5.0] {
            let top = unit * factor;
            let is_whole = unit >= 4.0;
            if top >= most && (!is_whole || (top / 4.0).fract() == 0.0) {
                return top;
            }
        }
        unit *= 10.0;
    }
}

/// A number without the noise of its last bits.
pub(super) fn shown(number: f64) -> String {
    let rounded = (number * 1e9).round() / 1e9;
    if rounded == 0.0 { "0".to_owned() } else { rounded.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_ends_at_a_round_number_that_holds_everything() {
        let tops = [0.0, 4.0, 5.0, 9.0, 90.0, 849_460.0].map(round_up);
        assert_eq!(tops, [4.0, 4.0, 8.0, 20.0, 100.0, 1_000_000.0]);
        assert_eq!([0.3, 0.05, 1.5].map(|most| shown(round_up(most))), ["0.4", "0.08", "2"]);
    }

    #[test]
    fn numbers_below_zero_have_their_place() {
        let scale = Scale::of([-3.0, 7.0].into_iter());
        assert_eq!(
            scale.ticks().map(shown).collect::<Vec<_>>(),
            ["-4", "-2", "0", "2", "4", "6", "8"]
        );
        assert_eq!((scale.part(-4.0), scale.part(8.0)), (0.0, 1.0));
        let scale = Scale::of([-8.0].into_iter());
        assert_eq!(scale.ticks().map(shown).collect::<Vec<_>>(), ["-8", "-6", "-4", "-2", "0"]);
        let scale = Scale::of([f64::NAN, f64::INFINITY].into_iter());
        assert_eq!(scale.ticks().last(), Some(4.0));
    }
}
