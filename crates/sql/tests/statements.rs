//! Statements and what must come of them; how they are written is said in `driver`.

mod driver;

use std::{fs, path::Path};

#[test]
fn statements_answer_as_written() {
    let wrong = driver::differences(None);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_example_of_every_function_has_an_answer() {
    let engine = driver::engine("", None);
    let calls = "select case gives when 'table' then 'select * from ' else 'select ' end || example \
        as call from everyply.functions";
    let list = driver::rows(&engine, calls).unwrap();
    let calls: Vec<String> =
        list.lines().skip(1).map(|line| line.trim_matches('"').replace("\"\"", "\"")).collect();
    assert!(calls.len() > 20);
    for call in calls {
        let answer = driver::rows(&engine, &call);
        assert!(answer.is_ok(), "{call}: {answer:?}");
    }
}

#[test]
fn the_guide_names_every_function() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sql.md");
    let guide = fs::read_to_string(guide).unwrap();
    let names =
        driver::rows(&driver::engine("", None), "select name from everyply.functions").unwrap();
    for name in names.lines().skip(1) {
        assert!(guide.contains(&format!("`{name}(")), "{name}");
    }
}
