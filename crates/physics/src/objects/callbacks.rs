//! Callbacks in the state: the data passed to them, the contacts that they are called for, and the updates when one is
//! set or removed.

use crate::callback::{
    CallbackKinds, Callbacks, PairPoint, PairSide, PairTouch, PairView, PlainCallbacks, Response,
};
use crate::contact::{CachedManifold, Contact, ContactPoint, flag};
use crate::persistent::PlainArray;
use crate::state::State;
use alloc::vec::Vec;
use glam::Vec2;

impl State {
    /// The kinds of callbacks that the world uses.
    pub(crate) fn callbacks_in_use(&self) -> CallbackKinds {
        let plain = self.callbacks.first();
        plain.map_or(CallbackKinds::default(), PlainCallbacks::kinds)
    }

    /// The flag of a contact that tells whether the pre-solve callback is called for it.
    pub(crate) fn callback_flag(&self, shapes: [u32; 2]) -> u16 {
        let Some(plain) = self.callbacks.first().filter(|plain| plain.pre_solve != 0) else {
            return 0;
        };
        let categories = shapes.map(|shape| self.shapes.live(shape).category);
        if (categories[0] | categories[1]) & plain.categories != 0 {
            flag::PRE_SOLVE
        } else {
            0
        }
    }

    /// Whether the custom filter, if there is one, accepts two shapes that all other rules accept. The two may be given
    /// in any order.
    pub(crate) fn passes_custom_filter(&self, callbacks: &Callbacks, a: u32, b: u32) -> bool {
        let Some(filter) = &callbacks.custom_filter else {
            return true;
        };
        !self.callbacks_in_use().custom_filter || filter(&self.pair_view([a.min(b), a.max(b)]))
    }

    /// Whether continuous collision stops two shapes at each other, as far as callbacks have a say: the custom filter
    /// accepts them, and the pre-solve callback did not let them pass in this step.
    pub(crate) fn callbacks_stop(&self, callbacks: &Callbacks, a: u32, b: u32) -> bool {
        self.passes_custom_filter(callbacks, a, b)
            && !(self.callbacks_in_use().pre_solve && self.has_contact_with([a, b], flag::LET_PASS))
    }

    fn pair_view(&self, shapes: [u32; 2]) -> PairView {
        PairView {
            step_index: self.step_index(),
            sides: shapes.map(|shape| self.pair_side(shape)),
            rule: self.rule_of(shapes).map(|rule| rule.rule().1),
            touch: None,
        }
    }

    fn pair_side(&self, shape: u32) -> PairSide {
        let (record, body) = (self.shapes.live(shape), self.shape_links[shape].body);
        let (place, motion) = (&self.body_poses[body], &self.body_states[body]);
        PairSide {
            shape: self.shapes.live_id(shape),
            body: self.bodies.live_id(body),
            shape_key: record.user_key,
            body_key: self.bodies.live(body).user_key,
            kind: self.body_sims[body].kind(),
            filter: record.filter(),
            material: self.materials[shape].id,
            pose: place.pose,
            center: place.center.into(),
            linear_velocity: motion.linear_velocity,
            angular_velocity: motion.angular_velocity,
        }
    }

    /// Calls the pre-solve callback for a contact whose manifold was computed anew, and applies its response.
    pub(crate) fn ask_pre_solve(
        &self,
        callbacks: &Callbacks,
        contact: &mut Contact,
        manifold: &mut CachedManifold,
    ) {
        let Some(pre_solve) = &callbacks.pre_solve else {
            return;
        };
        let point_of = |point: &ContactPoint| PairPoint {
            arm: point.anchor_a,
            separation: point.separation,
            impulse: point.normal_impulse,
        };
        let surface = &mut manifold.surface;
        let usual = Response {
            touches: true,
            friction: surface.friction,
            restitution: surface.restitution,
            rolling_resistance: surface.rolling_resistance,
            surface_speed: surface.tangent_speed,
        };
        let view = PairView {
            touch: Some(PairTouch {
                was_touching: contact.is_touching(),
                normal: manifold.frame.normal,
                points: manifold.points.each_ref().map(point_of),
                point_count: u32::from(contact.point_count),
                usual,
            }),
            ..self.pair_view([contact.shape_a, contact.shape_b])
        };
        let answer = pre_solve(&view).within_ranges(&usual);
        surface.friction = answer.friction;
        surface.restitution = answer.restitution;
        surface.rolling_resistance = answer.rolling_resistance;
        surface.tangent_speed = answer.surface_speed;
        if !answer.touches {
            manifold.points = [ContactPoint::ZERO; 2];
            manifold.frame.normal = Vec2::ZERO;
            contact.point_count = 0;
            contact.flags |= flag::LET_PASS;
        }
    }

