//! [`Rows`]: an array that knows which parts of it have changed since it was last copied for a frame.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, Range};
use core::sync::atomic::{AtomicU64, Ordering};

/// The number of rows in a chunk.
///
/// A row that changes costs a copy of its chunk, and each frame of a changed array a pointer for each chunk. With 16, a
/// hundred scattered rows of 10,000 cost 16 % of a copy, and the pointers 1 %, of rows of 56 bytes.
const CHUNK_ROWS: usize = 16;

/// An array of which frames share the chunks that do not change: a frame costs the changed chunks and a pointer for each
/// other one, or one pointer if nothing has changed.
///
/// Reading is that of a slice. Writing goes through the methods here, which note the chunks of the rows that they give
/// out, so that none can be forgotten; before the first [image](Rows::image) that costs a branch. The exception is
/// [`Rows::parts_mut`], whose callers note what they write.
///
/// ```
/// use tombolo_entity::Rows;
/// let mut heights: Rows<f32> = (0..1000).map(|x| x as f32).collect();
/// let before = heights.image();
/// *heights.row_mut(7) = 0.5;
/// heights.push(-1.0);
/// heights.prepare(&before).apply(&mut heights);
/// assert_eq!((heights.len(), heights[7]), (1000, 7.0));
/// ```
#[derive(Debug)]
pub struct Rows<T> {
    items: Vec<T>,
    /// The last image that was made or restored.
    image: Option<RowsImage<T>>,
    /// A bit for each chunk that may differ from the image; words that are missing are zero.
    changed: Vec<AtomicU64>,
    /// The number of calls for writing.
    version: u64,
}

/// Notes of the rows that writers on several threads change, from [`Rows::parts_mut`].
#[derive(Clone, Copy, Debug)]
pub struct RowChanges<'a> {
    /// The bits of the array, none of whose words is missing; `None` while the array has no image.
    changed: Option<&'a [AtomicU64]>,
}

impl RowChanges<'_> {
    /// Notes that a row changes. Costs a comparison while the array has no image; then a look at the bit of the row's chunk,
    /// which the first row that is noted sets for all of it.
    ///
    /// # Panics
    ///
    /// It may, if there is no row at `place`.
    #[inline]
    pub fn note(&self, place: usize) {
        if let Some(changed) = self.changed {
            let chunk = place / CHUNK_ROWS;
            let (word, bit) = (&changed[chunk / 64], 1 << (chunk % 64));
            // The bits are read only once the borrow has ended, which orders all of it.
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
    }
}

/// The rows at one moment, from [`Rows::image`]; a clone copies a pointer.
#[derive(Debug)]
pub struct RowsImage<T> {
    chunks: Arc<Vec<Arc<[T]>>>,
}

/// The rows in which an image differs from an array, from [`Rows::prepare`].
#[derive(Debug)]
pub struct RowsDifference<T> {
    image: RowsImage<T>,
    /// The chunks that differ, in order, each with its number.
    chunks: Vec<(usize, Vec<T>)>,
}

impl<T> Rows<T> {
    /// No rows.
    pub const fn new() -> Self {
        Self {
            items: Vec::new(),
            image: None,
            changed: Vec::new(),
            version: 0,
        }
    }

    /// A number that grows with every call that may change rows, even if it does not; so what was found in the rows holds as long
    /// as the number is the same. A clone goes on from it; numbers of two arrays say nothing about each other. What
    /// a property is set through while there is no image does not count.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// A row for writing.
    ///
    /// # Panics
    ///
    /// If there is none at `place`.
    #[inline]
    pub fn row_mut(&mut self, place: usize) -> &mut T {
        self.version += 1;
        self.note(place);
        &mut self.items[place]
    }

    /// A row for writing, if there is one at `place` and nothing to note: while the array has no image.
    #[inline]
    pub(crate) fn unnoted_row_mut(&mut self, place: usize) -> Option<&mut T> {
        match self.image {
            None => self.items.get_mut(place),
            Some(_) => None,
        }
    }

    /// All rows for writing, which then all count as changed.
    pub fn all_mut(&mut self) -> &mut [T] {
        self.version += 1;
        self.note_all(0..self.items.len());
        &mut self.items
    }

