//! Locational codes and the formulas of full trees.

use proptest::prelude::*;
use std::cmp::Ordering;
use tombolo_geometry::orthtree::{
    Code, CodeError, Dimension, FULL_BYTES_MAX, Full, Layout, Orthants, OrthtreeError, full_tree_bytes,
    full_tree_node_count, visit_all,
};

fn round_trip<const D: usize>(path: &[usize]) -> Result<(), TestCaseError>
where
    Dimension<D>: Orthants,
{
    let mut code = Code::<D, u64>::ROOT;
    for (depth, &octant) in path.iter().enumerate() {
        prop_assert_eq!(code.depth(), depth as u32);
        let child = code.child(octant % (1 << D)).unwrap();
        prop_assert_eq!(child.parent(), Some(code));
        prop_assert_eq!(child.octant(), octant % (1 << D));
        let again = Code::from_coordinates(child.coordinates(), child.depth()).unwrap();
        prop_assert_eq!(again, child);
        prop_assert_eq!(Code::from_bits(child.bits()), Ok(child));
        code = child;
    }
    Ok(())
}

proptest! {
    #[test]
    fn ot_5_depth_parent_and_child_agree_at_every_level(path in prop::collection::vec(0..8_usize, 21)) {
        round_trip::<3>(&path)?;
        round_trip::<2>(&path)?;
    }
}

/// The greatest counts that a `u64` holds were said to be too great.
#[test]
fn the_nodes_of_a_full_tree_are_counted_as_far_as_a_word_goes() {
    assert_eq!(full_tree_node_count::<2>(30), Some(((1 << 62) - 1) / 3));
    assert_eq!(full_tree_node_count::<2>(31), Some(u64::MAX / 3));
    assert_eq!(full_tree_node_count::<2>(32), None);
    assert_eq!(full_tree_node_count::<3>(20), Some(((1 << 63) - 1) / 7));
    assert_eq!(full_tree_node_count::<3>(21), Some(10_540_996_613_548_315_209));
    assert_eq!(full_tree_node_count::<3>(22), None);
    assert_eq!(full_tree_bytes::<3>(21), None);
}

#[test]
fn ot_5_limits_are_refused_with_errors() {
    assert_eq!((Code::<3, u32>::DEPTH_MAX, Code::<3, u64>::DEPTH_MAX), (10, 21));
    assert_eq!((Code::<2, u32>::DEPTH_MAX, Code::<2, u64>::DEPTH_MAX), (15, 31));
    let mut code = Code::<3, u32>::ROOT;
    for _ in 0..10 {
        code = code.child(7).unwrap();
    }
    assert_eq!(code.depth(), 10);
    assert_eq!(
        code.child(0),
        Err(CodeError::TooDeep {
            depth: 11,
            depth_max: 10
        })
    );
    assert_eq!(
        Code::<3, u32>::ROOT.child(8),
        Err(CodeError::OutOfRange { value: 8 })
    );
    assert_eq!(Code::<3, u32>::from_bits(0), Err(CodeError::NoLevel { bits: 0 }));
    assert_eq!(
        Code::<3, u32>::from_bits(0b10),
        Err(CodeError::NoLevel { bits: 2 })
    );
    assert_eq!(Code::<3, u32>::ROOT.parent(), None);
    assert!(Code::<2, u32>::from_coordinates([4, 0], 2).is_err());
    assert!(visit_all::<2, u32>(16, |_| panic!("nothing is visited")).is_err());
}

#[test]
fn ot_5_pre_order_is_the_order_of_the_traversal_and_numbers_are_not() {
    let mut codes = Vec::new();
    visit_all::<3, u32>(2, |code| codes.push(code)).unwrap();
    assert_eq!(codes.len(), 73);
    assert!(
        codes
            .windows(2)
            .all(|pair| pair[0].preorder(pair[1]) == Ordering::Less)
    );
    let first: Vec<u32> = codes[..4].iter().map(|code| code.bits()).collect();
    assert_eq!(first, [1, 8, 64, 65]);
    assert!(!codes.is_sorted(), "the numbers are in level order");
}

#[test]
fn ot_5_full_tree_formulas() {
    for depth in 0..=5 {
        let mut count = 0;
        visit_all::<3, u32>(depth, |_| count += 1).unwrap();
        assert_eq!(full_tree_node_count::<3>(depth), Some(count));
        let mut count = 0;
        visit_all::<2, u32>(depth, |_| count += 1).unwrap();
        assert_eq!(full_tree_node_count::<2>(depth), Some(count));
    }
    let gibibytes = full_tree_bytes::<3>(10).unwrap() as f64 / (1_u64 << 30) as f64;
    assert_eq!((gibibytes * 100.0).round(), 914.0);
    assert_eq!(full_tree_node_count::<3>(22), None);
    let bytes = full_tree_bytes::<3>(10).unwrap();
    let refused = OrthtreeError::TooMuchMemory {
        bytes,
        bytes_max: FULL_BYTES_MAX,
    };
    assert_eq!(Full::<3>::check_height(10), Err(refused));
}
