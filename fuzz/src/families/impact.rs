//! Family `impact`: pairs of shapes from a centimeter to a kilometer that move and turn for a step, compared with a
//! simple solution in double precision: no contact is earlier than the time of impact, there is one at it, and no
//! search gives up.

use super::exact::{MovingPair, check_impact};
use crate::family::Family;
use crate::random::Random;

/// The family.
pub(crate) struct Impacts;

/// A moving pair of shapes, by the seed of its own generator.
#[derive(Debug, Clone)]
pub(crate) struct Move(u64);

impl Family for Impacts {
    const NAME: &'static str = "impact";
    const ABOUT: &'static str = "times of impact of shapes of all sizes against double precision";
    const CASES: u64 = 200_000;
    type Operation = Move;

    fn generate(random: &mut Random) -> Vec<Move> {
        vec![Move(random.bits())]
    }

    fn run(operations: &[Move]) -> Result<(), String> {
        for Move(seed) in operations {
            let pair = MovingPair::from_seed(*seed);
            check_impact(&pair).map_err(|what| format!("{what}: {pair:?}"))?;
        }
        Ok(())
    }
}
