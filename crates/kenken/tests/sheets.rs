//! Sheets have every puzzle once, its solution under the same number, and nothing outside the page.

mod shared;

use kenken::{
    Attempt, Generated, Level, Recipe, Size, drawing, generate_batch, keen,
    sheet::{Entry, Layout, Paper, Solutions, pages, per_page},
    svg,
};

const LAYOUT: Layout<'static> = Layout {
    title: "A & B <C>",
    paper: Paper::A4,
    columns: 2,
    rows: None,
    solutions: Solutions::End,
};

fn made() -> (Vec<Generated>, Vec<String>) {
    let recipe = Recipe::new(Size::new(5).unwrap(), Some(Level::Normal));
    let made: Vec<_> = generate_batch(&recipe, 4, 0..11).into_iter().map(Result::unwrap).collect();
    let ids = made.iter().map(|made| keen::print(&made.puzzle).unwrap()).collect();
    (made, ids)
}

fn entries<'a>(made: &'a [Generated], ids: &'a [String]) -> Vec<Entry<'a>> {
    made.iter()
        .zip(ids)
        .map(|(made, id)| Entry {
            puzzle: &made.puzzle,
            solution: Some(&made.solution),
            caption: "normal",
            id,
        })
        .collect()
}

/// Every text of a page: where it begins, its size and its words.
fn texts(page: &str) -> Vec<(f64, f64, f64, String)> {
    page.lines()
        .filter(|line| line.starts_with("<text ") && !line.contains("middle"))
        .map(|line| {
            let value = |name: &str| -> f64 {
                let rest = &line[line.find(name).unwrap() + name.len()..];
                rest[..rest.find('"').unwrap()].parse().unwrap()
            };
            let words = line.split_once('>').unwrap().1.strip_suffix("</text>").unwrap();
            (value(" x=\""), value(" y=\""), value("font-size=\""), words.to_owned())
        })
        .collect()
}

#[test]
fn every_puzzle_is_printed_once_and_its_solution_under_its_number() {
    let (made, ids) = made();
    for columns in 1..=4 {
        for rows in [None, Some(1), Some(2), Some(3)] {
            for paper in Paper::ALL {
                for solutions in Solutions::ALL {
                    let layout = Layout { columns, rows, paper, solutions, ..LAYOUT };
                    let pages = pages(&layout, &entries(&made, &ids));
                    let all = pages.concat();
                    // Long ids have several lines.
                    let words: Vec<String> =
                        pages.iter().flat_map(|page| texts(page)).map(|text| text.3).collect();
                    let joined = words.concat();
                    for (number, id) in (1..).zip(&ids) {
                        assert_eq!(joined.matches(id.as_str()).count(), 1, "{id}");
                        assert_eq!(all.matches(&format!(">{number}. normal<")).count(), 1);
                        let below = usize::from(solutions != Solutions::None);
                        assert_eq!(all.matches(&format!(">{number}.<")).count(), below);
                    }
                    assert!(all.contains("A &amp; B &lt;C&gt;"));
                    let drawings = all.matches("<g transform").count();
                    assert_eq!(drawings, if solutions == Solutions::None { 11 } else { 22 });
                    pages.iter().for_each(|page| check_inside(page, paper));
                }
            }
        }
    }
}

/// Every drawing and every line of text begins and ends on the paper.
fn check_inside(page: &str, paper: Paper) {
    let (width, height) = paper.points();
    for part in page.split("translate(").skip(1) {
        let numbers: Vec<f64> = part
            .split(|sign: char| !(sign.is_ascii_digit() || sign == '.'))
            .filter_map(|number| number.parse().ok())
            .take(3)
            .collect();
        let [x, y, scale] = numbers[..] else { panic!("{part}") };
        // A drawing of 5x5 cells is 300 wide, with a margin that is 12 wide.
        assert!(x + 312.0 * scale <= width - 41.0 && y + 312.0 * scale <= height - 41.0, "{x} {y}");
        assert!(x + 12.0 * scale >= 41.0 && scale * 60.0 <= 72.1, "{x} {scale}");
    }
    let on_page = page.split("<g ").map(|part| part.split("</g>").last().unwrap());
    for (x, y, size, words) in texts(&on_page.collect::<String>()) {
        assert!(y <= height - 41.0 && x >= 41.0 && size >= 3.0, "{words}");
    }
}

#[test]
fn facing_pages_have_the_solutions_of_the_page_before() {
    let (made, ids) = made();
    let (columns, rows) = per_page(4).unwrap();
    let rows = Some(rows);
    let layout = Layout { columns, rows, solutions: Solutions::Facing, ..LAYOUT };
    let pages = pages(&layout, &entries(&made, &ids));
    assert_eq!(pages.len(), 6);
    for (index, page) in pages.iter().enumerate() {
        let first = index / 2 * 4 + 1;
        for number in first..(first + 4).min(12) {
            let caption =
                if index % 2 == 0 { format!("{number}. normal") } else { format!("{number}.") };
            assert!(texts(page).iter().any(|text| text.3 == caption), "{caption} on {index}");
        }
        assert_eq!(page.contains(": solutions<"), index % 2 == 1);
        assert!(page.contains(&format!(">{} / 6<", index + 1)));
    }
    for (puzzles, expected) in [(1, 1), (2, 2), (6, 6)] {
        let (columns, rows) = per_page(puzzles).unwrap();
        assert_eq!(columns * rows, expected);
    }
    assert_eq!(per_page(3), None);
}

#[test]
fn an_empty_sheet_has_no_pages() {
    assert!(pages(&LAYOUT, &[]).is_empty());
}

#[test]
fn half_filled_grids_are_drawn_with_their_marks() {
    let puzzle = keen::parse("4:_a_7a4_a3,a4a5s1s1d2d2m4m6").unwrap();
    let attempt = Attempt::parse(&puzzle, "3[14].2/1.../..../...[123]").unwrap();
    let expected = "\
┌───┬───────┬───┐
│4+ │5+     │1- │
│ 3 │1·      │ 2 │
│   │·4      │   │
";
    let drawn = drawing::attempt_boxes(&attempt);
    let squeezed = |text: &str| text.replace(' ', "");
    assert!(squeezed(&drawn).starts_with(&squeezed(expected)), "{drawn}");
    let widths: Vec<usize> = drawn.lines().map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|&width| width == widths[0]), "{drawn}");
    let picture = svg::draw_attempt(&attempt);
    assert_eq!(picture.matches("font-size=\"26\"").count(), 3);
    assert_eq!(picture.matches("fill=\"#555\"").count(), 5);
    // Without marks, the drawing has the height that it always has.
    let digits = Attempt::parse(&puzzle, "3142/1.../..../....").unwrap();
    let height = drawing::boxes(&puzzle, None).lines().count();
    assert_eq!(drawing::attempt_boxes(&digits).lines().count(), height);
}