    /// All rows for writing, and notes of those that are: each row that is written has to be [noted](RowChanges::note), by
    /// whichever thread, or a later image lacks the change.
    ///
    /// ```
    /// use tombolo_entity::Rows;
    /// let mut heights: Rows<f32> = (0..1000).map(|x| x as f32).collect();
    /// let before = heights.image();
    /// let (rows, changes) = heights.parts_mut();
    /// let (low, high) = rows.split_at_mut(500);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         low[7] = 0.5;
    ///         changes.note(7);
    ///     });
    ///     high[8] = 0.5;
    ///     changes.note(508);
    /// });
    /// assert_eq!(heights.image().get(508), Some(&0.5));
    /// heights.prepare(&before).apply(&mut heights);
    /// assert_eq!((heights[7], heights[508]), (7.0, 508.0));
    /// ```
    pub fn parts_mut(&mut self) -> (&mut [T], RowChanges<'_>) {
        self.version += 1;
        if self.image.is_some() {
            let words = self.items.len().div_ceil(CHUNK_ROWS * 64);
            self.reserve_notes(words);
        }
        let changed = self.image.is_some().then_some(&*self.changed);
        (&mut self.items, RowChanges { changed })
    }

    /// Appends a row.
    #[inline]
    pub fn push(&mut self, row: T) {
        self.version += 1;
        self.note(self.items.len());
        self.items.push(row);
    }

    /// Appends rows.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = T>) {
        self.version += 1;
        let first = self.items.len();
        self.items.extend(rows);
        self.note_all(first..self.items.len());
    }

    /// Makes the number of rows `count`, with `fill` in each new one.
    pub fn resize(&mut self, count: usize, fill: T)
    where
        T: Clone,
    {
        self.version += 1;
        let first = self.items.len();
        self.items.resize(count, fill);
        self.note_all(first.min(count)..count);
    }

    /// Removes the rows from `count` on.
    pub fn truncate(&mut self, count: usize) {
        self.version += 1;
        self.items.truncate(count);
    }

    /// Removes a row and moves the last one to its place.
    ///
    /// # Panics
    ///
    /// If there is none at `place`.
    pub fn swap_remove(&mut self, place: usize) -> T {
        self.version += 1;
        self.note(place);
        self.items.swap_remove(place)
    }

    /// Reserves memory for so many more rows.
    pub fn reserve(&mut self, count: usize) {
        self.items.reserve(count);
    }

    #[inline]
    fn note(&mut self, place: usize) {
        if self.image.is_some() {
            self.note_chunk(place / CHUNK_ROWS);
        }
    }

    #[inline(never)]
    fn note_chunk(&mut self, chunk: usize) {
        self.reserve_notes(chunk / 64 + 1);
        *self.changed[chunk / 64].get_mut() |= 1 << (chunk % 64);
    }

    /// Makes the words of `changed` at least so many.
    #[inline]
    fn reserve_notes(&mut self, words: usize) {
        if self.changed.len() < words {
            self.changed.resize_with(words, AtomicU64::default);
        }
    }

    /// The word of `changed` with the bit of a chunk.
    fn word_of(&self, chunk: usize) -> u64 {
        let word = self.changed.get(chunk / 64);
        word.map_or(0, |word| word.load(Ordering::Relaxed))
    }

    fn note_all(&mut self, rows: Range<usize>) {
        if self.image.is_some() && !rows.is_empty() {
            let chunks = rows.start / CHUNK_ROWS..rows.end.div_ceil(CHUNK_ROWS);
            chunks.for_each(|chunk| self.note_chunk(chunk));
        }
    }

    /// The chunk of the image that the rows still have.
    fn unchanged(&self, chunk: usize) -> Option<&Arc<[T]>> {
        let known = self.image.as_ref()?.chunks.get(chunk)?;
        let word = self.word_of(chunk);
        let length = rows_of(chunk, self.items.len()).len();
        (word >> (chunk % 64) & 1 == 0 && known.len() == length).then_some(known)
    }

    /// Whether the rows still are those of the image.
    fn is_unchanged(&self) -> bool {
        let count = |image: &RowsImage<T>| image.chunks.last().map_or(0, |last| last.len());
        self.image.as_ref().is_some_and(|image| {
            let mut words = self.changed.iter();
            words.all(|word| word.load(Ordering::Relaxed) == 0)
                && image.chunks.len() == self.items.len().div_ceil(CHUNK_ROWS)
                && count(image) == rows_of(image.chunks.len().saturating_sub(1), self.items.len()).len()
        })
    }

    /// Notes that the rows now are those of an image: for arrays that were brought there row by row.
    pub fn set_image(&mut self, image: &RowsImage<T>) {
        self.image = Some(image.clone());
        self.changed.iter_mut().for_each(|word| *word.get_mut() = 0);
    }

    /// The rows that an image may have different: ranges of places, in ascending order. One that is longer than the
    /// array, or shorter, differs from the end of the shorter on.
    pub fn differing(&self, image: &RowsImage<T>) -> impl Iterator<Item = Range<usize>> {
        let count = self.items.len().max(image.len());
        let chunks = 0..count.div_ceil(CHUNK_ROWS);
        let is_other = |chunk: usize| match (self.unchanged(chunk), image.chunks.get(chunk)) {
            (Some(known), Some(to)) => !Arc::ptr_eq(known, to),
            _ => true,
        };
        let is_shared = self
            .image
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(&known.chunks, &image.chunks) && self.is_unchanged());
        let chunks = chunks.filter(move |_| !is_shared);
        chunks
            .filter(move |chunk| is_other(*chunk))
            .map(move |chunk| rows_of(chunk, count))
    }
}

