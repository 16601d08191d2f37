//! From patterns to paths and attacks: chains of steps, joined to the steps that may follow them
//! until no chain can grow.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chess::Role;

use crate::{
    frame::letter,
    pattern::{Along, Flag, Mark, Pattern, Set, Turn, Who},
};

/// What patterns unroll to.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) paths: Vec<Path>,
    /// For each path the number of the row that its last step follows.
    pub(crate) path_rows: Vec<usize>,
    pub(crate) attacks: Vec<Attack>,
    /// En-passant captures, by the side that captures and the en-passant square.
    pub(crate) takes: BTreeMap<(u8, u8), Vec<Path>>,
}

/// One way a piece can move: what must hold of a position, and how it changes. Squares are bits,
/// a1 the lowest, h8 the highest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// Whose it is: 0 White's, 1 Black's.
    pub side: u8,
    /// The piece that moves.
    pub role: Role,
    /// Where it stands.
    pub source: u8,
    /// Where it moves to.
    pub target: u8,
    /// The kind it has after the move.
    pub becomes: Role,
    /// The rook's move in castling.
    pub partner: Option<Partner>,
    /// The move in UCI notation.
    pub uci: String,
    /// Squares that must be empty.
    pub empty: u64,
    /// Squares on which no own piece may stand.
    pub free: u64,
    /// Squares on which an enemy piece must stand.
    pub foe: u64,
    /// Squares that must be marked: the en-passant square, or that of a rook that may castle.
    pub mark: u64,
    /// Squares that the enemy must not attack.
    pub safe: u64,
    /// Squares that keep their pieces.
    pub keep: u64,
    /// Castling rights that remain.
    pub castling: u64,
    /// The en-passant square after the move.
    pub passed: u64,
    /// Whether the move can expose the own king although no enemy piece was in line with it: the
    /// king itself moves, or a square other than source and target changes.
    pub risky: bool,
}

/// The second piece of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Partner {
    /// The piece.
    pub role: Role,
    /// Where it stands.
    pub source: u8,
    /// Where it moves to.
    pub target: u8,
}

/// One way a piece attacks a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attack {
    /// Whose it is: 0 White's, 1 Black's.
    pub side: u8,
    /// The piece.
    pub role: Role,
    /// Where it stands.
    pub source: u8,
    /// What it attacks.
    pub target: u8,
    /// Squares that must be empty.
    pub between: u64,
}

/// Where rooks that may castle stand. A square that a pawn passed over is never there, so that one
/// set of marks can hold both.
pub(crate) const BACK_RANKS: u64 = 0xff00_0000_0000_00ff;

/// No move has more steps than the board has squares; a chain that would is one that never ends.
const MOST_STEPS: usize = 64;

/// Rules of chess take about 20,000 chains, and memory in proportion. Rows that branch at every
/// step would take more than anybody can wait for.
const MOST_CHAINS: usize = 200_000;

/// Attackers of squares that must be safe, over all sets of such squares. Each is looked at once.
const MOST_ATTACKERS: usize = 250_000;

/// Where positions are compared, each way to take a pawn that has passed costs two joins a ply.
const MOST_TAKERS: usize = 16;

/// Unrolls the patterns for both sides and every square. An error names the row to blame.
pub(crate) fn compile(patterns: &[Pattern]) -> Result<Compiled, (usize, String)> {
    let mut compiler =
        Compiler { patterns, chains: 0, paths: HashMap::new(), attacks: BTreeSet::new() };
    for side in [Side::White, Side::Black] {
        for source in 0..64 {
            compiler.begin(side, source)?;
        }
    }
    let mut paths = en_passant(compiler.paths.into_iter().collect());
    paths.sort();
    let (paths, path_rows): (Vec<Path>, Vec<usize>) = paths.into_iter().unzip();
    let attacks: Vec<Attack> = compiler.attacks.into_iter().collect();
    let first = |is: &dyn Fn(&Pattern) -> bool| patterns.iter().position(is).unwrap_or_default();
    if attackers(&paths, &attacks) > MOST_ATTACKERS {
        let row = first(&|pattern| pattern.destination.marks.contains(Mark::NotThreatened));
        return Err((row, "too many different sets of cells are not to be threatened".to_owned()));
    }
    let takes = takes(&paths).ok_or_else(|| {
        let row = first(&|pattern| pattern.destination.marks.contains(Mark::Passing));
        let reason = format!("a pawn that has passed can be taken in more than {MOST_TAKERS} ways");
        (row, reason)
    })?;
    Ok(Compiled { paths, path_rows, attacks, takes })
}

