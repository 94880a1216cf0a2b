//! What converts to the types of `mint` and back: nothing is lost, and matrices do what rotations and poses do.

use mint::{ColumnMatrix2, ColumnMatrix3, Point2, Vector2};
use proptest::prelude::{Strategy, any, proptest};
use tombolo_geometry::{Pose, Position, Rot, Vec2};

fn number() -> impl Strategy<Value = f32> {
    -1e6_f32..1e6
}

proptest! {
    /// Every bit pattern comes back, numbers or not.
    #[test]
    fn positions_and_vectors_come_back(x in any::<u32>(), y in any::<u32>()) {
        let (x, y) = (f32::from_bits(x), f32::from_bits(y));
        let bits = |x: f32, y: f32| [x.to_bits(), y.to_bits()];
        let position = Position::new(x, y);
        let back = Position::from(Point2::from(position));
        assert_eq!(bits(back.x, back.y), bits(x, y));
        let back = Position::from(Vector2::from(position));
        assert_eq!(bits(back.x, back.y), bits(x, y));
        let back = Vec2::from(Vector2::from(Vec2::new(x, y)));
        assert_eq!(bits(back.x, back.y), bits(x, y));
    }

    /// A matrix times a vector by hand, in the order of the rotation's own sum.
    #[test]
    fn matrices_do_what_rotations_and_poses_do(
        angle in -10.0_f32..10.0,
        (px, py) in (number(), number()),
        (vx, vy) in (number(), number()),
    ) {
        let rotation = Rot::from_angle(angle);
        let vector = Vec2::new(vx, vy);
        let matrix = ColumnMatrix2::from(rotation);
        let turned = Vec2::new(matrix.x.x * vx + matrix.y.x * vy, matrix.x.y * vx + matrix.y.y * vy);
        assert_eq!(turned, rotation.rotate(vector));

        let pose = Pose { position: Vec2::new(px, py), rotation };
        let matrix = ColumnMatrix3::from(pose);
        let row = |x: f32, y: f32, z: f32| (x * vx + y * vy) + z;
        assert_eq!(row(matrix.x.x, matrix.y.x, matrix.z.x), (turned + pose.position).x);
        assert_eq!(row(matrix.x.y, matrix.y.y, matrix.z.y), (turned + pose.position).y);
        assert_eq!(row(matrix.x.z, matrix.y.z, matrix.z.z), 1.0);
    }
}
