//! The rules as operations on a board, and the order in which the queues call them.

use crate::{
    board::{Board, Cage, Contradiction, Deduced},
    grid::Line,
    matching::Matching,
    rule::Rule,
};

impl Board {
    /// Applies the rules of the board until none of them removes anything: cheap rules first, and
    /// the cheap ones again after every change.
    pub(crate) fn propagate(&mut self) -> Deduced {
        self.statistics.passes += 1;
        loop {
            self.clear_peers()?;
            if let Some(cage) = self.queues.cages.pop() {
                self.revise_cage(cage)?;
                continue;
            }
            if self.queues.lines != 0 {
                let line = self.queues.lines.trailing_zeros();
                self.queues.lines &= self.queues.lines - 1;
                self.singles(Line(line as u8))?;
                continue;
            }
            if self.rules.contains(Rule::MustAppear)
                && let Some(cage) = self.queues.must.pop()
            {
                self.must_appear(cage)?;
                continue;
            }
            if self.rules.contains(Rule::LineSet) && self.queues.sets != 0 {
                let line = self.queues.sets.trailing_zeros();
                self.queues.sets &= self.queues.sets - 1;
                self.line_sets(Line(line as u8))?;
                continue;
            }
            if self.rules.contains(Rule::Fish) && self.queues.fish != 0 {
                let digit = self.queues.fish.trailing_zeros();
                self.queues.fish &= self.queues.fish - 1;
                self.fish(digit as usize)?;
                continue;
            }
            if self.rules.contains(Rule::Chain) && std::mem::take(&mut self.queues.chains) {
                self.chains()?;
                continue;
            }
            return Ok(());
        }
    }

    /// Finds singles in every marked line, until none is marked.
    #[inline]
    pub(crate) fn propagate_lines(&mut self) -> Deduced {
        loop {
            self.clear_peers()?;
            if self.queues.lines == 0 {
                return Ok(());
            }
            let line = self.queues.lines.trailing_zeros();
            self.queues.lines &= self.queues.lines - 1;
            self.singles(Line(line as u8))?;
        }
    }

    /// Removes the digit of every newly placed cell from its row and column. The rules for lines
    /// would find the same, but they examine all cells of the line twice.
    #[inline]
    fn clear_peers(&mut self) -> Deduced {
        if !self.rules.contains(Rule::NakedSingle) {
            self.queues.placed.clear();
            return Ok(());
        }
        while let Some(cell) = self.queues.placed.pop() {
            let cell = usize::from(cell);
            let digit = self.domains[cell];
            let (row, column) = (cell / self.side * self.side, cell % self.side);
            let holders_beside = holders(self.domains[row..row + self.side].iter(), digit);
            self.clear_places(holders_beside & !(1 << column), row, 1, digit)?;
            let below = self.domains[column..].iter().step_by(self.side);
            let holders_below = holders(below, digit);
            self.clear_places(holders_below & !(1 << (row / self.side)), column, self.side, digit)?;
        }
        Ok(())
    }

    /// Removes a digit from the cells at these indices of a line, all of which have it as a
    /// candidate.
    #[inline]
    fn clear_places(&mut self, mut places: u32, start: usize, step: usize, digit: u32) -> Deduced {
        while places != 0 {
            let cell = start + places.trailing_zeros() as usize * step;
            places &= places - 1;
            let domain = self.domains[cell] & !digit;
            if domain == 0 {
                return Err(Contradiction);
            }
            self.set(cell, domain);
        }
        Ok(())
    }

