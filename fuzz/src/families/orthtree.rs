//! Family `orthtree`: quadtrees and octrees of several layouts and strategies, and the uniform grid, beside a list of
//! boxes; the trees' saves are forged field by field and their hash corrected.

use tombolo_geometry::orthtree::{
    Block, Bounds, Full, Layout, Linear, Loose, ObjectId, Orthtree, Settings, Shared, Sibling, Smallest,
    Strategy, UniformGrid,
};

use crate::family::{Family, hold, same};
use crate::random::{Forgery, Random};

/// The family.
pub(crate) struct Orthtrees;

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Chooses the tree of the case: the first such operation counts.
    Use {
        kind: usize,
        capacity: u32,
        depth_max: u32,
    },
    /// Inserts a box by its center in thousandths of the root, and its size.
    Insert([i32; 3], f32),
    Update(usize, [i32; 3], f32),
    Remove(usize),
    Query([i32; 3], f32),
    Clear,
    Shrink,
    Restore,
    /// Forges a save; an accepted one is used from then on.
    Forge(Vec<Forgery>),
}

impl Family for Orthtrees {
    const NAME: &'static str = "orthtree";
    const ABOUT: &'static str = "quadtrees and octrees against a list of boxes, saves forged field by field";
    const CASES: u64 = 20_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let mut operations = vec![Operation::Use {
            kind: random.below(9),
            capacity: random.pick(&[0, 0, 1, 3]),
            depth_max: random.within(1..5) as u32,
        }];
        let place = |random: &mut Random| [0; 3].map(|_| random.below(1500) as i32 - 250);
        let size = |random: &mut Random| random.pick(&[0.0, 0.1, 1.0, 8.0, 16.0, 60.0]) * random.unit();
        for _ in 0..random.within(1..40) {
            operations.push(match random.below(16) {
                0..=5 => Operation::Insert(place(random), size(random)),
                6..=7 => Operation::Update(random.below(64), place(random), size(random)),
                8..=9 => Operation::Remove(random.below(64)),
                10..=11 => Operation::Query(place(random), size(random)),
                12 if random.one_in(4) => Operation::Clear,
                13 => Operation::Shrink,
                14 => Operation::Restore,
                _ => Operation::Forge((0..random.within(1..4)).map(|_| Forgery::new(random)).collect()),
            });
        }
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let wanted = operations.iter().find_map(|operation| match operation {
            Operation::Use {
                kind,
                capacity,
                depth_max,
            } => Some((*kind, *capacity, *depth_max)),
            _ => None,
        });
        let (kind, capacity, depth_max) = wanted.unwrap_or((0, 0, 3));
        let settings = Settings {
            depth_max,
            capacity,
            collapse_count: capacity / 2,
            growth_max: 3,
        };
        match kind {
            0 => run_with::<2, Linear, Loose>(&Loose::default(), settings, operations),
            1 => run_with::<2, Block<2>, Loose>(&Loose::default(), settings, operations),
            2 => run_with::<2, Full<2>, Loose>(&Loose::default(), settings, operations),
            3 => run_with::<2, Linear, Shared>(&Shared, settings, operations),
            4 => run_with::<2, Sibling<2>, Shared>(&Shared, settings, operations),
            5 => run_with::<2, Block<2>, Smallest>(&Smallest, settings, operations),
            6 => run_with::<3, Linear, Loose>(&Loose::default(), settings, operations),
            7 => run_with::<3, Linear, Shared>(&Shared, settings, operations),
            _ => run_grid(SIDE / (1 << depth_max) as f32, operations),
        }
    }
}

const SIDE: f32 = 64.0;

fn box_at<const D: usize>(place: [i32; 3], size: f32) -> Bounds<D> {
    let middle = core::array::from_fn(|axis| place[axis] as f32 * (SIDE / 1000.0));
    Bounds::around(middle, 0.5 * size)
}

