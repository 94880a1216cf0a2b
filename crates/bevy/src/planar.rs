//! The part of a `Transform` that physics has: the position in the plane and the rotation about the z axis. Depth and
//! scale are the game's. The systems of `sync/` convert poses with it.
//!
//! Only additions, multiplications and square roots, none of them fused or left to the vector unit: the conversion of a
//! pose to a `Transform` and back gives the same bits on every machine.

use bevy_math::{Quat, Vec2};
use bevy_transform::components::Transform;
use tombolo_physics::{Pose, Rot};

/// Whether numbers are the same as before: equal, or in the same bits, since what is no number is not equal to itself.
fn is_same<const N: usize>(one: [f32; N], other: [f32; N]) -> bool {
    one == other || one.map(f32::to_bits) == other.map(f32::to_bits)
}

/// The part of a `Transform` that the plugin writes, in the bits that it wrote.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlanarTransform {
    translation: Vec2,
    /// A quaternion's numbers, which take a quarter less memory here than the quaternion with its alignment.
    rotation: [f32; 4],
}

impl PartialEq for PlanarTransform {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |of: &Self| {
            let [x, y, z, w] = of.rotation;
            [of.translation.x, of.translation.y, x, y, z, w]
        };
        is_same(numbers(self), numbers(other))
    }
}

impl PlanarTransform {
    pub(crate) fn of(transform: &Transform) -> Self {
        Self {
            translation: transform.translation.truncate(),
            rotation: transform.rotation.to_array(),
        }
    }

    pub(crate) fn from_pose(pose: Pose) -> Self {
        Self {
            translation: pose.position,
            rotation: quat(pose.rotation),
        }
    }

    /// The same with the numbers of `to` in place of those that are equal to the numbers of `from`.
    pub(crate) fn replaced(self, from: Self, to: Self) -> Self {
        let number = |is: f32, from: f32, to: f32| if is == from { to } else { is };
        Self {
            translation: Vec2::new(
                number(self.translation.x, from.translation.x, to.translation.x),
                number(self.translation.y, from.translation.y, to.translation.y),
            ),
            rotation: if self.rotation == from.rotation {
                to.rotation
            } else {
                self.rotation
            },
        }
    }

    /// Writes it to a `Transform`; depth and scale stay.
    pub(crate) fn write(self, transform: &mut Transform) {
        transform.translation.x = self.translation.x;
        transform.translation.y = self.translation.y;
        transform.rotation = Quat::from_array(self.rotation);
    }
}

/// The quaternion's x, y, z and w of a rotation about the z axis, by the half-angle formulas; of the two the one without
/// cancellation.
fn quat(rotation: Rot) -> [f32; 4] {
    let Rot { cos, sin } = rotation;
    if cos >= 0.0 {
        let w = (0.5 * (1.0 + cos)).sqrt();
        [0.0, 0.0, 0.5 * sin / w, w]
    } else {
        let z = (0.5 * (1.0 - cos)).sqrt().copysign(sin);
        [0.0, 0.0, z, 0.5 * sin / z]
    }
}

/// The direction of the x axis under a rotation in space, seen from above; no rotation if it points along the line of
/// sight. One that is no number stays so, for physics to refuse.
fn planar_rotation([x, y, z, w]: [f32; 4]) -> Rot {
    let rotation = Rot {
        cos: 1.0 - 2.0 * (y * y + z * z),
        sin: 2.0 * (x * y + w * z),
    };
    if rotation.cos.is_nan() || rotation.sin.is_nan() {
        return rotation;
    }
    rotation.normalized()
}

/// A frame in the plane: of an entity in its parent's, or of its parent in the world's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) pose: Pose,
    /// The factor of the positions of its children.
    pub(crate) scale: Vec2,
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |of: &Self| {
            let Pose { position, rotation } = of.pose;
            [
                position.x,
                position.y,
                rotation.cos,
                rotation.sin,
                of.scale.x,
                of.scale.y,
            ]
        };
        is_same(numbers(self), numbers(other))
    }
}

impl Default for Frame {
    fn default() -> Self {
        Self::WORLD
    }
}

impl Frame {
    pub(crate) const WORLD: Self = Self {
        pose: Pose::IDENTITY,
        scale: Vec2::ONE,
    };

    pub(crate) fn of(transform: &Transform) -> Self {
        Self::from_planar(PlanarTransform::of(transform), transform.scale.truncate())
    }

    /// The frame of a `Transform` with these values.
    pub(crate) fn from_planar(planar: PlanarTransform, scale: Vec2) -> Self {
        Self {
            pose: Pose {
                position: planar.translation,
                rotation: planar_rotation(planar.rotation),
            },
            scale,
        }
    }

    /// A frame without a pose of its own.
    pub(crate) fn scaled(scale: Vec2) -> Self {
        Self { scale, ..Self::WORLD }
    }

    /// The frame that nested ones make together, from the innermost to the outermost. Each pose of the hierarchy is
    /// computed in this order, so that what has not changed has the same bits.
    pub(crate) fn composed(frames: impl IntoIterator<Item = Self>) -> Self {
        let composed = frames.into_iter().reduce(Self::within);
        composed.unwrap_or(Self::WORLD)
    }

    /// The same frame, expressed in the frame that its parent is in.
    pub(crate) fn within(self, parent: Self) -> Self {
        Self {
            pose: parent.pose.compose(Pose {
                position: parent.scale * self.pose.position,
                rotation: parent.turned(self.pose.rotation),
            }),
            scale: parent.scale * self.scale,
        }
    }