/// Sets of more than one square that must be safe, by the side that asks for it.
pub(crate) fn safe_sets(paths: &[Path]) -> BTreeSet<(u8, u64)> {
    let asked = paths.iter().filter(|path| path.safe.count_ones() > 1);
    asked.map(|path| (path.side, path.safe)).collect()
}

fn attackers(paths: &[Path], attacks: &[Attack]) -> usize {
    let mut counts = [[0; 64]; 2];
    for attack in attacks {
        counts[usize::from(1 - attack.side)][usize::from(attack.target)] += 1;
    }
    let of = |(side, cells): (u8, u64)| -> usize {
        cells_of(cells).map(|cell| counts[usize::from(side)][usize::from(cell)]).sum()
    };
    safe_sets(paths).into_iter().map(of).sum()
}

/// Nothing if there are too many. What a pawn becomes makes no difference to the king.
fn takes(paths: &[Path]) -> Option<BTreeMap<(u8, u8), Vec<Path>>> {
    let mut takes: BTreeMap<(u8, u8), Vec<Path>> = BTreeMap::new();
    for path in paths {
        for cell in cells_of(path.mark & !BACK_RANKS) {
            let known = takes.entry((path.side, cell)).or_default();
            let alike =
                |way: &Path| Path { becomes: path.becomes, uci: path.uci.clone(), ..way.clone() };
            if !known.iter().any(|way| alike(way) == *path) {
                known.push(path.clone());
            }
            if known.len() > MOST_TAKERS {
                return None;
            }
        }
    }
    Some(takes)
}

fn cells_of(set: u64) -> impl Iterator<Item = u8> {
    (0..64).filter(move |cell| set & bit(*cell) != 0)
}

/// Leaves out paths that need a mark which no pawn of the other side ever makes.
fn en_passant(mut paths: Vec<(Path, usize)>) -> Vec<(Path, usize)> {
    let mut passed = [0; 2];
    for (path, _) in &paths {
        passed[usize::from(path.side)] |= path.passed;
    }
    paths.retain(|(path, _)| path.mark & !BACK_RANKS & !passed[usize::from(1 - path.side)] == 0);
    paths
}

struct Compiler<'a> {
    patterns: &'a [Pattern],
    /// How many have been begun or extended.
    chains: usize,
    /// Each with the row of its last step. Of rows that say the same, the first makes the path.
    paths: HashMap<Path, usize>,
    attacks: BTreeSet<Attack>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    White,
    Black,
}

/// Steps already taken.
#[derive(Clone)]
struct Chain {
    side: Side,
    role: Role,
    source: u8,
    at: u8,
    turn: Option<Turn>,
    /// The rows taken, the last one last.
    rows: Vec<usize>,
    becomes: Role,
    partner: Option<Partner>,
    empty: u64,
    free: u64,
    foe: u64,
    mark: u64,
    safe: u64,
    /// Squares whose pieces are gone, besides source and target.
    taken: u64,
    passed: u64,
    has_taken: bool,
}