    /// Naked and hidden singles of a line.
    pub(crate) fn singles(&mut self, line: Line) -> Deduced {
        self.statistics.propagations += 1;
        let (start, step) = line.stride(self.size);
        let side = self.side;
        let census = if step == 1 {
            Census::of(self.domains[start..start + side].iter())
        } else {
            Census::of(self.domains[start..].iter().step_by(side))
        };
        if census.clash != 0 {
            return Err(Contradiction);
        }
        let Census { placed, once, twice, .. } = census;
        let naked = if self.rules.contains(Rule::NakedSingle) { placed & twice } else { 0 };
        let mut hidden = 0;
        if self.rules.contains(Rule::HiddenSingle) {
            if once != self.full {
                return Err(Contradiction);
            }
            hidden = once & !twice & !placed;
        }
        let touched = naked | hidden;
        if touched == 0 {
            return Ok(());
        }
        let mut at = start;
        for _ in 0..side {
            let domain = self.domains[at];
            if domain & touched != 0 && domain & (domain - 1) != 0 {
                let mut left = domain & !naked;
                let only = left & hidden;
                if only != 0 {
                    left = only;
                    if only & (only - 1) != 0 {
                        return Err(Contradiction);
                    }
                }
                if left == 0 {
                    return Err(Contradiction);
                }
                if left != domain {
                    self.set(at, left);
                }
            }
            at += step;
        }
        Ok(())
    }

    /// Removes fillings of a cage that are no longer possible, and then candidates that are in no
    /// filling.
    pub(crate) fn revise_cage(&mut self, cage: usize) -> Deduced {
        self.statistics.propagations += 1;
        match self.cages[cage].words {
            0 if self.cages[cage].to - self.cages[cage].from == 1 => Ok(()),
            0 => {
                let kept = self.reach(cage)?;
                self.keep_in_cage(cage, &kept)
            }
            1 => self.revise_packed::<1>(cage),
            2 => self.revise_packed::<2>(cage),
            3 => self.revise_packed::<3>(cage),
            _ => self.revise_packed::<4>(cage),
        }
    }

    fn revise_packed<const WORDS: usize>(&mut self, number: usize) -> Deduced {
        let cage = self.cages[number];
        let packed = self.pack::<WORDS>(&cage);
        let first = cage.first as usize;
        let alive = cage.alive as usize;
        let (fillings, _) = self.fillings[first..first + alive * WORDS].as_chunks_mut::<WORDS>();
        let (union, left) =
            if alive <= 64 { part_few(fillings, &packed) } else { part_many(fillings, &packed) };
        if left == 0 {
            return Err(Contradiction);
        }
        if left != alive {
            self.note_alive(number, left as u32);
            self.queues.must.insert(number);
        }
        if union != packed {
            self.unpack::<WORDS>(&cage, union)?;
        }
        // The cage has just been examined, so its own changes need no mark.
        self.queues.cages.remove(number);
        Ok(())
    }

    /// The candidates of the cells of a cage, in the layout of its fillings.
    #[inline]
    fn pack<const WORDS: usize>(&self, cage: &Cage) -> [u64; WORDS] {
        let mut packed = [0u64; WORDS];
        let mut cells = &self.cells[usize::from(cage.from)..usize::from(cage.to)];
        for word in &mut packed {
            let here = if WORDS == 1 { cells.len() } else { cells.len().min(self.lanes) };
            let mut shift = 0;
            for &cell in &cells[..here] {
                *word |= u64::from(self.domains[usize::from(cell)]) << shift;
                shift += self.side;
            }
            cells = &cells[here..];
        }
        packed
    }

    /// Restricts the cells of a cage to the digits in its fillings.
    #[inline]
    fn unpack<const WORDS: usize>(&mut self, cage: &Cage, mut union: [u64; WORDS]) -> Deduced {
        let full = u64::from(self.full);
        let (from, to) = (usize::from(cage.from), usize::from(cage.to));
        if self.rules.contains(Rule::CageCandidates) {
            let mut place = from;
            for word in union {
                let mut rest = word;
                let end = if WORDS == 1 { to } else { to.min(place + self.lanes) };
                while place < end {
                    let kept = (rest & full) as u32;
                    rest >>= self.side;
                    let cell = usize::from(self.cells[place]);
                    place += 1;
                    if kept != self.domains[cell] {
                        self.set(cell, kept);
                    }
                }
            }
        } else if self.rules.contains(Rule::CageDigits) {
            let mut anywhere = 0;
            for word in &mut union {
                while *word != 0 {
                    anywhere |= *word & full;
                    *word >>= self.side;
                }
            }
            for place in from..to {
                self.restrict(usize::from(self.cells[place]), anywhere as u32)?;
            }
        }
        Ok(())
    }

