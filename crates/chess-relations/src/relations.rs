//! Plans: moves, threats and timelines as joins of positions with rules.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use chess::Role;
use datafusion::{
    arrow::datatypes::DataType,
    common::ScalarValue,
    dataframe::DataFrame,
    error::Result,
    functions::expr_fn::coalesce,
    functions_aggregate::expr_fn::{count, sum},
    logical_expr::{Expr, JoinType, LogicalPlanBuilder, cast, lit, not, when},
};

use crate::{
    Rules,
    frame::{BOARD, Frame, c, has, king, man_on, occupied, piece_at, position_columns, rule},
    ply::{
        Asked, CASTLES, Ends, IN_CHECK, MOVE, MOVES, RESETS, TOLD, Trace, Unrolled, Waiting,
        clock_after, merged,
    },
    positions::{self, CLOCKS},
    tables::{Relation, RuleTable, riders, takers},
};

/// Builds plans for one set of rules.
///
/// Every function takes positions, a table with at least the columns of
/// [`positions::COLUMNS`], each row with one king of either side. Other columns are kept.
#[derive(Clone, Debug)]
pub struct Relations {
    rules: Rules,
    tables: HashMap<Relation, Arc<RuleTable>>,
    pieces: OnceLock<Pieces>,
}

/// What plans must know of pieces.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    pub(crate) riders: Vec<Role>,
    pub(crate) takers: Vec<Role>,
}

/// What a timeline contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// How many plies.
    pub plies: u32,
    /// Whether the positions of every ply are rows, or only those of the last ply.
    pub every_ply: bool,
    /// Whether transpositions are merged; a merged row has no path.
    pub merge: bool,
}

impl Relations {
    /// For these rules. Nothing is made of them before it is asked for.
    pub fn new(rules: &Rules) -> Relations {
        let table = |relation| (relation, Arc::new(RuleTable::new(rules, relation)));
        let tables = Relation::ALL.map(table).into();
        Relations { rules: rules.clone(), tables, pieces: OnceLock::new() }
    }

    pub(crate) fn rule_pieces(&self) -> &Pieces {
        let Relations { rules, pieces, .. } = self;
        pieces.get_or_init(|| Pieces { riders: riders(rules), takers: takers(rules) })
    }

    /// A table of the rules.
    pub fn table(&self, relation: Relation) -> &Arc<RuleTable> {
        &self.tables[&relation]
    }

    /// The board as seen from each piece: one row for each piece and each square.
    ///
    /// Adds the square of the piece (`from`), its `side` (0 White, 1 Black) and `piece`, the `square`
    /// seen, how far east and north of it (`dx`, `dy`), and who stands there: `sees` (self, ally,
    /// foe or empty) and `sees_piece`.
    pub fn perspectives(&self, positions: DataFrame) -> Result<DataFrame> {
        let new = ["from", "side", "piece", "square", "dx", "dy", "sees", "sees_piece"];
        let (frame, session) = Frame::of(positions, &new)?;
        let of = |name| rule(Relation::Views, name);
        let pieces = frame.joined(
            self.scan(Relation::Views)?,
            JoinType::Inner,
            has(occupied(), of("from_place")),
        )?;
        let ours = has(c("us"), of("from_place"));
        let sees = when(of("from_place").eq(of("place")), lit("self"))
            .when(not(has(occupied(), of("place"))), lit("empty"))
            .when(has(c("us"), of("place")).eq(ours.clone()), lit("ally"))
            .otherwise(lit("foe"))?;
        let side = when(ours, c("stm")).otherwise(lit(1_u64) - c("stm"))?;
        let columns = [
            of("from").alias("from"),
            cast(side, positions::data_type("stm")).alias("side"),
            piece_at(&of("from_place"))?.alias("piece"),
            of("square").alias("square"),
            of("dx").alias("dx"),
            of("dy").alias("dy"),
            sees.alias("sees"),
            piece_at(&of("place"))?.alias("sees_piece"),
        ];
        pieces.finish(session, columns)
    }

