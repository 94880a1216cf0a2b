//! Area `space`: our quadtrees and octrees beside an R*-tree, a bounding volume tree, k-d trees, an octree of cells and
//! a uniform grid.
//!
//! | file | contents |
//! | --- | --- |
//! | `space.rs` | the parts, and which sizes each runs |
//! | `space/scene.rs` | boxes, their moves, and the queries |
//! | `space/contenders.rs` | boxes in the plane: each contender behind one trait |
//! | `space/one_level.rs` | layouts of one level: three that were tried, and the engine's grid |
//! | `space/grid.rs` | the uniform grid, written for this comparison |
//! | `space/boxes.rs` | building, moving and queries |
//! | `space/solids.rs` | boxes in space |
//! | `space/points.rs` | points in two and three dimensions |
//! | `space/engine.rs` | the engine's space: interest sets, and the time of the stage `space` |
//! | `space/paths.rs` | the engine's paths |
//! | `space/frames.rs` | the box of a cell: stored in the node in two forms, or recomputed |
//! | `space/zones.rs` | zones cut over cells, beside references in all cells |
//! | `space/layouts.rs` | our layouts and strategies side by side, neighbors, growing roots, the two-cluster case |

mod boxes;
mod contenders;
mod engine;
mod frames;
mod grid;
mod layouts;
mod one_level;
mod paths;
mod points;
mod scene;
mod solids;
mod zones;

use clap::{Args, FromArgMatches, ValueEnum};
use tombolo_geometry::orthtree::{
    Block, Dimension, Linear, Orthants, Sibling, Standard, StandardApart, full_tree_bytes,
};

use super::{Area, Run};

pub(super) const AREA: Area = Area {
    name: "space",
    description: "Quadtrees and octrees beside rstar, parry's Bvh, kiddo, oktree and a uniform grid",
    options: Options::augment_args,
    run: |matches, run| compare(&Options::from_arg_matches(matches)?, run),
};

#[derive(Args)]
struct Options {
    /// Run one part only; the whole takes an hour, of which most goes to a million objects
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// How many objects; else 10000, 100000 and 1000000 one after the other
    #[arg(long)]
    objects: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    /// Boxes: building and asking
    Queries,
    /// Boxes: moving
    Moves,
    /// Boxes: asking after 1,000 steps of movement
    Aged,
    /// Boxes in space
    Solids,
    /// Points in two and three dimensions
    Points,
    /// Our layouts and strategies
    Layouts,
    /// Layouts of one level behind the same interface
    OneLevel,
    /// The box of a cell: kept in the node, or recomputed
    Frames,
    /// All neighbors of a leaf, growing roots, two clusters
    Cells,
    /// Interest sets beside full queries
    Interest,
    /// What the engine's stage takes for what moved
    Upkeep,
    /// Paths through a maze and a field of blocks
    Path,
    /// Zones cut over cells beside references in all cells
    Zones,
}

/// Bytes of a node in each layout, of octrees with links to parents where there are links.
pub(super) fn node_sizes(run: &mut Run) -> anyhow::Result<()> {
    let leaf = StandardApart::<3>::NODE_BYTES;
    let children = size_of::<<Dimension<3> as Orthants>::Children>();
    let full = full_tree_bytes::<3>(0).unwrap_or(u64::MAX) as usize;
    let rows = [
        ("standard", Standard::<3>::NODE_BYTES),
        ("standard, apart, inner", leaf + children),
        ("standard, apart, leaf", leaf),
        ("block", Block::<3>::NODE_BYTES),
        ("sibling", Sibling::<3>::NODE_BYTES),
        ("linear", Linear::<u32, true>::NODE_BYTES),
        ("full", full),
    ];
    for (name, bytes) in rows {
        run.report
            .push("a node of an octree", name, "B", bytes as f64, None);
    }
    Ok(())
}

fn compare(options: &Options, run: &mut Run) -> anyhow::Result<()> {
    let wanted = |part| options.only.is_none_or(|only| only == part);
    let all: &[usize] = if run.smoke {
        &[2_000]
    } else {
        &[10_000, 100_000, 1_000_000]
    };
    let sizes: Vec<usize> = match options.objects {
        Some(count) => vec![count],
        None => all.to_vec(),
    };
    let middle = if run.smoke {
        2_000
    } else {
        options.objects.unwrap_or(100_000)
    };
    if wanted(Part::Queries) {
        boxes::queries(run, &sizes)?;
    }
    if wanted(Part::Moves) {
        boxes::moves(run, &sizes)?;
    }
    if wanted(Part::Aged) {
        boxes::aged(run, &sizes)?;
    }
    if wanted(Part::Solids) {
        for &count in &sizes {
            solids::compare(run, count)?;
        }
    }
    if wanted(Part::Points) {
        for &count in &sizes {
            points::compare(run, count)?;
        }
    }
    if wanted(Part::Layouts) {
        for &count in &sizes {
            layouts::side_by_side(run, count)?;
        }
    }
    if wanted(Part::OneLevel) {
        one_level::compare(run, middle)?;
    }
    if wanted(Part::Frames) {
        for &count in &sizes {
            frames::side_by_side(run, count)?;
        }
    }
    if wanted(Part::Cells) {
        layouts::cells(run, middle)?;
    }
    if wanted(Part::Interest) {
        engine::interest(run)?;
    }
    if wanted(Part::Upkeep) {
        engine::upkeep(run)?;
    }
    if wanted(Part::Path) {
        paths::compare(run)?;
    }
    if wanted(Part::Zones) {
        zones::compare(run)?;
    }
    Ok(())
}
