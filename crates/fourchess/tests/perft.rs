//! Node counts of other engines, reproduced by the crate and by the slow twin.

use fourchess::{EnPassant, KingCapture, Position, Rules, divide, perft};

#[allow(dead_code, reason = "each test asks for a part of it")]
mod twin;

use twin::Twin;

struct Row<'a> {
    line: usize,
    fen: &'a str,
    ruleset: &'a str,
    depth: u32,
    nodes: u64,
}

fn rows() -> Vec<Row<'static>> {
    let text = include_str!("../../../fixtures/fourchess/perft4.csv");
    let row = |(index, line): (usize, &'static str)| {
        let (fen, rest) = line.strip_prefix('"').unwrap().split_once("\",").unwrap();
        let mut fields = rest.split(',');
        let mut field = || fields.next().unwrap();
        let (ruleset, depth, nodes) = (field(), field(), field());
        let (depth, nodes) = (depth.parse().unwrap(), nodes.parse().unwrap());
        Row { line: index + 1, fen, ruleset, depth, nodes }
    };
    let rows: Vec<Row<'_>> = text.lines().enumerate().skip(1).map(row).collect();
    assert_eq!(rows.len(), 251);
    rows
}

/// The rules behind a name of the file, and whether moves may leave the king in check.
///
/// Engines differ in two choices, which are fields of the rules. `-ep2`: a pawn move onto an
/// occupied passed square is two moves. `-kingcap-*`: after a king was taken, play goes on
/// without it, or the line ends there, as when that ends the game.
fn rules(ruleset: &str) -> (Rules, bool) {
    let (preset, variant) = ruleset.split_once('-').unwrap_or((ruleset, ""));
    let mut rules = *Rules::named(preset).unwrap();
    match variant {
        "" => {}
        "ep2" => rules.en_passant = EnPassant::TwoMoves,
        "kingcap-continues" => rules.king_capture = KingCapture::Continues,
        "kingcap-leaf" => rules.king_capture = KingCapture::EndsGame,
        "pseudo" => rules.en_passant = EnPassant::TwoMoves,
        other => panic!("unknown variant {other}"),
    }
    (rules, variant == "pseudo")
}

fn is_slow() -> bool {
    std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1")
}

/// Rows up to `nodes`, up to `slow_nodes` under `EVERYPLY_SLOW=1`; says what was left out.
fn each_row(nodes: u64, slow_nodes: u64, check: impl Fn(&Row<'_>) -> bool) {
    let limit = if is_slow() { slow_nodes } else { nodes };
    let (within, beyond): (Vec<_>, Vec<_>) = rows().into_iter().partition(|row| row.nodes <= limit);
    let checked = within.iter().filter(|row| check(row)).count();
    assert!(checked > 0);
    println!("{checked} rows reproduced; not run: {} of more than {limit} nodes", beyond.len());
}

#[test]
fn every_count_of_legal_moves_is_reproduced() {
    each_row(10_000_000, 100_000_000, |row| {
        let (rules, pseudo) = rules(row.ruleset);
        if pseudo {
            return false;
        }
        let position = Position::from_fen(row.fen, &rules).unwrap();
        let nodes = perft(&position, &rules, row.depth);
        assert_eq!(nodes, row.nodes, "line {}", row.line);
        true
    });
}

#[test]
fn the_twin_reproduces_legal_and_pseudo_legal_counts() {
    each_row(3_000, 150_000, |row| {
        let (rules, pseudo) = rules(row.ruleset);
        let twin = Twin::new(&Position::from_fen(row.fen, &rules).unwrap(), &rules);
        let nodes = if pseudo { twin.pseudo_perft(row.depth) } else { twin.perft(row.depth) };
        assert_eq!(nodes, row.nodes, "line {} {}", row.line, row.ruleset);
        true
    });
}

#[test]
fn the_lines_of_each_move_add_up() {
    let rules = &Rules::FFA;
    let start = Position::start(rules);
    let lines = divide(&start, rules, 3);
    assert_eq!(lines.len(), 20);
    assert_eq!(lines.iter().map(|(_, lines)| lines).sum::<u64>(), 7_800);
    assert_eq!(perft(&start, rules, 0), 1);
}
