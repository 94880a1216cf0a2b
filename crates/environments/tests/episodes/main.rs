//! Episodes of every environment, beside those that were recorded from Gymnasium, saved, forked and in batches.

mod batch;
mod car;
mod lander;
mod saves;
mod scene;
mod support;
mod walker;
