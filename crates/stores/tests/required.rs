//! Tests that do not run because something is missing say so, or fail where it is required.

mod servers;

#[test]
fn what_is_missing_fails_the_test_where_it_is_required() {
    let test = "what_is_missing_fails_the_test_where_it_is_required";
    if std::env::var_os("EVERYPLY_MISSING").is_some() {
        return servers::not_run("a tool is missing");
    }
    for (required, fails) in [("1", true), ("0", false), ("", false)] {
        let variables = [("EVERYPLY_REQUIRE", required), ("EVERYPLY_MISSING", "tool")];
        let output = servers::child(test, &variables).output();
        let output = output.expect("this program can be run");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(!output.status.success(), fails, "{required}: {said}");
        assert!(said.contains("a tool is missing"), "{required}: {said}");
    }
}
