//! Checks of a restored state that may have been forged: awake and solved bodies, the data in contacts that comes from
//! their bodies and shapes, and the boxes of the broad phase. Called by `check.rs` only, after the checks of indices
//! and lists; reads only.
//!
//! Stages rely on these invariants: an awake body without an island, a contact between two static bodies or an edge
//! without a constraint would make one of them panic, some steps or calls later.

use super::State;
use super::check_lists::hold;
use super::edges::{contact_edge, joint_edge};
use crate::body::{BodyKind, NONE, flag};
use crate::contact::{Contact, flag as contact_flag, flags_asked_by};
use crate::joint::flag as joint_flag;
use crate::persistent::RestoreError;
use alloc::vec::Vec;

impl State {
    /// Checks awake bodies, which must be enabled and not static; awake contacts, of which those that touch are solved;
    /// awake joints; and the nodes and edges of islands.
    pub(super) fn check_who_is_awake(&self) -> Result<(), RestoreError> {
        for (id, body) in self.bodies.iter() {
            let sim = &self.body_sims[id.index()];
            hold!(
                !body.is_awake() || sim.has(flag::ENABLED) && sim.kind() != BodyKind::Static,
                "awake_bodies",
                "a body that never is awake"
            );
        }
        self.check_awake_contacts()?;
        self.check_awake_joints()?;
        self.check_nodes_and_edges()
    }

    fn is_awake(&self, body: u32) -> bool {
        self.bodies.live(body).is_awake()
    }

    fn check_awake_contacts(&self) -> Result<(), RestoreError> {
        let mut pairs = Vec::with_capacity(self.contacts.contacts.len());
        for (place, contact) in self.contacts.contacts.iter().enumerate() {
            let &Contact { body_a, body_b, .. } = contact;
            let movable = self.movable(body_a, body_b);
            hold!(
                movable.a.is_some() || movable.b.is_some(),
                "contacts",
                "a contact of two bodies that nothing moves"
            );
            let awake = self.is_awake(body_a) || self.is_awake(body_b);
            hold!(
                awake == (place < self.contacts.awake_len()),
                "contacts",
                "a contact that sleeps beside an awake body, or the other way round"
            );
            let solved = [movable.a, movable.b]
                .into_iter()
                .flatten()
                .any(|body| self.is_awake(body));
            hold!(
                (contact.color != NONE) == (solved && contact.is_pushing()),
                "contacts",
                "a contact that is solved and should not be, or the other way round"
            );
            hold!(
                contact.color != NONE || contact.place_in_color == NONE,
                "contacts",
                "a place in no color"
            );
            self.check_sides(contact)?;
            let both_movable =
                contact.flags & contact_flag::SENSOR == 0 && movable.a.is_some() && movable.b.is_some();
            let said = self.contacts.cached_manifolds[place as u32].surface.both_movable;
            hold!(
                said == f32::from(u8::from(both_movable)) || said == 0.0 && !contact.is_touching(),
                "contacts",
                "a contact of other kinds of bodies than its own"
            );
            pairs.push(u64::from(contact.shape_a) << 32 | u64::from(contact.shape_b));
        }
        pairs.sort_unstable();
        hold!(
            pairs.is_sorted_by(|a, b| a < b),
            "contacts",
            "two contacts of the same shapes"
        );
        Ok(())
    }

