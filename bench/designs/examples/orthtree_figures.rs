//! The figures of `docs/space.md`: layouts side by side, and moving beside an R*-tree, one thread.
//!
//! `cargo run --release -p tombolo-bench-designs --example orthtree_figures [objects]`
//!
//! Contenders take turns; printed are medians over the rounds, and for ratios the median of the rounds' ratios. Both sides
//! must find the same number of objects, or the program stops.
#![allow(clippy::print_stdout)]

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use tombolo_geometry::orthtree::{
    Block, Bounds, Full, Layout, Linear, Loose, Move, NeighborMode, ObjectId, Orthtree, Settings, Sibling,
    Smallest, Standard, StandardApart,
};
use tombolo_threads::Stopwatch;

const SIDE: f32 = 1024.0;
const HALF_SIZE: f32 = 0.5;
const ROUND_COUNT: usize = 9;
const QUERY_COUNT: usize = 2_000;

type Peer = GeomWithData<Rectangle<[f32; 2]>, u32>;

/// Places of chance: splitmix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }

    fn place<const D: usize>(&mut self) -> [f32; D] {
        std::array::from_fn(|_| 1.0 + (SIDE - 2.0) * self.unit())
    }

    fn near(&mut self, place: [f32; 2], way: f32) -> [f32; 2] {
        place.map(|c| (c + way * (2.0 * self.unit() - 1.0)).clamp(1.0, SIDE - 1.0))
    }
}

fn main() {
    let count = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(100_000);
    layouts(count);
    moving(count);
    neighbors();
}

fn nanoseconds(count: usize, work: impl FnOnce()) -> f64 {
    let watch = Stopwatch::start();
    work();
    watch.elapsed_seconds() * 1e9 / count as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn boxed(place: [f32; 2]) -> Bounds<2> {
    Bounds::around(place, HALF_SIZE)
}

fn settings() -> Settings {
    // Cells of 8 m, six boxes in each.
    Settings {
        depth_max: 7,
        ..Settings::default()
    }
}

fn tree_of<L: Layout<2>>(places: &[[f32; 2]]) -> (Orthtree<2, L, Loose>, Vec<ObjectId>) {
    let root = Bounds::new([0.0; 2], [SIDE; 2]);
    let mut tree = Orthtree::new(root, Loose::default(), settings()).expect("the root is right");
    let ids = places
        .iter()
        .map(|&place| tree.insert(boxed(place), 0).expect("inside"))
        .collect();
    (tree, ids)
}

/// The same, at once: as a tree is filled, and as the peer is.
fn filled<L: Layout<2>>(places: &[[f32; 2]]) -> (Orthtree<2, L, Loose>, Vec<ObjectId>) {
    let root = Bounds::new([0.0; 2], [SIDE; 2]);
    let mut tree = Orthtree::new(root, Loose::default(), settings()).expect("the root is right");
    let items: Vec<_> = places.iter().map(|&place| (boxed(place), 0)).collect();
    let ids = tree.insert_many(&items).expect("inside");
    (tree, ids)
}

/// One row of the table of layouts: bytes, insertion, query, update.
fn layout_row<L: Layout<2>>(name: &str, places: &[[f32; 2]]) {
    let random = &mut Random(5);
    let mut figures = [const { Vec::new() }; 3];
    let mut bytes = 0.0;
    for _ in 0..3 {
        let mut made = None;
        figures[0].push(nanoseconds(places.len(), || made = Some(tree_of::<L>(places))));
        let (mut tree, ids) = made.expect("was just made");
        bytes = tree.layout().bytes() as f64 / places.len() as f64;
        let corners: Vec<[f32; 2]> = (0..QUERY_COUNT).map(|_| random.place()).collect();
        let mut found = 0;
        figures[1].push(nanoseconds(QUERY_COUNT, || {
            for &corner in &corners {
                tree.query(&Bounds::around(corner, 10.0), |_| found += 1);
            }
        }));
        assert!(found > 0);
        let moved: Vec<[f32; 2]> = places.iter().map(|&place| random.near(place, 1.0)).collect();
        figures[2].push(nanoseconds(ids.len(), || {
            for (id, place) in ids.iter().zip(&moved) {
                tree.update(*id, boxed(*place)).expect("inside");
            }
        }));
    }
    let [insert, query, update] = figures.map(median);
    println!("| {name} | {bytes:.0} | {insert:.0} | {query:.0} | {update:.0} |");
}

fn layouts(count: usize) {
    let random = &mut Random(1);
    let places: Vec<[f32; 2]> = (0..count).map(|_| random.place()).collect();
    println!(
        "{count} boxes of 1 m in 1024 m, loose, 7 levels; queries of 20 m; moves of up to 1 m along each axis\n"
    );
    println!("| layout | bytes of nodes an object | insert ns | query ns | update ns |");
    println!("| --- | --- | --- | --- | --- |");
    layout_row::<Standard<2>>("standard", &places);
    layout_row::<StandardApart<2>>("standard, apart", &places);
    layout_row::<Block<2>>("block", &places);
    layout_row::<Sibling<2>>("sibling", &places);
    layout_row::<Linear<u32, true>>("linear, 32 bits, mask", &places);
    layout_row::<Linear<u64, true>>("linear, 64 bits, mask", &places);
    layout_row::<Linear<u64, false>>("linear, 64 bits, no mask", &places);
    layout_row::<Full<2>>("full", &places);
    println!();
}

fn peer(place: [f32; 2], index: u32) -> Peer {
    let bounds = boxed(place);
    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), index)
}

