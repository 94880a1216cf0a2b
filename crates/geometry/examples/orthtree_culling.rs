//! Frustum culling: an octree of rocks and a frustum of five planes.
//!
//! `cargo run -p tombolo-geometry --example orthtree_culling`
#![allow(clippy::print_stdout)]

use tombolo_geometry::orthtree::{
    Bounds, Convex, HalfSpace, Linear, Loose, Orthtree, OrthtreeError, Settings,
};

fn main() -> Result<(), OrthtreeError> {
    let root = Bounds::new([-64.0; 3], [64.0; 3]);
    let mut tree: Orthtree<3, Linear, Loose> = Orthtree::new(root, Loose::default(), Settings::default())?;
    // A rock every four meters.
    for number in 0..32_u64.pow(3) {
        let place = [number % 32, number / 32 % 32, number / 1024].map(|n| 4.0 * n as f32 - 62.0);
        tree.insert(Bounds::around(place, 1.0), number)?;
    }
    // The camera stands in the middle and looks along x, 45° to each side, 40 m far. Normals point outwards.
    let frustum = [
        HalfSpace {
            normal: [-1.0, 1.0, 0.0],
            offset: 0.0,
        },
        HalfSpace {
            normal: [-1.0, -1.0, 0.0],
            offset: 0.0,
        },
        HalfSpace {
            normal: [-1.0, 0.0, 1.0],
            offset: 0.0,
        },
        HalfSpace {
            normal: [-1.0, 0.0, -1.0],
            offset: 0.0,
        },
        HalfSpace {
            normal: [1.0, 0.0, 0.0],
            offset: 40.0,
        },
    ];
    // With a box around it the tree looks at the cells there at once.
    let frustum = Convex::within(&frustum, Bounds::new([0.0, -40.0, -40.0], [40.0; 3]));
    let (mut rocks, mut cells) = (0, 0);
    tree.query(&frustum, |_| rocks += 1);
    tree.cells(&frustum, |_| cells += 1);
    println!(
        "{rocks} of {} rocks are in view; {cells} cells were looked at",
        tree.len()
    );
    Ok(())
}
