//! How much functions make at most, from the sizes of their arguments.

use arrow::{
    array::{Array, ArrayRef, AsArray, Int64Array, new_null_array},
    compute::cast,
    datatypes::{DataType, Int64Type, IntervalMonthDayNanoType, TimeUnit},
};

/// A function that makes much out of little.
pub(super) struct Maker {
    pub(super) name: &'static str,
    /// How many bytes a call of it makes at most.
    pub(super) bytes: fn(&Call<'_>) -> u128,
    pub(super) estimate: Estimate,
}

/// How good an estimate of what a function makes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Estimate {
    /// The function makes about as much as is estimated.
    Close,
    /// The function mostly makes far less, for what it looks for may be rare.
    Loose,
}

const fn close(name: &'static str, bytes: fn(&Call<'_>) -> u128) -> Maker {
    Maker { name, bytes, estimate: Estimate::Close }
}

const fn loose(name: &'static str, bytes: fn(&Call<'_>) -> u128) -> Maker {
    Maker { name, bytes, estimate: Estimate::Loose }
}

/// The operator that joins texts, as a function.
pub(super) const JOIN: &str = "||";

/// Of all scalar functions of DataFusion 55.2 those whose result may be much larger than their
/// arguments, or which copy a constant into every row. The results of others are as wide as a
/// number, or a part of an argument, or at most a few times as long as one, such as `upper`.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method of a type with a lifetime is not such a function"
)]
pub(super) const MAKERS: &[Maker] = &[
    close("repeat", |call| call.sum(|row| Some(row.bytes(0)? * row.count(1)?))),
    close("lpad", |call| call.sum(|row| Some(row.bytes(0)? + row.count(1)? * row.widest(2)))),
    close("rpad", |call| call.sum(|row| Some(row.bytes(0)? + row.count(1)? * row.widest(2)))),
    // Between any two bytes of the text there may be one that is replaced.
    loose("replace", |call| {
        call.sum(|row| {
            let (text, from, to) = (row.bytes(0)?, row.bytes(1)?, row.bytes(2)?);
            Some(text + (text + 1) / from.max(1) * to)
        })
    }),
    loose("regexp_replace", |call| call.replaced()),
    // A group may stand in another one, and each of them gives a text.
    loose("regexp_match", |call| call.total(0) * (1 + call.most_of(1, b"(")) + call.words(1)),
    loose("overlay", |call| call.total(0) + call.total(1)),
    // A sign of two bytes stands for a date and a time with its zone.
    loose("to_char", |call| call.total(1) * 20),
    close("concat", |call| call.all()),
    loose("concat_ws", |call| call.all() + call.total(0) * call.columns.len() as u128),
    loose(JOIN, |call| call.all()),
    close("make_array", |call| call.all() + call.words(1)),
    close("array_concat", |call| call.all() + call.words(1)),
    close("array_append", |call| call.all() + call.words(1)),
    close("array_prepend", |call| call.all() + call.words(1)),
    loose("array_union", |call| call.all() + call.words(1)),
    close("map", |call| call.all() + call.words(1)),
    // Short lists are filled up to the length of the longest.
    close("arrays_zip", |call| {
        let columns = call.columns.len() as u128;
        let longest =
            |row: &Row<'_>| (0..row.columns.len()).filter_map(|it| row.elements(it)).max();
        call.all() + call.sum(|row| Some(longest(row)? * WORD * columns))
    }),
    loose("array_replace", |call| call.total(0) + call.total(2) + call.words(1)),
    loose("array_replace_n", |call| call.exchanged()),
    loose("array_replace_all", |call| call.exchanged()),
    // A list of NULL takes memory, too.
    close("array_repeat", |call| {
        call.words(1) + call.sum(|row| Some((row.bytes(0).unwrap_or(0) + WORD) * row.count(1)?))
    }),
    close("array_resize", |call| {
        call.words(1) + call.sum(|row| Some((row.bytes(2).unwrap_or(0) + WORD) * row.count(1)?))
    }),
    loose("array_to_string", |call| {
        call.sum(|row| {
            let between = row.bytes(1)?.max(row.bytes(2).unwrap_or(0));
            Some((between + row.bytes(2).unwrap_or(0) + 2 * WORD) * row.leaves(0)? + row.bytes(0)?)
        })
    }),
    // A part may be empty, and has an offset.
    loose("string_to_array", |call| call.total(0) * (1 + WORD) + call.words(1)),
    close("generate_series", |call| call.words(1) + call.sum(|row| Some(row.steps()? * WORD))),
    close("range", |call| call.words(1) + call.sum(|row| Some(row.steps()? * WORD))),
];

