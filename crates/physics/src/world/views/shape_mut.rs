//! Methods of [`ShapeMut`]: changing a shape's geometry, material, filter and events.

use super::{ShapeMut, ShapeRef};
use crate::PhysicsError;
use crate::error::Range;
use crate::objects::shapes::check_mass;
use crate::recording::Call;
use crate::shape::{CombineRule, Filter, Material, ShapeDef, Watcher, check_material, skin_units};
use tombolo_geometry::shape::Shape;
use tombolo_threads::FloatEnvironment;

/// A change of a part of a concave polygon applies to all its parts.
impl ShapeMut<'_> {
    /// A view of the shape for reading.
    pub fn view(&self) -> ShapeRef<'_> {
        ShapeRef {
            state: &self.world.state,
            id: self.id,
        }
    }

    /// Changes the collision filter. Touches that it now rejects end, others continue, and touches that it now allows
    /// begin in the next step; the shape's body wakes, and so do the bodies that touch it. Costs the number of the
    /// body's contacts.
    pub fn set_filter(&mut self, filter: Filter) {
        self.world.log.report(|| Call::ShapeSetFilter {
            shape: self.id,
            filter,
        });
        let _environment = FloatEnvironment::enter_call();
        let state = &mut self.world.state;
        for shape in state.parts_of_same_polygon(self.id.index()) {
            state.wake_touching_shape(shape);
            state.shapes.live_mut(shape).set_filter(filter);
            state.follow_filter(shape);
            if !state.category_rules.is_empty() {
                state.follow_rules_of(shape, |_, _| true);
            }
        }
    }

    /// Sets whether begin and end of touches are reported, and hard hits. If the begin of a touch was reported, its end
    /// is; if not, not; whatever is set in between. Wakes no body. Costs the number of the body's contacts.
    pub fn set_events(&mut self, contact_events: bool, hit_events: bool) {
        self.world.log.report(|| Call::ShapeSetEvents {
            shape: self.id,
            contact_events,
            hit_events,
        });
        let state = &mut self.world.state;
        for shape in state.parts_of_same_polygon(self.id.index()) {
            let record = state.shapes.live_mut(shape);
            record.contact_events = u32::from(contact_events);
            record.hit_events = u32::from(hit_events);
            state.follow_events(shape);
        }
    }

    /// Makes the shape a sensor, or a solid shape again. Its touches or its sensor overlaps end; those of its new kind
    /// are found in the next step. The body's mass is updated; the body wakes, and so do the bodies that touch it.
    pub fn set_sensor(&mut self, sensor: bool) {
        self.world.log.report(|| Call::ShapeSetSensor {
            shape: self.id,
            sensor,
        });
        let _environment = FloatEnvironment::enter_call();
        let state = &mut self.world.state;
        let body = state.shape_links[self.id.index()].body;
        if (state.shapes.live(self.id.index()).sensor != 0) == sensor {
            return;
        }
        state.wake_touching(body);
        for shape in state.parts_of_same_polygon(self.id.index()) {
            state.set_sensor(shape, sensor);
        }
        state.note_stale_mass(body);
        self.world.note_body(body);
    }

    /// Changes the density in kilograms per square meter; the body's mass is updated, and the body wakes. Touches
    /// continue.
    ///
    /// # Errors
    ///
    /// If it is out of the range that [`ShapeDef`](crate::ShapeDef) states, or too great for a shape of this size.
    pub fn set_density(&mut self, density: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::ShapeSetDensity {
            shape: self.id,
            density,
        });
        let _environment = FloatEnvironment::enter_call();
        self.world.state.set_density(self.id.index(), density)
    }

    /// Replaces the shape's geometry. Touches that still hold continue, others end, and new ones begin in the next
    /// step. The body's mass is updated; the body wakes, and so do the bodies that touch it. Costs the number of the
    /// body's contacts.
    ///
    /// # Errors
    ///
    /// If the geometry is degenerate or too heavy at the shape's density, or the shape is a part of a concave polygon; or if
    /// it is a half-space and the body dynamic.
    pub fn set_geometry(&mut self, geometry: &Shape) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::ShapeSetGeometry {
            shape: self.id,
            geometry: *geometry,
        });
        let _environment = FloatEnvironment::enter_call();
        let shape = self.id.index();
        geometry.validate()?;
        check_mass(geometry, self.world.state.shapes.live(shape).density)?;
        if self.world.state.concave_polygon_of(shape).is_some() {
            return Err(PhysicsError::PartOfPolygon);
        }
        let body = self.world.state.shape_links[shape].body;
        self.world.state.check_may_have(body, geometry)?;
        self.world.note_body(body);
        self.world.geometry_version += 1;
        self.world.state.set_geometry(shape, geometry);
        Ok(())
    }

    /// Changes the rules by which friction and restitution are combined with those of the other shape; wakes bodies and
    /// updates contacts like [`ShapeMut::set_material`].
    pub fn set_combine_rules(&mut self, friction: CombineRule, restitution: CombineRule) {
        self.world.log.report(|| Call::ShapeSetCombineRules {
            shape: self.id,
            friction,
            restitution,
        });
        let state = &mut self.world.state;
        for shape in state.parts_of_same_polygon(self.id.index()) {
            state.materials[shape].rules = Material::rules(friction, restitution);
            state.recompute_contacts_of_shape(shape);
        }
    }

    /// Changes the distance in meters that the shape keeps from others
    /// ([`ShapeDef::contact_skin`](crate::ShapeDef::contact_skin)). What is nearer now is pushed out, and what rests on it
    /// comes down: the shape's body wakes, and so do the bodies that touch it. Touches that still hold continue, others
    /// end, and new ones begin in the next step. Costs the number of the body's contacts.
    ///
    /// # Errors
    ///
    /// If it is not from 0 to [`CONTACT_SKIN_MAX_M`](crate::constants::CONTACT_SKIN_MAX_M).
    pub fn set_contact_skin(&mut self, contact_skin: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::ShapeSetContactSkin {
            shape: self.id,
            contact_skin,
        });
        let _environment = FloatEnvironment::enter_call();
        Range::CONTACT_SKIN.check("contact_skin", contact_skin)?;
        for shape in self.world.state.parts_of_same_polygon(self.id.index()) {
            self.world.state.set_contact_skin(shape, skin_units(contact_skin));
        }
        Ok(())
    }

    /// Changes the number of the shape's material, by which contact rules refer to it; wakes its body and those that
    /// touch it. Touches that a rule then ignores end.
    ///
    /// # Errors
    ///
    /// If it is [`ANY_MATERIAL`](crate::ANY_MATERIAL).
    pub fn set_material_number(&mut self, material: u32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::ShapeSetMaterialNumber {
            shape: self.id,
            material,
        });
        let _environment = FloatEnvironment::enter_call();
        check_material("material", material)?;
        let state = &mut self.world.state;
        for shape in state.parts_of_same_polygon(self.id.index()) {
            state.materials[shape].id = material;
            if state.rules.is_empty() {
                state.wake_touching_shape(shape);
            } else {
                state.follow_rules_of(shape, |_, _| true);
            }
        }
        Ok(())
    }

    /// Changes the force in newtons from which touches of the shape are reported, 0 for none
    /// ([`ShapeDef::force_threshold`](crate::ShapeDef::force_threshold)). Wakes no body.
    ///
    /// # Errors
    ///
    /// If it is not from 0 to 1e30.
    pub fn set_force_threshold(&mut self, newtons: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::ShapeSetForceThreshold {
            shape: self.id,
            newtons,
        });
        Range::THRESHOLD.check("force_threshold", newtons)?;
        self.watch(|watcher| watcher.force_threshold = newtons);
        Ok(())
    }

    /// Sets whether the shape, if it is a sensor, reports other sensors, and whether it, if it is not a sensor and on a
    /// static or kinematic body, reports shapes of such bodies
    /// ([`ShapeDef::sees_sensors`](crate::ShapeDef::sees_sensors), [`sees_fixed`](crate::ShapeDef::sees_fixed)).
    /// Overlaps that are no longer reported end in the next step. Wakes no body.
    pub fn set_sees(&mut self, sensors: bool, fixed: bool) {
        self.world.log.report(|| Call::ShapeSetSees {
            shape: self.id,
            sensors,
            fixed,
        });
        self.watch(|watcher| {
            (watcher.sees_sensors, watcher.sees_fixed) = (u32::from(sensors), u32::from(fixed));
        });
    }

    fn watch(&mut self, change: impl Fn(&mut Watcher)) {
        for shape in self.world.state.parts_of_same_polygon(self.id.index()) {
            let nothing = Watcher::of(shape, &ShapeDef::default());
            let mut watcher = self.world.state.watcher_of(shape).copied().unwrap_or(nothing);
            change(&mut watcher);
            self.world.state.watch(watcher);
        }
    }

    /// Sets the user's own number. Wakes no body.
    pub fn set_user_key(&mut self, key: u64) {
        self.world
            .log
            .report(|| Call::ShapeSetUserKey { shape: self.id, key });
        for shape in self.world.state.parts_of_same_polygon(self.id.index()) {
            self.world.state.shapes.live_mut(shape).user_key = key;
        }
    }

    /// Changes friction and restitution; wakes the shape's body and those that touch it; touches combine them anew in
    /// the next step. Costs the number of the body's contacts.
    ///
    /// # Errors
    ///
    /// If a number is out of the range that [`ShapeDef`](crate::ShapeDef) states.
    pub fn set_material(&mut self, friction: f32, restitution: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::ShapeSetMaterial {
            shape: self.id,
            friction,
            restitution,
        });
        Range::FRICTION.check("friction", friction)?;
        Range::RESTITUTION.check("restitution", restitution)?;
        for shape in self.world.state.parts_of_same_polygon(self.id.index()) {
            self.world.state.count_bouncing(shape, false);
            let material = &mut self.world.state.materials[shape];
            (material.friction, material.restitution) = (friction, restitution);
            self.world.state.count_bouncing(shape, true);
            self.world.state.recompute_contacts_of_shape(shape);
        }
        Ok(())
    }

    /// Changes the rolling resistance ([`ShapeDef::rolling_resistance`](crate::ShapeDef::rolling_resistance)) and the
    /// surface speed in meters per second, as of a conveyor belt
    /// ([`ShapeDef::tangent_speed`](crate::ShapeDef::tangent_speed)). Wakes bodies and updates contacts like
    /// [`ShapeMut::set_material`].
    ///
    /// # Errors
    ///
    /// If a number is out of the range that [`ShapeDef`](crate::ShapeDef) states.
    pub fn set_surface(&mut self, rolling_resistance: f32, tangent_speed: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::ShapeSetSurface {
            shape: self.id,
            rolling_resistance,
            tangent_speed,
        });
        let _environment = FloatEnvironment::enter_call();
        Range::FRICTION.check("rolling_resistance", rolling_resistance)?;
        Range::VELOCITY.check("tangent_speed", tangent_speed)?;
        for shape in self.world.state.parts_of_same_polygon(self.id.index()) {
            let material = &mut self.world.state.materials[shape];
            (material.rolling_resistance, material.tangent_speed) = (rolling_resistance, tangent_speed);
            self.world.state.recompute_contacts_of_shape(shape);
        }
        Ok(())
    }
}
