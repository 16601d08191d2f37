//! The move generator next to a slow and obvious twin: a board of 64 boxes, pieces that walk step
//! by step, and a move that is legal if, once made, no enemy piece can take the king.

use std::collections::BTreeSet;

use chess::{Color, Epd, Move, Position, Random, Role, Square};

const SUITES: [(&str, &str, usize); 4] = [
    ("perftsuite", include_str!("../../../fixtures/chess/perft/perftsuite.epd"), 1),
    ("tricky", include_str!("../../../fixtures/chess/perft/tricky.epd"), 1),
    ("chess960", include_str!("../../../fixtures/chess/perft/chess960.epd"), 2),
    ("random", include_str!("../../../fixtures/chess/perft/random.epd"), 9),
];

/// Random games from as many starts, each of at most so many plies.
const WALKS: usize = 150;
const PLIES: usize = 120;

#[test]
fn positions_of_the_suites_have_the_moves_of_the_twin() {
    for (name, suite, step) in SUITES {
        for line in suite.lines().step_by(step) {
            let epd: Epd = line.parse().unwrap();
            compare(&epd.position, name);
        }
    }
}

#[test]
fn random_walks_have_the_moves_of_the_twin() {
    let all = SUITES.iter().flat_map(|(_, suite, _)| suite.lines());
    let starts: Vec<&str> = all.collect();
    for seed in 0..WALKS {
        let mut random = Random::new(seed as u64);
        let line = starts[random.below(starts.len())];
        let mut position = line.parse::<Epd>().unwrap().position;
        for _ in 0..PLIES {
            compare(&position, &format!("seed {seed}"));
            let moves: Vec<Move> = position.legal_moves().iter().collect();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[random.below(moves.len())]);
        }
    }
}

/// The same moves, and after each of them the same FEN.
fn compare(position: &Position, what: &str) {
    let fen = position.to_string();
    let twin = Twin::from_fen(&fen);
    assert_eq!(twin.to_fen(), fen, "{what}: the twin reads and writes FEN");
    let ours: BTreeSet<Step> = position.legal_moves().iter().map(Step::from).collect();
    let theirs: BTreeSet<Step> = twin.legal_moves().into_iter().collect();
    assert_eq!(ours, theirs, "{what}: moves of {fen}");
    assert_eq!(position.is_check(), twin.is_attacked(twin.king(twin.turn), !twin.turn), "{fen}");
    for mv in position.legal_moves().iter() {
        let after = twin.after(Step::from(mv)).to_fen();
        assert_eq!(position.play(mv).to_string(), after, "{what}: {mv:?} in {fen}");
    }
}

/// A move as numbers of boxes; castling is the king stepping onto its own rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    from: usize,
    to: usize,
    promotion: Option<Role>,
}

impl From<Move> for Step {
    fn from(mv: Move) -> Step {
        Step { from: mv.from.index(), to: mv.to.index(), promotion: mv.promotion }
    }
}

#[derive(Clone)]
struct Twin {
    boxes: [Option<(Color, Role)>; 64],
    turn: Color,
    /// The boxes of the rooks that may castle, of both colours.
    castling: BTreeSet<usize>,
    /// The box a pawn has just passed, whether or not anybody can capture there.
    passed: Option<usize>,
    halfmoves: u32,
    fullmoves: u32,
}

const STRAIGHT: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const ALL_ROUND: [(i32, i32); 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];
const LEAPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

impl Twin {
    fn from_fen(fen: &str) -> Twin {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut twin = Twin {
            boxes: [None; 64],
            turn: if fields[1] == "w" { Color::White } else { Color::Black },
            castling: BTreeSet::new(),
            passed: Square::from_ascii(fields[3].as_bytes()).map(Square::index),
            halfmoves: fields[4].parse().unwrap(),
            fullmoves: fields[5].parse().unwrap(),
        };
        for (down, rank) in fields[0].split('/').enumerate() {
            let mut at = 8 * (7 - down);
            for letter in rank.chars() {
                match letter.to_digit(10) {
                    Some(empty) => at += empty as usize,
                    None => {
                        twin.boxes[at] = Some(man(letter));
                        at += 1;
                    }
                }
            }
        }
        for letter in fields[2].chars().filter(|&letter| letter != '-') {
            let color = if letter.is_uppercase() { Color::White } else { Color::Black };
            let rook = match letter.to_ascii_lowercase() {
                'k' => twin.outermost_rook(color, true).unwrap(),
                'q' => twin.outermost_rook(color, false).unwrap(),
                file => first_rank(color) * 8 + (file as usize - 'a' as usize),
            };
            twin.castling.insert(rook);
        }
        twin
    }

