//! Rules that node counts do not reach, on positions made for them.

use fourchess::{
    EnPassant, Ending, Game, KingCapture, Manner, Move, Piece, Position, Role, Rules, Seat, Square,
    Status, perft,
};

/// A position from words such as `rKh1`, `dgPc4` or `rDd5`. Kings that are not mentioned stand out
/// of the way in their owner's corner.
fn position(turn: Seat, words: &str, rules: &Rules) -> Position {
    position_with(turn, "0,0,0,0-0,0,0,0", words, rules)
}

fn position_with(turn: Seat, castling: &str, words: &str, rules: &Rules) -> Position {
    let mut board = vec![vec![String::new(); 14]; 14];
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    for (seat, corner) in [('r', "k1"), ('b', "a11"), ('y', "d14"), ('g', "n4")] {
        if !words.iter().any(|word| word.starts_with(&format!("{seat}K"))) {
            words.push(format!("{seat}K{corner}"));
        }
    }
    for word in &words {
        let kind = word.find(|letter: char| letter.is_ascii_uppercase()).unwrap();
        let (piece, square) = word.split_at(kind + 1);
        let square: Square = square.parse().unwrap();
        board[13 - square.rank() as usize][square.file() as usize] = piece.to_owned();
    }
    let rank = |cells: &Vec<String>| {
        let cell = |cell: &String| if cell.is_empty() { "1".to_owned() } else { cell.clone() };
        cells.iter().map(cell).collect::<Vec<_>>().join(",")
    };
    let board: Vec<String> = board.iter().map(rank).collect();
    let text = format!("{}-0,0,0,0-{castling}-0,0,0,0-0-{}", turn.letter(), board.join("/"));
    Position::from_fen(&text, rules).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn game(turn: Seat, words: &str, rules: &Rules) -> Game {
    Game::from_position(position(turn, words, rules), rules)
}

fn square(text: &str) -> Square {
    text.parse().unwrap()
}

/// The legal moves between two squares: `h2-h4`, several if there are several ways.
fn ways(game: &Game, text: &str) -> Vec<Move> {
    let (from, to) = text.split_once('-').unwrap();
    let wanted = (square(from), square(to));
    game.moves().iter().copied().filter(|mv| (mv.from, mv.to) == wanted).collect()
}

fn play(game: &mut Game, text: &str) {
    let ways = ways(game, text);
    assert_eq!(ways.len(), 1, "{text} in {}", game.position().fen(game.rules()));
    game.play(ways[0]).unwrap();
}

#[test]
fn a19_a_pawn_is_taken_in_passing_from_both_flanks_by_both_perpendicular_seats() {
    let rules = &Rules::TEAMS;
    let words = "rPe2 rPk3 bPd2 bPd4 bPb5 gPf2 gPf4 yPd10";
    let mut game = game(Seat::Red, words, rules);
    play(&mut game, "e2-e4");
    for way in ["d2-e3", "d4-e3"] {
        assert_eq!(ways(&game, way)[0].manner, Manner::EnPassant, "{way}");
    }
    play(&mut game, "b5-c5");
    play(&mut game, "d10-d9");
    for way in ["f2-e3", "f4-e3"] {
        assert_eq!(ways(&game, way)[0].manner, Manner::EnPassant, "{way}");
    }
    let captures = |way: &str| -> Vec<Piece> {
        game.position().captures(ways(&game, way)[0], rules).collect()
    };
    assert_eq!(captures("f4-e3"), [Piece::new(Seat::Red, Role::Pawn)]);
    let mut taken = game.clone();
    play(&mut taken, "f4-e3");
    assert_eq!(taken.position().piece(square("e4")), None);
    assert_eq!(taken.position().piece(square("e3")), Some(Piece::new(Seat::Green, Role::Pawn)));
    // Once Red has moved again, the offer is gone.
    play(&mut game, "n4-n5");
    play(&mut game, "k3-k4");
    assert!(ways(&game, "d2-e3").is_empty() && ways(&game, "d4-e3").is_empty());
}

#[test]
fn the_seat_across_takes_nothing_in_passing() {
    let rules = &Rules::FFA;
    let mut game = game(Seat::Red, "rPe2 yPf4 bPb5", rules);
    play(&mut game, "e2-e4");
    play(&mut game, "b5-c5");
    assert!(ways(&game, "f4-e3").is_empty());
}

#[test]
fn taking_in_passing_on_an_occupied_square_takes_both_pieces() {
    let rules = &Rules::FFA;
    let mut game = game(Seat::Red, "rPe2 bNd5 gPf4 yPd10", rules);
    play(&mut game, "e2-e4");
    play(&mut game, "d5-e3");
    play(&mut game, "d10-d9");
    let taken: Vec<Piece> = game.position().captures(ways(&game, "f4-e3")[0], rules).collect();
    let both = [Piece::new(Seat::Blue, Role::Knight), Piece::new(Seat::Red, Role::Pawn)];
    assert_eq!(taken, both);
    play(&mut game, "f4-e3");
    let position = game.position();
    assert_eq!(position.points(), [0, 0, 0, 4], "a knight and a pawn");
    assert_eq!(position.piece(square("e4")), None);
    assert_eq!(position.piece(square("e3")), Some(Piece::new(Seat::Green, Role::Pawn)));
    assert!(position.pieces(Seat::Red).len() == 1 && position.pieces(Seat::Blue).len() == 1);
}

#[test]
fn by_choice_an_occupied_passed_square_means_two_moves() {
    let two = Rules { en_passant: EnPassant::TwoMoves, ..Rules::FFA };
    for (rules, expected) in [(&Rules::FFA, 1), (&two, 2)] {
        let mut game = game(Seat::Red, "rPe2 bNd5 gPf4 yPd10", rules);
        for text in ["e2-e4", "d5-e3", "d10-d9"] {
            play(&mut game, text);
        }
        assert_eq!(ways(&game, "f4-e3").len(), expected);
    }
}

#[test]
fn taking_in_passing_may_not_open_a_line_to_the_own_king() {
    // Both the pawn on d4 and the one on e4 leave the rank between Blue's king and the rook.
    let rules = &Rules::FFA;
    let mut game = game(Seat::Red, "rPe2 bKa4 bPd4 bPb9 yRh4 gKn8", rules);
    play(&mut game, "e2-e4");
    assert!(ways(&game, "d4-e3").is_empty());
}

#[test]
fn taking_in_passing_may_promote() {
    let rules = &Rules::TEAMS;
    let mut game = game(Seat::Red, "rKh1 rPk2 bPj4", rules);
    play(&mut game, "k2-k4");
    let promotions: Vec<_> = ways(&game, "j4-k3").iter().map(|mv| mv.promotion).collect();
    let all = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].map(Some);
    assert_eq!(promotions, all);
}

