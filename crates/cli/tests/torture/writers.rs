//! Every command that writes, how it goes on after a disturbance, and what is compared at the end.

/// A command. In its words `OUT` stands for a directory, `SERVER` for the address of a server, and
/// `NUMBER` for a number that no other run has.
pub(crate) struct Writer {
    pub(crate) name: &'static str,
    pub(crate) words: &'static [&'static str],
    /// What a user would do who finds it disturbed.
    pub(crate) again: &'static [&'static str],
    pub(crate) shown: Shown,
    /// Parts of names of files that may differ, because they are databases.
    pub(crate) changes: &'static [&'static str],
    /// Files that are written again and again on the way, and so need not be as in the end.
    pub(crate) grows: &'static [&'static str],
    pub(crate) server: Option<&'static str>,
    /// How long it takes.
    pub(crate) length: Length,
}

/// Whether a few disturbances are too few for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Long,
}

/// What must be the same in the end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Every file, byte by byte.
    Files,
    /// What this command prints.
    Output(&'static [&'static str]),
}

impl Writer {
    const fn new(name: &'static str, words: &'static [&'static str]) -> Writer {
        Writer {
            name,
            words,
            again: words,
            shown: Shown::Files,
            changes: &[],
            grows: &[],
            length: Length::Short,
            server: None,
        }
    }

    /// What its process must know of the server.
    pub(crate) fn environment(&self, address: &str) -> Vec<(&'static str, String)> {
        match self.server {
            Some("s3") => vec![
                ("AWS_ENDPOINT_URL", format!("http://{address}")),
                ("AWS_ACCESS_KEY_ID", "a".to_owned()),
                ("AWS_SECRET_ACCESS_KEY", "b".to_owned()),
                ("AWS_REGION", "us-east-1".to_owned()),
                ("AWS_ALLOW_HTTP", "true".to_owned()),
            ],
            _ => Vec::new(),
        }
    }
}

const GAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

const PARTS: &[&str] =
    &["chess", "facts", GAMES, "--facts", "pinned", "--part-rows", "5000", "--out", "OUT/facts"];

pub(crate) const WRITERS: &[Writer] = &[
    Writer {
        again: &[
            "chess",
            "facts",
            GAMES,
            "--facts",
            "pinned",
            "--part-rows",
            "5000",
            "--append",
            "--out",
            "OUT/facts",
        ],
        ..Writer::new("facts to a directory", PARTS)
    },
    Writer::new(
        "facts to a file",
        &["chess", "facts", GAMES, "--facts", "pinned", "--out", "OUT/facts.csv"],
    ),
    Writer::new(
        "facts to Parquet",
        &["chess", "facts", GAMES, "--facts", "pinned", "--out", "OUT/facts.parquet"],
    ),
    Writer::new(
        "self-play",
        &[
            "fourchess",
            "selfplay",
            "--games",
            "20",
            "--pgn",
            "OUT/four.pgn4",
            "--plies",
            "OUT/plies.parquet",
        ],
    ),
    Writer::new(
        "sql --out",
        &[
            "sql",
            "select x, x * x as y from generate_series(1, 200000) t(x) order by x",
            "--out",
            "OUT/n.csv",
        ],
    ),
    Writer::new(
        "COPY to a file",
        &[
            "sql",
            "--writable",
            "copy (select x, x * x as y from generate_series(1, 200000) t(x) order by x) to 'OUT/n.csv'",
        ],
    ),
    Writer::new(
        "pictures",
        &["chess", "show", "start", "--svg", "OUT/a.svg", "--png", "OUT/a.png"],
    ),
    Writer::new("manual pages", &["man", "--out", "OUT/man"]),
    Writer {
        // The manifest has the checksum of the database.
        changes: &["sqlite", "demo.manifest"],
        length: Length::Long,
        ..Writer::new("demo", &["demo", "--out", "OUT/demo"])
    },
    Writer {
        grows: &["table/manifest"],
        ..Writer::new(
            "dense table",
            &["kalah", "table", "--pits", "4", "--max-seeds", "10", "--out", "OUT/table"],
        )
    },
    Writer {
        again: &[
            "kalah",
            "solve",
            "--resume",
            "--pits",
            "4",
            "--seeds",
            "2",
            "--store",
            "file:OUT/k",
        ],
        shown: Shown::Output(&["kalah", "export", "--store", "file:OUT/k", "--format", "csv"]),
        ..Writer::new(
            "store file:",
            &["kalah", "solve", "--pits", "4", "--seeds", "2", "--store", "file:OUT/k"],
        )
    },
    Writer {
        again: &[
            "kalah",
            "solve",
            "--resume",
            "--pits",
            "4",
            "--seeds",
            "2",
            "--store",
            "sqlite:OUT/k.db",
        ],
        shown: Shown::Output(&["kalah", "export", "--store", "sqlite:OUT/k.db", "--format", "csv"]),
        ..Writer::new(
            "store sqlite:",
            &["kalah", "solve", "--pits", "4", "--seeds", "2", "--store", "sqlite:OUT/k.db"],
        )
    },
    Writer {
        again: &["kalah", "solve", "--resume", "--pits", "3", "--seeds", "3", "--store", POSTGRES],
        shown: Shown::Output(&["kalah", "export", "--format", "csv", "--store", POSTGRES]),
        server: Some("postgres"),
        ..Writer::new(
            "store postgres:",
            &["kalah", "solve", "--pits", "3", "--seeds", "3", "--store", POSTGRES],
        )
    },
    Writer {
        again: &[
            "kalah",
            "solve",
            "--resume",
            "--pits",
            "3",
            "--seeds",
            "3",
            "--store",
            "s3://games/NUMBER",
        ],
        shown: Shown::Output(&[
            "kalah",
            "export",
            "--format",
            "csv",
            "--store",
            "s3://games/NUMBER",
        ]),
        server: Some("s3"),
        ..Writer::new(
            "store s3:",
            &["kalah", "solve", "--pits", "3", "--seeds", "3", "--store", "s3://games/NUMBER"],
        )
    },
];

const POSTGRES: &str = "postgres://postgres@SERVER/postgres?schema=atNUMBER";
