//! What is promised of answers whatever the number of threads.

use super::{directory, engine, quoted, rows};

#[test]
fn a9_ordered_answers_are_the_same_for_any_number_of_threads() {
    let text: String =
        (0..20_000).map(|n| format!("{},{},{}\n", n % 97, n * 7 % 1_003, n)).collect();
    let halves = text.split_at(text[..text.len() / 2].rfind('\n').unwrap() + 1);
    let directory = directory(&[
        ("t/1.csv", &format!("k,v,n\n{}", halves.0)),
        ("t/2.csv", &format!("k,v,n\n{}", halves.1)),
    ]);
    let table = quoted(directory.path(), "t");
    let statements = [
        format!("select k, count(*), sum(v), min(n), max(n) from {table} group by k order by k"),
        format!(
            "select n, k, row_number() over (partition by k order by n) as r from {table} order by n limit 500"
        ),
        format!(
            "select a.n, b.n from {table} a join {table} b on a.v = b.k where a.n < 900 order by a.n, b.n limit 700"
        ),
    ];
    for statement in statements {
        let expected = rows(&engine(1), &statement);
        assert!(expected.lines().count() > 90);
        for threads in [1, 2, 5, 16] {
            assert_eq!(rows(&engine(threads), &statement), expected, "{threads}: {statement}");
        }
    }
}

#[test]
fn a9_sums_and_averages_of_floats_are_the_same_for_any_number_of_threads() {
    let rows_of = |place: usize| -> String {
        (0..9_000).map(|n| format!("{},{:e}\n", n % 7, (n * 31 + place) as f64 / 9.7)).collect()
    };
    let files = [0, 1, 2].map(|place| format!("k,v\n{}", rows_of(place)));
    let directory =
        directory(&[("t/1.csv", &files[0]), ("t/2.csv", &files[1]), ("t/3.csv", &files[2])]);
    let table = quoted(directory.path(), "t");
    let statements = [
        "select x % 7 as k, sum(ln(x)) as s, avg(sqrt(x)) as a from generate_series(1, 300000) t(x) \
         group by 1 order by 1"
            .to_owned(),
        "select sum(ln(x)), avg(ln(x)), mean(1.0 / x) from generate_series(1, 300000) t(x)".to_owned(),
        format!("select k, sum(v), avg(v), sum(v) filter (where v > 9) from {table} group by 1 order by 1"),
        format!("select sum(v), avg(v), count(*), sum(distinct k) from {table}"),
        // Groups that do not become fewer go past the first aggregate.
        format!("select v, sum(v), avg(v) from {table} group by 1 order by 1"),
        format!("select k, v, sum(v) over (partition by k order by v, n rows 3 preceding) from \
                 (select k, v, row_number() over (order by k, v) as n from {table}) order by 1, 2"),
    ];
    for statement in statements {
        let expected = rows(&engine(1), &statement);
        for threads in [1, 2, 5] {
            for _ in 0..3 {
                assert_eq!(rows(&engine(threads), &statement), expected, "{threads}: {statement}");
            }
        }
    }
    let exact = "select sum(v), avg(v) from (values (1e100), (1.0), (-1e100), (null)) t(v)";
    assert_eq!(rows(&engine(2), exact), "1.0,0.3333333333333333\n");
    assert_eq!(
        rows(&engine(2), "select sum(v), avg(v) from (values (0.5)) t(v) where v > 1"),
        ",\n"
    );
    let all = "select sum(v) from (values ('inf'::double), (1.0)) t(v)";
    assert_eq!(rows(&engine(2), all), "inf\n");
    assert_eq!(
        rows(&engine(2), "select sum(x), avg(x) from generate_series(1, 4) t(x)"),
        "10,2.5\n"
    );
}

#[test]
fn a9_one_thread_gives_the_same_answer_every_time() {
    let directory = directory(&[(
        "t.csv",
        &format!("x\n{}", (1..5_000).map(|n| format!("{n}\n")).collect::<String>()),
    )]);
    let table = quoted(directory.path(), "t.csv");
    let statements = [
        "select x % 7 as k, sum(ln(x)) as s, avg(sqrt(x)) as a from generate_series(1, 100000) t(x) group by 1".to_owned(),
        format!("select x from {table} limit 5"),
        format!("select x % 3 as k, sum(1.0 / x) as s from {table} group by 1"),
        format!("select sum(1.0 / x) from (select x from {table} union all select x * 3 from {table})"),
        format!("select x from {table} union all select -x from {table}"),
    ];
    for statement in statements {
        let expected = rows(&engine(1), &statement);
        for _ in 0..5 {
            assert_eq!(rows(&engine(1), &statement), expected, "{statement}");
        }
    }
    assert_eq!(rows(&engine(1), &format!("select x from {table} limit 3")), "1\n2\n3\n");
    let both =
        format!("select x from {table} where x < 3 union all select -x from {table} where x < 3");
    assert_eq!(rows(&engine(1), &both), "1\n2\n-1\n-2\n");
    assert_eq!(rows(&engine(1), &format!("select * from ({both}) limit 3")), "1\n2\n-1\n");
}
