//! Faults that were found by use, each by the number under which it was noted.

use super::{answered, csv, directory, engine, quoted, rows};

/// Rows of a text: a thousand equal ones, then another.
fn late(first: &str, usual: &str, late: &str) -> String {
    format!("{first}{}{late}\n", format!("{usual}\n").repeat(1_000))
}

#[test]
fn a1_a_column_that_is_empty_at_first_keeps_its_values() {
    let text = late("a,b\n", ",1", "x,2");
    let directory =
        directory(&[("n.csv", &text), ("parts/1.csv", "a,b\n,1\n"), ("parts/2.csv", "a,b\nx,2\n")]);
    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
    std::fs::write(directory.path().join("n.csv.zst"), packed).unwrap();
    for (name, count) in [("n.csv", 1_000), ("n.csv.zst", 1_000), ("parts", 1)] {
        let table = quoted(directory.path(), name);
        let found = rows(
            &engine(2),
            &format!("select a, b, count(*) from {table} group by 1, 2 order by 2"),
        );
        assert_eq!(found, format!(",1,{count}\nx,2,1\n"), "{name}");
    }
}

#[test]
fn a2_fractions_that_come_late_stay_fractions_and_text_stays_text() {
    let directory = directory(&[
        ("n.jsonl", &late("", r#"{"eval":1}"#, r#"{"eval":2.75}"#)),
        ("text.jsonl", &late("", r#"{"eval":1}"#, r#"{"eval":"7"}"#)),
        ("n.csv", &late("eval,x\n", "1,1", "2.75,1")),
        ("digits.jsonl", "{\"a\":\"7\"}\n{\"a\":\"007\"}\n"),
    ]);
    for name in ["n.jsonl", "n.csv"] {
        let table = quoted(directory.path(), name);
        assert_eq!(
            rows(&engine(2), &format!("select max(eval), sum(eval) from {table}")),
            "2.75,1002.75\n"
        );
    }
    let table = quoted(directory.path(), "text.jsonl");
    let found = rows(
        &engine(2),
        &format!("select arrow_typeof(eval), eval, count(*) from {table} group by 1, 2 order by 2"),
    );
    assert_eq!(found, "Utf8,1,1000\nUtf8,7,1\n");
    let table = quoted(directory.path(), "digits.jsonl");
    assert_eq!(
        rows(&engine(2), &format!("select arrow_typeof(a), a from {table}")),
        "Utf8,7\nUtf8,007\n"
    );
}

#[test]
fn a3_columns_of_a_directory_are_found_by_their_names() {
    let directory = directory(&[
        ("games/1.csv", "white,black\nCarlsen,Nepo\n"),
        ("games/2.csv", "black,white,year\nDing,Gukesh,2024\n"),
    ]);
    let table = quoted(directory.path(), "games");
    let found = rows(&engine(2), &format!("select * from {table} order by white"));
    assert_eq!(found, "Carlsen,Nepo,\nGukesh,Ding,2024\n");
}

#[test]
fn a8_one_column_keeps_empty_text_and_null() {
    let engine = engine(1);
    let asked = "select x from (values (1, 'a'), (2, ''), (3, null)) t(n, x) order by n";
    let written = rows(&engine, asked);
    assert_eq!(written, "a\n\"\"\n\n");
    let directory = directory(&[("x.csv", &format!("x\n{written}"))]);
    let table = quoted(directory.path(), "x.csv");
    let found = answered(&engine, &format!("select x from {table}")).unwrap();
    assert_eq!(found, answered(&engine, asked).unwrap());
    // Where there are several columns, a line without anything is no row.
    let directory = super::directory(&[("x.csv", "\na,b\n1,2\n\n\"\",\n\n")]);
    let table = quoted(directory.path(), "x.csv");
    assert_eq!(rows(&engine, &format!("select * from {table}")), "1,2\n,\n");
}

#[test]
fn a11_keys_that_come_late_are_columns() {
    let directory = directory(&[
        ("k.jsonl", &late("", r#"{"a":1}"#, r#"{"b":{"c":[true]},"a":2}"#)),
        ("k.json", &format!("[{}{{\"b\":{{\"c\":[true]}}}}]", r#"{"a":1},"#.repeat(1_000))),
    ]);
    for name in ["k.jsonl", "k.json"] {
        let table = quoted(directory.path(), name);
        let found =
            rows(&engine(2), &format!("select b, count(*) from {table} group by b order by 2"));
        assert_eq!(found, "\"{\"\"c\"\":[true]}\",1\n,1000\n", "{name}");
    }
}

#[test]
fn a20_an_external_table_needs_files() {
    let directory = directory(&[("there/x.txt", "no table"), ("one.csv", "A,b\n1,2\n")]);
    let create = |columns: &str, name: &str, as_: &str| {
        let place = quoted(directory.path(), name);
        let create = format!("create external table t {columns} stored as {as_} location {place}");
        answered(&engine(1), &create).map(drop).map_err(|error| error.to_string())
    };
    let path = |name: &str| directory.path().join(name).display().to_string();
    for kind in ["csv", "json", "parquet", "arrow"] {
        for name in ["nowhere/", "nowhere.csv", "no*.csv"] {
            let missing = create("(a int)", name, kind).unwrap_err();
            assert_eq!(
                missing,
                format!("{}: there is no such file or directory", path(name)),
                "{kind}"
            );
        }
    }
    assert_eq!(create("(a int)", "there/", "csv"), Ok(()));
    let nameless = create("", "there/", "csv").unwrap_err();
    assert_eq!(nameless, format!("{}: there is no file to infer the columns from", path("there/")));
    let engine = engine(1);
    let one = quoted(directory.path(), "one.csv");
    answered(&engine, &format!("create external table o (a int) stored as csv location {one}"))
        .unwrap();
    let other = answered(&engine, "select a from o").unwrap_err().to_string();
    assert_eq!(other, format!("{}: there is no column 'a'; the columns are A, b", path("one.csv")));
}

#[test]
fn a20_a_sample_is_refused() {
    for sample in ["tablesample (10 percent)", "tablesample bernoulli (1)", "tablesample (5 rows)"]
    {
        let statement = format!("select * from generate_series(1, 3) as t(x) {sample}");
        let named = format!(
            "with n as (select 1 as a) select * from n where a in (select a from n {sample})"
        );
        for statement in [statement, named] {
            let error = answered(&engine(1), &statement).unwrap_err().to_string();
            assert!(error.contains("TABLESAMPLE"), "{statement}: {error}");
        }
    }
}

#[test]
fn a20_a_column_of_using_can_stand_in_where() {
    let found = rows(
        &engine(2),
        "with a as (select 1 as id, 'x' as l union all select 2, 'y'), b as (select 1 as id, 'z' as r)
         select id, l, r from a join b using (id) where id = 1 and l = 'x'",
    );
    assert_eq!(found, "1,x,z\n");
}

/// Columns that a join makes one of two, behind WHERE and everywhere else.
#[test]
fn a20_merged_columns_of_three_tables_and_of_natural_joins() {
    let tables = "with a as (select 1 as id, 'x' as l union all select 2, 'y'), \
                  b as (select 1 as id, 5 as k union all select 3, 6), \
                  c as (select 5 as k, 'z' as r union all select 6, 'w')";
    for (select, expected) in [
        ("select id, l, k from a natural join b where id = 1", "1,x,5\n"),
        ("select id, l, k from a natural left join b where id = 2 order by id", "2,y,\n"),
        ("select id, k, r from a natural join b natural join c where id = 1 and k = 5", "1,5,z\n"),
        ("select id, k, r from a join b using (id) join c using (k) where k = 5", "1,5,z\n"),
        (
            "select id, k, r from a join b using (id) join c using (k) where id = 1 and k > 4",
            "1,5,z\n",
        ),
        ("select id from a join b using (id) join a as d using (id) where id = 1", "1\n"),
        (
            "select id, count(*) from a natural join b where id < 9 group by id having id = 1",
            "1,1\n",
        ),
    ] {
        assert_eq!(rows(&engine(2), &format!("{tables} {select}")), expected, "{select}");
    }
}

#[test]
fn a20_merged_columns_of_right_and_full_joins_are_never_null() {
    let tables = "with a(id, l) as (values (1, 'x'), (2, 'y')), \
                  b(id, k) as (values (1, 5), (3, 6)), \
                  c(k, r) as (values (5, 'z'), (6, 'w')), \
                  d(id, m) as (values (3, 'd'), (4, 'e'))";
    // DuckDB 2.0 answers the same.
    for (select, expected) in [
        ("select id, l, k from a right join b using (id) order by id", "id,l,k\n1,x,5\n3,,6\n"),
        ("select id from a right join b using (id) where id = 3", "id\n3\n"),
        ("select id from a full join b using (id) order by id", "id\n1\n2\n3\n"),
        ("select * from a full join b using (id) order by id", "id,l,k\n1,x,5\n2,y,\n3,,6\n"),
        ("select * from a right join b using (id) order by 1", "id,l,k\n1,x,5\n3,,6\n"),
        (
            "select b.*, id from a full join b using (id) order by id",
            "id,k,id_1\n1,5,1\n3,6,3\n,,2\n",
        ),
        (
            "select a.id as x, b.id as y, id from a full join b using (id) order by id",
            "x,y,id\n1,1,1\n2,,2\n,3,3\n",
        ),
        (
            "select id + 1 as more, count(*) as n from a full join b using (id) group by id having id > 1 order by id desc",
            "more,n\n4,1\n3,1\n",
        ),
        (
            "select id, l, k, m from a full join b using (id) full join d using (id) order by id",
            "id,l,k,m\n1,x,5,\n2,y,,\n3,,6,d\n4,,,e\n",
        ),
        (
            "select id, l, k, m from a full join b using (id) join d using (id) order by id",
            "id,l,k,m\n3,,6,d\n",
        ),
        (
            "select * from a full join b using (id) left join d using (id) order by id",
            "id,l,k,m\n1,x,5,\n2,y,,\n3,,6,d\n",
        ),
        ("select distinct id from a full join b using (id) order by id", "id\n1\n2\n3\n"),
        ("select l from a full join b using (id) order by id", "l\nx\ny\n\n"),
        (
            "select id, row_number() over (order by id desc) as r from a full join b using (id) order by id",
            "id,r\n1,3\n2,2\n3,1\n",
        ),
        (
            "select id from a full join b using (id) where id in (select id from d) order by id",
            "id\n3\n",
        ),
        (
            "select id from a full join b using (id) union all select id from a right join d using (id) order by id",
            "id\n1\n2\n3\n3\n4\n",
        ),
        (
            "select * from (select 1 as k) a full join (select 2 as k) b using (k) order by k",
            "k\n1\n2\n",
        ),
        (
            "select id, k, l, q from a full join (select id, k, 'x' as l, 7 as q from b) b2 using (id, l) order by id, l",
            "id,k,l,q\n1,5,x,7\n2,,y,\n3,6,x,7\n",
        ),
        ("select b.id, id from a full join b using (id) order by k, l", "id,id_1\n1,1\n3,3\n,2\n"),
        (
            "select a.id, 5 as id, b.id from a full join b using (id) order by k, l",
            "id,id_1,id_2\n1,5,1\n,5,3\n2,5,\n",
        ),
        ("select max(id) as m from a full join b using (id)", "m\n3\n"),
        (
            "select * from c, a full join b using (id) order by 1, 3",
            "k,r,id,l,k_1\n5,z,1,x,5\n5,z,2,y,\n5,z,3,,6\n6,w,1,x,5\n6,w,2,y,\n6,w,3,,6\n",
        ),
    ] {
        assert_eq!(csv(&engine(2), &format!("{tables} {select}")), expected, "{select}");
    }
    for (select, obstacle) in [
        ("select id from a natural full join b", "NATURAL with a right or full join"),
        ("select id from a full join b using (id) natural join d", "NATURAL with"),
        ("select id from a join b using (id) full join c using (k)", "USING (k) behind"),
        ("select id from d, (a full join b using (id))", "a join in parentheses with"),
        ("select id from (a full join b using (id))", "a join in parentheses with"),
        ("select * except (l) from a full join b using (id)", "'*' with further words"),
    ] {
        let error = answered(&engine(2), &format!("{tables} {select}")).unwrap_err().to_string();
        assert!(error.contains(obstacle), "{select}: {error}");
    }
}

/// Each statement asks the tables `a` and `b` below; DuckDB 2.0 answers the same.
const NULLS_AND_EQUAL_ROWS: &[(&str, &str)] = &[
    // Nothing is certainly not among rows of which one is NULL.
    ("select i from a where i not in (select j from b)", ""),
    ("select i from a where 7 not in (select j from b)", ""),
    ("select i from a where i = 9 or i not in (select j from b)", ""),
    ("select i from a where not (i = 9 or i in (select j from b)) or i = 1", "1\n"),
    ("select i from a where i in (select j from b) or i = 3 order by i", "2\n3\n"),
    ("select i from a where not (i not in (select j from b))", "2\n"),
    ("select i from a where i is null or i not in (select j from b where j > 1)", "1\n3\n\n"),
    ("select i from a where i not in (select j from b where j > 5) or i = 9", "1\n2\n3\n\n"),
    ("select i from a where 7 not in (select j from b where j > 5)", "1\n2\n3\n\n"),
    (
        "select i from a where case when i not in (select j from b) then false else true end",
        "1\n2\n3\n\n",
    ),
    ("select i from a where (i not in (select j from b)) is null", "1\n3\n\n"),
    ("select i from a where (i in (select j from b where j > 1)) is not true", "1\n3\n\n"),
    ("select i from a where i = 9 or i not in (select j from b where b.t = a.s)", "1\n\n"),
    (
        "select s, count(*) from a group by s having 'x' not in (select t from b) or s = 'y'",
        "y,1\n",
    ),
    // A value of a list that is not the same for every row.
    ("select i from a where s || '' not in ('q', case when i > 1 then 'x' end)", "3\n"),
    (
        "select i, s || '' in ('q', case when i > 1 then 'x' end) as c from a where i < 3",
        "1,\n2,true\n",
    ),
    ("select i from a where not (i in (1, null) and i not in (1, null))", "1\n"),
    // The right side ends before AND and OR.
    ("select i from a where i is distinct from 2 and s is null", "1\n"),
    ("select i from a where s = 'x' or not i is distinct from 3 and s is not null", "2\n3\n"),
    ("select i from a where not i is not distinct from 3 or s = 'y' and i > 1", "1\n2\n3\n\n"),
    ("select (i = 1) is distinct from (i = 2) and i = 2 as c from a where i = 1", "false\n"),
    (
        "select (i = 1) is distinct from (i = 2) or not i = 1 and s is null as c from a where i = 3",
        "false\n",
    ),
    // Equal rows, counted.
    ("select t from b except all select 'x'", "x\ny\n\n"),
    ("select t from b except all select s from a", "x\n"),
    ("select t from b intersect all select s from a", "x\ny\n\n"),
    ("select t from b except select 'x'", "y\n\n"),
    ("select t from b intersect select s from a", "x\ny\n\n"),
    ("select distinct t from b except all select s from a where i < 2", "x\ny\n"),
];

#[test]
fn nulls_among_rows_and_equal_rows_count_as_in_sql() {
    let tables = "with a(i, s) as (values (1, null), (2, 'x'), (3, 'y'), (null, 'z')), \
                  b(j, t) as (values (2, 'x'), (2, 'x'), (null, 'y'), (5, null))";
    for threads in [1, 2] {
        for (select, expected) in NULLS_AND_EQUAL_ROWS {
            let text = rows(&engine(threads), &format!("{tables} {select}"));
            let mut found: Vec<&str> = text.lines().collect();
            found.sort_by_key(|line| (line.is_empty(), *line));
            assert_eq!(found, expected.lines().collect::<Vec<_>>(), "{select}");
        }
    }
}

#[test]
fn c4_what_does_not_fit_names_file_line_and_column() {
    let directory = directory(&[
        ("wide.csv", "a,b\n1,2\n\"x\ny\",2\n1,2,3\n"),
        ("open.csv", "a,b\n1,2\n1,\"2\n"),
        ("behind.csv", "a,b\n1,\"2\"3\n"),
        ("latin.csv", "a,b\n1,2\n"),
        ("cut.jsonl", "{\"a\":1}\n{\"a\":\n"),
        ("word.jsonl", "{\"a\":1}\n{\"a\":yes}\n"),
        ("twice.jsonl", "{\"a\":1}\n\n{\"a\":1,\"a\":2}\n"),
        ("list.json", "[{\"a\":1}\n 2]"),
        (
            "facts.csv",
            "source,game,ply,fen,zobrist,white_pinned,black_pinned\nx,1,2,y,0123456789abcdef,0,0\nx,1,2,y,,-1,0\n",
        ),
        (
            "facts.jsonl",
            "{\"source\":\"x\",\"game\":1,\"ply\":1,\"fen\":\"x\",\"zobrist\":12,\"white_pinned\":1,\"black_pinned\":1}",
        ),
    ]);
    std::fs::write(directory.path().join("latin.csv"), b"a,b\n1,2\nx,\xfc\n").unwrap();
    for (name, expected) in [
        ("wide.csv", "line 5 has 3 values, expected 2"),
        ("open.csv", "line 3, byte 3: the quotation mark is not closed"),
        (
            "behind.csv",
            "line 2, byte 6: text after a closing quotation mark; inside a quoted value, quotation marks are doubled",
        ),
        ("latin.csv", "line 3, byte 3: not UTF-8"),
        ("cut.jsonl", "line 2: the object is not closed, found '{\"a\":'"),
        ("word.jsonl", "line 2, byte 6: expected a value"),
        ("twice.jsonl", "line 3, byte 12: the key 'a' occurs twice"),
        ("list.json", "line 2: expected ',' or ']', found '2]'"),
        ("facts.csv", "line 3, column white_pinned: '-1' is not an integer from 0 to 255"),
        ("facts.jsonl", "line 1, column zobrist: '12' is not a string of 16 hexadecimal digits"),
    ] {
        let table = quoted(directory.path(), name);
        let error =
            answered(&engine(2), &format!("select * from {table}")).unwrap_err().to_string();
        assert_eq!(error, format!("{}: {expected}", directory.path().join(name).display()));
    }
}

#[test]
fn c4_two_columns_of_one_name_are_told_apart() {
    let directory = directory(&[("two.csv", "id,id,,id\n1,2,3,4\n")]);
    let table = quoted(directory.path(), "two.csv");
    let found = answered(&engine(1), &format!("select * from {table}")).unwrap();
    let schema = found.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["id", "id_1", "column_3", "id_2"]);
    let found = rows(&engine(1), &format!("select id_1, id_2, column_3 from {table}"));
    assert_eq!(found, "2,4,3\n");
}

#[test]
fn c5_evaluations_clocks_and_masks_come_back() {
    // Values of tables that are not ours by their header, from the whole of the file.
    let directory = directory(&[
        ("evals.csv", &late("ply,eval\n", "1,0.25", "2,#2")),
        ("clocks.jsonl", &late("", r#"{"clock":null,"x":1}"#, r#"{"clock":59.5,"x":1}"#)),
        ("masks.csv", &late("ply,mask\n", "1,0000000000000000", "2,00000000000000ff")),
    ]);
    let typed = |name: &str, column: &str| {
        let table = quoted(directory.path(), name);
        let statement = format!(
            "select arrow_typeof({column}), {column} from {table} where {column} is not null \
             group by 1, 2 order by 2"
        );
        rows(&engine(2), &statement)
    };
    assert_eq!(typed("evals.csv", "eval"), "Utf8,#2\nUtf8,0.25\n");
    assert_eq!(typed("clocks.jsonl", "clock"), "Float64,59.5\n");
    assert_eq!(typed("masks.csv", "mask"), "Utf8,0000000000000000\nUtf8,00000000000000ff\n");
}

#[test]
fn a_row_that_never_ends_is_an_error_and_costs_little() {
    let directory = directory(&[]);
    let mut packed = zstd::Encoder::new(Vec::new(), 1).unwrap();
    for _ in 0..64 {
        std::io::Write::write_all(&mut packed, &vec![b'x'; 1 << 20]).unwrap();
    }
    std::fs::write(directory.path().join("long.csv.zst"), packed.finish().unwrap()).unwrap();
    let table = quoted(directory.path(), "long.csv.zst");
    let error = answered(&engine(1), &format!("select * from {table}")).unwrap_err().to_string();
    assert!(error.ends_with("line 1: the row that begins here is longer than 16 MiB"), "{error}");
}

#[test]
fn a20_an_external_table_takes_rows() {
    let directory = directory(&[("t/x.csv", "a,b\n1,one\n")]);
    let guard = sql::Guard { access: sql::Access::Writable, ..sql::Guard::default() };
    let settings = sql::Settings { guard, ..sql::Settings::default() };
    let engine = sql::Engine::new(settings).unwrap();
    let place = quoted(directory.path(), "t/");
    answered(&engine, &format!("create external table t stored as csv location {place}")).unwrap();
    answered(&engine, "insert into t values (2, ''), (3, null)").unwrap();
    let found = rows(&engine, "select a, b, b is null from t order by a");
    assert_eq!(found, "1,one,false\n2,\"\",false\n3,,true\n");
}

#[test]
fn a_described_file_is_read_with_its_own_separator() {
    let directory = directory(&[("x.txt", "1;a,b\n2;\n"), ("x.dsv", "n|t\n1|x\n")]);
    let engine = engine(1);
    let place = quoted(directory.path(), "x.txt");
    let create = format!(
        "create external table t (n int, t varchar) stored as csv location {place} \
         options ('format.delimiter' ';', 'format.has_header' 'false')"
    );
    answered(&engine, &create).unwrap();
    assert_eq!(rows(&engine, "select t, n from t"), "\"a,b\",1\n,2\n");
    let place = quoted(directory.path(), "x.dsv");
    let create = |name: &str, options: &str| {
        format!("create external table {name} stored as csv location {place} options ({options})")
    };
    answered(&engine, &create("d", "'format.delimiter' '|'")).unwrap();
    assert_eq!(rows(&engine, "select t, n from d"), "x,1\n");
    let refused = answered(&engine, &create("e", "'format.quote' 'x'")).unwrap_err().to_string();
    assert!(refused.starts_with("unknown option 'format.quote', expected"), "{refused}");
}

#[test]
fn files_that_come_and_go_are_seen_by_the_next_statement() {
    let directory = directory(&[("t/1.csv", "a\n1\n"), ("t/2.csv", "a\n2\n")]);
    let engine = engine(2);
    engine.add_table("named", directory.path().join("t").to_str().unwrap()).unwrap();
    let table = quoted(directory.path(), "t");
    let both = |expected: &str| {
        for table in [table.as_str(), "named"] {
            assert_eq!(rows(&engine, &format!("select sum(a) from {table}")), expected, "{table}");
        }
    };
    both("3\n");
    std::fs::write(directory.path().join("t/3.csv"), "a\n4\n").unwrap();
    both("7\n");
    std::fs::remove_file(directory.path().join("t/1.csv")).unwrap();
    both("6\n");
    // A file of the same length and another type.
    std::fs::write(directory.path().join("t/3.csv"), "a\nx\n").unwrap();
    assert_eq!(rows(&engine, &format!("select max(a) from {table}")), "x\n");
}
