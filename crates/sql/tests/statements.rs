//! Statements and what must come of them; how they are written is said in `driver`.

mod driver;

use std::{fs, path::Path};

use kalah::{Kalah, Rules};
use solver::{Access, Header, Limits, Next, solve};

const GAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

#[test]
fn statements_answer_as_written() {
    let wrong = driver::differences(None);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_example_of_every_function_has_an_answer() {
    let engine = driver::engine("", None);
    let directory = tempfile::tempdir().unwrap();
    let store = solved(directory.path());
    let calls = "select case gives when 'table' then 'select * from ' else 'select ' end || example \
        as call from everyply.functions";
    let list = driver::rows(&engine, calls).unwrap();
    let calls: Vec<String> =
        list.lines().skip(1).map(|line| line.trim_matches('"').replace("\"\"", "\"")).collect();
    assert!(calls.len() > 20);
    for call in calls {
        let call = call.replace("sqlite:kalah-4x3-std_either.sqlite", &store);
        let call = call.replace("'games.pgn'", &format!("'{GAMES}'"));
        let answer = driver::rows(&engine, &call);
        assert!(answer.is_ok(), "{call}: {answer:?}");
    }
}

#[test]
fn a_solved_game_of_kalah_is_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let store = solved(directory.path());
    let engine = driver::engine("", None);
    let asked = |what: &str| driver::rows(&engine, &format!("{what} from kalah_store('{store}')"));
    let value = "select value from kalah_store('STORE') where position = '1,1/1,1'";
    let value = driver::rows(&engine, &value.replace("STORE", &store)).unwrap();
    assert_eq!(value, "value\n2\n");
    let counts = asked("select count(*) as n, count(value) as settled").unwrap();
    let (n, settled) = counts.lines().nth(1).unwrap().split_once(',').unwrap();
    assert_eq!(n, settled);
    let answer = engine.sql(&format!("select * from kalah_store('{store}')")).unwrap();
    let expected = tables::kalah::POSITIONS.schema();
    let described = |schema: &arrow::datatypes::Schema| -> Vec<(String, String)> {
        let fields = schema.fields().iter();
        fields.map(|field| (field.name().clone(), field.data_type().to_string())).collect()
    };
    assert_eq!(described(answer.schema()), described(&expected));
    drop(answer);
    let missing = driver::rows(&engine, "select * from kalah_store('sqlite:nothing.sqlite')");
    assert!(missing.unwrap_err().to_string().contains("kalah_store('sqlite:nothing.sqlite')"));
}

/// Kalah of two pits and one seed, solved; the URL of its store.
fn solved(directory: &Path) -> String {
    let url = format!("sqlite:{}", directory.join("kalah.sqlite").display());
    let kalah = Kalah::new(2, 1, Rules::STD_EITHER).unwrap();
    let mut store = stores::open(&url, Access::Create(Header::of(&kalah))).unwrap();
    solve(&kalah, &mut *store, &Limits::default(), &mut |_| Next::Continue).unwrap();
    url
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
