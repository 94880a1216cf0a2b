//! Random calls about composites: good ones and bad ones.

use super::random_calls::{RandomWorlds, each};
use tombolo_physics::{Position, RigidWeldDef, Vec2};

impl RandomWorlds {
    /// A member or a weld made, destroyed or changed, or a member pushed; some of the ids are stale.
    pub(crate) fn call_about_a_composite(&mut self) {
        let member = self.random.pick(&self.members);
        let weld = self.random.pick(&self.rigid_welds);
        let (size, flip) = (self.random.between(0.0, 300.0), self.random.chance(2));
        match (self.random.below(15), member, weld) {
            (0..=2, ..) => self.create_member(),
            (3..=6, Some(member), _) => self.create_rigid_weld(member),
            (7, Some(member), _) => drop(each!(self, |world| world.destroy_member(member))),
            (8, _, Some(weld)) => drop(each!(self, |world| world.destroy_rigid_weld(weld))),
            (9, _, Some(weld)) => drop(each!(self, |world| world
                .set_rigid_weld_thresholds(weld, size, size, flip))),
            (10, Some(member), Some(weld)) => {
                let key = self.random.next();
                drop(each!(self, |world| world.set_member_user_key(member, key)));
                drop(each!(self, |world| world.set_rigid_weld_user_key(weld, key)));
            }
            (11..=12, Some(member), _) => self.push_member(member),
            (13, _, Some(weld)) => self.ask_a_weld(weld),
            (14, Some(member), _) => self.give_a_shape(member),
            _ => {}
        }
    }

    fn create_member(&mut self) {
        let (Some(body), key) = (self.random.pick(&self.bodies), self.random.next()) else {
            return;
        };
        if let Ok(id) = each!(self, |world| world.create_member(body, key)) {
            self.members.push(id);
        }
    }

    fn create_rigid_weld(&mut self, member: tombolo_physics::MemberId) {
        let random = &mut self.random;
        let Some(other) = random.pick(&self.members) else {
            return;
        };
        let def = RigidWeldDef {
            force_threshold: if random.chance(2) {
                random.between(0.0, 900.0)
            } else {
                f32::INFINITY
            },
            torque_threshold: if random.chance(3) {
                random.between(0.0, 500.0)
            } else {
                f32::INFINITY
            },
            breaks: !random.chance(4),
            user_key: random.next(),
            ..RigidWeldDef::new(member, other, Position::from(random.vector(9.0)))
        };
        let bodies = [member, other].map(|id| Some(self.worlds[0].member(id)?.body().id()));
        let weldable = match bodies {
            [Some(a), Some(b)] => self.worlds[0].check_weldable([a, b], def.point).is_ok(),
            _ => false,
        };
        let made = each!(self, |world| world.create_rigid_weld(&def));
        assert_eq!(made.is_ok(), weldable && member != other, "{made:?}");
        if let Ok(id) = made {
            self.rigid_welds.push(id);
        }
    }

    /// Some shape of its body becomes the member's, or is refused.
    fn give_a_shape(&mut self, member: tombolo_physics::MemberId) {
        let Some(view) = self.worlds[0].member(member) else {
            return;
        };
        let shapes: Vec<_> = view.body().shapes().map(|shape| shape.id()).collect();
        if let Some(shape) = self.random.pick(&shapes) {
            drop(each!(self, |world| world.set_shape_member(shape, member)));
        }
    }

    fn push_member(&mut self, member: tombolo_physics::MemberId) {
        let Some(view) = self.worlds[0].member(member) else {
            return;
        };
        let (body, center) = (view.body().id(), view.center().to_vec2());
        let (push, off) = (self.random.vector(200.0), self.random.vector(0.5));
        let point = Position::from((center + off).clamp(Vec2::splat(-9.9e4), Vec2::splat(9.9e4)));
        drop(each!(self, |world| world.body_mut(body).map(|mut body| {
            body.apply_force_at(push, point).expect("the numbers are good");
            body.apply_impulse_at(0.02 * push, point)
                .expect("the numbers are good");
        })));
    }

    /// Everything that a weld tells.
    fn ask_a_weld(&self, weld: tombolo_physics::RigidWeldId) {
        let Some(weld) = self.worlds[0].rigid_weld(weld) else {
            return;
        };
        let [a, b] = weld.members();
        assert!(a.id() != b.id() && a.body().id() == b.body().id());
        assert!(a.welds().any(|of_a| of_a.id() == weld.id()));
        assert!(b.shapes().all(|shape| shape.member() == Some(b.id())));
        assert!(weld.body().members().any(|member| member.id() == a.id()));
        assert_eq!(weld.def().user_key, weld.user_key());
    }
}
