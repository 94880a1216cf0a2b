//! Checks of a restored state that may have been forged: lists and links, each compared from both ends.
//!
//! A checksum is no protection against forgery: it can be computed again after a change. Parallel stages write to a
//! body's own shapes and to the bodies of one island at the same time, so a list that two bodies share, or a constraint
//! between two islands, must be refused here. Lists that pass can be walked without endless loops or panics. Called by
//! `check.rs` only; reads only.

use super::State;
use super::edges::{contact_edge, joint_edge};
use crate::body::{BodyId, BodySim, NONE, flag};
use crate::contact::graph::Color;
use crate::contact::graph::ConstraintEntry;
use crate::joint::flag as joint_flag;
use crate::persistent::RestoreError;
use crate::shape::ShapeId;
use tombolo_handles::BitSet;

/// Returns an error for a field unless a condition holds.
macro_rules! hold {
    ($condition:expr, $group:literal, $why:literal) => {
        if !$condition {
            return Err(RestoreError::mismatch($group, "", $why));
        }
    };
}
pub(super) use hold;

impl State {
    /// Checks that bodies, shapes, contacts and joints refer to each other consistently, in their lists, in the colors
    /// and in the islands. Costs all of them.
    pub(super) fn check_lists(&self) -> Result<(), RestoreError> {
        self.check_masses()?;
        self.check_sensors()?;
        self.check_shapes()?;
        self.check_contacts()?;
        self.check_joints()?;
        self.check_bodies()
    }

    /// Checks that each body with a stale mass is listed once, and is marked so.
    fn check_masses(&self) -> Result<(), RestoreError> {
        let listed = |&body: &u32| {
            let sim = self.body_sims.get(body as usize);
            sim.is_some_and(|sim| sim.has(flag::MASS_LISTED))
        };
        let mut seen = BitSet::with_len(self.body_sims.len());
        hold!(
            self.stale_masses.iter().all(listed)
                && self.stale_masses.iter().all(|&body| seen.set(body as usize)),
            "stale_masses",
            "a body twice, or one that knows nothing of it"
        );
        let flagged = self
            .body_sims
            .iter()
            .filter(|sim| sim.has(flag::MASS_LISTED))
            .count();
        let stale = |sim: &BodySim| sim.has(flag::MASS_STALE) && !sim.has(flag::MASS_LISTED);
        hold!(
            flagged == self.stale_masses.len() && !self.body_sims.iter().any(stale),
            "stale_masses",
            "a body that is not listed"
        );
        Ok(())
    }

    /// Checks that each sensor has its place in the list of sensors.
    fn check_sensors(&self) -> Result<(), RestoreError> {
        let mut places = (1..).zip(self.sensors.iter());
        hold!(
            places.all(|(place, &shape)| {
                self.shapes.is_live(shape) && self.shapes.live(shape).sensor == place
            }),
            "sensors",
            "a shape that is elsewhere among them"
        );
        let is_sensor = |id: &ShapeId| self.shapes.live(id.index()).sensor != 0;
        hold!(
            self.shapes.handles().filter(is_sensor).count() == self.sensors.len(),
            "sensors",
            "a sensor that is not listed"
        );
        self.check_watchers()
    }

    fn check_watchers(&self) -> Result<(), RestoreError> {
        let mut places = (1..).zip(self.watchers.iter());
        hold!(
            places.all(|(place, watcher)| {
                self.shapes.is_live(watcher.shape) && self.shapes.live(watcher.shape).watcher == place
            }),
            "watchers",
            "a shape that is elsewhere among them"
        );
        hold!(
            self.watchers.iter().all(|watcher| watcher.asks()
                && watcher.force_threshold >= 0.0
                && watcher.sees_sensors <= 1
                && watcher.sees_fixed <= 1),
            "watchers",
            "a number or a flag that is out of range"
        );
        let is_watcher = |id: &ShapeId| self.shapes.live(id.index()).watcher != 0;
        hold!(
            self.shapes.handles().filter(is_watcher).count() == self.watchers.len(),
            "watchers",
            "a watcher that is not listed"
        );
        Ok(())
    }

