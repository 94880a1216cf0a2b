//! Sessions: without a server, and written back to their scenes.

mod solo;
mod write_back;
