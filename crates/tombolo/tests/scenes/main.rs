//! Scene files, worlds that ship, and steps from real time.

mod harbour;
mod orchard;
mod scene_files;
mod stepper;
