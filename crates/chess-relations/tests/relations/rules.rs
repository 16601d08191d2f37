//! Pattern files: what is read, what is refused and why.

use chess_relations::{Pattern, Rules, VARIANTS};

const HEADER: &str = "name,source,destination,dx,dy,sequence,effects\n";

#[test]
fn rules_read_what_they_write() {
    for (name, _) in VARIANTS {
        let rules = Rules::named(name).unwrap();
        let again = Rules::from_csv(&rules.to_csv()).unwrap();
        assert_eq!(again.patterns(), rules.patterns(), "{name}");
        assert_eq!(again.paths(), rules.paths(), "{name}");
        assert_eq!(again.attacks(), rules.attacks(), "{name}");
    }
    assert!(Rules::named("checkers").is_none());
}

#[test]
fn the_numbers_of_rows_are_as_documented() {
    let standard = Rules::named("standard").unwrap();
    assert_eq!(standard.patterns().len(), 26);
    let castling = standard.paths().iter().filter(|path| path.partner.is_some()).count();
    assert_eq!(standard.paths().len() - castling, 7_776);
    assert_eq!(standard.attacks().len(), 7_504);
}

/// A row, and the reason why it is refused.
const REFUSED: [(&str, &str); 22] = [
    ("a,self pawn,empty,0,1", "line 2: 5 columns, expected 7"),
    ("a,self pawn,emty,0,1,public,", "line 2: column destination: unknown word 'emty'"),
    ("a,self paw,empty,0,1,public,", "line 2: column source: unknown word 'paw'"),
    ("a,self pawn|ally,empty,0,1,public,", "column source: 'pawn|ally' joins kinds of pieces"),
    ("a,self pawn,empty,9,1,public,", "column dx: '9' is neither a whole number"),
    ("a,self pawn,empty,0,x,public,", "column dy: 'x' is not a whole number"),
    ("a,self pawn,empty,0,1,publik,", "column sequence: unknown word 'publik'"),
    ("a,self pawn,empty,0,1,public out_k,", "column sequence: unknown word 'out_k'"),
    ("a,self pawn,empty,0,1,public,becomes_king", "a piece can become only a knight"),
    ("a,foe pawn,empty,0,1,public,", "line 2: the source must be 'self'"),
    ("a,self,empty,0,1,public,", "the source does not name a kind of piece"),
    ("a,self knight mint,empty,0,1,public,", "does not record whether a knight"),
    ("a,self king mint,empty,0,1,public,", "a parallel step must follow the step of a mint king"),
    ("a,self rook mint,foe,0,1,public,", "a capture cannot depend on a mint rook"),
    ("a,self pawn,ally,0,1,public,", "a destination must be empty, foe"),
    ("a,self pawn,foe knight,0,1,public,", "can name a kind of piece only as"),
    (
        "a,self pawn,empty !threatened,0,1,public,",
        "only a king can require cells that are not threatened",
    ),
    ("a,self rook,empty,0,1,public recursive,", "a recursive step must be instant"),
    ("a,self rook,empty,0,1,public mandatory,", "must follow another step: it needs one of in_a"),
    ("a,self rook,empty,0,1,public out_a,", "out_a: no step has in_a"),
    ("a,self rook,empty,0,1,public instant in_b,", "in_b: no step has out_b"),
    ("a,self rook,empty,0,0,public,", "a step by 0, 0 leads nowhere"),
];

#[test]
fn a_bad_row_is_refused_with_its_line_and_the_reason() {
    for (row, reason) in REFUSED {
        let error = Rules::from_csv(&format!("{HEADER}{row}\n")).unwrap_err().to_string();
        assert!(error.contains(reason), "{row}: {error}");
        assert!(error.starts_with("line 2: "), "{row}: {error}");
    }
    let good = "b,self rook,empty,0,1,public,\n";
    let error = Rules::from_csv(&format!("{HEADER}{good}{good}x\n")).unwrap_err();
    assert_eq!(error.line, 4);
    let error = Rules::from_csv("name,source\n").unwrap_err().to_string();
    assert!(error.starts_with("line 1: expected the columns name,source,destination"), "{error}");
    assert!(Rules::from_csv("").is_err());
}

#[test]
fn rows_at_hand_make_the_rules_of_their_file() {
    for (variant, _) in VARIANTS {
        let rules = Rules::named(variant).unwrap();
        let rows: Vec<[String; 7]> = rules.patterns().iter().map(Pattern::columns).collect();
        let texts = || rows.iter().map(|row| row.each_ref().map(String::as_str));
        let again = Rules::from_rows(texts()).unwrap();
        assert_eq!(again.to_csv(), rules.to_csv(), "{variant}");
        assert_eq!(again.paths(), rules.paths(), "{variant}");
        let bad = ["x", "self camel", "empty", "0", "1", "public", ""];
        let error = Rules::from_rows(texts().take(3).chain([bad])).unwrap_err();
        assert_eq!(error.line, 5);
        assert!(error.reason.starts_with("column source: unknown word 'camel'"), "{error}");
    }
}

