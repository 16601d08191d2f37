//! Rules: the rows that people edit, and what they are compiled to.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use chess::Role;

use crate::{
    compile::{self, Compiled},
    pattern::{Condition, Flag, Mark, Numbered, Pair, Pattern, Set, Who},
};

/// The rules of a chess variant: patterns, and the paths and attacks they unroll to.
///
/// ```
/// use chess_relations::Rules;
///
/// let standard = Rules::named("standard").unwrap();
/// let edited = standard.to_csv().replace("pawn first step,self pawn mint", "pawn first step,self pawn");
/// let rules = Rules::from_csv(&edited)?;
/// assert!(rules.paths().len() > standard.paths().len());
/// # Ok::<(), chess_relations::RulesError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rules {
    patterns: Vec<Pattern>,
    /// Unrolled when first asked for: most statements ask for no rules, and to unroll them takes
    /// longer than many a statement.
    compiled: Arc<OnceLock<Compiled>>,
}

/// The bundled variants: name and description.
pub const VARIANTS: [(&str, &str); 3] = [
    ("standard", "Standard chess"),
    ("chess960", "Chess960; castling from the usual squares is that of standard chess"),
    ("crowned-knights", "Standard chess in which knights also move like kings"),
];

const FILES: [&str; 3] = [
    include_str!("../rules/standard.csv"),
    include_str!("../rules/chess960.csv"),
    include_str!("../rules/crowned-knights.csv"),
];

/// Why those files have no errors.
const BUNDLED: &str = "a test reads and unrolls every file that comes along";

/// Every step looks for the rows that may follow it.
const MOST_ROWS: usize = 1_000;

/// Why a pattern file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct RulesError {
    /// The line, counted from 1; the header is line 1.
    pub line: u64,
    /// What is wrong there.
    pub reason: String,
}

impl Rules {
    /// One of the [`VARIANTS`].
    pub fn named(name: &str) -> Option<Rules> {
        let at = VARIANTS.iter().position(|(variant, _)| *variant == name)?;
        let rows = rows(FILES[at]).expect(BUNDLED);
        let patterns = rows.into_iter().map(|(_, pattern)| pattern).collect();
        Some(Rules { patterns, compiled: Arc::default() })
    }

    /// Reads a pattern file: CSV with a header.
    pub fn from_csv(text: &str) -> Result<Rules, RulesError> {
        Rules::of(rows(text)?)
    }

    /// Makes rules of rows, each with the texts of [`Pattern::COLUMNS`]. An error names the line
    /// that a row would have in a pattern file.
    pub fn from_rows<'a>(
        rows: impl IntoIterator<Item = [&'a str; 7]>,
    ) -> Result<Rules, RulesError> {
        let rows = (2..).zip(rows).map(|(line, columns)| Ok((line, read(line, columns)?)));
        Rules::of(rows.collect::<Result<_, _>>()?)
    }

    /// Puts patterns together, each with its line.
    fn of(rows: Vec<(u64, Pattern)>) -> Result<Rules, RulesError> {
        if let Some((line, _)) = rows.get(MOST_ROWS) {
            let reason = format!("more than {MOST_ROWS} rows");
            return Err(RulesError { line: *line, reason });
        }
        let (lines, patterns): (Vec<u64>, Vec<Pattern>) = rows.into_iter().unzip();
        let fail = |(row, reason): (usize, String)| RulesError { line: lines[row], reason };
        check_pairs(&patterns).map_err(fail)?;
        let compiled = compile::compile(&patterns).map_err(fail)?;
        Ok(Rules { patterns, compiled: Arc::new(compiled.into()) })
    }

    /// The rows as a pattern file that [`from_csv`](Rules::from_csv) reads.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(Pattern::COLUMNS).expect("memory takes what is written");
        for pattern in &self.patterns {
            writer.write_record(pattern.columns()).expect("memory takes what is written");
        }
        let bytes = writer.into_inner().expect("memory takes what is written");
        String::from_utf8(bytes).expect("patterns are text")
    }

    /// The rows that people edit.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| compile::compile(&self.patterns).expect(BUNDLED))
    }

    /// Every way a piece can move, whatever else stands on the board.
    pub fn paths(&self) -> &[crate::Path] {
        &self.compiled().paths
    }

    /// The pattern with which each path ends, in the order of the paths.
    pub(crate) fn path_patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.compiled().path_rows.iter().map(|&row| &self.patterns[row])
    }

    /// Every way a piece can attack a square.
    pub fn attacks(&self) -> &[crate::Attack] {
        &self.compiled().attacks
    }

    /// Every en-passant capture, by the side that captures and the en-passant square.
    pub(crate) fn takes(&self) -> &BTreeMap<(u8, u8), Vec<crate::Path>> {
        &self.compiled().takes
    }
}

/// The patterns of a file, each with its line.
fn rows(text: &str) -> Result<Vec<(u64, Pattern)>, RulesError> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| unreadable(&error))?;
    if header.iter().map(str::trim).ne(Pattern::COLUMNS) {
        let expected = Pattern::COLUMNS.join(",");
        return Err(RulesError { line: 1, reason: format!("expected the columns {expected}") });
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let fields: Vec<&str> = record.iter().collect();
        let columns = <[&str; 7]>::try_from(fields).map_err(|fields| RulesError {
            line,
            reason: format!("{} columns, expected 7", fields.len()),
        })?;
        rows.push((line, read(line, columns)?));
    }
    Ok(rows)
}

fn unreadable(error: &csv::Error) -> RulesError {
    let line = error.position().map_or(1, csv::Position::line);
    RulesError { line, reason: error.to_string() }
}

