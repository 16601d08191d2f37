//! What a file holds, by its name.

use tables::Notation;

/// How rows are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parquet,
    /// An Arrow IPC file or stream.
    Arrow,
    /// Values and what separates them, with a header.
    Separated(u8),
    /// An array of objects, or objects one after the other; the first byte tells.
    Json,
}

impl Kind {
    /// How rows are written, if that is text.
    pub(crate) fn notation(self) -> Option<Notation> {
        match self {
            Kind::Parquet | Kind::Arrow => None,
            Kind::Separated(separator) => Some(Notation::Separated { separator, has_header: true }),
            Kind::Json => Some(Notation::Json),
        }
    }
}

/// A kind, and the ending of the name that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    pub(crate) kind: Kind,
    pub(crate) ending: &'a str,
}

/// The endings that are known, in the words of an error.
pub(crate) const KNOWN: &str =
    ".parquet, .arrow, .csv, .tsv, .jsonl, .ndjson or .json, or text with .gz or .zst";

impl Named<'_> {
    /// The kind of a file with this name, if the name says one.
    pub(crate) fn of(name: &str) -> Option<Named<'_>> {
        let plain = [".gz", ".zst"].iter().find_map(|packing| name.strip_suffix(packing));
        let inner = plain.unwrap_or(name);
        let (start, extension) = inner.rsplit_once('.')?;
        let kind = match extension {
            "parquet" => Kind::Parquet,
            "arrow" | "arrows" | "feather" | "ipc" => Kind::Arrow,
            "csv" => Kind::Separated(b','),
            "tsv" => Kind::Separated(b'\t'),
            "jsonl" | "ndjson" | "json" => Kind::Json,
            _ => return None,
        };
        let binary = matches!(kind, Kind::Parquet | Kind::Arrow);
        if plain.is_some() && binary {
            return None;
        }
        Some(Named { kind, ending: &name[start.len()..] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_a_file_holds() {
        let of = |name| Named::of(name).map(|named| (named.kind, named.ending));
        assert_eq!(of("a/b.c.parquet"), Some((Kind::Parquet, ".parquet")));
        assert_eq!(of("x.csv.zst"), Some((Kind::Separated(b','), ".csv.zst")));
        assert_eq!(of("x.tsv"), Some((Kind::Separated(b'\t'), ".tsv")));
        assert_eq!(of("x.jsonl.gz"), Some((Kind::Json, ".jsonl.gz")));
        for name in ["x", "x.gz", "x.parquet.gz", "x.pgn", "part-00000.parquet.unfinished", "."] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
