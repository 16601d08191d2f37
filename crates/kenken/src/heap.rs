//! A binary heap of variables by activity, with the index of each variable.

/// A heap of variables. The most active variable is at the top; of equally active ones, the one
/// with the lowest number.
#[derive(Default)]
pub(crate) struct Heap {
    items: Vec<u32>,
    places: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Heap {
    /// Adds a variable if it is not in the heap.
    pub(crate) fn insert(&mut self, variable: u32, activities: &[f64]) {
        let index = variable as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, ABSENT);
        }
        if self.places[index] == ABSENT {
            self.places[index] = self.items.len() as u32;
            self.items.push(variable);
            self.up(self.items.len() - 1, activities);
        }
    }

    /// Removes the top variable.
    pub(crate) fn pop(&mut self, activities: &[f64]) -> Option<u32> {
        let top = *self.items.first()?;
        self.places[top as usize] = ABSENT;
        let last = self.items.pop().expect("there is a first item");
        if last != top {
            self.items[0] = last;
            self.places[last as usize] = 0;
            self.down(0, activities);
        }
        Some(top)
    }

    /// Moves a variable up after its activity has increased.
    pub(crate) fn raise(&mut self, variable: u32, activities: &[f64]) {
        let place = self.places[variable as usize];
        if place != ABSENT {
            self.up(place as usize, activities);
        }
    }

    fn above(a: u32, b: u32, activities: &[f64]) -> bool {
        let (x, y) = (activities[a as usize], activities[b as usize]);
        x > y || (x == y && a < b)
    }

    fn up(&mut self, mut place: usize, activities: &[f64]) {
        let item = self.items[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if !Heap::above(item, self.items[parent], activities) {
                break;
            }
            self.items[place] = self.items[parent];
            self.places[self.items[place] as usize] = place as u32;
            place = parent;
        }
        self.items[place] = item;
        self.places[item as usize] = place as u32;
    }

    fn down(&mut self, mut place: usize, activities: &[f64]) {
        let item = self.items[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.items.len() {
                break;
            }
            if child + 1 < self.items.len()
                && Heap::above(self.items[child + 1], self.items[child], activities)
            {
                child += 1;
            }
            if !Heap::above(self.items[child], item, activities) {
                break;
            }
            self.items[place] = self.items[child];
            self.places[self.items[place] as usize] = place as u32;
            place = child;
        }
        self.items[place] = item;
        self.places[item as usize] = place as u32;
    }
}