/// The pattern of a row, as far as it can be told without looking at others.
fn read(line: u64, columns: [&str; 7]) -> Result<Pattern, RulesError> {
    let fail = |reason: String| RulesError { line, reason };
    let pattern = Pattern::read(columns).map_err(|error| fail(error.to_string()))?;
    check(&pattern).map_err(fail)?;
    Ok(pattern)
}

/// What can be said of a row without looking at others.
fn check(pattern: &Pattern) -> Result<(), String> {
    let Pattern { source, destination, sequence, effects, .. } = pattern;
    let flag = |flag| sequence.flags.contains(flag);
    let fail = |reason: &str| Err(reason.to_owned());
    let actor = if flag(Flag::Parallel) { Who::Ally } else { Who::Own };
    if source.who != Set::default().with(actor) {
        return fail(if flag(Flag::Parallel) {
            "the source of a parallel step must be 'ally'"
        } else {
            "the source must be 'self'"
        });
    }
    if source.roles.is_empty() {
        return fail("the source does not name a kind of piece");
    }
    if flag(Flag::Parallel)
        != (source.marks.contains(Mark::East) || source.marks.contains(Mark::West))
    {
        return fail(
            "the source of a parallel step needs east or west, and no other source may have them",
        );
    }
    let from = source.marks;
    if from.contains(Mark::Passing) {
        return fail("passing is allowed only in a destination");
    }
    mint(source, flag(Flag::Parallel))?;
    check_destination(destination)?;
    let is_king = source.roles == Set::default().with(Role::King);
    if (from.contains(Mark::NotThreatened) || destination.marks.contains(Mark::NotThreatened))
        && !is_king
    {
        return fail("only a king can require cells that are not threatened");
    }
    if flag(Flag::Recursive) && !flag(Flag::Instant) {
        return fail("a recursive step must be instant: it follows itself in the same turn");
    }
    let follows = !sequence.input.is_empty();
    if (flag(Flag::Mandatory) || flag(Flag::Parallel)) && !follows {
        return fail(
            "a mandatory or parallel step must follow another step: it needs one of in_a to in_i",
        );
    }
    if follows && !flag(Flag::Instant) {
        return fail(
            "a step that follows another step must be instant: both belong to the same turn",
        );
    }
    let is_still = matches!(pattern.dx, crate::pattern::Along::By(0)) && pattern.dy == 0;
    if is_still {
        return fail("a step by 0, 0 leads nowhere");
    }
    if matches!(effects.becomes, Some(Role::King | Role::Pawn)) {
        return fail("a piece can become only a knight, a bishop, a rook or a queen");
    }
    Ok(())
}

/// A position tells of pawns by their rank, and of rooks and kings by the rights to castle.
fn mint(source: &Condition, parallel: bool) -> Result<(), String> {
    let unknown = Set::from_iter([Role::Knight, Role::Bishop, Role::Queen]);
    if source.marks.contains(Mark::Mint) && source.roles.meets(unknown) {
        return Err(
            "a position does not record whether a knight, a bishop or a queen has moved".into()
        );
    }
    if parallel && *source != parallel_rook(source.marks) {
        return Err("the second piece of a parallel step must be a rook that is mint".into());
    }
    Ok(())
}

fn parallel_rook(marks: Set<Mark>) -> Condition {
    let side = if marks.contains(Mark::East) { Mark::East } else { Mark::West };
    Condition {
        who: Set::default().with(Who::Ally),
        roles: Set::default().with(Role::Rook),
        marks: Set::from_iter([Mark::Mint, side]),
    }
}

fn check_destination(destination: &Condition) -> Result<(), String> {
    let Condition { who, roles, marks } = *destination;
    let passing = Condition {
        who: Set::default().with(Who::Foe),
        roles: Set::default().with(Role::Pawn),
        marks: Set::default().with(Mark::Passing),
    };
    if marks.contains(Mark::Passing) || !roles.is_empty() {
        return if *destination == passing {
            Ok(())
        } else {
            Err("a destination can name a kind of piece only as 'foe pawn passing'".into())
        };
    }
    if marks.contains(Mark::Mint) || marks.contains(Mark::East) || marks.contains(Mark::West) {
        return Err("mint, east and west are allowed only in a source".into());
    }
    let known = [&[Who::Empty][..], &[Who::Foe], &[Who::Empty, Who::Foe], &[Who::OutOfBounds]];
    if known.iter().any(|known| known.iter().copied().collect::<Set<Who>>() == who) {
        return Ok(());
    }
    Err("a destination must be empty, foe, empty|foe, out_of_bounds or foe pawn passing".into())
}

/// Letters tie steps together only if there is a step at both ends.
fn check_pairs(patterns: &[Pattern]) -> Result<(), (usize, String)> {
    let mut put_out: BTreeMap<u8, usize> = BTreeMap::new();
    let mut taken_in: BTreeMap<u8, usize> = BTreeMap::new();
    for (row, pattern) in patterns.iter().enumerate() {
        for pair in pattern.sequence.output.iter() {
            put_out.entry(pair.number()).or_insert(row);
        }
        for pair in pattern.sequence.input.iter() {
            taken_in.entry(pair.number()).or_insert(row);
        }
    }
    let letter = |pair: u8| char::from(b'a' + pair);
    for pair in Pair::ALL.iter().map(|pair| pair.number()) {
        match (put_out.get(&pair), taken_in.get(&pair)) {
            (Some(&row), None) => {
                return Err((row, format!("out_{0}: no step has in_{0}", letter(pair))));
            }
            (None, Some(&row)) => {
                return Err((row, format!("in_{0}: no step has out_{0}", letter(pair))));
            }
            _ => {}
        }
    }
    Ok(())
}
