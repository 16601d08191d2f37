//! Records as PGN4.

use std::fmt;

use super::{Line, Ply, Record, record::Node, state::State};
use crate::{
    notation::{Fate, Marks},
    seat::Seat,
};

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.tags.iter() {
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        if !self.tags.is_empty() {
            writeln!(f)?;
        }
        let state = State::new(&self.start, &self.rules);
        Writer { out: f, state, place: Place::Top }.line(&self.line)?;
        writeln!(f)
    }
}

/// What comes before the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing was written yet.
    Top,
    /// A comment at the top was written.
    Started,
    /// A variation begins.
    Opened,
    /// A word was written.
    Within,
}

struct Writer<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    state: State,
    place: Place,
}

impl Writer<'_, '_> {
    fn line(&mut self, line: &Line) -> fmt::Result {
        let mut nodes = line.nodes.as_slice();
        let mut head = line.comment.clone();
        self.departures(&mut head, &mut nodes);
        if !head.is_empty() {
            let gap = if self.place == Place::Opened { " " } else { "" };
            write!(self.out, "{gap}{{ {head} }}")?;
            if self.place == Place::Top {
                self.place = Place::Started;
            }
        }
        self.fallen()?;
        while let [first, rest @ ..] = nodes {
            nodes = rest;
            self.quarter(first, &mut nodes)?;
        }
        Ok(())
    }

    /// Writes a node and all that its comment must tell: a move, a departure of the player to
    /// move, or both.
    fn quarter(&mut self, first: &Node, nodes: &mut &[Node]) -> fmt::Result {
        let before = self.state.clone();
        let seat = self.state.turn();
        self.state.unmarked.clear();
        let mut word = self.ply(first);
        if let (Ply::Leave { .. }, [next, rest @ ..]) = (first.ply, *nodes)
            && let Ply::Move(_) = next.ply
            && self.state.turn() == seat
        {
            word = self.ply(next);
            *nodes = rest;
        }
        let own = self.state.unmarked.iter().position(|(fallen, _)| *fallen == seat);
        if let (Ply::Leave { .. }, Some(own)) = (first.ply, own) {
            word.push(letter(self.state.unmarked.remove(own).1));
        }
        self.word(seat, &word)?;
        let mut comment = first.comment.clone();
        self.departures(&mut comment, nodes);
        if !comment.is_empty() {
            write!(self.out, " {{ {comment} }}")?;
        }
        for variation in &first.variations {
            self.variation(variation, before.clone())?;
        }
        self.fallen()
    }

    /// Lets a ply happen and says how it is written.
    fn ply(&mut self, node: &Node) -> String {
        let before = *self.state.game.position();
        let rules = *self.state.game.rules();
        let owed = self.state.owed[before.turn().index()];
        self.state.apply(node.ply);
        match node.ply {
            Ply::Leave { exit, .. } => exit.letter().to_string(),
            Ply::Move(mv) => {
                let marks = Marks::of(&before, mv, self.state.game.position(), &rules);
                // Mates that stand behind a move need no mark of their own.
                self.state.unmarked.retain(|(_, fate)| *fate != Fate::Mate);
                let exit = owed.map_or(String::new(), |exit| exit.letter().to_string());
                format!("{}{marks}{exit}", before.move_text(mv, &rules))
            }
        }
    }

    /// Adds to a comment who leaves next when it is another's turn.
    fn departures(&mut self, comment: &mut String, nodes: &mut &[Node]) {
        while let [node, rest @ ..] = *nodes
            && let Ply::Leave { seat, exit } = node.ply
            && seat != self.state.turn()
        {
            self.state.apply(node.ply);
            let gap = if comment.is_empty() { "" } else { " " };
            *comment += &format!("{gap}[%{} {seat}]", exit.letter());
            *nodes = rest;
        }
    }

    /// Marks who was put out and is not marked yet.
    fn fallen(&mut self) -> fmt::Result {
        for (seat, fate) in std::mem::take(&mut self.state.unmarked) {
            self.word(seat, letter(fate).encode_utf8(&mut [0; 4]))?;
        }
        Ok(())
    }

    fn word(&mut self, seat: Seat, word: &str) -> fmt::Result {
        let begins = self.state.rows.go(seat);
        let number = self.state.rows.number;
        match (self.place, begins) {
            (Place::Top, _) => write!(self.out, "{number}. {word}")?,
            (Place::Opened, true) => write!(self.out, "{number}.. {word}")?,
            (Place::Opened, false) => write!(self.out, " .. {word}")?,
            (Place::Started | Place::Within, true) => write!(self.out, "\n{number}. {word}")?,
            (Place::Started | Place::Within, false) => write!(self.out, " .. {word}")?,
        }
        self.place = Place::Within;
        Ok(())
    }

    /// On a line of its own where it begins with a row, as other programs write it.
    fn variation(&mut self, line: &Line, state: State) -> fmt::Result {
        let begins = state.rows.number_of(state.turn()) != state.rows.number;
        write!(self.out, "{}", if begins { "\n(" } else { " (" })?;
        Writer { out: &mut *self.out, state, place: Place::Opened }.line(line)?;
        write!(self.out, " )")
    }
}

fn letter(fate: Fate) -> char {
    match fate {
        Fate::Mate => '#',
        Fate::Stalemate => 'S',
    }
}
