//! What a restore may take: four times the save, whatever the save says. Alone in its program, since it counts all bytes
//! that the process holds.
#![allow(missing_docs)]
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tombolo_physics::{BodyDef, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on; the memory came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The tests count the memory of the whole program: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs `work` and answers how many bytes more than before were held at most. The caller holds [`ALONE`].
fn most_bytes(work: impl FnOnce()) -> usize {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    work();
    MOST.load(Ordering::Relaxed) - before
}

/// Rows of boxes that touch, some of them on revolute joints, and a wide floor.
fn world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let wide = Shape::new_box(400.0, 2.0).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &wide).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    let mut last = floor;
    for i in 0..600 {
        let (column, row) = (i % 60, i / 60);
        let def = BodyDef::dynamic(1.01 * column as f32 - 75.0, 0.5 + row as f32);
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &ShapeDef::default(), &square).unwrap();
        if i % 3 == 1 {
            let revolute = RevoluteDef::new(last, Vec2::new(0.5, 0.0), body, Vec2::new(-0.5, 0.0));
            world.create_joint(revolute).unwrap();
        }
        last = body;
    }
    for _ in 0..5 {
        world.step(1.0 / 60.0).unwrap();
    }
    world
}

/// The checksum of a save, as whoever forges one computes it.
fn put_checksum_right(save: &mut [u8]) {
    let (body, sum) = save.split_at_mut(save.len() - 8);
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut fold = |word: u64| {
        state = (state ^ word).wrapping_mul(0xA076_1D64_78BD_642F).rotate_left(29);
    };
    let (words, rest) = body.as_chunks::<8>();
    words.iter().for_each(|&word| fold(u64::from_le_bytes(word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(u64::from_le_bytes(last));
    fold(body.len() as u64);
    let mixed = (state ^ (state >> 32)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
    sum.copy_from_slice(&(mixed ^ (mixed >> 32)).to_le_bytes());
}

#[test]
fn a_restore_takes_at_most_four_times_the_save() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let world = world();
    let mut save = world.save();
    let most = most_bytes(|| drop(PhysicsWorld::from_save(&save).unwrap()));
    assert!(
        most <= 4 * save.len(),
        "{most} bytes for a save of {}",
        save.len()
    );

    // Each count of each array in turn says more than the file holds.
    put_checksum_right(&mut save);
    PhysicsWorld::from_save(&save).expect("this is how checksums are made");
    let description = u32::from_le_bytes(save[12..16].try_into().unwrap()) as usize;
    let mut place = 16 + description;
    for array in world.memory() {
        let count = place + 2..place + 6;
        for forged in [
            array.count as u32 + 1,
            1 << 31,
            u32::MAX / array.element_size as u32,
            u32::MAX,
        ] {
            let mut save = save.clone();
            save[count.clone()].copy_from_slice(&forged.to_le_bytes());
            put_checksum_right(&mut save);
            let mut answer = Ok(());
            let most = most_bytes(|| answer = PhysicsWorld::from_save(&save).map(drop));
            assert!(answer.is_err(), "{} {} of {forged}", array.group, array.part);
            assert!(
                most <= 4 * save.len(),
                "{} {} of {forged}: {most} bytes",
                array.group,
                array.part
            );
        }
        place += 6 + array.element_size * array.count;
    }
    assert_eq!(place, save.len() - 8);
}

/// Descriptions that are longer than their bytes, declare as many structs and arrays as fit, or say that all elements are
/// small.
#[test]
fn a_forged_description_takes_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let save = world().save();
    let length = u32::from_le_bytes(save[12..16].try_into().unwrap()) as usize;
    let (text, arrays) = save[16..save.len() - 8].split_at(length);
    let text = str::from_utf8(text).unwrap();
    let forge = |length: u32, text: &str, arrays: &[u8]| {
        let sum = [0; 8];
        let mut forged = [&save[..12], &length.to_le_bytes(), text.as_bytes(), arrays, &sum].concat();
        put_checksum_right(&mut forged);
        let mut answer = Ok(());
        let most = most_bytes(|| answer = PhysicsWorld::from_save(&forged).map(drop));
        assert!(
            most <= 4 * forged.len() + (1 << 20),
            "{most} bytes for {}",
            forged.len()
        );
        answer
    };
    assert_eq!(forge(length as u32, text, arrays), Ok(()));
    for length in [0, 1, length as u32 - 1, length as u32 + 1, 1 << 16, u32::MAX] {
        forge(length, text, arrays).unwrap_err();
    }
    let structs = (0..4_000).map(|i| format!("S{i} = a:u8\n")).collect::<String>();
    forge(structs.len() as u32, &structs, arrays).unwrap_err();
    let lines = (0..8_000).map(|i| format!("{i}: u8\n")).collect::<String>();
    forge(lines.len() as u32, &lines, &[0; 6 * 60_000]).unwrap_err();
    let narrow = text.replace(":f32", ":u8").replace(":u32", ":u8");
    forge(narrow.len() as u32, &narrow, arrays).unwrap_err();
}