#[test]
fn a_taken_rook_takes_the_right_with_it() {
    let rules = &Rules::FFA;
    let all = "1,0,0,0-1,0,0,0";
    let words = "rKh1 rRk1 rRd1 rRk7 bBj2 yPd10 gPm8";
    let start = position_with(Seat::Blue, all, words, rules);
    assert_eq!(start.castling(Seat::Red, rules), [true, true]);
    let mut game = Game::from_position(start, rules);
    play(&mut game, "j2-k1");
    assert_eq!(game.position().castling(Seat::Red, rules), [false, true]);
    assert_eq!(game.position().points(), [0, 5, 0, 0]);
    for text in ["d10-d9", "m8-l8", "k7-k1"] {
        play(&mut game, text);
    }
    // Another rook in the corner does not bring the right back.
    assert_eq!(game.position().castling(Seat::Red, rules), [false, true]);
}

/// Words for the southern seat, turned so that they are those of `seat`.
fn turned(words: &str, seat: Seat, rules: &Rules) -> String {
    let turn = |word: &str| {
        let kind = word.find(|letter: char| letter.is_ascii_uppercase()).unwrap();
        let (piece, at) = word.split_at(kind + 1);
        format!("{piece}{}", square(at).shown_to(rules.edge(seat)))
    };
    words.split_whitespace().map(turn).collect::<Vec<_>>().join(" ")
}

