//! [`Image`]: all persistent arrays of a world at one moment, in pages that images share.
//!
//! An array is a table of chunks of pages. Parts that did not change since the previous image are shared with it: a
//! table, a chunk or a page. So an image costs the size of the changes, and two images are compared by their addresses.
//!
//! Why: `docs/decisions.md#frames-are-tables-of-shared-pages`.

use super::marks::{Marks, PAGE_BYTES, set_bits};
use super::page_hash::{CHUNK_PAGES, StateHash, combined, hash_of_array, hash_of_page};
use super::view::ArrayView;
use alloc::sync::Arc;
use alloc::vec::Vec;
use bytemuck::Pod;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

/// A hash that is computed on first use.
#[derive(Debug, Default)]
struct LazyHash(AtomicU64);

impl LazyHash {
    /// The hash; `compute` is called if it is not cached. Two threads may both compute it, with the same result.
    fn get(&self, compute: impl FnOnce() -> u64) -> u64 {
        // Zero stands for a hash that is not cached.
        match self.0.load(Ordering::Relaxed) {
            0 => {
                let hash = compute();
                self.0.store(hash, Ordering::Relaxed);
                hash
            }
            known => known,
        }
    }
}

/// The bytes of a page; zeros after the end of the array.
#[derive(Debug)]
struct Page {
    hash: LazyHash,
    bytes: [u8; PAGE_BYTES],
}

impl Page {
    fn new(bytes: &[u8]) -> Arc<Self> {
        let mut page = [0; PAGE_BYTES];
        page[..bytes.len()].copy_from_slice(bytes);
        Arc::new(Self {
            hash: LazyHash::default(),
            bytes: page,
        })
    }

    fn hash(&self) -> u64 {
        self.hash.get(|| hash_of_page(&self.bytes))
    }

    /// Whether the page equals these bytes followed by zeros.
    fn holds(&self, bytes: &[u8]) -> bool {
        self.bytes[..bytes.len()] == *bytes && self.bytes[bytes.len()..].iter().all(|byte| *byte == 0)
    }
}

/// Consecutive pages of an array. All pages before the array's end are present.
#[derive(Debug, Default)]
struct Chunk {
    hash: LazyHash,
    pages: [Option<Arc<Page>>; CHUNK_PAGES],
}

impl Clone for Chunk {
    fn clone(&self) -> Self {
        Self {
            hash: LazyHash::default(),
            pages: self.pages.clone(),
        }
    }
}

impl Chunk {
    fn hash(&self) -> u64 {
        let pages = self.pages.iter().flatten();
        self.hash.get(|| combined(pages.map(|page| page.hash())))
    }

    /// A bit for each page, set if two chunks do not share it.
    #[inline]
    fn unshared(&self, other: &Self) -> u64 {
        let address = |page: &Option<Arc<Page>>| page.as_ref().map_or(ptr::null(), Arc::as_ptr);
        let pages = self.pages.iter().zip(&other.pages).enumerate();
        pages.fold(0, |bits, (place, (one, two))| {
            bits | u64::from(address(one) != address(two)) << place
        })
    }
}

/// All chunks of an array, and what it is.
#[derive(Debug)]
struct Table {
    /// The name of the state's field.
    group: &'static str,
    /// The name of the array within the field.
    part: &'static str,
    /// Size of one element in bytes.
    element_size: usize,
    hash: LazyHash,
    chunks: Vec<Arc<Chunk>>,
}

impl Clone for Table {
    fn clone(&self) -> Self {
        Self {
            hash: LazyHash::default(),
            chunks: self.chunks.clone(),
            ..*self
        }
    }
}

/// One array of an image. No more than tells whether two images share it: each frame copies some two hundred, and going to a
/// frame compares those of two.
#[derive(Clone, Debug)]
struct ArrayImage {
    /// Size of all elements in bytes.
    length: usize,
    table: Arc<Table>,
}

impl ArrayImage {
    fn new(array: &ArrayView<'_>) -> Self {
        let table = Table {
            group: array.group,
            part: array.part,
            element_size: array.element_size,
            hash: LazyHash::default(),
            chunks: Vec::new(),
        };
        Self {
            length: 0,
            table: Arc::new(table),
        }
    }