    fn check_shapes(&self) -> Result<(), RestoreError> {
        let dominates = |id: &BodyId| self.control_of(id.index()).dominance != 0;
        hold!(
            self.bodies.handles().filter(dominates).count() == self.settings().dominant_bodies as usize,
            "settings",
            "the number of bodies that dominate is wrong"
        );
        let mut seen = BitSet::with_len(self.broad_phase.proxies.len());
        let mut bouncing = 0;
        for id in self.shapes.handles() {
            let (shape, link) = (id.index(), &self.shape_links[id.index()]);
            hold!(
                self.bodies.is_live(link.body),
                "shape_links",
                "a shape of a body that does not live"
            );
            hold!(
                self.shape_geometries[shape].validate().is_ok(),
                "shape_geometries",
                "a shape that is none"
            );
            bouncing += u32::from(self.materials[shape].restitution > 0.0);
            if link.proxy == NONE {
                continue;
            }
            let proxy = self.broad_phase.proxies.get(link.proxy as usize);
            hold!(
                proxy.is_some_and(|proxy| (proxy.shape, proxy.body) == (shape, link.body))
                    && seen.set(link.proxy as usize),
                "shape_links",
                "a box that belongs to another shape"
            );
        }
        hold!(
            bouncing == self.settings().bouncing,
            "settings",
            "the number of shapes that bounce is wrong"
        );
        Ok(())
    }

    fn check_contacts(&self) -> Result<(), RestoreError> {
        let mut colored = 0;
        for id in self.contacts.links.handles() {
            let index = id.index();
            let links = self.contacts.links.live(index);
            let Some(contact) = self.contacts.contacts.get(links.place as usize) else {
                return Err(RestoreError::mismatch(
                    "contacts",
                    "",
                    "a contact without a place",
                ));
            };
            hold!(
                contact.index == index
                    && links.bodies == [contact.body_a, contact.body_b]
                    && links.shapes == [contact.shape_a, contact.shape_b],
                "contacts",
                "a contact and its record differ"
            );
            hold!(
                contact.body_a != contact.body_b
                    && (0..2).all(|end| {
                        let shape = links.shapes[end];
                        self.shapes.is_live(shape) && self.shape_links[shape].body == links.bodies[end]
                    }),
                "contacts",
                "a contact of other shapes than its bodies have"
            );
            if contact.color != NONE {
                colored += 1;
                let color = self.graph.colors.get(contact.color as usize);
                let entry = color.and_then(|color| color.contacts.get(contact.place_in_color as usize));
                hold!(
                    names(entry, links.place),
                    "graph",
                    "a contact that is not in its color"
                );
            }
            let movable = self.movable(contact.body_a, contact.body_b);
            let linked = contact.is_pushing() && movable.a.is_some() && movable.b.is_some();
            let edge = self.islands.edge_nodes(contact_edge(index));
            hold!(
                edge == linked.then_some(links.bodies),
                "islands",
                "a contact and its edge differ"
            );
        }
        let entries: usize = self.graph.colors.iter().map(|color| color.contacts.len()).sum();
        hold!(
            entries == colored,
            "graph",
            "a contact that knows nothing of its color"
        );
        Ok(())
    }

    fn check_joints(&self) -> Result<(), RestoreError> {
        let mut colored = 0;
        for id in self.joints.handles() {
            let index = id.index();
            let (record, joint) = (self.joints.live(index), &self.joint_sims[index]);
            let bodies = [joint.body_a, joint.body_b];
            hold!(
                record.bodies == bodies
                    && bodies[0] != bodies[1]
                    && bodies.iter().all(|&body| self.bodies.is_live(body)),
                "joints",
                "a joint of other bodies than it says"
            );
            if joint.color != NONE {
                colored += 1;
                let color = self.graph.colors.get(joint.color as usize);
                let entry = color
                    .zip(joint.block_index())
                    .and_then(|(color, kind)| color.joints[kind].get(joint.place_in_color as usize));
                hold!(names(entry, index), "graph", "a joint that is not in its color");
            }
            let fit = joint.block_index().is_some()
                && bodies.iter().all(|&body| {
                    self.body_sims[body].is_dynamic() && self.body_sims[body].has(flag::ENABLED)
                });
            let edge = self.islands.edge_nodes(joint_edge(index));
            hold!(
                edge == fit.then_some(bodies) && fit == joint.has(joint_flag::LINKED),
                "islands",
                "a joint and its edge differ"
            );
        }
        let entries: usize = self.graph.colors.iter().map(Color::joint_count).sum();
        hold!(
            entries == colored,
            "graph",
            "a joint that knows nothing of its color"
        );
        Ok(())
    }

