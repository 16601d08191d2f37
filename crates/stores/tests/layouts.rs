//! The layouts in docs/stores.md are those of real stores.

use std::fs;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rusqlite::Connection;
use solver::{Access, FORMAT, Found, Header, Stage};

fn documented() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/stores.md");
    fs::read_to_string(path).expect("the page is there")
}

fn begin(url: &str) {
    let header = Header { game: "any".to_owned(), key_bits: 63, format: FORMAT };
    let mut store = stores::open(url, Access::Create(header)).unwrap();
    let found = Found { key: game::Key(5), depth: 2 };
    store.add(game::Rank { level: 1, step: 2 }, &[found]).unwrap();
    store.commit(Stage::Solved).unwrap();
}

#[test]
fn tables_of_sqlite_are_as_documented() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.db");
    begin(&format!("sqlite:{}", path.display()));
    let database = Connection::open(&path).unwrap();
    let mut tables =
        database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let tables: Vec<String> = tables.map(Result::unwrap).collect();
    assert_eq!(tables.len(), 4);
    for table in tables {
        assert!(documented().contains(&format!("{table};")), "{table}");
    }
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let columns = "SELECT level, step, key, depth FROM rows WHERE value IS NULL";
    assert_eq!(database.query_row(columns, [], read), Ok((1, 2, 5, 2)));
    let id: i32 = database.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
    assert!(documented().contains(&format!("application id is {id:#x}")));
}

#[test]
fn columns_of_parts_are_as_documented() {
    let directory = tempfile::tempdir().unwrap();
    begin(&format!("file:{}", directory.path().display()));
    let files = fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().path());
    let part = files.into_iter().find(|file| file.extension().is_some_and(|end| end == "parquet"));
    let part = fs::File::open(part.expect("there is a part")).unwrap();
    let part = ParquetRecordBatchReaderBuilder::try_new(part).unwrap();
    for field in part.schema().fields() {
        let kind = field.data_type();
        let documented = documented();
        assert!(documented.contains(&format!("`{}` ({kind}", field.name())), "{field}");
    }
    let about = part.metadata().file_metadata().key_value_metadata().expect("there is some");
    let about = |key: &str| {
        let pair = about.iter().find(|pair| pair.key == key);
        pair.and_then(|pair| pair.value.clone()).expect("it is there")
    };
    for key in ["everyply.schema", "everyply.version"] {
        assert!(documented().contains(&format!("`{key}` = `{}`", about(key))), "{key}");
    }
    assert_eq!(about("everyply.game"), "any");
}

#[test]
fn the_statement_of_the_page_on_kalah_reads_packed_keys() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kalah.sqlite");
    let kalah = kalah::Kalah::new(3, 3, kalah::Rules::STD_EITHER).unwrap();
    let access = solver::Access::Create(solver::Header::of(&kalah));
    let mut store = stores::open(&format!("sqlite:{}", path.display()), access).unwrap();
    let limits = solver::Limits::default();
    solver::solve(&kalah, &mut *store, &limits, &mut |_| solver::Next::Continue).unwrap();
    let mut expected = Vec::new();
    store
        .scan(game::Rank::default()..=game::Rank::MAX, &mut |rows| {
            for row in rows.iter().filter(|row| row.depth == 1) {
                let position = game::Game::unpack(&kalah, row.key).unwrap();
                let pits = position.own().pits().iter().chain(position.other().pits());
                let mut cells: Vec<i64> = pits.map(|pit| i64::from(*pit)).collect();
                let verdict = row.verdict.unwrap();
                cells.extend::<[i64; 2]>([verdict.score.0.into(), verdict.best.unwrap().0.into()]);
                expected.push(cells);
            }
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    drop(store);
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kalah.md");
    let page = std::fs::read_to_string(page).unwrap();
    let statement = page.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    let database = Connection::open(&path).unwrap();
    let mut statement = database.prepare(statement).unwrap();
    let read = |row: &rusqlite::Row<'_>| (0..8).map(|at| row.get(at)).collect();
    let rows: Vec<Vec<i64>> =
        statement.query_map([], read).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!((rows.len(), &rows), (3, &expected));
}