    fn page_count(&self) -> usize {
        self.length.div_ceil(PAGE_BYTES)
    }

    fn page(&self, page: usize) -> Option<&Arc<Page>> {
        let chunk = self.table.chunks.get(page / CHUNK_PAGES)?;
        chunk.pages[page % CHUNK_PAGES].as_ref()
    }

    /// The bytes of a page; empty after the array's end.
    fn page_bytes(&self, page: usize) -> &[u8] {
        let length = self.length.saturating_sub(page * PAGE_BYTES).min(PAGE_BYTES);
        self.page(page).map_or(&[], |found| &found.bytes[..length])
    }

    /// Copies the pages of `array` that differ.
    fn take_over(&mut self, array: &ArrayView<'_>) {
        debug_assert_eq!(
            (self.table.group, self.table.part),
            (array.group, array.part),
            "one list"
        );
        let kept = self.length.min(array.bytes.len()) / PAGE_BYTES;
        self.set_length(array.bytes.len());
        let end = self.page_count();
        match array.marks.filter(|marks| marks.is_on()) {
            None => (0..kept).for_each(|page| self.take_page(array, page)),
            Some(marks) => {
                self.guard(array, marks, kept);
                marks.pages(kept).for_each(|page| self.take_page(array, page));
            }
        }
        (kept..end).for_each(|page| self.take_page(array, page));
    }

    /// With debug assertions: checks that unmarked pages have not changed.
    fn guard(&self, array: &ArrayView<'_>, marks: &Marks, kept: usize) {
        if cfg!(debug_assertions) {
            for page in (0..kept).filter(|page| !marks.has(*page)) {
                assert!(
                    self.page_bytes(page) == page_of(array.bytes, page),
                    "{} {}: page {page} has changed and was not marked",
                    self.table.group,
                    self.table.part
                );
            }
        }
    }

    fn set_length(&mut self, length: usize) {
        let pages = length.div_ceil(PAGE_BYTES);
        if pages != self.page_count() {
            let table = Arc::make_mut(&mut self.table);
            table.hash = LazyHash::default();
            table
                .chunks
                .resize_with(pages.div_ceil(CHUNK_PAGES), Arc::default);
            // A page after the end must be dropped, as it would come back when the array grows again.
            if let Some(last) = table
                .chunks
                .last_mut()
                .filter(|_| !pages.is_multiple_of(CHUNK_PAGES))
            {
                let last = Arc::make_mut(last);
                last.hash = LazyHash::default();
                last.pages[pages % CHUNK_PAGES..].fill(None);
            }
        }
        self.length = length;
    }

    /// Copies one page if it differs.
    fn take_page(&mut self, array: &ArrayView<'_>, page: usize) {
        let bytes = page_of(array.bytes, page);
        if self.page(page).is_some_and(|known| known.holds(bytes)) {
            return;
        }
        let table = Arc::make_mut(&mut self.table);
        table.hash = LazyHash::default();
        let chunk = Arc::make_mut(&mut table.chunks[page / CHUNK_PAGES]);
        chunk.hash = LazyHash::default();
        chunk.pages[page % CHUNK_PAGES] = Some(Page::new(bytes));
    }

    fn hash(&self) -> u64 {
        let chunks = &self.table.chunks;
        self.table
            .hash
            .get(|| combined(chunks.iter().map(|chunk| chunk.hash())))
    }

    /// The hash of the array as it is now, of which the marked pages may have changed since the image.
    fn hash_now(&self, array: &ArrayView<'_>) -> u64 {
        let Some(marks) = array.marks.filter(|marks| marks.is_on()) else {
            return hash_of_array(array.bytes);
        };
        let length = array.bytes.len();
        if marks.is_empty() && length == self.length {
            return self.hash();
        }
        // The whole pages that both have.
        let kept = self.length.min(length) / PAGE_BYTES;
        let page_now = |page: usize| match self.page(page) {
            Some(known) if page < kept && !marks.has(page) => known.hash(),
            _ => hash_of_page(page_of(array.bytes, page)),
        };
        let pages = length.div_ceil(PAGE_BYTES);
        combined((0..pages).step_by(CHUNK_PAGES).map(|first| {
            let end = first + CHUNK_PAGES;
            if end <= kept && marks.bits(first, CHUNK_PAGES) == 0 {
                self.table.chunks[first / CHUNK_PAGES].hash()
            } else {
                combined((first..end.min(pages)).map(page_now))
            }
        }))
    }

