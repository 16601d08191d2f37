//! The rules for lines, and what the loss of a candidate does to its cell, row and column.

use super::{Compact, LARGEST, Spot, insert, pop};
use crate::{
    board::{Contradiction, Deduced},
    grid::Line,
    hall,
    matching::Matching,
    rule::Rule,
    search::Candidates,
};

impl Compact {
    /// Applies the rules of the board until none of them removes anything: cheap rules first, and
    /// the cheap ones again after every change.
    pub(crate) fn propagate(&mut self) -> Deduced {
        self.statistics.passes += 1;
        loop {
            while let Some((cell, digit)) = self.queues.placed.pop() {
                self.place(usize::from(cell), usize::from(digit))?;
            }
            if let Some(cage) = pop(&mut self.queues.cages) {
                self.revise(cage)?;
            } else if self.rules.contains(Rule::MustAppear)
                && let Some(cage) = pop(&mut self.queues.must)
            {
                self.must_appear(cage)?;
            } else if self.rules.contains(Rule::LineSet) && self.queues.sets != 0 {
                let line = self.queues.sets.trailing_zeros() as usize;
                self.queues.sets &= self.queues.sets - 1;
                self.line_sets(line)?;
            } else if self.rules.contains(Rule::Fish) && self.queues.fish != 0 {
                let digit = self.queues.fish.trailing_zeros() as usize;
                self.queues.fish &= self.queues.fish - 1;
                self.fish(digit)?;
            } else if self.rules.contains(Rule::Chain) && std::mem::take(&mut self.queues.chains) {
                self.chains()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Gives a cell a digit: it loses all others, and the other cells of its lines lose this one.
    fn place(&mut self, cell: usize, digit: usize) -> Deduced {
        let Spot { cage, shift, row, column } = self.spots[cell];
        let (row, column, shift) = (usize::from(row), usize::from(column), usize::from(shift));
        let cage = usize::from(cage);
        let word = self.words[cage];
        if word >> (shift + digit) & 1 == 0 {
            return Err(Contradiction);
        }
        let mut others = (word >> shift & self.full) ^ 1 << digit;
        let (in_row, in_column) =
            (row * self.side + digit, (self.side + column) * self.side + digit);
        // The lines across in which the digit goes.
        let mut peers = u32::from(self.lines[in_column] ^ 1 << row)
            | u32::from(self.lines[in_row] ^ 1 << column) << self.side;
        // A digit is often found to be the only one of its cell, its row and its column.
        if others | u64::from(peers) == 0 {
            return Ok(());
        }
        self.lines[in_row] = 1 << column;
        self.lines[in_column] = 1 << row;
        self.queues.sets |= 1 << row | 1 << (self.side + column) | peers;
        self.queues.fish |= others as u32 | 1 << digit;
        self.queues.chains = true;
        if others != 0 {
            self.words[cage] = word ^ others << shift;
            self.keep_fillings(cage, shift + digit);
            insert(&mut self.queues.cages, cage);
            while others != 0 {
                let other = others.trailing_zeros() as usize;
                others &= others - 1;
                self.lose_in_line(row, column, other)?;
                self.lose_in_line(self.side + column, row, other)?;
            }
        }
        // One loop for both lines: where a loop ends cannot be predicted.
        while peers != 0 {
            let line = peers.trailing_zeros() as usize;
            peers &= peers - 1;
            let (cell, place) = match line.checked_sub(self.side) {
                None => (line * self.side + column, column),
                Some(beside) => (row * self.side + beside, row),
            };
            self.lose_in_cell(cell, digit)?;
            self.lose_in_line(line, place, digit)?;
        }
        Ok(())
    }

    /// Removes a candidate.
    pub(super) fn strike(&mut self, cell: usize, digit: usize) -> Deduced {
        let Spot { row, column, .. } = self.spots[cell];
        let (row, column) = (usize::from(row), usize::from(column));
        self.queues.sets |= 1 << row | 1 << (self.side + column);
        self.queues.fish |= 1 << digit;
        self.queues.chains = true;
        self.lose_in_cell(cell, digit)?;
        self.lose_in_line(row, column, digit)?;
        self.lose_in_line(self.side + column, row, digit)
    }

    /// Removes a candidate from the word of its cage, and the fillings that have it.
    #[inline(always)]
    fn lose_in_cell(&mut self, cell: usize, digit: usize) -> Deduced {
        let Spot { cage, shift, .. } = self.spots[cell];
        let (cage, bit) = (usize::from(cage), usize::from(shift) + digit);
        let word = self.words[cage] & !(1 << bit);
        let domain = word >> shift & self.full;
        if domain & domain.wrapping_sub(1) == 0 {
            if domain == 0 {
                return Err(Contradiction);
            }
            self.queues.placed.push((cell as u16, domain.trailing_zeros() as u16));
        }
        self.words[cage] = word;
        insert(&mut self.queues.cages, cage);
        let cage = self.cages[cage];
        if cage.words == 1 {
            self.words[cage.alive as usize] &= !self.tables.words[cage.support as usize + bit];
            return Ok(());
        }
        let sets = &self.tables.words[cage.support(bit)];
        for (alive, set) in self.words[cage.alive()].iter_mut().zip(sets) {
            *alive &= !set;
        }
        Ok(())
    }

    /// Keeps the fillings of a cage that have a candidate.
    #[inline(always)]
    fn keep_fillings(&mut self, cage: usize, bit: usize) {
        let cage = self.cages[cage];
        let sets = &self.tables.words[cage.support(bit)];
        for (alive, set) in self.words[cage.alive()].iter_mut().zip(sets) {
            *alive &= set;
        }
    }

    /// Removes a place of a digit in a line.
    #[inline(always)]
    pub(super) fn lose_in_line(&mut self, line: usize, place: usize, digit: usize) -> Deduced {
        let at = line * self.side + digit;
        let places = self.lines[at] & !(1 << place);
        self.lines[at] = places;
        if places & places.wrapping_sub(1) == 0 {
            if places == 0 {
                return Err(Contradiction);
            }
            let place = places.trailing_zeros() as usize;
            let cell = match line.checked_sub(self.side) {
                None => line * self.side + place,
                Some(column) => place * self.side + column,
            };
            self.queues.placed.push((cell as u16, digit as u16));
        }
        Ok(())
    }

    /// Removes a digit from these places of a line.
    pub(super) fn strike_places(&mut self, line: usize, places: u16, digit: usize) -> Deduced {
        let (start, step) = Line(line as u8).stride(self.size);
        let mut rest = places;
        while rest != 0 {
            let place = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            self.strike(start + place * step, digit)?;
        }
        Ok(())
    }

    /// If k digits have k places of a line together, removes all others from these places. This is
    /// the same as sets of cells, seen from the digits.
    fn line_sets(&mut self, line: usize) -> Deduced {
        self.statistics.propagations += 1;
        let rows = self.places(|digit| line * self.side + digit);
        let mut impossible = [0; LARGEST];
        if self.is_bound(&rows, &mut impossible)? {
            for (digit, &places) in impossible[..self.side].iter().enumerate() {
                self.strike_places(line, places as u16, digit)?;
            }
        }
        Ok(())
    }

    /// If k rows have k columns together for a digit, removes it from the columns elsewhere.
    fn fish(&mut self, digit: usize) -> Deduced {
        self.statistics.propagations += 1;
        let rows = self.places(|row| row * self.side + digit);
        let mut impossible = [0; LARGEST];
        if self.is_bound(&rows, &mut impossible)? {
            for (row, &columns) in impossible[..self.side].iter().enumerate() {
                self.strike_places(row, columns as u16, digit)?;
            }
        }
        Ok(())
    }

    /// Applies all chains.
    fn chains(&mut self) -> Deduced {
        self.statistics.propagations += 1;
        let mut links = std::mem::take(&mut self.links);
        links.find(self.side, &self.lines, |cell| self.domain(cell));
        let removed = links.removals.iter().try_for_each(|&(cell, digit)| {
            let cell = usize::from(cell);
            match self.domain(cell) >> digit & 1 {
                0 => Ok(()),
                _ => self.strike(cell, usize::from(digit)),
            }
        });
        self.links = links;
        removed
    }

    fn places(&self, index: impl Fn(usize) -> usize) -> [u32; LARGEST] {
        let mut places = [0; LARGEST];
        for (number, places) in places[..self.side].iter_mut().enumerate() {
            *places = u32::from(self.lines[index(number)]);
        }
        places
    }

    /// Finds the entries of a matrix that no perfect matching uses. Returns whether there are any.
    fn is_bound(
        &self,
        rows: &[u32; LARGEST],
        impossible: &mut [u32; LARGEST],
    ) -> Result<bool, Contradiction> {
        let rows = &rows[..self.side];
        // Singles are found already. So a Hall set has two rows at least, and so have the others.
        let open = rows.iter().filter(|places| !places.is_power_of_two()).count();
        if open < 4 {
            return Ok(false);
        }
        if self.side <= hall::MOST_ROWS {
            let found = hall::impossible(rows).ok_or(Contradiction)?;
            impossible[..found.len()].copy_from_slice(&found);
        } else {
            let matching = Matching::new(rows).ok_or(Contradiction)?;
            for (row, &columns) in rows.iter().enumerate() {
                impossible[row] = matching.impossible(row, columns);
            }
        }
        Ok(impossible.iter().any(|&columns| columns != 0))
    }
}
