//! `sum` and `avg` of floating-point numbers, the same for every number of threads: the exact sum,
//! rounded once. All other types are left to DataFusion, whose sums of them are exact.

use std::sync::Arc;

use arrow::{
    array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Float64Array, UInt64Array},
    datatypes::{DataType, Field, FieldRef, UInt64Type},
};
use datafusion::{
    common::ScalarValue,
    error::{DataFusionError, Result},
    execution::{FunctionRegistry, SessionState},
    functions_aggregate::{average::avg_udaf, sum::sum_udaf},
    logical_expr::{
        Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, EmitTo, GroupsAccumulator,
        ReversedUDAF, SetMonotonicity, Signature,
        function::{AccumulatorArgs, StateFieldsArgs},
        utils::{AggregateOrderSensitivity, format_state_name},
    },
};

use super::exact::Exact;

/// Puts them in the places of DataFusion's own.
pub(crate) fn register(state: &mut SessionState) -> Result<()> {
    for (others, gives) in [(sum_udaf(), Gives::Sum), (avg_udaf(), Gives::Average)] {
        state.register_udaf(Arc::new(AggregateUDF::from(Summing { others, gives })))?;
    }
    Ok(())
}

/// What is made of a sum and a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gives {
    Sum,
    Average,
}

/// A function that adds up.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Summing {
    /// Adds up what is no floating-point number.
    others: Arc<AggregateUDF>,
    gives: Gives,
}

fn is_ours(args: &AccumulatorArgs<'_>) -> bool {
    !args.is_distinct && args.expr_fields[0].data_type() == &DataType::Float64
}

impl AggregateUDFImpl for Summing {
    fn name(&self) -> &str {
        self.others.name()
    }

    fn aliases(&self) -> &[String] {
        self.others.aliases()
    }

