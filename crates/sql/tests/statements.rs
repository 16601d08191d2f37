//! Statements and what must come of them; how they are written is said in `driver`.

mod driver;

#[test]
fn statements_answer_as_written() {
    let wrong = driver::differences(None);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_example_of_every_function_has_an_answer() {
    let engine = driver::engine("", None);
    let list = driver::rows(&engine, "select example from everyply.functions").unwrap();
    let examples: Vec<String> =
        list.lines().skip(1).map(|line| line.trim_matches('"').replace("\"\"", "\"")).collect();
    assert!(examples.len() > 10);
    for example in examples {
        let answer = driver::rows(&engine, &format!("select {example} as answer"));
        assert!(answer.is_ok(), "{example}: {answer:?}");
    }
}
