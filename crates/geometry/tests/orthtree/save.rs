//! Saved trees: the same answers, the same future, the same hash in every layout; broken bytes are refused.

use crate::model::{LOW, Random, SIDE, Twin, random_box, seeds};
use tombolo_geometry::orthtree::{
    Block, Bounds, Convex, Full, Hit, Layout, Linear, Loose, Orthtree, Settings, Shared, Smallest, Strategy,
    TreeRestoreError,
};

fn settings<const D: usize>(capacity: u32) -> Settings {
    Settings {
        depth_max: if D == 2 { 5 } else { 3 },
        capacity,
        // Less than the capacity: the nodes depend on history, which a save has to keep.
        collapse_count: capacity / 2,
        growth_max: 5,
    }
}

fn hits<const D: usize, L: Layout<D>, S: Strategy<D>>(tree: &Orthtree<D, L, S>) -> Vec<Hit<D>> {
    let mut hits = Vec::new();
    tree.query(&Convex::new(&[]), |hit| hits.push(hit));
    hits
}

/// A tree that was restored in the middle gives what one that was not does, ids and orders included.
pub(crate) fn goes_the_same_way<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    for seed in seeds(4) {
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
            for step in 1..=60_u64 {
                let ids: Vec<_> = one.ids().collect();
                let chosen = ids.get(future.below(ids.len() as u64 + 1) as usize);
                let bounds = random_box(future, LOW, SIDE);
                match (future.below(3), chosen) {
                    (0, Some(&id)) => assert_eq!(one.remove(id), two.remove(id)),
                    (1, Some(&id)) => assert_eq!(one.update(id, bounds), two.update(id, bounds)),
                    _ => assert_eq!(one.insert(bounds, 5), two.insert(bounds, 5)),
                }
                if step.is_multiple_of(crate::SHARE) {
                    assert_eq!(one.state_hash(), two.state_hash());
                }
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
    assert_eq!(hash_of::<Linear>(), hash_of::<Block<2>>());
    assert_eq!(hash_of::<Linear>(), hash_of::<Full<2>>());
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
    assert_eq!(
        Tree::restore(Shared, &[]).unwrap_err(),
        TreeRestoreError::NotASave
    );
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
        Err(TreeRestoreError::Broken(_))
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
        Err(TreeRestoreError::Refused(_))
    ));
}

/// The hash at the end of a save, as whoever forges one puts it right.
pub(crate) fn with_hash_put_right(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let mut state = end as u64;
    for chunk in bytes[..end].chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 32;
    }
    bytes[end..].copy_from_slice(&state.to_le_bytes());
    bytes
}