    /// A rotation as it is seen through the frame's scale: in a mirror it goes the other way.
    fn turned(self, rotation: Rot) -> Rot {
        if is_mirrored(self.scale) {
            rotation.inverse()
        } else {
            rotation
        }
    }

    /// A pose of the world, expressed in this frame; `None` if the frame's scale is 0 along an axis.
    pub(crate) fn to_local(self, pose: Pose) -> Option<Pose> {
        let local = self.pose.to(pose);
        let position = local.position / self.scale;
        let rotation = self.turned(local.rotation);
        position.is_finite().then_some(Pose { position, rotation })
    }
}

/// Whether a scale makes mirror images.
pub(crate) fn is_mirrored(scale: Vec2) -> bool {
    (scale.x < 0.0) != (scale.y < 0.0)
}

/// The pose between two, by the chord of its rotation.
pub(crate) fn between(before: Pose, now: Pose, fraction: f32) -> Pose {
    let [a, b] = [before.rotation, now.rotation];
    let rotation = Rot {
        cos: a.cos + (b.cos - a.cos) * fraction,
        sin: a.sin + (b.sin - a.sin) * fraction,
    };
    // For half a turn in one step neither direction is shorter.
    let is_clear = rotation.cos.abs().max(rotation.sin.abs()) > 0.1;
    Pose {
        position: before.position + (now.position - before.position) * fraction,
        rotation: if is_clear { rotation.normalized() } else { b },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_written_to_a_transform_is_read_back_as_it_was() {
        for i in 0..720 {
            let angle = (i as f32 - 360.0).to_radians();
            let pose = Pose::new(Vec2::new(3.0, -2.0), angle);
            let mut transform = Transform::from_xyz(0.0, 0.0, 7.0);
            PlanarTransform::from_pose(pose).write(&mut transform);
            let back = Frame::of(&transform).pose;
            assert_eq!(back.position, pose.position);
            assert!((back.rotation.cos - pose.rotation.cos).abs() < 3.0e-7, "{angle}");
            assert!((back.rotation.sin - pose.rotation.sin).abs() < 3.0e-7, "{angle}");
            let length = transform.rotation.length();
            assert!((length - 1.0).abs() < 3.0e-7, "{angle}: {length}");
            assert_eq!(transform.translation.z, 7.0, "depth is the game's");
        }
    }

    #[test]
    fn frames_within_frames_are_what_bevy_makes_of_their_transforms() {
        let turned = |angle: f32| Quat::from_rotation_z(angle);
        let parent = Transform::from_xyz(2.0, 1.0, 0.0)
            .with_rotation(turned(0.7))
            .with_scale(bevy_math::Vec3::splat(2.0));
        let child = Transform::from_xyz(-1.0, 0.5, 0.0).with_rotation(turned(-0.2));
        let ours = Frame::of(&child).within(Frame::of(&parent)).pose;
        let bevys = parent.mul_transform(child);
        assert!((ours.position - bevys.translation.truncate()).length() < 1.0e-5);
        assert!((ours.rotation.angle() - 0.5).abs() < 1.0e-5);
        let back = Frame::of(&parent).to_local(ours).expect("it has an area");
        assert!((back.position - child.translation.truncate()).length() < 1.0e-5);
    }

    #[test]
    fn frames_in_a_mirror_are_where_bevy_draws_them() {
        let turned = |angle: f32| Quat::from_rotation_z(angle);
        let mirror = Transform::from_xyz(2.0, 1.0, 0.0)
            .with_rotation(turned(0.7))
            .with_scale(bevy_math::Vec3::new(-2.0, 2.0, 1.0));
        let middle = Transform::from_xyz(0.5, -1.0, 0.0).with_rotation(turned(0.4));
        let child = Transform::from_xyz(-1.0, 0.5, 0.0).with_rotation(turned(-0.2));
        let ours = Frame::composed([&child, &middle, &mirror].map(Frame::of));
        let drawn = mirror.to_matrix() * middle.to_matrix() * child.to_matrix();
        for corner in [Vec2::ZERO, Vec2::X, Vec2::new(-1.0, 3.0)] {
            let at = ours.pose.transform_point(ours.scale * corner);
            let drawn = drawn.transform_point3(corner.extend(0.0)).truncate();
            assert!((at - drawn).length() < 1.0e-5, "{at} beside {drawn}");
        }
        let parent = Frame::composed([&middle, &mirror].map(Frame::of));
        let back = parent.to_local(ours.pose).expect("it has an area");
        assert!((back.position - child.translation.truncate()).length() < 1.0e-5);
        assert!((back.rotation.angle() + 0.2).abs() < 1.0e-5);
    }

    #[test]
    fn a_frame_without_an_area_has_no_places() {
        let flat = Transform::from_scale(bevy_math::Vec3::new(1.0, 0.0, 1.0));
        assert_eq!(Frame::of(&flat).to_local(Pose::new(Vec2::ONE, 0.0)), None);
    }

    #[test]
    fn a_pose_halfway_lies_and_points_halfway() {
        let before = Pose::new(Vec2::ZERO, 3.0);
        let now = Pose::new(Vec2::new(2.0, 4.0), -3.0);
        let half = between(before, now, 0.5);
        assert_eq!(half.position, Vec2::new(1.0, 2.0));
        assert!((half.rotation.angle().abs() - core::f32::consts::PI).abs() < 1.0e-3);
    }
}
