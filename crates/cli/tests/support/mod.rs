//! What the tests of the command share: a folder to work in, a small scene, and a call of the command.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// A folder that is gone when the test ends.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// `name` is not used by another test of the program.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tombolo-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes a file into the folder and gives its path.
    pub(crate) fn file(&self, name: &str, text: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Runs the command in the root of the repository.
pub(crate) fn tombolo(words: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args(words)
        .current_dir(root)
        .output()
        .unwrap()
}

/// The JSON of an element of a page's data.
pub(crate) fn data_of(id: &str, page: impl AsRef<Path>) -> serde_json::Value {
    let text = std::fs::read_to_string(page).unwrap();
    let (_, text) = text.split_once(&format!("id=\"{id}\">")).unwrap();
    let (text, _) = text.split_once('<').unwrap();
    let packed = BASE64_STANDARD.decode(text.trim()).unwrap();
    serde_json::from_reader(flate2::read::DeflateDecoder::new(&packed[..])).unwrap()
}

/// Ends a command that runs as Ctrl-C does, and waits for what it says.
pub(crate) fn interrupt(child: Child) -> Output {
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    child.wait_with_output().unwrap()
}

/// A stack that comes to rest, and a bar that swings from a revolute joint.
pub(crate) const DROP: &str = r#"(
    entities: {
        "ground": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1))},
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
        "swing": {
            "body": Body(kind: Dynamic),
            "bar": Collider(shape: Capsule(from: (0, 0), to: (2, 0), radius: 0.1)),
            "hinge": Joint(to: Entity("ground")),
        },
    },
    place: [
        One(name: "ground", entity: "ground"),
        Row(name: "stack", entity: "crate", at: (0, 0.5), count: 5, step: (0, 1)),
        One(name: "swing", entity: "swing", at: (3, 4)),
    ],
)"#;
