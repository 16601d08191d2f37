//! Functions of DataFusion that make much out of little, with a bound on what they make in one
//! call. No operator counts what a function returns, so it has to be known before the call.

mod sizes;
#[cfg(test)]
mod tests;
mod texts;

use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
    sync::Arc,
};

use arrow::{
    array::{Array, ArrayRef},
    compute::concat,
    datatypes::{DataType, FieldRef},
};
use datafusion::{
    common::{
        DFSchema,
        tree_node::{Transformed, TreeNode},
    },
    config::ConfigOptions,
    error::Result,
    execution::FunctionRegistry,
    logical_expr::{
        BinaryExpr, ColumnarValue, Documentation, Expr, ExpressionPlacement, Operator,
        ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
        expr::ScalarFunction,
        expr_rewriter::FunctionRewrite,
        interval_arithmetic::Interval,
        preimage::PreimageResult,
        simplify::{ExprSimplifyResult, SimplifyContext},
        sort_properties::{ExprProperties, SortProperties},
    },
    scalar::ScalarValue,
};

use self::{
    sizes::{Call, Estimate, JOIN, MAKERS, Maker, weight},
    texts::JoinedTexts,
};
use crate::{error::OverMemory, guard::Refusal};

/// Functions whose second argument is a type, written as a text.
const CASTS: [&str; 2] = ["arrow_cast", "arrow_try_cast"];

/// Types within types that a text may name. The parser of such texts is recursive.
const DEPTH: usize = 32;

/// The values of a type of fixed size. A NULL of it takes as much memory as any other value.
const WIDTH: u64 = 4096;

/// Part of the memory limit that one call may make: there is a call for each thread, and most of
/// what is made is copied once.
const SHARE: usize = 4;

/// Puts bounds on the functions of a session that need them.
pub(crate) fn register(session: &mut dyn FunctionRegistry, memory_limit: usize) -> Result<()> {
    session.register_udf(ScalarUDF::new_from_impl(JoinedTexts::new()).into())?;
    let mut functions = HashMap::new();
    let names = MAKERS.iter().map(|maker| maker.name).chain(CASTS);
    for name in names {
        if let Ok(inner) = session.udf(name) {
            let bounded = Bounded { inner: inner.as_ref().clone(), memory_limit };
            let bounded = Arc::new(ScalarUDF::new_from_impl(bounded));
            session.register_udf(bounded.clone())?;
            functions.insert(name, bounded);
        }
    }
    session.register_function_rewrite(Arc::new(Bounding { functions }))
}

/// Puts functions with bounds in the place of those that syntax stands for, such as `[a, b]` and
/// `a || b`: DataFusion does not ask the session for these.
#[derive(Debug)]
struct Bounding {
    functions: HashMap<&'static str, Arc<ScalarUDF>>,
}

impl FunctionRewrite for Bounding {
    fn name(&self) -> &str {
        "bounds"
    }

    fn rewrite(&self, expr: Expr, _: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let (name, args) = match expr {
            Expr::ScalarFunction(ScalarFunction { func, args })
                if is_unbounded(&func) && self.functions.contains_key(func.name()) =>
            {
                (func.name().to_owned(), args)
            }
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right }) => {
                (JOIN.to_owned(), vec![*left, *right])
            }
            Expr::Cast(ref cast) => {
                check_width(cast.field.data_type())?;
                return Ok(Transformed::no(expr));
            }
            Expr::TryCast(ref cast) => {
                check_width(cast.field.data_type())?;
                return Ok(Transformed::no(expr));
            }
            other => return Ok(Transformed::no(other)),
        };
        let func = self.functions[name.as_str()].clone();
        Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args })))
    }
}

