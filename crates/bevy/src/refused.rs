//! [`Refused`]: the entities whose objects physics refused. They are tried again in every step until what is wrong is
//! mended, and each reason is reported once.

use std::collections::BTreeMap;

use bevy_ecs::prelude::Entity;

use crate::events::{FaultReason, PhysicsFault};

/// The reasons for which one kind of objects was refused, by entity.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    reasons: BTreeMap<Entity, FaultReason>,
}

impl Refused {
    /// Notes a refusal. Returns the fault to report; `None` if it was reported already.
    pub(crate) fn add(&mut self, entity: Entity, reason: FaultReason) -> Option<PhysicsFault> {
        let before = self.reasons.insert(entity, reason.clone());
        // By their text, since a number that is NaN is not equal to itself.
        let is_known = before.is_some_and(|before| format!("{before:?}") == format!("{reason:?}"));
        (!is_known).then_some(PhysicsFault { entity, reason })
    }

    /// Forgets an entity whose object was created, or which has none any more.
    pub(crate) fn remove(&mut self, entity: Entity) {
        self.reasons.remove(&entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tombolo_physics::PhysicsError;

    fn invalid(got: f32) -> FaultReason {
        FaultReason::Refused(PhysicsError::InvalidNumber {
            what: "damping",
            got,
            expected: "0 or more",
        })
    }

    #[test]
    fn a_reason_is_reported_once_and_again_when_it_changes() {
        let mut refused = Refused::default();
        let entity = Entity::PLACEHOLDER;
        assert!(refused.add(entity, invalid(f32::NAN)).is_some());
        assert!(refused.add(entity, invalid(f32::NAN)).is_none());
        assert!(refused.add(entity, FaultReason::KeyInUse(3)).is_some());
        assert!(refused.add(entity, FaultReason::KeyInUse(3)).is_none());
        refused.remove(entity);
        assert!(refused.add(entity, FaultReason::KeyInUse(3)).is_some());
    }
}
