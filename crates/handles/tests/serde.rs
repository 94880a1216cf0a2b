//! Maps, handles and bit sets through serde, and the hostile text that must be refused.

use tombolo_handles::{BitSet, Handle, HandleMap, SecondaryMap};

#[test]
fn hm_17_a_map_comes_back_from_text_with_its_handles() {
    let mut map = HandleMap::<String>::new();
    let handles = map.insert_many_with(5, |handle| handle.index().to_string());
    map.remove(handles[3]);
    map.remove(handles[0]);
    let text = serde_json::to_string(&(&map, &handles)).expect("text");
    let (mut map2, handles2): (HandleMap<String>, Vec<Handle<String>>) =
        serde_json::from_str(&text).expect("what was written");
    assert_eq!(handles, handles2);
    assert!(handles.iter().all(|&handle| map.get(handle) == map2.get(handle)));
    assert_eq!(
        map.insert_many(4, String::new()),
        map2.insert_many(4, String::new())
    );
}

#[test]
fn hm_17_hostile_text_is_refused() {
    let mut map = HandleMap::<u32>::new();
    let handles = map.insert_many(3, 7);
    map.remove(handles[1]);
    let text = serde_json::to_string(&map).expect("text");
    assert!(serde_json::from_str::<HandleMap<u32>>(&text).is_ok());
    let live = 1_u64 << 32;
    for (from, to) in [
        // Two slots to one value, a slot out of range, a free slot in a circle.
        (format!("{}", live | 1), format!("{live}")),
        (format!("{}", live | 1), format!("{}", live | 9)),
        (
            format!("{}", 1 << 63 | 2 << 32 | 0xffff_ffff_u64),
            format!("{}", 1 << 63 | 2 << 32 | 1_u64),
        ),
    ] {
        let broken = text.replace(&from, &to);
        assert_ne!(broken, text, "the test must change something");
        assert!(
            serde_json::from_str::<HandleMap<u32>>(&broken).is_err(),
            "{broken}"
        );
    }
    for text in ["[]", "{}", "[[0,0],[],[],[]]", "[[0,0,0,0,0,0,0,0,0,0],[],[],[]]"] {
        assert!(serde_json::from_str::<HandleMap<u32>>(text).is_err(), "{text}");
    }
    for bits in [0_u64, 1, 1 << 63 | 1 << 32] {
        assert!(serde_json::from_str::<Handle<u32>>(&bits.to_string()).is_err());
    }
}

#[test]
fn secondary_maps_and_bit_sets_come_back_from_text() {
    let mut map = HandleMap::<u32>::new();
    let handles = map.insert_many(3, 0);
    let notes: SecondaryMap<u32, &str> = [(handles[2], "two"), (handles[0], "none")].into_iter().collect();
    let text = serde_json::to_string(&notes).expect("text");
    let again: SecondaryMap<u32, String> = serde_json::from_str(&text).expect("what was written");
    assert_eq!((again.len(), again[handles[2]].as_str()), (2, "two"));
    let twice = format!("[[{0},\"a\"],[{0},\"b\"]]", handles[0].to_bits());
    assert!(serde_json::from_str::<SecondaryMap<u32, String>>(&twice).is_err());
    let far = format!("[[{},\"a\"]]", 1_u64 << 32 | 4_000_000_000);
    assert!(serde_json::from_str::<SecondaryMap<u32, String>>(&far).is_err());

    let mut set = BitSet::with_len(70);
    set.set(69);
    let text = serde_json::to_string(&set).expect("text");
    assert_eq!(
        serde_json::from_str::<BitSet>(&text).expect("what was written"),
        set
    );
    assert!(serde_json::from_str::<BitSet>("[70,[0]]").is_err());
    assert!(serde_json::from_str::<BitSet>("[69,[0,32]]").is_err());
}
