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
