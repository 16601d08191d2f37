//! Grades a puzzle and prints the deductions that solve it.
//!
//! ```sh
//! cargo run -p everyply-kenken --example grade -- 4:_a_7a4_a3,a4a5s1s1d2d2m4m6
//! ```

use std::error::Error;

use kenken::{Grade, Limits, explain, grade, keen};

fn main() -> Result<(), Box<dyn Error>> {
    let id = std::env::args().nth(1).unwrap_or("4:_a_7a4_a3,a4a5s1s1d2d2m4m6".to_owned());
    let puzzle = keen::parse(&id)?;
    match grade(&puzzle, &Limits::NONE) {
        Grade::Level(level) => {
            println!("level: {}", level.name());
            for step in explain(&puzzle, level, &Limits::NONE).steps {
                println!("- {}", step.text);
            }
        }
        other => println!("not graded: {other:?}"),
    }
    Ok(())
}
