//! Methods of [`BodyRef`]: reading a body's properties, shapes, contacts and joints.

use super::{BodyRef, ContactRef, JointRef, ShapeRef};
use crate::body::{Body, BodyId, BodyKind, BodyPose, BodySim, BodyState, NONE, flag};
use crate::state::State;
use crate::world::composites::MemberRef;
use glam::Vec2;
use tombolo_geometry::math::cross_scalar;
use tombolo_geometry::{Aabb, Pose, Position, Rot};

impl<'a> BodyRef<'a> {
    fn record(&self) -> &'a Body {
        self.state.bodies.live(self.id.index())
    }

    fn sim(&self) -> &'a BodySim {
        &self.state.body_sims[self.id.index()]
    }

    /// The body's pose and center of mass, with mass changes of the last calls included.
    pub(super) fn place(&self) -> BodyPose {
        self.state.motion_of(self.id.index()).0
    }

    fn pose_alone(&self) -> &'a Pose {
        &self.state.body_poses[self.id.index()].pose
    }

    fn motion(&self) -> &'a BodyState {
        &self.state.body_states[self.id.index()]
    }

    pub(crate) fn of(state: &'a State, body: u32) -> Self {
        let id = state.bodies.live_id(body);
        Self { state, id }
    }

    /// The body's id.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// Whether the body is debris: a piece of a cut that was too small to be a regular body; see
    /// [`Debris`](crate::Debris).
    pub fn is_debris(&self) -> bool {
        self.sim().has(flag::DEBRIS)
    }

    /// The body's kind: static, kinematic or dynamic.
    pub fn kind(&self) -> BodyKind {
        self.sim().kind()
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.record().user_key
    }

    /// The body's name; empty if it has none. Costs a search among the bodies that have a name.
    pub fn name(&self) -> &'a str {
        let name = self.state.name_of(self.id.index());
        name.map_or("", |name| name.as_str())
    }

    /// The position of the body's origin, in meters.
    pub fn position(&self) -> Position {
        self.pose_alone().position.into()
    }

    /// The body's rotation.
    pub fn rotation(&self) -> Rot {
        self.pose_alone().rotation
    }

    /// The body's position and rotation.
    pub fn pose(&self) -> Pose {
        *self.pose_alone()
    }

    /// The position of the center of mass, in meters. Like all that depends on the mass it costs the number of the
    /// body's shapes if shapes were added or removed since the last step, else O(1).
    pub fn center_of_mass(&self) -> Position {
        self.place().center.into()
    }

    /// The linear velocity of the center of mass, in meters per second.
    pub fn linear_velocity(&self) -> Vec2 {
        self.state.motion_of(self.id.index()).1
    }

    /// The angular velocity, in radians per second.
    pub fn angular_velocity(&self) -> f32 {
        self.motion().angular_velocity
    }

    /// The velocity of a point that moves with the body, in meters per second.
    pub fn velocity_at(&self, point: Position) -> Vec2 {
        let arm = point.to_vec2() - self.place().center;
        self.linear_velocity() + cross_scalar(self.angular_velocity(), arm)
    }

    /// The mass in kilograms; 0 unless dynamic.
    pub fn mass(&self) -> f32 {
        self.state.mass_of_body(self.id.index()).mass
    }

    /// The rotational inertia about the center of mass, in kilogram square meters; 0 unless dynamic.
    pub fn inertia(&self) -> f32 {
        self.state.mass_of_body(self.id.index()).inertia
    }

    /// Whether the body is awake. Static and disabled bodies never are.
    pub fn is_awake(&self) -> bool {
        self.record().is_awake()
    }

    /// Whether the body is enabled: takes part in the simulation.
    pub fn is_enabled(&self) -> bool {
        self.sim().has(flag::ENABLED)
    }

    /// Whether the body was taken out of the simulation because its position became NaN or out of range.
    pub fn is_frozen(&self) -> bool {
        self.sim().has(flag::FROZEN)
    }

    /// Whether the body is a bullet: continuous collision also stops it at kinematic and dynamic bodies.
    pub fn is_bullet(&self) -> bool {
        self.sim().has(flag::BULLET)
    }

    /// A number that the bodies of one island share; `None` for bodies in no island. It changes as islands merge and
    /// split.
    pub fn island(&self) -> Option<u32> {
        let belongs = self.sim().is_dynamic() && self.is_enabled();
        if belongs {
            self.state.islands.island_of(self.id.index())
        } else {
            None
        }
    }

    /// The box around all shapes at their present positions; `None` for a body without shapes.
    pub fn aabb(&self) -> Option<Aabb> {
        let body = self.id.index();
        (self.state.body_sims[body].first_shape != NONE).then(|| self.state.box_of(body))
    }

    /// The body's shapes, newest first.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeRef<'a>> + use<'a> {
        let state = self.state;
        state.shapes_of(self.id.index()).map(move |shape| {
            let id = state.shapes.live_id(shape);
            ShapeRef { state, id }
        })
    }

    /// The body's contacts, touching or not, newest first.
    pub fn contacts(&self) -> impl Iterator<Item = ContactRef<'a>> + use<'a> {
        let state = self.state;
        state.contacts_of(self.id.index()).map(move |index| ContactRef {
            state,
            id: state.contacts.links.live_id(index),
        })
    }

    /// The members of a composite, newest first; empty for any other body.
    pub fn members(&self) -> impl Iterator<Item = MemberRef<'a>> + use<'a> {
        let state = self.state;
        state
            .members_of(self.id.index())
            .map(move |member| MemberRef::of(state, member))
    }

    /// The body's joints, newest first.
    pub fn joints(&self) -> impl Iterator<Item = JointRef<'a>> + use<'a> {
        let state = self.state;
        state.joints_of(self.id.index()).map(move |joint| {
            let id = state.joints.live_id(joint);
            JointRef { state, id }
        })
    }

    /// The damping of the linear velocity, per second.
    pub fn linear_damping(&self) -> f32 {
        self.sim().linear_damping
    }

    /// The damping of the angular velocity, per second.
    pub fn angular_damping(&self) -> f32 {
        self.sim().angular_damping
    }

    /// The factor on the world's gravity.
    pub fn gravity_scale(&self) -> f32 {
        self.sim().gravity_scale
    }

    /// The speed in meters per second below which the body counts as resting.
    pub fn sleep_threshold(&self) -> f32 {
        self.sim().sleep_threshold
    }

    /// Whether the body may fall asleep.
    pub fn may_sleep(&self) -> bool {
        self.sim().has(flag::ALLOW_SLEEP)
    }

    /// Whether the body may turn by more than 45° in a step.
    pub fn has_fast_rotation(&self) -> bool {
        self.sim().has(flag::FAST_ROTATION)
    }

    /// Whether the body's rotation is fixed.
    pub fn has_fixed_rotation(&self) -> bool {
        self.sim().has(flag::FIXED_ROTATION)
    }
}
