//! `Pool<T>`: allocates owned objects in blocks of one size, which return to it when the objects are dropped.
//!
//! Each block holds an object and the address of its pool's shared state, so an owner needs no more than the object's
//! address. Objects may outlive the pool, and may be dropped on any thread: the state has a reference count.
//!
//! Free blocks are in two lists. `Pool::place` takes from a list of its own; blocks that come back are pushed on a
//! shared list with a compare-and-swap, which `place` takes over whole when its own is empty (Treiber's stack of 1986;
//! as nothing pops single blocks from it, a block that comes back twice cannot confuse it).

use super::{Deleter, OwnedBy};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A source of objects of one type in blocks of memory that are used again.
///
/// Placing and dropping take constant time; memory is allocated for `objects_per_chunk` objects at a time, and freed
/// when the pool and all its objects are gone. One thread at a time has the pool; its objects are [`OwnedBy<T,
/// ReturnToPool<T>>`](OwnedBy), which may be sent wherever a `T` may.
pub struct Pool<T> {
    state: NonNull<State<T>>,
    // Free blocks that only `place` takes.
    free: Cell<*mut PoolBlock<T>>,
    objects_per_chunk: usize,
}

/// The state that a pool and its objects share. Freed by the last of them.
struct State<T> {
    /// The reference count: one for the pool, if it is alive, and one for each object.
    user_count: AtomicUsize,
    /// Blocks that have been freed since the pool last took them.
    returned: AtomicPtr<PoolBlock<T>>,
    /// All memory. Touched by the pool only, and by the thread that frees the state. Raw pointers, as a box would claim
    /// to be the only path to its blocks.
    chunks: UnsafeCell<Vec<NonNull<Chunk<T>>>>,
}

/// Memory as the pool allocates it.
type Chunk<T> = [MaybeUninit<PoolBlock<T>>];

/// The memory of one object. `object` is first, so a block's address is its object's.
#[repr(C)]
struct PoolBlock<T> {
    object: MaybeUninit<T>,
    /// The shared state of the block's pool. Valid from the time the block is made.
    home: NonNull<State<T>>,
    /// The next free block while the block is free.
    next: *mut PoolBlock<T>,
}

/// The deleter of objects from a [`Pool`]: the block returns to its pool.
#[derive(Debug)]
pub struct ReturnToPool<T>(PhantomData<T>);

impl<T> Pool<T> {
    /// An empty pool that will allocate memory for `objects_per_chunk` objects at a time (at least one).
    pub fn new(objects_per_chunk: usize) -> Self {
        let state = Box::new(State {
            user_count: AtomicUsize::new(1),
            returned: AtomicPtr::new(ptr::null_mut()),
            chunks: UnsafeCell::new(Vec::new()),
        });
        Self {
            state: NonNull::from(Box::leak(state)),
            free: Cell::new(ptr::null_mut()),
            objects_per_chunk: objects_per_chunk.max(1),
        }
    }

    /// Puts a value in a block of the pool. Constant time; allocates when no block is free.
    #[inline]
    pub fn place(&self, value: T) -> OwnedBy<T, ReturnToPool<T>> {
        let block = self.take_block();
        // SAFETY: the block is free and ours; the state is alive as long as the pool is. The owner's invariant holds:
        // the object is written, and `ReturnToPool` is for blocks of a pool of `T`.
        unsafe {
            self.state.as_ref().user_count.fetch_add(1, Ordering::Relaxed);
            let object = block.cast::<T>();
            object.write(value);
            OwnedBy::from_raw(object)
        }
    }

    /// The number of live objects of the pool, on all threads.
    pub fn live_count(&self) -> usize {
        // SAFETY: the state is alive as long as the pool is. Acquire: what is not counted any more has come back.
        unsafe { self.state.as_ref() }.user_count.load(Ordering::Acquire) - 1
    }

