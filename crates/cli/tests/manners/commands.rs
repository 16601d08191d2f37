//! Every command, with words that make it do a little and words that keep it busy.

/// How a command is tried.
pub(crate) struct Manners {
    /// Its name.
    pub(crate) command: &'static str,
    /// Words with which it ends soon and prints something.
    little: &'static str,
    /// Words with which it writes to files below `OUT`.
    writes: &'static [&'static str],
    /// Words with which it takes longer than anybody waits.
    pub(crate) long: &'static [Long],
}

pub(crate) struct Long {
    pub(crate) words: &'static str,
    pub(crate) input: Input,
    /// Whether rows come while it works.
    pub(crate) streams: bool,
    /// Words with which it goes on and ends.
    pub(crate) resume: Option<&'static str>,
}

/// What comes in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// It has ended from the start.
    Nothing,
    /// A file again and again.
    Endless(&'static str),
    /// Nobody says anything.
    Silence,
}

/// Files the commands read, each with its fixture.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("games.pgn", "chess/pgn/lichess_438_games.pgn"),
    ("positions.epd", "chess/perft/tricky.epd"),
    ("puzzles.txt", "kenken/keen_6h.txt"),
    ("game.kalah", "kalah/game.kalah"),
];

/// What is made beforehand.
pub(crate) const PREPARED: &[&str] = &[
    "kalah solve --pits 3 --seeds 3 --store sqlite:k33.sqlite",
    "kalah solve --pits 4 --seeds 3 --store sqlite:k43.sqlite",
    "kalah table --pits 6 --max-seeds 8 --out table",
    "fourchess selfplay --games 2 --max-plies 40 --pgn games.pgn4",
];

/// Servers, which are tried in tests/cluster.rs and tests/serve.rs.
pub(crate) const SERVERS: &[&str] = &["cluster executor", "cluster scheduler", "serve"];

