//! Known values of Kalah, solved row by row into SQLite.

use kalah::Kalah;
use solver::{Access, Header, Limits, Next, solve};

#[test]
fn kalah_in_sqlite_has_the_known_values() {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let directory = tempfile::tempdir().expect("a directory");
    let values = include_str!("../../../fixtures/kalah/values.csv");
    for (number, line) in values.lines().skip(1).enumerate() {
        let fields: Vec<_> = line.split(',').collect();
        let [pits, seeds, rules, value, ..] = fields[..] else { panic!("{line}") };
        let (pits, seeds) = (pits.parse().expect("pits"), seeds.parse().expect("seeds"));
        if pits == 4 && seeds > if slow { 4 } else { 3 } {
            println!("not run: {line}");
            continue;
        }
        let kalah = Kalah::new(pits, seeds, rules.parse().expect("rules")).expect("a size");
        let path = directory.path().join(format!("{number}.sqlite"));
        let url = format!("sqlite:{}", path.display());
        let mut store = stores::open(&url, Access::Create(Header::of(&kalah))).expect("a store");
        let mut go_on = |_: &solver::Progress| Next::Continue;
        let solution = solve(&kalah, &mut *store, &Limits::default(), &mut go_on);
        let value: i16 = value.parse().expect("a value");
        assert_eq!(solution.expect("a solution").verdict.score.0, value, "{line}");
        drop(store);
        std::fs::remove_file(path).expect("removed");
    }
}
