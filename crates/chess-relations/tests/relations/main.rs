//! Plans against the bitboards, and against a slow and obvious chess with variants.

mod merging;
mod plans;
mod rules;
mod twin;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chess::{Color, Epd, File, Position, Uci};
use chess_relations::{Relations, Rules, Timeline, positions};
use datafusion::{
    arrow::{
        array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch, StringArray},
        compute::{cast, concat_batches},
        datatypes::{DataType, Int64Type, UInt64Type},
    },
    prelude::{DataFrame, SessionConfig, SessionContext, col},
};
use twin::{Twin, Variant};

const PERFTSUITE: &str = include_str!("../../../../fixtures/chess/perft/perftsuite.epd");
const TRICKY: &str = include_str!("../../../../fixtures/chess/perft/tricky.epd");
const CHESS960: &str = include_str!("../../../../fixtures/chess/perft/chess960.epd");
const POSITIONS: &str = include_str!("../../../../fixtures/chess/fens/positions.tsv");
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn context(threads: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(threads);
    SessionContext::new_with_config(config.set_bool("datafusion.optimizer.join_reordering", false))
}

fn relations(variant: &str) -> Relations {
    Relations::new(&Rules::named(variant).unwrap())
}

/// Positions as rows, each with its number as `id`.
fn numbered(context: &SessionContext, positions: &[Position]) -> DataFrame {
    let rows: Vec<positions::Row> = positions.iter().map(positions::Row::of).collect();
    let batch = positions::batch(&rows);
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows.len() as i64));
    let schema = batch.schema();
    let named = schema.fields().iter().map(|f| f.name().clone()).zip(batch.columns().to_vec());
    let columns = named.chain([("id".to_owned(), ids)]);
    context.read_batch(RecordBatch::try_from_iter(columns).unwrap()).unwrap()
}

fn suite(text: &str) -> Vec<Position> {
    text.lines().map(|line| line.parse::<Epd>().unwrap().position).collect()
}

/// Whether castling, if any, is that of a game from the usual start: the twin knows no other.
fn is_usual(position: &Position) -> bool {
    position.castling_rooks().into_iter().all(|rook| {
        let color = if rook.index() < 8 { Color::White } else { Color::Black };
        position.king(color).file() == File::E && matches!(rook.file(), File::A | File::H)
    })
}

fn usual(step: usize) -> Vec<Position> {
    sample().into_iter().filter(is_usual).step_by(step).collect()
}

fn sample() -> Vec<Position> {
    let fens = POSITIONS.lines().map(|line| line.split('\t').next().unwrap());
    fens.map(|fen| Position::from_fen(fen).unwrap()).collect()
}

async fn collect(plan: DataFrame) -> RecordBatch {
    let schema = Arc::new(plan.schema().as_arrow().clone());
    let batches = plan.collect().await.unwrap();
    concat_batches(&schema, &batches).unwrap()
}

fn numbers(batch: &RecordBatch, column: &str) -> Vec<i64> {
    batch.column_by_name(column).unwrap().as_primitive::<Int64Type>().values().to_vec()
}

fn masks(batch: &RecordBatch, column: &str) -> Vec<u64> {
    batch.column_by_name(column).unwrap().as_primitive::<UInt64Type>().values().to_vec()
}

fn texts(batch: &RecordBatch, column: &str) -> Vec<Option<String>> {
    let array = batch.column_by_name(column).unwrap();
    let array: &StringArray = array.as_string();
    array.iter().map(|text| text.map(str::to_owned)).collect()
}

fn truths<'a>(batch: &'a RecordBatch, column: &str) -> &'a BooleanArray {
    batch.column_by_name(column).unwrap().as_boolean()
}

