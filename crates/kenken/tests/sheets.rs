//! Sheets have every puzzle once, its solution under the same number, and nothing outside the page.

mod shared;

use kenken::{
    Level, Recipe, Size, generate_batch, keen,
    sheet::{Entry, pages},
};

#[test]
fn every_puzzle_is_printed_once_and_its_solution_under_its_number() {
    let recipe = Recipe::new(Size::new(5).unwrap(), Some(Level::Normal));
    let made: Vec<_> = generate_batch(&recipe, 4, 0..11).into_iter().map(Result::unwrap).collect();
    let ids: Vec<String> = made.iter().map(|made| keen::print(&made.puzzle).unwrap()).collect();
    for columns in 1..=3 {
        for with_solutions in [false, true] {
            let entries: Vec<Entry<'_>> = made
                .iter()
                .zip(&ids)
                .map(|(made, id)| Entry {
                    puzzle: &made.puzzle,
                    solution: with_solutions.then_some(&made.solution),
                    caption: "normal",
                    id,
                })
                .collect();
            let pages = pages("A & B <C>", &entries, columns);
            let all = pages.concat();
            for (number, id) in (1..).zip(&ids) {
                assert_eq!(all.matches(&format!(">{id}<")).count(), 1, "{id}");
                assert_eq!(all.matches(&format!(">{number}. normal<")).count(), 1);
                let below = usize::from(with_solutions);
                assert_eq!(all.matches(&format!(">{number}.<")).count(), below);
            }
            assert!(all.contains("A &amp; B &lt;C&gt;"));
            let drawings = all.matches("<g transform").count();
            assert_eq!(drawings, if with_solutions { 22 } else { 11 });
            for page in &pages {
                check_inside(page);
            }
        }
    }
}

/// Every drawing and every line of text begins and ends on the paper.
fn check_inside(page: &str) {
    for part in page.split("translate(").skip(1) {
        let numbers: Vec<f64> = part
            .split(|sign: char| !(sign.is_ascii_digit() || sign == '.'))
            .filter_map(|number| number.parse().ok())
            .take(3)
            .collect();
        let [x, y, scale] = numbers[..] else { panic!("{part}") };
        // A drawing of 5x5 cells is 324 wide.
        assert!(x + 324.0 * scale <= 595.0 - 40.0 && y + 324.0 * scale <= 842.0 - 40.0, "{x} {y}");
    }
}

#[test]
fn an_empty_sheet_has_no_pages() {
    assert!(pages("none", &[], 2).is_empty());
}