    /// Checks that every list ends after as many members as the body counts, all of them the body's, and that each
    /// member is in a list.
    fn check_bodies(&self) -> Result<(), RestoreError> {
        let (mut shapes, mut contacts, mut joints) = (0, 0, 0);
        for (id, body) in self.bodies.iter() {
            let (index, sim) = (id.index(), &self.body_sims[id.index()]);
            let next_shape = |before, shape: u32| {
                let own = self.shapes.is_live(shape)
                    && self.shape_links[shape].body == index
                    && self.shapes.live(shape).previous == before;
                own.then(|| self.shape_links[shape].next)
            };
            let next_contact = |before, key: u32| {
                let (contact, end) = (key >> 1, (key & 1) as usize);
                self.contacts
                    .links
                    .is_live(contact)
                    .then(|| self.contacts.links.live(contact))
                    .filter(|links| links.bodies[end] == index && links.previous[end] == before)
                    .map(|links| links.next[end])
            };
            let next_joint = |before, key: u32| {
                let (joint, end) = (key >> 1, (key & 1) as usize);
                self.joints
                    .is_live(joint)
                    .then(|| self.joints.live(joint))
                    .filter(|record| record.bodies[end] == index && record.previous[end] == before)
                    .map(|record| record.next[end])
            };
            let ends = has_length(sim.first_shape, body.shape_count, next_shape)
                && has_length(body.first_contact, body.contact_count, next_contact)
                && has_length(body.first_joint, body.joint_count, next_joint);
            hold!(ends, "bodies", "a list that is not the body's, or does not end");
            shapes += body.shape_count as usize;
            contacts += body.contact_count as usize;
            joints += body.joint_count as usize;

            let place = self.awake_bodies.get(body.awake_index as usize);
            let listed = if body.is_awake() {
                place == Some(&index)
            } else {
                true
            };
            hold!(listed, "awake_bodies", "a body that is not where it says");
            let island = self.islands.island_of(index);
            hold!(
                island.is_some() == (sim.is_dynamic() && sim.has(flag::ENABLED))
                    && island.is_none_or(|island| self.islands.is_asleep(island) != body.is_awake()),
                "islands",
                "a body and its island differ"
            );
        }
        let awake = self.bodies.iter().filter(|(_, body)| body.is_awake()).count();
        hold!(
            awake == self.awake_bodies.len(),
            "awake_bodies",
            "a body that sleeps"
        );
        hold!(
            shapes == self.shapes.len()
                && contacts == 2 * self.contacts.links.len()
                && joints == 2 * self.joints.len(),
            "bodies",
            "a shape, contact or joint that is in no list"
        );
        Ok(())
    }
}

fn names(entry: Option<&ConstraintEntry>, place: u32) -> bool {
    entry.is_some_and(|entry| entry.place == place)
}