    fn use_callbacks(&mut self, plain: PlainCallbacks) {
        self.callbacks = if plain.kinds().any() {
            Vec::from([plain]).into()
        } else {
            PlainArray::default()
        };
    }

    fn plain_callbacks(&self) -> PlainCallbacks {
        self.callbacks.first().copied().unwrap_or(PlainCallbacks {
            categories: 0,
            custom_filter: 0,
            pre_solve: 0,
        })
    }

    /// Stops using callbacks, except those `kept`. Nothing else changes.
    pub(crate) fn put_callbacks_aside(&mut self, kept: CallbackKinds) {
        let plain = self.plain_callbacks();
        let is_kept = |is_used: u32, kept: bool| is_used * u32::from(kept);
        self.use_callbacks(PlainCallbacks {
            custom_filter: is_kept(plain.custom_filter, kept.custom_filter),
            pre_solve: is_kept(plain.pre_solve, kept.pre_solve),
            categories: if kept.pre_solve { plain.categories } else { 0 },
        });
    }

    /// Starts or stops using a custom filter: all bodies wake, contacts that it refuses end, and pairs that an earlier
    /// filter refused are checked anew. Costs the whole world.
    pub(crate) fn use_custom_filter(&mut self, is_used: bool, callbacks: &Callbacks) {
        let plain = self.plain_callbacks();
        self.use_callbacks(PlainCallbacks {
            custom_filter: u32::from(is_used),
            ..plain
        });
        self.wake_all();
        let bodies: Vec<u32> = self.bodies.handles().map(|id| id.index()).collect();
        bodies.iter().for_each(|&body| self.request_pairs(body));
        let contacts: Vec<u32> = self.contacts.links.handles().map(|id| id.index()).collect();
        for contact in contacts {
            let [a, b] = self.contacts.links.live(contact).shapes;
            if !self.passes_custom_filter(callbacks, a, b) {
                self.destroy_contact(contact);
            }
        }
    }

    /// Starts or stops using a pre-solve callback for contacts of these categories: all bodies wake, and contacts are
    /// computed anew. Costs the whole world.
    pub(crate) fn use_pre_solve(&mut self, is_used: bool, categories: u64) {
        let plain = self.plain_callbacks();
        self.use_callbacks(PlainCallbacks {
            pre_solve: u32::from(is_used),
            categories: if is_used { categories } else { 0 },
            ..plain
        });
        self.wake_all();
        for place in 0..self.contacts.contacts.count() {
            self.follow_callbacks(place);
        }
    }

    /// Updates whether the pre-solve callback is called for the contact at a place.
    pub(crate) fn follow_callbacks(&mut self, place: u32) {
        let Contact {
            shape_a,
            shape_b,
            flags,
            ..
        } = self.contacts.contacts[place];
        let bit = self.callback_flag([shape_a, shape_b]);
        if flags & flag::PRE_SOLVE != bit {
            self.contacts.contacts[place].flags =
                flags & !(flag::PRE_SOLVE | flag::LET_PASS | flag::COMPUTED) | bit;
        }
    }

    pub(crate) fn wake_all(&mut self) {
        let bodies: Vec<u32> = self.bodies.handles().map(|id| id.index()).collect();
        bodies.into_iter().for_each(|body| self.wake(body));
    }
}
