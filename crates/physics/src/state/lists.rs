//! The lists of bodies: their shapes, contacts and joints. Only the code that creates, moves and destroys these changes
//! them.
//!
//! Lists of contacts and joints are doubly linked through the objects themselves; a link is a key: the object's index
//! times two plus the number of its end, 0 or 1.

use super::State;
use crate::body::NONE;
use crate::contact::graph::Movable;
use crate::joint::Joint;
use tombolo_geometry::Aabb;

impl State {
    /// The shapes of a body, newest first.
    pub(crate) fn shapes_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.body_sims[body].first_shape).filter(|&shape| shape != NONE);
        core::iter::successors(first, |&shape| {
            Some(self.shape_links[shape].next).filter(|&next| next != NONE)
        })
    }

    /// The box around all shapes of a body at their present positions; [`Aabb::EMPTY`] for a body without shapes.
    pub(crate) fn box_of(&self, body: u32) -> Aabb {
        let pose = self.body_poses[body].pose;
        let boxes = self
            .shapes_of(body)
            .map(|shape| self.shape_geometries[shape].aabb(pose));
        boxes.fold(Aabb::EMPTY, Aabb::union)
    }

    /// The shapes of a body that are not sensors, newest first.
    pub(crate) fn solid_shapes_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        self.shapes_of(body)
            .filter(|&shape| self.shapes.live(shape).sensor == 0)
    }

    /// The contacts of a body, newest first.
    pub(crate) fn contacts_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.bodies.live(body).first_contact).filter(|&key| key != NONE);
        core::iter::successors(first, |&key| {
            let next = self.contacts.links.live(key >> 1).next[(key & 1) as usize];
            Some(next).filter(|&next| next != NONE)
        })
        .map(|key| key >> 1)
    }

    /// The joints of a body, newest first.
    pub(crate) fn joints_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.bodies.live(body).first_joint).filter(|&key| key != NONE);
        core::iter::successors(first, |&key| {
            let next = self.joints.live(key >> 1).next[(key & 1) as usize];
            Some(next).filter(|&next| next != NONE)
        })
        .map(|key| key >> 1)
    }

    /// Calls `change` for each shape of a body; it may remove that shape, but no other.
    pub(crate) fn change_shapes_of(&mut self, body: u32, mut change: impl FnMut(&mut Self, u32)) {
        let mut shape = self.body_sims[body].first_shape;
        while shape != NONE {
            let next = self.shape_links[shape].next;
            change(self, shape);
            shape = next;
        }
    }

    /// Calls `change` for each contact of a body; it may destroy that contact, but no other.
    pub(crate) fn change_contacts_of(&mut self, body: u32, mut change: impl FnMut(&mut Self, u32)) {
        let mut key = self.bodies.live(body).first_contact;
        while key != NONE {
            let next = self.contacts.links.live(key >> 1).next[(key & 1) as usize];
            change(self, key >> 1);
            key = next;
        }
    }

    /// Calls `change` for each joint of a body; it may destroy that joint, but no other.
    pub(crate) fn change_joints_of(&mut self, body: u32, mut change: impl FnMut(&mut Self, u32)) {
        let mut key = self.bodies.live(body).first_joint;
        while key != NONE {
            let next = self.joints.live(key >> 1).next[(key & 1) as usize];
            change(self, key >> 1);
            key = next;
        }
    }

    /// Links a joint into the lists of its two bodies.
    pub(crate) fn list_joint(&mut self, index: u32) {
        for end in 0..2 {
            let key = index << 1 | end;
            let body = self.joints.live(index).bodies[end as usize];
            let body = self.bodies.live_mut(body);
            let head = core::mem::replace(&mut body.first_joint, key);
            debug_assert!(head == NONE || head >> 1 != index, "in the list already");
            body.joint_count += 1;
            if head != NONE {
                self.joints.live_mut(head >> 1).previous[(head & 1) as usize] = key;
            }
            self.joints.live_mut(index).next[end as usize] = head;
        }
    }

    /// Unlinks a joint from the lists of its two bodies.
    pub(crate) fn delist_joint(&mut self, index: u32) {
        for end in 0..2 {
            let Joint {
                bodies,
                previous,
                next,
                ..
            } = *self.joints.live(index);
            let body = self.bodies.live_mut(bodies[end]);
            debug_assert!(body.joint_count > 0, "a body counts its joints");
            body.joint_count -= 1;
            if previous[end] == NONE {
                debug_assert_eq!(
                    body.first_joint,
                    index << 1 | end as u32,
                    "nothing is before the first"
                );
                body.first_joint = next[end];
            } else {
                self.joints.live_mut(previous[end] >> 1).next[(previous[end] & 1) as usize] = next[end];
            }
            if next[end] != NONE {
                self.joints.live_mut(next[end] >> 1).previous[(next[end] & 1) as usize] = previous[end];
            }
        }
    }

    /// The bodies of a pair whose velocities constraints may change.
    pub(crate) fn movable(&self, a: u32, b: u32) -> Movable {
        Movable::of(&self.body_sims, a, b)
    }
}
