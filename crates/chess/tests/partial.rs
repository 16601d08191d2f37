//! Patterns of partial boards, next to a comparison square by square.

use chess::{
    Board, Color, Flips, PartialBoard, PartialBoardError, Piece, Position, Random, Shifts, Square,
};

fn matches(fen: &str, pattern: &str, shifts: Shifts, flips: &str) -> bool {
    let board = *fen.parse::<Position>().unwrap().board();
    let pattern: PartialBoard = pattern.parse().unwrap();
    pattern.places(shifts, flips.parse().unwrap()).unwrap().matches(&board)
}

/// Whether a sign allows what stands on a square, by looking.
fn allows(signs: &str, piece: Option<Piece>) -> bool {
    signs.chars().any(|sign| match (sign, piece) {
        ('?', _) | ('.', None) => true,
        ('A', Some(piece)) => piece.color == Color::White,
        ('a', Some(piece)) => piece.color == Color::Black,
        (letter, Some(piece)) => piece.letter() == letter,
        _ => false,
    })
}

/// A pattern as signs and where they stand, from the lower left corner.
type Signs = Vec<(i8, i8, String)>;

fn looked_for(board: &Board, signs: &Signs, shifts: Shifts) -> bool {
    let offsets = if shifts == Shifts::All { -7..=7 } else { 0..=0 };
    offsets.clone().any(|ranks| {
        offsets.clone().any(|files| {
            signs.iter().all(|(file, rank, allowed)| {
                let square = Square::A1.step(file + files, rank + ranks);
                square.is_some_and(|square| allows(allowed, board.piece_at(square)))
            })
        })
    })
}

fn mirrored(signs: &Signs, flip: &str) -> Signs {
    let other_case = |signs: &String| {
        let swapped = |c: char| {
            if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
        };
        signs.chars().map(swapped).collect()
    };
    let one = |(file, rank, allowed): &(i8, i8, String)| match flip {
        "colors" => (*file, 7 - rank, other_case(allowed)),
        "files" => (7 - file, *rank, allowed.clone()),
        "ranks" => (*file, 7 - rank, allowed.clone()),
        _ => (*rank, *file, allowed.clone()),
    };
    signs.iter().map(one).collect()
}

#[test]
fn random_patterns_match_where_looking_at_each_square_says_so() {
    let fens = include_str!("../../../fixtures/chess/fens/positions.tsv");
    let boards: Vec<Board> = fens
        .lines()
        .step_by(97)
        .map(|line| *line.split('\t').next().unwrap().parse::<Position>().unwrap().board())
        .collect();
    let mut random = Random::new(15);
    let words = ["A", "a", ".", "P", "p", "[Pp]", "[QRr.]", "[Aa]", "N", "k"];
    let (mut hits, mut misses) = (0, 0);
    for round in 0..400 {
        let mut squares = vec!["?".to_owned(); 64];
        let mut signs = Signs::new();
        for _ in 0..1 + random.below(4) {
            let (at, word) = (random.below(64), words[random.below(10)]);
            if squares[at] == "?" {
                squares[at] = word.to_owned();
                let allowed = word.trim_matches(['[', ']']).to_owned();
                signs.push((at as i8 % 8, at as i8 / 8, allowed));
            }
        }
        let ranks: Vec<String> = squares.chunks(8).rev().map(<[String]>::concat).collect();
        let pattern: PartialBoard = ranks.join("/").parse().unwrap();
        let shifts = if round % 2 == 0 { Shifts::None } else { Shifts::All };
        let chosen: Vec<&str> = ["colors", "files", "ranks", "diagonal"]
            .into_iter()
            .filter(|_| random.below(3) == 0)
            .collect();
        let flips: Flips = chosen.join(",").parse().unwrap();
        let places = pattern.places(shifts, flips).unwrap();
        let mut images = vec![signs];
        for _ in 0..4 {
            for flip in &chosen {
                let more: Vec<Signs> = images.iter().map(|image| mirrored(image, flip)).collect();
                for image in more {
                    let same = |other: &Signs| {
                        image.len() == other.len() && image.iter().all(|sign| other.contains(sign))
                    };
                    if !images.iter().any(same) {
                        images.push(image);
                    }
                }
            }
        }
        for board in &boards {
            let expected = images.iter().any(|signs| looked_for(board, signs, shifts));
            assert_eq!(
                places.matches(board),
                expected,
                "{} {chosen:?} {shifts:?}",
                ranks.join("/")
            );
            if expected { hits += 1 } else { misses += 1 }
        }
    }
    assert!(hits > 1_000 && misses > 1_000, "{hits} and {misses}");
}