fn castlings(position: Position, rules: &Rules) -> usize {
    let game = Game::from_position(position, rules);
    game.moves().iter().filter(|mv| mv.manner == Manner::Castling).count()
}

#[test]
fn no_seat_castles_out_of_through_or_into_any_opponents_check() {
    for rules in [&Rules::FFA, &Rules::TEAMS] {
        for seat in Seat::ALL {
            for other in Seat::ALL.into_iter().filter(|&other| other != seat) {
                let own = seat.letter().to_ascii_lowercase();
                let foe = other.letter().to_ascii_lowercase();
                // A rook on this file bears on the back line: both ways, then one, are left.
                for (file, left) in
                    [('k', 2), ('d', 2), ('e', 2), ('h', 0), ('i', 1), ('j', 1), ('g', 1), ('f', 1)]
                {
                    let words = format!("{own}Kh1 {own}Rd1 {own}Rk1 {foe}R{file}7");
                    let kings = ["a9", "n9", "e14"];
                    let others = Seat::ALL.into_iter().filter(|&other| other != seat);
                    let kings: Vec<String> = others
                        .zip(kings)
                        .map(|(seat, at)| format!("{}K{at}", seat.letter().to_ascii_lowercase()))
                        .collect();
                    let words = turned(&format!("{words} {}", kings.join(" ")), seat, rules);
                    let position = position_with(seat, "1,1,1,1-1,1,1,1", &words, rules);
                    let expected = if rules.are_opponents(seat, other) { left } else { 2 };
                    assert_eq!(castlings(position, rules), expected, "{} {words}", rules.name);
                }
            }
        }
    }
}

#[test]
fn castling_moves_king_and_rook_in_every_setup() {
    for setup in fourchess::Setup::ALL {
        let rules = &Rules { setup, ..Rules::FFA };
        for seat in Seat::ALL {
            let start = Position::start(rules);
            let king = start.king(seat).unwrap();
            let line = fourchess::geometry::back_line(rules.edge(seat));
            let home = line.iter().position(|&at| at == king).unwrap();
            let word = |piece: &str, at: Square| {
                format!("{}{piece}{at} ", seat.letter().to_ascii_lowercase())
            };
            let words = word("K", king) + &word("R", line[0]) + &word("R", line[7]);
            let kings = [
                (Seat::Red, "rKg4"),
                (Seat::Blue, "bKd9"),
                (Seat::Yellow, "yKg11"),
                (Seat::Green, "gKk9"),
            ];
            let kings = kings.into_iter().filter(|(other, _)| *other != seat);
            let words = kings.fold(words, |words, (_, king)| format!("{words} {king}"));
            let start = position_with(seat, "1,1,1,1-1,1,1,1", &words, rules);
            let near = if home == 3 { 0 } else { 7 };
            for (rook, way) in [(0, -1), (7, 1)] {
                let at = |steps: i32| line[(home as i32 + way * steps) as usize];
                let mut game = Game::from_position(start, rules);
                let mv = Move { manner: Manner::Castling, ..Move::plain(king, at(2)) };
                assert_eq!(game.play(mv), Ok(()), "{setup:?} {seat}");
                let position = game.position();
                assert_eq!(position.king(seat), Some(at(2)));
                assert_eq!(position.piece(at(1)), Some(Piece::new(seat, Role::Rook)));
                assert_eq!(position.piece(line[rook]), None);
                assert_eq!(position.castling(seat, rules), [false; 2]);
            }
            let only_near = position_with(seat, "1,1,1,1-0,0,0,0", &words, rules);
            let game = Game::from_position(only_near, rules);
            let castle = game.moves().iter().find(|mv| mv.manner == Manner::Castling).unwrap();
            let goal = line.iter().position(|&at| at == castle.to).unwrap();
            assert_eq!(goal > home, near > home, "the king's side is the nearer one");
        }
    }
}

