//! One ply as joins, and plies in a row.

use std::sync::Arc;

use chess::Role;
use datafusion::{
    common::ScalarValue,
    datasource::provider_as_source,
    error::Result,
    functions::string::expr_fn::concat,
    functions_aggregate::expr_fn::{min, sum},
    logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit, when},
};

use crate::{
    Relations,
    compile::BACK_RANKS,
    frame::{BOARD, Frame, ROLES, c, has, king, letter, man_on, occupied, piece_at, rule},
    positions::CLOCKS,
    tables::{ADD, BY, FROM, LINE, Relation, WAITS},
};

/// The columns that tell of a move.
pub(crate) const MOVE: [&str; 7] = ["uci", "from", "to", "piece", "captured", "promotion", "rule"];

/// After this many plies from one position there are rows enough to share among threads.
const PLIES_BEFORE_SHARING: u32 = 2;

/// Whether a position may also stay as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    Yes,
    No,
}

/// What is asked of [`Relations::moves`].
pub(crate) struct Asked<'a> {
    pub(crate) waiting: Waiting,
    /// Columns of [`MOVE`], [`CASTLES`], [`MOVES`] and [`RESETS`].
    pub(crate) told: &'a [&'a str],
}

/// All of a move, and no waiting.
pub(crate) const TOLD: Asked<'_> = Asked { waiting: Waiting::No, told: &MOVE };

/// Whether a move sets the clock of halfmoves back to 0: it takes, or a pawn makes it.
pub(crate) const RESETS: &str = "resets";

/// Whether a move castles, as a number.
pub(crate) const CASTLES: &str = "castles";

/// Whether the king of the side to move is attacked.
pub(crate) const IN_CHECK: &str = "in_check";

/// Whether a row is that of a move, and not of waiting.
pub(crate) const MOVES: &str = "moves";

/// What is known of the way to a position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trace {
    /// Nothing.
    Nothing,
    /// How many ways there are; the position is there once.
    Merged,
    /// The moves.
    Paths,
}

impl Relations {
    pub(crate) fn scan(&self, relation: Relation) -> Result<LogicalPlan> {
        let table = Arc::clone(self.table(relation));
        LogicalPlanBuilder::scan(relation.name(), provider_as_source(table), None)?.build()
    }

    /// Adds `our_king`, and whether it is attacked: `in_check`. A first join finds the foes that
    /// could attack it if nobody stood between; only where there are any, a second one looks.
    pub(crate) fn alerted(&self, frame: Frame) -> Result<Frame> {
        let of = |name| rule(Relation::Alarms, name);
        let frame =
            frame.joined(self.scan(Relation::Alarms)?, JoinType::Inner, of("king").eq(king()))?;
        let foes = ROLES.iter().zip(FROM).map(|(role, from)| c(role) & of(from));
        let probe = when(has(c("them"), union(foes)), king()).end()?;
        let frame = frame.keeping([
            king().alias("our_king"),
            occupied().alias("occ"),
            probe.alias("probe"),
        ])?;
        let marked = self.checked(frame, JoinType::RightMark)?;
        marked.keeping([c("our_king"), c("mark").alias(IN_CHECK)])
    }

    /// A row for each piece of the side to move: `mover`, its number, and `alert`, whether any move
    /// of it needs a look at the king afterwards: the king is attacked already, or a foe stands in
    /// line with it behind the piece. With a condition, a row for waiting too, and the pieces only
    /// where it holds.
    pub(crate) fn pieces(&self, frame: Frame, moves_if: Option<Expr>) -> Result<Frame> {
        let relation = match moves_if {
            Some(_) => Relation::ShieldsOrWait,
            None => Relation::Shields,
        };
        let of = |name| rule(relation, name);
        let mut on = of("king").eq(c("our_king")).and(has(c("us"), of("place")));
        let mut piece = man_on(c("stm"), &of("cell"));
        if let Some(condition) = moves_if {
            on = on.and(of("waits").or(condition));
            piece = when(of("waits"), lit(WAITS)).otherwise(piece)?;
        }
        let frame = frame.joined(self.scan(relation)?, JoinType::Inner, on)?;
        let riders = self.rule_pieces().riders.iter().map(|role| role.index());
        let lines: Vec<Expr> = riders.map(|role| c(ROLES[role]) & of(LINE[role])).collect();
        let alert = match lines.is_empty() {
            true => c(IN_CHECK),
            false => c(IN_CHECK).or(has(c("them"), union(lines))),
        };
        frame.keeping([occupied().alias("occ"), alert.alias("alert"), piece.alias("mover")])
    }