async fn perft(relations: &Relations, positions: &[Position], depth: u32, merge: bool) -> Vec<i64> {
    let plan = relations.perft(numbered(&context(2), positions), depth, merge).unwrap();
    let counts = collect(plan).await;
    let nodes = masks(&counts, "nodes").into_iter().map(|nodes| nodes as i64);
    let by_id: BTreeMap<i64, i64> = numbers(&counts, "id").into_iter().zip(nodes).collect();
    by_id.into_values().collect()
}

/// The moves of every position, by its number.
async fn moves(relations: &Relations, positions: &[Position]) -> Vec<BTreeSet<String>> {
    let plan = relations.legal_moves(numbered(&context(2), positions)).unwrap();
    let rows = collect(plan).await;
    let mut moves = vec![BTreeSet::new(); positions.len()];
    for (id, uci) in numbers(&rows, "id").into_iter().zip(texts(&rows, "uci")) {
        assert!(moves[id as usize].insert(uci.unwrap()), "no move comes twice");
    }
    moves
}

fn bitboard_moves(position: &Position) -> BTreeSet<String> {
    position.legal_moves().iter().map(|mv| Uci::of(position, mv).to_string()).collect()
}

fn is_slow() -> bool {
    std::env::var("EVERYPLY_SLOW").is_ok_and(|value| value == "1")
}

#[tokio::test]
async fn the_suites_have_the_counts_of_the_bitboards() {
    for (rules, name, text) in
        [("standard", "perftsuite", PERFTSUITE), ("chess960", "tricky", TRICKY)]
    {
        let (standard, positions) = (relations(rules), suite(text));
        for depth in 1..=3 {
            let expected: Vec<i64> =
                positions.iter().map(|position| chess::perft(position, depth) as i64).collect();
            for merge in [false, true] {
                let counted = perft(&standard, &positions, depth, merge).await;
                assert_eq!(counted, expected, "{name} to depth {depth}, merged: {merge}");
            }
        }
    }
}

#[tokio::test]
async fn deep_counts_are_the_published_ones() {
    if !is_slow() {
        println!("not run: depth 6 of the start position (EVERYPLY_SLOW=1)");
        return;
    }
    let standard = relations("standard");
    let kiwipete = Position::from_fen(KIWIPETE).unwrap();
    assert_eq!(perft(&standard, &[kiwipete], 4, false).await, [4_085_603]);
    for merge in [true, false] {
        assert_eq!(perft(&standard, &[Position::default()], 6, merge).await, [119_060_324]);
    }
}

#[tokio::test]
async fn ten_thousand_positions_in_one_plan_have_the_moves_of_the_bitboards() {
    let positions = sample();
    assert!(positions.len() > 10_000);
    let found = moves(&relations("chess960"), &positions).await;
    for (position, found) in positions.iter().zip(found) {
        assert_eq!(found, bitboard_moves(position), "{position}");
    }
}

#[tokio::test]
async fn children_are_the_positions_after_the_moves() {
    let positions: Vec<Position> = sample().into_iter().step_by(40).collect();
    let plan = relations("chess960").children(numbered(&context(1), &positions)).unwrap();
    let rows = collect(plan).await;
    let ids = numbers(&rows, "id").into_iter().zip(texts(&rows, "uci"));
    for ((id, uci), after) in ids.zip(boards(&rows)) {
        let before = &positions[id as usize];
        let mv = uci.as_ref().unwrap().parse::<Uci>().unwrap().find(before).unwrap();
        let (after, expected) = (after.position().unwrap(), before.play(mv));
        assert_eq!(after, expected, "{before} {uci:?}: {after} is not {expected}");
    }
}

/// The positions of a table.
fn boards(rows: &RecordBatch) -> Vec<positions::Row> {
    let column = |name: &str| {
        let column = cast(rows.column_by_name(name).unwrap(), &DataType::UInt64).unwrap();
        column.as_primitive::<UInt64Type>().values().to_vec()
    };
    let columns = positions::COLUMNS.map(column);
    (0..rows.num_rows()).map(|row| positions::Row(columns.each_ref().map(|c| c[row]))).collect()
}