impl Compiler<'_> {
    fn begin(&mut self, side: Side, source: u8) -> Result<(), (usize, String)> {
        for (row, pattern) in self.patterns.iter().enumerate() {
            if !pattern.sequence.input.is_empty() {
                continue;
            }
            for role in pattern.source.roles.iter() {
                for turn in turns(pattern.sequence.variants) {
                    let chain = Chain::new(side, role, source, turn);
                    let Some(chain) = self.mint(row, chain)? else { continue };
                    self.step(row, &chain)?;
                }
            }
        }
        Ok(())
    }

    /// What a first step asks of the piece's past, as far as a position tells.
    fn mint(&self, row: usize, mut chain: Chain) -> Result<Option<Chain>, (usize, String)> {
        let pattern = &self.patterns[row];
        let rank = chain.side.rank(chain.source);
        if chain.role == Role::Pawn && matches!(rank, 0 | 7) {
            return Ok(None);
        }
        if pattern.source.marks.contains(Mark::NotThreatened) {
            chain.safe |= bit(chain.source);
        }
        if !pattern.source.marks.contains(Mark::Mint) {
            return Ok(Some(chain));
        }
        match chain.role {
            Role::Pawn if rank == 1 => Ok(Some(chain)),
            Role::King if rank == 0 && self.leads_to_parallel(row) => Ok(Some(chain)),
            Role::King if !self.leads_to_parallel(row) => {
                Err((row, "a parallel step must follow the step of a mint king".to_owned()))
            }
            Role::Rook if rank == 0 => {
                chain.mark |= bit(chain.source);
                Ok(Some(chain))
            }
            _ => Ok(None),
        }
    }

    fn leads_to_parallel(&self, row: usize) -> bool {
        let output = self.patterns[row].sequence.output;
        let mut followers = self.patterns.iter().filter(|next| next.sequence.input.meets(output));
        followers.any(|next| next.sequence.flags.contains(Flag::Parallel))
    }

    /// Takes the step of a row if the board has room for it, ends the move there if it may end,
    /// and goes on with every step that may follow.
    fn step(&mut self, row: usize, chain: &Chain) -> Result<(), (usize, String)> {
        if chain.rows.len() == MOST_STEPS {
            return Err((row, "the step can be repeated without end".to_owned()));
        }
        self.chains += 1;
        if self.chains > MOST_CHAINS {
            return Err((row, format!("the rows make more than {MOST_CHAINS} chains of steps")));
        }
        let pattern = &self.patterns[row];
        if pattern.sequence.flags.contains(Flag::Parallel) {
            return self.parallel(row, chain);
        }
        let Some(next) = self.taken(row, chain)? else { return Ok(()) };
        let is_first = chain.rows.is_empty() && !pattern.sequence.flags.contains(Flag::Public);
        if self.leads_to_parallel(row) && !is_first {
            let reason = "a parallel step must follow the first step of a move, and that step must \
                          not be public";
            return Err((row, reason.to_owned()));
        }
        let is_public = pattern.sequence.flags.contains(Flag::Public);
        if is_public && !self.must_go_on(row, &next) {
            self.add(next.path(), row);
        }
        for following in self.followers(row, &next) {
            self.step(following, &next)?;
        }
        Ok(())
    }

    /// The chain with one more step, or nothing where the board ends (or, for `out_of_bounds`,
    /// does not end).
    fn taken(&mut self, row: usize, chain: &Chain) -> Result<Option<Chain>, (usize, String)> {
        let pattern = &self.patterns[row];
        let cell = chain.cell(pattern);
        let mut next = chain.clone();
        next.rows.push(row);
        next.becomes = pattern.effects.becomes.unwrap_or(chain.becomes);
        let who = pattern.destination.who;
        if who.contains(Who::OutOfBounds) {
            return Ok(cell.is_none().then_some(next));
        }
        let Some(cell) = cell else { return Ok(None) };
        if chain.has_taken {
            return Err((row, "a step cannot follow a capture".to_owned()));
        }
        if pattern.effects.passing {
            // On a back rank the mark would be one of castling.
            next.passed = bit(chain.at) & !BACK_RANKS;
        }
        next.at = cell;
        let there = bit(cell) & !bit(chain.source);
        if pattern.destination.marks.contains(Mark::Passing) {
            // The position marks the square that was passed over; its pawn stands before it.
            let passed = chain.side.ahead(cell).filter(|passed| BACK_RANKS & bit(*passed) == 0);
            let Some(passed) = passed else { return Ok(None) };
            next.mark |= bit(passed);
            next.taken |= bit(cell);
        } else if who.contains(Who::Foe) {
            if chain.mark != 0 {
                return Err((
                    row,
                    "a capture cannot depend on a mint rook or follow en passant".to_owned(),
                ));
            }
            next.has_taken = true;
            self.attacks.insert(chain.attack(cell));
            if who.contains(Who::Empty) {
                next.free |= there;
            } else {
                next.foe |= bit(cell);
            }
        } else {
            next.empty |= there & !chain.taken;
        }
        if pattern.destination.marks.contains(Mark::NotThreatened) {
            next.safe |= bit(cell);
        }
        Ok(Some(next))
    }

    /// Both pieces travel along the rank; what either passes or lands on must be empty, but for the
    /// two themselves.
    fn parallel(&mut self, row: usize, chain: &Chain) -> Result<(), (usize, String)> {
        let pattern = &self.patterns[row];
        if pattern.dy != 0 || chain.at / 8 != chain.source / 8 {
            return Err((row, "the pieces of a parallel step must stay on their rank".to_owned()));
        }
        let first = &self.patterns[chain.rows[0]];
        let east = pattern.source.marks.contains(Mark::East);
        let rank = chain.source / 8 * 8;
        for partner in rank..rank + 8 {
            let is_there = if east { partner > chain.source } else { partner < chain.source };
            let file = match pattern.dx {
                Along::By(files) => (chain.at % 8).checked_add_signed(files),
                Along::To(file) => Some(file),
            };
            let Some(file) = file.filter(|file| *file < 8 && is_there) else { continue };
            let target = rank + file;
            if target == chain.at {
                return Err((
                    row,
                    "both pieces of a parallel step land on the same square".to_owned(),
                ));
            }
            let mut next = chain.clone();
            next.rows.push(row);
            next.partner = Some(Partner { role: Role::Rook, source: partner, target });
            next.mark |= bit(partner);
            let ways = way(chain.source, chain.at) | way(partner, target);
            next.empty = ways & !bit(chain.source) & !bit(partner);
            if first.destination.marks.contains(Mark::NotThreatened) {
                next.safe |= way(chain.source, chain.at);
            }
            let mut path = next.path();
            let is_usual = chain.source % 8 == 4 && matches!(partner % 8, 0 | 7);
            if matches!(first.dx, Along::To(_)) && !is_usual {
                // A king that goes to a file may stay where it is; then only its rook tells.
                path.uci = format!("{}{}", name(chain.source), name(partner));
            }
            self.add(path, row);
        }
        Ok(())
    }

    fn add(&mut self, path: Path, row: usize) {
        self.paths.entry(path).and_modify(|first| *first = row.min(*first)).or_insert(row);
    }

    /// Rows that may come after this one.
    fn followers(&self, row: usize, chain: &Chain) -> Vec<usize> {
        let last = &self.patterns[row].sequence;
        let follows = |next: &usize| {
            let pattern = &self.patterns[*next];
            let sequence = &pattern.sequence;
            let again = *next == row && sequence.flags.contains(Flag::Recursive);
            let is_the_man = sequence.flags.contains(Flag::Parallel)
                || pattern.source.roles.contains(chain.role);
            let same_way = sequence.variants.is_empty()
                || chain.turn.is_none_or(|turn| sequence.variants.contains(turn));
            (again || sequence.input.meets(last.output)) && is_the_man && same_way
        };
        (0..self.patterns.len()).filter(follows).collect()
    }

    /// Whether a mandatory step follows that the board has room for.
    fn must_go_on(&self, row: usize, chain: &Chain) -> bool {
        let has_room = |pattern: &Pattern| {
            let ends = pattern.destination.who.contains(Who::OutOfBounds);
            chain.cell(pattern).is_none() == ends
        };
        let is_mandatory = |pattern: &Pattern| pattern.sequence.flags.contains(Flag::Mandatory);
        let mut followers = self.followers(row, chain).into_iter().map(|next| &self.patterns[next]);
        followers.any(|next| is_mandatory(next) && has_room(next))
    }
}

