//! Shapes in the state: adding, moving and removing them, with their boxes, contacts and lists.

use crate::PhysicsError;
use crate::body::{BodyKind, NONE, flag};
use crate::constants::{BOX_MARGIN_FRACTION, BOX_MARGIN_MAX_M, BOX_REACH_M, MASS_MAX_KG};
use crate::shape::{ShapeDef, ShapeId, ShapeLink, ShapeRecord, Watcher};
use crate::state::State;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::shape::Shape;

impl ShapeDef {
    /// Checks the numbers together with a shape, like [`PhysicsWorld::create_shape`](crate::PhysicsWorld::create_shape)
    /// before it creates anything.
    ///
    /// # Errors
    ///
    /// The errors of `create_shape` that do not depend on the world.
    pub fn validate_with(&self, geometry: &Shape) -> Result<(), PhysicsError> {
        self.validate()?;
        geometry.validate()?;
        check_mass(geometry, self.density)
    }
}

/// Returns an error for a shape so heavy that sums over a body's shapes could overflow.
pub(crate) fn check_mass(geometry: &Shape, density: f32) -> Result<(), PhysicsError> {
    // Most are far from it, also with all of the shape as far from its origin as its farthest part.
    let extent = f64::from(geometry.max_extent_from(Vec2::ZERO));
    let area = 4.0 * extent * extent;
    let most = f64::from(density) * area * (2.0 * extent * extent).max(1.0);
    if most < 0.5 * f64::from(MASS_MAX_KG) {
        return Ok(());
    }
    let part = geometry.mass_properties(density);
    if part.mass <= MASS_MAX_KG && part.inertia <= MASS_MAX_KG {
        return Ok(());
    }
    Err(too_heavy(density))
}

/// The error for a density with which sums over a body's shapes could overflow.
pub(super) fn too_heavy(density: f32) -> PhysicsError {
    PhysicsError::InvalidNumber {
        what: "density",
        got: density,
        expected: "a density with which mass and inertia stay below 1e24",
    }
}

/// The margin of the fat box of a moving shape, in meters.
pub(crate) fn box_margin(geometry: &Shape) -> f32 {
    let extent = geometry.max_extent_from(geometry.centroid());
    BOX_MARGIN_MAX_M.min(BOX_MARGIN_FRACTION * extent)
}

impl State {
    /// Returns an error for a half-space on a dynamic body.
    pub(crate) fn check_may_have(&self, body: u32, geometry: &Shape) -> Result<(), PhysicsError> {
        if geometry.is_half_space() && self.body_sims[body].is_dynamic() {
            return Err(PhysicsError::WithoutEnd);
        }
        Ok(())
    }

    /// Returns an error if a body with a half-space is to become dynamic.
    pub(crate) fn check_may_be(&self, body: u32, kind: BodyKind) -> Result<(), PhysicsError> {
        let has_no_end = |shape: u32| self.shape_geometries[shape].is_half_space();
        if kind == BodyKind::Dynamic && self.shapes_of(body).any(has_no_end) {
            return Err(PhysicsError::WithoutEnd);
        }
        Ok(())
    }

    /// The contact skin of a shape in meters. Reads no material of a body without skins.
    #[inline]
    pub(crate) fn contact_skin(&self, shape: u32) -> f32 {
        if self.body_sims[self.shape_links[shape].body].has(flag::SKINS) {
            self.materials[shape].contact_skin()
        } else {
            0.0
        }
    }

