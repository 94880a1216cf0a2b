//! Splitting does not allocate for polygons of up to 64 vertices, from the first split on, nor for greater ones after
//! the first of their size. A file of its own because the allocator that counts is the whole program's.

use glam::DVec2;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tombolo_geometry::split::{ConcavePolygon, CutLine, Slivers, Splitter};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Counts this thread's allocations.
struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; the counter is a thread local `Cell` without a
// destructor, so that touching it neither allocates nor runs after the thread's end.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are the system allocator's demands.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above, and so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

/// A zigzag band of `count` vertices around the x axis: the line crosses all its long edges.
fn zigzag(count: usize) -> ConcavePolygon {
    let half = count / 2;
    let height = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -2.0 };
    let upper = (0..half).rev().map(|i| DVec2::new(i as f64, height(i) + 0.5));
    let points: Vec<DVec2> = (0..half)
        .map(|i| DVec2::new(i as f64, height(i)))
        .chain(upper)
        .collect();
    ConcavePolygon::new(&points).unwrap()
}

#[test]
fn ps_13_no_allocation_up_to_64_vertices() {
    let polygons: Vec<ConcavePolygon> = (2..=32).map(|half| zigzag(2 * half)).collect();
    let lines = [0.0, 0.25, -1.0, 1.0, 0.1].map(|tilt| {
        let to = DVec2::new(1.0, if tilt == 0.1 { 0.001 } else { 0.0 });
        CutLine::through(DVec2::new(0.0, tilt), DVec2::new(0.0, tilt) + to).unwrap()
    });
    let mut splitter = Splitter::new();
    let mut piece_count = 0;
    let count = allocations(|| {
        for polygon in polygons.iter().rev() {
            for line in lines.iter().flat_map(|line| [*line, line.reversed()]) {
                piece_count += splitter.split(polygon, &line, Slivers::default()).unwrap().len();
            }
        }
    });
    assert!(piece_count > 1000, "{piece_count}");
    assert_eq!(count, 0);
}

#[test]
fn ps_13_no_allocation_after_the_first_of_a_size() {
    let polygon = zigzag(1000);
    let line = CutLine::through(DVec2::ZERO, DVec2::X).unwrap();
    let mut splitter = Splitter::new();
    let first = allocations(|| {
        splitter.split(&polygon, &line, Slivers::default()).unwrap();
    });
    let second = allocations(|| {
        splitter
            .split(&polygon, &line.reversed(), Slivers::default())
            .unwrap();
    });
    assert!(first > 0, "the counter counts");
    assert_eq!(second, 0);
}
