//! `everyply kenken book`

use std::path::{Path, PathBuf};

use kenken::{
    Batch, Generated, Level, Recipe, Size,
    sheet::{self, Layout, Paper, Solutions},
};
use tables::{
    Shape,
    kenken::{PUZZLES, made},
};

use super::{
    explain::level,
    generate::say_repeats,
    making::{Making, refused},
};
use crate::{
    exit::{Exit, Outcome, bad_command},
    files, interrupt,
    rows::{Output, choices},
    threads::Threads,
};

/// Print a booklet of new puzzles, with their solutions
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken book --size 6 --level easy,hard --count 24 --out book.pdf
  everyply kenken book --size 4 --per-page 6 --solutions none --paper letter --out class.pdf
  everyply kenken book --size 9 --per-page 1 --solutions facing --title 'Sunday' --out pages.svg
  everyply kenken book --seed random --count 4 --out - > book.pdf

A PDF has all pages. For .svg and .png each page is a file of its own: pages-1.svg, pages-2.svg and
so on. Every puzzle has its number, its level and its game ID; solutions have the numbers of their
puzzles. Several levels share the puzzles equally, in their order; those of the first level are the
puzzles of 'generate' with the same settings and seed. Standard output has the table of the puzzles,
unless the booklet goes there.")]
pub(crate) struct Args {
    /// Number of rows and columns of a puzzle
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=32))]
    size: u8,
    /// Difficulties, separated by commas: easy, normal, hard, extreme, unreasonable [default: any]
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', value_parser = level)]
    level: Vec<Level>,
    /// Number of puzzles
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    count: u16,
    /// Size of the paper
    #[arg(long, default_value = "a4", value_parser = choices(&Paper::ALL, Paper::name, paper))]
    paper: Paper,
    /// Puzzles on a page: 1, 2, 4 or 6
    #[arg(long, value_name = "N", default_value = "4", value_parser = per_page)]
    per_page: (usize, usize),
    /// Where the solutions are
    #[arg(long, default_value = "end", value_parser = choices(&Solutions::ALL, Solutions::name, solutions))]
    solutions: Solutions,
    /// Text at the top of every page
    #[arg(long, value_name = "TEXT", default_value = "KenKen")]
    title: String,
    #[command(flatten)]
    making: Making,
    /// File to write: .pdf, .svg or .png; '-' writes a PDF to standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Resolution of PNG pages in dots per inch
    #[arg(long, value_name = "DPI", default_value_t = 150, value_parser = clap::value_parser!(u16).range(20..=600))]
    dpi: u16,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    output: Output,
}

const fn paper(paper: Paper) -> &'static str {
    match paper {
        Paper::A4 => "210 x 297 mm",
        Paper::Letter => "8.5 x 11 inches",
    }
}

const fn solutions(solutions: Solutions) -> &'static str {
    match solutions {
        Solutions::End => "On pages after the puzzles",
        Solutions::None => "Nowhere",
        Solutions::Facing => "On a page after each page of puzzles, in the same places",
    }
}

/// The columns and rows of a page.
fn per_page(text: &str) -> Result<(usize, usize), String> {
    let places = text.parse().ok().and_then(sheet::per_page);
    places.ok_or_else(|| "expected 1, 2, 4 or 6".to_owned())
}

/// The kind of file, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pdf,
    Svg,
    Png,
}

impl Kind {
    fn of(path: &Path) -> anyhow::Result<Kind> {
        if files::is_stream(path) {
            return Ok(Kind::Pdf);
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("pdf") => Ok(Kind::Pdf),
            Some("svg") => Ok(Kind::Svg),
            Some("png") => Ok(Kind::Png),
            _ => Err(bad_command("--out: expected a name that ends in .pdf, .svg or .png")),
        }
    }
}

/// The number of puzzles generated together: enough for all cores, few enough to stop soon.
const TOGETHER: u64 = 64;

pub(crate) fn run(args: &Args) -> Outcome {
    let kind = Kind::of(&args.out)?;
    args.output.check()?;
    let Some(puzzles) = generate(args)? else { return Ok(Exit::Interrupted) };
    write(args, kind, &puzzles)?;
    if !files::is_stream(&args.out) {
        let mut rows = args.output.rows(&PUZZLES, Shape::Many)?;
        for (number, (puzzle, level)) in (1..).zip(&puzzles) {
            rows.row(&made(number, puzzle, *level))?;
        }
        rows.finish()?;
    }
    Ok(Exit::Fine)
}

/// A puzzle and its level, if it has one.
type Graded = (Generated, Option<Level>);

/// The puzzles, level by level; nothing after Ctrl-C.
fn generate(args: &Args) -> anyhow::Result<Option<Vec<Graded>>> {
    let seed = args.making.seed.take();
    let levels: Vec<Option<Level>> = match args.level.as_slice() {
        [] => vec![None],
        levels => levels.iter().copied().map(Some).collect(),
    };
    let pool = args.threads.pool()?;
    let (count, parts) = (usize::from(args.count), levels.len());
    let mut all = Vec::with_capacity(count);
    for (part, level) in levels.into_iter().enumerate() {
        let recipe = Recipe {
            operators: args.making.operators,
            cage_sizes: args.making.cages.clone(),
            ..Recipe::new(Size::new(usize::from(args.size)).expect("it is in range"), level)
        };
        // Puzzles with the same number have the same solution at every level, so numbers go on.
        let mut batch = Batch::new(&recipe, seed, all.len() as u64);
        // The first levels get one more if the puzzles cannot be shared equally.
        let mut left = (count / parts + usize::from(part < count % parts)) as u64;
        while left > 0 {
            if interrupt::requested() {
                return Ok(None);
            }
            let next = left.min(TOGETHER);
            for made in pool.install(|| batch.next(next)) {
                let made = made.map_err(refused)?;
                let level = made.graded();
                all.push((made, level));
            }
            left -= next;
        }
        say_repeats(&batch);
    }
    Ok(Some(all))
}

fn write(args: &Args, kind: Kind, puzzles: &[Graded]) -> anyhow::Result<()> {
    let (columns, rows) = args.per_page;
    let layout = Layout {
        title: &args.title,
        paper: args.paper,
        columns,
        rows: Some(rows),
        solutions: args.solutions,
    };
    let pages = sheet::booklet(&layout, puzzles);
    if kind == Kind::Pdf {
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        return files::write(&args.out, &pictures::pdf(&pages)?);
    }
    for (number, page) in (1..).zip(&pages) {
        let path = page_path(&args.out, number, pages.len());
        match kind {
            Kind::Png => {
                // A unit of SVG is a 96th of an inch.
                let scale = pictures::Size::Scale(f32::from(args.dpi) / 96.0);
                files::write(&path, &pictures::png(page, scale)?)?;
            }
            Kind::Svg | Kind::Pdf => files::write(&path, page.as_bytes())?,
        }
    }
    Ok(())
}

/// The name of the file of a page: `pages-03.svg` for the third of several dozens.
fn page_path(out: &Path, number: usize, count: usize) -> PathBuf {
    let width = count.to_string().len();
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    let extension = out.extension().unwrap_or_default().to_string_lossy();
    out.with_file_name(format!("{stem}-{number:0width$}.{extension}"))
}