fn touch<const D: usize>(a: &Bounds<D>, b: &Bounds<D>) -> bool {
    (0..D).all(|axis| a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
}

type Objects<const D: usize> = Vec<(ObjectId, Bounds<D>, u64)>;

fn run_with<const D: usize, L: Layout<D>, S: Strategy<D>>(
    strategy: &S,
    settings: Settings,
    operations: &[Operation],
) -> Result<(), String> {
    let root = Bounds::new([0.0; D], [SIDE; D]);
    let mut tree: Orthtree<D, L, S> =
        Orthtree::new(root, strategy.clone(), settings).map_err(|error| error.to_string())?;
    let mut objects: Objects<D> = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        match operation {
            Operation::Use { .. } => {}
            Operation::Insert(place, size) => {
                let bounds = box_at(*place, *size);
                if let Ok(id) = tree.insert(bounds, number as u64) {
                    hold!(objects.iter().all(|object| object.0 != id), "an id twice");
                    objects.push((id, bounds, number as u64));
                }
            }
            Operation::Update(index, place, size) if !objects.is_empty() => {
                let index = index % objects.len();
                let bounds = box_at(*place, *size);
                if tree.update(objects[index].0, bounds).is_ok() {
                    objects[index].1 = bounds;
                }
            }
            Operation::Remove(index) if !objects.is_empty() => {
                let (id, _, key) = objects.swap_remove(index % objects.len());
                same!(tree.remove(id), Ok(key), "a removal");
                hold!(
                    tree.remove(id).is_err() && !tree.contains(id),
                    "an id that outlives its object"
                );
            }
            Operation::Update(..) | Operation::Remove(_) => {}
            Operation::Query(place, size) => query(&tree, &objects, &box_at(*place, *size))?,
            Operation::Clear => {
                tree.clear();
                objects.clear();
            }
            Operation::Shrink => drop(tree.shrink_root()),
            Operation::Restore => {
                let bytes = tree.save();
                tree = Orthtree::restore(strategy.clone(), &bytes).map_err(|error| error.to_string())?;
                hold!(tree.save() == bytes, "a restored tree saves other bytes");
            }
            Operation::Forge(forgeries) => {
                let mut bytes = tree.save();
                let end = bytes.len() - 8;
                forgeries
                    .iter()
                    .for_each(|forgery| forgery.apply(&mut bytes[..end]));
                let hash = hash(&bytes[..end]).to_le_bytes();
                bytes[end..].copy_from_slice(&hash);
                if let Ok(restored) = Orthtree::<D, L, S>::restore(strategy.clone(), &bytes) {
                    hold!(restored.save() == bytes, "a forged tree saves other bytes");
                    tree = restored;
                    objects.clear();
                    for id in tree.ids() {
                        let (bounds, key) = (tree.bounds(id), tree.key(id));
                        objects.push((
                            id,
                            bounds.map_err(|e| e.to_string())?,
                            key.map_err(|e| e.to_string())?,
                        ));
                    }
                }
            }
        }
        tree.validate().map_err(str::to_string)?;
        same!(tree.len(), objects.len(), "the number of objects");
    }
    query(&tree, &objects, &Bounds::around([0.5 * SIDE; D], 3.0 * SIDE))
}

/// The uniform grid, which has no saves: it is cloned instead of restored.
fn run_grid(cell_size: f32, operations: &[Operation]) -> Result<(), String> {
    let new = || UniformGrid::new(cell_size).map_err(|error| error.to_string());
    let mut grid = new()?;
    let mut objects: Objects<2> = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        match operation {
            Operation::Insert(place, size) => {
                let (bounds, key) = (box_at(*place, *size), number as u64);
                if let Ok(id) = grid.insert(bounds, key) {
                    hold!(objects.iter().all(|object| object.0 != id), "an id twice");
                    objects.push((id, bounds, key));
                }
            }
            Operation::Update(index, place, size) if !objects.is_empty() => {
                let index = index % objects.len();
                let bounds = box_at(*place, *size);
                let fits = grid.fits(&bounds);
                same!(grid.update(objects[index].0, bounds).is_ok(), fits, "an update");
                if fits {
                    objects[index].1 = bounds;
                }
            }
            Operation::Remove(index) if !objects.is_empty() => {
                let (id, _, key) = objects.swap_remove(index % objects.len());
                same!(grid.remove(id), Ok(key), "a removal");
                hold!(grid.remove(id).is_err(), "an id that outlives its object");
            }
            Operation::Query(place, size) => query_grid(&grid, &objects, &box_at(*place, *size))?,
            Operation::Clear => {
                grid = new()?;
                objects.clear();
            }
            Operation::Restore => grid = grid.clone(),
            _ => {}
        }
        grid.validate().map_err(str::to_string)?;
        same!(grid.len(), objects.len(), "the number of objects");
    }
    query_grid(&grid, &objects, &Bounds::around([0.5 * SIDE; 2], 3.0 * SIDE))
}

fn query_grid(grid: &UniformGrid, objects: &Objects<2>, area: &Bounds<2>) -> Result<(), String> {
    let mut found = Vec::new();
    grid.query(area, |hit| found.push((hit.id, hit.key)));
    compare(found, objects, area)
}

fn query<const D: usize, L: Layout<D>, S: Strategy<D>>(
    tree: &Orthtree<D, L, S>,
    objects: &Objects<D>,
    area: &Bounds<D>,
) -> Result<(), String> {
    let mut found = Vec::new();
    tree.query(area, |hit| found.push((hit.id, hit.key)));
    compare(found, objects, area)
}

/// Compares the result of a query with a test of all boxes.
fn compare<const D: usize>(
    mut found: Vec<(ObjectId, u64)>,
    objects: &Objects<D>,
    area: &Bounds<D>,
) -> Result<(), String> {
    found.sort_unstable();
    let hits = objects.iter().filter(|(_, bounds, _)| touch(bounds, area));
    let mut wanted: Vec<_> = hits.map(|&(id, _, key)| (id, key)).collect();
    wanted.sort_unstable();
    same!(found, wanted, "a query");
    Ok(())
}

/// The hash at the end of a save, corrected after forging.
fn hash(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 32;
    }
    state
}
