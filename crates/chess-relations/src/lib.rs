//! The rules of chess as rows of data.