    fn to_fen(&self) -> String {
        let mut ranks = Vec::new();
        for rank in (0..8).rev() {
            let mut text = String::new();
            for here in &self.boxes[8 * rank..8 * rank + 8] {
                text.push(here.map_or('1', letter));
            }
            // Runs of empty boxes, the longest first, become their count.
            for run in (2..=8).rev() {
                text = text.replace(&"1".repeat(run), &run.to_string());
            }
            ranks.push(text);
        }
        let passed = self.passed.filter(|_| self.legal_moves().iter().any(|s| self.is_passing(*s)));
        format!(
            "{} {} {} {} {} {}",
            ranks.join("/"),
            self.turn.letter(),
            self.castling_letters(),
            passed.map_or("-".to_owned(), |at| Square::from_index(at).to_string()),
            self.halfmoves,
            self.fullmoves
        )
    }

    fn castling_letters(&self) -> String {
        let mut letters = String::new();
        for color in [Color::White, Color::Black] {
            for short in [true, false] {
                for &rook in &self.castling {
                    if self.boxes[rook] != Some((color, Role::Rook))
                        || (rook > self.king(color)) != short
                    {
                        continue;
                    }
                    let letter = match self.outermost_rook(color, short) == Some(rook) {
                        true if short => 'k',
                        true => 'q',
                        false => (b'a' + (rook % 8) as u8) as char,
                    };
                    let white = color == Color::White;
                    letters.push(if white { letter.to_ascii_uppercase() } else { letter });
                }
            }
        }
        if letters.is_empty() { "-".to_owned() } else { letters }
    }

    /// Walks from the edge towards the king.
    fn outermost_rook(&self, color: Color, short: bool) -> Option<usize> {
        let rank = first_rank(color);
        let files: Vec<usize> = if short { (0..8).rev().collect() } else { (0..8).collect() };
        for file in files {
            match self.boxes[rank * 8 + file] {
                Some(man) if man == (color, Role::Rook) => return Some(rank * 8 + file),
                Some(man) if man == (color, Role::King) => return None,
                _ => {}
            }
        }
        None
    }

    fn king(&self, color: Color) -> usize {
        self.boxes.iter().position(|&here| here == Some((color, Role::King))).unwrap()
    }

    fn legal_moves(&self) -> Vec<Step> {
        let mut steps = self.steps(self.turn);
        steps.extend(self.castling_steps());
        steps.retain(|&step| {
            let after = self.moved(step);
            !after.is_attacked(after.king(self.turn), !self.turn)
        });
        steps
    }

    fn is_attacked(&self, at: usize, by: Color) -> bool {
        self.steps(by).iter().any(|step| step.to == at)
    }

    /// What the pieces of a side can do if nobody minds the king, castling left out.
    fn steps(&self, color: Color) -> Vec<Step> {
        let mut steps = Vec::new();
        for from in 0..64 {
            let Some((owner, role)) = self.boxes[from] else { continue };
            if owner != color {
                continue;
            }
            match role {
                Role::Pawn => self.pawn_steps(from, color, &mut steps),
                Role::Knight => self.walk(from, &LEAPS, 1, &mut steps),
                Role::Bishop => self.walk(from, &DIAGONAL, 7, &mut steps),
                Role::Rook => self.walk(from, &STRAIGHT, 7, &mut steps),
                Role::Queen => self.walk(from, &ALL_ROUND, 7, &mut steps),
                Role::King => self.walk(from, &ALL_ROUND, 1, &mut steps),
            }
        }
        steps
    }

    fn walk(&self, from: usize, ways: &[(i32, i32)], furthest: i32, steps: &mut Vec<Step>) {
        let (color, _) = self.boxes[from].unwrap();
        for &(files, ranks) in ways {
            for distance in 1..=furthest {
                let Some(to) = go(from, files * distance, ranks * distance) else { break };
                if self.boxes[to].is_some_and(|(owner, _)| owner == color) {
                    break;
                }
                steps.push(Step { from, to, promotion: None });
                if self.boxes[to].is_some() {
                    break;
                }
            }
        }
    }

    fn pawn_steps(&self, from: usize, color: Color, steps: &mut Vec<Step>) {
        let (up, second) = if color == Color::White { (1, 1) } else { (-1, 6) };
        let mut targets = Vec::new();
        if let Some(one) = go(from, 0, up).filter(|&to| self.boxes[to].is_none()) {
            targets.push(one);
            if from / 8 == second {
                targets.extend(go(from, 0, 2 * up).filter(|&to| self.boxes[to].is_none()));
            }
        }
        for sideways in [-1, 1] {
            let Some(to) = go(from, sideways, up) else { continue };
            let takes = self.boxes[to].is_some_and(|(owner, _)| owner != color);
            if takes || self.passed == Some(to) && color == self.turn {
                targets.push(to);
            }
        }
        for to in targets {
            if to / 8 == 0 || to / 8 == 7 {
                let promote = |role| Step { from, to, promotion: Some(role) };
                steps.extend([Role::Knight, Role::Bishop, Role::Rook, Role::Queen].map(promote));
            } else {
                steps.push(Step { from, to, promotion: None });
            }
        }
    }

