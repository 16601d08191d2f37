//! `cargo xtask bench`: measurements, ours next to those of peers.

use anyhow::{Result, bail};

use crate::{
    setup::{self, Need},
    shell, stores, venv, wheel,
};

struct Bench {
    name: &'static str,
    about: &'static str,
    steps: &'static [Step],
}

enum Step {
    /// `cargo bench` with these words; it gets the arguments of the user.
    Cargo(&'static [&'static str]),
    /// What is not built here.
    Needs(&'static [Need]),
    /// `cargo build` with these words; left out when the user brings a binary.
    Build(&'static [&'static str]),
    /// The servers that stores are measured on, where they can be had.
    Servers,
    /// A Python script, run where these packages are installed; left out when the user's
    /// arguments ask the bench for one thing.
    Python { script: &'static str, packages: &'static [&'static str] },
    /// The same where our wheel is installed too, as it is released.
    Wheel { script: &'static str, packages: &'static [&'static str] },
    /// The same, and it gets the arguments of the user.
    Told { script: &'static str, packages: &'static [&'static str] },
}

/// What reinforcement learning is measured with. PyTorch is large.
const LEARNERS: &[&str] = &[
    "gymnasium==1.4.0",
    "pettingzoo==1.27.0",
    "sb3-contrib==2.9.2",
    "stable-baselines3==2.9.2",
    "torch==2.15.0",
];

const BENCHES: &[Bench] = &[
    Bench {
        name: "chess",
        about: "chess rules and PGN against cozy-chess and python-chess; table: perft with a table",
        steps: &[
            Step::Cargo(&["-p", "everyply-chess", "--bench", "chess"]),
            Step::Python {
                script: "crates/chess/benches/python_chess.py",
                packages: &["chess==1.11.2"],
            },
        ],
    },
    Bench {
        name: "cuda",
        about: "four-player chess on a GPU; --check: against the processor, and perft",
        steps: &[
            Step::Cargo(&["-p", "everyply-fourchess-cuda", "--bench", "cuda"]),
            Step::Wheel {
                script: "crates/python/benches/fourchess_cuda.py",
                packages: &["torch==2.15.0"],
            },
            Step::Wheel {
                script: "crates/python/benches/fourchess_jax_cuda.py",
                packages: &["jax[cuda13]==0.10.2"],
            },
            Step::Python {
                script: "crates/python/benches/pgx_chess.py",
                packages: &["pgx==2.6.0", "jax[cuda13]==0.10.2"],
            },
        ],
    },
    Bench {
        name: "facts",
        about: "facts of chess positions against Python; --themes: against tags of puzzles",
        steps: &[
            Step::Cargo(&["-p", "everyply-chess-facts", "--bench", "facts"]),
            Step::Python {
                script: "crates/chess-facts/benches/python_facts.py",
                packages: &["chess==1.11.2"],
            },
        ],
    },
    Bench {
        name: "facts-files",
        about: "PGN to files of facts, and whether DuckDB, pandas, polars and Spark read them",
        steps: &[Step::Python {
            script: "crates/tables/benches/facts_files.py",
            packages: &[
                "duckdb==2.0.0",
                "pandas==3.1.1",
                "polars==2.1.0",
                "pyarrow==26.0.1",
                "pyspark==4.3.0",
            ],
        }],
    },
    Bench {
        name: "fourchess",
        about: "four-player chess: perft, steps of a batch, and Pgx and PettingZoo chess beside it",
        steps: &[
            Step::Cargo(&["-p", "everyply-fourchess", "--bench", "fourchess"]),
            Step::Cargo(&["-p", "everyply-fourchess-env", "--bench", "batch"]),
            Step::Python {
                script: "crates/fourchess-env/benches/peers.py",
                packages: &[
                    "pgx==2.6.0",
                    "jax==0.10.2",
                    "pettingzoo==1.27.0",
                    "chess==1.11.2",
                    "pygame==2.6.1",
                ],
            },
        ],
    },
    Bench {
        name: "fourchess-python",
        about: "steps of four-player chess from Python and from Rust",
        steps: &[Step::Wheel { script: "crates/python/benches/fourchess.py", packages: &[] }],
    },
    Bench {
        name: "fourchess-jax",
        about: "steps of four-player chess under jit, vmap and scan of JAX, and of a batch",
        steps: &[Step::Wheel {
            script: "crates/python/benches/fourchess_jax.py",
            packages: &["jax==0.10.2"],
        }],
    },
    Bench {
        name: "games",
        about: "chess games as tables in SQL and Python, and python-chess beside it",
        steps: &[Step::Wheel {
            script: "crates/python/benches/games.py",
            packages: &["chess==1.11.2", "polars==2.1.0"],
        }],
    },
    Bench {
        name: "learn",
        about: "a small network learns four-player chess, from its rewards and from others; --device",
        steps: &[Step::Told {
            script: "crates/python/benches/learn.py",
            packages: &["torch==2.15.0"],
        }],
    },
    Bench {
        name: "learners",
        about: "learners on four-player chess: MaskablePPO, a PPO loop, a minute, a tree search",
        steps: &[
            Step::Wheel { script: "crates/python/benches/learners.py", packages: LEARNERS },
            Step::Wheel { script: "crates/python/benches/examples.py", packages: LEARNERS },
        ],
    },
    Bench {
        name: "kenken",
        about: "KenKen with Keen and CP-SAT beside it; generation: the generator alone",
        steps: &[
            Step::Cargo(&["-p", "everyply-kenken", "--bench", "kenken"]),
            Step::Python {
                script: "crates/kenken/benches/cpsat.py",
                packages: &["ortools==9.15.6755"],
            },
        ],
    },
    Bench {
        name: "page",
        about: "the page under load and in a browser; --binary PATH: of this binary",
        steps: &[
            Step::Needs(setup::PAGE),
            Step::Build(&["--release", "-p", "everyply"]),
            Step::Cargo(&["-p", "everyply-web-bench", "--bench", "page"]),
        ],
    },
    Bench {
        name: "perft-all",
        about: "every perft figure of the fixtures, resumable",
        steps: &[Step::Cargo(&["-p", "everyply-chess", "--bench", "perft_all"])],
    },
    Bench {
        name: "relations",
        about: "chess as one query plan, and the same plan in DuckDB and Spark",
        steps: &[
            // With cli, whose features the dependencies of a release are built with anyway.
            Step::Cargo(&["-p", "everyply", "-p", "everyply-sql", "--bench", "relations"]),
            Step::Python {
                script: "crates/sql/benches/relations_peers.py",
                packages: &["duckdb==2.0.0", "pyspark==4.3.0"],
            },
        ],
    },
    Bench {
        name: "kalah-complete",
        about: "a table with every position of a game, and searches: see the head of the bench",
        steps: &[Step::Cargo(&["-p", "everyply-solver", "--bench", "complete"])],
    },
    Bench {
        name: "solver",
        about: "rows a second of every store, Kalah(4,3) from nothing, dense tables, searches",
        steps: &[
            Step::Servers,
            Step::Cargo(&["-p", "everyply-stores", "--all-features", "--bench", "stores"]),
            Step::Python {
                script: "crates/cli/benches/kalah_export.py",
                packages: &["duckdb==2.0.0"],
            },
            Step::Cargo(&["-p", "everyply-solver", "--bench", "tables"]),
        ],
    },
];

/// Runs the bench that the first word names, or lists all.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let Some((name, arguments)) = words.split_first() else {
        print!("{}", list());
        return Ok(());
    };
    let bench = find(name)?;
    for step in bench.steps {
        match step {
            Step::Cargo(words) => {
                let mut command = shell::cargo();
                command.arg("bench").args(*words).arg("--").args(arguments);
                shell::run(&mut command)?;
            }
            Step::Needs(needs) => setup::ensure(needs)?,
            Step::Build(_) if arguments.contains(&"--binary") => {}
            Step::Build(words) => shell::run(shell::cargo().arg("build").args(*words))?,
            Step::Servers => stores::servers()?,
            Step::Python { .. } | Step::Wheel { .. } if !arguments.is_empty() => {}
            Step::Python { script, packages } => {
                let python = venv::with(bench.name, packages)?;
                shell::run(shell::command(&python).arg(script))?;
            }
            Step::Wheel { script, packages } => {
                let python = wheel::installed(bench.name, packages)?;
                shell::run(shell::command(&python).arg(script))?;
            }
            Step::Told { script, packages } => {
                let python = wheel::installed(bench.name, packages)?;
                shell::run(shell::command(&python).arg(script).args(arguments))?;
            }
        }
    }
    Ok(())
}

fn list() -> String {
    let line = |bench: &Bench| format!("{:<16} {}\n", bench.name, bench.about);
    BENCHES.iter().map(line).collect()
}

fn find(name: &str) -> Result<&'static Bench> {
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        bail!("unknown bench: {name}; there are:\n{}", list());
    };
    Ok(bench)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_is_found_by_its_name_and_listed() {
        for bench in BENCHES {
            assert_eq!(find(bench.name).unwrap().about, bench.about);
            assert!(list().contains(bench.about));
        }
    }

    #[test]
    fn an_unknown_bench_is_an_error_that_lists_the_known() {
        let error = find("cheese").err().unwrap().to_string();
        assert!(error.contains("cheese") && error.contains("perft-all"), "{error}");
    }

    #[test]
    fn packages_are_pinned() {
        let steps = BENCHES.iter().flat_map(|bench| bench.steps);
        for step in steps {
            if let Step::Python { packages, .. }
            | Step::Wheel { packages, .. }
            | Step::Told { packages, .. } = step
            {
                assert!(packages.iter().all(|package| package.contains("==")));
            }
        }
    }
}