    /// The pseudo-legal moves of each position.
    ///
    /// Adds the columns of [`legal_moves`](Relations::legal_moves), `is_legal`, and `why` a move is
    /// not legal: pinned, still in check, moves into check, castles out of check, or castles
    /// through check; null for a legal one.
    pub fn candidates(&self, positions: DataFrame) -> Result<DataFrame> {
        let (frame, session) = Frame::of(positions, &[&MOVE[..], &["is_legal", "why"]].concat())?;
        let mut frame = self.alerted(frame)?;
        frame.carry(IN_CHECK);
        let told = [&MOVE[..], &[CASTLES]].concat();
        let asked = Asked { told: &told, ..TOLD };
        let moves = self.moves(self.pieces(frame, None)?, &asked)?;
        let marked = self.checked(moves, JoinType::RightMark)?;
        let castles = c(CASTLES).not_eq(lit(0_u64));
        let why = when(not(c("mark")), lit(ScalarValue::Utf8(None)))
            .when(castles.clone().and(c(IN_CHECK)), lit("castles out of check"))
            .when(castles, lit("castles through check"))
            .when(c("piece").eq(lit(Role::King.name())), lit("moves into check"))
            .when(c(IN_CHECK), lit("still in check"))
            .otherwise(lit("pinned"))?;
        let told = [not(c("mark")).alias("is_legal"), why.alias("why")];
        marked.finish(session, MOVE.map(c).into_iter().chain(told))
    }

    /// What the side that is not to move attacks, whoever stands there.
    ///
    /// Adds the square of the attacker (`from`) and its `piece`, the attacked square (`to`) and the
    /// piece on it (`target_piece`, null if it is empty), and `is_foe`: whether that piece is the
    /// attacker's foe.
    pub fn threats(&self, positions: DataFrame) -> Result<DataFrame> {
        let new = ["from", "piece", "to", "target_piece", "is_foe"];
        let (frame, session) = Frame::of(positions, &new)?;
        let of = |name| rule(Relation::Shields, name);
        let pieces = frame.joined(
            self.scan(Relation::Shields)?,
            JoinType::Inner,
            of("king").eq(king()).and(has(c("them"), of("place"))),
        )?;
        let man = man_on(lit(1_u64) - c("stm"), &of("cell")).alias("mover");
        let pieces = pieces.keeping([occupied().alias("occ"), man])?;
        let of = |name| rule(Relation::Attacks, name);
        let hit = of("man").eq(c("mover")).and((c("occ") & of("between")).eq(lit(0_u64)));
        let threats = pieces.joined(self.scan(Relation::Attacks)?, JoinType::Inner, hit)?;
        let columns = [
            of("from").alias("from"),
            of("piece").alias("piece"),
            of("to").alias("to"),
            piece_at(&of("cell"))?.alias("target_piece"),
            has(c("us"), of("cell")).alias("is_foe"),
        ];
        threats.finish(session, columns)
    }

    /// The legal moves of each position.
    ///
    /// Adds `uci`, the squares `from` and `to` as in `uci`, the `piece`, what it captures
    /// (`captured`) and becomes (`promotion`), both null if nothing, and the name of the `rule` that
    /// the last step of the move follows.
    pub fn legal_moves(&self, positions: DataFrame) -> Result<DataFrame> {
        let (frame, session) = Frame::of(positions, &MOVE)?;
        self.legal(frame, &TOLD)?.finish(session, MOVE.map(c))
    }

    /// The legal moves of each position. The position after the move replaces the position.
    pub fn children(&self, positions: DataFrame) -> Result<DataFrame> {
        let (frame, session) = Frame::of(positions, &MOVE)?;
        let told = [&MOVE[..], &[RESETS]].concat();
        let legal = self.legal(timed(frame), &Asked { told: &told, ..TOLD })?;
        let clocks = CLOCKS.iter().map(|clock| Ok((*clock, clock_after(clock)?)));
        let clocks = clocks.collect::<Result<Vec<_>>>()?;
        let after = legal.turned(Waiting::No, &clocks, MOVE.map(c))?;
        after.finish(session, MOVE.map(c).into_iter().chain(position_columns()))
    }

    fn legal(&self, frame: Frame, asked: &Asked<'_>) -> Result<Frame> {
        let moves = self.moves(self.pieces(self.alerted(frame)?, None)?, asked)?;
        self.checked(moves, JoinType::RightAnti)
    }

    /// The positions that can arise from each position: a row for each sequence of legal moves.
    ///
    /// The columns of a position are those after the moves. Adds `ply` and `multiplicity`, the
    /// number of paths that lead to the row. Without merging it also adds `path`, the moves in UCI,
    /// and `parent`, the path without its last move.
    ///
    /// With merging, positions are compared as for repetitions: clocks make no difference, and an
    /// en-passant square counts only if a legal move captures there. The clocks of a merged row are
    /// the lowest of all its paths. Input rows that are equal in every column become one, and each
    /// of them counts in `multiplicity`.
    pub fn timeline(&self, positions: DataFrame, asked: Timeline) -> Result<DataFrame> {
        let (added, trace) = if asked.merge {
            (&["ply", "multiplicity"][..], Trace::Merged)
        } else {
            (&["ply", "multiplicity", "path", "parent"][..], Trace::Paths)
        };
        let (frame, session) = Frame::of(positions, added)?;
        let Timeline { plies, every_ply, merge } = asked;
        let threads = session.config().target_partitions();
        let asked = Unrolled { plies, every_ply, trace, ends: Ends::Rows, threads };
        let told = self.unrolled(frame, &asked)?;
        let told = if merge { merged(&told)? } else { told };
        told.finish(session, added.iter().copied().map(c).chain(position_columns()))
    }