impl Chain {
    fn new(side: Side, role: Role, source: u8, turn: Option<Turn>) -> Chain {
        Chain {
            side,
            role,
            source,
            at: source,
            turn,
            rows: Vec::new(),
            becomes: role,
            partner: None,
            empty: 0,
            free: 0,
            foe: 0,
            mark: 0,
            safe: 0,
            taken: 0,
            passed: 0,
            has_taken: false,
        }
    }

    /// Where the step of a pattern leads from here, if that is on the board.
    fn cell(&self, pattern: &Pattern) -> Option<u8> {
        let ahead = self.side.sign();
        let (file, rank) = (self.at as i8 % 8, self.at as i8 / 8);
        let (file, rank) = match pattern.dx {
            Along::To(to) => (to as i8, rank + ahead * pattern.dy),
            Along::By(dx) => {
                let turn = match pattern.sequence.variants.is_empty() {
                    true => Turn(0),
                    false => self.turn.unwrap_or(Turn(0)),
                };
                let (dx, dy) = turn.of((dx, pattern.dy));
                (file + dx, rank + ahead * dy)
            }
        };
        let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
        on_board.then_some((rank * 8 + file) as u8)
    }

    fn attack(&self, target: u8) -> Attack {
        Attack {
            side: self.side.number(),
            role: self.role,
            source: self.source,
            target,
            between: self.empty,
        }
    }