impl<T: Clone> Rows<T> {
    /// The rows as they are. The first call copies all, and begins the notes of changes; a later one copies the chunks
    /// that changed since the last, or since the last [difference](RowsDifference::apply).
    pub fn image(&mut self) -> RowsImage<T> {
        let image = match &self.image {
            Some(image) if self.is_unchanged() => image.clone(),
            _ => {
                let count = self.items.len();
                let chunks = (0..count.div_ceil(CHUNK_ROWS)).map(|chunk| match self.unchanged(chunk) {
                    Some(known) => Arc::clone(known),
                    None => Arc::from(&self.items[rows_of(chunk, count)]),
                });
                RowsImage {
                    chunks: Arc::new(chunks.collect()),
                }
            }
        };
        self.set_image(&image);
        image
    }

    /// Copies the rows in which an image differs from the array.
    pub fn prepare(&self, image: &RowsImage<T>) -> RowsDifference<T> {
        let places = self.differing(image).map(|rows| rows.start / CHUNK_ROWS);
        let chunks = places.filter_map(|chunk| Some((chunk, image.chunks.get(chunk)?.to_vec())));
        RowsDifference {
            chunks: chunks.collect(),
            image: image.clone(),
        }
    }
}

/// The places of the rows of a chunk, of so many.
fn rows_of(chunk: usize, count: usize) -> Range<usize> {
    (chunk * CHUNK_ROWS).min(count)..((chunk + 1) * CHUNK_ROWS).min(count)
}

impl<T> RowsDifference<T> {
    /// Gives an array the rows of the image. It must be the one that the difference was prepared for, unchanged since.
    pub fn apply(self, rows: &mut Rows<T>) {
        rows.version += 1;
        rows.items.truncate(self.image.len());
        for (chunk, new) in self.chunks {
            for (place, row) in (chunk * CHUNK_ROWS..).zip(new) {
                match rows.items.get_mut(place) {
                    Some(known) => *known = row,
                    None => rows.items.push(row),
                }
            }
        }
        rows.set_image(&self.image);
    }
}

impl<T> RowsImage<T> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, |chunk| chunk.len());
        self.chunks.len().saturating_sub(1) * CHUNK_ROWS + last
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The bytes of the chunks that this image does not share with one before it, and of the pointers to all. What rows
    /// hold elsewhere in memory does not count. Costs O(chunks).
    pub fn bytes(&self, before: Option<&Self>) -> usize {
        if before.is_some_and(|before| Arc::ptr_eq(&before.chunks, &self.chunks)) {
            return 0;
        }
        let is_shared = |place: usize, chunk| {
            let known = before.and_then(|before| before.chunks.get(place));
            known.is_some_and(|known| Arc::ptr_eq(known, chunk))
        };
        let own = self.chunks.iter().enumerate();
        let own = own.filter(|(place, chunk)| !is_shared(*place, chunk));
        size_of_val(&**self.chunks) + own.map(|(_, chunk)| size_of_val(&**chunk)).sum::<usize>()
    }

    /// A row.
    pub fn get(&self, place: usize) -> Option<&T> {
        self.chunks.get(place / CHUNK_ROWS)?.get(place % CHUNK_ROWS)
    }

    /// All rows in their order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }
}

impl<T> Clone for RowsImage<T> {
    fn clone(&self) -> Self {
        Self {
            chunks: Arc::clone(&self.chunks),
        }
    }
}

/// A clone has no image: its first one copies all.
impl<T: Clone> Clone for Rows<T> {
    fn clone(&self) -> Self {
        Self {
            version: self.version,
            ..Self::from(self.items.clone())
        }
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<Vec<T>> for Rows<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, ..Self::new() }
    }
}

impl<T> FromIterator<T> for Rows<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        Self::from(rows.into_iter().collect::<Vec<T>>())
    }
}

