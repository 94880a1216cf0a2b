//! Images of a system for frames of a world, at the cost of what changed.

use super::EntitySystem;
use super::image::{EntitySystemImage, PreparedSystem};
use crate::bytes::Writer;
use crate::kept::Kept;
use crate::path::Identity;

impl EntitySystem {
    /// The contents of the system, except the record of changes. Costs a few pointers for each manager, and copies of what
    /// has changed since the last image: of components in a [`Dense`](crate::Dense) the chunks with those that changed;
    /// of entities, names and index each as a whole; of a manager of another kind what its own
    /// [`image`](crate::ComponentManager::image) copies.
    ///
    /// With debug assertions it is compared with a save.
    pub fn image(&mut self) -> EntitySystemImage {
        let image = EntitySystemImage {
            entities: Kept::image(&mut self.entities),
            names: Kept::image(&mut self.names),
            index: Kept::image(&mut self.index),
            managers: self.managers.image(),
        };
        debug_assert!(
            self.is_equal_to(&image),
            "a part of the entities has changed and was not noted"
        );
        image
    }

    /// Whether an image has the state of this system, by the bytes of both.
    fn is_equal_to(&self, image: &EntitySystemImage) -> bool {
        let (mut now, mut imaged) = (Writer::new(), Writer::new());
        self.save_state(&mut now);
        image.save_state(&mut imaged);
        now.finish() == imaged.finish()
    }

    /// Makes the copies that this system needs to equal an image, of this system or of another one. Whatever of a game's own
    /// code may panic is called here.
    pub fn prepare(&self, image: &EntitySystemImage) -> PreparedSystem {
        PreparedSystem {
            managers: image.managers.prepare(&self.managers),
            image: image.clone(),
        }
    }

    /// Gives the system the contents of an image. It must be unchanged since it was [prepared](EntitySystem::prepare).
    /// Whether changes are recorded stays as it is; those that were are dropped. Costs what was copied.
    pub fn apply(&mut self, prepared: PreparedSystem) {
        let PreparedSystem { image, managers } = prepared;
        Kept::restore(&mut self.entities, &image.entities);
        Kept::restore(&mut self.names, &image.names);
        Kept::restore(&mut self.index, &image.index);
        self.managers.restore(managers);
        if let Some(changes) = &mut self.changes {
            changes.clear();
        }
        self.identity = Identity::default();
    }
}