#[tokio::test]
async fn chess960_castles_by_its_rows() {
    let positions = suite(CHESS960);
    let found = moves(&relations("chess960"), &positions).await;
    for (position, found) in positions.iter().zip(found) {
        assert_eq!(found, bitboard_moves(position), "{}", position.shredder_fen());
    }
    let few: Vec<Position> = positions.into_iter().step_by(9).collect();
    let expected: Vec<i64> = few.iter().map(|position| chess::perft(position, 3) as i64).collect();
    assert_eq!(perft(&relations("chess960"), &few, 3, false).await, expected);
}

#[tokio::test]
async fn crowned_knights_move_as_the_twin_says() {
    let variant = Variant { crowned_knights: true, ..Variant::default() };
    let positions = usual(8);
    let crowned = relations("crowned-knights");
    compare_with_twin(&crowned, &positions, variant).await;
    let few = [suite(TRICKY), vec![Position::default()]].concat();
    let playable: Vec<Position> =
        few.into_iter().filter(is_usual).filter(|p| is_playable(p, variant)).collect();
    let expected: Vec<i64> =
        playable.iter().map(|position| Twin::of(position, variant).perft(2) as i64).collect();
    assert_eq!(perft(&crowned, &playable, 2, false).await, expected);
}

#[tokio::test]
async fn without_the_row_of_the_double_step_pawns_step_once() {
    let standard = Rules::named("standard").unwrap().to_csv();
    let edited: String = standard
        .lines()
        .filter(|line| !line.starts_with("pawn first step") && !line.starts_with("pawn double"))
        .map(|line| format!("{line}\n"))
        .collect();
    let edited = Relations::new(&Rules::from_csv(&edited).unwrap());
    let variant = Variant { no_double_step: true, ..Variant::default() };
    let mut positions = usual(20);
    // Without double steps no position has a pawn that has just made one.
    positions.retain(|position| position.en_passant().is_none());
    compare_with_twin(&edited, &positions, variant).await;
    let start = Position::default();
    let expected = Twin::of(&start, variant).perft(3) as i64;
    assert_eq!(perft(&edited, &[start], 3, true).await, [expected]);
}

#[tokio::test]
async fn standard_chess_is_that_of_the_twin() {
    let positions = usual(12);
    compare_with_twin(&relations("standard"), &positions, Variant::default()).await;
}

/// A position in which the side that has just moved left its king under attack is none.
fn is_playable(position: &Position, variant: Variant) -> bool {
    let twin = Twin::of(position, variant);
    let them = !twin.turn();
    let pieces = (0..64).filter(|cell| twin.at(*cell).is_some_and(|man| man.color == twin.turn()));
    let king = (0..64)
        .find(|cell| twin.at(*cell) == Some(chess::Piece { color: them, role: chess::Role::King }));
    !pieces.into_iter().any(|cell| twin.attacked_from(cell).contains(&king.unwrap()))
}

/// Moves, checks and outcomes of positions.
async fn compare_with_twin(relations: &Relations, positions: &[Position], variant: Variant) {
    let positions: Vec<Position> =
        positions.iter().filter(|position| is_playable(position, variant)).copied().collect();
    let found = moves(relations, &positions).await;
    for (position, found) in positions.iter().zip(&found) {
        let twin = Twin::of(position, variant);
        let expected: BTreeSet<String> = twin.legal().into_iter().map(|(uci, _)| uci).collect();
        assert_eq!(*found, expected, "{position}");
    }
    let rows = collect(relations.outcomes(numbered(&context(2), &positions)).unwrap()).await;
    assert_eq!(rows.num_rows(), positions.len());
    let (outcomes, counts) = (texts(&rows, "ending"), numbers(&rows, "legal_moves"));
    for (row, id) in numbers(&rows, "id").into_iter().enumerate() {
        let twin = Twin::of(&positions[id as usize], variant);
        let in_check = truths(&rows, "check").value(row);
        let moves = found[id as usize].len();
        let outcome = match (moves, in_check) {
            (0, true) => Some("checkmate"),
            (0, false) => Some("stalemate"),
            _ => None,
        };
        assert_eq!(in_check, twin.is_check(), "{}", positions[id as usize]);
        assert_eq!(counts[row], moves as i64);
        assert_eq!(outcomes[row].as_deref(), outcome);
    }
}

