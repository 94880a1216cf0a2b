//! Joints of every kind, their options, and what rigid welds make of bodies.

mod composite_frames;
mod composite_joints;
mod composites;
mod couplings;
mod fast_rotation;
mod joint_axes;
mod joint_forces;
mod joint_machines;
mod joint_movers;
mod joint_options;
mod joint_support;
mod joints;
mod revolute;
mod spring_energy;
mod turns;

#[path = "../world_support/mod.rs"]
mod world_support;