/// Plays one move in a free-for-all and says what Red's points are.
fn points_of(words: &str, text: &str) -> i16 {
    let mut game = game(Seat::Red, words, &Rules::FFA);
    play(&mut game, text);
    game.position().points()[0]
}

#[test]
fn checking_several_kings_at_once_is_rewarded() {
    let cases = [
        // A knight on g7 checks e8, i8 and h9.
        ("rNf5 bKe8", "f5-g7", 0),
        ("rNf5 bKe8 gKi8", "f5-g7", 5),
        ("rNf5 bKe8 gKi8 yKh9", "f5-g7", 20),
        // A queen on g7 checks along rank, file and diagonal.
        ("rQg3 bKd7 gKk11", "g3-g7", 1),
        ("rQg3 bKd7 gKk11 yKg12", "g3-g7", 5),
        // A piece in between.
        ("rQg3 bKd7 gKk11 gPj10", "g3-g7", 0),
        // The knight checks one king and lets the rook check the other.
        ("rNf5 rRf2 bKe8 gKf12", "f5-g7", 5),
        // The rook has checked Yellow before; the knight's check of Blue is one only.
        ("rNg5 rRf2 bKe3 yKf12", "g5-i4", 0),
        // A pawn that becomes a queen.
        ("rPh7 bKe8 gKk8", "h7-h8", 1),
    ];
    for (words, text, points) in cases {
        assert_eq!(points_of(words, text), points, "{words} {text}");
    }
}

#[test]
fn teams_reward_no_checks() {
    let mut game = game(Seat::Red, "rNf5 bKe8 gKi8", &Rules::TEAMS);
    play(&mut game, "f5-g7");
    assert_eq!(game.position().points(), [0; 4]);
}

/// Red mates Blue on file a with c5-a5; Yellow is in a net of the same kind on file n.
const TWO_NETS: &str = "bKa9 rRb4 rRc5 yKn9 rRm4 rRn5 gKg13 gPl9";

#[test]
fn two_seats_mated_in_a_row_are_both_out() {
    let mut game = game(Seat::Red, TWO_NETS, &Rules::FFA);
    play(&mut game, "c5-a5");
    let position = game.position();
    assert_eq!(position.turn(), Seat::Green);
    // Both mates are Red's.
    assert_eq!(position.points(), [40, 0, 0, 0]);
    for seat in [Seat::Blue, Seat::Yellow] {
        assert_eq!(position.status(seat), Status::Out);
        assert!(position.pieces(seat).is_empty() && position.king(seat).is_none());
    }
    let dead = Piece::Dead { seat: Some(Seat::Blue), role: Role::King };
    assert_eq!(position.piece(square("a9")), Some(dead));
    assert_eq!(game.ending(), None);
    assert!(!game.moves().is_empty());
}

#[test]
fn between_pairs_the_first_mate_wins() {
    let mut game = game(Seat::Red, TWO_NETS, &Rules::TEAMS);
    play(&mut game, "c5-a5");
    assert_eq!(game.ending(), Some(Ending::Mate));
    assert_eq!(game.places(), [1, 3, 1, 3]);
    assert!(game.moves().is_empty());
}

#[test]
fn the_last_mate_ends_the_game_and_points_decide() {
    let mut game =
        game(Seat::Red, "bKa9 rRb4 rRc5 yKn9 rRm4 rRn5 gKg13 rRd12 rRd13 rRk14", &Rules::FFA);
    play(&mut game, "c5-a5");
    // Green stood in a third net.
    assert_eq!(game.ending(), Some(Ending::LastPlayer));
    assert_eq!(game.position().points(), [60, 0, 0, 0]);
    assert_eq!(game.places(), [1, 2, 2, 2]);
}