#[tokio::test]
async fn mates_and_stalemates_are_told() {
    let fens = [
        ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", Some("checkmate"), true, 0),
        ("k7/8/1Q6/8/8/8/8/7K b - - 0 1", Some("stalemate"), false, 0),
        ("7k/5N2/6K1/8/8/8/8/8 b - - 0 1", None, true, 1),
    ];
    let positions: Vec<Position> =
        fens.iter().map(|(fen, ..)| Position::from_fen(fen).unwrap()).collect();
    let plan = relations("standard").outcomes(numbered(&context(1), &positions)).unwrap();
    let rows = collect(plan.sort(vec![col("id").sort(true, true)]).unwrap()).await;
    for (row, (fen, outcome, in_check, moves)) in fens.into_iter().enumerate() {
        assert_eq!(texts(&rows, "ending")[row].as_deref(), outcome, "{fen}");
        assert_eq!(truths(&rows, "check").value(row), in_check, "{fen}");
        assert_eq!(numbers(&rows, "legal_moves")[row], moves, "{fen}");
    }
    // Nothing comes of the first two, which is a count of 0 and not a row that is missing.
    assert_eq!(perft(&relations("standard"), &positions, 2, false).await[..2], [0, 0]);
}

#[tokio::test]
async fn candidates_are_legal_where_the_legal_moves_say_so() {
    let mut positions = usual(25);
    for fen in ["r3k2r/8/8/8/8/8/8/R2rK2R w KQkq - 0 1", "4k3/8/8/8/2b5/8/8/R3K2R w KQ - 0 1"] {
        positions.push(fen.parse().unwrap());
    }
    let rows =
        collect(relations("standard").candidates(numbered(&context(1), &positions)).unwrap()).await;
    let mut all = vec![BTreeMap::new(); positions.len()];
    let whys = texts(&rows, "why");
    let mut reasons = BTreeSet::new();
    for (row, id) in numbers(&rows, "id").into_iter().enumerate() {
        let uci = texts_at(&rows, "uci", row);
        let (is_legal, why) = (truths(&rows, "is_legal").value(row), &whys[row]);
        assert_eq!(why.is_none(), is_legal, "{uci}");
        if let Some(why) = why {
            let piece = texts_at(&rows, "piece", row);
            assert_eq!(*why, reason(&positions[id as usize], &uci, &piece), "{uci}");
            reasons.insert(why.clone());
        }
        all[id as usize].insert(uci, is_legal);
    }
    assert_eq!(reasons.len(), 5, "{reasons:?}");
    for (position, all) in positions.iter().zip(all) {
        let twin = Twin::of(position, Variant::default());
        let pseudo: BTreeSet<String> = twin.pseudo().into_iter().map(|(uci, _)| uci).collect();
        let legal: BTreeSet<String> =
            all.iter().filter(|(_, is_legal)| **is_legal).map(|(uci, _)| uci.clone()).collect();
        assert_eq!(legal, bitboard_moves(position), "{position}");
        assert!(pseudo.iter().all(|uci| all.contains_key(uci)), "{position}");
    }
}

/// Why a move is not legal, from what the position says.
fn reason(position: &Position, uci: &str, piece: &str) -> &'static str {
    let files = |at: usize| i16::from(uci.as_bytes()[at]);
    let castles = piece == "king" && (files(0) - files(2)).abs() == 2;
    match (castles, piece == "king", position.is_check()) {
        (true, _, true) => "castles out of check",
        (true, _, false) => "castles through check",
        (false, true, _) => "moves into check",
        (false, false, true) => "still in check",
        (false, false, false) => "pinned",
    }
}

