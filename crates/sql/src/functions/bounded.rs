//! Functions of DataFusion that make much out of little, with a bound on what they make in one
//! call. No operator counts what a function returns, so it has to be known before the call.

use std::hash::{Hash, Hasher};

use arrow::{
    array::{Array, ArrayRef, AsArray, Int64Array, new_null_array},
    compute::cast,
    datatypes::{DataType, FieldRef, Int64Type, IntervalMonthDayNanoType},
};
use datafusion::{
    config::ConfigOptions,
    error::Result,
    execution::FunctionRegistry,
    logical_expr::{
        ColumnarValue, Documentation, Expr, ExpressionPlacement, ReturnFieldArgs,
        ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
        interval_arithmetic::Interval,
        preimage::PreimageResult,
        simplify::{ExprSimplifyResult, SimplifyContext},
        sort_properties::{ExprProperties, SortProperties},
    },
    scalar::ScalarValue,
};

use crate::{error::OverMemory, guard::Refusal};

/// A function, and how many bytes a row of it has at most.
type Maker = (&'static str, fn(&Row<'_>) -> Option<u128>);

const MAKERS: &[Maker] = &[
    ("repeat", |row| Some(row.bytes(0)? * row.count(1)?)),
    ("lpad", |row| Some(row.count(1)? * row.widest(2))),
    ("rpad", |row| Some(row.count(1)? * row.widest(2))),
    // Between any two bytes of the text there may be one that is replaced.
    ("replace", |row| {
        let (text, from, to) = (row.bytes(0)?, row.bytes(1)?, row.bytes(2)?);
        Some(text + (text + 1) / from.max(1) * to)
    }),
    ("array_repeat", |row| Some((row.bytes(0)? + WORD) * row.count(1)?)),
    ("array_resize", |row| Some((row.bytes(2).unwrap_or(0) + WORD) * row.count(1)?)),
    ("array_to_string", |row| Some((row.bytes(1)? + 2 * WORD) * row.elements(0)? + row.bytes(0)?)),
    ("generate_series", |row| Some(row.steps()? * WORD)),
    ("range", |row| Some(row.steps()? * WORD)),
];

/// Functions whose second argument is a type, written as a text.
const CASTS: [&str; 2] = ["arrow_cast", "arrow_try_cast"];

/// Types within types that a text may name. The parser of such texts is recursive.
const DEPTH: usize = 32;

/// Bytes of a number.
const WORD: u128 = 8;

/// Part of the memory limit that one call may make: there is a call for each thread, and most of
/// what is made is copied once.
const SHARE: usize = 4;

/// Puts bounds on the functions of a session that need them.
pub(crate) fn register(session: &mut dyn FunctionRegistry, memory_limit: usize) -> Result<()> {
    let names = MAKERS.iter().map(|(name, _)| *name).chain(CASTS);
    for name in names {
        if let Ok(inner) = session.udf(name) {
            let bounded = Bounded { inner: inner.as_ref().clone(), memory_limit };
            session.register_udf(ScalarUDF::new_from_impl(bounded).into())?;
        }
    }
    Ok(())
}

/// A function of DataFusion with a bound.
#[derive(Debug)]
struct Bounded {
    inner: ScalarUDF,
    memory_limit: usize,
}

impl PartialEq for Bounded {
    fn eq(&self, other: &Bounded) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Bounded {}

impl Hash for Bounded {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl Bounded {
    fn check(&self, args: &ScalarFunctionArgs) -> Result<()> {
        let Some((_, bytes)) = MAKERS.iter().find(|(name, _)| *name == self.inner.name()) else {
            return Ok(());
        };
        let is_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if is_scalar { 1 } else { args.number_rows };
        let columns = args.args.iter().map(column).collect::<Result<Vec<_>>>()?;
        let mut sum = 0u128;
        for number in 0..rows {
            sum = sum.saturating_add(bytes(&Row { columns: &columns, number }).unwrap_or(0));
        }
        if sum <= (self.memory_limit / SHARE) as u128 {
            return Ok(());
        }
        let part = format!("{} of {sum} bytes in one call", self.inner.name());
        Err(OverMemory { limit: self.memory_limit, part }.into())
    }
}

/// An argument: a column, or one value for all rows.
fn column(arg: &ColumnarValue) -> Result<ArrayRef> {
    match arg {
        ColumnarValue::Array(array) => Ok(array.clone()),
        ColumnarValue::Scalar(scalar) => scalar.to_array_of_size(1),
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
        Some(match column.data_type() {
            DataType::Utf8 => column.as_string::<i32>().value(row).len() as u128,
            DataType::LargeUtf8 => column.as_string::<i64>().value(row).len() as u128,
            DataType::Utf8View => column.as_string_view().value(row).len() as u128,
            kind if kind.is_primitive() => WORD,
            _ => column.slice(row, 1).to_data().get_slice_memory_size().unwrap_or(0) as u128,
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
        let list = column.slice(row, 1);
        Some(match list.data_type() {
            DataType::List(_) => list.as_list::<i32>().value(0).len(),
            DataType::LargeList(_) => list.as_list::<i64>().value(0).len(),
            DataType::FixedSizeList(..) => list.as_fixed_size_list().value(0).len(),
            _ => return None,
        } as u128)
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
                arrow::datatypes::TimeUnit::Second => 1_000_000_000,
                arrow::datatypes::TimeUnit::Millisecond => 1_000_000,
                arrow::datatypes::TimeUnit::Microsecond => 1_000,
                arrow::datatypes::TimeUnit::Nanosecond => 1,
            },
            _ => 1,
        };
        Some((nanoseconds / unit).unsigned_abs())
    }
}

/// Refuses a type that is nested too deeply to be read.
fn check_type(name: &str, arguments: &[Option<&ScalarValue>]) -> Result<()> {
    let text = arguments.get(1).copied().flatten().and_then(|value| value.try_as_str().flatten());
    let mut depth = 0usize;
    for byte in text.unwrap_or_default().bytes() {
        match byte {
            b'(' | b'<' => depth += 1,
            b')' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            let what = format!("{name}: the type is nested more than {DEPTH} deep");
            return Err(Refusal(what).into());
        }
    }
    Ok(())
}

impl ScalarUDFImpl for Bounded {
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.check(&args)?;
        self.inner.invoke_with_args(args)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if CASTS.contains(&self.inner.name()) {
            check_type(self.inner.name(), args.scalar_arguments)?;
        }
        self.inner.inner().return_field_from_args(args)
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let inner = self.inner.inner().with_updated_config(config)?;
        Some(ScalarUDF::new_from_impl(Bounded { inner, memory_limit: self.memory_limit }))
    }

    // The rest is as it was.

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.inner().schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.inner().return_type(types)
    }

    fn is_strict(&self) -> bool {
        self.inner.inner().is_strict()
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner.inner().simplify(args, info)
    }

    fn preimage(
        &self,
        args: &[Expr],
        literal: &Expr,
        info: &SimplifyContext,
    ) -> Result<PreimageResult> {
        self.inner.inner().preimage(args, literal, info)
    }

    fn short_circuits(&self) -> bool {
        self.inner.inner().short_circuits()
    }

    fn evaluate_bounds(&self, input: &[&Interval]) -> Result<Interval> {
        self.inner.inner().evaluate_bounds(input)
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        self.inner.inner().output_ordering(inputs)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.inner().coerce_types(types)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.inner().documentation()
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.inner.inner().placement(args)
    }
}