    /// King and rook need free ways, and the king may neither stand on, pass nor reach a box
    /// where it could be taken.
    fn castling_steps(&self) -> Vec<Step> {
        let king = self.king(self.turn);
        let mut steps = Vec::new();
        for &rook in &self.castling {
            if self.boxes[rook] != Some((self.turn, Role::Rook)) {
                continue;
            }
            let (king_to, rook_to) = castled(king, rook);
            let mut ways = way(king, king_to).chain(way(rook, rook_to));
            let free = ways.all(|at| at == king || at == rook || self.boxes[at].is_none());
            let safe = way(king, king_to).all(|at| {
                let mut passing = self.clone();
                passing.boxes[king] = None;
                passing.boxes[at] = Some((self.turn, Role::King));
                at == king_to && at != king || !passing.is_attacked(at, !self.turn)
            });
            let in_check = self.is_attacked(king, !self.turn);
            // The last box is judged by the rule for all moves, with the rook where it ends.
            if free && safe && !in_check {
                steps.push(Step { from: king, to: rook, promotion: None });
            }
        }
        steps
    }

    fn is_passing(&self, step: Step) -> bool {
        self.boxes[step.from].is_some_and(|(_, role)| role == Role::Pawn)
            && self.passed == Some(step.to)
            && step.from % 8 != step.to % 8
    }

    /// The pieces moved, and nothing else.
    fn moved(&self, step: Step) -> Twin {
        let Step { from, to, promotion } = step;
        let mut next = self.clone();
        let (color, role) = self.boxes[from].unwrap();
        next.boxes[from] = None;
        if role == Role::King && self.boxes[to] == Some((color, Role::Rook)) {
            let (king_to, rook_to) = castled(from, to);
            next.boxes[to] = None;
            next.boxes[king_to] = Some((color, Role::King));
            next.boxes[rook_to] = Some((color, Role::Rook));
            return next;
        }
        if self.is_passing(step) {
            next.boxes[from / 8 * 8 + to % 8] = None;
        }
        next.boxes[to] = Some((color, promotion.unwrap_or(role)));
        next
    }

    /// The pieces moved, and everything that follows from it.
    fn after(&self, step: Step) -> Twin {
        let Step { from, to, .. } = step;
        let (color, role) = self.boxes[from].unwrap();
        let mut next = self.moved(step);
        let takes = self.boxes[to].is_some_and(|(owner, _)| owner != color);
        let resets = role == Role::Pawn || takes;
        next.halfmoves = if resets { 0 } else { self.halfmoves + 1 };
        next.fullmoves += u32::from(color == Color::Black);
        next.turn = !color;
        next.castling.remove(&from);
        next.castling.remove(&to);
        if role == Role::King {
            next.castling.retain(|rook| rook / 8 != first_rank(color));
        }
        let double = role == Role::Pawn && from.abs_diff(to) == 16;
        next.passed = double.then_some((from + to) / 2);
        next
    }
}

/// Where king and rook end when the king castles with the rook.
fn castled(king: usize, rook: usize) -> (usize, usize) {
    let rank = king / 8 * 8;
    if rook > king { (rank + 6, rank + 5) } else { (rank + 2, rank + 3) }
}

/// Both ends and all between, along a rank.
fn way(from: usize, to: usize) -> std::ops::RangeInclusive<usize> {
    from.min(to)..=from.max(to)
}

fn go(from: usize, files: i32, ranks: i32) -> Option<usize> {
    let file = (from % 8) as i32 + files;
    let rank = (from / 8) as i32 + ranks;
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize)
}

fn first_rank(color: Color) -> usize {
    if color == Color::White { 0 } else { 7 }
}

fn man(letter: char) -> (Color, Role) {
    let color = if letter.is_uppercase() { Color::White } else { Color::Black };
    let role = match letter.to_ascii_lowercase() {
        'p' => Role::Pawn,
        'n' => Role::Knight,
        'b' => Role::Bishop,
        'r' => Role::Rook,
        'q' => Role::Queen,
        'k' => Role::King,
        other => panic!("{other} is no piece"),
    };
    (color, role)
}

fn letter((color, role): (Color, Role)) -> char {
    let letter = match role {
        Role::Pawn => 'p',
        Role::Knight => 'n',
        Role::Bishop => 'b',
        Role::Rook => 'r',
        Role::Queen => 'q',
        Role::King => 'k',
    };
    if color == Color::White { letter.to_ascii_uppercase() } else { letter }
}
