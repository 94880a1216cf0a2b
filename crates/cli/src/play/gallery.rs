//! The scenes and maps that can be opened, with a picture of each after its first steps.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};
use tombolo::threads::Inline;
use tombolo_maps::is_map;

use crate::output::Failure;
use crate::picture;
use crate::source::{Source, shipped_names};

/// The number of steps before a scene's picture is drawn.
const PICTURE_STEPS: u32 = 90;

/// The width of a picture, in pixels.
const PICTURE_WIDTH: u32 = 480;

/// When a file was changed, and its length; `None` if it cannot be read.
type FileState = Option<(SystemTime, u64)>;

/// The picture of a scene as PNG, and the states of the files that it is of: none for a scene that ships.
struct Kept {
    of: Vec<(PathBuf, FileState)>,
    png: Vec<u8>,
}

/// The names of scenes, and their pictures once these were requested.
pub(super) struct Gallery {
    names: Vec<String>,
    /// The folder of the scenes; shipped ones are in none.
    folder: Option<String>,
    pictures: Mutex<BTreeMap<String, Kept>>,
}

impl Gallery {
    /// The gallery of the scenes that ship.
    pub(super) fn shipped() -> Self {
        Self::new(shipped_names().map(str::to_string).collect(), None)
    }

    /// The gallery of the scene files and maps in a folder.
    ///
    /// # Errors
    /// It cannot be read, or there are none.
    pub(super) fn of_folder(folder: &Path) -> Result<Self, Failure> {
        let refuse = |error| Failure(format!("{}: cannot be read: {error}", folder.display()));
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(refuse)? {
            let path = entry.map_err(refuse)?.path();
            let is_scene = path.extension().is_some_and(|extension| extension == "ron") || is_map(&path);
            // Opening a pipe would wait for a writer, and a link may lead nowhere.
            if is_scene && path.is_file() {
                let name = path.file_name().and_then(|name| name.to_str());
                names.extend(name.map(str::to_string));
            }
        }
        if names.is_empty() {
            return Err(Failure(format!(
                "{}: no scene file (.ron) and no map (.tmx, .tmj, .ldtk) is there",
                folder.display()
            )));
        }
        names.sort();
        Ok(Self::new(names, Some(folder.display().to_string())))
    }

    fn new(names: Vec<String>, folder: Option<String>) -> Self {
        Self {
            names,
            folder,
            pictures: Mutex::default(),
        }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The paths of the scenes that are files.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.folder.iter();
        folder.flat_map(|folder| self.names.iter().map(|name| Path::new(folder).join(name)))
    }

    /// A scene of the gallery.
    ///
    /// # Errors
    /// There is none of this name, or its file is wrong.
    pub(super) fn find(&self, name: &str) -> Result<Source, Failure> {
        if !self.names.iter().any(|known| known == name) {
            return Err(Failure("the gallery has no such scene".to_string()));
        }
        match &self.folder {
            None => Source::find(name),
            Some(folder) => Source::find(&Path::new(folder).join(name).display().to_string()),
        }
    }

    /// The picture of a scene as PNG. It is kept until a file of the scene changes; others can be drawn meanwhile.
    ///
    /// # Errors
    /// In the same cases as [`Gallery::find`].
    pub(super) fn picture(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let pictures = || self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |kept: &&Kept| kept.of.iter().all(|(path, known)| file_state(path) == *known);
        if let Some(kept) = pictures().get(name).filter(is_fresh) {
            return Ok(kept.png.clone());
        }
        let of = self.find(name)?.files.into_iter().map(|path| {
            let state = file_state(&path);
            (path, state)
        });
        let of: Vec<_> = of.collect();
        // Read again, after the states of its files: if one changes while the picture is drawn, that is drawn again.
        let mut world = self.find(name)?.world()?;
        for _ in 0..PICTURE_STEPS {
            world.step_with(&Inline);
        }
        let png = smaller(&picture::draw(world.physics(), Some(&world))?).encode_png()?;
        let kept = Kept { of, png: png.clone() };
        pictures().insert(name.to_string(), kept);
        Ok(png)
    }
}

fn file_state(path: &Path) -> FileState {
    let known = std::fs::metadata(path).ok()?;
    Some((known.modified().ok()?, known.len()))
}

fn smaller(picture: &Pixmap) -> Pixmap {
    let scale = PICTURE_WIDTH as f32 / picture.width() as f32;
    let height = (scale * picture.height() as f32).round().max(1.0) as u32;
    let Some(mut small) = Pixmap::new(PICTURE_WIDTH, height) else {
        return picture.clone();
    };
    let paint = PixmapPaint {
        quality: FilterQuality::Bicubic,
        ..PixmapPaint::default()
    };
    small.draw_pixmap(
        0,
        0,
        picture.as_ref(),
        &paint,
        Transform::from_scale(scale, scale),
        None,
    );
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_that_of_the_file_as_it_is() {
        let scene = |width: u32| {
            format!(
                "(entities: {{\"a\": {{\"body\": Body(), \"hull\": Collider(shape: Box(width: {width}, height: 1))}}}},
                place: [One(name: \"a\", entity: \"a\")])"
            )
        };
        let folder = std::env::temp_dir().join(format!("tombolo-gallery-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.ron");
        std::fs::write(&file, scene(1)).unwrap();
        let gallery = Gallery::of_folder(&folder).unwrap();
        let first = gallery.picture("a.ron").unwrap();
        assert_eq!(gallery.picture("a.ron").unwrap(), first);
        std::fs::write(&file, scene(10)).unwrap();
        assert_ne!(gallery.picture("a.ron").unwrap(), first);
        // A file that is wrong now has no picture, not the old one.
        std::fs::write(&file, "(").unwrap();
        assert!(gallery.picture("a.ron").is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_picture_of_a_map_is_that_of_all_its_files_as_they_are() {
        let tileset = |height: u32| {
            format!(
                r#"<tileset name="t" tilewidth="16" tileheight="16"><tile id="0"><objectgroup>
                <object id="1" x="0" y="0" width="16" height="{height}"/></objectgroup></tile></tileset>"#
            )
        };
        let map = r#"<map width="1" height="1" tilewidth="16" tileheight="16"><tileset firstgid="1" source="t.tsx"/>
            <layer name="floor" width="1" height="1"><properties><property name="solid" type="bool" value="true"/>
            </properties><data encoding="csv">1</data></layer></map>"#;
        let folder = std::env::temp_dir().join(format!("tombolo-map-gallery-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let Err(Failure(nothing)) = Gallery::of_folder(&folder) else {
            panic!("there is nothing");
        };
        assert!(nothing.contains("no map (.tmx, .tmj, .ldtk)"), "{nothing}");
        std::fs::write(folder.join("a.tmx"), map).unwrap();
        std::fs::write(folder.join("t.tsx"), tileset(16)).unwrap();
        let gallery = Gallery::of_folder(&folder).unwrap();
        assert_eq!(gallery.names(), ["a.tmx"], "a tileset is nothing to play");
        let first = gallery.picture("a.tmx").unwrap();
        assert_eq!(gallery.picture("a.tmx").unwrap(), first);
        std::fs::write(folder.join("t.tsx"), tileset(4)).unwrap();
        assert_ne!(gallery.picture("a.tmx").unwrap(), first);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
