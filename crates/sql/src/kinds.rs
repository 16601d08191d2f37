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
    /// Chess games in PGN.
    Games,
    /// Chess positions, one FEN or EPD on each line.
    Positions,
}

impl Kind {
    /// How rows are written, if that is text.
    pub(crate) fn notation(self) -> Option<Notation> {
        match self {
            Kind::Parquet | Kind::Arrow | Kind::Games | Kind::Positions => None,
            Kind::Separated(separator) => Some(Notation::Separated { separator, has_header: true }),
            Kind::Json => Some(Notation::Json),
        }
    }

    /// Whether it is chess, which needs no columns of its own.
    pub(crate) fn is_chess(self) -> bool {
        matches!(self, Kind::Games | Kind::Positions)
    }
}

/// A kind, and the ending of the name that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    pub(crate) kind: Kind,
    pub(crate) ending: &'a str,
}

/// The endings that are known, in the words of an error.
pub(crate) const KNOWN: &str = ".parquet, .arrow, .csv, .tsv, .jsonl, .ndjson, .json, .pgn, .fen or .epd, or text with .gz or \
     .zst";

impl Named<'_> {
    /// Whether files of both names can be one table.
    pub(crate) fn is_like(self, other: Named<'_>) -> bool {
        self.kind == other.kind && (self.kind.is_chess() || self.ending == other.ending)
    }

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
            "pgn" => Kind::Games,
            "fen" | "epd" => Kind::Positions,
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
        assert_eq!(of("x.pgn.zst"), Some((Kind::Games, ".pgn.zst")));
        assert_eq!(of("x.epd"), Some((Kind::Positions, ".epd")));
        for name in ["x", "x.gz", "x.parquet.gz", "x.txt", "part-00000.parquet.unfinished", "."] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
