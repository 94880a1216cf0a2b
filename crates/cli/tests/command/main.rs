//! The command as a person meets it: runs, maps, tables of kinds, recordings, sweeps, comparisons, the pictures of the book.

mod book;
mod command;
mod kinds;
mod map_pictures;
mod maps;
mod recordings;
mod sweep;
mod verify;

#[path = "../support/mod.rs"]
mod support;