pub(crate) const COMMANDS: &[Manners] = &[
    Manners {
        command: "chess facts",
        little: "positions.epd",
        writes: &[
            "positions.epd --out OUT/facts",
            "positions.epd --out OUT/facts.parquet",
            "positions.epd --out OUT/facts.csv",
        ],
        long: &[
            streaming("- --format csv", "games.pgn"),
            Long { streams: false, ..streaming("- --out OUT/facts.parquet", "games.pgn") },
            Long { streams: false, ..streaming("- --out OUT/facts", "games.pgn") },
        ],
    },
    Manners {
        command: "chess games",
        little: "games.pgn",
        writes: &[],
        long: &[streaming("- --format jsonl", "games.pgn")],
    },
    Manners {
        command: "chess moves",
        little: "start",
        writes: &[],
        long: &[streaming("--from - --format csv", "positions.epd")],
    },
    Manners {
        command: "chess perft",
        little: "--depth 2",
        writes: &[],
        long: &[
            busy("--depth 10"),
            busy("--depth 12 --hash 64MiB"),
            busy("--depth 8 --engine relations"),
        ],
    },
    Manners { command: "chess rules", little: "", writes: &[], long: &[] },
    Manners {
        command: "chess timeline",
        little: "--plies 1",
        writes: &["--plies 1 --out OUT/a.csv", "--plies 1 --out OUT/a.parquet"],
        long: &[busy("--plies 9 --merge"), busy("--plies 9 --out OUT/a.parquet")],
    },
    Manners { command: "chess play", little: "start e4", writes: &[], long: &[] },
    Manners {
        command: "chess show",
        little: "start",
        writes: &["start --svg OUT/a.svg", "start --png OUT/a.png"],
        long: &[],
    },
    Manners { command: "completions", little: "bash", writes: &[], long: &[] },
    Manners {
        command: "demo",
        little: "--out demo",
        writes: &["--out OUT/demo"],
        long: &[busy("--out OUT/demo")],
    },
    Manners { command: "doctor", little: "", writes: &[], long: &[] },
    Manners {
        command: "fourchess animate",
        little: "games.pgn4 --first 4 --svg -",
        writes: &["games.pgn4 --svg OUT/a.svg", "games.pgn4 --first 4 --gif OUT/a.gif"],
        long: &[],
    },
    Manners {
        command: "fourchess bench",
        little: "--games 8 --steps 2",
        writes: &[],
        long: &[busy("--games 64 --steps 100000000")],
    },
    Manners {
        command: "fourchess games",
        little: "games.pgn4",
        writes: &[],
        long: &[streaming("- --format csv", "games.pgn4")],
    },
    Manners { command: "fourchess moves", little: "", writes: &[], long: &[] },
    Manners {
        command: "fourchess perft",
        little: "--depth 2",
        writes: &[],
        long: &[busy("--depth 9")],
    },
    Manners {
        command: "fourchess play",
        little: "",
        writes: &[],
        long: &[Long { input: Input::Silence, ..busy("") }],
    },
    Manners {
        command: "fourchess selfplay",
        little: "--games 2",
        writes: &["--games 2 --pgn OUT/games.pgn4", "--games 2 --plies OUT/plies.parquet"],
        long: &[
            Long { streams: true, ..busy("--games 100000000 --format csv") },
            busy("--games 100000000 --plies OUT/plies.parquet"),
        ],
    },
    Manners {
        command: "fourchess show",
        little: "",
        writes: &["--svg OUT/a.svg", "--png OUT/a.png"],
        long: &[],
    },
    Manners {
        command: "kalah best",
        little: "3,3,3/3,3,3 --store sqlite:k33.sqlite",
        writes: &[],
        long: &[],
    },
    Manners {
        command: "kalah export",
        little: "--store sqlite:k33.sqlite --format csv",
        writes: &["--store sqlite:k33.sqlite --out OUT/k.parquet"],
        long: &[],
    },
    Manners {
        command: "kalah line",
        little: "3,3,3/3,3,3 --store sqlite:k33.sqlite",
        writes: &[],
        long: &[],
    },
    Manners { command: "kalah path", little: "4,4,3/3,3,0 --seeds 3", writes: &[], long: &[] },
    Manners {
        command: "kalah play",
        little: "--store sqlite:k33.sqlite",
        writes: &[],
        long: &[Long { input: Input::Silence, ..busy("--store sqlite:k33.sqlite") }],
    },
    Manners {
        command: "kalah review",
        little: "game.kalah --store sqlite:k33.sqlite",
        writes: &[],
        long: &[],
    },
    Manners {
        command: "kalah search",
        little: "--position 0,1,0,2,0,3/1,0,0,0,0,1 --table table",
        writes: &[],
        long: &[busy("--pits 6 --seeds 6 --table table")],
    },
    Manners {
        command: "kalah solve",
        little: "--pits 2 --seeds 3 --store memory:",
        writes: &[
            "--pits 3 --seeds 3 --store sqlite:OUT/k.sqlite",
            "--pits 3 --seeds 3 --store file:OUT/k",
        ],
        long: &[
            busy("--pits 5 --seeds 5 --store memory:"),
            Long {
                resume: Some("--pits 4 --seeds 3 --store sqlite:OUT/k.sqlite --resume"),
                ..busy("--pits 4 --seeds 3 --store sqlite:OUT/k.sqlite")
            },
            Long {
                resume: Some("--pits 4 --seeds 3 --store file:OUT/k --resume"),
                ..busy("--pits 4 --seeds 3 --store file:OUT/k")
            },
        ],
    },
    Manners {
        command: "kalah stats",
        little: "--store sqlite:k33.sqlite",
        writes: &["--store sqlite:k33.sqlite --plot OUT/a.svg"],
        long: &[],
    },
    Manners {
        command: "kalah table",
        little: "--pits 2 --max-seeds 4 --out small",
        writes: &["--pits 2 --max-seeds 4 --out OUT/table"],
        long: &[Long {
            resume: Some("--pits 6 --max-seeds 9 --out OUT/table"),
            ..busy("--pits 6 --max-seeds 40 --out OUT/table")
        }],
    },
    Manners {
        command: "kalah value",
        little: "3,3,3/3,3,3 --store sqlite:k33.sqlite",
        writes: &[],
        long: &[],
    },
    Manners {
        command: "kalah verify",
        little: "--store sqlite:k33.sqlite --format json",
        writes: &[],
        long: &[],
    },
    Manners {
        command: "kenken book",
        little: "--size 3 --count 2 --out -",
        writes: &[
            "--size 3 --count 2 --out OUT/a.pdf",
            "--size 3 --count 2 --out OUT/a.svg",
            "--size 3 --count 2 --dpi 30 --out OUT/a.png",
        ],
        long: &[busy("--size 16 --count 10000 --level extreme --out OUT/long.pdf")],
    },
    Manners {
        command: "kenken check",
        little: "puzzles.txt",
        writes: &[],
        long: &[streaming("- --format jsonl", "puzzles.txt")],
    },
    Manners {
        command: "kenken convert",
        little: "puzzles.txt --to json",
        writes: &[],
        long: &[streaming("- --to drawing", "puzzles.txt")],
    },
    Manners {
        command: "kenken count",
        little: "puzzles.txt",
        writes: &[],
        long: &[streaming("- --format csv", "puzzles.txt")],
    },
    Manners {
        command: "kenken explain",
        little: "puzzles.txt",
        writes: &[],
        long: &[streaming("- --format csv", "puzzles.txt")],
    },
    Manners {
        command: "kenken generate",
        little: "--size 4 --count 2",
        writes: &[],
        long: &[
            Long { streams: true, ..busy("--size 6 --count 100000000 --format jsonl") },
            Long { streams: true, ..busy("--size 5 --count 100000000 --as keen") },
        ],
    },
    Manners {
        command: "kenken grade",
        little: "puzzles.txt",
        writes: &[],
        long: &[streaming("- --format csv", "puzzles.txt")],
    },
    Manners { command: "kenken hint", little: PUZZLE, writes: &[], long: &[] },
    Manners {
        command: "kenken play",
        little: "--size 3",
        writes: &[],
        long: &[Long { input: Input::Silence, ..busy("--size 3") }],
    },
    Manners {
        command: "kenken show",
        little: PUZZLE,
        writes: &[
            "4:_a_7a4_a3,a4a5s1s1d2d2m4m6 --svg OUT/a.svg",
            "4:_a_7a4_a3,a4a5s1s1d2d2m4m6 --png OUT/a.png",
            "4:_a_7a4_a3,a4a5s1s1d2d2m4m6 --grid 3[14].2/1.../..../.... --svg OUT/b.svg",
            "puzzles.txt --pdf OUT/a.pdf",
        ],
        long: &[],
    },
    Manners {
        command: "kenken solve",
        little: "puzzles.txt",
        writes: &[],
        long: &[streaming("- --format jsonl", "puzzles.txt")],
    },
    Manners {
        command: "page",
        little: "games.pgn --out -",
        writes: &["games.pgn --game 3 --out OUT/game.html"],
        long: &[],
    },
    Manners {
        command: "sql",
        // Comments stand for blanks, because the words of this table are cut at them.
        little: "select/**/1/**/as/**/one",
        writes: &[
            "select/**/1/**/as/**/one --out OUT/a.csv",
            "select/**/1/**/as/**/one --out OUT/a.parquet",
        ],
        long: &[Long { streams: true, ..busy(SERIES) }, busy(COUNTED)],
    },
    Manners { command: "man", little: "", writes: &["--out OUT/man"], long: &[] },
];

const SERIES: &str = "select/**/value/**/from/**/generate_series(1,100000000000) --format csv";
const COUNTED: &str = "select/**/count(*)/**/from/**/generate_series(1,100000000)a,\
     generate_series(1,100000)b/**/where/**/a.value%7=b.value%5";
const PUZZLE: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";

/// Work that prints at its end.
const fn busy(words: &'static str) -> Long {
    Long { words, input: Input::Nothing, streams: false, resume: None }
}

/// Work on an input without an end, with rows on the way.
const fn streaming(words: &'static str, name: &'static str) -> Long {
    Long { words, input: Input::Endless(name), streams: true, resume: None }
}

impl Manners {
    pub(crate) fn little(&self) -> String {
        format!("{} {}", self.command, self.little)
    }

    pub(crate) fn writing(&self) -> impl Iterator<Item = (&Manners, String)> {
        self.writes.iter().map(move |words| (self, format!("{} {words}", self.command)))
    }
}
