//! The stage `fields`: updates the fields of physics from the components, at the present poses of their entities.
//! Also explosions.

use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, InstanceId};
use tombolo_physics::{ExplosionDef, FieldDef, TileCut};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::Command;
use crate::component::{FIELD, Field};
use crate::error::WorldError;

/// The distance in meters, and the angle in radians, by which a field may differ from its entity's pose: a field on a
/// body that comes to rest must not wake it for the last hundredths of a millimeter.
const STRAY_MAX: f32 = 1.0e-4;

/// Whether a field of physics equals the wanted one, except for a deviation of its pose within [`STRAY_MAX`].
fn is_as_good(known: &FieldDef, wanted: &FieldDef) -> bool {
    let apart = known.position.to_vec2() - wanted.position.to_vec2();
    let moved = FieldDef {
        position: known.position,
        angle: known.angle,
        ..wanted.clone()
    };
    apart.abs().max_element() <= STRAY_MAX
        && (known.angle - wanted.angle).abs() <= STRAY_MAX
        && moved == *known
}

impl World {
    /// The stage `fields`. Costs nothing without fields, else each of them, and the bodies in those that change.
    pub(super) fn update_fields(&mut self) {
        let fields: Option<&Dense<Field>> = self.entities.manager(FIELD);
        let Some(fields) = fields.filter(|fields| !fields.values().is_empty()) else {
            return;
        };
        let owners: Vec<(Entity, InstanceId)> = fields.owners().collect();
        for (entity, instance) in owners {
            self.update_field(entity, instance);
        }
    }

    /// Updates the field of physics of a changed component. A field that is not in physics yet is created in the next
    /// step.
    pub(super) fn follow_field(&mut self, entity: Entity, instance: InstanceId) {
        let fields: Option<&Dense<Field>> = self.entities.manager(FIELD);
        let field = fields.and_then(|fields| fields.value(entity, instance));
        if field.is_some_and(|field| field.id.is_some()) {
            self.update_field(entity, instance);
        }
    }

    fn update_field(&mut self, entity: Entity, instance: InstanceId) {
        let pose = self.pose(entity).unwrap_or_default();
        let fields: Option<&mut Dense<Field>> = self.entities.manager_mut(FIELD);
        let Some(field) = fields.and_then(|fields| fields.value_mut(entity, instance)) else {
            return;
        };
        let def = field.def(entity, pose);
        let known = field.id.and_then(|id| Some((id, self.physics.field(id)?)));
        let live = known.as_ref().map(|(id, _)| *id);
        field.id = match (live, def) {
            (Some(id), Ok(def)) if known.is_some_and(|(_, known)| is_as_good(&known, &def)) => Some(id),
            (Some(id), Ok(def)) => {
                let set = self.physics.set_field(id, &def);
                debug_assert!(set.is_ok(), "what was checked is taken");
                Some(id)
            }
            (None, Ok(def)) => match self.physics.create_field(&def) {
                Ok(id) => Some(id),
                Err(error) => {
                    self.note_fault_once(format!("a field of entity {}: {error}", self.show(entity)));
                    return;
                }
            },
            // The field is beyond the limits of physics.
            (live, Err(_)) => {
                if let Some(id) = live {
                    let gone = self.physics.destroy_field(id);
                    debug_assert!(gone.is_ok(), "it was just looked up");
                }
                None
            }
        };
    }

    /// Pushes the bodies around a point away from it, like
    /// [`PhysicsWorld::explode`](tombolo_physics::PhysicsWorld::explode). Returns their number. With a `tile_radius` it
    /// also empties cells of tiles.
    ///
    /// # Errors
    ///
    /// If a number is out of range; or if tiles are to be removed and physics is full.
    pub fn explode(&mut self, explosion: &ExplosionDef) -> Result<usize, WorldError> {
        self.report_command(|| Command::Explode(*explosion));
        let _environment = FloatEnvironment::enter();
        let cut = TileCut::of_explosion(explosion);
        let reached = cut.map_or_else(Vec::new, |cut| self.tiles_in_reach(&cut));
        let pushed = self
            .physical()
            .physics
            .explode(explosion)
            .map_err(|error| WorldError::Physics {
                entity: "the world".into(),
                component: "explosion".into(),
                error,
            })?;
        self.note_cut_tiles(&reached);
        Ok(pushed)
    }
}
