//! The rules of a preset as sentences.

use ::fourchess::{Departure, EnPassant, KingCapture, Promotion, Rules, Seating, Setup, Sides};

/// What a player has to know of the rules.
pub(crate) fn sentences(rules: &Rules) -> Vec<String> {
    let mut said = vec![
        match rules.sides {
            Sides::Free => "Everyone plays against everyone; the most points win.".to_owned(),
            Sides::Pairs => {
                "Red and Yellow play against Blue and Green. The first mate decides the \
                             game; partners cannot capture each other."
                    .to_owned()
            }
        },
        match rules.seating {
            Seating::Clockwise => "Turns go clockwise: Red, Blue, Yellow, Green.".to_owned(),
            Seating::Counterclockwise => {
                "Turns go counterclockwise: Red, Blue, Yellow, Green.".to_owned()
            }
        },
        promotion(rules),
        castling(rules),
    ];
    if rules.sides == Sides::Free {
        said.extend(points(rules));
    }
    said.push(match rules.king_capture {
        KingCapture::Eliminates => {
            "A player whose king is captured is out; the pieces stay as dead ones.".to_owned()
        }
        KingCapture::EndsGame => "Capturing a king ends the game.".to_owned(),
        KingCapture::Continues => "A player whose king is captured plays on.".to_owned(),
    });
    said.push(match rules.departure {
        Departure::KingWalks => {
            "When a player resigns, all pieces but the king die, and the king walks on.".to_owned()
        }
        Departure::AllDie => "When a player resigns, all pieces die.".to_owned(),
        Departure::EndsGame => {
            "When a player resigns, the side of that player has lost.".to_owned()
        }
    });
    said.extend(draws(rules));
    said
}

fn promotion(rules: &Rules) -> String {
    let rank = rules.promotion_rank;
    let becomes = match rules.promotion {
        Promotion::Queen => "a queen",
        Promotion::Any => "a knight, bishop, rook or queen",
    };
    let worth = match rules.sides {
        Sides::Free if rules.promoted_value != rules.values[4] => {
            format!(", worth {} when captured", count(rules.promoted_value, "point"))
        }
        _ => String::new(),
    };
    format!("A pawn becomes {becomes} on rank {rank}, counted from its own edge{worth}.")
}

fn castling(rules: &Rules) -> String {
    let castling = if rules.castling { "Castling" } else { "No castling" };
    let passing = match rules.en_passant {
        EnPassant::Off => "no en passant",
        EnPassant::TakesBoth | EnPassant::TwoMoves => {
            "en passant, until the pawn's own player moves again"
        }
    };
    format!("{castling}; {passing}.")
}

fn points(rules: &Rules) -> Vec<String> {
    let names = ["pawn", "knight", "bishop", "rook", "queen", "king"];
    let values: Vec<String> =
        names.iter().zip(rules.values).map(|(name, value)| format!("{name} {value}")).collect();
    let mut said = vec![format!("Points for captures: {}.", values.join(", "))];
    let mut stalemate = Vec::new();
    if rules.stalemate_victim != 0 {
        stalemate.push(format!("{} to the stalemated player", rules.stalemate_victim));
    }
    if rules.stalemate_others != 0 {
        stalemate.push(format!("{} to each of the others", rules.stalemate_others));
    }
    let stalemate = match stalemate.is_empty() {
        true => "none".to_owned(),
        false => stalemate.join(" and "),
    };
    said.push(format!(
        "Points for mate: {} to the player who moved last; for stalemate: {stalemate}.",
        rules.mate
    ));
    if rules.two_kings != 0 || rules.three_kings != 0 {
        said.push(format!(
            "Points for checking two kings at once: {}, with a queen {}; three kings: {}, with a \
             queen {}.",
            rules.two_kings, rules.two_kings_queen, rules.three_kings, rules.three_kings_queen
        ));
    }
    if rules.walking_left != 0 {
        said.push(format!(
            "The last player gets {} for each king that still walks.",
            count(rules.walking_left, "point")
        ));
    }
    if rules.claim_lead != 0 {
        said.push(format!(
            "Of the last two players, one who leads by {} wins at once.",
            count(rules.claim_lead, "point")
        ));
    }
    said
}

fn draws(rules: &Rules) -> Vec<String> {
    let mut reasons = Vec::new();
    if rules.repetitions > 0 {
        reasons.push(format!("a position occurs {} times", rules.repetitions));
    }
    if rules.quiet_limit > 0 {
        reasons
            .push(format!("nothing is captured and no pawn moves in {} plies", rules.quiet_limit));
    }
    if rules.insufficient_material {
        reasons.push("nobody can mate".to_owned());
    }
    let mut said = Vec::new();
    if !reasons.is_empty() {
        let each = match (rules.sides, rules.draw) {
            (Sides::Pairs, _) | (_, 0) => String::new(),
            (Sides::Free, points) => {
                format!("; each remaining player gets {}", count(points, "point"))
            }
        };
        said.push(format!("The game is drawn when {}{each}.", reasons.join(", or ")));
    }
    if rules.max_plies > 0 {
        said.push(format!("The game is cut off after {} plies.", rules.max_plies));
    }
    said
}

/// What a setup is called.
pub(crate) fn setup(setup: Setup) -> &'static str {
    match setup {
        Setup::Modern => "Modern",
        Setup::Classic => "Classic",
        Setup::By => "BY",
        Setup::Byg => "BYG",
        Setup::Rg => "RG",
    }
}

/// What a preset is called.
pub(crate) fn preset(rules: &Rules) -> &'static str {
    match rules.name {
        "ffa" => "Free for all",
        "teams" => "Teams",
        "jax" => "JAX environment",
        other => other,
    }
}

fn count(number: i16, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
