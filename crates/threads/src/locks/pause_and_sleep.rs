//! Polls with a pause and then sleeps. The algorithm is that of `test_and_test_and_set.rs`; what is new is the policy,
//! which keeps a lock alive whose holder has lost its core.

use super::TestAndTestAndSet;
use crate::relax::PauseThenSleep;

/// Test-and-test-and-set that pauses between looks and sleeps when the wait gets long: one byte, no order.
pub type PauseAndSleep = TestAndTestAndSet<PauseThenSleep>;