    /// A row for each way the pieces can go: the board after it, still with the mover as `us`, what
    /// stands in the way of attacks then (`occ`), the squares that must not be attacked (`probe`,
    /// null if that is certain), and what is asked for.
    pub(crate) fn moves(&self, frame: Frame, asked: &Asked<'_>) -> Result<Frame> {
        let Asked { waiting, told } = *asked;
        let relation = match waiting {
            Waiting::Yes => Relation::PathsOrWait,
            Waiting::No => Relation::Paths,
        };
        let of = |name: &str| rule(relation, name);
        let on = of("man").eq(c("mover")).and(is_open(c("occ"), relation));
        let frame = frame.joined(self.scan(relation)?, JoinType::Inner, on)?;
        let kept = |name: &str| c(name) & of("keep");
        let after = |name: &str| match name {
            "stm" => c("stm"),
            "us" => kept("us") | of("add"),
            "them" => kept("them"),
            "marks" => (c("marks") & of("castling")) | of("passed"),
            role => {
                let at = ROLES.iter().position(|known| *known == role);
                kept(role) | of(ADD[at.expect("the board has no other columns")])
            }
        };
        let king = after("us") & after("k");
        let probe = when(of("safe").not_eq(lit(0_u64)), of("safe")).otherwise(king)?;
        let mut looked_at = c("alert").or(of("risky").not_eq(lit(0_u64)));
        if waiting == Waiting::Yes {
            looked_at = c("mover").not_eq(lit(WAITS)).and(looked_at);
        }
        let mut columns: Vec<Expr> = BOARD.map(|name| after(name).alias(name)).into();
        columns.extend(frame.carried());
        columns.push((kept("occ") | of("solid")).alias("occ"));
        columns.push(when(looked_at, probe).end()?.alias("probe"));
        let taken = || c("them") - kept("them");
        for name in told {
            columns.push(match *name {
                "captured" => piece_at(&taken())?.alias("captured"),
                RESETS => {
                    let is_pawn = of("pawn").not_eq(lit(0_u64));
                    taken().not_eq(lit(0_u64)).or(is_pawn).alias(RESETS)
                }
                MOVES => c("mover").not_eq(lit(WAITS)).alias(MOVES),
                name => of(name).alias(name),
            });
        }
        frame.project(columns)
    }

    /// Whether the squares of `probe` are attacked: rows where they are left out, or marked.
    pub(crate) fn checked(&self, frame: Frame, how: JoinType) -> Result<Frame> {
        self.attacked(frame, how, "them")
    }

    /// Whether the squares of `probe` are attacked by these foes.
    fn attacked(&self, frame: Frame, how: JoinType, foes: &str) -> Result<Frame> {
        let of = |name| rule(Relation::Checks, name);
        let attackers = ROLES.iter().zip(BY).map(|(role, by)| c(role) & of(by));
        let hit = has(c(foes), union(attackers));
        let open = (c("occ") & of("between")).eq(lit(0_u64));
        let on = of("side").eq(c("stm")).and(of("cells").eq(c("probe"))).and(hit).and(open);
        frame.joined(self.scan(Relation::Checks)?, how, on)
    }

    /// Positions that can be compared: the mark of a pawn that has passed is gone where no legal
    /// move makes use of it, because then the position is the one that comes without the double
    /// step.
    ///
    /// Who could take it is looked up one by one, since every position must stay one row.
    fn comparable(&self, mut frame: Frame) -> Result<Frame> {
        let mut useful = Vec::new();
        for (number, role) in self.rule_pieces().takers.iter().enumerate() {
            let taken = self.taken(frame, number as u64, *role)?;
            let marked = self.attacked(taken, JoinType::RightMark, "foes")?;
            let name = format!("useful_{number}");
            let is_legal = c("probe").is_not_null().and(c("mark").is_not_true()).alias(&name);
            frame = marked.keeping(useful.iter().map(|name: &String| c(name)).chain([is_legal]))?;
            useful.push(name);
        }
        let castling = c("marks") & lit(BACK_RANKS);
        let is_useful = useful.iter().map(|name| c(name)).reduce(Expr::or);
        let marks = match is_useful {
            Some(is_useful) => when(is_useful, c("marks")).otherwise(castling)?,
            None => castling,
        };
        let board =
            BOARD.map(|name| if name == "marks" { marks.clone().alias(name) } else { c(name) });
        frame.project(board.into_iter().chain(frame.carried()))
    }

