//! What is said of a few positions.

use chess::Position;
use chess_facts::{Level, facts, words};

#[test]
fn facts_are_said_in_sentences() {
    let cases = [
        (
            "4k3/8/4n3/8/8/8/8/4RK2 w - - 0 1",
            "the knight on e6 is pinned to the king on e8 by the rook on e1",
        ),
        (
            "3qk3/8/5n2/6B1/8/8/8/6K1 w - - 0 1",
            "the knight on f6 is pinned to the queen on d8 by the bishop on g5",
        ),
        (
            "4r1k1/8/8/8/4q3/8/8/4R1K1 b - - 0 1",
            "the queen on e4 is skewered against the rook on e8 by the rook on e1",
        ),
        (
            "4k3/8/8/3p4/8/8/8/3R2K1 w - - 0 1",
            "the pawn on d5 hangs: capturing it gains 1; it is attacked by the rook on d1",
        ),
        (
            "4k3/8/8/1q3r2/3N4/8/8/6K1 b - - 0 1",
            "the knight on d4 forks the queen on b5 and the rook on f5",
        ),
        ("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1", "the king on e8 is in check from the rook on e1"),
        (
            "r3k3/8/8/3N4/8/8/8/6K1 w - - 0 1",
            "the knight on d5 can go to c7 and fork the rook on a8 and the king on e8",
        ),
        ("3q2k1/1P6/8/8/8/8/8/6K1 w - - 0 1", "the pawn on b7 is passed"),
        (
            "4k3/8/8/q7/8/2B5/7R/4K3 b - - 0 1",
            "the bishop on c3 is pinned to the king on e1 by the queen on a5",
        ),
        (
            "4k3/8/8/4N3/8/8/4R3/6K1 w - - 0 1",
            "the knight on e5 can uncover an attack by the rook on e2 on the king on e8",
        ),
        ("4k3/8/8/8/8/8/R7/Q5K1 w - - 0 1", "the queen on a1 and the rook on a2 form a battery"),
        ("4k3/p7/8/8/8/8/P1P5/6K1 w - - 0 1", "the c-file is half-open for black"),
        ("4k3/p7/8/8/8/8/P1P5/6K1 w - - 0 1", "the d-file is open"),
        ("4k3/p7/8/8/8/8/P1P5/6K1 w - - 0 1", "white has 2 pawn islands"),
    ];
    for (fen, expected) in cases {
        let position: Position = fen.parse().unwrap();
        let sentences = words::sentences(&facts(&position, Level::Everything));
        let texts: Vec<String> = sentences.iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:#?}");
    }
}