    fn keep_in_cage(&mut self, cage: usize, kept: &[u32]) -> Deduced {
        let anywhere = kept.iter().fold(0, |all, &domain| all | domain);
        for (place, &kept) in self.cells_of(cage).zip(kept) {
            let cell = usize::from(self.cells[place]);
            if self.rules.contains(Rule::CageCandidates) {
                self.restrict(cell, kept)?;
            } else if self.rules.contains(Rule::CageDigits) {
                self.restrict(cell, anywhere)?;
            }
        }
        self.queues.cages.remove(cage);
        Ok(())
    }

    /// If every filling puts a digit into a line, removes the digit from the other cells of the
    /// line.
    pub(crate) fn must_appear(&mut self, cage: usize) -> Deduced {
        self.statistics.propagations += 1;
        let (from, to) = self.cages[cage].segments;
        for segment in from..to {
            let must = self.must_digits(cage, usize::from(segment));
            if must != 0 {
                self.clear_line_outside(cage, self.segments[usize::from(segment)].line, must)?;
            }
        }
        Ok(())
    }

    /// The digits that every filling of a cage puts into one of its segments.
    pub(crate) fn must_digits(&self, number: usize, segment: usize) -> u32 {
        let cage = &self.cages[number];
        let words = usize::from(cage.words);
        if words == 0 {
            return 0;
        }
        let first = cage.first as usize;
        let fillings = &self.fillings[first..first + cage.alive as usize * words];
        let lanes = self.lanes;
        let places = self.segments[segment].places;
        let mut must = u64::from(self.full);
        for filling in fillings.chunks_exact(words) {
            let mut rest = places;
            let mut digits = 0;
            while rest != 0 {
                let place = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                digits |= filling[place / lanes] >> (place % lanes * self.side);
            }
            must &= digits;
            // Two fillings rarely agree, so the loop usually ends here.
            if must == 0 {
                return 0;
            }
        }
        must as u32
    }

    pub(crate) fn clear_line_outside(&mut self, cage: usize, line: Line, digits: u32) -> Deduced {
        let (start, step) = line.stride(self.size);
        for place in 0..self.side {
            let cell = start + place * step;
            if usize::from(self.cage_of[cell]) != cage && self.domains[cell] & digits != 0 {
                self.restrict(cell, !digits)?;
            }
        }
        Ok(())
    }

    /// If k cells of a line have k candidates together, removes these from the other cells. This
    /// finds naked and hidden sets.
    pub(crate) fn line_sets(&mut self, line: Line) -> Deduced {
        self.statistics.propagations += 1;
        let (start, step) = line.stride(self.size);
        let mut rows = [0u32; 32];
        let rows = &mut rows[..self.side];
        for (place, row) in rows.iter_mut().enumerate() {
            *row = self.domains[start + place * step];
        }
        let matching = Matching::new(rows).ok_or(Contradiction)?;
        for (place, &row) in rows.iter().enumerate() {
            let impossible = matching.impossible(place, row);
            if impossible != 0 {
                self.restrict(start + place * step, !impossible)?;
            }
        }
        Ok(())
    }

    /// For each row, the columns in which a digit is a candidate.
    pub(crate) fn places_of(&self, digit: usize) -> [u32; 32] {
        let mut rows = [0u32; 32];
        for (row, cells) in rows.iter_mut().zip(self.domains.chunks_exact(self.side)) {
            for (column, domain) in cells.iter().enumerate() {
                *row |= (domain >> digit & 1) << column;
            }
        }
        rows
    }

    /// If k rows have k columns together for a digit, removes the digit from these columns in the
    /// other rows.
    pub(crate) fn fish(&mut self, digit: usize) -> Deduced {
        self.statistics.propagations += 1;
        let rows = self.places_of(digit);
        let rows = &rows[..self.side];
        let matching = Matching::new(rows).ok_or(Contradiction)?;
        for (row, &columns) in rows.iter().enumerate() {
            let mut impossible = matching.impossible(row, columns);
            while impossible != 0 {
                let column = impossible.trailing_zeros() as usize;
                impossible &= impossible - 1;
                self.restrict(row * self.side + column, !(1 << digit))?;
            }
        }
        Ok(())
    }
}

