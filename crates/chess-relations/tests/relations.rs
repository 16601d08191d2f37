//! Plans against the bitboards.

use chess::Position;
use chess_relations::{Relations, Rules, Timeline, positions};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};

fn context(threads: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(threads);
    SessionContext::new_with_config(config.set_bool("datafusion.optimizer.join_reordering", false))
}

fn rows(context: &SessionContext, fens: &[&str]) -> DataFrame {
    let row = |fen: &&str| positions::Row::of(&Position::from_fen(fen.as_bytes()).unwrap());
    let rows: Vec<positions::Row> = fens.iter().map(row).collect();
    context.read_batch(positions::batch(&rows)).unwrap()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[tokio::test]
async fn quick() {
    let relations = Relations::new(&Rules::named("standard").unwrap());
    let context = context(1);
    for merge in [false, true] {
        for depth in 1..=4 {
            let start = std::time::Instant::now();
            let plan = relations.perft(rows(&context, &[START]), depth, merge).unwrap();
            let planned = start.elapsed();
            plan.clone().show().await.unwrap();
            println!("{depth} {merge} {:?} {:?}", planned, start.elapsed());
        }
    }
    let timeline = Timeline { plies: 2, every_ply: true, merge: false };
    let t = relations.timeline(rows(&context, &[START]), timeline).unwrap();
    t.clone().explain(false, false).unwrap().show().await.unwrap();
    println!("{}", t.clone().count().await.unwrap());
    t.limit(0, Some(5)).unwrap().show().await.unwrap();
    relations.outcomes(rows(&context, &[START])).unwrap().show().await.unwrap();
    relations
        .threats(rows(&context, &[START]))
        .unwrap()
        .limit(0, Some(5))
        .unwrap()
        .show()
        .await
        .unwrap();
    relations
        .candidates(rows(&context, &[START]))
        .unwrap()
        .limit(0, Some(5))
        .unwrap()
        .show()
        .await
        .unwrap();
    println!(
        "{}",
        relations.perspectives(rows(&context, &[START])).unwrap().count().await.unwrap()
    );
}
