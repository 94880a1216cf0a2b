//! Tests of free rectangles against a raster that stores each cell by itself.

use super::*;
use alloc::collections::BTreeMap;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;

/// The number of tiles of the raster along an axis. It contains all walls.
const RASTER_TILES: usize = 4;
/// The number of cells of the raster along an axis.
const WIDTH: usize = RASTER_TILES << TILE_HEIGHT;

/// A box of cells, from the raster's corner; `high` is the first beyond it.
#[derive(Clone, Copy, Debug)]
struct Wall {
    low: [usize; 2],
    high: [usize; 2],
}

/// Sides that lead from one rectangle to another, with the stretch between the two.
type Neighbors = BTreeMap<(RectangleId, RectangleSide, RectangleId), (u16, u16)>;

/// Walls, and the rectangles between them.
struct Model {
    rectangles: FreeRectangles,
    walls: Vec<Wall>,
    /// The raster's first tile.
    origin: [usize; 2],
}

impl Model {
    fn new(origin: [usize; 2]) -> Self {
        Self {
            rectangles: FreeRectangles::new(),
            walls: Vec::new(),
            origin,
        }
    }

    /// The raster's first cell along an axis.
    fn first(&self, axis: usize) -> usize {
        self.origin[axis] << TILE_HEIGHT
    }

    fn placed(&self, wall: &Wall) -> WallBox {
        let [low, high] =
            [wall.low, wall.high].map(|edge| [0, 1].map(|axis| (self.first(axis) + edge[axis]) as u16));
        WallBox { low, high }
    }

    fn put_in(&mut self, walls: &[Wall]) {
        for wall in walls {
            let placed = self.placed(wall);
            self.rectangles.add(&placed);
            self.walls.push(*wall);
        }
        self.rectangles.refresh();
    }

    /// Removes all walls but the first few.
    fn take_out(&mut self, kept: usize) {
        for wall in self.walls.split_off(kept) {
            let placed = self.placed(&wall);
            self.rectangles.remove(&placed);
        }
        self.rectangles.refresh();
    }

    fn is_in_raster(&self, place: usize) -> bool {
        let width = usize::from(TILE_COUNT);
        let tile = [place % width, place / width];
        (0..2).all(|axis| (self.origin[axis]..self.origin[axis] + RASTER_TILES).contains(&tile[axis]))
    }

    /// The rectangles of the raster.
    fn ids(&self) -> Vec<RectangleId> {
        (0..self.rectangles.tiles.len())
            .filter(|place| self.is_in_raster(*place))
            .flat_map(|place| {
                (0..self.rectangles.count(place)).map(move |index| RectangleId::new(place, index))
            })
            .collect()
    }

    /// Row by row, whether a cell is wall.
    fn raster(&self) -> Vec<bool> {
        let mut raster = alloc::vec![false; WIDTH * WIDTH];
        for wall in &self.walls {
            for y in wall.low[1]..wall.high[1] {
                raster[y * WIDTH + wall.low[0]..y * WIDTH + wall.high[0]].fill(true);
            }
        }
        raster
    }

    /// The rectangle of each cell; each free one has one, and walls have none.
    fn owners(&self) -> Vec<Option<RectangleId>> {
        let raster = self.raster();
        let mut owners = alloc::vec![None; WIDTH * WIDTH];
        for id in self.ids() {
            let rectangle = self.rectangles.rectangle(id);
            for y in usize::from(rectangle.low[1])..usize::from(rectangle.high[1]) {
                for x in usize::from(rectangle.low[0])..usize::from(rectangle.high[0]) {
                    let cell = (y - self.first(1)) * WIDTH + (x - self.first(0));
                    assert!(!raster[cell], "{rectangle:?} has a wall at {x}, {y}");
                    let other = owners[cell].replace(id);
                    assert_eq!(other, None, "{rectangle:?} is not the only one at {x}, {y}");
                }
            }
        }
        for (place, (owner, is_wall)) in owners.iter().zip(&raster).enumerate() {
            let (x, y) = (self.first(0) + place % WIDTH, self.first(1) + place / WIDTH);
            assert_eq!(owner.is_none(), *is_wall, "the cell at {x}, {y}");
            assert_eq!(
                self.rectangles.is_wall([x as i64, y as i64]),
                *is_wall,
                "the cell at {x}, {y}"
            );
        }
        owners
    }

