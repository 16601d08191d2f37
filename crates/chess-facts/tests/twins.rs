//! Facts that the reference does not hold, each next to a slow and obvious twin, and the
//! symmetries of the board.

use std::collections::BTreeSet;

use chess::{Bitboard, Color, Move, Position, Random, Role, Setup, Square};
use chess_facts::{
    Battery, CheckMove, Definitions, ExtraParts, Extras, Facts, Level, Line, Side, VALUES,
    exchange::{self, Pins},
    facts,
};

#[allow(unreachable_pub, reason = "a module of two tests")]
mod positions;
#[allow(unreachable_pub, reason = "a module of the test")]
mod slow;

use positions::{all_positions, positions};
use slow::{Man, pieces};

#[test]
fn pawn_structure_is_what_looking_at_each_pawn_says() {
    for (fen, position) in all_positions() {
        let facts = facts(&position, Level::Lines);
        let pawns: Vec<Man> =
            pieces(&position).into_iter().filter(|m| m.role == Role::Pawn).collect();
        for color in Color::ALL {
            let found = &facts[color].pawns;
            let own: Vec<&Man> = pawns.iter().filter(|pawn| pawn.color == color).collect();
            let enemy: Vec<&Man> = pawns.iter().filter(|pawn| pawn.color != color).collect();
            let mut connected = Bitboard::EMPTY;
            let mut extra = Bitboard::EMPTY;
            let mut candidates = Bitboard::EMPTY;
            for pawn in &own {
                let (file, rank) = (pawn.file, pawn.height);
                let near = |other: &&&Man| (other.file - file).abs() == 1;
                if own.iter().filter(near).any(|other| (other.height - rank).abs() <= 1) {
                    connected |= pawn.square;
                }
                let ahead_of = |other: &&&Man| {
                    other.file == file && other.height_for(color) > pawn.height_for(color)
                };
                if own.iter().any(|other| ahead_of(&other)) {
                    extra |= pawn.square;
                }
                let helpers = own
                    .iter()
                    .filter(near)
                    .filter(|o| o.height_for(color) <= pawn.height_for(color))
                    .count();
                let guards = enemy
                    .iter()
                    .filter(near)
                    .filter(|o| o.height_for(color) > pawn.height_for(color))
                    .count();
                let blocked = own.iter().chain(&enemy).any(|other| ahead_of(&other));
                if !blocked && guards > 0 && helpers >= guards {
                    candidates |= pawn.square;
                }
            }
            assert_eq!(found.connected, connected, "{fen}");
            assert_eq!(found.doubled_extra, extra, "{fen}");
            assert_eq!(found.candidates, candidates, "{fen}");
            let has = |pieces: &[&Man], file| pieces.iter().any(|pawn| pawn.file == file);
            let mut islands = 0;
            for file in 0..8 {
                let (ours, theirs) = (has(&own, file), has(&enemy, file));
                islands += u8::from(ours && !has(&own, file - 1));
                let column: Bitboard =
                    Square::all().filter(|s| s.file().index() as i32 == file).collect();
                assert_eq!(column.is_subset(facts.open_files), !ours && !theirs, "{fen}");
                assert_eq!(column.is_subset(found.half_open_files), !ours && theirs, "{fen}");
                assert_eq!(!(column & found.half_open_files).is_empty(), !ours && theirs, "{fen}");
            }
            assert_eq!(found.islands, islands, "{fen}");
        }
    }
}