    /// Adds `probe`, `occ` and `foes` as they are after the taker of this number and kind has taken
    /// the pawn that passed; `probe` is null if it cannot.
    fn taken(&self, frame: Frame, number: u64, role: Role) -> Result<Frame> {
        let of = |name: &str| rule(Relation::Takes, name);
        let passed = c("marks") & lit(!BACK_RANKS);
        let man = c("us") & c(letter(role));
        let on = of("side").eq(c("stm")).and(of("passed").eq(passed | lit(number)));
        let on = on.and(has(man, of("place"))).and(is_open(occupied(), Relation::Takes));
        let frame = frame.joined(self.scan(Relation::Takes)?, JoinType::Right, on)?;
        let king = (king() & of("keep")) | of("king");
        let probe = when(of("passed").is_null(), lit(ScalarValue::UInt64(None)))
            .when(of("safe").not_eq(lit(0_u64)), of("safe"))
            .otherwise(king)?;
        let earlier = (0..number).map(|number| c(&format!("useful_{number}")));
        frame.keeping(earlier.chain([
            probe.alias("probe"),
            ((occupied() & of("keep")) | of("solid")).alias("occ"),
            (c("them") & of("keep")).alias("foes"),
        ]))
    }

    /// So many plies, each one from the one before it. Adds `ply` and `multiplicity`, and `path`
    /// and `parent` where they are traced.
    pub(crate) fn unrolled(&self, mut frame: Frame, asked: &Unrolled) -> Result<Frame> {
        let Unrolled { plies, every_ply, trace, ends, threads } = *asked;
        let waiting = if every_ply { Waiting::Yes } else { Waiting::No };
        frame = frame.keeping(asked.first())?;
        asked.columns().iter().for_each(|column| frame.carry(column));
        for ply in 0..plies {
            if ply > 0 && trace == Trace::Merged {
                frame = merged(&frame)?;
            }
            if ply == PLIES_BEFORE_SHARING && threads > 1 && trace == Trace::Nothing {
                frame = shared(&frame)?;
            }
            let moves_if = every_ply.then(|| c("ply").eq(lit(u64::from(ply))));
            let pieces = self.pieces(self.alerted(frame)?, moves_if)?;
            let moves = self.moves(pieces, &Asked { waiting, told: &asked.told() })?;
            let legal = self.checked(moves, JoinType::RightAnti)?;
            frame = legal.turned(waiting, &asked.next()?, [])?;
            if trace == Trace::Merged && (ends == Ends::Rows || ply + 1 < plies) {
                frame = self.comparable(frame)?;
            }
        }
        let carried = frame.carried();
        let missing = [("ply", lit(u64::from(plies))), ("multiplicity", lit(1_u64))];
        let missing = missing.into_iter().filter(|(name, _)| !carried.contains(&c(name)));
        let mut ends = frame.keeping(missing.map(|(name, value)| value.alias(name)))?;
        if !carried.contains(&c("ply")) {
            ends.carry("ply");
        }
        Ok(ends)
    }
}

/// What is asked of plies in a row.
pub(crate) struct Unrolled {
    pub(crate) plies: u32,
    /// Whether positions on the way are rows too.
    pub(crate) every_ply: bool,
    pub(crate) trace: Trace,
    pub(crate) ends: Ends,
    /// Among how many work is shared, if nothing is known of the ways.
    pub(crate) threads: usize,
}

/// What the last positions are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// They are counted.
    Counts,
    /// They are rows of the result.
    Rows,
}

impl Unrolled {
    /// The columns that go from ply to ply.
    fn columns(&self) -> Vec<&'static str> {
        let mut columns = Vec::new();
        if self.every_ply {
            columns.push("ply");
        }
        if self.ends == Ends::Rows {
            columns.extend(CLOCKS);
        }
        match self.trace {
            Trace::Nothing => {}
            Trace::Merged => columns.push("multiplicity"),
            Trace::Paths => columns.extend(["path", "parent"]),
        }
        columns
    }

    /// What they are before the first move.
    fn first(&self) -> Vec<Expr> {
        let value = |name: &str| match name {
            "ply" => lit(0_u64),
            "multiplicity" => lit(1_u64),
            "path" => lit(""),
            "parent" => lit(ScalarValue::Utf8(None)),
            clock => c(clock),
        };
        self.columns().into_iter().map(|name| value(name).alias(name)).collect()
    }

    /// What must be known of a move.
    fn told(&self) -> Vec<&'static str> {
        let uci = (self.every_ply || self.trace == Trace::Paths).then_some("uci");
        let resets = (self.ends == Ends::Rows).then_some(RESETS);
        uci.into_iter().chain(resets).collect()
    }

    /// What becomes of them with a move, which is null for those who wait.
    fn next(&self) -> Result<Vec<(&'static str, Expr)>> {
        let moved = || c("uci").is_not_null();
        let longer = concat(vec![c("path"), lit(" "), c("uci")]);
        let value = |name: &str| match name {
            "ply" => when(moved(), c("ply") + lit(1_u64)).otherwise(c("ply")),
            "path" => when(c("uci").is_null(), c("path"))
                .when(c("path").eq(lit("")), c("uci"))
                .otherwise(longer.clone()),
            "parent" => when(moved(), c("path")).otherwise(c("parent")),
            clock if CLOCKS.contains(&clock) => match self.every_ply {
                true => when(moved(), clock_after(clock)?).otherwise(c(clock)),
                false => clock_after(clock),
            },
            name => Ok(c(name)),
        };
        self.columns().into_iter().map(|name| Ok((name, value(name)?))).collect()
    }
}