/// Bytes of a number.
const WORD: u128 = 8;

/// The arguments of a call: columns, of which those with one row are the same for all rows.
pub(super) struct Call<'a> {
    pub(super) columns: &'a [ArrayRef],
    pub(super) rows: usize,
}

impl Call<'_> {
    /// The sum of what is made of each row.
    fn sum(&self, bytes: impl Fn(&Row<'_>) -> Option<u128>) -> u128 {
        let rows = (0..self.rows).map(|number| Row { columns: self.columns, number });
        rows.fold(0, |sum: u128, row| sum.saturating_add(bytes(&row).unwrap_or(0)))
    }

    /// The bytes of an argument in all rows.
    fn total(&self, index: usize) -> u128 {
        let Some(column) = self.columns.get(index) else { return 0 };
        let rows = if column.len() == 1 { self.rows } else { 1 };
        weight(column) * rows as u128
    }

    /// The bytes of all arguments in all rows.
    fn all(&self) -> u128 {
        (0..self.columns.len()).map(|index| self.total(index)).sum()
    }

    /// The bytes of so many numbers in each row.
    fn words(&self, each: usize) -> u128 {
        WORD * (self.rows * each) as u128
    }

    /// The texts of an argument.
    fn texts(&self, index: usize) -> impl Iterator<Item = &str> {
        let column = self.columns.get(index);
        let rows = column.map_or(0, Array::len);
        (0..rows).filter_map(move |row| text(column?, row))
    }

    /// How many of these bytes a text of an argument has at most.
    fn most_of(&self, index: usize, bytes: &[u8]) -> u128 {
        let count = |text: &str| text.bytes().filter(|byte| bytes.contains(byte)).count();
        self.texts(index).map(count).max().unwrap_or(0) as u128
    }

    /// What `regexp_replace` makes: each match gives the replacement, and each group that it names
    /// gives a part of the match.
    fn replaced(&self) -> u128 {
        let text = self.total(0);
        let longest = self.texts(2).map(str::len).max().unwrap_or(0) as u128;
        let matches = match self.texts(3).any(|flags| flags.contains('g')) {
            true => text + self.rows as u128,
            false => self.rows as u128,
        };
        text * (1 + self.most_of(2, b"\\$")) + matches.saturating_mul(longest)
    }

    /// What a list becomes if each of its elements is replaced.
    fn exchanged(&self) -> u128 {
        let lists = self.total(0) + self.words(1);
        lists + self.sum(|row| Some(row.elements(0)? * (row.bytes(2).unwrap_or(0) + WORD)))
    }
}

/// A row of arguments. What is missing or of another kind makes nothing.
struct Row<'a> {
    columns: &'a [ArrayRef],
    number: usize,
}