#[test]
fn a_mate_is_judged_on_the_victims_turn() {
    // Red's rook would mate Yellow, but Blue moves first and takes it.
    let mut game = game(Seat::Red, "bKa8 bBk8 yKn9 rRm4 rRl5 gKg13 gPl9 rPd4", &Rules::FFA);
    play(&mut game, "l5-n5");
    play(&mut game, "k8-n5");
    assert_eq!(game.position().turn(), Seat::Yellow);
    assert_eq!(game.position().status(Seat::Yellow), Status::Active);
    assert_eq!(game.position().points(), [0, 5, 0, 0]);
}

#[test]
fn a_stalemated_player_is_out_with_the_awards_of_the_rules() {
    let words = "bKa4 rQb10 yPd10 gPl9";
    for (rules, points) in [(&Rules::FFA, [0, 20, 0, 0]), (&Rules::JAX, [10, 0, 10, 10])] {
        let mut game = game(Seat::Red, words, rules);
        play(&mut game, "b10-b6");
        assert_eq!(game.position().points(), points, "{}", rules.name);
        assert_eq!(game.position().status(Seat::Blue), Status::Out);
        assert_eq!(game.position().turn(), Seat::Yellow);
    }
    let mut game = game(Seat::Red, words, &Rules::TEAMS);
    play(&mut game, "b10-b6");
    assert_eq!(game.ending(), Some(Ending::Stalemate));
    assert_eq!(game.places(), [1; 4]);
}

#[test]
fn the_king_of_a_player_who_left_walks_on() {
    let rules = &Rules::FFA;
    let mut game = game(Seat::Red, "rKh1 rQh2 rRd8 bKa8 bPb5 yRi12 gPl9", rules);
    assert!(game.position().in_check(Seat::Blue, rules));
    game.leave(Seat::Red);
    let position = game.position();
    assert_eq!(position.status(Seat::Red), Status::Walking);
    assert!(!position.in_check(Seat::Blue, rules), "dead pieces give no check");
    let queen = Piece::Dead { seat: Some(Seat::Red), role: Role::Queen };
    assert_eq!(position.piece(square("h2")), Some(queen));
    // It is still Red's turn: the king walks, but not into check, and may take dead pieces.
    assert_eq!(position.turn(), Seat::Red);
    let goals: Vec<String> = game.moves().iter().map(|mv| mv.to.to_string()).collect();
    assert_eq!(goals, ["g1", "h2", "g2"]);
    play(&mut game, "h1-g1");
    assert_eq!(game.position().points(), [0; 4]);
    // Its capture is worth a king, and puts it out.
    for text in ["b5-c5", "i12-g12", "l9-k9"] {
        play(&mut game, text);
    }
    let goals: Vec<String> = game.moves().iter().map(|mv| mv.to.to_string()).collect();
    assert_eq!(goals, ["h1", "f1", "h2", "f2"], "not along the rook's file");
}

#[test]
fn a_walking_king_is_worth_its_points_and_keeps_others_away() {
    let rules = &Rules::FFA;
    let mut game = game(Seat::Blue, "rKh8 bKf8 bPb5 yRh13 gRh12", rules);
    game.leave(Seat::Red);
    assert!(ways(&game, "f8-g8").is_empty(), "next to a walking king");
    play(&mut game, "b5-c5");
    assert!(ways(&game, "h13-h8").is_empty(), "Green's rook is in between");
    play(&mut game, "h13-i13");
    play(&mut game, "h12-h8");
    assert_eq!(game.position().points(), [0, 0, 0, 20]);
    assert_eq!(game.position().status(Seat::Red), Status::Out);
}

