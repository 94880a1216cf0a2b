//! What is where: areas, cameras, interest, paths and agents, beside brute force.

mod agents;
mod areas;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod floats;
mod interest;
#[path = "../../../threads/tests/support/last_first.rs"]
mod last_first;
mod paths;
mod raster;
mod walls;
mod workers;

use tombolo::{Scene, World};

/// A small generator (splitmix64), so that a failing case is named by one number.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    /// From -1 to 1.
    pub(crate) fn sign(&mut self) -> f32 {
        self.below(20_001) as f32 / 10_000.0 - 1.0
    }
}

pub(crate) fn world_of(text: &str) -> World {
    World::from_scene(&Scene::parse("test.ron", text).unwrap()).unwrap()
}

/// Crates that fall on a floor, walls, marks and pictures; some things end and some begin while it runs.
pub(crate) const BUSY: &str = r#"(
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 80, height: 2), position: (0, -1))},
        "crate": {
            "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1)), "loot": Tag(),
        },
        "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.7))},
        "mark": {"place": Transform(position: (3, 4)), "mark": Tag()},
        "cloud": {"look": Sprite(image: "cloud", size: (6, 2), offset: (1, 0)), "loot": Tag()},
        "chute": {"spout": Spawner(resource: "ball", interval: 0.1, spread: (10, 3))},
    },
    place: [
        One(name: "floor", entity: "floor"),
        Grid(name: "crate", entity: "crate", at: (-20, 2), columns: 12, rows: 3, column_step: (3, 0), row_step: (0.7, 2)),
        One(name: "mark", entity: "mark", at: (5, 5)),
        Row(name: "cloud", entity: "cloud", at: (-10, 12), count: 4, step: (7, 1)),
        One(name: "chute", entity: "chute", at: (0, 15)),
    ],
)"#;