/// Moves beside remove and insert, then queries of both.
fn moving(count: usize) {
    println!(
        "| moving | way m | ours ns a move | in a batch | rstar | rstar / ours | query ns | rstar | rstar / ours |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for share in [0.01, 0.1, 1.0] {
        for way in [0.1, 2.0, 100.0] {
            moving_row(count, share, way);
        }
    }
    println!();
}

fn moving_row(count: usize, share: f64, way: f32) {
    let random = &mut Random(2);
    let mut places: Vec<[f32; 2]> = (0..count).map(|_| random.place()).collect();
    let (mut tree, ids) = filled::<Linear>(&places);
    let (mut batched, batched_ids) = filled::<Linear>(&places);
    let mut theirs = RTree::bulk_load((0..count).map(|n| peer(places[n], n as u32)).collect());
    let moved_count = ((count as f64 * share) as usize).max(1);
    let mut figures = [const { Vec::new() }; 7];
    for round in 0..ROUND_COUNT {
        let moved: Vec<(usize, [f32; 2])> = (0..moved_count)
            .map(|n| {
                let index = (n * count / moved_count + round) % count;
                (index, random.near(places[index], way))
            })
            .collect();
        let ours = nanoseconds(moved_count, || {
            for &(index, place) in &moved {
                tree.update(ids[index], boxed(place)).expect("inside");
            }
        });
        let moves: Vec<Move<2>> = moved
            .iter()
            .map(|&(index, place)| Move {
                id: batched_ids[index],
                bounds: boxed(place),
            })
            .collect();
        let batch = nanoseconds(moved_count, || batched.update_many(&moves).expect("inside"));
        let rstar = nanoseconds(moved_count, || {
            for &(index, place) in &moved {
                theirs
                    .remove(&peer(places[index], index as u32))
                    .expect("it is there");
                theirs.insert(peer(place, index as u32));
            }
        });
        for (index, place) in moved {
            places[index] = place;
        }
        let (query, peer_query) = queries(&tree, &theirs, random);
        let row = [
            ours,
            batch,
            rstar,
            rstar / ours,
            query,
            peer_query,
            peer_query / query,
        ];
        for (figure, value) in figures.iter_mut().zip(row) {
            figure.push(value);
        }
    }
    let [ours, batch, rstar, ratio, query, peer_query, query_ratio] = figures.map(median);
    println!(
        "| {:.0} % | {way} | {ours:.0} | {batch:.0} | {rstar:.0} | {ratio:.1} | {query:.0} | {peer_query:.0} | {query_ratio:.2} |",
        share * 100.0
    );
}

/// The same boxes asked of both.
fn queries(tree: &Orthtree<2, Linear, Loose>, theirs: &RTree<Peer>, random: &mut Random) -> (f64, f64) {
    let corners: Vec<[f32; 2]> = (0..QUERY_COUNT).map(|_| random.place()).collect();
    let (mut found, mut peer_found) = (0, 0);
    let ours = nanoseconds(QUERY_COUNT, || {
        for &corner in &corners {
            tree.query(&Bounds::around(corner, 10.0), |_| found += 1);
        }
    });
    let rstar = nanoseconds(QUERY_COUNT, || {
        for &corner in &corners {
            let bounds = Bounds::around(corner, 10.0);
            let envelope = AABB::from_corners(bounds.min, bounds.max);
            peer_found += theirs.locate_in_envelope_intersecting(envelope).count();
        }
    });
    assert_eq!(found, peer_found, "both find the same");
    (ours, rstar)
}

/// All 26 neighbors of the leaves of an octree.
fn neighbors() {
    let random = &mut Random(3);
    let root = Bounds::new([0.0; 3], [SIDE; 3]);
    let settings = Settings {
        depth_max: 10,
        capacity: 4,
        collapse_count: 4,
        growth_max: 0,
    };
    let mut tree: Orthtree<3, Linear, Smallest> =
        Orthtree::new(root, Smallest, settings).expect("the root is right");
    for key in 0..100_000 {
        tree.insert(Bounds::point(random.place()), key).expect("inside");
    }
    let nodes: Vec<u64> = (0..20_000)
        .map(|_| tree.node_at(random.place()).expect("inside"))
        .collect();
    for mode in [NeighborMode::Covering, NeighborMode::Contact] {
        let mut found = 0_usize;
        let time = nanoseconds(nodes.len(), || {
            for &node in &nodes {
                tree.all_neighbors(node, mode, |_, _| found += 1);
            }
        });
        println!(
            "all 26 directions, {mode:?}: {time:.0} ns a leaf, {:.1} neighbors",
            found as f64 / nodes.len() as f64
        );
    }
}
