//! The memory that a call of a script takes beside what the script holds. Alone in its program, since it counts all bytes
//! that the process asks for.
#![cfg(feature = "script")]
#![allow(missing_docs)]
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo::{Scene, World};

struct Counting;

static ASKED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on; the memory came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The names of maps may be as long as texts, and maps lie in maps: what a message would call a value may be longer than
/// the value by far.
#[test]
fn long_names_of_maps_in_maps_are_copied_once() {
    let text = r##"(
    scripts: {"s": r#"
        fn on_spawn() {
            let name = "";
            name.pad(8000, 'x');
            let values = [];
            values.pad(900, 1);
            for depth in 0..6 {
                let outer = #{};
                outer[name] = values;
                values = outer;
            }
            this.values = values;
        }
        fn on_tick(seconds) { }
    "#},
    entities: {"hoard": {"mind": Script(name: "s")}},
    place: [One(name: "hoard", entity: "hoard")],
)"##;
    let scene = Scene::parse("a.ron", text).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::from_scene(&scene).expect("the scene is sound");
    (0..3).for_each(|_| world.step());
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let held = world.save().len();
    assert!(held > 48_000, "{held} bytes: the script remembers the maps");
    let before = ASKED.load(Ordering::Relaxed);
    world.step();
    let asked = ASKED.load(Ordering::Relaxed) - before;
    assert!(
        asked < 2_000_000,
        "a call that does nothing asked for {asked} bytes"
    );
}