#[test]
fn a_stalemated_walking_king_pays_those_still_playing() {
    let mut game = game(Seat::Blue, "rKk1 rPd2 bQe2 bPb5 yPd10 gPl9", &Rules::FFA);
    game.leave(Seat::Red);
    play(&mut game, "e2-i2");
    for text in ["d10-d9", "l9-k9"] {
        play(&mut game, text);
    }
    assert_eq!(game.position().status(Seat::Red), Status::Out);
    assert_eq!(game.position().points(), [0, 10, 10, 10]);
}

#[test]
fn leaving_ends_the_game_where_the_rules_say_so() {
    let mut team = Game::new(&Rules::TEAMS);
    team.leave(Seat::Green);
    assert_eq!(team.ending(), Some(Ending::Departure));
    assert_eq!(team.places(), [1, 3, 1, 3]);

    let mut jax = Game::new(&Rules::JAX);
    for seat in [Seat::Red, Seat::Blue, Seat::Yellow] {
        jax.leave(seat);
        assert_eq!(jax.position().status(seat), Status::Out);
    }
    assert_eq!(jax.ending(), Some(Ending::LastPlayer));

    // The last player is paid for each king that still walks.
    let mut free = Game::new(&Rules::FFA);
    for seat in [Seat::Blue, Seat::Green, Seat::Blue, Seat::Red] {
        free.leave(seat);
    }
    assert_eq!(free.ending(), Some(Ending::LastPlayer));
    assert_eq!(free.position().points(), [0, 0, 60, 0]);
    assert_eq!(free.places(), [2, 2, 1, 2]);
}

#[test]
fn pawns_promote_on_their_own_rank_to_what_the_rules_allow() {
    for rules in Rules::PRESETS {
        for seat in Seat::ALL {
            let own = seat.letter().to_ascii_lowercase();
            let last = rules.promotion_rank;
            for (rank, promotes) in [(last - 2, false), (last - 1, true), (last, false)] {
                let words = format!("{own}Ph{rank}");
                let kings = ["k1", "a11", "d14", "n4"];
                let words = Seat::ALL.into_iter().zip(kings).fold(words, |words, (seat, at)| {
                    format!("{words} {}K{at}", seat.letter().to_ascii_lowercase())
                });
                let game = game(seat, &turned(&words, seat, rules), rules);
                let edge = rules.edge(seat);
                let from = square(&format!("h{rank}")).shown_to(edge);
                let to = square(&format!("h{}", rank + 1)).shown_to(edge);
                let found: Vec<Option<Role>> =
                    ways(&game, &format!("{from}-{to}")).iter().map(|mv| mv.promotion).collect();
                let roles = rules.promotion.roles().iter().copied().map(Some);
                let expected = if promotes { roles.collect() } else { vec![None] };
                assert_eq!(found, expected, "{} {seat} rank {rank}", rules.name);
            }
        }
    }
}

#[test]
fn a_promoted_queen_is_worth_one_point_in_the_free_for_all() {
    let mut game = game(Seat::Red, "rPh7 bRa8 bKa5 yPd10 gPl9", &Rules::FFA);
    play(&mut game, "h7-h8");
    let queen = Piece::Living { seat: Seat::Red, role: Role::Queen, promoted: true };
    assert_eq!(game.position().piece(square("h8")), Some(queen));
    play(&mut game, "a8-h8");
    assert_eq!(game.position().points(), [0, 1, 0, 0]);
}

#[test]
fn dead_pieces_block_are_worth_nothing_and_give_no_check() {
    let rules = &Rules::FFA;
    let game_before = game(Seat::Red, "rRd5 dgQh5 dPd8 bKh9 rKh2", rules);
    assert!(!game_before.position().in_check(Seat::Red, rules));
    assert!(ways(&game_before, "d5-i5").is_empty() && ways(&game_before, "d5-d9").is_empty());
    let mut game = game_before.clone();
    play(&mut game, "d5-h5");
    assert_eq!(game.position().points(), [0; 4]);
    assert_eq!(game.position().quiet(), 0);
}

