//! Changes of a shape or of a body's pose in place, and their effects on contacts, boxes and the body's mass.

use crate::PhysicsError;
use crate::body::{BodyKind, BodyPose, NONE, flag};
use crate::broad_phase::{ProxyFilter, TreeKind};
use crate::constants::MASS_MAX_KG;
use crate::contact::{flag as contact_flag, flags_asked_by, mark};
use crate::error::density as check_density;
use crate::objects::shapes::{box_margin, check_mass};
use crate::shape::ShapeLink;
use crate::state::State;
use alloc::vec::Vec;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose};

impl State {
    /// Calls `change` for each contact of a shape; it may destroy that contact, but no other.
    fn change_contacts_of_shape(&mut self, shape: u32, mut change: impl FnMut(&mut Self, u32)) {
        self.change_contacts_of(self.shape_links[shape].body, |state, index| {
            if state.contacts.links.live(index).shapes.contains(&shape) {
                change(state, index);
            }
        });
    }

    /// Wakes the dynamic bodies whose boxes a shape of a static body overlaps, with shapes that `concerns` accepts, before
    /// the two may begin to touch: a pair of which neither is awake is not looked at. Costs the shapes near by.
    pub(crate) fn wake_near_static(&mut self, shape: u32, concerns: impl Fn(&Self, u32) -> bool) {
        let ShapeLink { body, proxy, .. } = self.shape_links[shape];
        if proxy == NONE || self.body_sims[body].kind() != BodyKind::Static {
            return;
        }
        let mut near = Vec::new();
        let area = self.broad_phase.fat_box(proxy);
        self.broad_phase.query_tree(TreeKind::Dynamic, area, |other| {
            let others = self.shape_links[other];
            if self.broad_phase.passes_filter(proxy, others.proxy) && concerns(self, other) {
                near.push(others.body);
            }
        });
        near.sort_unstable();
        near.into_iter().for_each(|body| self.wake(body));
    }

    /// Updates contacts after a change of a shape's filter: those that it refuses end, and new pairs are requested.
    pub(crate) fn follow_filter(&mut self, shape: u32) {
        let filter = self.shapes.live(shape).filter();
        let proxy = self.shape_links[shape].proxy;
        if proxy != NONE {
            let filter = ProxyFilter {
                categories: filter.category,
                mask: filter.mask,
                group: filter.group,
            };
            self.broad_phase.set_filter(proxy, filter);
        }
        self.change_contacts_of_shape(shape, |state, index| {
            let [a, b] = state.contacts.links.live(index).shapes;
            if !filter.allows(state.shapes.live(a ^ b ^ shape).filter()) {
                state.destroy_contact(index);
            } else {
                state.follow_callbacks(state.contacts.place_of(index));
            }
        });
        self.wake_near_static(shape, |_, _| true);
    }

    /// Wakes the dynamic bodies that a static body may begin to touch where a call has put it; see
    /// [`State::wake_near_static`].
    pub(crate) fn wake_near_body(&mut self, body: u32) {
        self.change_shapes_of(body, |state, shape| state.wake_near_static(shape, |_, _| true));
    }

    /// Updates contacts after a change of the events that a shape requests.
    pub(crate) fn follow_events(&mut self, shape: u32) {
        self.change_contacts_of_shape(shape, |state, index| {
            let links = *state.contacts.links.live(index);
            let [a, b] = links.shapes.map(|shape| flags_asked_by(state.shapes.live(shape)));
            let asked = contact_flag::EVENTS | contact_flag::HITS;
            let flags = &mut state.contacts.contacts[links.place].flags;
            *flags = *flags & !asked | a | b;
            let hits = *flags & contact_flag::HITS != 0;
            let surface = &mut state.contacts.cached_manifolds[links.place].surface;
            surface.marks = surface.marks & !mark::HITS | if hits { mark::HITS } else { 0 };
            if !hits {
                surface.approach_speed = 0.0;
            }
        });
    }

    /// Makes a solid shape a sensor, or a sensor solid. The mass is not yet updated.
    pub(crate) fn set_sensor(&mut self, shape: u32, sensor: bool) {
        if sensor {
            self.destroy_contacts_of_shape(shape);
            self.remove_proxy(shape);
            self.sensors.push(shape);
            self.shapes.live_mut(shape).sensor = self.sensors.count();
            return;
        }
        self.delist_sensor(shape);
        self.shapes.live_mut(shape).sensor = 0;
        let body = self.shape_links[shape].body;
        if self.body_sims[body].has(flag::ENABLED) {
            self.create_proxy(shape);
            self.wake_near_static(shape, |_, _| true);
        }
    }

    /// Changes the density of a shape, or of all parts of its concave polygon.
    pub(crate) fn set_density(&mut self, shape: u32, density: f32) -> Result<(), PhysicsError> {
        check_density("density", density)?;
        let body = self.shape_links[shape].body;
        if let Some(polygon) = self.concave_polygon_of(shape) {
            let record = self.concave_polygon_pool.records.live_mut(polygon);
            let most = record.area.max(record.inertia) * f64::from(density);
            if most > f64::from(MASS_MAX_KG) {
                return Err(PhysicsError::InvalidNumber {
                    what: "density",
                    got: density,
                    expected: "a density with which mass and inertia stay below 1e24",
                });
            }
            record.density = density;
        } else {
            check_mass(&self.shape_geometries[shape], density)?;
        }
        for part in self.parts_of_same_polygon(shape) {
            self.shapes.live_mut(part).density = density;
        }
        self.note_stale_mass(body);
        self.wake(body);
        Ok(())
    }