#[test]
fn batteries_pins_checks_and_material_are_what_looking_at_each_man_says() {
    for (fen, position) in all_positions() {
        let board = position.board();
        let facts = facts(&position, Level::Lines);
        for color in Color::ALL {
            let side = &facts[color];
            let mut batteries = BTreeSet::new();
            let mut pins = BTreeSet::new();
            for man in pieces(&position) {
                for (direction, walk) in slow::walks(board, man.square) {
                    let slides = |square: Square, of: Color| {
                        let piece = board.piece_at(square).unwrap();
                        piece.color == of && slow::slides(piece.role, direction)
                    };
                    let Some(&first) = walk.first() else { continue };
                    if slides(man.square, color) && slides(first, color) && man.square < first {
                        batteries.insert(Battery { first: man.square, second: first });
                    }
                    if let Some(&second) = walk.get(1)
                        && slides(man.square, !color)
                        && board.color_at(first) == Some(color)
                        && second == position.king(color)
                    {
                        pins.insert(Line { slider: man.square, front: first, back: second });
                    }
                }
            }
            assert_eq!(side.batteries.iter().copied().collect::<BTreeSet<_>>(), batteries, "{fen}");
            assert_eq!(side.batteries.len(), batteries.len(), "{fen}");
            assert_eq!(side.pins.iter().copied().collect::<BTreeSet<_>>(), pins, "{fen}");
            for role in &Role::ALL[..5] {
                let from = Square::all().filter(|&square| {
                    slow::attacks(*role, color, square, board.occupied())
                        .contains(position.king(!color))
                });
                let expected: Bitboard = from.collect();
                assert_eq!(side.check_squares[role.index()], expected, "{fen}");
            }
            let own = pieces(&position).into_iter().filter(|man| man.color == color);
            let worth =
                own.filter(|m| m.role != Role::King).map(|m| u32::from(VALUES[m.role.index()]));
            assert_eq!(u32::from(side.material), worth.sum::<u32>(), "{fen}");
            for role in Role::ALL {
                let count = board.by_piece(color, role).len();
                assert_eq!(u32::from(side.pieces[role.index()]), count, "{fen}");
            }
            let minors = board.by_piece(color, Role::Knight) | board.by_piece(color, Role::Bishop);
            assert_eq!(side.minors, minors, "{fen}");
        }
    }
}

#[test]
fn mobility_and_fork_moves_are_what_making_each_move_shows() {
    let (mut forks, mut moves) = (0, 0);
    for (fen, position) in all_positions() {
        let facts = facts(&position, Level::Everything);
        for color in Color::ALL {
            let mut reached = Bitboard::EMPTY;
            let mut expected = BTreeSet::new();
            for made in slow::legal_moves(&position, color) {
                moves += 1;
                if made.role != Role::Pawn {
                    reached |= made.arrives;
                }
                if made.role == Role::King {
                    continue;
                }
                let targets = slow::fork(&made.board, made.arrives, color);
                if targets.is_many() && slow::swap_off(&made.board, made.arrives, !color) == 0 {
                    expected.insert((made.mv, targets.0));
                }
            }
            assert_eq!(facts[color].mobility, reached, "{} in {fen}", color.name());
            let found = facts[color].fork_moves.iter().map(|fork| (fork.mv, fork.targets.0));
            let found: Vec<(Move, u64)> = found.collect();
            assert_eq!(
                found.len(),
                expected.len(),
                "{} in {fen}: {found:?} {expected:?}",
                color.name()
            );
            assert_eq!(
                found.into_iter().collect::<BTreeSet<_>>(),
                expected,
                "{} in {fen}",
                color.name()
            );
            forks += expected.len();
        }
        let legal: BTreeSet<Move> = position.legal_moves().iter().collect();
        let slow: Vec<_> = slow::legal_moves(&position, position.turn());
        assert_eq!(slow.iter().map(|made| made.mv).collect::<BTreeSet<_>>(), legal, "{fen}");
    }
    println!("{forks} fork moves among {moves} moves of both sides");
}

#[test]
fn checks_and_mates_are_what_playing_each_move_shows() {
    let (mut checks, mut mates) = (0, 0);
    let mut extras = Extras::default();
    for (fen, position) in all_positions() {
        extras.compute(&position, ExtraParts::ALL);
        for color in Color::ALL {
            let turned = if position.turn() == color {
                Ok(position)
            } else {
                Position::new(Setup { turn: color, en_passant: None, ..position.setup() })
            };
            let found = &extras.sides[color];
            assert_eq!(found.to_move, turned.clone().ok(), "{fen}");
            let mut expected = BTreeSet::new();
            if let Ok(turned) = turned {
                for made in slow::legal_moves(&turned, color) {
                    let king = turned.king(!color);
                    if !slow::attackers(&made.board, king, color).is_empty() {
                        let is_mate = turned.play(made.mv).legal_moves().is_empty();
                        mates += usize::from(is_mate);
                        expected.insert((made.mv, is_mate));
                    }
                }
            }
            let listed: Vec<(Move, bool)> =
                found.checks.iter().map(|&CheckMove { mv, is_mate }| (mv, is_mate)).collect();
            assert_eq!(listed.len(), expected.len(), "{} in {fen}: {listed:?}", color.name());
            assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), expected, "{fen}");
            assert_eq!(
                found.mates().collect::<Vec<_>>(),
                listed.iter().filter(|(_, mate)| *mate).map(|(mv, _)| *mv).collect::<Vec<_>>()
            );
            checks += listed.len();
        }
    }
    println!("{checks} checks, {mates} of them mates");
    assert!(checks > 10_000 && mates > 100);
}