#[test]
fn a_king_may_be_taken_before_its_turn() {
    // Red's knight uncovers Blue's rook on Green's king; Blue moves before Green.
    let words = "rNh8 bRd8 gKl8 bKa5 yPd10 gPl9 rKh1";
    let cases = [
        (KingCapture::Eliminates, None, Status::Out),
        (KingCapture::EndsGame, Some(Ending::KingTaken), Status::Active),
        (KingCapture::Continues, None, Status::Active),
    ];
    for (king_capture, ending, status) in cases {
        let rules = &Rules { king_capture, ..Rules::FFA };
        let mut game = game(Seat::Red, words, rules);
        play(&mut game, "h8-g10");
        play(&mut game, "d8-l8");
        assert_eq!(game.position().points(), [0, 20, 0, 0]);
        assert_eq!(game.ending(), ending);
        assert_eq!(game.position().status(Seat::Green), status);
        assert_eq!(game.position().king(Seat::Green), None);
    }
}

#[test]
fn a_seat_without_a_king_may_do_as_it_likes() {
    let rules = &Rules { king_capture: KingCapture::Continues, ..Rules::FFA };
    let mut game = game(Seat::Red, "rNh8 bRd8 gKl8 gNn10 bKa5 yPd10 rKh1", rules);
    for text in ["h8-g10", "d8-l8", "d10-d9"] {
        play(&mut game, text);
    }
    assert_eq!(game.position().turn(), Seat::Green);
    assert!(!game.position().in_check(Seat::Green, rules));
    assert_eq!(game.moves().len(), 3, "a knight on the edge");
    play(&mut game, "n10-l11");
    assert_eq!(game.position().turn(), Seat::Red);
}

#[test]
fn a_position_that_occurs_three_times_is_a_draw() {
    let mut game = game(Seat::Red, "rPe5 rKh1 bKa7 yKg14 gKn8", &Rules::FFA);
    let round = ["h1-i1", "a7-a6", "g14-f14", "n8-n9", "i1-h1", "a6-a7", "f14-g14", "n9-n8"];
    for text in round.iter().chain(&round) {
        assert_eq!(game.ending(), None);
        play(&mut game, text);
    }
    assert_eq!(game.ending(), Some(Ending::Repetition));
    assert_eq!(game.position().points(), [10; 4]);
    assert_eq!(game.places(), [1; 4]);
}

#[test]
fn too_many_quiet_plies_are_a_draw_and_too_many_plies_the_end() {
    let quiet = Rules { quiet_limit: 3, ..Rules::FFA };
    let short = Rules { max_plies: 3, ..Rules::FFA };
    for (rules, ending, points) in [(&quiet, Ending::QuietLimit, 10), (&short, Ending::PlyLimit, 0)]
    {
        let mut game = game(Seat::Red, "rRe5 rKh1 bKa7 yKg14 gKn8", rules);
        for text in ["e5-e4", "a7-a6", "g14-f14"] {
            assert_eq!(game.ending(), None);
            play(&mut game, text);
        }
        assert_eq!(game.ending(), Some(ending));
        assert_eq!(game.position().points(), [points; 4]);
        assert_eq!(ending.is_cut_off(), points == 0);
    }
}

