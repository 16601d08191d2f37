//! Sums of floating-point numbers without rounding, so that the order of addition makes no
//! difference.

/// A sum of doubles: a whole number of the smallest positive one, in digits of 32 bits that are
/// carried late. Only digits that are in use are held; values of one magnitude need about four.
#[derive(Clone, Debug, Default)]
pub(super) struct Exact {
    /// The lowest digit first. Between carries they are of any sign.
    digits: Vec<i64>,
    /// The place of the first digit.
    low: usize,
    /// Additions since digits were carried.
    additions: u32,
    /// How many values were not a number, infinite, and negative infinite.
    special: [i64; 3],
}

const DIGIT: u32 = 32;
const MASK: i64 = (1 << DIGIT) - 1;
/// A digit has room for so many additions.
const ADDITIONS: u32 = 1 << 30;
/// The bits of a double that are written down.
const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
/// The smallest positive double is two to the power of minus this.
const SMALLEST: i64 = 1_074;

impl Exact {
    pub(super) fn add(&mut self, value: f64) {
        self.add_times(value, 1);
    }

    pub(super) fn subtract(&mut self, value: f64) {
        self.add_times(value, -1);
    }

    fn add_times(&mut self, value: f64, sign: i64) {
        if !value.is_finite() {
            let kind = if value.is_nan() { 0 } else { 1 + usize::from(value < 0.0) };
            self.special[kind] += sign;
            return;
        }
        let bits = value.to_bits();
        let (exponent, fraction) = (bits >> FRACTION & 0x7ff, bits & ((1 << FRACTION) - 1));
        // Numbers below the smallest normal one have no leading bit of one.
        let (mantissa, places) = match exponent {
            0 => (fraction, 0),
            _ => (fraction | 1 << FRACTION, exponent as u32 - 1),
        };
        if mantissa == 0 {
            return;
        }
        let sign = if value.is_sign_negative() { -sign } else { sign };
        let wide = u128::from(mantissa) << (places % DIGIT);
        let at = (places / DIGIT) as usize;
        for (digit, place) in self.digits_at(at, 3).iter_mut().zip(0..) {
            *digit += sign * ((wide >> (place * DIGIT)) as i64 & MASK);
        }
    }

    pub(super) fn add_sum(&mut self, other: &Exact) {
        let mut other = other.clone();
        other.carry();
        self.special.iter_mut().zip(other.special).for_each(|(count, other)| *count += other);
        let digits = self.digits_at(other.low, other.digits.len());
        digits.iter_mut().zip(&other.digits).for_each(|(digit, other)| *digit += other);
    }

    /// Digits that are to be added to once.
    fn digits_at(&mut self, at: usize, count: usize) -> &mut [i64] {
        if self.additions == ADDITIONS {
            self.carry();
        }
        self.additions += 1;
        if self.digits.is_empty() {
            self.low = at;
        }
        if at < self.low {
            self.digits.splice(..0, std::iter::repeat_n(0, self.low - at));
            self.low = at;
        }
        let start = at - self.low;
        if self.digits.len() < start + count {
            self.digits.resize(start + count, 0);
        }
        &mut self.digits[start..start + count]
    }

    /// Makes every digit but the highest one a positive one. The highest has the sign of the sum.
    fn carry(&mut self) {
        self.additions = 0;
        let Some((highest, others)) = self.digits.split_last_mut() else { return };
        let mut carried = 0;
        for digit in others {
            let sum = *digit + carried;
            (*digit, carried) = (sum & MASK, sum >> DIGIT);
        }
        *highest += carried;
        if highest.unsigned_abs() > MASK as u64 {
            let carried = *highest >> DIGIT;
            *highest &= MASK;
            self.digits.push(carried);
        }
    }

