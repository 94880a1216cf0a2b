//! The memory that a tree holds, as it says, and the memory that its calls take: a call that copies a crowded cell's list
//! takes as much as that has.

use std::alloc::{GlobalAlloc, System};
use std::cell::Cell;
use tombolo_geometry::orthtree::{
    Bounds, Full, Layout, Linear, Loose, ObjectId, Orthtree, Settings, Shared, Smallest, Strategy,
};

thread_local! {
    /// The bytes that this thread has asked for, and those that it has not given back.
    static TAKEN: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// Counts this thread's bytes.
struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; the counters are thread local `Cell`s without a
// destructor, so that touching them neither allocates nor runs after the thread's end.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        TAKEN.with(|taken| taken.set(taken.get() + layout.size()));
        HELD.with(|held| held.set(held.get() + layout.size() as isize));
        // SAFETY: the caller's promises are the system allocator's demands.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: std::alloc::Layout) {
        HELD.with(|held| held.set(held.get() - layout.size() as isize));
        // SAFETY: `pointer` came from `alloc` above, and so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that a piece of work asks for.
fn taken(work: impl FnOnce()) -> usize {
    let before = TAKEN.with(Cell::get);
    work();
    TAKEN.with(Cell::get) - before
}

fn tree<L: Layout<2>, S: Strategy<2>>(strategy: S, capacity: u32) -> Orthtree<2, L, S> {
    let settings = Settings {
        depth_max: 6,
        capacity,
        collapse_count: capacity,
        growth_max: 0,
    };
    Orthtree::new(Bounds::new([0.0; 2], [64.0; 2]), strategy, settings).unwrap()
}

/// Many objects at one place, and some beside them that keep the nodes above open.
fn crowd<L: Layout<2>, S: Strategy<2>>(strategy: S, count: u32) -> (Orthtree<2, L, S>, Vec<ObjectId>) {
    let mut tree = tree(strategy, 8);
    let crowded = (0..count).map(|key| (Bounds::point([10.5, 10.5]), u64::from(key)));
    let ids: Vec<ObjectId> = crowded
        .map(|(bounds, key)| tree.insert(bounds, key).unwrap())
        .collect();
    for place in 0..20 {
        tree.insert(Bounds::point([11.5, 10.0 + 0.05 * place as f32]), 0)
            .unwrap();
    }
    (tree, ids)
}

/// The bytes that removing, moving and clearing take for each of a crowd's objects.
fn bytes_each<L: Layout<2>, S: Strategy<2>>(strategy: &S, count: u32) -> usize {
    let (mut tree, ids) = crowd::<L, S>(strategy.clone(), count);
    let (mut cleared, _) = crowd::<L, S>(strategy.clone(), count);
    let half = count as usize / 2;
    let bytes = taken(|| {
        for &id in &ids[..half] {
            tree.remove(id).unwrap();
        }
        for &id in &ids[half..] {
            tree.update(id, Bounds::point([11.5, 11.5])).unwrap();
        }
        cleared.clear();
    });
    tree.validate().unwrap();
    cleared.validate().unwrap();
    bytes / count as usize
}

fn a_crowd_costs_each_of_it_the_same<L: Layout<2>, S: Strategy<2>>(strategy: &S) {
    let [few, many] = [500, 8_000].map(|count| bytes_each::<L, S>(strategy, count));
    assert!(
        many <= 2 * few + 64,
        "{few} bytes each of 500, {many} each of 8,000"
    );
}

/// Each removal copied the lists of all cells beside it.
#[test]
fn leaving_a_crowded_cell_takes_no_memory_for_the_crowd() {
    a_crowd_costs_each_of_it_the_same::<Linear, _>(&Smallest);
    a_crowd_costs_each_of_it_the_same::<Linear, _>(&Loose::default());
    a_crowd_costs_each_of_it_the_same::<Linear, _>(&Shared);
    a_crowd_costs_each_of_it_the_same::<Full<2>, _>(&Smallest);
    a_crowd_costs_each_of_it_the_same::<Full<2>, _>(&Shared);
}

/// Each insertion copied the list of the node, which such zones can never divide.
#[test]
fn zones_that_cover_everything_cost_each_the_same() {
    let bytes_each = |count: usize| {
        let mut zones = tree::<Linear, Shared>(Shared, 8);
        let bytes = taken(|| {
            for key in 0..count as u64 {
                zones.insert(Bounds::new([0.0; 2], [63.9; 2]), key).unwrap();
            }
            zones.clear();
        });
        assert_eq!(zones.len(), 0);
        bytes / count
    };
    let [few, many] = [500, 8_000].map(bytes_each);
    assert!(
        many <= 2 * few + 64,
        "{few} bytes each of 500, {many} each of 8,000"
    );
}

/// The list of free blocks, which has room for all, was left out.
#[test]
fn a_tree_says_how_much_memory_it_holds() {
    fn says<L: Layout<2>, S: Strategy<2>>(strategy: S) {
        let before = HELD.with(Cell::get);
        let mut tree = tree::<L, S>(strategy, 0);
        for key in 0..5_000_u64 {
            let place = [key % 61, key / 61 % 61].map(|place| place as f32 + 0.5);
            tree.insert(Bounds::point(place), key).unwrap();
        }
        let held = HELD.with(Cell::get) - before;
        assert_eq!(tree.bytes() as isize, held);
    }
    says::<Linear, _>(Smallest);
    says::<Full<2>, _>(Loose::default());
    says::<Linear, _>(Shared);
}