impl Board {
    /// The number of fillings of a cage that put a digit into a cell.
    pub(crate) fn fillings_with(&self, cell: usize, digit: usize) -> usize {
        let cage = &self.cages[usize::from(self.cage_of[cell])];
        let words = usize::from(cage.words);
        if words == 0 {
            return 0;
        }
        let cells = &self.cells[usize::from(cage.from)..usize::from(cage.to)];
        let place = cells.iter().position(|&other| usize::from(other) == cell);
        let place = place.expect("a cell lies in its cage");
        let lanes = self.lanes;
        let bit = 1u64 << (place % lanes * self.side + digit);
        let first = cage.first as usize;
        self.fillings[first..first + cage.alive as usize * words]
            .chunks_exact(words)
            .filter(|filling| filling[place / lanes] & bit != 0)
            .count()
    }
}

/// Moves the possible fillings to the front. Returns their union and their number.
fn part_many<const WORDS: usize>(
    fillings: &mut [[u64; WORDS]],
    packed: &[u64; WORDS],
) -> ([u64; WORDS], usize) {
    let mut union = [0u64; WORDS];
    let (mut at, mut left) = (0, fillings.len());
    while at < left {
        let filling = fillings[at];
        let mut misfit = 0;
        for word in 0..WORDS {
            misfit |= filling[word] & !packed[word];
        }
        if misfit == 0 {
            for word in 0..WORDS {
                union[word] |= filling[word];
            }
            at += 1;
        } else {
            left -= 1;
            fillings.swap(at, left);
        }
    }
    (union, left)
}

/// The same for up to 64 fillings. Which of them are possible cannot be predicted, so that is
/// computed without a branch before any are moved.
#[inline]
fn part_few<const WORDS: usize>(
    fillings: &mut [[u64; WORDS]],
    packed: &[u64; WORDS],
) -> ([u64; WORDS], usize) {
    let mut union = [0u64; WORDS];
    let mut misfits = 0u64;
    for (place, filling) in fillings.iter().enumerate() {
        let mut misfit = 0;
        for word in 0..WORDS {
            misfit |= filling[word] & !packed[word];
        }
        let fits = u64::from(misfit == 0);
        misfits |= (1 - fits) << place;
        for word in 0..WORDS {
            union[word] |= filling[word] & fits.wrapping_neg();
        }
    }
    // From the last impossible filling to the first, each is moved behind all possible ones.
    let mut left = fillings.len();
    while misfits != 0 {
        let place = 63 - misfits.leading_zeros() as usize;
        misfits ^= 1 << place;
        left -= 1;
        fillings.swap(place, left);
    }
    (union, left)
}

/// The indices of the cells that have a digit as a candidate, computed without a branch.
#[inline]
fn holders<'a>(domains: impl Iterator<Item = &'a u32>, digit: u32) -> u32 {
    let mut places = 0;
    for (place, &domain) in domains.enumerate() {
        places |= u32::from(domain & digit != 0) << place;
    }
    places
}

/// How often each digit is a candidate in the cells of a line.
struct Census {
    /// Digits that are placed.
    placed: u32,
    /// Digits that are candidates of some cell.
    once: u32,
    /// Digits that are candidates of several cells.
    twice: u32,
    /// Digits that are placed twice.
    clash: u32,
}

impl Census {
    /// Counts without a branch. Which cells are placed cannot be predicted, and most lines are only
    /// counted.
    #[inline]
    fn of<'a>(domains: impl Iterator<Item = &'a u32>) -> Census {
        let mut census = Census { placed: 0, once: 0, twice: 0, clash: 0 };
        for &domain in domains {
            let single = if domain & (domain - 1) == 0 { domain } else { 0 };
            census.clash |= census.placed & single;
            census.placed |= single;
            census.twice |= census.once & domain;
            census.once |= domain;
        }
        census
    }
}