impl<T> Deref for Rows<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_ROWS, Rows, RowsImage};
    use alloc::sync::Arc;
    use alloc::vec::Vec;

    struct Random(u64);

    impl Random {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % count.max(1)
        }
    }

    /// The number of rows in chunks that an image does not share with one before.
    fn new_rows(image: &RowsImage<u32>, before: &RowsImage<u32>) -> usize {
        let chunks = image.chunks.iter().enumerate();
        let is_new = |place: usize, chunk: &Arc<[u32]>| {
            let known = before.chunks.get(place);
            known.is_none_or(|known| !Arc::ptr_eq(known, chunk))
        };
        chunks
            .filter(|(place, chunk)| is_new(*place, chunk))
            .map(|(_, chunk)| chunk.len())
            .sum()
    }

    /// One random change, to the rows and to a plain array.
    fn change(random: &mut Random, rows: &mut Rows<u32>, plain: &mut Vec<u32>) {
        let (place, value) = (random.below(plain.len()), random.below(1_000) as u32);
        match random.below(9) {
            0 | 1 if !plain.is_empty() => {
                *rows.row_mut(place) = value;
                plain[place] = value;
            }
            2 if !plain.is_empty() => assert_eq!(rows.swap_remove(place), plain.swap_remove(place)),
            3 => {
                rows.truncate(place);
                plain.truncate(place);
            }
            4 => {
                let count = random.below(100);
                rows.resize(count, value);
                plain.resize(count, value);
            }
            5 => {
                let many = [value; 20];
                rows.extend(many);
                plain.extend(many);
            }
            6 if random.below(9) == 0 => {
                rows.all_mut().fill(value);
                plain.fill(value);
            }
            7 if !plain.is_empty() => {
                let (all, changes) = rows.parts_mut();
                for row in [place, plain.len() - 1] {
                    all[row] = value;
                    changes.note(row);
                    plain[row] = value;
                }
            }
            _ => {
                rows.push(value);
                plain.push(value);
            }
        }
    }

    /// Images, returns to any of them, and returns of another array to them, against copies of all rows.
    #[test]
    fn images_are_the_rows_of_their_moment() {
        let mut random = Random(7);
        let (mut rows, mut plain) = (Rows::new(), Vec::new());
        let mut other = Rows::new();
        let mut saved: Vec<(RowsImage<u32>, Vec<u32>)> = Vec::new();
        for round in 0..20_000 {
            match random.below(10) {
                0 | 1 => saved.push((rows.image(), plain.clone())),
                2 if !saved.is_empty() => {
                    let (image, then) = &saved[random.below(saved.len())];
                    rows.prepare(image).apply(&mut rows);
                    plain.clone_from(then);
                    other.prepare(image).apply(&mut other);
                    assert_eq!(*other, **then, "round {round}");
                }
                _ => change(&mut random, &mut rows, &mut plain),
            }
            assert_eq!(*rows, *plain, "round {round}");
            let excess = saved.len().saturating_sub(9);
            saved.drain(..excess);
            for (image, then) in &saved {
                assert!(
                    image.iter().eq(then) && image.len() == then.len(),
                    "round {round}"
                );
            }
        }
    }

    /// Two threads that write neighbors in one chunk, whose bits are in one word, lose no note.
    #[test]
    fn notes_of_several_threads_are_all_kept() {
        let count = 300 * CHUNK_ROWS;
        let mut rows: Rows<u32> = (0..count as u32).collect();
        for round in 0..50 {
            let before = rows.image();
            let (all, changes) = rows.parts_mut();
            let mut shares: [Vec<(usize, &mut [u32])>; 4] = core::array::from_fn(|_| Vec::new());
            let halves = all.chunks_mut(CHUNK_ROWS / 2).enumerate();
            halves.for_each(|(half, rows)| shares[half % 4].push((half, rows)));
            std::thread::scope(|scope| {
                for share in shares {
                    scope.spawn(move || {
                        for (half, rows) in share {
                            let row = (half + round) % rows.len();
                            if half % 3 == round % 3 {
                                rows[row] += 1;
                                changes.note(half * rows.len() + row);
                            }
                        }
                    });
                }
            });
            let now = rows.to_vec();
            assert_ne!(now, before.iter().copied().collect::<Vec<_>>());
            assert!(rows.image().iter().eq(&now), "round {round}");
        }
    }

    #[test]
    fn an_image_copies_the_chunks_that_changed_and_no_others() {
        let count = 100 * CHUNK_ROWS + 3;
        let mut rows: Rows<u32> = (0..count as u32).collect();
        let first = rows.image();
        assert_eq!(new_rows(&first, &Rows::new().image()), count);
        assert!(Arc::ptr_eq(&rows.image().chunks, &first.chunks));
        *rows.row_mut(5) += 1;
        *rows.row_mut(6) += 1;
        let second = rows.image();
        assert_eq!(new_rows(&second, &first), CHUNK_ROWS);
        rows.push(1);
        let third = rows.image();
        assert_eq!(new_rows(&third, &second), 4, "the last chunk was not full");
        assert_eq!(rows.prepare(&first).chunks.len(), 2);
        assert_eq!(rows.prepare(&third).chunks.len(), 0);
        rows.truncate(count);
        assert_eq!(new_rows(&rows.image(), &third), 3);
    }
}
