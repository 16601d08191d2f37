use kenken::*;
use std::time::Instant;
fn main() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/kenken");
    let mut names: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.starts_with("keen_"))
        .collect();
    names.sort();
    let mut solver = Solver::new();
    for side in 3..=9 {
        let mut times = vec![];
        let mut nodes = vec![];
        let mut tot_nodes = 0;
        let mut tot = 0.0;
        let mut parse = vec![];
        let mut worst = (0u64, String::new());
        for name in names.iter().filter(|n| n.as_bytes()[5] == b'0' + side) {
            for id in std::fs::read_to_string(format!("{dir}/{name}")).unwrap().lines() {
                let mut best = u64::MAX;
                let mut bp = u64::MAX;
                let mut n = 0;
                for _ in 0..5 {
                    let t = Instant::now();
                    let p = keen::parse(id).unwrap();
                    bp = bp.min(t.elapsed().as_nanos() as u64);
                    let c = solver.count(&p, 2, &Limits::NONE);
                    let e = t.elapsed().as_nanos() as u64;
                    assert_eq!(c.solutions, 1, "{name} {id}");
                    check(&p, c.first.as_ref().unwrap()).unwrap();
                    n = c.statistics.nodes;
                    best = best.min(e);
                }
                if best > worst.0 {
                    worst = (best, format!("{name} {n} {id}"));
                }
                tot_nodes += n;
                tot += best as f64;
                times.push(best);
                nodes.push(n);
                parse.push(bp);
            }
        }
        times.sort();
        nodes.sort();
        parse.sort();
        let q = |v: &Vec<u64>, p: f64| v[((v.len() - 1) as f64 * p) as usize];
        println!(
            "{side}: {} median {:.1} p99 {:.1} max {:.1} us  parse {:.1} nodes med {} p99 {} max {}  ns/node overall {:.0}",
            times.len(),
            q(&times, 0.5) as f64 / 1e3,
            q(&times, 0.99) as f64 / 1e3,
            q(&times, 1.0) as f64 / 1e3,
            q(&parse, 0.5) as f64 / 1e3,
            q(&nodes, 0.5),
            q(&nodes, 0.99),
            q(&nodes, 1.0),
            tot / tot_nodes.max(1) as f64
        );
        if side == 9 {
            println!("worst {worst:?}");
        }
    }
    if std::env::args().any(|a| a == "big") {
        for f in ["big_unique", "adversarial", "big_random"] {
            for line in std::fs::read_to_string(format!("{dir}/{f}.jsonl")).unwrap().lines() {
                let t = Instant::now();
                let d = json::parse(line).unwrap();
                let c = solver.count(
                    &d.puzzle,
                    2,
                    &Limits {
                        nodes: None,
                        deadline: Some(Instant::now() + std::time::Duration::from_millis(2000)),
                    },
                );
                let known = line
                    .split("\"solutions\":")
                    .nth(1)
                    .unwrap()
                    .split(',')
                    .next()
                    .unwrap()
                    .trim()
                    .to_string();
                println!(
                    "{} known {} got {} {} {:?} {:.1} ms",
                    d.id.unwrap(),
                    known,
                    c.solutions,
                    c.complete,
                    c.statistics,
                    t.elapsed().as_secs_f64() * 1e3
                );
            }
        }
    }
}
