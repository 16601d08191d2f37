//! Leases: they ensure a single writer where there are no locks.
//!
//! A lease contains the number of its writer, which increases by one with each writer, and the time
//! at which the lease ends. It is taken by replacing exactly the lease that was read, so if two
//! writers try at once, only one succeeds. A writer renews its lease while it works and ends it
//! when it closes. After a kill, the next writer waits until the lease has expired. Nothing else in
//! this crate reads a clock. A writer that was suspended beyond the end of its lease does no harm:
//! its next commit replaces only what it last read, and fails if another writer has committed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a lease lasts. Clocks of writers may differ by less than this.
const LASTS: Duration = Duration::from_secs(60);

/// How old a lease may be before it is renewed.
pub(crate) const RENEWED: Duration = Duration::from_secs(15);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lease {
    pub(crate) writer: u64,
    /// The time at which it ends, in seconds since 1970.
    until: u64,
    /// Distinguishes writers that take a lease at the same time, so that each recognises its own
    /// text.
    mark: u64,
}

impl Lease {
    /// The lease of the writer after `last`; `None` while the lease of `last` is valid.
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

/// The process and the time. No two writers have both in common.
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
