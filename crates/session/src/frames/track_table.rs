//! Tracks: every body and every joint that ever appears gets a number of its own, its *track*, and the table notices
//! those that are gone. A world uses the index of a destroyed body again; a recording must not take the new body for
//! the old one.

/// The holder of one index of the world's arrays.
#[derive(Clone, Copy, Debug)]
struct TrackedSlot {
    handle: u64,
    track: u32,
    /// The frame in which it was last looked up.
    met: u32,
}

/// The tracks of bodies, or of joints.
///
/// Tracks are given from 0 in the order of first look-ups; no track is given twice.
#[derive(Debug, Default)]
pub(super) struct TrackTable {
    places: Vec<Option<TrackedSlot>>,
    call: u32,
    track_count: u32,
    /// The number of tracks of places that are held.
    there_count: u32,
}

/// Mixes a number into an identity.
pub(super) fn mix(identity: u64, part: u64) -> u64 {
    (identity.rotate_left(5) ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The result of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrackLookup {
    pub(super) track: u32,
    pub(super) is_new: bool,
}

impl TrackTable {
    /// Looks up a body or joint that exists in this frame by its index in the world's arrays and its handle's bits,
    /// mixed with whatever else makes it another one for the recording when it changes. A different one that had the
    /// index before is then gone, and its track is added to `gone`.
    pub(super) fn look_up(&mut self, index: u32, handle: u64, gone: &mut Vec<u32>) -> TrackLookup {
        let index = index as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        let place = &mut self.places[index];
        match place {
            Some(known) if known.handle == handle => {
                known.met = self.call;
                return TrackLookup {
                    track: known.track,
                    is_new: false,
                };
            }
            Some(other) => gone.push(other.track),
            None => self.there_count += 1,
        }
        let track = self.track_count;
        self.track_count += 1;
        *place = Some(TrackedSlot {
            handle,
            track,
            met: self.call,
        });
        TrackLookup { track, is_new: true }
    }

    /// Ends a frame: adds the tracks that were not looked up in it to `gone`, which is then in ascending order.
    pub(super) fn end_frame(&mut self, gone: &mut Vec<u32>) {
        for place in &mut self.places {
            if place.is_some_and(|place| place.met != self.call) {
                gone.extend(place.take().map(|place| place.track));
                self.there_count -= 1;
            }
        }
        gone.sort_unstable();
        self.call += 1;
    }

    /// The numbers of tracks so far, and of those that are there.
    pub(super) fn counts(&self) -> [usize; 2] {
        [self.track_count, self.there_count].map(|count| count as usize)
    }

    /// The track at an index that was looked up and has not gone.
    pub(super) fn track(&self, index: u32) -> Option<u32> {
        self.places.get(index as usize)?.map(|place| place.track)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_used_again_is_a_new_track() {
        let mut track_table = TrackTable::default();
        let mut call = |handles: &[(u32, u64)]| {
            let mut gone = Vec::new();
            let met: Vec<_> = handles
                .iter()
                .map(|&(index, handle)| track_table.look_up(index, handle, &mut gone))
                .map(|met| (met.track, met.is_new))
                .collect();
            track_table.end_frame(&mut gone);
            (met, gone)
        };
        assert_eq!(call(&[(0, 10), (3, 13)]), (vec![(0, true), (1, true)], vec![]));
        assert_eq!(call(&[(0, 10), (3, 23)]), (vec![(0, false), (2, true)], vec![1]));
        assert_eq!(call(&[(3, 23)]), (vec![(2, false)], vec![0]));
        assert_eq!(call(&[]), (vec![], vec![2]));
        assert_eq!(call(&[(3, 33)]), (vec![(3, true)], vec![]));
        assert_eq!(track_table.counts(), [4, 1]);
    }
}
