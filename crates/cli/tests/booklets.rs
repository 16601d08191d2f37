//! Booklets of puzzles: what is printed is right, complete, and inside its cell and its page.

mod everyply;
#[path = "../../pictures/tests/extract/mod.rs"]
mod extract;

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use everyply::{run, stderr, stdout};
use kenken::{
    Cell, Clue, Limits, Operator, Puzzle, Rules, Size, Solver, keen,
    sheet::{Entry, Layout, Paper, Solutions, pages, per_page},
    svg,
};
use pictures::{TextBox, text_boxes};
use serde_json::Value;

fn book(arguments: &[&str], directory: &Path) -> Vec<Value> {
    let out = directory.join("book.pdf");
    let out = ["kenken", "book", "--format", "jsonl", "--out", out.to_str().unwrap()];
    let output = run(&[&out[..], arguments].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The texts of a booklet between the caption of a puzzle and the next one.
struct Printed {
    caption: String,
    texts: Vec<String>,
}

fn printed(texts: &[String], title: &str) -> Vec<Printed> {
    let mut all: Vec<Printed> = Vec::new();
    let mut is_head = true;
    for text in texts {
        let number = text.split_once('.').map_or("", |(number, _)| number);
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            all.push(Printed { caption: text.clone(), texts: Vec::new() });
            is_head = false;
        } else if text.starts_with(title) {
            is_head = true;
        } else if !is_head {
            all.last_mut().expect("a caption").texts.push(text.clone());
        }
    }
    all
}

#[test]
fn ids_of_a_booklet_solved_again_give_the_solutions_that_it_prints() {
    let directory = tempfile::tempdir().unwrap();
    for (solutions, paper, per_page) in
        [("end", "a4", "4"), ("facing", "letter", "6"), ("none", "a4", "1")]
    {
        let title = "For Ada & Bob";
        let arguments = ["--size", "6", "--level", "easy,hard", "--count", "24", "--seed", "7"];
        let more = ["--solutions", solutions, "--paper", paper, "--per-page", per_page];
        let rows = book(&[&arguments[..], &more, &["--title", title]].concat(), directory.path());
        assert_eq!(rows.len(), 24);
        let file = fs::read(directory.path().join("book.pdf")).unwrap();
        let printed = printed(&extract::texts(&file), title);
        let puzzles: Vec<&Printed> = printed.iter().filter(|p| p.caption.contains(' ')).collect();
        let solved: Vec<&Printed> = printed.iter().filter(|p| !p.caption.contains(' ')).collect();
        assert_eq!(puzzles.len(), 24);
        assert_eq!(solved.len(), if solutions == "none" { 0 } else { 24 });
        for (index, (puzzle, row)) in puzzles.iter().zip(&rows).enumerate() {
            let number = index + 1;
            let level = if number <= 12 { "easy" } else { "hard" };
            assert_eq!(puzzle.caption, format!("{number}. {level}"));
            let start = puzzle.texts.iter().position(|text| text.starts_with("6:")).unwrap();
            let id = puzzle.texts[start..].concat();
            assert_eq!(row["id"], id.as_str());
            let parsed = keen::parse(&id).unwrap();
            assert_eq!(start, parsed.len(), "as many clues as cages");
            let count = Solver::new().count(&parsed, 2, &Limits::NONE);
            assert_eq!(count.unique(2), Some(true));
            let Some(solved) = solved.get(index) else { continue };
            assert_eq!(solved.caption, format!("{number}."));
            let digits: Vec<u8> =
                solved.texts[parsed.len()..].iter().map(|text| text.parse().unwrap()).collect();
            assert_eq!(digits, count.first.unwrap().digits(), "{id}");
        }
        let grids: BTreeSet<&str> = rows.iter().map(|row| row["grid"].as_str().unwrap()).collect();
        assert_eq!(grids.len(), 24, "no puzzle gives the solution of another away");
        compare_with_pdftotext(&directory.path().join("book.pdf"), &rows, solutions);
    }
}

/// Another program finds the same ids.
fn compare_with_pdftotext(path: &Path, rows: &[Value], solutions: &str) {
    let Ok(output) = Command::new("pdftotext").arg("-raw").arg(path).arg("-").output() else {
        eprintln!("not run: there is no program pdftotext");
        return;
    };
    // Long ids have several lines.
    let text: String = String::from_utf8(output.stdout).unwrap().split_whitespace().collect();
    for row in rows {
        assert!(text.contains(row["id"].as_str().unwrap()), "{solutions}: {row}");
    }
}

#[test]
fn pages_are_also_svg_and_png() {
    let directory = tempfile::tempdir().unwrap();
    for (extension, start) in [("svg", b"<svg".as_slice()), ("png", b"\x89PNG")] {
        let out = directory.path().join(format!("pages.{extension}"));
        let out = out.to_str().unwrap();
        let arguments = ["kenken", "book", "--size", "4", "--count", "13", "--dpi", "40"];
        let output = run(&[&arguments[..], &["--per-page", "1", "--out", out]].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        for number in 1..=14 {
            let path = directory.path().join(format!("pages-{number:02}.{extension}"));
            assert!(fs::read(&path).unwrap().starts_with(start), "{path:?}");
        }
        assert!(!directory.path().join(format!("pages-15.{extension}")).exists());
    }
    let output = run(&["kenken", "book", "--size", "3", "--count", "2", "--out", "-"], "");
    assert!(output.stdout.starts_with(b"%PDF"));
}

/// Every clue of a grid of 16x16 cells with cages of up to six cells, and the longest there are.
fn clues() -> Vec<Clue> {
    let mut products: BTreeSet<u64> = (1..=16).collect();
    let mut clues = Vec::new();
    for _ in 1..6 {
        products =
            products.iter().flat_map(|&one| (1..=16).map(move |other| one * other)).collect();
    }
    products.extend([u64::MAX, 10_000_000_000_000_000_000]);
    let all = [
        (Operator::Add, (3..=96).collect()),
        (Operator::Subtract, (1..=15).collect()),
        (Operator::Divide, (1..=16).collect()),
        (Operator::Unknown, products.clone()),
        (Operator::Multiply, products),
    ];
    for (operator, targets) in all {
        clues.extend(targets.into_iter().map(|target: u64| Clue { operator, target }));
    }
    clues
}

/// A grid in which every cage is two cells side by side.
fn dominoes(side: usize, clues: &[Clue]) -> Puzzle {
    let size = Size::new(side).unwrap();
    let mut next = clues.iter().cycle();
    let cages: Vec<(Clue, Vec<Cell>)> = (0..side)
        .flat_map(|row| (0..side / 2).map(move |column| (row, 2 * column)))
        .map(|(row, column)| {
            let cells = [column, column + 1].map(|column| Cell::at(row, column, size)).to_vec();
            (*next.next().unwrap(), cells)
        })
        .collect();
    Puzzle::new(size, Rules::default(), &cages).unwrap()
}

/// Checks that the clues are inside the cells of a grid with its corner here, above the digits.
fn check_clues(boxes: &[TextBox], puzzle: &Puzzle, (x, y, cell): (f32, f32, f32)) {
    for (ink, cage) in boxes.iter().zip(puzzle.cages()) {
        let (row, column) =
            (cage.cells[0].row(puzzle.size()) as f32, cage.cells[0].column(puzzle.size()) as f32);
        let (left, top) = (x + column * cell, y + row * cell);
        // The border of a cage is a twentieth of a cell wide, half of it inside.
        let border = cell / 40.0;
        assert!(ink.left >= left + border && ink.right <= left + cell - border, "{ink:?} {left}");
        assert!(ink.top >= top + border && ink.bottom <= top + cell * 0.36, "{ink:?} {top}");
        assert!(ink.bottom - ink.top > cell / 30.0, "{ink:?} is too small to be seen");
    }
}

#[test]
fn every_clue_up_to_16x16_is_inside_its_cell() {
    let clues = clues();
    assert!(clues.len() > 2_000, "{}", clues.len());
    for clues in clues.chunks(128) {
        let puzzle = dominoes(16, clues);
        check_clues(&text_boxes(&svg::draw(&puzzle, None)).unwrap(), &puzzle, (12.0, 12.0, 60.0));
    }
}

#[test]
fn every_text_of_a_page_is_inside_it_at_any_size() {
    let long = [Clue { operator: Operator::Multiply, target: 16 * 16 * 15 * 15 * 14 * 14 }];
    for side in [2, 4, 6, 8, 10, 12, 14, 16, 32] {
        let puzzle = dominoes(side, &long);
        let id = keen::print(&puzzle).unwrap();
        let entry = Entry { puzzle: &puzzle, solution: None, caption: "unreasonable", id: &id };
        for paper in Paper::ALL {
            for puzzles in [1, 2, 4, 6] {
                let (columns, rows) = per_page(puzzles).unwrap();
                let layout = Layout {
                    title: "A title that is so long that it would not fit into one line of a page",
                    paper,
                    columns,
                    rows: Some(rows),
                    solutions: Solutions::None,
                };
                let pages = pages(&layout, &vec![entry.clone(); puzzles]);
                assert_eq!(pages.len(), 1);
                check_page(&pages[0], &puzzle, &id, paper, puzzles);
            }
        }
    }
}

fn check_page(page: &str, puzzle: &Puzzle, id: &str, paper: Paper, puzzles: usize) {
    let boxes = text_boxes(page).unwrap();
    let points = 96.0 / 72.0;
    let (width, height) = paper.points();
    let (width, height) = ((width * points) as f32, (height * points) as f32);
    // The margin of a page is 42 points.
    let margin = 41.0 * points as f32;
    for ink in boxes.iter().filter(|ink| ink.right > ink.left) {
        assert!(ink.left >= margin && ink.right <= width - margin, "{}: {ink:?}", puzzle.size());
        assert!(ink.top >= margin && ink.bottom <= height - margin, "{}: {ink:?}", puzzle.size());
    }
    let joined: String = boxes.iter().map(|ink| ink.text.as_str()).collect();
    assert_eq!(joined.matches(id).count(), puzzles, "{} {puzzles}", puzzle.size());
    let mut captions = boxes.iter().enumerate().filter(|(_, ink)| ink.text.ends_with("reasonable"));
    assert!(captions.clone().count() == puzzles);
    let drawings = page.split("translate(").skip(1);
    for (drawing, (caption, _)) in drawings.zip(captions.by_ref()) {
        let numbers: Vec<f64> = drawing
            .split(|sign: char| !(sign.is_ascii_digit() || sign == '.' || sign == '-'))
            .filter_map(|number| number.parse().ok())
            .take(3)
            .collect();
        let [x, y, scale] = numbers[..] else { panic!("{drawing}") };
        let corner =
            [x + 12.0 * scale, y + 12.0 * scale, 60.0 * scale].map(|at| (at * points) as f32);
        check_clues(&boxes[caption + 1..], puzzle, corner.into());
    }
}

#[test]
fn what_cannot_be_printed_is_refused() {
    let refused: [(&[&str], i32, &str); 12] = [
        (&["--out", "book.txt"], 2, "expected a name that ends in .pdf, .svg or .png"),
        (&["--out", "book"], 2, "expected a name that ends in .pdf, .svg or .png"),
        (&[], 2, "--out <FILE>"),
        (&["--out", "b.pdf", "--paper", "a5"], 2, "[possible values: a4, letter]"),
        (&["--out", "b.pdf", "--per-page", "3"], 2, "expected 1, 2, 4 or 6"),
        (&["--out", "b.pdf", "--per-page", "x"], 2, "expected 1, 2, 4 or 6"),
        (&["--out", "b.pdf", "--solutions", "back"], 2, "[possible values: end, none, facing]"),
        (&["--out", "b.pdf", "--level", "easy,silly"], 2, "expected easy, normal, hard"),
        (&["--out", "b.pdf", "--count", "0"], 2, "0 is not in 1..=10000"),
        (&["--out", "b.pdf", "--size", "33"], 2, "33 is not in 1..=32"),
        (&["--out", "b.pdf", "--seed", "seven"], 2, "or 'random'"),
        (&["--out", "missing/b.pdf", "--size", "3"], 3, "missing/b.pdf"),
    ];
    for (arguments, code, words) in refused {
        let output = run(&[&["kenken", "book"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty() && !Path::new("b.pdf").exists(), "{arguments:?}");
    }
}
