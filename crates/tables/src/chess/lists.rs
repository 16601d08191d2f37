//! Lists of facts: a struct for each occurrence, with the squares and the pieces on them.

use arrow::{
    array::{ListBuilder, StringBuilder, StructBuilder, UInt8Builder},
    datatypes::Fields,
};
use chess::{Bitboard, Board, Color, Move, Position, Role, San, Square, Uci};
use chess_facts::{ExtraSide, Facts, Line, List, Side};

use super::captured;
use crate::{small, text};

/// The columns of what a list holds.
pub(super) fn partners(list: List) -> Fields {
    let texts = |names: &[&str]| names.iter().map(|name| text(name).field()).collect::<Vec<_>>();
    let mut fields = match list {
        List::Pins
        | List::RelativePins
        | List::Skewers
        | List::Xrays
        | List::Discovered
        | List::XrayDefenses => {
            texts(&["slider", "slider_piece", "front", "front_piece", "back", "back_piece"])
        }
        List::Batteries => texts(&["first", "first_piece", "second", "second_piece"]),
        List::Hanging | List::HangingPins => texts(&["square", "piece"]),
        List::Forks => texts(&["forker", "forker_piece", "targets", "target_pieces"]),
        List::ForkMoves => texts(&["uci", "piece", "targets", "target_pieces"]),
        List::Checks | List::Mates => {
            texts(&["uci", "san", "piece", "from", "to", "captured", "promotion"])
        }
        List::AttackMap => texts(&["square", "attackers", "attacker_pieces"]),
    };
    match list {
        List::Hanging | List::HangingPins => fields.push(small("gain").field()),
        List::AttackMap => fields.push(small("count").field()),
        _ => {}
    }
    fields.into()
}

/// What a list is made of: a position and the facts of a side.
pub(super) struct Told<'a> {
    pub(super) position: &'a Position,
    pub(super) facts: &'a Facts,
    pub(super) color: Color,
    pub(super) side: &'a Side,
    pub(super) extra: &'a ExtraSide,
}

impl Told<'_> {
    /// Adds the list of a side as one value.
    pub(super) fn push(&self, list: List, builder: &mut ListBuilder<StructBuilder>) {
        let mut items = Items { builder: builder.values(), board: self.position.board() };
        let side = self.side;
        match list {
            List::Pins => items.lines(&side.pins),
            List::RelativePins => items.lines(&side.relative_pins),
            List::Skewers => items.lines(&side.skewers),
            List::Xrays => items.lines(&side.xrays),
            List::Discovered => items.lines(&side.discovered),
            List::XrayDefenses => items.lines(&self.extra.xray_defenses),
            List::Batteries => {
                for battery in &side.batteries {
                    items.pieces(&[battery.first, battery.second]);
                }
            }
            List::Hanging | List::HangingPins => {
                let pins = list == List::HangingPins;
                for hanging in if pins { &side.hanging_pins } else { &side.hanging } {
                    items.piece(0, hanging.square);
                    items.number(2, hanging.gain);
                    items.end();
                }
            }
            List::Forks => {
                for fork in &side.forks {
                    items.piece(0, fork.forker);
                    items.squares(2, fork.targets);
                    items.end();
                }
            }
            List::ForkMoves => {
                for fork in &side.fork_moves {
                    items.text(0, &Uci::of(self.position, fork.mv).to_string());
                    items.text(1, items.role(fork.mv.from));
                    items.squares(2, fork.targets);
                    items.end();
                }
            }
            List::Checks => self.moves(&mut items, self.extra.checks.iter().map(|check| check.mv)),
            List::Mates => self.moves(&mut items, self.extra.mates()),
            List::AttackMap => {
                for square in side.attacks {
                    let attackers = self.facts.attackers(square, self.color);
                    items.text(0, &square.to_string());
                    items.squares(1, attackers);
                    items.number(3, attackers.len() as u8);
                    items.end();
                }
            }
        }
        builder.append(true);
    }

    /// Moves of the side, whichever is to move.
    fn moves(&self, items: &mut Items<'_>, moves: impl Iterator<Item = Move>) {
        let Some(position) = &self.extra.to_move else { return };
        for mv in moves {
            let uci = Uci::of(position, mv);
            items.text(0, &uci.to_string());
            items.text(1, &San::of(position, mv).to_string());
            items.text(2, items.role(mv.from));
            items.text(3, &uci.from.to_string());
            items.text(4, &uci.to.to_string());
            items.option(5, captured(position, mv).map(Role::name));
            items.option(6, mv.promotion.map(Role::name));
            items.end();
        }
    }
}

/// Where the structs of a list go, and the pieces they speak of.
struct Items<'a> {
    builder: &'a mut StructBuilder,
    board: &'a Board,
}

impl Items<'_> {
    fn lines(&mut self, lines: &[Line]) {
        for line in lines {
            self.pieces(&[line.slider, line.front, line.back]);
        }
    }

    /// A struct of squares, each with its piece.
    fn pieces(&mut self, squares: &[Square]) {
        for (index, &square) in squares.iter().enumerate() {
            self.piece(2 * index, square);
        }
        self.end();
    }

    /// A square in one field, its piece in the next.
    fn piece(&mut self, field: usize, square: Square) {
        self.text(field, &square.to_string());
        self.text(field + 1, self.role(square));
    }

    /// Squares from a1 on in one field, their pieces in the same order in the next; both separated
    /// by spaces.
    fn squares(&mut self, field: usize, squares: Bitboard) {
        let names: Vec<String> = squares.map(|square| square.to_string()).collect();
        let roles: Vec<&str> = squares.map(|square| self.role(square)).collect();
        self.text(field, &names.join(" "));
        self.text(field + 1, &roles.join(" "));
    }

    fn role(&self, square: Square) -> &'static str {
        self.board.role_at(square).expect("a fact names squares with pieces").name()
    }

    fn text(&mut self, field: usize, text: &str) {
        self.option(field, Some(text));
    }

    fn option(&mut self, field: usize, text: Option<&str>) {
        let texts = self.builder.field_builder::<StringBuilder>(field);
        texts.expect("a field of text").append_option(text);
    }

    fn number(&mut self, field: usize, number: u8) {
        let numbers = self.builder.field_builder::<UInt8Builder>(field);
        numbers.expect("a field of numbers").append_value(number);
    }

    fn end(&mut self) {
        self.builder.append(true);
    }
}