/// Whether a function is to have a bound and has none.
fn is_unbounded(function: &ScalarUDF) -> bool {
    let is_maker = || MAKERS.iter().any(|maker| maker.name == function.name());
    function.inner().downcast_ref::<Bounded>().is_none() && is_maker()
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
    /// What one call may make.
    fn most(&self) -> u128 {
        (self.memory_limit / SHARE) as u128
    }

    fn refused(&self, bytes: u128) -> OverMemory {
        let part = format!("{} of {bytes} bytes in one call", self.inner.name());
        OverMemory { limit: self.memory_limit, part }
    }

    /// Calls the function within its bound. If only an estimate is beyond it, the rows are divided
    /// until each part is known to fit, and what is made is counted.
    fn invoke(&self, maker: &Maker, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (bytes, rows) = estimate(maker, &args)?;
        if bytes <= self.most() {
            return self.inner.invoke_with_args(args);
        }
        if maker.estimate == Estimate::Close || rows <= 1 {
            return Err(self.refused(bytes).into());
        }
        let mut parts = Vec::new();
        let mut made = 0;
        // The next rows are the last.
        let mut rest = vec![(0, rows)];
        while let Some((first, count)) = rest.pop() {
            let part = slice(&args, first, count);
            let (bytes, _) = estimate(maker, &part)?;
            if bytes <= self.most() {
                let part = self.inner.invoke_with_args(part)?.into_array(count)?;
                made += weight(&part);
                parts.push(part);
            } else if count == 1 {
                return Err(self.refused(bytes).into());
            } else {
                rest.push((first + count / 2, count - count / 2));
                rest.push((first, count / 2));
            }
            if made > self.most() {
                return Err(self.refused(made).into());
            }
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        Ok(ColumnarValue::Array(concat(&parts)?))
    }
}

/// How many bytes a call makes at most, and of how many rows.
fn estimate(maker: &Maker, args: &ScalarFunctionArgs) -> Result<(u128, usize)> {
    let is_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
    let rows = if is_scalar { 1 } else { args.number_rows };
    let columns = args.args.iter().map(column).collect::<Result<Vec<_>>>()?;
    Ok(((maker.bytes)(&Call { columns: &columns, rows }), rows))
}

/// Some rows of a call.
fn slice(args: &ScalarFunctionArgs, first: usize, count: usize) -> ScalarFunctionArgs {
    let part = |arg: &ColumnarValue| match arg {
        ColumnarValue::Array(array) => ColumnarValue::Array(array.slice(first, count)),
        ColumnarValue::Scalar(scalar) => ColumnarValue::Scalar(scalar.clone()),
    };
    let parts = args.args.iter().map(part).collect();
    ScalarFunctionArgs { args: parts, number_rows: count, ..args.clone() }
}

/// An argument: a column, or one value for all rows.
fn column(arg: &ColumnarValue) -> Result<ArrayRef> {
    match arg {
        ColumnarValue::Array(array) => Ok(array.clone()),
        ColumnarValue::Scalar(scalar) => scalar.to_array_of_size(1),
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

/// Refuses a type whose every value takes much memory.
fn check_width(kind: &DataType) -> Result<()> {
    if width(kind) <= WIDTH {
        return Ok(());
    }
    let what = format!("a type of more than {WIDTH} values or bytes in each row");
    Err(Refusal(format!("{what} is refused: use a list without a size")).into())
}

/// The values of a type, of fixed size within fixed size.
fn width(kind: &DataType) -> u64 {
    match kind {
        DataType::FixedSizeBinary(bytes) => u64::from(bytes.unsigned_abs()),
        DataType::FixedSizeList(inner, count) => {
            u64::from(count.unsigned_abs()).saturating_mul(width(inner.data_type()))
        }
        DataType::List(inner) | DataType::LargeList(inner) | DataType::Map(inner, _) => {
            width(inner.data_type())
        }
        DataType::Struct(fields) => {
            let widths = fields.iter().map(|field| width(field.data_type())).filter(|&it| it > 1);
            widths.fold(1, u64::saturating_add)
        }
        _ => 1,
    }
}

impl ScalarUDFImpl for Bounded {
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match MAKERS.iter().find(|maker| maker.name == self.inner.name()) {
            Some(maker) => self.invoke(maker, args),
            None => self.inner.invoke_with_args(args),
        }
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if CASTS.contains(&self.inner.name()) {
            check_type(self.inner.name(), args.scalar_arguments)?;
        }
        let field = self.inner.inner().return_field_from_args(args)?;
        if CASTS.contains(&self.inner.name()) {
            check_width(field.data_type())?;
        }
        Ok(field)
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let inner = self.inner.inner().with_updated_config(config)?;
        Some(ScalarUDF::new_from_impl(Bounded { inner, memory_limit: self.memory_limit }))
    }

    /// What a function is simplified to may be the same function, or another one that needs a
    /// bound, and then it is one of DataFusion's.
    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let expr = match self.inner.inner().simplify(args, info)? {
            ExprSimplifyResult::Simplified(expr) => expr,
            original @ ExprSimplifyResult::Original(_) => return Ok(original),
        };
        let bounded = expr.transform_up(|expr| match expr {
            Expr::ScalarFunction(ScalarFunction { func, args }) if is_unbounded(&func) => {
                let inner = func.as_ref().clone();
                let bounded = Bounded { inner, memory_limit: self.memory_limit };
                let func = Arc::new(ScalarUDF::new_from_impl(bounded));
                Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args })))
            }
            other => Ok(Transformed::no(other)),
        })?;
        Ok(ExprSimplifyResult::Simplified(bounded.data))
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