    /// The double that is nearest to the sum, of two the even one.
    pub(super) fn value(&self) -> f64 {
        match self.special {
            [0, 0, 0] => {}
            [0, _, 0] => return f64::INFINITY,
            [0, 0, _] => return f64::NEG_INFINITY,
            _ => return f64::NAN,
        }
        let mut sum = self.clone();
        sum.carry();
        let is_negative = sum.digits.last().is_some_and(|&highest| highest < 0);
        if is_negative {
            sum.digits.iter_mut().for_each(|digit| *digit = -*digit);
            sum.carry();
        }
        let Some(highest) = sum.digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
        // Three digits have more bits than a double; of the others it only counts whether they are
        // zero.
        let digit =
            |below: usize| highest.checked_sub(below).map_or(0, |at| sum.digits[at] as u128);
        let wide = digit(0) << (2 * DIGIT) | digit(1) << DIGIT | digit(2);
        let has_more = sum.digits[..highest.saturating_sub(2)].iter().any(|&digit| digit != 0);
        let power = (sum.low + highest) as i64 * i64::from(DIGIT) - i64::from(2 * DIGIT) - SMALLEST;
        let nearest = (wide | u128::from(has_more)) as f64;
        // In two steps, each within what a double can hold.
        let value = nearest * power_of_two(power / 2) * power_of_two(power - power / 2);
        if is_negative { -value } else { value }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut sum = self.clone();
        sum.carry();
        let head = sum.special.into_iter().chain([sum.low as i64]);
        head.chain(sum.digits).flat_map(i64::to_le_bytes).collect()
    }

    /// From bytes that [`Exact::to_bytes`] has made; nothing from others.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Exact> {
        let (numbers, []) = bytes.as_chunks() else { return None };
        let mut numbers = numbers.iter().map(|&number| i64::from_le_bytes(number));
        let special = [numbers.next()?, numbers.next()?, numbers.next()?];
        let low = numbers.next()?.try_into().ok()?;
        Some(Exact { digits: numbers.collect(), low, additions: 0, special })
    }

    /// Bytes of memory beside its own.
    pub(super) fn size(&self) -> usize {
        self.digits.capacity() * size_of::<i64>()
    }
}

/// Of powers that a normal double can have.
fn power_of_two(power: i64) -> f64 {
    f64::from_bits(((power + 1_023) as u64) << FRACTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f64]) -> Exact {
        let mut sum = Exact::default();
        values.iter().for_each(|&value| sum.add(value));
        sum
    }

    #[test]
    fn a9_a_sum_is_the_double_nearest_to_it() {
        let largest = f64::MAX;
        let tiny = f64::from_bits(1);
        let cases: &[(&[f64], f64)] = &[
            (&[], 0.0),
            (&[0.1; 10], 1.0),
            (&[1e100, 1.0, -1e100], 1.0),
            (&[largest, largest, -largest], largest),
            (&[largest, largest], f64::INFINITY),
            (&[-largest, -largest], f64::NEG_INFINITY),
            (&[tiny, tiny], f64::from_bits(2)),
            (&[tiny, -1.0, 1.0], tiny),
            // Halfway between two doubles the even one, unless there is a little more.
            (&[1.0, f64::EPSILON / 2.0], 1.0),
            (&[1.0, f64::EPSILON / 2.0, tiny], 1.0 + f64::EPSILON),
            (&[-1.0, -f64::EPSILON / 2.0, -tiny], -1.0 - f64::EPSILON),
            (&[1.0 + f64::EPSILON, f64::EPSILON / 2.0], 1.0 + 2.0 * f64::EPSILON),
            (&[f64::INFINITY, -1.0], f64::INFINITY),
            (&[f64::NEG_INFINITY, 1.0], f64::NEG_INFINITY),
            (&[f64::INFINITY, f64::NEG_INFINITY], f64::NAN),
            (&[f64::NAN, 1.0], f64::NAN),
        ];
        for (values, expected) in cases {
            assert_eq!(sum(values).value().to_bits(), expected.to_bits(), "{values:?}");
        }
    }

    #[test]
    fn a9_order_and_parts_make_no_difference() {
        // Magnitudes far apart, half of them negative, by the constants of a linear generator.
        let mut state = 1u64;
        let values: Vec<f64> = (0..2_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                f64::from_bits(state & !(1 << 62))
            })
            .collect();
        let whole = sum(&values);
        for parts in [2, 3, 7] {
            let mut total = Exact::default();
            for part in 0..parts {
                let values: Vec<f64> =
                    values.iter().rev().skip(part).step_by(parts).copied().collect();
                total.add_sum(&Exact::from_bytes(&sum(&values).to_bytes()).unwrap());
            }
            assert_eq!(total.value().to_bits(), whole.value().to_bits(), "{parts} parts");
        }
        let mut nothing = whole;
        values.iter().for_each(|&value| nothing.subtract(value));
        assert_eq!(nothing.value().to_bits(), 0);
        assert!(Exact::from_bytes(b"short").is_none());
    }
}
