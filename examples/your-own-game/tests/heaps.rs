//! The program solves the game to what its rules say.

use std::process::Command;

/// The values of all positions with at most so many stones in a heap, by the rules alone.
fn values(largest: usize) -> Vec<Vec<i8>> {
    let mut values = vec![vec![-1; largest + 1]; largest + 1];
    for left in 0..=largest {
        for right in 0..=largest {
            let after_left = (1..=3.min(left)).map(|taken| values[left - taken][right]);
            let after_right = (1..=3.min(right)).map(|taken| values[left][right - taken]);
            let wins = after_left.chain(after_right).any(|value| value < 0);
            values[left][right] = if wins { 1 } else { -1 };
        }
    }
    values
}

#[test]
fn every_position_has_its_value() {
    let directory = std::env::temp_dir().join(format!("heaps-{}", std::process::id()));
    let store = format!("file:{}", directory.display());
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_heaps")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["solve", "--largest", "9", "--store", &store]);
    let rows = run(&["export", "--store", &store, "--format", "csv"]);
    std::fs::remove_dir_all(directory).unwrap();
    let values = values(9);
    let mut count = 0;
    for row in rows.lines().skip(1) {
        // The position has a comma and stands in quotes.
        let (position, rest) = row.strip_prefix('"').unwrap().split_once("\",").unwrap();
        let (left, right) = position.split_once(',').unwrap();
        let value: i8 = rest.split(',').nth(5).unwrap().parse().unwrap();
        let (left, right): (usize, usize) = (left.parse().unwrap(), right.parse().unwrap());
        assert_eq!(value, values[left][right], "{position}");
        count += 1;
    }
    assert_eq!(count, 100);
}