#[test]
fn xray_defenses_and_asked_parts_are_what_walking_shows() {
    let mut extras = Extras::default();
    for (fen, position) in all_positions() {
        let board = position.board();
        extras.compute(&position, ExtraParts { xray_defenses: true, ..ExtraParts::default() });
        for color in Color::ALL {
            let mut expected = BTreeSet::new();
            for man in pieces(&position).into_iter().filter(|man| man.color == color) {
                for (direction, met) in slow::walks(board, man.square) {
                    if let [front, back, ..] = met[..]
                        && slow::slides(man.role, direction)
                        && board.piece_at(back).unwrap().color == color
                        && board.role_at(back) != Some(Role::King)
                    {
                        expected.insert(Line { slider: man.square, front, back });
                    }
                }
            }
            let found = &extras.sides[color];
            assert_eq!(found.xray_defenses.len(), expected.len(), "{fen}");
            assert_eq!(
                found.xray_defenses.iter().copied().collect::<BTreeSet<_>>(),
                expected,
                "{fen}"
            );
            // What was not asked for is not there.
            assert!(found.checks.is_empty() && found.to_move.is_none());
        }
    }
}

#[test]
fn exchanges_equal_a_recursive_swap_off() {
    for (fen, position) in all_positions() {
        let facts = facts(&position, Level::Exchange);
        for man in pieces(&position) {
            let side = &facts[man.color];
            let gain = slow::swap_off(position.board(), man.square, !man.color);
            let aware = slow::swap_off_among_pins(position.board(), man.square, !man.color);
            if man.role == Role::King {
                continue;
            }
            let listed = |list: &[chess_facts::Hanging]| {
                list.iter().find(|h| h.square == man.square).map_or(0, |h| i32::from(h.gain))
            };
            let ask = |pins| i32::from(exchange::on_square(&position, man.square, pins));
            assert_eq!(listed(&side.hanging), gain, "{} in {fen}", man.square);
            assert_eq!(ask(Pins::Ignored), gain, "{} in {fen}", man.square);
            assert_eq!(listed(&side.hanging_pins), aware, "{} in {fen}", man.square);
            assert_eq!(ask(Pins::Respected), aware, "{} in {fen}", man.square);
        }
        for made in slow::legal_moves(&position, position.turn()) {
            let turn = position.turn();
            let gain = if made.castles {
                0
            } else {
                slow::worth(&made.board, turn)
                    - slow::worth(&made.board, !turn)
                    - slow::worth(position.board(), turn)
                    + slow::worth(position.board(), !turn)
            };
            let (mut reply, mut reply_among_pins) = (0, 0);
            if made.role != Role::King {
                let (before, after) = (position.board(), &made.board);
                reply = slow::swap_off(after, made.arrives, !turn);
                reply_among_pins = slow::swap_off_later(before, after, made.arrives, !turn);
            }
            let found = |pins| exchange::of_move(&position, made.mv, pins);
            assert_eq!(found(Pins::Ignored), gain - reply, "{:?} in {fen}", made.mv);
            let among_pins = gain - reply_among_pins;
            assert_eq!(found(Pins::Respected), among_pins, "{:?} in {fen}", made.mv);
        }
    }
}

