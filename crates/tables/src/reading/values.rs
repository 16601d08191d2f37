//! What values of a column look like, and the type that holds all of them exactly.

use arrow::{
    compute::kernels::cast_utils::{Parser, string_to_timestamp_nanos},
    datatypes::{DataType, Date32Type, TimeUnit},
};

/// The looks of values, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Looks(u16);

impl Looks {
    const TEXT: Looks = Looks(1);
    const FLAG: Looks = Looks(1 << 1);
    /// A whole number that a float holds exactly.
    const WHOLE: Looks = Looks(1 << 2);
    /// A whole number of 64 bits that a float need not hold.
    const LARGE: Looks = Looks(1 << 3);
    /// A whole number that only fits 64 bits without a sign.
    const UNSIGNED: Looks = Looks(1 << 4);
    const NEGATIVE: Looks = Looks(1 << 5);
    const REAL: Looks = Looks(1 << 6);
    const DATE: Looks = Looks(1 << 7);
    const SECONDS: Looks = Looks(1 << 8);
    const MILLIS: Looks = Looks(1 << 9);
    const MICROS: Looks = Looks(1 << 10);
    const NANOS: Looks = Looks(1 << 11);
    /// A time that says it is of UTC, or that it is not.
    const UTC: Looks = Looks(1 << 12);
    const LOCAL: Looks = Looks(1 << 13);

    const NUMBERS: Looks = Looks(0b111_1100);
    const TIMES: Looks = Looks(0b11_1111 << 8);

    const fn and(self, other: Looks) -> Looks {
        Looks(self.0 | other.0)
    }

    fn contains(self, other: Looks) -> bool {
        self.0 & other.0 != 0
    }

    fn is_within(self, other: Looks) -> bool {
        self.0 & !other.0 == 0
    }

    pub(super) fn add(&mut self, other: Looks) {
        self.0 |= other.0;
    }

    pub(super) fn is_text(self) -> bool {
        self.contains(Looks::TEXT)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// JSON says what is text.
    pub(super) fn text() -> Looks {
        Looks::TEXT
    }

    /// JSON says what is true or false.
    pub(super) fn flag() -> Looks {
        Looks::FLAG
    }

    /// A number of JSON.
    pub(super) fn number(text: &str) -> Looks {
        number(text.as_bytes()).unwrap_or(Looks::TEXT)
    }

    /// A value that nothing is said of.
    pub(super) fn of(text: &str) -> Looks {
        let bytes = text.as_bytes();
        match bytes {
            // Without quotation marks it would be missing, so it is text where text is possible.
            [] => Looks::default(),
            [b'-' | b'.' | b'0'..=b'9', ..] => {
                number(bytes).or_else(|| time(text)).unwrap_or(Looks::TEXT)
            }
            [b't' | b'T' | b'f' | b'F', ..] if flag(text).is_some() => Looks::FLAG,
            b"NaN" | b"inf" => Looks::REAL,
            _ => Looks::TEXT,
        }
    }

    /// The type that holds all of the values.
    pub(super) fn data_type(self) -> DataType {
        let plain = Looks::WHOLE.and(Looks::NEGATIVE);
        match self {
            Looks(0) => DataType::Utf8,
            Looks::FLAG => DataType::Boolean,
            Looks::DATE => DataType::Date32,
            looks if looks.is_within(plain.and(Looks::LARGE)) => DataType::Int64,
            looks if looks.is_within(plain.and(Looks::REAL)) => DataType::Float64,
            looks
                if looks.is_within(Looks::NUMBERS)
                    && !looks.contains(Looks::NEGATIVE.and(Looks::REAL)) =>
            {
                DataType::UInt64
            }
            looks if looks.is_within(Looks::TIMES) && !looks.has_both_zones() => looks.timestamp(),
            _ => DataType::Utf8,
        }
    }

    fn has_both_zones(self) -> bool {
        self.contains(Looks::UTC) && self.contains(Looks::LOCAL)
    }

    fn timestamp(self) -> DataType {
        let unit = if self.contains(Looks::NANOS) {
            TimeUnit::Nanosecond
        } else if self.contains(Looks::MICROS) {
            TimeUnit::Microsecond
        } else if self.contains(Looks::MILLIS) {
            TimeUnit::Millisecond
        } else {
            TimeUnit::Second
        };
        DataType::Timestamp(unit, self.contains(Looks::UTC).then(|| "UTC".into()))
    }
}

/// Reads `true` or `false`, in capitals too.
pub(super) fn flag(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Sixteen hexadecimal digits, as hashes and masks are written.
pub(super) fn hex(text: &str) -> Option<u64> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == 16 && text.bytes().all(is_digit))
        .then(|| u64::from_str_radix(text, 16).ok())
        .flatten()
}