impl Row<'_> {
    fn column(&self, index: usize) -> Option<(&ArrayRef, usize)> {
        let column = self.columns.get(index)?;
        let row = if column.len() == 1 { 0 } else { self.number };
        (row < column.len() && !column.is_null(row)).then_some((column, row))
    }

    /// The bytes of a value.
    fn bytes(&self, index: usize) -> Option<u128> {
        let (column, row) = self.column(index)?;
        Some(match text(column, row) {
            Some(text) => text.len() as u128,
            None if column.data_type().is_primitive() => WORD,
            None => weight(&column.slice(row, 1)),
        })
    }

    /// A count, none below zero.
    fn count(&self, index: usize) -> Option<u128> {
        Some(self.number(index)?.max(0) as u128)
    }

    fn number(&self, index: usize) -> Option<i64> {
        let (column, row) = self.column(index)?;
        let number = cast(&column.slice(row, 1), &DataType::Int64).ok()?;
        let number: &Int64Array = number.as_primitive_opt::<Int64Type>()?;
        (!number.is_null(0)).then(|| number.value(0))
    }

    /// The bytes of the widest character of a text; of one without it, those of a blank.
    fn widest(&self, index: usize) -> u128 {
        let Some((column, row)) = self.column(index) else { return 1 };
        let text = cast(&column.slice(row, 1), &DataType::Utf8);
        let text = text.unwrap_or_else(|_| new_null_array(&DataType::Utf8, 1));
        let text = text.as_string::<i32>();
        let widths = text.value(0).chars().map(char::len_utf8);
        widths.max().unwrap_or(1) as u128
    }

    /// The elements of a list.
    fn elements(&self, index: usize) -> Option<u128> {
        let (column, row) = self.column(index)?;
        Some(elements(column, row)?.len() as u128)
    }

    /// The elements of a list and of the lists in it.
    fn leaves(&self, index: usize) -> Option<u128> {
        fn leaves(list: &ArrayRef) -> u128 {
            let inner = (0..list.len()).filter_map(|row| elements(list, row));
            match list.data_type() {
                DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                    inner.map(|inner| leaves(&inner)).sum()
                }
                _ => list.len() as u128,
            }
        }
        let (column, row) = self.column(index)?;
        Some(leaves(&elements(column, row)?))
    }

    /// How many steps there are from one argument to the next, of numbers or of times.
    fn steps(&self) -> Option<u128> {
        if self.columns.len() == 1 {
            return self.count(0);
        }
        let (first, last) = (self.number(0)?, self.number(1)?);
        let span = u128::from(first.abs_diff(last));
        let step = match self.columns.get(2).map(Array::data_type) {
            Some(DataType::Interval(_)) => self.interval()?,
            Some(_) => u128::from(self.number(2)?.unsigned_abs()),
            None => 1,
        };
        Some(span / step.max(1) + 1)
    }

    /// An interval, in the unit of the first argument.
    fn interval(&self) -> Option<u128> {
        const DAY: i128 = 86_400_000_000_000;
        let (column, row) = self.column(2)?;
        let step = column.as_primitive_opt::<IntervalMonthDayNanoType>()?.value(row);
        let days = i128::from(step.months) * 28 + i128::from(step.days);
        let nanoseconds = days * DAY + i128::from(step.nanoseconds);
        let unit = match self.columns[0].data_type() {
            DataType::Date32 => DAY,
            DataType::Timestamp(unit, _) => match unit {
                TimeUnit::Second => 1_000_000_000,
                TimeUnit::Millisecond => 1_000_000,
                TimeUnit::Microsecond => 1_000,
                TimeUnit::Nanosecond => 1,
            },
            _ => 1,
        };
        Some((nanoseconds / unit).unsigned_abs())
    }
}

/// A text of a column of texts.
fn text(column: &ArrayRef, row: usize) -> Option<&str> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(column.as_string_view().value(row)),
        _ => None,
    }
}

/// A list of a column of lists.
fn elements(column: &ArrayRef, row: usize) -> Option<ArrayRef> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::List(_) => Some(column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => Some(column.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => Some(column.as_fixed_size_list().value(row)),
        _ => None,
    }
}

/// The bytes of the values of a column. A column may be a small part of the memory that it holds.
pub(super) fn weight(column: &ArrayRef) -> u128 {
    let words = WORD * column.len() as u128;
    let list = |values: &ArrayRef, first: usize, last: usize| {
        words + weight(&values.slice(first, last - first))
    };
    match column.data_type() {
        DataType::Utf8 => span(column.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => span(column.as_string::<i64>().value_offsets()),
        DataType::Binary => span(column.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => span(column.as_binary::<i64>().value_offsets()),
        DataType::Utf8View => column.as_string_view().lengths().map(u128::from).sum(),
        DataType::BinaryView => column.as_binary_view().lengths().map(u128::from).sum(),
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            let (first, last) = ends(lists.value_offsets());
            list(lists.values(), first, last)
        }
        DataType::LargeList(_) => {
            let lists = column.as_list::<i64>();
            let (first, last) = ends(lists.value_offsets());
            list(lists.values(), first, last)
        }
        DataType::FixedSizeList(..) => weight(column.as_fixed_size_list().values()),
        DataType::Map(..) => {
            let map = column.as_map();
            let (first, last) = ends(map.value_offsets());
            let entries = map.entries().slice(first, last - first);
            words + entries.columns().iter().map(weight).sum::<u128>()
        }
        DataType::Struct(_) => column.as_struct().columns().iter().map(weight).sum(),
        _ => column.to_data().get_slice_memory_size().unwrap_or(0) as u128,
    }
}

/// The first and the last of some offsets.
fn ends<O: Copy + TryInto<usize>>(offsets: &[O]) -> (usize, usize) {
    let end = |offset: Option<&O>| offset.and_then(|&it| it.try_into().ok()).unwrap_or(0);
    (end(offsets.first()), end(offsets.last()))
}

fn span<O: Copy + TryInto<usize>>(offsets: &[O]) -> u128 {
    let (first, last) = ends(offsets);
    (last - first) as u128
}