#[test]
fn the_sign_of_exchanges_mostly_agrees_with_minimax_over_legal_captures() {
    // In check most captures are illegal, which no exchange on one square can know.
    for checks in [true, false] {
        let (mut pieces, mut agreed, mut agreed_with_pins) = (0, 0, 0);
        for (_, position) in positions(1).filter(|(_, position)| checks || !position.is_check()) {
            let facts = facts(&position, Level::Lines);
            for square in facts[!position.turn()].attacked {
                let exact = slow::minimax(&position, square) > 0;
                let sign = |pins| exchange::on_square(&position, square, pins) > 0;
                pieces += 1;
                agreed += u32::from(sign(Pins::Ignored) == exact);
                agreed_with_pins += u32::from(sign(Pins::Respected) == exact);
            }
        }
        let [agreed, agreed_with_pins] =
            [agreed, agreed_with_pins].map(|count| 100.0 * f64::from(count) / f64::from(pieces));
        let which = if checks { "in all positions" } else { "where there is no check" };
        println!(
            "{pieces} attacked pieces {which}: the sign agrees on {agreed:.2} %, with pins respected on {agreed_with_pins:.2} %"
        );
        assert!(agreed > 97.0 && agreed_with_pins > agreed);
    }
}

#[test]
fn facts_after_a_move_equal_facts_from_scratch() {
    let mut reused = Facts::empty();
    for (seed, (fen, start)) in positions(40).enumerate() {
        let mut random = Random::new(seed as u64);
        let mut position = start;
        for _ in 0..30 {
            let moves: Vec<Move> = position.legal_moves().iter().collect();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[random.below(moves.len())]);
            let read: Position = position.to_string().parse().unwrap();
            for definitions in Definitions::ALL {
                let mut fresh = Facts::empty();
                fresh.compute(&read, Level::Everything, definitions);
                reused.compute(&position, Level::Everything, definitions);
                assert_eq!(reused, fresh, "seed {seed} from {fen}: {position}");
            }
        }
    }
}

#[test]
fn a_lower_level_holds_the_same_facts_and_nothing_of_the_higher_ones() {
    for (fen, position) in positions(10) {
        let all = facts(&position, Level::Everything);
        for level in Level::ALL {
            let mut expected = Facts { level, ..all.clone() };
            for color in Color::ALL {
                let side = &mut expected.sides[color];
                if level < Level::Exchange {
                    side.hanging.clear();
                    side.hanging_pins.clear();
                }
                if level < Level::Forks {
                    side.forks.clear();
                    side.fork_moves.clear();
                }
                if level < Level::Everything {
                    side.mobility = Bitboard::EMPTY;
                }
            }
            assert_eq!(facts(&position, level), expected, "{} of {fen}", level.name());
        }
    }
}

#[test]
fn literal_definitions_differ_where_they_say_so_and_nowhere_else() {
    let mut literal = Facts::empty();
    for (fen, position) in all_positions() {
        literal.compute(&position, Level::Everything, Definitions::Literal);
        let std = facts(&position, Level::Everything);
        let mut expected = Facts { definitions: Definitions::Literal, ..std };
        for color in Color::ALL {
            let side = &mut expected.sides[color];
            let found = &literal[color];
            // These four are compared with the reference.
            side.attacked = found.attacked;
            side.hanging_count = found.hanging_count;
            side.skewers = found.skewers.clone();
            side.skewered = found.skewered;
            side.pins.retain(|pin| !position.board().by_role(Role::Pawn).contains(pin.front));
            side.pinned -= position.board().by_role(Role::Pawn);
            side.pawns.backward = Bitboard::EMPTY;
        }
        assert_eq!(literal, expected, "{fen}");
    }
}

#[test]
fn turning_the_board_turns_the_facts() {
    let mut differences = 0;
    for (fen, position) in all_positions() {
        let straight = facts(&position, Level::Everything);
        let setup = position.setup();
        let flip = |square: Square| square.flip();
        let flipped = Setup {
            board: slow::moved(&setup.board, flip, true),
            turn: !setup.turn,
            castling: setup.castling.flip(),
            en_passant: setup.en_passant.map(Square::flip),
            ..setup
        };
        differences +=
            compare_turned(&straight, &Position::new(flipped).unwrap(), flip, true, &fen);
        // Castling is not symmetric between left and right.
        let setup = Setup { castling: Bitboard::EMPTY, ..setup };
        let straight = facts(&Position::new(setup).unwrap(), Level::Everything);
        let mirrored = Setup {
            board: slow::moved(&setup.board, mirror, false),
            en_passant: setup.en_passant.map(mirror),
            ..setup
        };
        differences +=
            compare_turned(&straight, &Position::new(mirrored).unwrap(), mirror, false, &fen);
    }
    println!("{differences} gains depend on which of two equals captures first");
    assert!(differences < 10);
}

