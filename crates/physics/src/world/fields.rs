//! Creating, changing and destroying fields, and explosions.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::constants::FIELDS_MAX;
use crate::field::{ExplosionDef, FieldDef, FieldId};
use crate::recording::Call;
use tombolo_geometry::Position;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Makes a field, and wakes the bodies whose boxes it reaches. Costs those, and all that sleep if it acts everywhere.
    ///
    /// In each step every awake body asks every field, by boxes first. What pushes one body is summed up in the order of
    /// its shapes and of the fields' ids, whatever executes the step.
    ///
    /// # Errors
    ///
    /// If a number is out of range, the area is no shape or has no inside, or there are 4,096 fields.
    pub fn create_field(&mut self, def: &FieldDef) -> Result<FieldId, PhysicsError> {
        self.log.report(|| Call::CreateField { def: def.clone() });
        let _environment = FloatEnvironment::enter();
        def.validate()?;
        if self.state.fields.len() >= FIELDS_MAX {
            return Err(PhysicsError::TooMany {
                what: "fields",
                limit: FIELDS_MAX,
            });
        }
        Ok(self.state.create_field(def))
    }

    /// What a field was created from or made since; `None` for a stale id.
    pub fn field(&self, id: FieldId) -> Option<FieldDef> {
        let record = self.state.fields.get(id)?;
        Some(record.def(self.state.points_of_field(record)))
    }

    /// The ids of all fields.
    pub fn fields(&self) -> impl Iterator<Item = FieldId> + '_ {
        self.state.fields.handles()
    }

    /// Whether an id was given out by this world, be its field here still or not: as
    /// [`PhysicsWorld::has_held_body`].
    pub fn has_held_field(&self, id: FieldId) -> bool {
        self.state.fields.has_held(id)
    }

    /// Makes a field another one. Wakes the bodies that it reached and those that it reaches now, unless it stays the same.
    ///
    /// # Errors
    ///
    /// If the field is gone, or as [`PhysicsWorld::create_field`].
    pub fn set_field(&mut self, id: FieldId, def: &FieldDef) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetField {
            field: id,
            def: def.clone(),
        });
        let _environment = FloatEnvironment::enter();
        self.state.check_field(id)?;
        def.validate()?;
        self.state.change_field(id, def);
        Ok(())
    }

    /// Puts a field elsewhere; wakes as [`PhysicsWorld::set_field`].
    ///
    /// # Errors
    ///
    /// If the field is gone, or a number is out of range.
    pub fn set_field_pose(
        &mut self,
        id: FieldId,
        position: Position,
        angle: f32,
    ) -> Result<(), PhysicsError> {
        let def = self
            .field(id)
            .ok_or(PhysicsError::StaleHandle { what: "field" })?;
        let moved = FieldDef {
            position,
            angle,
            ..def
        };
        self.set_field(id, &moved)
    }

    /// Has a field act, or not; wakes as [`PhysicsWorld::set_field`].
    ///
    /// # Errors
    ///
    /// If the field is gone.
    pub fn set_field_enabled(&mut self, id: FieldId, enabled: bool) -> Result<(), PhysicsError> {
        let def = self
            .field(id)
            .ok_or(PhysicsError::StaleHandle { what: "field" })?;
        self.set_field(id, &FieldDef { enabled, ..def })
    }

    /// Removes a field, and wakes the bodies that it reached.
    ///
    /// # Errors
    ///
    /// If the field is gone already.
    pub fn destroy_field(&mut self, id: FieldId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyField { field: id });
        let _environment = FloatEnvironment::enter();
        self.state.check_field(id)?;
        self.state.destroy_field(id);
        Ok(())
    }

    /// Pushes the shapes of dynamic bodies around a point away from it, at once; wakes the bodies within reach, and no
    /// others. How many those are. A body of several shapes is pushed at each of them, and so is a concave polygon at each of
    /// its convex parts. Walls in between shield nobody. Costs the shapes within reach.
    ///
    /// # Errors
    ///
    /// If a number is out of range.
    pub fn explode(&mut self, def: &ExplosionDef) -> Result<usize, PhysicsError> {
        self.log.report(|| Call::Explode { def: *def });
        let _environment = FloatEnvironment::enter();
        def.validate()?;
        Ok(self.state.explode(def))
    }
}