    /// Removes a free block from the lists.
    #[inline]
    fn take_block(&self) -> NonNull<PoolBlock<T>> {
        let block = match NonNull::new(self.free.get()) {
            Some(block) => block,
            None => self.refill(),
        };
        // SAFETY: a block in the pool's own list is initialized but for its object, and nobody else's.
        self.free.set(unsafe { (*block.as_ptr()).next });
        block
    }

    /// Takes the list of returned blocks, or allocates a chunk; returns the new head of the pool's own list.
    #[cold]
    fn refill(&self) -> NonNull<PoolBlock<T>> {
        // SAFETY: the state is alive as long as the pool is.
        let state = unsafe { self.state.as_ref() };
        // Acquire: what others wrote to the blocks before they pushed them comes before what we write.
        if let Some(head) = NonNull::new(state.returned.swap(ptr::null_mut(), Ordering::Acquire)) {
            return head;
        }
        let chunk = NonNull::from(Box::leak(Box::new_uninit_slice(self.objects_per_chunk)));
        let base: NonNull<PoolBlock<T>> = chunk.cast();
        for index in (0..chunk.len()).rev() {
            // SAFETY: within the chunk. The object's bytes stay as they are; the other two fields are written.
            unsafe {
                let block = base.add(index).as_ptr();
                (&raw mut (*block).home).write(self.state);
                (&raw mut (*block).next).write(self.free.replace(block));
            }
        }
        // SAFETY: only the pool's thread comes here while the pool lives, and it holds no other reference to `chunks`.
        unsafe { (*state.chunks.get()).push(chunk) };
        // A chunk has at least one block, and the first one was linked last.
        base
    }
}

impl<T> State<T> {
    /// Decrements the reference count; the last reference frees the state and all memory.
    ///
    /// # Safety
    ///
    /// The caller was counted, and touches neither the state nor a block of it again.
    unsafe fn leave(state: NonNull<Self>) {
        // SAFETY: the caller is counted, so the state is alive. Release: what the caller did comes before the freeing;
        // acquire: what all others did comes before it too.
        if unsafe { state.as_ref() }
            .user_count
            .fetch_sub(1, Ordering::AcqRel)
            == 1
        {
            // SAFETY: the last user; the state came from a box. No block holds a live object.
            drop(unsafe { Box::from_raw(state.as_ptr()) });
        }
    }
}

impl<T> Drop for State<T> {
    fn drop(&mut self) {
        for &chunk in &*self.chunks.get_mut() {
            // SAFETY: the chunk came from a box. The blocks' objects are gone, and the other fields need no drop.
            drop(unsafe { Box::from_raw(chunk.as_ptr()) });
        }
    }
}

// SAFETY: the pool's own list and the chunks are touched by the thread that has the pool only; a pool owns no `T`.
unsafe impl<T> Send for Pool<T> {}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        // SAFETY: the pool is counted, and this is its end.
        unsafe { State::leave(self.state) }
    }
}

// SAFETY: `free` only uses atomic operations on what is shared, allocates nothing, does not unwind and does not look
// at the object. Dropping the state frees memory only.
unsafe impl<T> Deleter for ReturnToPool<T> {
    #[inline]
    unsafe fn free(object: NonNull<u8>, _layout: Layout) {
        let block = object.cast::<PoolBlock<T>>();
        // SAFETY: the object is the first field of a block that `Pool::place` has given out, and the caller gives it
        // up. It is counted, so the state is alive until `leave`.
        unsafe {
            let home = (*block.as_ptr()).home;
            let returned = &home.as_ref().returned;
            let mut head = returned.load(Ordering::Relaxed);
            loop {
                (*block.as_ptr()).next = head;
                // Release: what was written to the block comes before the pool takes it again.
                match returned.compare_exchange_weak(
                    head,
                    block.as_ptr(),
                    Ordering::Release,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => break,
                    Err(found) => head = found,
                }
            }
            State::leave(home);
        }
    }
}

const _: () = assert!(offset_of!(PoolBlock<u64>, object) == 0);

impl<T> core::fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pool")
            .field("live_count", &self.live_count())
            .finish_non_exhaustive()
    }
}