    /// Whether two images of an array share everything, without comparing bytes.
    fn is_shared_with(&self, other: &Self) -> bool {
        self.length == other.length && Arc::ptr_eq(&self.table, &other.table)
    }

    /// The number of pages of the image that the other does not share.
    fn pages_beyond(&self, other: &Self) -> usize {
        if Arc::ptr_eq(&self.table, &other.table) {
            return 0;
        }
        let covered = self.table.chunks.len().min(other.table.chunks.len()) * CHUNK_PAGES;
        let unshared = self.unshared(other, self.page_count());
        let unshared: u32 = unshared.map(|(_, bits)| bits.count_ones()).sum();
        unshared as usize + self.page_count().saturating_sub(covered)
    }

    /// The first page of each chunk that the images do not share, with a bit for each of its pages below `end` that they do
    /// not share.
    fn unshared<'a>(&'a self, other: &'a Self, end: usize) -> impl Iterator<Item = (usize, u64)> + 'a {
        let chunks = self.table.chunks.iter().zip(&other.table.chunks).enumerate();
        let differ = chunks.filter(|(_, (one, two))| !Arc::ptr_eq(one, two));
        differ.map(move |(place, (one, two))| {
            let first = place * CHUNK_PAGES;
            let below = end.saturating_sub(first).min(CHUNK_PAGES);
            (first, one.unshared(two) & ((1 << below) - 1))
        })
    }
}

/// The bytes of a page of an array.
fn page_of(bytes: &[u8], page: usize) -> &[u8] {
    &bytes[page * PAGE_BYTES..bytes.len().min((page + 1) * PAGE_BYTES)]
}

/// All persistent arrays at one moment. A clone copies one pointer; the first change of a clone, one per array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    arrays: Arc<Vec<ArrayImage>>,
}

