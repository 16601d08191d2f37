//! The single writer of a place that knows no locks.
//!
//! A lease names its writer by a number, one higher for each, and the second at which it ends. It
//! is taken only by swapping the one that was read, so of two who try, one is told. A writer renews
//! it while it works and ends it when it closes; after a kill the next one waits until it has run
//! out. This is the one thing here that looks at a clock. A writer that slept through the end of
//! its lease does no harm: its next commit swaps what it last read, and fails if another was there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a lease lasts. Clocks of writers may differ by less than this.
const LASTS: Duration = Duration::from_secs(60);

/// How old a lease may be before it is renewed.
pub(crate) const RENEWED: Duration = Duration::from_secs(15);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lease {
    pub(crate) writer: u64,
    /// Seconds since 1970.
    until: u64,
    /// Tells writers apart that take a lease at the same time: each must know its own text.
    mark: u64,
}

impl Lease {
    /// The lease of the writer after `last`; none while that one's still runs.
    pub(crate) fn after(last: Option<Lease>) -> Option<Lease> {
        let writer = last.map_or(0, |last| last.writer) + 1;
        let free = last.is_none_or(|last| last.until <= now());
        free.then(|| Lease { writer, until: 0, mark: mark() }.renewed())
    }

    pub(crate) fn renewed(self) -> Lease {
        Lease { until: now() + LASTS.as_secs(), ..self }
    }

    pub(crate) fn ended(self) -> Lease {
        Lease { until: 0, ..self }
    }

    pub(crate) fn to_text(self) -> String {
        format!("writer {} until {} mark {:016x}\n", self.writer, self.until, self.mark)
    }

    pub(crate) fn from_text(text: &[u8]) -> Option<Lease> {
        let text = str::from_utf8(text).ok()?.strip_prefix("writer ")?;
        let (writer, rest) = text.trim_end().split_once(" until ")?;
        // Leases of format 1 have no mark.
        let (until, mark) = rest.split_once(" mark ").unwrap_or((rest, "0"));
        let mark = u64::from_str_radix(mark, 16).ok()?;
        Some(Lease { writer: writer.parse().ok()?, until: until.parse().ok()?, mark })
    }
}

/// The process and the moment: no two writers have both in common.
fn mark() -> u64 {
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    u64::from(std::process::id()) << 32 ^ moment as u64
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_keeps_others_out_until_it_ends() {
        let first = Lease::after(None).expect("there was none");
        assert_eq!(first.writer, 1);
        assert_eq!(Lease::after(Some(first)), None);
        let second = Lease::after(Some(first.ended())).expect("it has ended");
        assert_eq!(second.writer, 2);
        let run_out = Lease { until: now(), ..second };
        assert_eq!(Lease::after(Some(run_out)).map(|lease| lease.writer), Some(3));
    }

    #[test]
    fn a_lease_is_read_as_written() {
        let lease = Lease { writer: 7, until: 1_700_000_000, mark: 0xfeed };
        assert_eq!(Lease::from_text(lease.to_text().as_bytes()), Some(lease));
        for text in [
            "",
            "writer",
            "writer 7",
            "writer x until 3",
            "writer 1 until",
            "writer 1 until 3 mark x",
        ] {
            assert_eq!(Lease::from_text(text.as_bytes()), None, "{text}");
        }
        let first = Lease::from_text(b"writer 7 until 1700000000\n");
        assert_eq!(first, Some(Lease { mark: 0, ..lease }));
    }
}
