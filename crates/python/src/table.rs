//! Tables for Python: Arrow record batches, handed over without copying.

use std::sync::Arc;

use arrow::{
    array::{Array, ArrayRef, AsArray, StructArray},
    datatypes::{DataType, Field, FieldRef, Schema, SchemaRef},
    error::ArrowError,
    record_batch::{RecordBatch, RecordBatchOptions},
    util::display::{ArrayFormatter, FormatOptions},
};
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError},
    prelude::*,
    types::{PyCapsule, PyDict, PyString},
};
use pyo3_arrow::{
    error::PyArrowResult,
    ffi::{ArrayIterator, ArrayReader, to_schema_pycapsule, to_stream_pycapsule},
    input::AnyArray,
};
use tables::{Batches, Cell, Format, Shape, TableError, Writer};

use crate::{error::refuse, reader::Reader};

/// A table of Arrow data.
///
/// pyarrow, polars, pandas, DuckDB and others accept it where they accept Arrow data, through
/// the Arrow PyCapsule interface and without copying.
///
/// >>> import everyply, pyarrow
/// >>> table = everyply.chess.facts(["4k3/8/8/8/8/8/8/4K2R w K - 0 1"], "material")
/// >>> len(table), table.column_names[-2:]
/// (1, ['white_material', 'black_material'])
/// >>> pyarrow.table(table)["white_material"].to_pylist()
/// [5]
#[pyclass(frozen, module = "everyply")]
pub(crate) struct Table {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

/// Arrow data from Python: a column in pieces, or a table as a column of structs.
pub(crate) struct Arrow {
    pub(crate) chunks: Vec<ArrayRef>,
    pub(crate) field: FieldRef,
}

impl Arrow {
    /// Takes hold of an argument, if it is Arrow data.
    pub(crate) fn new(argument: &Bound<'_, PyAny>) -> PyResult<Option<Arrow>> {
        // Our own errors and Ctrl-C would not survive the way through another interface.
        if let Ok(reader) = argument.cast::<Reader>() {
            let Table { schema, batches } = reader.get().read_all(argument.py())?;
            let chunks = batches.into_iter().map(array).collect();
            return Ok(Some(Arrow { chunks, field: rows_of(&schema) }));
        }
        let has = |method| argument.hasattr(PyString::intern(argument.py(), method));
        if !has("__arrow_c_array__")? && !has("__arrow_c_stream__")? {
            return Ok(None);
        }
        let (chunks, field) = argument.extract::<AnyArray>()?.into_chunked_array()?.into_inner();
        Ok(Some(Arrow { chunks, field }))
    }

    pub(crate) fn is_table(&self) -> bool {
        matches!(self.field.data_type(), DataType::Struct(_))
    }

    /// The rows, where they stay, if it is a table; the name is that of the argument.
    pub(crate) fn into_table(self, name: &str) -> PyResult<Table> {
        let DataType::Struct(columns) = self.field.data_type() else {
            let found = self.field.data_type();
            let words = format!("{name}: an Arrow array of {found}, expected a table");
            return Err(PyTypeError::new_err(words));
        };
        let notes = self.field.metadata().clone();
        let schema = Arc::new(Schema::new_with_metadata(columns.clone(), notes));
        let batches = self.chunks.iter().map(|chunk| {
            let rows = chunk.as_struct();
            if rows.null_count() > 0 {
                return Err(refuse(format!("{name}: an array with nulls, expected a table")));
            }
            let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
            let columns = rows.columns().to_vec();
            RecordBatch::try_new_with_options(schema.clone(), columns, &options)
                .map_err(|error| refuse(format!("{name}: {error}")))
        });
        let batches = batches.collect::<PyResult<_>>()?;
        Ok(Table { schema, batches })
    }
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }

    /// Rows of a table that the command prints too.
    pub(crate) fn of_rows<'a, R: AsRef<[Cell<'a>]>>(
        table: &tables::Table,
        rows: impl IntoIterator<Item = R>,
    ) -> Table {
        Table::new(table.schema(), Batches::collect(table, rows))
    }

    /// The rows of an argument that is a table of any Arrow library, or of ours.
    pub(crate) fn of(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Table> {
        let arrow = Arrow::new(argument)?.ok_or_else(|| {
            let found = argument.get_type();
            PyTypeError::new_err(format!("{name}: {found}, expected an Arrow table"))
        })?;
        arrow.into_table(name)
    }

    fn shown(&self) -> Result<String, TableError> {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, Format::Table, &self.schema, Shape::Many)?;
        let mut left = ROWS_SHOWN;
        for batch in &self.batches {
            let rows = batch.num_rows().min(left);
            writer.write(&batch.slice(0, rows))?;
            left -= rows;
        }
        writer.finish()?;
        let (all, columns) = (self.num_rows(), self.num_columns());
        let name = tables::name_of(&self.schema).unwrap_or("table");
        let rows = String::from_utf8_lossy(&out);
        Ok(format!("{name}: {all} rows, {columns} columns\n{rows}").trim_end().to_owned())
    }

    fn html(&self) -> Result<String, ArrowError> {
        let options = FormatOptions::default();
        let name = escaped(tables::name_of(&self.schema).unwrap_or("table"));
        let (all, columns) = (self.num_rows(), self.num_columns());
        let mut html =
            format!("<table><caption>{name}: {all} rows, {columns} columns</caption><thead><tr>");
        for column in self.column_names() {
            html += &format!("<th>{}</th>", escaped(column));
        }
        html += "</tr></thead><tbody>";
        let mut left = ROWS_IN_HTML;
        for batch in &self.batches {
            let cells: Vec<ArrayFormatter<'_>> = batch
                .columns()
                .iter()
                .map(|column| ArrayFormatter::try_new(column, &options))
                .collect::<Result<_, _>>()?;
            for row in 0..batch.num_rows().min(left) {
                html += "<tr>";
                for cell in &cells {
                    html += &format!("<td>{}</td>", escaped(&cell.value(row).try_to_string()?));
                }
                html += "</tr>";
            }
            left = left.saturating_sub(batch.num_rows());
        }
        Ok(html + "</tbody></table>")
    }
}

/// Rows that are enough to see what a table is like.
const ROWS_SHOWN: usize = 8;

/// Rows that a notebook shows, which has room for more.
const ROWS_IN_HTML: usize = 20;

/// Text that stays text in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[pymethods]
impl Table {
    /// How many rows it has.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// How many columns it has.
    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    /// The names of the columns in order.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        column_names(&self.schema)
    }

    /// The name and the version of the table's schema, and further notes.
    ///
    /// >>> import everyply
    /// >>> everyply.chess.facts([]).metadata["everyply.schema"]
    /// 'chess.facts'
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        metadata(&self.schema, py)
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// The first rows, and the columns that fit a screen.
    fn __repr__(&self) -> PyResult<String> {
        self.shown().map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The first rows as HTML, which a notebook shows.
    fn _repr_html_(&self) -> PyResult<String> {
        self.html().map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The schema as a capsule of the Arrow C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.schema.as_ref())
    }

    /// The rows as a capsule of the Arrow C stream interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.clone().into_iter();
        let arrays = batches.map(|batch| Ok(array(batch)));
        to_stream_pycapsule(py, stream(&self.schema, arrays), requested_schema)
    }
}

/// The names of the columns in order.
pub(crate) fn column_names(schema: &Schema) -> Vec<&str> {
    schema.fields().iter().map(|field| field.name().as_str()).collect()
}

/// The metadata of a schema in the order of their keys.
pub(crate) fn metadata<'py>(schema: &Schema, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let metadata = PyDict::new(py);
    let mut notes: Vec<_> = schema.metadata().iter().collect();
    notes.sort_unstable();
    for (key, value) in notes {
        metadata.set_item(key, value)?;
    }
    Ok(metadata)
}

/// Batches of a schema, each an array of structs, for the Arrow C stream interface.
pub(crate) fn stream(
    schema: &Schema,
    arrays: impl Iterator<Item = Result<ArrayRef, ArrowError>> + Send + 'static,
) -> Box<dyn ArrayReader + Send> {
    Box::new(ArrayIterator::new(arrays, rows_of(schema)))
}

/// Rows as an array of structs.
pub(crate) fn array(batch: RecordBatch) -> ArrayRef {
    Arc::new(StructArray::from(batch))
}

/// The field of rows as structs.
fn rows_of(schema: &Schema) -> FieldRef {
    let rows = DataType::Struct(schema.fields().clone());
    Arc::new(Field::new("", rows, false).with_metadata(schema.metadata().clone()))
}