    /// Replaces the geometry of a shape that is not a part of a concave polygon.
    pub(crate) fn set_geometry(&mut self, shape: u32, geometry: &Shape) {
        let body = self.shape_links[shape].body;
        self.wake_touching_shape(shape);
        self.shape_geometries[shape] = *geometry;
        self.shape_links[shape].margin = box_margin(geometry);
        self.note_stale_mass(body);
        self.follow_extent(shape);
    }

    /// Changes the contact skin of a shape, in units of [`Material::skin`](crate::shape::Material::skin).
    pub(crate) fn set_contact_skin(&mut self, shape: u32, skin: u16) {
        let body = self.shape_links[shape].body;
        self.wake_touching_shape(shape);
        self.materials[shape].skin = skin;
        if skin != 0 {
            self.body_sims[body].set(flag::SKINS, true);
        }
        self.note_stale_mass(body);
        self.follow_extent(shape);
    }

    /// Updates the box and the contacts of a shape whose extent has changed: contacts that are out of reach end, and the
    /// others are computed anew.
    fn follow_extent(&mut self, shape: u32) {
        if self.shape_links[shape].proxy == NONE {
            return;
        }
        self.renew_box(shape);
        self.change_contacts_of_shape(shape, |state, index| {
            let place = state.contacts.place_of(index);
            if state.boxes_overlap(&state.contacts.contacts[place]) {
                state.contacts.contacts[place].flags &= !contact_flag::COMPUTED;
            } else {
                state.end_parted(index, shape);
            }
        });
        self.wake_near_static(shape, |_, _| true);
    }

    /// Moves a body to a pose together with its contacts: those of shapes whose boxes still overlap stay, and are
    /// computed anew in the next step. Wakes the body and what touches it.
    ///
    /// As in a step, a shape of a body that moves keeps its box while it is within it: then the tree, the pairs and the set
    /// of contacts stay as they are.
    pub(crate) fn move_in_place(&mut self, body: u32, pose: Pose) {
        let place = &mut self.body_poses[body];
        *place = BodyPose::new(pose, place.local_center);
        if !self.body_sims[body].has(flag::ENABLED) {
            return;
        }
        self.rouse(body);
        let mut has_new_boxes = false;
        self.change_shapes_of(body, |state, shape| {
            if state.shape_links[shape].proxy != NONE {
                has_new_boxes |= state.renew_box_if_left(shape);
            }
        });
        self.follow_move(body, has_new_boxes);
        self.wake_joined(body);
        if self.body_sims[body].kind() == BodyKind::Static {
            self.wake_near_body(body);
        }
    }

    /// Has the contacts of a body that was moved computed anew in the next step, or ends those whose boxes have parted, if
    /// the body `has_new_boxes`. Wakes what touches it.
    fn follow_move(&mut self, body: u32, has_new_boxes: bool) {
        let wakes = !self.touches_only_awake(body);
        self.change_contacts_of(body, |state, index| {
            let mut place = state.contacts.place_of(index);
            if wakes && state.contacts.contacts[place].is_pushing() {
                let other = state.contacts.contacts[place].other_body(body);
                state.wake(other);
                place = state.contacts.place_of(index);
            }
            if has_new_boxes && !state.boxes_overlap(&state.contacts.contacts[place]) {
                let links = state.contacts.links.live(index);
                let shape = links.shapes[usize::from(links.bodies[0] != body)];
                state.end_parted(index, shape);
            } else {
                state.contacts.contacts[place].flags &= !contact_flag::COMPUTED;
            }
        });
    }

    /// Ends a contact because a call parted the boxes of its shapes, and has those of one of them looked at anew in the next
    /// step: should a later call bring them together again, they overlapped in the last step too and would not be new.
    fn end_parted(&mut self, index: u32, shape: u32) {
        self.broad_phase.touch(self.shape_links[shape].proxy);
        self.destroy_contact(index);
    }

    /// Computes the box of a shape with a proxy if the shape has left it; if it is static, which no step does, in any case.
    /// Returns whether the box is another one.
    fn renew_box_if_left(&mut self, shape: u32) -> bool {
        let ShapeLink { body, proxy, .. } = self.shape_links[shape];
        let tight = self.shape_geometries[shape].aabb(self.body_poses[body].pose);
        let (present, reached) = (
            self.broad_phase.fat_box(proxy),
            tight.grown(self.box_reach(shape)),
        );
        let is_kept = match self.body_sims[body].kind() {
            BodyKind::Static => present == reached,
            BodyKind::Kinematic | BodyKind::Dynamic => present.contains(reached),
        };
        if !is_kept {
            self.put_box(shape, tight);
        }
        !is_kept
    }

    /// Computes the box of a shape with a proxy for its present geometry and pose.
    fn renew_box(&mut self, shape: u32) {
        let body = self.shape_links[shape].body;
        let tight = self.shape_geometries[shape].aabb(self.body_poses[body].pose);
        self.put_box(shape, tight);
    }

    /// Sets the box of a shape with a proxy, whose tight box is given.
    fn put_box(&mut self, shape: u32, tight: Aabb) {
        let link = &self.shape_links[shape];
        let (body, proxy) = (link.body, link.proxy);
        let margin = match self.body_sims[body].kind() {
            BodyKind::Static => 0.0,
            BodyKind::Kinematic | BodyKind::Dynamic => link.margin,
        };
        self.broad_phase
            .set_box(proxy, tight.grown(self.box_reach(shape) + margin))
            .expect("shapes and poses are finite and in range");
    }
}