    /// The geometry of a shape with its contact skin.
    pub(crate) fn geometry_with_skin(&self, shape: u32) -> Cow<'_, Shape> {
        let geometry = &self.shape_geometries[shape];
        match self.contact_skin(shape) {
            0.0 => Cow::Borrowed(geometry),
            skin => Cow::Owned(geometry.grown(skin)),
        }
    }

    /// The distance in meters by which the box of a shape extends beyond it at least.
    pub(crate) fn box_reach(&self, shape: u32) -> f32 {
        BOX_REACH_M + self.contact_skin(shape)
    }

    /// The index of a shape, if it exists.
    pub(crate) fn check_shape(&self, id: ShapeId) -> Result<u32, PhysicsError> {
        if self.shapes.contains(id) {
            Ok(id.index())
        } else {
            Err(PhysicsError::StaleHandle { what: "shape" })
        }
    }

    /// The index of a shape, if it exists and is not made of tiles.
    pub(crate) fn check_own_shape(&self, id: ShapeId) -> Result<u32, PhysicsError> {
        let shape = self.check_shape(id)?;
        if self.tile_grids.span_of(shape).is_some() {
            return Err(PhysicsError::MadeOfTiles);
        }
        Ok(shape)
    }

    /// Wakes a body that has contacts or joints, before its mass increases. A body that was created asleep and is still
    /// being given its shapes stays asleep.
    pub(crate) fn wake_if_in_place(&mut self, body: u32) {
        let record = self.bodies.live(body);
        if record.contact_count > 0 || record.joint_count > 0 {
            self.wake(body);
        }
    }

    /// Marks the contacts of a shape to be computed anew after a change of its material, and wakes its body and the bodies
    /// that touch it.
    pub(crate) fn recompute_contacts_of_shape(&mut self, shape: u32) {
        self.wake_touching_shape(shape);
        self.change_contacts_of(self.shape_links[shape].body, |state, index| {
            let place = state.contacts.place_of(index);
            let contact = &mut state.contacts.contacts[place];
            if [contact.shape_a, contact.shape_b].contains(&shape) {
                contact.flags &= !crate::contact::flag::COMPUTED;
            }
        });
    }

    pub(crate) fn create_shape(&mut self, body: u32, def: &ShapeDef, geometry: &Shape) -> ShapeId {
        let id = self.add_shape(body, def, geometry);
        self.note_stale_mass(body);
        id
    }

    /// Destroys shapes of a body, all or those that it has of a concave polygon, and wakes the bodies that touch them,
    /// or all that touch the body if it is dynamic, as its mass changes.
    pub(crate) fn destroy_shapes(&mut self, body: u32, shapes: &[u32]) {
        let contacts = self.contacts_of_shapes(body, shapes);
        if self.body_sims[body].is_dynamic() {
            self.wake_touching(body);
        } else {
            self.wake(body);
            for &index in &contacts {
                let contact = &self.contacts.contacts[self.contacts.place_of(index)];
                if contact.is_pushing() {
                    self.wake(contact.other_body(body));
                }
            }
        }
        contacts.into_iter().for_each(|index| self.destroy_contact(index));
        shapes.iter().for_each(|&shape| self.remove_shape(shape));
        self.note_stale_mass(body);
    }

    /// Wakes a shape's body, and the bodies that touch the shape.
    pub(crate) fn wake_touching_shape(&mut self, shape: u32) {
        let body = self.shape_links[shape].body;
        self.wake(body);
        self.change_contacts_of(body, |state, index| {
            let contact = &state.contacts.contacts[state.contacts.place_of(index)];
            if contact.is_pushing() && [contact.shape_a, contact.shape_b].contains(&shape) {
                state.wake(contact.other_body(body));
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
            watcher: 0,
        });
        let shape = id.index();
        let link = ShapeLink {
            body,
            next: NONE,
            proxy: NONE,
            margin: box_margin(geometry),
        };
        let material = def.to_material();
        self.shape_geometries.put(shape, *geometry);
        self.shape_links.put(shape, link);
        self.materials.put(shape, material);
        self.count_bouncing(shape, true);
        self.list_shape(shape, body);
        if def.sensor {
            self.sensors.push(shape);
            self.shapes.live_mut(shape).sensor = self.sensors.count();
        }
        self.watch(Watcher::of(shape, def));
        if self.body_sims[body].has(flag::ENABLED) {
            self.create_proxy(shape);
        }
        id
    }

    /// The reports that a shape requests; `None` if there are none.
    pub(crate) fn watcher_of(&self, shape: u32) -> Option<&Watcher> {
        let place = self.shapes.live(shape).watcher.checked_sub(1)?;
        self.watchers.get(place as usize)
    }

    /// Sets the reports that a shape requests.
    pub(crate) fn watch(&mut self, watcher: Watcher) {
        let place = self.shapes.live(watcher.shape).watcher;
        match (place.checked_sub(1), watcher.asks()) {
            (Some(place), true) => self.watchers[place] = watcher,
            (None, true) => {
                self.watchers.push(watcher);
                self.shapes.live_mut(watcher.shape).watcher = self.watchers.count();
            }
            (Some(place), false) => {
                self.shapes.live_mut(watcher.shape).watcher = 0;
                let gone = self.watchers.swap_remove(place as usize);
                debug_assert_eq!(gone.shape, watcher.shape, "a watcher knows its place");
                if let Some(moved) = self.watchers.get(place as usize) {
                    let moved = moved.shape;
                    self.shapes.live_mut(moved).watcher = place + 1;
                }
            }
            (None, false) => {}
        }
    }

    /// Adds a shape to the count of shapes with restitution, or removes it.
    pub(crate) fn count_bouncing(&mut self, shape: u32, counts: bool) {
        let bouncing = &mut self.head[0u32].settings.bouncing;
        match (self.materials[shape].restitution > 0.0, counts) {
            (true, true) => *bouncing += 1,
            (true, false) => *bouncing -= 1,
            _ => {}
        }
    }

    /// Removes a shape without contacts; the body's mass is not yet updated.
    pub(crate) fn remove_shape(&mut self, shape: u32) {
        self.remove_proxy(shape);
        self.delist_shape(shape);
        self.forget_shape(shape);
    }

    /// Moves a shape without contacts to another body, in the same place of its frame; the two bodies' masses are not
    /// yet updated.
    pub(crate) fn move_shape(&mut self, shape: u32, body: u32) {
        self.remove_proxy(shape);
        self.delist_shape(shape);
        self.list_shape(shape, body);
        if let Some(concave_polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.records.live_mut(concave_polygon);
            (record.body, record.first_part) = (body, shape);
        }
        if self.body_sims[body].has(flag::ENABLED) {
            self.create_proxy(shape);
        }
    }

    /// Inserts a shape, which is in no list, at the head of the list of a body.
    fn list_shape(&mut self, shape: u32, body: u32) {
        let next = core::mem::replace(&mut self.body_sims[body].first_shape, shape);
        debug_assert!(next != shape, "a shape is in one list once");
        let link = &mut self.shape_links[shape];
        (link.body, link.next) = (body, next);
        self.shapes.live_mut(shape).previous = NONE;
        if self.materials[shape].skin != 0 {
            self.body_sims[body].set(flag::SKINS, true);
        }
        if next != NONE {
            debug_assert_eq!(self.shapes.live(next).previous, NONE, "the first in the list");
            self.shapes.live_mut(next).previous = shape;
        }
        self.bodies.live_mut(body).shape_count += 1;
    }

    /// Removes a shape from its body's list.
    pub(super) fn delist_shape(&mut self, shape: u32) {
        let ShapeLink { body, next, .. } = self.shape_links[shape];
        let previous = self.shapes.live(shape).previous;
        debug_assert!(
            self.bodies.live(body).shape_count > 0,
            "a list that counts its shapes"
        );
        self.bodies.live_mut(body).shape_count -= 1;
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
                self.shapes.live(next).previous,
                shape,
                "neighbors name each other"
            );
            self.shapes.live_mut(next).previous = previous;
        }
        if let Some(concave_polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.records.live_mut(concave_polygon);
            if record.first_part == shape {
                record.first_part = next;
            }
        }
    }

    /// Removes a shape that has no contacts and no proxy and is no longer needed in the body's list.
    pub(crate) fn forget_shape(&mut self, shape: u32) {
        debug_assert!(
            self.shape_links[shape].proxy == NONE,
            "disabled before it is forgotten"
        );
        if let Some(concave_polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.records.live_mut(concave_polygon);
            record.part_count -= 1;
            if record.part_count == 0 {
                self.concave_polygon_pool.remove(concave_polygon);
            }
        }
        self.forget_span(shape);
        self.leave_member(shape);
        let id = self.shapes.live_id(shape);
        self.delist_sensor(shape);
        self.watch(Watcher::of(shape, &ShapeDef::default()));
        self.count_bouncing(shape, false);
        self.forget_ignored_pairs(shape);
        self.shapes.remove(id);
    }

    /// Removes a shape from the list of sensors, if it is in it. Its record is not updated.
    pub(crate) fn delist_sensor(&mut self, shape: u32) {
        let Some(place) = self.shapes.live(shape).sensor.checked_sub(1) else {
            return;
        };
        let gone = self.sensors.swap_remove(place as usize);
        debug_assert_eq!(gone, shape, "a sensor knows its place");
        if let Some(&moved) = self.sensors.get(place as usize) {
            self.shapes.live_mut(moved).sensor = place + 1;
        }
    }

    /// The contacts of some shapes of a body, shape by shape, those of each as in the body's list. Costs a look at each
    /// contact of the body, and sorting.
    fn contacts_of_shapes(&self, body: u32, shapes: &[u32]) -> Vec<u32> {
        let mut ranks: Vec<(u32, usize)> = shapes.iter().copied().zip(0..).collect();
        ranks.sort_unstable();
        let rank_of = |&shape: &u32| {
            let place = ranks.binary_search_by_key(&shape, |&(shape, _)| shape);
            place.ok().map(|place| ranks[place].1)
        };
        let mut contacts: Vec<(usize, u32)> = self
            .contacts_of(body)
            .filter_map(|index| {
                let shapes = self.contacts.links.live(index).shapes;
                let rank = shapes.iter().filter_map(rank_of).min()?;
                Some((rank, index))
            })
            .collect();
        contacts.sort_by_key(|&(rank, _)| rank);
        contacts.into_iter().map(|(_, index)| index).collect()
    }

    /// Destroys the contacts of some shapes of a body in one walk, shape by shape.
    pub(crate) fn destroy_contacts_of_shapes(&mut self, body: u32, shapes: &[u32]) {
        let contacts = self.contacts_of_shapes(body, shapes);
        contacts.into_iter().for_each(|index| self.destroy_contact(index));
    }

    pub(crate) fn destroy_contacts_of_shape(&mut self, shape: u32) {
        let body = self.shape_links[shape].body;
        self.change_contacts_of(body, |state, index| {
            if state.contacts.links.live(index).shapes.contains(&shape) {
                state.destroy_contact(index);
            }
        });
    }
}
