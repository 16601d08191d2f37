//! Functions for statements, each with its documentation, in one list.

mod bits;
mod boards;
pub(crate) mod bounded;
mod chess;
mod exact;
mod facts;
mod games;
pub(crate) mod inputs;
pub(crate) mod kalah;
pub(crate) mod relations;
mod rows;
pub(crate) mod sums;
pub(crate) mod timelines;

use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
    sync::Arc,
};

use arrow::{
    array::{Array, ArrayRef, AsArray, StringArray},
    datatypes::{DataType, Field, FieldRef},
};
use datafusion::{
    error::{DataFusionError, Result},
    logical_expr::{
        ColumnarValue, DocSection, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
        ScalarUDFImpl, Signature, Volatility,
    },
    scalar::ScalarValue,
};

/// Every function that gives a value for each row.
pub(crate) fn scalars() -> impl Iterator<Item = &'static Scalar> {
    let lists = [
        chess::FUNCTIONS,
        games::FUNCTIONS,
        boards::FUNCTIONS,
        facts::FUNCTIONS,
        bits::FUNCTIONS,
        rows::FUNCTIONS,
    ];
    lists.into_iter().flatten()
}

/// A function that gives a value for each row, and nothing where an argument is missing.
pub(crate) struct Scalar {
    pub(crate) name: &'static str,
    pub(crate) takes: &'static [Parameter],
    pub(crate) gives: Gives,
    pub(crate) says: &'static str,
    /// A call whose answer is worth seeing.
    pub(crate) example: &'static str,
    work: fn(&Call<'_>) -> Result<ArrayRef, FunctionError>,
}

/// What a function takes in one place.
pub(crate) struct Parameter {
    name: &'static str,
    takes: Takes,
    is_optional: bool,
}

/// An argument that must be given.
const fn takes(name: &'static str, takes: Takes) -> Parameter {
    Parameter { name, takes, is_optional: false }
}

/// An argument that may be left out, if those after it are left out too.
const fn may_take(name: &'static str, takes: Takes) -> Parameter {
    Parameter { name, takes, is_optional: true }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Text,
    /// Words: text in which they are separated by spaces, or a list of text.
    Words,
    Flag,
    /// A whole number from 1 to 255.
    Small,
    /// A set of squares: a whole number of 64 bits, signed or not, or 16 hexadecimal digits.
    Mask,
}

/// What a function gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    Text,
    Flag,
    Count,
    /// 64 bits, shown as hexadecimal digits.
    Hash,
    Mask,
    Names,
    /// A struct that depends on the arguments.
    Facts,
    /// A position as a struct.
    Row,
}

impl Gives {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Gives::Text => "text",
            Gives::Flag => "boolean",
            Gives::Count => "bigint",
            Gives::Hash => "hash",
            Gives::Mask => "mask",
            Gives::Names => "list of text",
            Gives::Facts => "struct of facts",
            Gives::Row => "struct of masks",
        }
    }

    fn field(self, name: &str, arguments: &[Option<&ScalarValue>]) -> Result<Field, FunctionError> {
        Ok(match self {
            Gives::Text => tables::text(name).into(),
            Gives::Flag => tables::flag(name).into(),
            Gives::Count => tables::number(name).into(),
            Gives::Hash => tables::hash(name).into(),
            Gives::Mask => tables::mask(name).into(),
            Gives::Names => Field::new(name, DataType::new_list(DataType::Utf8, true), true),
            Gives::Facts => facts::field(name, arguments)?,
            Gives::Row => rows::field(name),
        })
    }
}

/// Why a function has no value for a row.
#[derive(Debug, thiserror::Error)]
enum FunctionError {
    #[error("{function}: FEN '{fen}': {cause}")]
    Fen { function: &'static str, fen: String, cause: ::chess::FenError },
    #[error("{function}: {cause}, in '{fen}'")]
    Move { function: &'static str, cause: String, fen: String },
    #[error("{function}: '{found}' is not a {expected}")]
    Value { function: &'static str, found: String, expected: &'static str },
    #[error("{function}: pattern '{pattern}': {cause}")]
    Pattern { function: &'static str, pattern: String, cause: String },
    #[error("{function}: {cause}")]
    Facts { function: &'static str, cause: String },
}

impl From<FunctionError> for DataFusionError {
    fn from(error: FunctionError) -> DataFusionError {
        DataFusionError::External(Box::new(error))
    }
}

/// The arguments of a call, as columns of equal length.
struct Call<'a> {
    function: &'static str,
    columns: &'a [ArrayRef],
    rows: usize,
    gives: &'a FieldRef,
}

impl Call<'_> {
    /// An argument of text.
    fn text(&self, index: usize) -> &StringArray {
        self.columns[index].as_string()
    }

    /// An argument of words, as one text.
    fn words(&self, index: usize, row: usize) -> Cow<'_, str> {
        match self.columns[index].data_type() {
            DataType::List(_) => {
                let words = self.columns[index].as_list::<i32>().value(row);
                let words: Vec<&str> = words.as_string::<i32>().iter().flatten().collect();
                words.join(" ").into()
            }
            _ => self.text(index).value(row).into(),
        }
    }

    /// An argument that may be left out.
    fn flag(&self, index: usize, row: usize) -> bool {
        self.columns.get(index).is_some_and(|column| column.as_boolean().value(row))
    }

    /// Whether any argument is missing in a row.
    fn is_null(&self, row: usize) -> bool {
        self.columns.iter().any(|column| column.is_null(row))
    }

    /// A column of what a function says of each row.
    fn each<T, C: FromIterator<Option<T>>>(
        &self,
        mut value: impl FnMut(usize) -> Result<T, FunctionError>,
    ) -> Result<C, FunctionError> {
        let rows = 0..self.rows;
        rows.map(|row| if self.is_null(row) { Ok(None) } else { value(row).map(Some) }).collect()
    }
}

impl Scalar {
    /// How it is called: optional arguments in brackets.
    pub(crate) fn syntax(&self) -> String {
        let mut text = format!("{}(", self.name);
        for (index, parameter) in self.takes.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let name = parameter.name;
            text += &if parameter.is_optional {
                format!("[{comma}{name}]")
            } else {
                format!("{comma}{name}")
            };
        }
        text + ")"
    }