    /// The neighbors by the cells, each with the cells beyond its four sides.
    fn neighbors_of_cells(&self, owners: &[Option<RectangleId>]) -> Neighbors {
        let mut neighbors = Neighbors::new();
        for (place, owner) in owners.iter().enumerate() {
            let cell = [place % WIDTH, place / WIDTH];
            for side in RectangleSide::ALL {
                let axis = side.axis();
                if cell[axis] == if side.is_high() { WIDTH - 1 } else { 0 } {
                    continue;
                }
                let stride = [1, WIDTH][axis];
                let beyond = if side.is_high() {
                    place + stride
                } else {
                    place - stride
                };
                let (Some(rectangle), Some(other)) = (*owner, owners[beyond]) else {
                    continue;
                };
                if rectangle != other {
                    let at = (self.first(1 - axis) + cell[1 - axis]) as u16;
                    let stretch = neighbors.entry((rectangle, side, other)).or_insert((at, at + 1));
                    *stretch = (stretch.0.min(at), stretch.1.max(at + 1));
                }
            }
        }
        neighbors
    }

    /// The neighbors by the rectangles.
    fn neighbors_of_rectangles(&self) -> Neighbors {
        let mut neighbors = Neighbors::new();
        for id in self.ids() {
            let rectangle = self.rectangles.rectangle(id);
            for side in RectangleSide::ALL {
                let mut end = 0;
                self.rectangles
                    .openings(&rectangle, id, side, |other, low, high| {
                        assert!(
                            end <= low,
                            "the openings of {rectangle:?} to the {side:?} are in order"
                        );
                        end = high;
                        if self.is_in_raster(other.tile()) {
                            neighbors.insert((id, side, other), (low, high));
                        }
                    });
            }
        }
        neighbors
    }

    fn check(&self) {
        let outside = (0..self.rectangles.tiles.len()).filter(|place| !self.is_in_raster(*place));
        assert!(
            outside
                .into_iter()
                .all(|place| self.rectangles.tiles[place].is_none()),
            "tiles without walls are free"
        );
        let found = self.neighbors_of_rectangles();
        for ((rectangle, side, other), stretch) in &found {
            let back = found.get(&(*other, side.opposite(), *rectangle));
            assert_eq!(back, Some(stretch), "{rectangle:?} and {other:?} to the {side:?}");
        }
        assert_eq!(found, self.neighbors_of_cells(&self.owners()));
    }

    /// All rectangles of the raster.
    fn listing(&self) -> Vec<(RectangleId, FreeRectangle)> {
        self.ids()
            .into_iter()
            .map(|id| (id, self.rectangles.rectangle(id)))
            .collect()
    }
}

/// The positions of the raster: at both ends of free space, and in its middle.
fn origins() -> impl Strategy<Value = [usize; 2]> {
    let last = usize::from(TILE_COUNT) - RASTER_TILES;
    let along = move || select(alloc::vec![0, last / 2, last]);
    [along(), along()]
}

/// Small and large boxes, and some that cover several tiles.
fn boxes() -> impl Strategy<Value = Vec<Wall>> {
    let low = || prop_oneof![Just(0), Just(WIDTH / 2), 0..WIDTH];
    let size = || prop_oneof![1..12_usize, 1..WIDTH, Just(WIDTH / 2)];
    let one = ([low(), low()], [size(), size()]).prop_map(|(low, size)| Wall {
        low,
        high: [0, 1].map(|axis| (low[axis] + size[axis]).min(WIDTH)),
    });
    vec(one, 0..12)
}

/// Random single cells in a square that may span tiles: a quarter of them or half.
fn noise() -> impl Strategy<Value = Vec<Wall>> {
    let rows = (any::<bool>(), vec((any::<u64>(), any::<u64>()), 0..64));
    ([0..WIDTH - 64, 0..WIDTH - 64], rows).prop_map(|(corner, (is_dense, rows))| {
        let mut walls = Vec::new();
        for (row, (one, other)) in rows.into_iter().enumerate() {
            let bits = if is_dense { one } else { one & other };
            for column in (0..64).filter(|column| bits >> column & 1 == 1) {
                let low = [corner[0] + column, corner[1] + row];
                let high = low.map(|edge| edge + 1);
                walls.push(Wall { low, high });
            }
        }
        walls
    })
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    /// Rectangles are disjoint, cover exactly the free cells, and list all of their neighbors; also after some walls
    /// are removed, when they equal those of a space that never had these.
    #[test]
    fn rectangles_and_their_neighbors_are_those_of_the_cells(
        origin in origins(),
        kept in boxes(),
        noise in noise(),
        gone in boxes(),
    ) {
        let mut model = Model::new(origin);
        model.put_in(&kept);
        model.put_in(&noise);
        let before = model.listing();
        let kept_count = model.walls.len();
        model.put_in(&gone);
        model.check();
        model.take_out(kept_count);
        model.check();
        assert_eq!(model.listing(), before);
    }
}
