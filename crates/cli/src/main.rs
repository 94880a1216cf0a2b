//! The command `tombolo`: runs worlds and verifies that every run gives the same bits.
//!
//! Priorities, in this order: what it says about a run holds for every run; an error names the file, the fault and the
//! remedy; a step costs what it costs in the library.
//!
//! | file | contents |
//! | --- | --- |
//! | `arguments.rs` | the command line |
//! | `run.rs`, `verify.rs`, `inspect.rs`, `convert.rs`, `kinds.rs`, `play/`, `recordings/`, `sweep/` | the commands |
//! | `source.rs` | finds a world by name or path, and steps it |
//! | `summary.rs`, `statistics.rs`, `picture.rs` | what `run` shows: hash and counts, times, a picture |
//! | `engine_module.rs` | the module with which a page simulates; pages are composed in `tombolo_session::pages` |
//! | `map_pictures.rs`, `image_size.rs` | the pictures of a map's tiles for the page; the format and size of an image |
//! | `golden.rs` | the file of blessed hashes |
//! | `output.rs`, `progress.rs`, `interrupt.rs` | writes files and lines; the progress bar of long commands; handles Ctrl-C |
//!
//! A command ends with 0, with 1 and one line on stderr if it failed, with 2 if it was called wrongly, or with 130 if
//! Ctrl-C ended it early.
#![deny(unsafe_code)]

mod arguments;
mod convert;
mod engine_module;
mod golden;
mod image_size;
mod inspect;
mod interrupt;
mod kinds;
mod map_files;
mod map_pictures;
mod output;
mod picture;
mod play;
mod progress;
mod recordings;
mod run;
mod source;
mod statistics;
mod summary;
mod sweep;
mod verify;

use std::process::ExitCode;

use arguments::{Arguments, Command, KindsOptions};
use output::{Failure, complain, print};

fn main() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let done = match arguments.command {
        Command::Run(options) => run::run(&options),
        Command::Play(options) => play::play(&options),
        Command::Verify(options) => verify::verify(&options).map(|()| ExitCode::SUCCESS),
        Command::Inspect(options) => inspect::inspect(&options).map(|()| ExitCode::SUCCESS),
        Command::Record(options) => recordings::record(&options),
        Command::Replay(options) => recordings::play(&options),
        Command::Diff(options) => recordings::diff(&options),
        Command::Shrink(options) => recordings::shrink(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Convert(options) => convert::convert(&options).map(|()| ExitCode::SUCCESS),
        Command::Kinds(options) => print_kinds(&options).map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(Failure(message)) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

fn print_kinds(options: &KindsOptions) -> Result<(), Failure> {
    let form = match (options.json, options.markdown) {
        (true, _) => kinds::Form::Json,
        (_, true) => kinds::Form::Markdown,
        _ => kinds::Form::Table,
    };
    print(&kinds::text(options.kind.as_deref(), form).map_err(Failure)?)
}