    /// The function as DataFusion wants it.
    pub(crate) fn udf(&'static self) -> ScalarUDF {
        let documentation = Documentation::builder(
            DocSection { include: true, label: "everyply", description: None },
            self.says,
            self.syntax(),
        );
        ScalarUDF::new_from_impl(Udf {
            function: self,
            signature: Signature::user_defined(match self.name {
                rows::KEPT => Volatility::Volatile,
                _ => Volatility::Immutable,
            }),
            documentation: documentation.with_sql_example(self.example).build(),
        })
    }
}

struct Udf {
    function: &'static Scalar,
    signature: Signature,
    documentation: Documentation,
}

impl std::fmt::Debug for Udf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.function.name)
    }
}

impl PartialEq for Udf {
    fn eq(&self, other: &Udf) -> bool {
        self.function.name == other.function.name
    }
}

impl Eq for Udf {}

impl Hash for Udf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.name.hash(state);
    }
}

impl ScalarUDFImpl for Udf {
    fn name(&self) -> &str {
        self.function.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        let field = self.function.gives.field(self.function.name, &[])?;
        Ok(field.data_type().clone())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::new(self.function.gives.field(self.function.name, args.scalar_arguments)?))
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let takes = self.function.takes;
        let wanted = takes.iter().filter(|parameter| !parameter.is_optional).count();
        if !(wanted..=takes.len()).contains(&given.len()) {
            let (syntax, given) = (self.function.syntax(), given.len());
            return Err(DataFusionError::Plan(format!(
                "{syntax} was called with {given} arguments"
            )));
        }
        let columns = takes.iter().zip(given);
        columns.map(|(parameter, given)| coerced(self.function, parameter, given)).collect()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if scalar { 1 } else { args.number_rows };
        let columns = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let call = Call {
            function: self.function.name,
            columns: &columns,
            rows,
            gives: &args.return_field,
        };
        let column = (self.function.work)(&call)?;
        if scalar {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&column, 0)?));
        }
        Ok(ColumnarValue::Array(column))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

/// The type that an argument is turned into before the call.
fn coerced(function: &Scalar, parameter: &Parameter, given: &DataType) -> Result<DataType> {
    let is_text = |given: &DataType| {
        matches!(given, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    };
    Ok(match (parameter.takes, given) {
        (_, DataType::Null) => DataType::Utf8,
        (Takes::Text | Takes::Words | Takes::Mask, given) if is_text(given) => DataType::Utf8,
        (Takes::Text | Takes::Words | Takes::Mask, DataType::Dictionary(_, values))
            if is_text(values) =>
        {
            DataType::Utf8
        }
        (Takes::Words, DataType::List(item) | DataType::LargeList(item))
            if is_text(item.data_type()) || item.data_type().is_null() =>
        {
            DataType::new_list(DataType::Utf8, true)
        }
        (Takes::Flag, DataType::Boolean) => DataType::Boolean,
        (Takes::Small, given) if given.is_integer() => DataType::Int64,
        (Takes::Mask, given) if given.is_unsigned_integer() => DataType::UInt64,
        (Takes::Mask, given) if given.is_signed_integer() => DataType::Int64,
        (takes, given) => {
            let wants = match takes {
                Takes::Text => "text",
                Takes::Words => "text or a list of text",
                Takes::Flag => "true or false",
                Takes::Small => "an integer",
                Takes::Mask => "an integer or 16 hexadecimal digits",
            };
            let (syntax, name) = (function.syntax(), parameter.name);
            return Err(DataFusionError::Plan(format!(
                "{syntax}: {name} is {given}, expected {wants}"
            )));
        }
    })
}
