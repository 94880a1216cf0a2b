//! Calls that create, change and destroy fields, and explosions.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::constants::FIELDS_MAX;
use crate::field::{ExplosionDef, FieldDef, FieldId};
use crate::recording::Call;
use crate::tile_grid::TileCut;
use tombolo_geometry::Position;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Creates a field, and wakes the bodies whose boxes it reaches; a gravity those whose centers it reaches, too. Costs
    /// those bodies, and a look at every body of the world if it acts everywhere or is a gravity, whatever its area.
    ///
    /// In each step every awake body is tested against every field, by boxes first. The forces on one body are summed
    /// in the order of its shapes and of the fields' ids, whatever executor runs the step.
    ///
    /// # Errors
    ///
    /// If a number is out of range, the area is not a valid shape or has no interior, or there are 4,096 fields.
    pub fn create_field(&mut self, def: &FieldDef) -> Result<FieldId, PhysicsError> {
        self.log.report(|| Call::CreateField { def: def.clone() });
        let _environment = FloatEnvironment::enter_call();
        def.validate()?;
        if self.state.fields.len() >= FIELDS_MAX {
            return Err(PhysicsError::TooMany {
                what: "fields",
                limit: FIELDS_MAX,
            });
        }
        Ok(self.state.create_field(def))
    }

    /// The present definition of a field; `None` for a stale id.
    pub fn field(&self, id: FieldId) -> Option<FieldDef> {
        let record = self.state.fields.get(id)?;
        Some(record.def(self.state.points_of_field(record)))
    }

    /// The ids of all fields.
    pub fn fields(&self) -> impl Iterator<Item = FieldId> + '_ {
        self.state.fields.handles()
    }

    /// Whether this world ever issued an id, whether or not its field still exists: see
    /// [`PhysicsWorld::has_held_body`].
    pub fn has_held_field(&self, id: FieldId) -> bool {
        self.state.fields.has_held(id)
    }

    /// Replaces a field's definition. Wakes the bodies that it reached and those that it reaches now, unless nothing
    /// changes. Costs twice what [`PhysicsWorld::create_field`] does, and all points of chains if their number changes.
    ///
    /// # Errors
    ///
    /// If the field is gone, or in the same cases as [`PhysicsWorld::create_field`].
    pub fn set_field(&mut self, id: FieldId, def: &FieldDef) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetField {
            field: id,
            def: def.clone(),
        });
        let _environment = FloatEnvironment::enter_call();
        self.state.check_field(id)?;
        def.validate()?;
        self.state.change_field(id, def);
        Ok(())
    }

    /// Moves a field; wakes bodies like [`PhysicsWorld::set_field`].
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

    /// Enables or disables a field; wakes bodies like [`PhysicsWorld::set_field`].
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
        let _environment = FloatEnvironment::enter_call();
        self.state.check_field(id)?;
        self.state.destroy_field(id);
        Ok(())
    }

    /// Pushes the shapes of dynamic bodies around a point away from it, at once; wakes the islands of the bodies within
    /// reach, and no others. Returns their number. A body of several shapes is pushed at each of them, and a concave polygon at each
    /// of its convex parts. Walls do not shield bodies behind them. Costs the shapes within reach.
    ///
    /// With a [`tile_radius`](ExplosionDef::tile_radius) tiles are removed first, like by [`PhysicsWorld::cut_tiles`],
    /// at its cost: what is gone is not pushed.
    ///
    /// # Errors
    ///
    /// If a number is out of range; or if tiles are to be removed and the world is full. Nothing is changed then.
    pub fn explode(&mut self, def: &ExplosionDef) -> Result<usize, PhysicsError> {
        self.log.report(|| Call::Explode { def: *def });
        let _environment = FloatEnvironment::enter_call();
        def.validate()?;
        if let Some(cut) = TileCut::of_explosion(def) {
            self.remove_tiles(&cut)?;
        }
        Ok(self.state.explode(def))
    }
}
