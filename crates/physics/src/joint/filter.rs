//! The pair filter: disables collision between the shapes of two bodies and does nothing else.

use super::kind::JointKind;
use super::record::JointSim;
use crate::PhysicsError;
use crate::body::BodyId;

/// The definition of a pair filter: the shapes of the two bodies do not collide with each other. It applies no force,
/// does not connect their islands, and costs nothing in a step.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FilterDef {
    /// The first body.
    pub body_a: BodyId,
    /// The second body.
    pub body_b: BodyId,
    /// A number for the user, saved with the joint.
    pub user_key: u64,
}

impl FilterDef {
    /// A filter between two bodies.
    pub fn new(body_a: BodyId, body_b: BodyId) -> Self {
        Self {
            body_a,
            body_b,
            user_key: 0,
        }
    }

    /// Checks the numbers, of which there are none.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Ok(())
    }

    /// Writes nothing: a filter has no options.
    pub(crate) fn write(&self, sim: &mut JointSim) {
        sim.kind = JointKind::Filter as u32;
    }

    /// Reads the definition back.
    pub(crate) fn read(_: &JointSim, [body_a, body_b]: [BodyId; 2], user_key: u64) -> Self {
        Self {
            body_a,
            body_b,
            user_key,
        }
    }

    /// Checks that no options are set.
    pub(crate) fn check(sim: &JointSim) -> Result<(), PhysicsError> {
        if sim.flags != 0 {
            return Err(PhysicsError::UnfitBodies {
                why: "a filter keeps its two bodies apart and ties nothing",
            });
        }
        super::define::check_frames(sim)
    }
}

crate::described::data_struct!(
    FilterDef = |fields| Self::new(fields.need("body_a")?, fields.need("body_b")?);
    body_a, body_b, user_key,
);
