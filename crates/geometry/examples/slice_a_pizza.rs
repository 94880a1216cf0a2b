//! Cuts a ring-shaped polygon like a pizza, again and again, and prints the pieces.
//!
//! `cargo run -p tombolo-geometry --example slice_a_pizza`
#![allow(clippy::print_stdout)]

use glam::DVec2;
use tombolo_geometry::split::{ConcavePolygon, CutLine, Slivers, Splitter, decompose};

/// A regular polygon of 24 corners around the origin.
fn round(radius: f64) -> Vec<DVec2> {
    (0..24)
        .map(|i| f64::from(i) * std::f64::consts::TAU / 24.0)
        .map(|angle| DVec2::new(libm::cos(angle), libm::sin(angle)) * radius)
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let crust = round(2.0);
    let mut hole = round(0.5);
    hole.reverse();
    let pizza = ConcavePolygon::with_holes(&crust, &[&hole])?;
    println!(
        "whole: {:.3} m² in {} convex parts",
        pizza.area(),
        decompose(&pizza)?.len()
    );

    let mut splitter = Splitter::new();
    let mut slices = vec![pizza.clone()];
    for step in 0..4 {
        let angle = 0.1 + f64::from(step) * std::f64::consts::FRAC_PI_4;
        let line = CutLine::through(DVec2::ZERO, DVec2::new(libm::cos(angle), libm::sin(angle)))?;
        let mut next = Vec::new();
        for slice in &slices {
            let pieces = splitter.split(slice, &line, Slivers::default())?;
            next.extend(pieces.iter().map(|piece| piece.to_polygon()));
        }
        slices = next;
        println!("after cut {}: {} slices", step + 1, slices.len());
    }
    for slice in &slices {
        let parts = decompose(slice)?;
        println!(
            "a slice of {:.3} m² at {:.2}, {} convex parts",
            slice.area(),
            slice.centroid(),
            parts.len()
        );
    }
    let sum: f64 = slices.iter().map(ConcavePolygon::area).sum();
    println!(
        "together {:.12} m², {:.1e} m² from the whole",
        sum,
        (sum - pizza.area()).abs()
    );
    Ok(())
}
