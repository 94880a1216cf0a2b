//! Creating, changing and destroying the shapes of bodies.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::body::{BodyId, NONE, flag};
use crate::constants::{BOX_MARGIN_FRACTION, BOX_MARGIN_MAX_M, MASS_MAX_KG, OBJECTS_MAX};
use crate::contact::pool::{body_mut, body_ref};
use crate::error::Range;
use crate::shape::{ChainDef, Filter, Material, ShapeDef, ShapeId, ShapeLink, ShapeRecord};
use crate::state::State;
use alloc::vec::Vec;
use tombolo_geometry::shape::Shape;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Gives a body a shape; the body's mass follows, and the body wakes if it touches or hangs on anything (one that was
    /// created asleep can be given its shapes). Costs O(1); the body's mass is summed up once, in the next step or when it
    /// is asked for.
    ///
    /// # Errors
    ///
    /// If the body is gone, a number is out of range, the geometry is degenerate, or the world is full.
    pub fn create_shape(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
        geometry: &Shape,
    ) -> Result<ShapeId, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(body)?;
        def.validate_with(geometry)?;
        if self.state.shapes.slot_count() >= OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what: "shapes",
                limit: OBJECTS_MAX,
            });
        }
        self.note_body(body);
        self.state.wake_if_in_place(body);
        Ok(self.state.create_shape(body, def, geometry))
    }

    /// Gives a body a chain of one-sided segments, over whose joints bodies slide without catching. The segments are
    /// shapes like any other, in the order of the points, each with an id of its own: to take the chain away, destroy
    /// them all or the body; one that is destroyed alone leaves a gap with the corners still rounded off. Costs the
    /// points.
    ///
    /// # Errors
    ///
    /// If the body is gone, a number is out of range, there are too few points, two that follow each other are too
    /// near, or the world is full. No segment is made then.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, ChainDef, PhysicsWorld, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// // From right to left, so that its right side is up.
    /// let points = [(50.0, 2.0), (20.0, 0.0), (0.0, 0.0), (-20.0, 1.0)].map(Vec2::from).to_vec();
    /// let segments = world.create_chain(ground, &ChainDef { points, ..Default::default() })?;
    /// assert_eq!(segments.len(), 3);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<Vec<ShapeId>, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(body)?;
        def.shape.validate()?;
        let segments = def.segments()?;
        if self.state.shapes.slot_count() + segments.len() > OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what: "shapes",
                limit: OBJECTS_MAX,
            });
        }
        self.note_body(body);
        self.state.wake_if_in_place(body);
        let add = |segment| self.state.add_shape(body, &def.shape, &segment);
        let ids = segments.into_iter().map(add).collect();
        self.state.note_stale_mass(body);
        Ok(ids)
    }

    /// Removes a shape; the body's mass follows, and whatever rested on the shape wakes, with a dynamic body all that it
    /// touches. With a part of a concave polygon the whole concave polygon goes. Costs the body's contacts.
    ///
    /// # Errors
    ///
    /// If the shape is gone already.
    pub fn destroy_shape(&mut self, id: ShapeId) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let shape = self.state.check_shape(id)?;
        let body = self.state.shape_links[shape].body;
        self.note_body(body);
        self.state
            .destroy_shapes(body, &self.state.parts_of_same_polygon(shape));
        Ok(())
    }

    /// Whether an id was given out by this world, be its shape here still or not: as
    /// [`PhysicsWorld::has_held_body`].
    pub fn has_held_shape(&self, id: ShapeId) -> bool {
        self.state.shapes.has_held(id)
    }

    /// Changes what a shape may touch, with a part of a concave polygon what all its parts may. Touches end, and those
    /// that the filter allows begin again in the next step; what touched the shape wakes, and its body. Costs the
    /// body's contacts.
    ///
    /// # Errors
    ///
    /// If the shape is gone.
    pub fn set_filter(&mut self, id: ShapeId, filter: Filter) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let shape = self.state.check_shape(id)?;
        for shape in self.state.parts_of_same_polygon(shape) {
            self.state.wake_touching_shape(shape);
            let record = self.state.shape_record_mut(shape);
            (record.category, record.mask, record.group) = (filter.category, filter.mask, filter.group);
            self.state.destroy_contacts_of_shape(shape);
            if self.state.shape_links[shape].proxy != NONE {
                self.state.remove_proxy(shape);
                self.state.create_proxy(shape);
            }
        }
        Ok(())
    }

    /// Sets the user's own number of a shape, with a part of a concave polygon that of all its parts. Wakes nobody.
    ///
    /// # Errors
    ///
    /// If the shape is gone.
    pub fn set_shape_user_key(&mut self, id: ShapeId, key: u64) -> Result<(), PhysicsError> {
        let shape = self.state.check_shape(id)?;
        for shape in self.state.parts_of_same_polygon(shape) {
            self.state.shape_record_mut(shape).user_key = key;
        }
        Ok(())
    }

    /// Changes a shape's friction and bounciness, with a part of a concave polygon those of all its parts, and wakes
    /// its body and what touches it; touches mix them anew in the next step. Costs the body's contacts.
    ///
    /// # Errors
    ///
    /// If the shape is gone, or a number is out of the range that [`ShapeDef`] states.
    pub fn set_material(&mut self, id: ShapeId, friction: f32, restitution: f32) -> Result<(), PhysicsError> {
        let shape = self.state.check_shape(id)?;
        Range::FRICTION.check("friction", friction)?;
        Range::RESTITUTION.check("restitution", restitution)?;
        for shape in self.state.parts_of_same_polygon(shape) {
            self.state.count_bouncing(shape, false);
            let material = &mut self.state.materials[shape];
            (material.friction, material.restitution) = (friction, restitution);
            self.state.count_bouncing(shape, true);
            self.state.mix_materials_anew(shape);
        }
        Ok(())
    }

    /// Changes how a shape's surface resists rolling ([`ShapeDef::rolling_resistance`]) and how fast it runs in meters
    /// per second, as a conveyor belt does ([`ShapeDef::tangent_speed`]). Wakes and mixes as
    /// [`PhysicsWorld::set_material`] does; of a concave polygon, all parts change.
    ///
    /// # Errors
    ///
    /// If the shape is gone, or a number is out of the range that [`ShapeDef`] states.
    pub fn set_surface(
        &mut self,
        id: ShapeId,
        rolling_resistance: f32,
        tangent_speed: f32,
    ) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let shape = self.state.check_shape(id)?;
        Range::FRICTION.check("rolling_resistance", rolling_resistance)?;
        Range::VELOCITY.check("tangent_speed", tangent_speed)?;
        for shape in self.state.parts_of_same_polygon(shape) {
            let material = &mut self.state.materials[shape];
            (material.rolling_resistance, material.tangent_speed) = (rolling_resistance, tangent_speed);
            self.state.mix_materials_anew(shape);
        }
        Ok(())
    }
}

