//! Who is there: gives every body and every joint that ever appears a number of its own, its *track*, and notices who has
//! gone. A world uses the place of a destroyed body again; a recording must not take the newcomer for the old one.

/// Who stands in one place of the world's arrays.
#[derive(Clone, Copy, Debug)]
struct TrackedSlot {
    handle: u64,
    track: u32,
    /// The frame in which it was last looked up.
    met: u32,
}

/// The tracks of bodies, or of joints.
///
/// Tracks are handed out from 0 in the order of first meetings; no track is handed out twice.
#[derive(Debug, Default)]
pub(super) struct TrackTable {
    places: Vec<Option<TrackedSlot>>,
    call: u32,
    track_count: u32,
}

/// What a meeting came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrackLookup {
    pub(super) track: u32,
    pub(super) is_new: bool,
}

impl TrackTable {
    /// Looks one up that is there in this frame: its place in the world's arrays, and its handle's bits, mixed with
    /// whatever else makes it another one for the recording when it changes. One that had the place before is then gone, and its track is added to `gone`.
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
            None => {}
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

    /// Ends a frame: adds the tracks of all who were not looked up to `gone`, which is then in ascending order.
    pub(super) fn end_frame(&mut self, gone: &mut Vec<u32>) {
        for place in &mut self.places {
            if place.is_some_and(|place| place.met != self.call) {
                gone.extend(place.take().map(|place| place.track));
            }
        }
        gone.sort_unstable();
        self.call += 1;
    }

    /// The track of one that was met and has not gone.
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
    }
}