impl Image {
    /// Copies the parts of the visited arrays that the image does not have yet.
    pub(crate) fn take_over(&mut self, arrays: impl Fn(&mut dyn FnMut(ArrayView<'_>))) {
        let (known, mut place) = (Arc::make_mut(&mut self.arrays), 0);
        arrays(&mut |array| {
            if place == known.len() {
                known.push(ArrayImage::new(&array));
            }
            known[place].take_over(&array);
            place += 1;
        });
    }

    /// The size of all pages in bytes, or of those that are not shared with `before`.
    pub(crate) fn bytes(&self, before: Option<&Self>) -> usize {
        let pages: usize = match before {
            None => self.arrays.iter().map(ArrayImage::page_count).sum(),
            Some(before) => {
                let arrays = self.arrays.iter().zip(&*before.arrays);
                arrays.map(|(now, before)| now.pages_beyond(before)).sum()
            }
        };
        pages * PAGE_BYTES
    }

    /// The hash of all arrays except those of groups that are left out. Costs the pages whose hash was not yet computed in
    /// any image, and a test of each chunk of the arrays that contain them.
    pub(crate) fn hash(&self, is_left_out: impl Fn(&str) -> bool) -> u64 {
        let mut hash = StateHash::new();
        let arrays = self.arrays.iter();
        for array in arrays.filter(|array| !is_left_out(array.table.group)) {
            hash.add(array.table.group, array.length, || array.hash());
        }
        hash.finish()
    }
}

/// The hash of all arrays that `arrays` visits, except those of groups that are left out: the number that
/// [`Image::hash`] gives for an image of them. Costs the pages that are marked as changed since `image` was taken, or
/// everything without one.
pub(crate) fn hash(
    image: Option<&Image>,
    is_left_out: impl Fn(&str) -> bool,
    arrays: impl Fn(&mut dyn FnMut(ArrayView<'_>)),
) -> u64 {
    let (mut hash, mut place) = (StateHash::new(), 0);
    arrays(&mut |array| {
        let known = image.map(|image| &image.arrays[place]);
        place += 1;
        if !is_left_out(array.group) {
            hash.add(array.group, array.bytes.len(), || {
                let now = known.map_or_else(|| hash_of_array(array.bytes), |known| known.hash_now(&array));
                debug_assert!(
                    known.is_none() || now == hash_of_array(array.bytes),
                    "{} {}: a page has changed and was not marked",
                    array.group,
                    array.part
                );
                now
            });
        }
    });
    hash.finish()
}

/// Overwrites a state's arrays, one after another, with those of an image.
pub(crate) struct Overwrite<'a> {
    /// The arrays when marking began; `None` if they are not known.
    from: Option<&'a Image>,
    to: &'a Image,
    place: usize,
}

impl<'a> Overwrite<'a> {
    pub(crate) fn new(from: Option<&'a Image>, to: &'a Image) -> Self {
        Self { from, to, place: 0 }
    }

    /// Whether all arrays of the image were visited.
    pub(crate) fn is_done(&self) -> bool {
        self.place == self.to.arrays.len()
    }

    /// Skips an array with these bytes and the ones after it, given by their lengths in bytes and their marks, if all
    /// are known to equal those of the image.
    pub(super) fn skip_equal<const N: usize>(&mut self, head: &[u8], rest: [(usize, &Marks); N]) -> bool {
        let mut rest = rest.into_iter().zip(self.place + 1..);
        let is_equal = self.to.arrays[self.place].page_bytes(0) == head
            && rest.all(|((length, marks), place)| self.is_equal(place, length, marks));
        self.place += if is_equal { 1 + N } else { 0 };
        is_equal
    }

    /// Whether the array at a place, of this length in bytes, is known to equal that of the image: both are empty, as two thirds
    /// of a state's are; or nothing in it is marked, and the two images share it.
    #[inline]
    fn is_equal(&self, place: usize, length: usize, marks: &Marks) -> bool {
        let to = &self.to.arrays[place];
        if length == 0 && to.length == 0 {
            return true;
        }
        let from = self.from.map(|from| &from.arrays[place]);
        let is_shared = length == to.length && from.is_some_and(|from| from.is_shared_with(to));
        is_shared && marks.is_on() && marks.is_empty()
    }

    /// Overwrites the next array; `marks` is `None` for an array that does not mark its changes.
    pub(crate) fn array<T: Pod>(&mut self, part: &'static str, items: &mut Vec<T>, marks: Option<&Marks>) {
        let to = &self.to.arrays[self.place];
        debug_assert_eq!(
            (to.table.part, to.table.element_size),
            (part, size_of::<T>()),
            "one list"
        );
        // Most arrays, where little differs: some two hundred are looked at.
        if marks.is_some_and(|marks| self.is_equal(self.place, size_of_val(&**items), marks)) {
            self.place += 1;
            return;
        }
        let mut kept = (items.len() * size_of::<T>()).min(to.length) / PAGE_BYTES;
        items.resize(to.length / size_of::<T>(), T::zeroed());
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(items);
        let mut copy = |page: usize| {
            let content = to.page_bytes(page);
            bytes[page * PAGE_BYTES..][..content.len()].copy_from_slice(content);
        };
        match self.from.zip(marks.filter(|marks| marks.is_on())) {
            Some((from, marks)) => {
                let from = &from.arrays[self.place];
                kept = kept.min(from.length / PAGE_BYTES);
                if !from.is_shared_with(to) {
                    for (first, unshared) in from.unshared(to, kept) {
                        // Pages that are marked as well are copied with the others that are.
                        let unmarked = unshared & !marks.bits(first, CHUNK_PAGES);
                        set_bits(unmarked).for_each(|page| copy(first + page));
                    }
                }
                marks.pages(kept).for_each(&mut copy);
            }
            None => (0..kept).for_each(&mut copy),
        }
        (kept..to.page_count()).for_each(&mut copy);
        self.place += 1;
    }

    /// Overwrites the next array, which has one element.
    pub(crate) fn single<T: Pod>(&mut self, part: &'static str, item: &mut T) {
        let to = &self.to.arrays[self.place];
        debug_assert_eq!((to.table.part, to.length), (part, size_of::<T>()), "one list");
        *item = bytemuck::pod_read_unaligned(to.page_bytes(0));
        self.place += 1;
    }

    /// The next array as a number of four bytes.
    pub(crate) fn number(&mut self, part: &'static str) -> u32 {
        let mut number = 0;
        self.single(part, &mut number);
        number
    }
}
