//! SQL over every result of everyply.
