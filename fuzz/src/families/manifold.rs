//! Family `manifold`: pairs of shapes from a centimeter to a kilometer at all the positions at which contacts are made,
//! compared with simple solutions in double precision: distances, normals, nearest points, manifolds, from both sides
//! and nearby.

use super::exact::{Pair, check_distance, check_manifold};
use crate::family::Family;
use crate::random::Random;

/// The family.
pub(crate) struct Manifolds;

/// A pair of shapes, by the seed of its own generator.
#[derive(Debug, Clone)]
pub(crate) struct Meet(u64);

impl Family for Manifolds {
    const NAME: &'static str = "manifold";
    const ABOUT: &'static str = "distances and manifolds of shapes of all sizes against double precision";
    const CASES: u64 = 300_000;
    type Operation = Meet;

    fn generate(random: &mut Random) -> Vec<Meet> {
        vec![Meet(random.bits())]
    }

    fn run(operations: &[Meet]) -> Result<(), String> {
        for Meet(seed) in operations {
            let pair = Pair::from_seed(*seed);
            check_distance(&pair)
                .and_then(|()| check_manifold(&pair))
                .map_err(|what| format!("{what}: {pair:?}"))?;
        }
        Ok(())
    }
}