    fn signature(&self) -> &Signature {
        self.others.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.others.return_type(types)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        match is_ours(&args) {
            true => Ok(Box::new(Sums::new(self.gives))),
            false => self.others.accumulator(args),
        }
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        match is_ours(&args) {
            true => Ok(Box::new(Sums::new(self.gives))),
            false => self.others.create_sliding_accumulator(args),
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        is_ours(&args) || self.others.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        match is_ours(&args) {
            true => Ok(Box::new(Sums::new(self.gives))),
            false => self.others.create_groups_accumulator(args),
        }
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        if args.is_distinct || args.input_fields[0].data_type() != &DataType::Float64 {
            return self.others.state_fields(args);
        }
        let field = |name: &str, kind: DataType| {
            Arc::new(Field::new(format_state_name(args.name, name), kind, true))
        };
        Ok(vec![field("sum", DataType::Binary), field("count", DataType::UInt64)])
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn set_monotonicity(&self, kind: &DataType) -> SetMonotonicity {
        self.others.inner().set_monotonicity(kind)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.others.documentation()
    }
}

/// The sums of groups, and of how many values they are.
#[derive(Debug)]
struct Sums {
    gives: Gives,
    sums: Vec<Exact>,
    counts: Vec<u64>,
    /// Bytes of memory of the digits of all sums.
    digits: usize,
}

impl Sums {
    fn new(gives: Gives) -> Sums {
        Sums { gives, sums: Vec::new(), counts: Vec::new(), digits: 0 }
    }

    fn resize(&mut self, groups: usize) {
        self.sums.resize_with(groups, Exact::default);
        self.counts.resize(groups, 0);
    }

    /// Changes the sum of a group, whose memory may grow.
    fn change(&mut self, group: usize, change: impl FnOnce(&mut Exact)) {
        let sum = &mut self.sums[group];
        let before = sum.size();
        change(sum);
        self.digits = self.digits + sum.size() - before;
    }

    fn add(&mut self, group: usize, value: f64) {
        self.change(group, |sum| sum.add(value));
        self.counts[group] += 1;
    }

    /// Adds the values that a filter lets through, each to its group.
    fn add_rows(&mut self, values: &[ArrayRef], groups: &[usize], filter: Option<&BooleanArray>) {
        let is_kept = |row| filter.is_none_or(|keep| keep.is_valid(row) && keep.value(row));
        let values = floats(values);
        for row in (0..values.len()).filter(|&row| values.is_valid(row) && is_kept(row)) {
            self.add(groups[row], values.value(row));
        }
    }

    /// Adds a sum that another has begun.
    fn add_begun(
        &mut self,
        group: usize,
        [sums, counts]: [&ArrayRef; 2],
        row: usize,
    ) -> Result<()> {
        let sum = Exact::from_bytes(sums.as_binary::<i32>().value(row));
        let sum = sum.ok_or_else(|| DataFusionError::Internal("no sum has such a state".into()))?;
        self.change(group, |total| total.add_sum(&sum));
        self.counts[group] += counts.as_primitive::<UInt64Type>().value(row);
        Ok(())
    }

    fn taken(&mut self, emit: EmitTo) -> (Vec<Exact>, Vec<u64>) {
        let (sums, counts) = (emit.take_needed(&mut self.sums), emit.take_needed(&mut self.counts));
        self.digits -= sums.iter().map(Exact::size).sum::<usize>();
        (sums, counts)
    }

    fn values(&self, sums: &[Exact], counts: &[u64]) -> Float64Array {
        let value = |(sum, &count): (&Exact, &u64)| match self.gives {
            _ if count == 0 => None,
            Gives::Sum => Some(sum.value()),
            Gives::Average => Some(sum.value() / count as f64),
        };
        sums.iter().zip(counts).map(value).collect()
    }

    fn begun(sums: &[Exact], counts: Vec<u64>) -> Vec<ArrayRef> {
        let sums = BinaryArray::from_iter_values(sums.iter().map(Exact::to_bytes));
        vec![Arc::new(sums), Arc::new(UInt64Array::from(counts))]
    }

    fn bytes(&self) -> usize {
        let (sums, counts) = (self.sums.capacity(), self.counts.capacity());
        size_of_val(self) + sums * size_of::<Exact>() + counts * size_of::<u64>() + self.digits
    }
}

fn floats(values: &[ArrayRef]) -> &Float64Array {
    values[0].as_primitive()
}

impl GroupsAccumulator for Sums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.resize(count);
        self.add_rows(values, groups, filter);
        Ok(())
    }

    fn merge_batch(&mut self, begun: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.resize(count);
        let mut rows = groups.iter().enumerate();
        rows.try_for_each(|(row, &group)| self.add_begun(group, [&begun[0], &begun[1]], row))
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let (sums, counts) = self.taken(emit);
        Ok(Arc::new(self.values(&sums, &counts)))
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let (sums, counts) = self.taken(emit);
        Ok(Sums::begun(&sums, counts))
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = values[0].len();
        let mut each = Sums::new(self.gives);
        each.resize(rows);
        each.add_rows(values, &(0..rows).collect::<Vec<_>>(), filter);
        Ok(Sums::begun(&each.sums, each.counts))
    }

    fn size(&self) -> usize {
        self.bytes()
    }
}

/// All rows are one group.
impl Accumulator for Sums {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.resize(1);
        floats(values).iter().flatten().for_each(|value| self.add(0, value));
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.resize(1);
        for value in floats(values).iter().flatten() {
            self.change(0, |sum| sum.subtract(value));
            self.counts[0] -= 1;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, begun: &[ArrayRef]) -> Result<()> {
        self.resize(1);
        (0..begun[0].len()).try_for_each(|row| self.add_begun(0, [&begun[0], &begun[1]], row))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.resize(1);
        let sum = ScalarValue::Binary(Some(self.sums[0].to_bytes()));
        Ok(vec![sum, ScalarValue::UInt64(Some(self.counts[0]))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.resize(1);
        ScalarValue::try_from_array(&self.values(&self.sums, &self.counts), 0)
    }

    fn size(&self) -> usize {
        self.bytes()
    }
}