/// What a move makes of a clock. It stops where a position cannot hold more.
pub(crate) fn clock_after(clock: &str) -> Result<Expr> {
    let most = lit(u64::from(u16::MAX));
    let raised = |by: Expr| when(c(clock).lt(most), c(clock) + by).otherwise(c(clock));
    match clock {
        "halfmoves" => when(c(RESETS), lit(0_u64)).otherwise(raised(lit(1_u64))?),
        // The number of the move is raised after Black's, who is side 1.
        _ => raised(c("stm")),
    }
}

/// Whether a position has no obstacle on the way of a rule.
fn is_open(occupied: Expr, relation: Relation) -> Expr {
    let of = |name: &str| rule(relation, name);
    let missing = |needed: &str, there: &str| of(needed) - (c(there) & of(needed));
    let obstacles = (occupied & of("empty"))
        | (c("us") & of("free"))
        | missing("foe", "them")
        | missing("mark", "marks");
    obstacles.eq(lit(0_u64))
}

impl Frame {
    /// The board as the next side to move has it.
    pub(crate) fn turned(
        &self,
        waiting: Waiting,
        carried: &[(&'static str, Expr)],
        more: impl IntoIterator<Item = Expr>,
    ) -> Result<Frame> {
        let or_as_it_is = |turned: Expr, name: &str| match waiting {
            Waiting::No => Ok(turned),
            Waiting::Yes => when(c("uci").is_null(), c(name)).otherwise(turned),
        };
        let mut columns = Vec::new();
        for name in BOARD {
            let column = match name {
                "stm" => or_as_it_is(lit(1_u64) - c("stm"), name)?,
                "us" => or_as_it_is(c("them"), name)?,
                "them" => or_as_it_is(c("us"), name)?,
                name => c(name),
            };
            columns.push(column.alias(name));
        }
        columns.extend(self.carried().into_iter().map(|column| {
            let name = column.schema_name().to_string();
            match carried.iter().find(|(known, _)| *known == name) {
                Some((_, next)) => next.clone().alias(name),
                None => column,
            }
        }));
        columns.extend(more);
        self.project(columns)
    }
}

/// Equal positions as one, which counts for as many ways as they did, with the lowest of their
/// clocks.
pub(crate) fn merged(frame: &Frame) -> Result<Frame> {
    let ways = "multiplicity";
    let is_clock = |column: &Expr| CLOCKS.iter().any(|clock| *column == c(clock));
    let (clocks, carried): (Vec<Expr>, Vec<Expr>) =
        frame.carried().into_iter().filter(|column| *column != c(ways)).partition(is_clock);
    let keys: Vec<Expr> = BOARD.map(c).into_iter().chain(carried).collect();
    let clocks: Vec<String> = clocks.iter().map(|clock| clock.schema_name().to_string()).collect();
    let lowest = clocks.iter().map(|clock| min(c(clock)).alias(format!("lowest_{clock}")));
    let plan = LogicalPlanBuilder::from(frame.plan.clone())
        .aggregate(keys.clone(), lowest.chain([sum(c(ways)).alias("ways")]))?
        .build()?;
    let lowest = clocks.iter().map(|clock| c(&format!("lowest_{clock}")).alias(clock));
    let columns = keys.into_iter().chain(lowest).chain([c("ways").alias(ways)]);
    frame.with(plan).project(columns)
}

/// The rows shared among threads: rows of equal positions meet to be counted, and stay where they
/// met. A plain repartition would say so more clearly, but the optimizer takes it away.
fn shared(frame: &Frame) -> Result<Frame> {
    let mut counted = frame.keeping([lit(1_u64).alias("multiplicity")])?;
    counted.carry("multiplicity");
    merged(&counted)
}

fn union(sets: impl IntoIterator<Item = Expr>) -> Expr {
    sets.into_iter().reduce(|one, other| one | other).expect("there is a set at least")
}