impl ShapeDef {
    /// Checks the numbers together with a shape, as [`PhysicsWorld::create_shape`] does before it makes anything.
    ///
    /// # Errors
    ///
    /// What `create_shape` says of the two, whatever the world.
    pub fn validate_with(&self, geometry: &Shape) -> Result<(), PhysicsError> {
        self.validate()?;
        geometry.validate()?;
        check_mass(geometry, self.density)
    }
}

/// Refuses a shape that is so heavy that sums over a body's shapes could overflow.
fn check_mass(geometry: &Shape, density: f32) -> Result<(), PhysicsError> {
    let part = geometry.mass_properties(density);
    if part.mass <= MASS_MAX_KG && part.inertia <= MASS_MAX_KG {
        return Ok(());
    }
    let expected = "a density with which mass and inertia stay below 1e24";
    Err(PhysicsError::InvalidNumber {
        what: "density",
        got: density,
        expected,
    })
}

impl State {
    /// The index of a shape, if it lives.
    pub(crate) fn check_shape(&self, id: ShapeId) -> Result<u32, PhysicsError> {
        if self.shapes.contains(id) {
            Ok(id.index())
        } else {
            Err(PhysicsError::StaleHandle { what: "shape" })
        }
    }

    /// Wakes a body that touches or hangs on anything: it is about to get more mass. One that was created asleep and is
    /// still being given its shapes stays asleep.
    pub(crate) fn wake_if_in_place(&mut self, body: u32) {
        let record = body_ref(&self.bodies, body);
        if record.contact_count > 0 || record.joint_count > 0 {
            self.wake(body);
        }
    }