#[test]
fn the_game_is_drawn_when_nobody_can_mate() {
    let mut game = game(Seat::Red, "rKh1 bKa7 yKg14 gKn8 bPg2", &Rules::FFA);
    play(&mut game, "h1-g2");
    assert_eq!(game.ending(), Some(Ending::InsufficientMaterial), "only kings");

    let two =
        "R-0,1,0,1-0,0,0,0-0,0,0,0-0,0,0,0-0-6,yK,7/14/14/14/14/14/14/14/CELLS/14/14/14/14/7,rK,6";
    let cases = [("3,rN,10", true), ("3,yB,10", true), ("3,rR,10", false), ("3,rP,10", false)];
    let more = [("3,rN,1,yB,8", false), ("3,rN,1,dbP,8", false), ("3,dgQ,10", true)];
    for (cells, is_drawn) in cases.into_iter().chain(more) {
        let text = two.replace("CELLS", cells);
        let position = Position::from_fen(&text, &Rules::FFA).unwrap();
        let ending = Game::from_position(position, &Rules::FFA).ending();
        assert_eq!(ending.is_some_and(Ending::is_draw), is_drawn, "{cells}");
    }
    let mut goes_on = self::game(Seat::Red, "rKh1 rNd7 bKa7 yKg14 gKn8 bPg2", &Rules::FFA);
    play(&mut goes_on, "h1-g2");
    assert_eq!(goes_on.ending(), None, "four kings and a knight");
}

#[test]
fn a_won_game_is_claimed_by_one_of_the_last_two() {
    let claims = Rules { claim_lead: 21, ..Rules::FFA };
    let cases = [
        // Red leads Blue, and Yellow and Green are out.
        ("0,0,1,1", "30,5,20,8", "12,yP,1", "Claim", [30, 25, 20, 8]),
        ("0,0,1,1", "5,26,25,8", "12,yP,1", "Claim", [25, 26, 25, 8]),
        // A lead of 20 is too small.
        ("0,0,1,1", "25,5,20,8", "12,yP,1", "goes on", [25, 5, 20, 8]),
        // Somebody who is out has as many points.
        ("0,0,1,1", "30,5,30,8", "12,yP,1", "goes on", [30, 5, 30, 8]),
        // The king of Yellow walks, so the claim costs 40 points.
        ("0,0,1,1", "45,5,20,8", "12,yK,1", "goes on", [45, 5, 20, 8]),
        ("0,0,1,1", "46,5,20,8", "12,yK,1", "Claim", [46, 45, 20, 8]),
        // Three players are left.
        ("0,0,0,1", "90,5,20,8", "12,yK,1", "goes on", [90, 5, 20, 8]),
    ];
    for (dead, points, rank, ending, expected) in cases {
        let text = format!(
            "R-{dead}-0,0,0,0-0,0,0,0-{points}-7-14/14/14/14/14/{rank}/14/bK,bP,12/14/14/14/14/\
             3,rP,10/7,rK,6"
        );
        let position = Position::from_fen(&text, &claims).expect("FEN4");
        let game = Game::from_position(position, &claims);
        let found = game.ending().map_or("goes on".to_owned(), |ending| format!("{ending:?}"));
        assert_eq!((found.as_str(), game.position().points()), (ending, expected), "{text}");
        assert_eq!(game.moves().is_empty(), ending == "Claim");
        let plain = Game::from_position(position, &Rules::FFA);
        assert_eq!(plain.ending(), None, "nobody claims by the preset");
    }
}

#[test]
fn an_illegal_move_changes_nothing() {
    let mut game = Game::new(&Rules::FFA);
    let before = *game.position();
    let error = game.play(Move::plain(square("h2"), square("h5"))).unwrap_err();
    assert_eq!(error.to_string(), "h2-h5 is not a legal move here");
    assert_eq!(*game.position(), before);
}

#[test]
fn seats_of_the_earlier_environment_sit_the_other_way_round() {
    let start = Position::start(&Rules::JAX);
    // Counted from the top left, as that environment does: (13,7), (7,13), (0,6), (6,0).
    let places = [(13, 7), (7, 13), (0, 6), (6, 0)];
    for (seat, (row, column)) in Seat::ALL.into_iter().zip(places) {
        assert_eq!(start.king(seat), Square::at(column, 13 - row), "{seat}");
    }
    assert_eq!(perft(&start, &Rules::JAX, 2), 399, "the classic setup in a mirror");
}
