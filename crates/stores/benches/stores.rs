//! Rows per second of every store for adding and for settling.
fn main() {
    use game::*;
    use solver::*;
    use std::time::Instant;
    let rows: u64 = 849_460;
    let path = std::path::PathBuf::from("/tmp/bench_stores");
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    let header = Header { game: "bench".into(), key_bits: 40, format: FORMAT };
    for url in [format!("memory:"), format!("sqlite:{}/a.db", path.display())] {
        let mut store = stores::open(&url, Access::Create(header.clone())).unwrap();
        // 400 ranks, sizes equal, sparse keys
        let per = rows / 400;
        let mut s = 12345u64;
        let mut next = || {
            s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            s >> 33
        };
        let data: Vec<(Rank, Vec<Found>)> = (0..400u16)
            .map(|i| {
                let mut k = 0u128;
                (
                    Rank { level: 5 + i / 20, step: 40 + i % 20 },
                    (0..per)
                        .map(|_| {
                            k += 1 + (next() % (1 << 27)) as u128;
                            Found { key: Key(k), depth: (next() % 40) as u16 }
                        })
                        .collect(),
                )
            })
            .collect();
        let n: usize = data.iter().map(|d| d.1.len()).sum();
        let t = Instant::now();
        for (rank, f) in data.iter().rev() {
            store.add(*rank, f).unwrap();
            store.commit(Stage::Exploring(Some(*rank))).unwrap();
        }
        let e = t.elapsed();
        eprintln!("{url}: add desc by rank {:.0} rows/s", n as f64 / e.as_secs_f64());
        let t = Instant::now();
        for (rank, f) in data.iter().rev() {
            store.add(*rank, f).unwrap();
            store.commit(Stage::Exploring(Some(*rank))).unwrap();
        }
        let e = t.elapsed();
        eprintln!("{url}: re-add {:.0} rows/s", n as f64 / e.as_secs_f64());
        let size = || {
            std::fs::read_dir(&path)
                .unwrap()
                .map(|f| {
                    let f = f.unwrap();
                    format!("{:?} {}", f.file_name(), f.metadata().unwrap().len())
                })
                .collect::<Vec<_>>()
        };
        eprintln!("{:?}", size());
        let t = Instant::now();
        for (rank, f) in data.iter() {
            let v: Vec<_> = f
                .iter()
                .map(|f| Settled {
                    key: f.key,
                    verdict: Verdict {
                        score: Score((next() % 49) as i16 - 24),
                        best: Some(MoveId((next() % 5) as u16)),
                    },
                })
                .collect();
            store.settle(*rank, &v).unwrap();
            store.commit(Stage::Settling(Some(*rank))).unwrap();
        }
        let e = t.elapsed();
        eprintln!("{url}: settle {:.0} rows/s", n as f64 / e.as_secs_f64());
        let t = Instant::now();
        let mut c = 0;
        store
            .scan(Rank::default()..=Rank::MAX, &mut |r| {
                c += r.len();
                std::ops::ControlFlow::Continue(())
            })
            .unwrap();
        let e = t.elapsed();
        eprintln!("{url}: scan {:.0} rows/s", c as f64 / e.as_secs_f64());
        let t = Instant::now();
        let mut out = Vec::new();
        for (rank, f) in &data {
            out.clear();
            let k: Vec<Key> = f.iter().step_by(3).map(|f| f.key).collect();
            store.find(*rank, &k, &mut out).unwrap();
        }
        let e = t.elapsed();
        eprintln!("{url}: find {:.0} rows/s", c as f64 / 3.0 / e.as_secs_f64());
        drop(store);
        eprintln!("{:?}", size());
    }
}
