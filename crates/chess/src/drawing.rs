//! Boards as text and pictures.
