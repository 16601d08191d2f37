//! How bounds are written on the command line.

use std::{str::FromStr, time::Duration};

/// A number of bytes: `2GiB`, `512M`, `1.5G`, `1000000`. Units are powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "expected a size such as 512MiB or 2GiB".to_owned();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim().to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let bytes = number * (1u64 << shift) as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(wrong()) }
}

/// A number of bytes that memory could hold.
pub fn memory(text: &str) -> Result<usize, String> {
    Ok(usize::try_from(size(text)?).unwrap_or(usize::MAX))
}

/// After how long to give up; never, if it is written as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit(pub Option<Duration>);

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeLimit, String> {
        match text.parse::<f64>() {
            Ok(0.0) => Ok(TimeLimit(None)),
            Ok(seconds) if (0.0..=1e9).contains(&seconds) => {
                Ok(TimeLimit(Some(Duration::from_secs_f64(seconds))))
            }
            _ => Err("expected a number of seconds from 0 to 1000000000".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        let read = [
            ("1", 1),
            ("64K", 65_536),
            ("64kib", 65_536),
            ("1.5G", 3 << 29),
            ("2GiB", 2 << 30),
            ("512 MB", 512 << 20),
        ];
        for (text, bytes) in read {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1", "0", "2X", "1e9", "1..2M", "99999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_read_as_seconds_that_a_clock_counts() {
        let limit = |milliseconds| Some(Duration::from_millis(milliseconds));
        let read = [("0", None), ("0.5", limit(500)), ("10", limit(10_000)), ("1e-99", limit(0))];
        for (text, limit) in read {
            assert_eq!(text.parse(), Ok(TimeLimit(limit)), "{text}");
        }
        for text in ["", "-1", "NaN", "inf", "1e10", "1 s"] {
            assert!(text.parse::<TimeLimit>().is_err(), "{text}");
        }
    }
}
