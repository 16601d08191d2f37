//! Levels against Keen's letters.

mod shared;

use kenken::{Grade, Level, Limits, grade, keen};

#[test]
fn levels_agree_with_keens_letters() {
    let (mut all, mut agree) = (0, 0);
    for file in shared::keen_files() {
        for (line, id) in file.ids.iter().enumerate() {
            let grade = grade(&keen::parse(id).unwrap(), &Limits::NONE);
            let letter = Level::from_name(&file.level.to_string()).map(Grade::Level).unwrap();
            all += 1;
            if grade == letter {
                agree += 1;
            } else {
                println!("keen_{}:{} is {grade:?}", file.name, line + 1);
            }
        }
    }
    println!("{agree} of {all} agree");
    assert!(agree * 100 >= all * 95, "{agree} of {all} agree");
}