/// The looks of a number. One that begins with a needless zero is none: it would come back
/// without it.
fn number(bytes: &[u8]) -> Option<Looks> {
    const EXACT: u64 = 1 << 53;
    let (is_negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits == b"inf" {
        return Some(Looks::REAL);
    }
    let count = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = count(digits);
    if whole > 1 && digits[0] == b'0' {
        return None;
    }
    if whole == digits.len() {
        let sign = if is_negative { Looks::NEGATIVE } else { Looks::default() };
        let text = std::str::from_utf8(digits).ok()?;
        return match text.parse::<u64>() {
            // Only a float can be less than nothing by nothing.
            Ok(0) if is_negative => Some(Looks::REAL),
            Ok(number) if number <= EXACT => Some(Looks::WHOLE.and(sign)),
            Ok(number) if number <= i64::MAX as u64 => Some(Looks::LARGE.and(sign)),
            Ok(_) if !is_negative => Some(Looks::UNSIGNED),
            Ok(number) if number == 1 << 63 => Some(Looks::LARGE.and(sign)),
            _ => None,
        };
    }
    let rest = &digits[whole..];
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => (count(rest), &rest[count(rest)..]),
        rest => (0, rest),
    };
    let is_exponent = match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', power @ ..] | [b'e' | b'E', power @ ..] => {
            !power.is_empty() && count(power) == power.len()
        }
        _ => false,
    };
    // What no float holds is kept as it is written. That takes an exponent or hundreds of digits.
    let fits = || {
        let number = || std::str::from_utf8(bytes).ok()?.parse::<f64>().ok();
        rest.is_empty() && whole < 300 || number().is_some_and(f64::is_finite)
    };
    (whole + fraction > 0 && is_exponent && fits()).then_some(Looks::REAL)
}

/// The looks of a date or of a time of a day.
fn time(text: &str) -> Option<Looks> {
    let is_like = |bytes: &[u8], pattern: &[u8]| {
        bytes.len() == pattern.len()
            && bytes.iter().zip(pattern).all(|(byte, like)| match like {
                b'0' => byte.is_ascii_digit(),
                b'T' => matches!(byte, b'T' | b' '),
                like => byte == like,
            })
    };
    let bytes = text.as_bytes();
    if is_like(bytes, b"0000-00-00") {
        return Date32Type::parse(text).map(|_| Looks::DATE);
    }
    let (second, rest) = bytes.split_at_checked(19)?;
    if !is_like(second, b"0000-00-00T00:00:00") {
        return None;
    }
    let (rest, zone) = match rest {
        [rest @ .., b'Z'] => (rest, Looks::UTC),
        rest => (rest, Looks::LOCAL),
    };
    let unit = match rest {
        [] => Looks::SECONDS,
        [b'.', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => match digits.len() {
            1..=3 => Looks::MILLIS,
            4..=6 => Looks::MICROS,
            7..=9 => Looks::NANOS,
            _ => return None,
        },
        _ => return None,
    };
    string_to_timestamp_nanos(text).is_ok().then(|| unit.and(zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn type_of(values: &[&str]) -> String {
        let mut looks = Looks::default();
        for value in values {
            looks.add(Looks::of(value));
        }
        looks.data_type().to_string()
    }

    #[test]
    fn a_type_holds_every_value_exactly() {
        for (values, expected) in [
            (&["1", "-2", "", "9223372036854775807"][..], "Int64"),
            (&["-9223372036854775808"], "Int64"),
            (&["0", "18446744073709551615"], "UInt64"),
            (&["-1", "18446744073709551615"], "Utf8"),
            (&["18446744073709551616"], "Utf8"),
            (&["1", "2.75"], "Float64"),
            (&["-0", "1e16", "NaN", "-inf", ".5"], "Float64"),
            (&["9007199254740993", "0.5"], "Utf8"),
            (&["1e999"], "Utf8"),
            (&["007"], "Utf8"),
            (&["#2", "0.5"], "Utf8"),
            (&["true", "FALSE"], "Boolean"),
            (&["true", "1"], "Utf8"),
            (&["2026-11-15"], "Date32"),
            (&["2026-02-30"], "Utf8"),
            (&["2026-11-15T01:02:03", "2026-11-15 01:02:03.5"], "Timestamp(ms)"),
            (&["2026-11-15T01:02:03Z"], "Timestamp(s, \"UTC\")"),
            (&["2026-11-15T01:02:03Z", "2026-11-15T01:02:03"], "Utf8"),
            (&["2026-11-15", "1"], "Utf8"),
            (&["-", "--1", "1.", "1e", "+1"], "Utf8"),
            (&["", ""], "Utf8"),
        ] {
            assert_eq!(type_of(values), expected, "{values:?}");
        }
    }

    #[test]
    fn hashes_have_sixteen_digits() {
        assert_eq!(hex("e8f1ac8ff49a092d"), Some(0xe8f1_ac8f_f49a_092d));
        assert_eq!(hex("0000000000000010"), Some(16));
        for text in ["", "10", "E8F1AC8FF49A092D", "e8f1ac8ff49a092dd", "+000000000000001"] {
            assert_eq!(hex(text), None, "{text}");
        }
    }
}