fn texts_at(batch: &RecordBatch, column: &str, row: usize) -> String {
    batch.column_by_name(column).unwrap().as_string::<i32>().value(row).to_owned()
}

#[tokio::test]
async fn threats_are_what_the_other_side_attacks() {
    let positions: Vec<Position> = sample().into_iter().step_by(25).collect();
    let rows =
        collect(relations("standard").threats(numbered(&context(1), &positions)).unwrap()).await;
    let mut found = vec![BTreeSet::new(); positions.len()];
    for (row, id) in numbers(&rows, "id").into_iter().enumerate() {
        let hits = rows.column_by_name("target_piece").unwrap();
        let target = texts_at(&rows, "to", row);
        let is_foe = truths(&rows, "is_foe").value(row);
        found[id as usize].insert((
            texts_at(&rows, "from", row),
            target,
            hits.is_valid(row),
            is_foe,
        ));
    }
    for (position, found) in positions.iter().zip(found) {
        let twin = Twin::of(position, Variant::default());
        let mut expected = BTreeSet::new();
        for from in (0..64).filter(|cell| twin.at(*cell).is_some_and(|m| m.color != twin.turn())) {
            for to in twin.attacked_from(from) {
                let man = twin.at(to);
                let is_foe = man.is_some_and(|man| man.color == twin.turn());
                expected.insert((twin::name(from), twin::name(to), man.is_some(), is_foe));
            }
        }
        assert_eq!(found, expected, "{position}");
    }
}

#[tokio::test]
async fn every_man_sees_every_cell() {
    let start = numbered(&context(1), &[Position::default()]);
    let rows = collect(relations("standard").perspectives(start).unwrap()).await;
    assert_eq!(rows.num_rows(), 2_048);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for row in 0..rows.num_rows() {
        *seen.entry(texts_at(&rows, "sees", row)).or_default() += 1;
    }
    let expected = [("ally", 32 * 15), ("empty", 32 * 32), ("foe", 32 * 16), ("self", 32)];
    assert_eq!(seen, expected.map(|(who, count)| (who.to_owned(), count)).into());
}

#[tokio::test]
async fn a_timeline_has_every_ply_with_its_parent() {
    let start = [Position::default()];
    let standard = relations("standard");
    let asked = Timeline { plies: 3, every_ply: true, merge: false };
    let rows = collect(standard.timeline(numbered(&context(2), &start), asked).unwrap()).await;
    let plies = masks(&rows, "ply");
    let count = |ply: u64| plies.iter().filter(|found| **found == ply).count();
    assert_eq!([0, 1, 2, 3].map(count), [1, 20, 400, 8_902]);
    let paths: BTreeSet<String> = texts(&rows, "path").into_iter().map(Option::unwrap).collect();
    assert_eq!(paths.len(), 9_323);
    for (path, parent) in texts(&rows, "path").into_iter().zip(texts(&rows, "parent")) {
        let path = path.unwrap();
        let expected = match path.rsplit_once(' ') {
            Some((before, _)) => Some(before.to_owned()),
            None => (!path.is_empty()).then(String::new),
        };
        assert_eq!(parent, expected, "the parent of {path:?}");
        assert!(parent.is_none_or(|parent| paths.contains(&parent)));
    }
    let ends = Timeline { every_ply: false, ..asked };
    let rows = collect(standard.timeline(numbered(&context(1), &start), ends).unwrap()).await;
    assert_eq!(rows.num_rows(), 8_902);
    let merged = Timeline { merge: true, ..asked };
    let rows = collect(standard.timeline(numbered(&context(2), &start), merged).unwrap()).await;
    let ways: u64 = masks(&rows, "multiplicity").iter().sum();
    assert_eq!(ways, 9_323);
    assert!(rows.num_rows() < 6_000, "{} positions", rows.num_rows());
}
