//! Chess games and positions of files as tables, which are read while their rows are taken.

pub(crate) mod bad;
pub(crate) mod conditions;
pub(crate) mod copying;
pub(crate) mod functions;
pub(crate) mod parts;
pub(crate) mod scan;
pub(crate) mod table;
