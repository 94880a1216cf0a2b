//! Who is there: gives every body and every joint that ever appears a number of its own, its *track*, and notices who has
//! gone. A world uses the place of a destroyed body again; a recording must not take the newcomer for the old one.

/// Who stands in one place of the world's arrays.
#[derive(Clone, Copy, Debug)]
struct Place {
    handle: u64,
    track: u32,
    /// The roll call at which it was last met.
    met: u32,
}

/// The roll of bodies, or of joints.
///
/// Tracks are handed out from 0 in the order of first meetings; no track is handed out twice.
#[derive(Debug, Default)]
pub(super) struct Roll {
    places: Vec<Option<Place>>,
    call: u32,
    track_count: u32,
}

/// What a meeting came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) track: u32,
    pub(super) is_new: bool,
}

impl Roll {
    /// Meets one that is there in this roll call: its place in the world's arrays, and its handle's bits, mixed with
    /// whatever else makes it another one for the recording when it changes. One that had the place before is then gone, and its track is added to `gone`.
    pub(super) fn meet(&mut self, index: u32, handle: u64, gone: &mut Vec<u32>) -> Met {
        let index = index as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
        }
        let place = &mut self.places[index];
        match place {
            Some(known) if known.handle == handle => {
                known.met = self.call;
                return Met {
                    track: known.track,
                    is_new: false,
                };
            }
            Some(other) => gone.push(other.track),
            None => {}
        }
        let track = self.track_count;
        self.track_count += 1;
        *place = Some(Place {
            handle,
            track,
            met: self.call,
        });
        Met { track, is_new: true }
    }

    /// Ends a roll call: adds the tracks of all who were not met to `gone`, which is then in ascending order.
    pub(super) fn end_call(&mut self, gone: &mut Vec<u32>) {
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
        let mut roll = Roll::default();
        let mut call = |handles: &[(u32, u64)]| {
            let mut gone = Vec::new();
            let met: Vec<_> = handles
                .iter()
                .map(|&(index, handle)| roll.meet(index, handle, &mut gone))
                .map(|met| (met.track, met.is_new))
                .collect();
            roll.end_call(&mut gone);
            (met, gone)
        };
        assert_eq!(call(&[(0, 10), (3, 13)]), (vec![(0, true), (1, true)], vec![]));
        assert_eq!(call(&[(0, 10), (3, 23)]), (vec![(0, false), (2, true)], vec![1]));
        assert_eq!(call(&[(3, 23)]), (vec![(2, false)], vec![0]));
        assert_eq!(call(&[]), (vec![], vec![2]));
        assert_eq!(call(&[(3, 33)]), (vec![(3, true)], vec![]));
    }
}
