//! The tables: which files they are made of, and which conditions they test themselves.

use std::{num::NonZeroUsize, sync::Arc};

use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::{
    catalog::{Session, TableProvider},
    datasource::{TableType, listing::ListingTableUrl},
    error::Result,
    logical_expr::{Expr, TableProviderFilterPushDown},
    physical_plan::ExecutionPlan,
};
use object_store::ObjectMeta;
use tables::chess::{BAD_GAMES, GAMES, all_positions};

use super::{
    conditions::Condition,
    parts::shared_out,
    scan::{GamesScan, Reading},
};
use crate::{
    files::{
        listing::{found, is_alone, located, named},
        plan_error,
        text::TextFile,
    },
    kinds::{Kind, Named},
};

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// A game.
    Games,
    /// A position of a game, or one that stands on a line of its own.
    Positions,
    /// A game or a line that is bad.
    Bad,
}

impl Rows {
    pub(crate) fn schema(self) -> SchemaRef {
        let table = match self {
            Rows::Games => GAMES.schema(),
            Rows::Positions => all_positions(),
            Rows::Bad => BAD_GAMES.schema(),
        };
        // Names of tables are of files; an answer has the columns that were asked for.
        Arc::new(Schema::new(table.fields().clone()))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Rows::Games => "games",
            Rows::Positions => "positions",
            Rows::Bad => "bad_games",
        }
    }

    /// Whether a file of a directory is one of those that are looked for.
    fn takes(self, file: &ObjectMeta) -> bool {
        let named = Named::of(file.location.filename().unwrap_or_default());
        match named.map(|named| named.kind) {
            Some(Kind::Games) => true,
            Some(Kind::Positions) => self != Rows::Games,
            _ => false,
        }
    }
}

/// Where files are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) url: ListingTableUrl,
    /// The path as it was written.
    pub(crate) path: String,
}

impl Place {
    pub(crate) fn new(path: &str) -> Result<Place> {
        Ok(Place { url: located(path)?, path: path.to_owned() })
    }

    /// The files that are there now, and their sizes.
    async fn files(&self, session: &dyn Session, rows: Rows) -> Result<Vec<(TextFile, u64)>> {
        let Place { url, path } = self;
        let store = session.runtime_env().object_store(url)?;
        let mut files = found(session, url, &store, path).await?;
        if !is_alone(url) {
            files.retain(|file| rows.takes(file));
        }
        if files.is_empty() {
            return Err(plan_error(
                path,
                match (is_alone(url), rows) {
                    (true, _) => "there is no such file",
                    (false, Rows::Games) => "there is no PGN file",
                    (false, _) => "there is no PGN, FEN or EPD file",
                },
            ));
        }
        Ok(files.into_iter().map(|meta| (named(url, path, &meta), meta.size)).collect())
    }
}

/// A table of games or positions of files.
#[derive(Clone, Debug)]
pub(crate) struct GamesTable {
    pub(crate) rows: Rows,
    /// Every so many plies of a game there is a row.
    pub(crate) every: NonZeroUsize,
    pub(crate) places: Vec<Place>,
    pub(crate) schema: SchemaRef,
    /// Whether other processes read the parts.
    pub(crate) is_shared: bool,
}

/// Whoever wants so few rows wants the first ones.
const FEW: usize = 1 << 16;

impl GamesTable {
    pub(crate) fn new(rows: Rows, places: Vec<Place>) -> GamesTable {
        let (every, schema) = (NonZeroUsize::MIN, rows.schema());
        GamesTable { rows, every, places, schema, is_shared: false }
    }

    /// The table with a row for every so many plies of a game.
    pub(crate) fn every(self, every: NonZeroUsize) -> GamesTable {
        GamesTable { every, ..self }
    }

    fn condition(&self, filter: &Expr) -> Option<Condition> {
        let is_known = |name: &str| self.schema.field_with_name(name).is_ok();
        match self.rows {
            Rows::Games | Rows::Positions => Condition::of(filter, &is_known),
            // A bad game may be bad before its tags are known.
            Rows::Bad => None,
        }
    }
}

#[async_trait]
impl TableProvider for GamesTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let supports = |filter: &&Expr| match self.condition(filter) {
            Some(_) => TableProviderFilterPushDown::Exact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(supports).collect())
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut files = Vec::new();
        for place in &self.places {
            files.extend(place.files(session, self.rows).await?);
        }
        let groups = match limit {
            Some(limit) if limit <= FEW => 1,
            _ => session.config().target_partitions(),
        };
        let all = || (0..self.schema.fields().len()).collect();
        let conditions = filters.iter().filter_map(|filter| self.condition(filter));
        let reading = Reading {
            rows: self.rows,
            every: self.every,
            groups: shared_out(files, groups),
            wanted: projection.cloned().unwrap_or_else(all),
            conditions: conditions.collect(),
            limit,
        };
        Ok(Arc::new(match self.is_shared {
            true => GamesScan::sharing(reading)?,
            false => GamesScan::new(reading)?,
        }))
    }
}
