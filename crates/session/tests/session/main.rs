//! Sessions: without a server, and written back to their scenes.

mod comments;
mod copies;
mod faults;
mod graphs;
mod pages;
mod redo;
mod restart;
mod solo;
mod write_back;
