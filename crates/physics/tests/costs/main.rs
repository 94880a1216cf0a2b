//! What steps and calls cost in instructions, counted by valgrind.

mod fields_cost;
mod first_step_cost;
mod fork_cost;
mod marking_cost;
mod recording_cost;
mod sleepers_cost;
mod squares_cost;
mod touches_cost;
mod valgrind;
