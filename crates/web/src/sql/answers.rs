//! Answers that are kept, so that a page can show any part of them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use arrow::{datatypes::SchemaRef, record_batch::RecordBatch};
use axum::http::StatusCode;
use sql::KeptMemory;
use tables::{Encoder, Format};

use crate::refusal::Refusal;

/// Answers kept at a time, whatever their size.
const MOST: usize = 64;

/// The answers of all pages. Those that nobody has asked for the longest go first.
pub(super) struct Answers {
    kept: Mutex<Kept>,
    /// Bytes of all of them together.
    most_bytes: usize,
}

struct Kept {
    last: u64,
    /// The one asked for last is at the end.
    answers: VecDeque<Arc<Answer>>,
}

/// The rows of a statement.
pub(super) struct Answer {
    pub(super) number: u64,
    pub(super) schema: SchemaRef,
    pub(super) batches: Vec<RecordBatch>,
    /// Where each batch begins, and after them where the last one ends.
    starts: Vec<usize>,
    /// What is returned to the other statements when the answer goes.
    memory: KeptMemory,
}

impl Answers {
    /// `last` is the number before the first one. A server that starts anew has others, so a page
    /// that was left open never takes one answer for another.
    pub(super) fn new(last: u64, most_bytes: usize) -> Answers {
        Answers { kept: Mutex::new(Kept { last, answers: VecDeque::new() }), most_bytes }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps rows, and returns the number by which they are asked for.
    pub(super) fn keep(
        &self,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
        memory: KeptMemory,
    ) -> Arc<Answer> {
        let mut starts = vec![0];
        for batch in &batches {
            starts.push(starts[starts.len() - 1] + batch.num_rows());
        }
        let mut kept = self.kept();
        kept.last += 1;
        let answer = Arc::new(Answer { number: kept.last, schema, batches, starts, memory });
        kept.answers.push_back(answer.clone());
        let bytes = |kept: &Kept| kept.answers.iter().map(|answer| answer.memory.bytes()).sum();
        while kept.answers.len() > 1
            && (kept.answers.len() > MOST || self.most_bytes < bytes(&kept))
        {
            kept.answers.pop_front();
        }
        answer
    }

    /// An answer that is still kept.
    pub(super) fn find(&self, number: u64) -> Result<Arc<Answer>, Refusal> {
        let mut kept = self.kept();
        let at = kept.answers.iter().position(|answer| answer.number == number);
        let answer = at.and_then(|at| kept.answers.remove(at)).ok_or_else(|| {
            let message = "this answer is kept no longer: run the statement again";
            Refusal::new(StatusCode::GONE, message)
        })?;
        kept.answers.push_back(answer.clone());
        Ok(answer)
    }

    /// Lets go of the answer that nobody has asked for the longest; false if there is none.
    pub(super) fn drop_oldest(&self) -> bool {
        self.kept().answers.pop_front().is_some()
    }
}

impl Answer {
    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The batches of some rows. Nothing is copied.
    pub(super) fn slices(&self, from: usize, count: usize) -> Vec<RecordBatch> {
        let end = from.saturating_add(count).min(self.rows());
        let first = self.starts.partition_point(|&start| start <= from).saturating_sub(1);
        let mut slices = Vec::new();
        for (batch, &start) in self.batches.iter().zip(&self.starts).skip(first) {
            if start >= end {
                break;
            }
            let begin = from.saturating_sub(start).min(batch.num_rows());
            let stop = (end - start).min(batch.num_rows());
            if begin < stop {
                slices.push(batch.slice(begin, stop - begin));
            }
        }
        slices
    }

    /// Rows as CSV without a header.
    pub(super) fn window(&self, from: usize, count: usize) -> Result<Vec<u8>, Refusal> {
        let encoder = Encoder::new(Format::Csv, &self.schema).map_err(Refusal::bad)?;
        let chunk = encoder.encode(self.slices(from, count)).map_err(Refusal::bad)?;
        Ok(chunk.into_bytes().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use arrow::{
        array::Int64Array,
        datatypes::{DataType, Field, Schema},
    };
    use sql::SharedMemory;

    use super::*;

    fn answer(answers: &Answers, shared: &SharedMemory, lengths: &[i64]) -> Arc<Answer> {
        let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)]));
        let mut next = 0;
        let batches = lengths.iter().map(|&length| {
            let column = Int64Array::from_iter_values(next..next + length);
            next += length;
            RecordBatch::try_new(schema.clone(), vec![Arc::new(column)]).unwrap()
        });
        let batches: Vec<RecordBatch> = batches.collect();
        let memory = shared.keep("answer");
        assert!(memory.try_grow(100));
        answers.keep(schema, batches, memory)
    }

    #[test]
    fn any_window_holds_the_rows_that_a_walk_finds() {
        let (answers, shared) = (Answers::new(0, 1 << 20), SharedMemory::new(1 << 20));
        let answer = answer(&answers, &shared, &[3, 0, 1, 5, 2]);
        assert_eq!(answer.rows(), 11);
        for from in 0..14 {
            for count in [0, 1, 2, 5, 20, usize::MAX] {
                let walked: String =
                    (0..11).skip(from).take(count).map(|row| format!("{row}\n")).collect();
                let window = answer.window(from, count).unwrap();
                assert_eq!(String::from_utf8(window).unwrap(), walked, "{from} {count}");
            }
        }
    }

    #[test]
    fn the_answer_that_nobody_asks_for_goes_first() {
        let (answers, shared) = (Answers::new(0, 250), SharedMemory::new(1_000));
        let numbers = [0, 1].map(|_| answer(&answers, &shared, &[1]).number);
        assert!(answers.find(numbers[0]).is_ok());
        let last = answer(&answers, &shared, &[1]).number;
        assert!(answers.find(numbers[1]).is_err());
        assert!(answers.find(numbers[0]).is_ok() && answers.find(last).is_ok());
        assert_eq!(shared.used(), 200);
        assert!(answers.drop_oldest() && answers.drop_oldest() && !answers.drop_oldest());
        assert_eq!(shared.used(), 0);
    }
}