    /// A shape's surface has changed: its body wakes and what touches it, and its contacts are computed anew.
    fn mix_materials_anew(&mut self, shape: u32) {
        self.wake_touching_shape(shape);
        self.change_contacts_of(self.shape_links[shape].body, |state, index| {
            let place = state.contacts.place_of(index);
            let contact = &mut state.contacts.contacts[place];
            if [contact.shape_a, contact.shape_b].contains(&shape) {
                contact.flags &= !crate::contact::flag::COMPUTED;
            }
        });
    }

    fn create_shape(&mut self, body: u32, def: &ShapeDef, geometry: &Shape) -> ShapeId {
        let id = self.add_shape(body, def, geometry);
        self.note_stale_mass(body);
        id
    }

    /// Destroys shapes of a body, all or those that it has of a concave polygon, and wakes what touches them, or what
    /// touches the body if that is dynamic: it moves as another one then.
    pub(crate) fn destroy_shapes(&mut self, body: u32, shapes: &[u32]) {
        if self.body_sims[body].is_dynamic() {
            self.wake_touching(body);
        } else {
            shapes.iter().for_each(|&shape| self.wake_touching_shape(shape));
        }
        shapes.iter().for_each(|&shape| self.destroy_shape(shape));
        self.note_stale_mass(body);
    }

    /// Wakes a shape's body, and the bodies that touch the shape.
    fn wake_touching_shape(&mut self, shape: u32) {
        let body = self.shape_links[shape].body;
        self.wake(body);
        self.change_contacts_of(body, |state, index| {
            let contact = &state.contacts.contacts[state.contacts.place_of(index)];
            if contact.is_touching() && [contact.shape_a, contact.shape_b].contains(&shape) {
                state.wake(contact.body_a ^ contact.body_b ^ body);
            }
        });
    }

    /// Adds a shape to its body's list and to the broad phase, but not yet to the body's mass.
    pub(crate) fn add_shape(&mut self, body: u32, def: &ShapeDef, geometry: &Shape) -> ShapeId {
        let id = self.shapes.insert(ShapeRecord {
            user_key: def.user_key,
            category: def.filter.category,
            mask: def.filter.mask,
            group: def.filter.group,
            density: def.density,
            contact_events: u32::from(def.contact_events),
            hit_events: u32::from(def.hit_events),
            sensor: 0,
            concave_polygon: 0,
            previous: NONE,
            unused: 0,
        });
        let shape = id.index();
        let extent = geometry.max_extent_from(geometry.centroid());
        let link = ShapeLink {
            body,
            next: NONE,
            proxy: NONE,
            margin: BOX_MARGIN_MAX_M.min(BOX_MARGIN_FRACTION * extent),
        };
        let material = Material {
            friction: def.friction,
            restitution: def.restitution,
            rolling_resistance: def.rolling_resistance,
            tangent_speed: def.tangent_speed,
        };
        self.shape_geometries.grow_to(shape as usize, *geometry);
        self.shape_geometries[shape] = *geometry;
        self.shape_links.grow_to(shape as usize, link);
        self.shape_links[shape] = link;
        self.materials.grow_to(shape as usize, material);
        self.materials[shape] = material;
        self.count_bouncing(shape, true);
        self.list_shape(shape, body);
        if def.sensor {
            self.sensors.push(shape);
            self.shape_record_mut(shape).sensor = self.sensors.count();
        }
        if self.body_sims[body].has(flag::ENABLED) {
            self.create_proxy(shape);
        }
        id
    }

    /// Adds a shape's bounciness to the count of shapes that bounce, or takes it out.
    fn count_bouncing(&mut self, shape: u32, counts: bool) {
        let bouncing = &mut self.settings[0u32].bouncing;
        match (self.materials[shape].restitution > 0.0, counts) {
            (true, true) => *bouncing += 1,
            (true, false) => *bouncing -= 1,
            _ => {}
        }
    }

    /// Removes a shape, but not yet from the body's mass.
    pub(crate) fn destroy_shape(&mut self, shape: u32) {
        self.destroy_contacts_of_shape(shape);
        self.remove_proxy(shape);
        self.delist_shape(shape);
        self.forget_shape(shape);
    }

