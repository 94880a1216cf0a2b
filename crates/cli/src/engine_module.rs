//! The engine as a WebAssembly module with a live session, which a page that simulates by itself has in it. The command is
//! built without it: `packages/js/build` makes it.

use std::path::{Path, PathBuf};

use crate::output::Failure;

/// The module's file.
const FILE: &str = "tombolo-session.wasm";

/// Where it is built, in the repository.
const FOLDER: &str = "packages/js";

/// What every module begins with.
const MAGIC: &[u8] = b"\0asm";

/// Reads the module that is asked for, else the one beside the command, else the one that was built in the repository that this
/// is called in.
///
/// # Errors
/// There is none, it cannot be read, or is no module.
pub(crate) fn read(wanted: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let path = wanted.map(Path::to_path_buf).or_else(find).ok_or_else(missing)?;
    let bytes = std::fs::read(&path)
        .map_err(|error| Failure(format!("{}: cannot be read: {error}", path.display())))?;
    if bytes.starts_with(MAGIC) {
        Ok(bytes)
    } else {
        Err(Failure(format!(
            "{}: this is no WebAssembly module",
            path.display()
        )))
    }
}

fn find() -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.and_then(|program| Some(program.parent()?.join(FILE)));
    let built = Path::new(FOLDER).join(FILE);
    beside.into_iter().chain([built]).find(|path| path.is_file())
}

fn missing() -> Failure {
    Failure(format!(
        "a live page needs the engine's module, {FILE}, and it is neither beside the command nor in {FOLDER}: run \
         {FOLDER}/build in the repository, or say where it is with --module FILE"
    ))
}
