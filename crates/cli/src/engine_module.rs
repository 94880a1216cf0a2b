//! Finds the engine as a WebAssembly module with a live session, which is a part of each page that simulates by itself.
//! The command is built without the module: `packages/js/build` makes it.

use std::path::{Path, PathBuf};

use crate::output::Failure;

/// The name of the module's file.
const FILE: &str = "tombolo-session.wasm";

/// The folder of the repository in which it is built.
const FOLDER: &str = "packages/js";

/// The first bytes of every module.
const MAGIC: &[u8] = b"\0asm";

/// Reads the module at the given path, else the one beside the command, else the one that was built in the repository
/// of the current folder.
///
/// # Errors
/// There is none, it cannot be read, or it is not a module.
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
