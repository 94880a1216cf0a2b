//! Writing files so that nobody ever sees half of one.

use std::fs;
use std::path::Path;

use crate::Failure;

/// Writes a whole file: under a temporary name in the same folder, which is then renamed. Makes the folder if it is not
/// there.
///
/// # Errors
/// The system's reason, with the path; what stood there before stands there still.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let refuse = |error| Failure(format!("{}: cannot be written: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(refuse)?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        drop(fs::remove_file(&temporary));
        refuse(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_leaves_nothing_beside_it() {
        let folder = std::env::temp_dir().join(format!("tombolo-output-{}", std::process::id()));
        let path = folder.join("inner").join("file.txt");
        write_file(&path, b"first").unwrap();
        write_file(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        let Failure(message) = write_file(&path.join("below-a-file"), b"x").unwrap_err();
        assert!(message.contains("cannot be written"), "{message}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
