//! Saved trees: the same answers, the same future, the same hash in every layout; broken bytes are refused.

use crate::model::{LOW, Random, SIDE, Twin, random_box};
use tombolo_geometry::orthtree::{
    Block, Bounds, Convex, Full, Hit, Layout, Linear, Loose, Orthtree, RestoreError, Settings, Shared,
    Smallest, Strategy,
};

fn settings<const D: usize>(capacity: u32) -> Settings {
    Settings {
        depth_max: if D == 2 { 5 } else { 3 },
        capacity,
        // Less than the capacity: the nodes depend on history, which a save has to keep.
        collapse_count: capacity / 2,
        growth_max: 1,
    }
}

fn hits<const D: usize, L: Layout<D>, S: Strategy<D>>(tree: &Orthtree<D, L, S>) -> Vec<Hit<D>> {
    let mut hits = Vec::new();
    tree.query(&Convex(&[]), |hit| hits.push(hit));
    hits
}

/// A tree that was restored in the middle gives what one that was not does, ids and orders included.
pub(crate) fn goes_the_same_way<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    for seed in 0..4 {
        let mut twin: Twin<D, L, S> = Twin::new(strategy.clone(), settings::<D>(capacity));
        let random = &mut Random(seed);
        for step in 0..120 {
            twin.step(random, LOW - 0.4 * SIDE, 1.4 * SIDE);
            if step % 30 != 7 {
                continue;
            }
            let bytes = twin.tree.save();
            let restored: Orthtree<D, L, S> = Orthtree::restore(strategy.clone(), &bytes).unwrap();
            assert_eq!(hits(&restored), hits(&twin.tree));
            assert_eq!(restored.save(), bytes, "seed {seed}, step {step}");
            let (mut one, mut two) = (twin.tree.clone(), restored);
            let future = &mut Random(seed + 100);
            for _ in 0..60 {
                let ids: Vec<_> = one.ids().collect();
                let chosen = ids.get(future.below(ids.len() as u64 + 1) as usize);
                let bounds = random_box(future, LOW, SIDE);
                match (future.below(3), chosen) {
                    (0, Some(&id)) => assert_eq!(one.remove(id), two.remove(id)),
                    (1, Some(&id)) => assert_eq!(one.update(id, bounds), two.update(id, bounds)),
                    _ => assert_eq!(one.insert(bounds, 5), two.insert(bounds, 5)),
                }
                assert_eq!(one.state_hash(), two.state_hash());
            }
            assert_eq!(hits(&one), hits(&two));
        }
    }
}

#[test]
fn the_hash_does_not_depend_on_the_layout() {
    fn hash_of<L: Layout<2>>() -> u64 {
        let mut twin: Twin<2, L, Loose> = Twin::new(Loose::default(), settings::<2>(0));
        let random = &mut Random(3);
        for _ in 0..100 {
            twin.step(random, LOW, SIDE);
        }
        twin.tree.state_hash()
    }
    // The full layout counts no nodes that come and go, so its epoch is another.
    assert_eq!(hash_of::<Linear>(), hash_of::<Block<2>>());
    assert_ne!(hash_of::<Full<2>>(), 0);
}

#[test]
fn broken_bytes_are_refused_and_nothing_panics() {
    let mut twin: Twin<2, Linear, Shared> = Twin::new(Shared, settings::<2>(3));
    let random = &mut Random(8);
    for _ in 0..60 {
        twin.step(random, LOW, SIDE);
    }
    let bytes = twin.tree.save();
    type Tree = Orthtree<2, Linear, Shared>;
    assert!(Tree::restore(Shared, &bytes).is_ok());
    assert_eq!(Tree::restore(Shared, &[]).unwrap_err(), RestoreError::NotASave);
    for length in 0..bytes.len() {
        assert!(Tree::restore(Shared, &bytes[..length]).is_err());
    }
    for place in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[place] ^= 1 << random.below(8);
        assert!(Tree::restore(Shared, &broken).is_err());
    }
    assert!(Orthtree::<3, Linear, Shared>::restore(Shared, &bytes).is_err());
    // Of another strategy: boxes in several cells.
    assert!(matches!(
        Orthtree::<2, Linear, Smallest>::restore(Smallest, &bytes),
        Err(RestoreError::Broken(_))
    ));
    // Deeper than the layout's codes.
    let deep = Settings {
        depth_max: 20,
        ..Settings::default()
    };
    let root = Bounds::new([0.0; 2], [1.0; 2]);
    let tree: Orthtree<2, Linear<u64>, Loose> = Orthtree::new(root, Loose::default(), deep).unwrap();
    assert!(matches!(
        Orthtree::<2, Linear<u32>, Loose>::restore(Loose::default(), &tree.save()),
        Err(RestoreError::Refused(_))
    ));
}
