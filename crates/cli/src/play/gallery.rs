//! The scenes that can be opened, with a picture of each after its first steps.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};
use tombolo::threads::Inline;

use crate::output::Failure;
use crate::picture;
use crate::source::{Source, shipped_names};

/// The number of steps before a scene's picture is drawn.
const PICTURE_STEPS: u32 = 90;

/// The width of a picture, in pixels.
const PICTURE_WIDTH: u32 = 480;

/// The names of scenes, and their pictures once these were requested.
pub(super) struct Gallery {
    names: Vec<String>,
    /// The folder of the scenes; shipped ones are in none.
    folder: Option<String>,
    pictures: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl Gallery {
    /// The gallery of the scenes that ship.
    pub(super) fn shipped() -> Self {
        Self::new(shipped_names().map(str::to_string).collect(), None)
    }

    /// The gallery of the scene files in a folder.
    ///
    /// # Errors
    /// It cannot be read, or there are none.
    pub(super) fn of_folder(folder: &Path) -> Result<Self, Failure> {
        let refuse = |error| Failure(format!("{}: cannot be read: {error}", folder.display()));
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(refuse)? {
            let path = entry.map_err(refuse)?.path();
            if path.extension().is_some_and(|extension| extension == "ron") {
                names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        if names.is_empty() {
            return Err(Failure(format!(
                "{}: no scene file (.ron) is there",
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

    /// The picture of a scene as PNG. One is drawn at a time, and kept.
    ///
    /// # Errors
    /// In the same cases as [`Gallery::find`].
    pub(super) fn picture(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let mut pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(picture) = pictures.get(name) {
            return Ok(picture.clone());
        }
        let mut world = self.find(name)?.world()?;
        for _ in 0..PICTURE_STEPS {
            world.step_with(&Inline);
        }
        let png = smaller(&picture::draw(world.physics(), Some(&world))?).encode_png()?;
        pictures.insert(name.to_string(), png.clone());
        Ok(png)
    }
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