/// Whether a list has this many members and then ends. `next` gets a member and the one before it, and returns `None`
/// for a member of another list.
fn has_length(first: u32, count: u32, next: impl Fn(u32, u32) -> Option<u32>) -> bool {
    let (mut before, mut member) = (NONE, first);
    for _ in 0..count {
        match next(before, member) {
            Some(following) => (before, member) = (member, following),
            None => return false,
        }
    }
    member == NONE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDef, BodyKind, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef};

    /// A floor and four boxes in contact, the upper two on a revolute joint, in mid-motion; body 5 alone in the air.
    fn world() -> PhysicsWorld {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let mut add = |kind, half: f32, x: f32, y: f32| {
            let body = world
                .create_body(&BodyDef {
                    kind,
                    position: Vec2::new(x, y).into(),
                    ..BodyDef::default()
                })
                .unwrap();
            let shape = Shape::new_box(2.0 * half, 1.0).unwrap();
            world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
            body
        };
        add(BodyKind::Static, 20.0, 0.0, -0.5);
        let boxes = [0.5, 1.5, 2.5, 3.5].map(|y| add(BodyKind::Dynamic, 0.5, 0.0, y));
        add(BodyKind::Dynamic, 0.5, 9.0, 30.0);
        let (up, down) = (Vec2::new(0.0, 0.5), Vec2::new(0.0, -0.5));
        world
            .create_joint(RevoluteDef::new(boxes[2], up, boxes[3], down))
            .unwrap();
        for _ in 0..10 {
            world.step(1.0 / 60.0).unwrap();
        }
        world
    }

    /// A change that an attacker may have made to a save, with the reason for which it must be refused.
    type Forgery = (fn(&mut State), &'static str);

    const FORGERIES: [Forgery; 26] = [
        // Two workers would write the same box.
        (
            |state| state.body_sims[2_u32].first_shape = 1,
            "a list that is not the body's, or does not end",
        ),
        (
            |state| state.shape_links[2_u32].proxy = state.shape_links[1_u32].proxy,
            "a box that belongs to another shape",
        ),
        // Two batches would write the same body.
        (
            |state| {
                let edge = contact_edge(touching(state));
                state.islands.unlink(edge).unwrap();
            },
            "a contact and its edge differ",
        ),
        (
            |state| state.islands.unlink(joint_edge(0)).unwrap(),
            "a joint and its edge differ",
        ),
        // A walk would never end.
        (
            |state| state.shape_links[1_u32].next = 1,
            "a list that is not the body's, or does not end",
        ),
        (
            |state| {
                let joint = state.joints.live_mut(0);
                joint.next[0] = 0;
            },
            "a list that is not the body's, or does not end",
        ),
        // An index would lead outside its array.
        (
            |state| state.shape_links[3_u32].body = 77,
            "a shape of a body that does not live",
        ),
        (
            |state| state.contacts.contacts[0_u32].shape_a = 4000,
            "a contact and its record differ",
        ),
        (
            |state| state.joint_sims[0_u32].body_b = 0,
            "a constraint with other bodies than its own",
        ),
        (
            |state| state.joints.live_mut(0).bodies[0] = 5,
            "a joint of other bodies than it says",
        ),
        (
            |state| state.joint_sims[0_u32].color = 99,
            "a joint that is not in its color",
        ),
        (
            |state| state.joint_sims[0_u32].color = NONE,
            "a joint that knows nothing of its color",
        ),
        (
            |state| {
                let place = state.contacts.place_of(touching(state));
                state.contacts.contacts[place].place_in_color = 99;
            },
            "a contact that is not in its color",
        ),
        (
            |state| state.bodies.live_mut(5).shape_count = 0,
            "a list that is not the body's, or does not end",
        ),
        (
            |state| state.bodies.live_mut(5).awake_index = 0,
            "a body that is not where it says",
        ),
        (
            |state| state.bodies.live_mut(1).first_contact = NONE,
            "a list that is not the body's, or does not end",
        ),
        (
            |state| state.bodies.live_mut(0).first_contact = state.bodies.live(2).first_contact,
            "a list that is not the body's, or does not end",
        ),
        (
            |state| state.bodies.live_mut(1).contact_count += 1,
            "a list that is not the body's, or does not end",
        ),
        (
            |state| state.bodies.live_mut(3).first_joint = 1000,
            "a list that is not the body's, or does not end",
        ),
        (
            |state| {
                (0..state.shapes.len())
                    .for_each(|shape| state.shapes.value_at_mut(shape).unwrap().previous = 1)
            },
            "a list that is not the body's, or does not end",
        ),
        (
            |state| state.stale_masses.push(1),
            "a body twice, or one that knows nothing of it",
        ),
        (
            |state| state.body_sims[1_u32].set(flag::MASS_STALE, true),
            "a body that is not listed",
        ),
        (
            |state| state.sensors.push(1),
            "a shape that is elsewhere among them",
        ),
        (
            |state| {
                (0..state.shapes.len()).for_each(|shape| state.shapes.value_at_mut(shape).unwrap().sensor = 1)
            },
            "a sensor that is not listed",
        ),
        (
            |state| state.settings_mut().bouncing = 5,
            "the number of shapes that bounce is wrong",
        ),
        (
            |state| state.settings_mut().dominant_bodies = 1,
            "the number of bodies that dominate is wrong",
        ),
    ];

    /// The index of a contact that touches, between two dynamic bodies.
    fn touching(state: &State) -> u32 {
        let found = state
            .contacts
            .contacts
            .iter()
            .find(|contact| contact.is_touching() && contact.body_a > 0 && contact.body_b > 0);
        found.expect("the boxes lie on each other").index
    }

    #[test]
    fn a_forged_state_is_refused_and_the_reason_is_named() {
        let world = world();
        world.state.check_restored().unwrap();
        for (number, (forge, why)) in FORGERIES.into_iter().enumerate() {
            let mut state = world.state.clone();
            forge(&mut state);
            // The forged state goes through a save with a valid checksum.
            let bytes = crate::persistent::save(|visitor| state.arrays(visitor));
            match PhysicsWorld::from_save(&bytes) {
                Err(RestoreError::Mismatch { why: found, .. }) => assert_eq!(found, why, "forgery {number}"),
                other => panic!("forgery {number}: {:?}", other.map(|_| "was restored")),
            }
        }
    }
}