#[test]
fn a_placement_matches_its_own_board_only() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let placement = start.split(' ').next().unwrap();
    assert!(matches(start, placement, Shifts::None, ""));
    assert!(matches(start, placement, Shifts::None, "colors"));
    let other = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert!(!matches(other, placement, Shifts::None, "colors,files"));
}

#[test]
fn stars_brackets_and_mirror_images_say_what_they_say() {
    let fen = "r4rk1/5ppp/8/8/8/8/1PP5/1KR4R w - - 0 1";
    assert!(matches(fen, "*rk./*ppp/*/*/*/*/*/*", Shifts::None, ""));
    assert!(matches(fen, "*/*/*/*/*/*/*PPP/*RK.", Shifts::None, "colors"));
    assert!(!matches(fen, "*/*/*/*/*/*/*PPP/*RK.", Shifts::None, "files"));
    assert!(matches(fen, "PP/KR", Shifts::All, ""));
    assert!(!matches(fen, "PP/RK", Shifts::All, ""));
    assert!(matches(fen, ".PP/?KR", Shifts::All, ""));
    assert!(!matches(fen, "PP./RK?", Shifts::All, ""));
    assert!(matches(fen, "PP./?K?", Shifts::All, "files"));
    assert!(matches(fen, "[QR]?[.n]??[R]", Shifts::All, ""));
    assert!(matches(fen, "R/K", Shifts::All, "diagonal"));
    assert!(matches(fen, "?", Shifts::All, ""));
}

#[test]
fn bad_patterns_name_the_rank_and_the_cause() {
    let error = |text: &str| text.parse::<PartialBoard>().unwrap_err().to_string();
    assert_eq!(error("x7"), "rank 'x7': 'x' is none of a piece, A, a, ?, ., *, [ and 1 to 8");
    assert_eq!(error("[Qé]"), "rank '[Qé]': 'é' is none of a piece, A, a, ?, ., *, [ and 1 to 8");
    assert_eq!(
        error("[Q"),
        "rank '[Q': a list in brackets needs at least one sign and a closing bracket"
    );
    assert_eq!(
        error("[]"),
        "rank '[]': a list in brackets needs at least one sign and a closing bracket"
    );
    assert_eq!(error("*k*"), "rank '*k*' has more than one *");
    assert_eq!(error("8p"), "rank '8p' has 9 squares, expected 1 to 8");
    assert_eq!(error(""), "rank '' has 0 squares, expected 1 to 8");
    assert_eq!(error("pp/p"), "rank 'p' has 1 squares, expected as many as the first rank");
    assert_eq!(error("1/1/1/1/1/1/1/1/1"), "the pattern has 9 ranks, expected at most 8");
    let small = "PP".parse::<PartialBoard>().unwrap().places(Shifts::None, Flips::default());
    assert_eq!(small.unwrap_err(), PartialBoardError::Small { files: 2, ranks: 1 });
    assert_eq!(
        "color".parse::<Flips>().unwrap_err().to_string(),
        "'color' is none of colors, files, ranks, diagonal"
    );
}

#[test]
fn material_and_xray_attackers_are_what_looking_at_each_square_says() {
    let fens = include_str!("../../../fixtures/chess/fens/positions.tsv");
    let start = Position::default();
    assert_eq!(start.board().material(), "KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP");
    for line in fens.lines().step_by(41) {
        let position: Position = line.split('\t').next().unwrap().parse().unwrap();
        let board = position.board();
        let (white, black) =
            board.material().split_once('v').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        for (text, color) in [(white, Color::White), (black, Color::Black)] {
            assert_eq!(text.len(), board.by_color(color).len() as usize);
        }
        for square in Square::all() {
            for by in Color::ALL {
                let slow: chess::Bitboard = board
                    .pieces()
                    .filter(|&(from, piece)| {
                        piece.color == by
                            && from != square
                            && chess::attacks::of(piece.role, by, from, chess::Bitboard::EMPTY)
                                .contains(square)
                            && (chess::attacks::between(from, square) & board.occupied()).len() == 1
                    })
                    .map(|(from, _)| from)
                    .collect();
                assert_eq!(board.xray_attackers(square, by), slow, "{square} in {line}");
            }
        }
    }
}
