//! What a test needs and does not find.

/// Says that a test does not run because something is missing. Where everything must be there,
/// as in `cargo xtask test`, that is a failure.
pub(crate) fn not_run(why: &str) {
    let required = std::env::var_os("EVERYPLY_REQUIRE").is_some_and(|value| value == "1");
    assert!(!required, "{why}, and EVERYPLY_REQUIRE=1 requires it");
    println!("not run: {why}");
}