/// A save with one field of four bytes changed: to an extreme, a step beside, another field's value, or with bits shifted.
fn forged(random: &mut Random, save: &[u8]) -> Vec<u8> {
    let mut bytes = save.to_vec();
    let field_count = (bytes.len() as u64 - 8) / 4;
    for _ in 0..1 + random.below(2) {
        let [at, other] = [0; 2].map(|_| 4 * random.below(field_count) as usize);
        let word = |place: usize| u32::from_le_bytes(save[place..place + 4].try_into().unwrap());
        let value = match random.below(6) {
            0 => [0, 1, 2, 31, 32, 33, 1 << 31, u32::MAX, u32::MAX - 1][random.below(9) as usize],
            1 => word(at).wrapping_add(1),
            2 => word(at).wrapping_sub(1),
            3 => word(at) << random.below(8),
            4 => word(at) ^ 1 << random.below(32),
            _ => word(other),
        };
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    with_hash_put_right(bytes)
}

fn touch<const D: usize>(a: &Bounds<D>, b: &Bounds<D>) -> bool {
    (0..D).all(|axis| a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
}

/// Of forged saves each is refused, or gives a tree that is sound, saves the same bytes and goes on soundly.
fn survives_forging<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) -> u32 {
    let mut accepted = 0;
    for seed in 0..3 {
        let mut twin: Twin<D, L, S> = Twin::new(strategy.clone(), settings::<D>(capacity));
        let random = &mut Random(seed);
        for _ in 0..40 {
            twin.step(random, LOW - 0.4 * SIDE, 1.4 * SIDE);
            twin.tree.validate().unwrap();
        }
        let save = twin.tree.save();
        for _ in 0..300 {
            let bytes = forged(random, &save);
            let Ok(mut tree) = Orthtree::<D, L, S>::restore(strategy.clone(), &bytes) else {
                continue;
            };
            accepted += 1;
            tree.validate().unwrap();
            assert_eq!(tree.save(), bytes);
            for _ in 0..20 {
                let ids: Vec<_> = tree.ids().collect();
                let chosen = ids.get(random.below(ids.len() as u64 + 1) as usize);
                let bounds = random_box(random, LOW, SIDE);
                match (random.below(3), chosen) {
                    (0, Some(&id)) => assert!(tree.remove(id).is_ok()),
                    (1, Some(&id)) => drop(tree.update(id, bounds)),
                    _ => drop(tree.insert(bounds, 5)),
                }
                tree.validate().unwrap();
                let mut found = Vec::new();
                tree.query(&bounds, |hit| found.push(hit.id));
                let expected = tree.ids().filter(|&id| touch(&tree.bounds(id).unwrap(), &bounds));
                found.sort_unstable();
                assert_eq!(found, expected.collect::<Vec<_>>());
            }
            tree.shrink_root();
            tree.clear();
            tree.validate().unwrap();
        }
    }
    accepted
}

#[test]
fn forged_saves_are_refused_or_go_on_soundly() {
    let mut accepted = 0;
    for capacity in [0, 3] {
        accepted += survives_forging::<2, Linear, Loose>(&Loose::default(), capacity);
        accepted += survives_forging::<2, Block<2>, Smallest>(&Smallest, capacity);
        accepted += survives_forging::<2, Full<2>, Loose>(&Loose::default(), capacity);
        accepted += survives_forging::<3, Linear, Shared>(&Shared, capacity);
        accepted += survives_forging::<2, Full<2>, Shared>(&Shared, capacity);
    }
    // Other keys, generations and boxes may well be let in.
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn a_root_of_four_billion_levels_is_refused() {
    use tombolo_geometry::orthtree::{full_tree_bytes, full_tree_node_count};
    for depth in [32, 33, 63, 64, u32::MAX - 1, u32::MAX] {
        assert_eq!(
            (full_tree_node_count::<2>(depth), full_tree_bytes::<3>(depth)),
            (None, None)
        );
    }
    let tree: Orthtree<2, Full<2>, Loose> = Orthtree::new(
        Bounds::new([0.0; 2], [1.0; 2]),
        Loose::default(),
        settings::<2>(0),
    )
    .unwrap();
    let mut bytes = tree.save();
    // The height of the root, and the levels of the first one: behind the head and two axes.
    for at in [16 + 2 * 24, 16 + 2 * 24 + 4] {
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    }
    let restored = Orthtree::<2, Full<2>, Loose>::restore(Loose::default(), &with_hash_put_right(bytes));
    assert!(matches!(restored.unwrap_err(), TreeRestoreError::Refused(_)));
}

#[test]
fn a_tree_that_was_cleared_is_as_good_as_new() {
    let root = Bounds::new([0.0; 2], [64.0; 2]);
    let new = || Orthtree::<2, Linear, Loose>::new(root, Loose::default(), Settings::default()).unwrap();
    let mut tree = new();
    tree.insert(Bounds::new([1.0; 2], [60.0; 2]), 7).unwrap();
    tree.clear();
    tree.validate().unwrap();
    assert_eq!(tree.save()[..16 + 2 * 24], new().save()[..16 + 2 * 24]);
    let spills = |tree: &Orthtree<2, Linear, Loose>| tree.save()[16 + 2 * 24 + 20..][..32 * 8].to_vec();
    assert_eq!(
        spills(&tree),
        spills(&new()),
        "how far objects reach out of cells is forgotten"
    );
}
