//! The book in docs/book: its scenes are read and stepped, its pictures are drawn from them, and each chapter is in its
//! list. Its programs are tests of the crate in docs/book/code, its links are checked by `house.rs` as those of all documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tiny_skia::Pixmap;
use tombolo::{Scene, Settings, World};

/// How far a picture may be from the one that is drawn now: the mean over all channels of all pixels, of 255. A change of
/// physics in the last bits may shift a border by a pixel. What moves visibly changes the size too, since a picture is framed
/// by what it shows.
const DIFFERENCE_MAX: f64 = 1.0;

/// The folder of the chapters.
fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn chapters() -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = fs::read_dir(source())
        .expect("the chapters of the book")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            (name.expect("names are plain").to_string(), read(&path))
        })
        .collect();
    found.sort();
    found
}

/// The blocks of a language in a chapter, each with the line before it.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<(&'a str, &'a str)> {
    let fence = format!("```{language}\n");
    let mut found = Vec::new();
    for (at, _) in text.match_indices(&fence) {
        let before = text[..at].lines().next_back().unwrap_or_default();
        let block = text[at + fence.len()..].split("```").next();
        found.push((before, block.unwrap_or_default()));
    }
    found
}

/// A picture of a chapter: its file, after how many steps it is drawn, and of which scene.
struct Picture {
    file: String,
    steps: u32,
    scene: String,
}

fn pictures() -> Vec<Picture> {
    let mut found = Vec::new();
    for (chapter, text) in chapters() {
        for (before, block) in blocks(&text, "ron") {
            let Some(words) = before.strip_prefix("<!-- picture: ") else {
                continue;
            };
            let words: Vec<&str> = words.split(' ').collect();
            let [file, "after", steps, "steps", "-->"] = words[..] else {
                panic!("{chapter}: a picture is `<!-- picture: FILE after N steps -->`, not {before}");
            };
            let link = format!("](pictures/{file})");
            assert!(
                text.contains(&link),
                "{chapter} draws {file} and does not show it"
            );
            found.push(Picture {
                file: file.to_string(),
                steps: steps.parse().expect("a number of steps"),
                scene: block.to_string(),
            });
        }
    }
    found
}

#[test]
fn the_list_of_chapters_has_each_chapter() {
    let list = read(&source().join("SUMMARY.md"));
    for (chapter, text) in chapters() {
        if chapter != "SUMMARY.md" {
            assert!(list.contains(&format!("]({chapter})")), "SUMMARY.md: {chapter}");
            assert!(text.starts_with("# "), "{chapter} begins without a title");
        }
    }
}

/// The book is published as pages of its own: a link out of its folder would lead nowhere there. That links lead to a file and
/// a heading is a test of all documents.
#[test]
fn links_of_the_book_stay_in_the_book() {
    let mut count = 0;
    for (chapter, text) in chapters() {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (target, _) in targets.filter(|(target, _)| !target.contains([' ', ':'])) {
            count += 1;
            assert!(
                !target.starts_with(['.', '/']),
                "{chapter} has a link to {target}"
            );
        }
    }
    assert!(count > 30, "only {count} links were found");
}

#[test]
fn scenes_of_the_book_are_read_and_their_scripts_run_without_faults() {
    let mut count = 0;
    for (chapter, text) in chapters() {
        for (number, (_, block)) in blocks(&text, "ron").into_iter().enumerate() {
            count += 1;
            let name = format!("{chapter}, scene {}", number + 1);
            let scene = Scene::parse(&name, block).unwrap_or_else(|error| panic!("{error}"));
            let mut world = World::from_scene(&scene).unwrap_or_else(|error| panic!("{error}"));
            for _ in 0..300 {
                world.step();
            }
            assert_eq!(world.faults(), [], "{name}");
        }
    }
    assert!(count >= 7, "only {count} scenes were found");
}

#[test]
fn scripts_of_the_book_compile() {
    let mut world = World::new(&Settings::default()).expect("the defaults are right");
    let mut count = 0;
    for (chapter, text) in chapters() {
        for (_, block) in blocks(&text, "rhai") {
            count += 1;
            let defined = world.define_script(&format!("{chapter} {count}"), block);
            defined.unwrap_or_else(|error| panic!("{chapter}: {error}"));
        }
    }
    assert!(count > 0, "no script was found");
}

/// Draws a picture as a reader would, into a folder, and gives its file.
fn draw(picture: &Picture, folder: &Path) -> PathBuf {
    let drawn = folder.join(&picture.file);
    let scene = drawn.with_extension("ron");
    fs::write(&scene, &picture.scene).expect("a folder of the tests");
    let output = Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .arg("run")
        .arg(&scene)
        .args(["--steps", &picture.steps.to_string(), "--threads", "1", "--out"])
        .arg(folder)
        .output()
        .expect("the command was built");
    assert!(output.status.success(), "{}: {output:?}", picture.file);
    drawn
}

/// The mean difference of two pictures' channels, of 255; `None` if their sizes differ.
fn difference(one: &Path, other: &Path) -> Option<f64> {
    let load =
        |path: &Path| Pixmap::load_png(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (one, other) = (load(one), load(other));
    if (one.width(), one.height()) != (other.width(), other.height()) {
        return None;
    }
    let pairs = one.data().iter().zip(other.data());
    let sum: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    Some(sum as f64 / one.data().len() as f64)
}

#[test]
fn pictures_of_the_book_are_drawn_from_its_scenes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    fs::create_dir_all(&folder).expect("a folder of the tests");
    let kept = source().join("pictures");
    let mut named = BTreeSet::new();
    for picture in pictures() {
        assert!(
            named.insert(picture.file.clone()),
            "{} is drawn twice",
            picture.file
        );
        let (drawn, kept) = (draw(&picture, &folder), kept.join(&picture.file));
        if std::env::var_os("TOMBOLO_BLESS").is_some() {
            fs::copy(&drawn, &kept).expect("the folder of pictures");
            continue;
        }
        let difference = difference(&drawn, &kept);
        assert!(
            difference.is_some_and(|difference| difference <= DIFFERENCE_MAX),
            "{} is not what its scene looks like now ({difference:?}); draw the pictures anew with `TOMBOLO_BLESS=1 cargo \
             test -p tombolo-cli --test command book`, and look at them",
            picture.file
        );
    }
    for entry in fs::read_dir(kept).expect("the folder of pictures") {
        let name = entry.expect("it can be read").file_name();
        let name = name.to_str().expect("names are plain");
        assert!(
            name.ends_with(".svg") || named.contains(name),
            "no scene draws {name}"
        );
    }
}
