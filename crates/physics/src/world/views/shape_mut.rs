//! Changing a shape.

use super::{ShapeMut, ShapeRef};
use crate::PhysicsError;
use crate::body::NONE;
use crate::error::Range;
use crate::recording::Call;
use crate::shape::{Filter, ShapeDef, Watcher};
use tombolo_threads::FloatEnvironment;

/// Of a part of a concave polygon a change is one of all its parts.
impl ShapeMut<'_> {
    /// The shape, to be read.
    pub fn view(&self) -> ShapeRef<'_> {
        ShapeRef {
            state: self.state,
            id: self.id,
        }
    }

    /// Changes what the shape may touch. Touches end, and those that the filter allows begin again in the next step; what
    /// touched the shape wakes, and its body. Costs the body's contacts.
    pub fn set_filter(&mut self, filter: Filter) {
        self.log.report(|| Call::ShapeSetFilter {
            shape: self.id,
            filter,
        });
        let _environment = FloatEnvironment::enter();
        for shape in self.state.parts_of_same_polygon(self.id.index()) {
            self.state.wake_touching_shape(shape);
            let record = self.state.shape_record_mut(shape);
            (record.category, record.mask, record.group) = (filter.category, filter.mask, filter.group);
            self.state.destroy_contacts_of_shape(shape);
            if self.state.shape_links[shape].proxy != NONE {
                self.state.remove_proxy(shape);
                self.state.create_proxy(shape);
            }
        }
    }

    /// Changes from how many newtons on touches of the shape are reported, 0 for none
    /// ([`ShapeDef::force_threshold`](crate::ShapeDef::force_threshold)). Wakes nobody.
    ///
    /// # Errors
    ///
    /// If it is not from 0 to 1e30.
    pub fn set_force_threshold(&mut self, newtons: f32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::ShapeSetForceThreshold {
            shape: self.id,
            newtons,
        });
        Range::THRESHOLD.check("force_threshold", newtons)?;
        self.watch(|watcher| watcher.force_threshold = newtons);
        Ok(())
    }

    /// Has the shape, if it is a sensor, report other sensors, and if it is none, on a static or kinematic body, shapes of
    /// such bodies ([`ShapeDef::sees_sensors`](crate::ShapeDef::sees_sensors),
    /// [`sees_fixed`](crate::ShapeDef::sees_fixed)). What it no longer sees leaves in the next step. Wakes nobody.
    pub fn set_sees(&mut self, sensors: bool, fixed: bool) {
        self.log.report(|| Call::ShapeSetSees {
            shape: self.id,
            sensors,
            fixed,
        });
        self.watch(|watcher| {
            (watcher.sees_sensors, watcher.sees_fixed) = (u32::from(sensors), u32::from(fixed));
        });
    }

    fn watch(&mut self, change: impl Fn(&mut Watcher)) {
        for shape in self.state.parts_of_same_polygon(self.id.index()) {
            let nothing = Watcher::of(shape, &ShapeDef::default());
            let mut watcher = self.state.watcher_of(shape).copied().unwrap_or(nothing);
            change(&mut watcher);
            self.state.watch(watcher);
        }
    }

    /// Sets the user's own number. Wakes nobody.
    pub fn set_user_key(&mut self, key: u64) {
        self.log.report(|| Call::ShapeSetUserKey { shape: self.id, key });
        for shape in self.state.parts_of_same_polygon(self.id.index()) {
            self.state.shape_record_mut(shape).user_key = key;
        }
    }

    /// Changes friction and bounciness, and wakes the shape's body and what touches it; touches mix them anew in the next
    /// step. Costs the body's contacts.
    ///
    /// # Errors
    ///
    /// If a number is out of the range that [`ShapeDef`](crate::ShapeDef) states.
    pub fn set_material(&mut self, friction: f32, restitution: f32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::ShapeSetMaterial {
            shape: self.id,
            friction,
            restitution,
        });
        Range::FRICTION.check("friction", friction)?;
        Range::RESTITUTION.check("restitution", restitution)?;
        for shape in self.state.parts_of_same_polygon(self.id.index()) {
            self.state.count_bouncing(shape, false);
            let material = &mut self.state.materials[shape];
            (material.friction, material.restitution) = (friction, restitution);
            self.state.count_bouncing(shape, true);
            self.state.mix_materials_anew(shape);
        }
        Ok(())
    }

    /// Changes how the surface resists rolling ([`ShapeDef::rolling_resistance`](crate::ShapeDef::rolling_resistance)) and
    /// how fast it runs in meters per second, as a conveyor belt does
    /// ([`ShapeDef::tangent_speed`](crate::ShapeDef::tangent_speed)). Wakes and mixes as [`ShapeMut::set_material`] does.
    ///
    /// # Errors
    ///
    /// If a number is out of the range that [`ShapeDef`](crate::ShapeDef) states.
    pub fn set_surface(&mut self, rolling_resistance: f32, tangent_speed: f32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::ShapeSetSurface {
            shape: self.id,
            rolling_resistance,
            tangent_speed,
        });
        let _environment = FloatEnvironment::enter();
        Range::FRICTION.check("rolling_resistance", rolling_resistance)?;
        Range::VELOCITY.check("tangent_speed", tangent_speed)?;
        for shape in self.state.parts_of_same_polygon(self.id.index()) {
            let material = &mut self.state.materials[shape];
            (material.rolling_resistance, material.tangent_speed) = (rolling_resistance, tangent_speed);
            self.state.mix_materials_anew(shape);
        }
        Ok(())
    }
}