    fn path(&self) -> Path {
        let (source, target) = (bit(self.source), bit(self.at));
        let mut gone = source | target | self.taken;
        if let Some(partner) = self.partner {
            gone |= bit(partner.source) | bit(partner.target);
        }
        let mut lost = gone;
        if self.role == Role::King {
            lost |= 0xff << (8 * self.side.home());
        }
        // Where a king asks for safety at all, it asks for it where it comes to stand.
        let safe = if self.safe == 0 { 0 } else { self.safe | target };
        let promotion = (self.becomes != self.role).then(|| letter(self.becomes));
        let uci =
            format!("{}{}{}", name(self.source), name(self.at), promotion.unwrap_or_default());
        Path {
            side: self.side.number(),
            role: self.role,
            source: self.source,
            target: self.at,
            becomes: self.becomes,
            partner: self.partner,
            uci,
            empty: self.empty,
            free: self.free,
            foe: self.foe,
            mark: self.mark,
            safe,
            keep: !gone,
            castling: BACK_RANKS & !lost,
            passed: self.passed,
            risky: self.role == Role::King || gone != source | target,
        }
    }
}

impl Side {
    fn number(self) -> u8 {
        match self {
            Side::White => 0,
            Side::Black => 1,
        }
    }

    fn sign(self) -> i8 {
        match self {
            Side::White => 1,
            Side::Black => -1,
        }
    }

    /// The rank on which its kings start.
    fn home(self) -> u8 {
        match self {
            Side::White => 0,
            Side::Black => 7,
        }
    }

    /// The rank of a square, counted from its own.
    fn rank(self, cell: u8) -> u8 {
        (cell / 8).abs_diff(self.home())
    }

    fn ahead(self, cell: u8) -> Option<u8> {
        cell.checked_add_signed(8 * self.sign()).filter(|cell| *cell < 64)
    }
}

/// No variants are one way, as written.
fn turns(variants: Set<Turn>) -> Vec<Option<Turn>> {
    if variants.is_empty() { vec![None] } else { variants.iter().map(Some).collect() }
}

pub(crate) fn bit(cell: u8) -> u64 {
    1 << cell
}

/// The squares of a rank from one to another, without the first.
fn way(from: u8, to: u8) -> u64 {
    let cells = if from < to { from + 1..=to } else { to..=from };
    cells.filter(|cell| *cell != from).map(bit).fold(0, std::ops::BitOr::bitor)
}

/// As in `e4`.
pub(crate) fn name(cell: u8) -> String {
    format!("{}{}", char::from(b'a' + cell % 8), cell / 8 + 1)
}