    /// Gives a shape to another body in the same place, but not yet to the two bodies' masses. Its touches end.
    pub(crate) fn move_shape(&mut self, shape: u32, body: u32) {
        self.destroy_contacts_of_shape(shape);
        self.remove_proxy(shape);
        self.delist_shape(shape);
        self.list_shape(shape, body);
        if let Some(concave_polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.record_mut(concave_polygon);
            (record.body, record.first_part) = (body, shape);
        }
        if self.body_sims[body].has(flag::ENABLED) {
            self.create_proxy(shape);
        }
    }

    /// Puts a shape, which is in no list, first in the list of a body.
    fn list_shape(&mut self, shape: u32, body: u32) {
        let next = core::mem::replace(&mut self.body_sims[body].first_shape, shape);
        debug_assert!(next != shape, "a shape is in one list once");
        let link = &mut self.shape_links[shape];
        (link.body, link.next) = (body, next);
        self.shape_record_mut(shape).previous = NONE;
        if next != NONE {
            debug_assert_eq!(self.shape_record(next).previous, NONE, "the first in the list");
            self.shape_record_mut(next).previous = shape;
        }
        body_mut(&mut self.bodies, body).shape_count += 1;
    }

    /// Takes a shape out of its body's list.
    fn delist_shape(&mut self, shape: u32) {
        let ShapeLink { body, next, .. } = self.shape_links[shape];
        let previous = self.shape_record(shape).previous;
        debug_assert!(
            body_ref(&self.bodies, body).shape_count > 0,
            "a list that counts its shapes"
        );
        body_mut(&mut self.bodies, body).shape_count -= 1;
        if previous == NONE {
            debug_assert_eq!(self.body_sims[body].first_shape, shape, "the first in the list");
            self.body_sims[body].first_shape = next;
        } else {
            debug_assert_eq!(
                self.shape_links[previous].next, shape,
                "neighbors name each other"
            );
            self.shape_links[previous].next = next;
        }
        if next != NONE {
            debug_assert_eq!(
                self.shape_record(next).previous,
                shape,
                "neighbors name each other"
            );
            self.shape_record_mut(next).previous = previous;
        }
        if let Some(concave_polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.record_mut(concave_polygon);
            if record.first_part == shape {
                record.first_part = next;
            }
        }
    }

    /// Removes a shape of which no contact, no box and no need for its place in the body's list is left.
    pub(crate) fn forget_shape(&mut self, shape: u32) {
        debug_assert!(
            self.shape_links[shape].proxy == NONE,
            "disabled before it is forgotten"
        );
        if let Some(concave_polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.record_mut(concave_polygon);
            record.part_count -= 1;
            if record.part_count == 0 {
                self.concave_polygon_pool.remove(concave_polygon);
            }
        }
        let id = self
            .shapes
            .handle_of_slot(shape)
            .expect("bodies have live shapes");
        let place = self.shape_record(shape).sensor.checked_sub(1);
        self.count_bouncing(shape, false);
        self.shapes.remove(id);
        if let Some(place) = place {
            let gone = self.sensors.swap_remove(place as usize);
            debug_assert_eq!(gone, shape, "a sensor knows its place");
            if let Some(&moved) = self.sensors.get(place as usize) {
                self.shape_record_mut(moved).sensor = place + 1;
            }
        }
    }

    fn destroy_contacts_of_shape(&mut self, shape: u32) {
        let body = self.shape_links[shape].body;
        self.change_contacts_of(body, |state, index| {
            if state.contacts.links_of(index).shapes.contains(&shape) {
                state.destroy_contact(index);
            }
        });
    }

    fn shape_record_mut(&mut self, shape: u32) -> &mut ShapeRecord {
        let dense = self
            .shapes
            .dense_index_of_slot(shape)
            .expect("internal shape indices are live");
        self.shapes
            .value_at_mut(dense)
            .expect("a dense index of a live shape")
    }

    /// The record of a shape that is known to live.
    pub(crate) fn shape_record(&self, shape: u32) -> &ShapeRecord {
        let dense = self
            .shapes
            .dense_index_of_slot(shape)
            .expect("internal shape indices are live");
        self.shapes
            .value_at(dense)
            .expect("a dense index of a live shape")
    }
}