    /// The number of sequences of legal moves of a given length: `nodes`. Positions whose other
    /// columns are equal are summed up, and all of them if there are no other columns.
    ///
    /// With `merge`, transpositions are expanded once.
    pub fn perft(&self, positions: DataFrame, plies: u32, merge: bool) -> Result<DataFrame> {
        let (frame, session) = Frame::of(positions, &["nodes"])?;
        let threads = session.config().target_partitions();
        let carried = frame.carried();
        let weighed = |frame: Frame, weight: Expr| {
            frame.project(carried.iter().cloned().chain([weight.alias("multiplicity")]))
        };
        // A row that nothing comes of still has its number, which is 0.
        let nothing = weighed(frame.clone(), lit(0_u64))?;
        let trace = if merge { Trace::Merged } else { Trace::Nothing };
        let ends = Ends::Counts;
        let ends =
            self.unrolled(frame, &Unrolled { plies, every_ply: false, trace, ends, threads })?;
        let is_weighed = ends.carried().contains(&c("multiplicity"));
        if carried.is_empty() && !is_weighed {
            // Rows are counted without a look at them, so the last join need not copy any.
            let plan = LogicalPlanBuilder::from(ends.plan);
            let plan = plan.aggregate(carried, [count(lit(1_u64)).alias("total")])?.build()?;
            let nodes = cast(c("total"), DataType::UInt64).alias("nodes");
            return nothing.with(plan).finish(session, [nodes]);
        }
        let ends = weighed(ends, c("multiplicity"))?;
        let rows = LogicalPlanBuilder::from(ends.plan);
        let rows = if carried.is_empty() { rows } else { rows.union(nothing.plan.clone())? };
        let plan = rows.aggregate(carried, [sum(c("multiplicity")).alias("total")])?.build()?;
        let nodes = coalesce(vec![c("total"), lit(0_u64)]).alias("nodes");
        nothing.with(plan).finish(session, [nodes])
    }

    /// Whether each position is check, mate or stalemate.
    ///
    /// Adds `check`, the number of `legal_moves`, and `ending`: checkmate, stalemate or null. No two
    /// rows may be equal in every column: they would become one.
    pub fn outcomes(&self, positions: DataFrame) -> Result<DataFrame> {
        let (frame, session) = Frame::of(positions, &OUTCOME)?;
        let alerted = self.alerted(timed(frame))?;
        // The moves change the board; what it was is carried past them.
        let before = BOARD.map(|name| c(name).alias(was(name)));
        let told = [c("our_king"), c(IN_CHECK)].into_iter().chain(before);
        let mut frame = alerted.keeping(told)?;
        frame.carry(IN_CHECK);
        BOARD.iter().for_each(|name| frame.carry(&was(name)));
        let pieces = self.pieces(frame, Some(lit(true)))?;
        // Whoever cannot move can still wait, so no position is lost.
        let asked = Asked { waiting: Waiting::Yes, told: &[MOVES] };
        let moves = self.moves(pieces, &asked)?;
        let legal = self.checked(moves, JoinType::RightAnti)?;
        let carried = legal.carried();
        let moved = when(c(MOVES), lit(1_u64)).end()?;
        let counted = LogicalPlanBuilder::from(legal.plan.clone())
            .aggregate(carried, [count(moved).alias("legal_moves")])?
            .build()?;
        let stuck = c("legal_moves").eq(lit(0_i64));
        let ending = when(stuck.clone().and(c(IN_CHECK)), lit("checkmate"))
            .when(stuck, lit("stalemate"))
            .end()?;
        let board = BOARD.map(|name| c(&was(name)).alias(name));
        let frame = legal.with(counted).without_hidden();
        let told = [c(IN_CHECK).alias("check"), c("legal_moves"), ending.alias("ending")];
        let told = told.into_iter().chain(CLOCKS.map(c));
        let frame = frame.project(frame.carried().into_iter().chain(board).chain(told))?;
        frame.finish(session, position_columns().into_iter().chain(OUTCOME.map(c)))
    }
}

/// The columns of an outcome.
const OUTCOME: [&str; 3] = ["check", "legal_moves", "ending"];

/// Takes the clocks along.
fn timed(mut frame: Frame) -> Frame {
    CLOCKS.iter().for_each(|clock| frame.carry(clock));
    frame
}

/// The name under which a column of the board is carried past a move.
fn was(column: &str) -> String {
    format!("was_{column}")
}
