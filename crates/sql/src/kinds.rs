//! What a file holds, by its name.

/// How rows are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parquet,
    /// An Arrow IPC file or stream.
    Arrow,
    /// Values and what separates them, with a header.
    Separated(u8),
    /// An object a line.
    JsonLines,
    /// An array of objects, or objects one after the other; the first byte tells.
    Json,
}

/// A kind, the ending of the name that says so, and whether the file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    pub(crate) kind: Kind,
    pub(crate) ending: &'a str,
    pub(crate) is_packed: bool,
}

/// The endings that are known, in the words of an error.
pub(crate) const KNOWN: &str =
    ".parquet, .arrow, .csv, .tsv, .jsonl, .ndjson or .json, text also with .gz or .zst";

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
            "jsonl" | "ndjson" => Kind::JsonLines,
            "json" => Kind::Json,
            _ => return None,
        };
        let binary = matches!(kind, Kind::Parquet | Kind::Arrow);
        if plain.is_some() && binary {
            return None;
        }
        Some(Named { kind, ending: &name[start.len()..], is_packed: plain.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_a_file_holds() {
        let of = |name| Named::of(name).map(|named| (named.kind, named.ending, named.is_packed));
        assert_eq!(of("a/b.c.parquet"), Some((Kind::Parquet, ".parquet", false)));
        assert_eq!(of("x.csv.zst"), Some((Kind::Separated(b','), ".csv.zst", true)));
        assert_eq!(of("x.tsv"), Some((Kind::Separated(b'\t'), ".tsv", false)));
        assert_eq!(of("x.jsonl.gz"), Some((Kind::JsonLines, ".jsonl.gz", true)));
        for name in ["x", "x.gz", "x.parquet.gz", "x.pgn", "part-00000.parquet.unfinished", "."] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