fn mirror(square: Square) -> Square {
    Square::from_index(square.index() ^ 7)
}

fn compare_turned(
    straight: &Facts,
    position: &Position,
    turn: fn(Square) -> Square,
    swap: bool,
    fen: &str,
) -> u32 {
    let mut differences = 0;
    let found = facts(position, Level::Everything);
    let set = |set: Bitboard| set.map(turn).collect::<Bitboard>();
    assert_eq!(found.open_files, set(straight.open_files), "{fen}");
    for color in Color::ALL {
        let (from, to) = (&straight[color], &found[if swap { !color } else { color }]);
        assert_eq!(plain_sets(from).map(set), plain_sets(to), "{fen}");
        assert_eq!(
            (from.pieces, from.material, from.pawns.islands),
            (to.pieces, to.material, to.pawns.islands)
        );
        let lines = |side: &Side, turn: &dyn Fn(Square) -> Square| {
            let lists =
                [&side.pins[..], &side.relative_pins, &side.skewers, &side.xrays, &side.discovered];
            lists.map(|list| {
                list.iter().map(|l| [l.slider, l.front, l.back].map(turn)).collect::<BTreeSet<_>>()
            })
        };
        assert_eq!(lines(from, &turn), lines(to, &|square| square), "{fen}");
        let pairs = |side: &Side, turn: &dyn Fn(Square) -> Square| {
            let pairs = side
                .batteries
                .iter()
                .map(|pair| BTreeSet::from([turn(pair.first), turn(pair.second)]));
            pairs.collect::<BTreeSet<_>>()
        };
        assert_eq!(pairs(from, &turn), pairs(to, &|square| square), "{fen}");
        let forks = |side: &Side, turn: &dyn Fn(Square) -> Square| {
            let now = side
                .forks
                .iter()
                .map(|fork| (turn(fork.forker), turn(fork.forker), None, fork.targets));
            let soon = side.fork_moves.iter().map(|fork| {
                (turn(fork.mv.from), turn(fork.mv.to), fork.mv.promotion, fork.targets)
            });
            let all = now.chain(soon);
            all.map(|(a, b, c, targets)| (a, b, c, targets.map(turn).collect::<Bitboard>().0))
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(forks(from, &turn), forks(to, &|square| square), "{fen}");
        let gains = |side: &Side, turn: &dyn Fn(Square) -> Square| {
            [&side.hanging, &side.hanging_pins]
                .map(|list| list.iter().map(|h| (turn(h.square), h.gain)).collect::<BTreeSet<_>>())
        };
        // Of equals the one nearest to a1 captures first, which turning does not keep. Where that
        // matters the slow twin must say so, too.
        let (from, to) = (gains(from, &turn), gains(to, &|square| square));
        for (kind, (from, to)) in from.into_iter().zip(to).enumerate() {
            for (square, _) in from.symmetric_difference(&to) {
                let slow = [slow::swap_off, slow::swap_off_among_pins][kind];
                let turned = position.board().piece_at(*square).unwrap().color;
                let straight_gain = slow(&straight.board, turn(*square), !color);
                let turned_gain = slow(position.board(), *square, !turned);
                assert_ne!(straight_gain, turned_gain, "{square} in {fen}");
                differences += 1;
            }
        }
    }
    differences
}

/// Every set of a side.
fn plain_sets(side: &Side) -> [Bitboard; 32] {
    let pawns = &side.pawns;
    let [a, b, c, d, e] = side.attack_counts;
    let [f, g, h, i, j] = side.check_squares;
    [
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        i,
        j,
        side.attacks,
        side.attacked,
        side.loose,
        side.undefended,
        side.hanging_count,
        side.checkers,
        side.pinned,
        side.relatively_pinned,
        side.skewered,
        side.minors,
        side.developed,
        side.home_minors,
        side.mobility,
        pawns.doubled,
        pawns.isolated,
        pawns.backward,
        pawns.behind_all,
        pawns.passed,
        pawns.passed_front,
        pawns.candidates,
        pawns.connected,
        pawns.half_open_files,
    ]
}