    /// Checks that a contact's flags and boxes are those that its shapes give it, and that the shapes may touch.
    fn check_sides(&self, contact: &Contact) -> Result<(), RestoreError> {
        let shapes = [contact.shape_a, contact.shape_b];
        let records = shapes.map(|shape| self.shapes.live(shape));
        let is_static =
            [contact.body_a, contact.body_b].map(|body| self.body_sims[body].kind() == BodyKind::Static);
        let mut expected = flags_asked_by(records[0]) | flags_asked_by(records[1]);
        for (bit, _) in [contact_flag::STATIC_A, contact_flag::STATIC_B]
            .into_iter()
            .zip(is_static)
            .filter(|&(_, is_static)| is_static)
        {
            expected |= bit;
        }
        expected |= self.recycling_flag([contact.body_a, contact.body_b]);
        expected |= self.rule_flags([contact.shape_a, contact.shape_b]);
        let changing = contact_flag::TOUCHING
            | contact_flag::COMPUTED
            | contact_flag::REPORTED
            | contact_flag::PASSING
            | contact_flag::LET_PASS;
        hold!(
            contact.flags & !changing == expected,
            "contacts",
            "flags that are not the shapes'"
        );
        let proxies = shapes.map(|shape| self.shape_links[shape].proxy);
        hold!(
            shapes[0] < shapes[1]
                && proxies == [contact.proxy_a, contact.proxy_b]
                && !proxies.contains(&NONE)
                && records[0].filter().allows(records[1].filter()),
            "contacts",
            "two shapes that do not touch each other"
        );
        Ok(())
    }

    fn check_awake_joints(&self) -> Result<(), RestoreError> {
        for id in self.joints.handles() {
            let joint = &self.joint_sims[id.index()];
            let bodies = [joint.body_a, joint.body_b];
            let enabled = |&body: &u32| self.body_sims[body].has(flag::ENABLED);
            let moves = |&body: &u32| self.body_sims[body].is_dynamic() && self.is_awake(body);
            let solved = joint.is_constraint() && bodies.iter().all(enabled) && bodies.iter().any(moves);
            hold!(
                (joint.color != NONE) == solved,
                "joint_sims",
                "a joint that is solved and should not be, or the other way round"
            );
            hold!(
                joint.color != NONE || joint.place_in_color == NONE,
                "joint_sims",
                "a place in no color"
            );
        }
        Ok(())
    }

    /// Checks that islands have no nodes but their bodies, and no edges but contacts and joints.
    fn check_nodes_and_edges(&self) -> Result<(), RestoreError> {
        let is_node = |body: u32| self.islands.island_of(body).is_some();
        let nodes = self.bodies.handles().filter(|id| is_node(id.index())).count();
        let is_edge = |edge: u32| self.islands.edge_nodes(edge).is_some();
        let contacts = self
            .contacts
            .links
            .handles()
            .filter(|id| is_edge(contact_edge(id.index())))
            .count();
        let joints = self
            .joints
            .handles()
            .filter(|id| {
                self.joint_sims[id.index()].has(joint_flag::LINKED) && is_edge(joint_edge(id.index()))
            })
            .count();
        hold!(
            [self.islands.total_nodes(), self.islands.total_edges()]
                == [nodes as u32, (contacts + joints) as u32],
            "islands",
            "a node or an edge that nothing stands for"
        );
        Ok(())
    }

    /// Checks that each shape that can touch others has a proxy that contains it, and no other shape has one.
    pub(super) fn check_boxes(&self) -> Result<(), RestoreError> {
        let broad_phase = &self.broad_phase;
        for (id, record) in self.shapes.iter() {
            let shape = id.index();
            let link = &self.shape_links[shape];
            let sim = &self.body_sims[link.body];
            hold!(
                (link.proxy != NONE) == (sim.has(flag::ENABLED) && record.sensor == 0),
                "shape_links",
                "a box of a shape that has none, or none of one that has"
            );
            if link.proxy == NONE {
                continue;
            }
            let fat = broad_phase.fat_box(link.proxy);
            let tight = self.shape_geometries[shape].aabb(self.body_poses[link.body].pose);
            hold!(
                sim.has(flag::SKINS) || self.materials[shape].skin == 0,
                "body_sims",
                "no mark of a body whose shapes have skins"
            );
            hold!(
                fat.is_valid() && fat.contains(tight),
                "broad_phase",
                "a box that its shape is not in"
            );
        }
        Ok(())
    }
}
