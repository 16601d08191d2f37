//! The operator `||` of texts as a function, so that there can be a bound on it.

use arrow::{
    compute::kernels::concat_elements::concat_elements_dyn,
    datatypes::{DataType, Field, FieldRef},
};
use datafusion::{
    error::{DataFusionError, Result},
    logical_expr::{
        ColumnarValue, Expr, Operator, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl,
        Signature, Volatility, binary::BinaryTypeCoercer,
    },
    scalar::ScalarValue,
};

use super::sizes::JOIN;

/// Two texts, one behind the other; NULL if one of them is.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct JoinedTexts {
    signature: Signature,
}

impl JoinedTexts {
    pub(super) fn new() -> JoinedTexts {
        JoinedTexts { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

fn pair<T>(args: &[T]) -> Result<[&T; 2]> {
    let wrong = || DataFusionError::Internal(format!("{JOIN} has {} arguments", args.len()));
    args.iter().collect::<Vec<_>>().try_into().map_err(|_| wrong())
}

impl ScalarUDFImpl for JoinedTexts {
    fn name(&self) -> &str {
        JOIN
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [left, right] = pair(types)?;
        let (left, right) =
            BinaryTypeCoercer::new(left, &Operator::StringConcat, right).get_input_types()?;
        Ok(vec![left, right])
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let [left, right] = pair(types)?;
        BinaryTypeCoercer::new(left, &Operator::StringConcat, right).get_result_type()
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = args.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        let nullable = args.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Field::new(JOIN, self.return_type(&types)?, nullable).into())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = pair(&args.args)?;
        let is_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if is_scalar { 1 } else { args.number_rows };
        let (left, right) = (left.to_array(rows)?, right.to_array(rows)?);
        let joined = concat_elements_dyn(&left, &right)?;
        match is_scalar {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&joined, 0)?)),
            false => Ok(ColumnarValue::Array(joined)),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    /// The name of a column, as that of the operator.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        let [left, right] = pair(args)?;
        Ok(format!("{} {JOIN} {}", left.schema_name(), right.schema_name()))
    }
}
