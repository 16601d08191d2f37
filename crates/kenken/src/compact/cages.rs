//! The rules for cages.

use super::{Cage, Compact, Spot, insert};
use crate::{
    board::{Contradiction, Deduced, Segment},
    rule::Rule,
};

/// After so many possible fillings of a cage, the candidates that none of them has are checked one
/// by one.
const FEW: u32 = 12;

impl Compact {
    /// Removes the candidates of a cage that are in none of its possible fillings.
    pub(super) fn revise(&mut self, number: usize) -> Deduced {
        self.statistics.propagations += 1;
        let cage = self.cages[number];
        let packed = self.words[number];
        let kept = match cage.words {
            0 => return Ok(()),
            1 => {
                let alive = self.words[cage.alive as usize];
                // What one filling puts into a line is placed in any case.
                if alive & alive.wrapping_sub(1) != 0 {
                    insert(&mut self.queues.must, number);
                }
                self.union_of_few(&cage, packed, alive)
            }
            _ => {
                insert(&mut self.queues.must, number);
                self.union(&cage, packed)
            }
        };
        if kept == packed { Ok(()) } else { self.keep(number, kept) }
    }

    /// The candidates that these fillings of a cage have, if a word has all of them.
    #[inline(always)]
    fn union_of_few(&self, cage: &Cage, packed: u64, alive: u64) -> u64 {
        let fillings = &self.tables.words[cage.first as usize..];
        let (mut union, mut rest) = (0, alive);
        while rest != 0 && union != packed {
            union |= fillings[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        union
    }

    /// Keeps the candidates of a cage that its possible fillings have.
    pub(super) fn keep(&mut self, number: usize, mut kept: u64) -> Deduced {
        if kept == 0 {
            return Err(Contradiction);
        }
        let Cage { from, to, .. } = self.cages[number];
        if !self.rules.contains(Rule::CageCandidates) {
            kept = self.spread(kept, usize::from(to - from));
        }
        let packed = self.words[number];
        let mut lost = packed & !kept;
        if lost == 0 {
            return Ok(());
        }
        let left = packed ^ lost;
        self.words[number] = left;
        let mut place = 0;
        while lost != 0 {
            let mut digits = lost & self.full;
            lost >>= self.side;
            if digits != 0 {
                let cell = usize::from(self.cells[usize::from(from) + place]);
                let Spot { shift, row, column, .. } = self.spots[cell];
                let domain = left >> shift & self.full;
                if domain & domain.wrapping_sub(1) == 0 {
                    if domain == 0 {
                        return Err(Contradiction);
                    }
                    self.queues.placed.push((cell as u16, domain.trailing_zeros() as u16));
                }
                let (row, column) = (usize::from(row), usize::from(column));
                self.queues.sets |= 1 << row | 1 << (self.side + column);
                self.queues.fish |= digits as u32;
                self.queues.chains = true;
                while digits != 0 {
                    let digit = digits.trailing_zeros() as usize;
                    digits &= digits - 1;
                    self.lose_in_line(row, column, digit)?;
                    self.lose_in_line(self.side + column, row, digit)?;
                }
            }
            place += 1;
        }
        Ok(())
    }

    /// The candidates of a cage that its possible fillings have.
    #[inline]
    fn union(&self, cage: &Cage, packed: u64) -> u64 {
        let alive = &self.words[cage.alive()];
        let mut union = 0;
        let mut seen = 0;
        for (index, &word) in alive.iter().enumerate() {
            let fillings = &self.tables.words[cage.first as usize + index * 64..];
            let mut rest = word;
            while rest != 0 {
                union |= fillings[rest.trailing_zeros() as usize];
                rest &= rest - 1;
                seen += 1;
                if union == packed {
                    return union;
                }
                if seen == FEW {
                    return union | self.supported(cage, packed & !union);
                }
            }
        }
        union
    }

    /// Those of the candidates that some possible filling has.
    fn supported(&self, cage: &Cage, candidates: u64) -> u64 {
        let alive = &self.words[cage.alive()];
        let mut supported = 0;
        let mut rest = candidates;
        while rest != 0 {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let sets = &self.tables.words[cage.support(bit)];
            let has = alive.iter().zip(sets).any(|(alive, set)| alive & set != 0);
            supported |= u64::from(has) << bit;
        }
        supported
    }

    /// Gives every cell of a cage the candidates of all of them.
    fn spread(&self, candidates: u64, cells: usize) -> u64 {
        let mut anywhere = 0;
        for place in 0..cells {
            anywhere |= candidates >> (place * self.side) & self.full;
        }
        (0..cells).fold(0, |all, place| all | anywhere << (place * self.side))
    }

    /// If every possible filling puts a digit into a line, removes it from the rest of the line.
    pub(super) fn must_appear(&mut self, number: usize) -> Deduced {
        self.statistics.propagations += 1;
        let cage = self.cages[number];
        for segment in cage.segments.0..cage.segments.1 {
            let Segment { line, places } = self.segments[usize::from(segment)];
            let mut must = self.must_digits(&cage, places);
            if must == 0 {
                continue;
            }
            let line = usize::from(line.0);
            let mut own = 0;
            let mut rest = places;
            while rest != 0 {
                let place = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let cell = self.cells[usize::from(cage.from) + place];
                let Spot { row, column, .. } = self.spots[usize::from(cell)];
                own |= 1u16 << if line < self.side { column } else { row };
            }
            while must != 0 {
                let digit = must.trailing_zeros() as usize;
                must &= must - 1;
                let others = self.lines[line * self.side + digit] & !own;
                self.strike_places(line, others, digit)?;
            }
        }
        Ok(())
    }

    fn must_digits(&self, cage: &Cage, places: u32) -> u64 {
        let alive = &self.words[cage.alive()];
        let mut must = if alive.is_empty() { 0 } else { self.full };
        for (index, &word) in alive.iter().enumerate() {
            let fillings = &self.tables.words[cage.first as usize + index * 64..];
            let mut possible = word;
            while possible != 0 {
                let filling = fillings[possible.trailing_zeros() as usize];
                possible &= possible - 1;
                let mut digits = 0;
                let mut rest = places;
                while rest != 0 {
                    digits |= filling >> (rest.trailing_zeros() as usize * self.side);
                    rest &= rest - 1;
                }
                must &= digits;
                // Two fillings rarely agree, so the loop usually ends here.
                if must == 0 {
                    return 0;
                }
            }
        }
        must
    }
}