#[test]
fn steps_that_never_end_are_refused() {
    let back_and_forth = "\
        a,self rook,empty,0,1,public out_a,\n\
        b,self rook,empty,0,-1,public instant in_a out_b,\n\
        c,self rook,empty,0,1,public instant in_b out_a,\n";
    let error = Rules::from_csv(&format!("{HEADER}{back_and_forth}")).unwrap_err().to_string();
    assert!(error.contains("the step can be repeated without end"), "{error}");
    let capture = "\
        a,self rook,foe,0,1,public out_a,\n\
        b,self rook,foe,0,1,public instant in_a,\n";
    let error = Rules::from_csv(&format!("{HEADER}{capture}")).unwrap_err().to_string();
    assert!(error.contains("a step cannot follow a capture"), "{error}");
}

#[test]
fn b7_rows_that_branch_without_end_are_refused_at_once() {
    let mut bomb = String::from("start,self knight,empty,1,0,out_h,\n");
    for rider in 0..6 {
        for step in ["1,0", "0,1"] {
            bomb += &format!("{rider},self knight,empty,{step},instant recursive in_h out_h,\n");
        }
    }
    bomb += "fin,self knight,empty|foe,1,1,public instant in_h,\n";
    let begun = std::time::Instant::now();
    let error = Rules::from_csv(&format!("{HEADER}{bomb}")).unwrap_err().to_string();
    assert!(error.contains("the rows make more than 200000 chains of steps"), "{error}");
    assert!(begun.elapsed().as_secs() < 5);
    let many = "a,self rook,empty,0,1,public,\n".repeat(1_001);
    let error = Rules::from_csv(&format!("{HEADER}{many}")).unwrap_err().to_string();
    assert_eq!(error, "line 1002: more than 1000 rows");
}

#[test]
fn b7_rows_that_ask_for_too_much_are_refused_at_once() {
    let standard = Rules::named("standard").unwrap().to_csv();
    let mut safe = String::new();
    for step in 0..10 {
        let row =
            format!("{step},self king,empty !threatened,{},{}", step % 5 - 2, step / 5 * 2 - 1);
        for sequence in ["out_h", "instant in_h out_i", "public instant in_i"] {
            safe += &format!("{row},{sequence},\n");
        }
    }
    let begun = std::time::Instant::now();
    let error = Rules::from_csv(&format!("{standard}{safe}")).unwrap_err().to_string();
    assert!(error.contains("too many different sets"), "{error}");
    assert!(begun.elapsed().as_secs() < 5);
    let mut takers = standard.clone();
    for step in 0..17 {
        let (dx, dy) = (step % 7 - 3, step / 7 + 1);
        takers += &format!("t{step},self queen,foe pawn passing,{dx},{dy},public,\n");
    }
    let error = Rules::from_csv(&takers).unwrap_err().to_string();
    assert!(error.contains("can be taken in more than 16 ways"), "{error}");
}

#[test]
fn rows_of_random_words_never_panic() {
    let words = [
        "self",
        "ally",
        "foe",
        "empty",
        "out_of_bounds",
        "pawn",
        "rook|queen",
        "king",
        "mint",
        "passing",
        "!threatened",
        "east",
        "west",
        "public",
        "instant",
        "recursive",
        "mandatory",
        "parallel",
        "in_a",
        "out_a",
        "in_b",
        "out_b",
        "variant1",
        "variant2",
        "becomes_queen",
        "empty|foe",
        "0",
        "1",
        "-2",
        "g",
        "\"",
        ",",
        "\n",
    ];
    let (mut read, mut refused) = (0, 0);
    for seed in 0..20_000_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |end: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % end as u64) as usize
        };
        let mut text = HEADER.to_owned();
        for _ in 0..1 + random(4) {
            let mut some = |from: &[&str], most: usize| -> String {
                let count = random(most + 1);
                (0..count).map(|_| from[random(from.len())]).collect::<Vec<_>>().join(" ")
            };
            // Mostly words where they belong, so that some files are read.
            let source = format!("self {}", some(&words[5..9], 2));
            let destination = some(&["empty", "foe", "empty|foe", "out_of_bounds", "passing"], 1);
            let sequence = format!("public {}", some(&words[13..24], 3));
            let noise = some(&words, 1);
            let (dx, dy) = (some(&["0", "1", "-1", "g"], 1), some(&["0", "1", "2"], 1));
            text += &format!("{noise},{source},{destination},{dx},{dy},{sequence},\n");
        }
        match Rules::from_csv(&text) {
            Ok(_) => read += 1,
            Err(error) => {
                refused += 1;
                assert!(error.line > 0, "seed {seed}: {error}");
            }
        }
    }
    assert!(read > 20 && refused > 1_000, "{read} read, {refused} refused");
}
