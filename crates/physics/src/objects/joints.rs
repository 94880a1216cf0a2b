//! Creating, changing and destroying the joints of the state, with their island links, their colors, and the contacts
//! that they prevent.

use crate::PhysicsError;
use crate::body::NONE;
use crate::joint::{Joint, JointDef, JointId, JointSim, flag};
use crate::state::State;

impl State {
    /// The index of a joint, if it exists.
    pub(crate) fn check_joint(&self, id: JointId) -> Result<u32, PhysicsError> {
        if self.joints.contains(id) {
            Ok(id.index())
        } else {
            Err(PhysicsError::StaleHandle { what: "joint" })
        }
    }

    /// Wakes both bodies, if the joint is a constraint.
    pub(crate) fn wake_joint(&mut self, joint: u32) {
        if self.joint_sims[joint].is_constraint() {
            self.wake_ends(joint);
        }
    }

    /// Wakes both bodies of a joint that is about to go: it ties them no longer, or keeps shapes apart no longer that may
    /// overlap.
    pub(crate) fn wake_ends(&mut self, joint: u32) {
        let JointSim { body_a, body_b, .. } = self.joint_sims[joint];
        self.wake(body_a);
        self.wake(body_b);
    }

    pub(crate) fn create_joint(&mut self, def: &JointDef, bodies: [u32; 2]) -> JointId {
        let user_key = def.user_key();
        let id = self.joints.insert(Joint {
            user_key,
            bodies,
            previous: [NONE; 2],
            next: [NONE; 2],
        });
        let joint = id.index();
        self.joint_sims.grow_to(joint as usize, JointSim::default());
        self.joint_sims[joint] = JointSim::new(def, bodies);
        self.begin_track(joint);
        self.list_joint(joint);
        if !self.joint_sims[joint].has(flag::COLLIDE_CONNECTED) {
            self.destroy_contacts_between(bodies);
        }
        self.link_joint(joint);
        self.color_joint(joint);
        id
    }

    /// Removes a joint.
    pub(crate) fn destroy_joint(&mut self, joint: u32) {
        self.unlink_joint(joint);
        self.uncolor_joint(joint);
        self.delist_joint(joint);
        let JointSim {
            body_a,
            body_b,
            flags,
            ..
        } = self.joint_sims[joint];
        let id = self.joints.live_id(joint);
        self.joints.remove(id);
        if flags & flag::COLLIDE_CONNECTED == 0 {
            self.request_pairs_between([body_a, body_b]);
        }
    }

    /// Makes a joint store the present poses of its bodies.
    pub(super) fn begin_track(&mut self, joint: u32) {
        let sim = &self.joint_sims[joint];
        let [a, b] = [sim.body_a, sim.body_b].map(|body| self.body_poses[body].pose);
        self.joint_sims[joint].track = sim.first_track(a, b);
    }

    /// Replaces a joint's options, and wakes its bodies; options that change in every step keep them awake.
    pub(crate) fn replace_joint(&mut self, joint: u32, sim: JointSim) {
        let bodies = [sim.body_a, sim.body_b];
        let old = core::mem::replace(&mut self.joint_sims[joint], sim);
        if sim.begins_anew(&old) {
            self.begin_track(joint);
        }
        let collide = sim.has(flag::COLLIDE_CONNECTED);
        if collide != old.has(flag::COLLIDE_CONNECTED) {
            if collide {
                self.request_pairs_between(bodies);
            } else {
                self.destroy_contacts_between(bodies);
            }
        }
        if sim.is_constraint() {
            let is_moved = !sim.has_options_of(&old);
            for body in bodies {
                if is_moved {
                    self.rouse(body)
                } else {
                    self.wake(body)
                }
            }
        }
    }

    /// Requests that the next step finds the pairs of the shapes of two bodies anew.
    fn request_pairs_between(&mut self, [a, b]: [u32; 2]) {
        // The shapes of either body are enough, so those of the one with fewer: ground may have very many.
        let shape_count = |body: u32| self.bodies.live(body).shape_count;
        self.request_pairs(if shape_count(a) <= shape_count(b) { a } else { b });
    }

    /// Ends the touches of two bodies, which wakes those that sleep in one. Costs the shorter list of contacts.
    pub(super) fn destroy_contacts_between(&mut self, [a, b]: [u32; 2]) {
        let contact_count = |body: u32| self.bodies.live(body).contact_count;
        let (few, other) = if contact_count(a) <= contact_count(b) {
            (a, b)
        } else {
            (b, a)
        };
        self.change_contacts_of(few, |state, index| {
            if state.contacts.links.live(index).bodies.contains(&other) {
                state.destroy_contact(index);
            }
        });
    }

    /// Whether a joint prevents the shapes of two bodies from touching. Costs the shorter list of joints.
    pub(crate) fn joint_keeps_apart(&self, a: u32, b: u32) -> bool {
        let (few, other) = if self.bodies.live(a).joint_count <= self.bodies.live(b).joint_count {
            (a, b)
        } else {
            (b, a)
        };
        self.joints_of(few).any(|index| {
            let joint = &self.joint_sims[index];
            !joint.has(flag::COLLIDE_CONNECTED) && (joint.body_a == other || joint.body_b == other)
        })
    }
}
