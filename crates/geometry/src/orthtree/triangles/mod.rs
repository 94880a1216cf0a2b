//! [`Triangles`]: the counterpart of [`Polygons`](super::Polygons) in space. A triangle is cut on the planes between cells, and
//! each piece goes to its own cell.
//!
//! For meshes that are drawn, sent or collided with cell by cell. A triangle that is not parallel to the axes reaches into few
//! of the cells of its box, and the boxes of its pieces fit it much closer.
//!
//! | file | contents |
//! | --- | --- |
//! | `mod.rs` | triangles by id: insertion, update, removal, queries |
//! | `cut.rs` | the cutting of a triangle, and the pieces |
//! | `error.rs` | the errors |
//!
//! The tree below and the pieces by id are in `../pieces.rs`.

mod cut;
mod error;

use super::pieces::{CellPart, CellRange, Split, SplitObjects, box_around};
use super::{Bounds, Cell, Layout, Linear, Loose, Orthtree, OrthtreeError, Region};
use alloc::vec::Vec;
pub use cut::TrianglePiece;
use cut::ends_of;
pub use error::TriangleError;
use glam::DVec3;
use tombolo_handles::Handle;

/// The id of a triangle of a [`Triangles`], until that is removed.
pub type TriangleId = Handle<Triangle>;

/// A triangle cut over the cells: at most one piece in each, by the place of the cell along x, then y, then z.
pub type Triangle = Split<TrianglePiece>;

/// Triangles cut over the cells of one size, in an octree of any layout.
///
/// Every piece lies in its closed cell without a tolerance. Pieces on both sides of a plane have corners of the same bits
/// there, and so do two triangles along an edge that they share: a closed mesh is closed after the cut too. So slivers are
/// kept, however thin, but for those whose corners round to two points.
///
/// There is no save: the pieces follow from the triangles, which the caller has and which are smaller. The same insertions in
/// the same order give the same ids, pieces and answers.
///
/// ```
/// use glam::DVec3;
/// use tombolo_geometry::orthtree::{Bounds, Triangles};
/// // A root of 16 m, divided twice: cells of 4 m.
/// let mut mesh: Triangles = Triangles::new(Bounds::new([0.0; 3], [16.0; 3]), 2, 0)?;
/// let corners = [(1.0, 1.0, 1.0), (7.0, 1.0, 1.0), (7.0, 3.0, 3.0)].map(|(x, y, z)| DVec3::new(x, y, z));
/// let slope = mesh.insert(&corners, 7)?;
///
/// let pieces: Vec<_> = mesh.get(slope).unwrap().pieces().collect();
/// assert_eq!(pieces.iter().map(|piece| piece.cell().corner).collect::<Vec<_>>(), [[0, 0, 0], [1, 0, 0]]);
/// assert_eq!(pieces[0].corners().len(), 3); // The tip.
/// assert_eq!(mesh.query(&Bounds::new([6.0, 2.0, 2.0], [8.0; 3])), [slope]);
/// assert_eq!(mesh.remove(slope)?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Triangles<L: Layout<3> = Linear> {
    triangles: SplitObjects<3, L, TrianglePiece>,
}

impl<L: Layout<3>> Triangles<L> {
    /// An empty set. Cells have the root's size divided by 2^`depth`; the root may grow by `growth_max` levels.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::new`].
    pub fn new(root: Bounds<3>, depth: u32, growth_max: u32) -> Result<Self, OrthtreeError> {
        let triangles = SplitObjects::new(root, depth, growth_max)?;
        Ok(Self { triangles })
    }

    /// The number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.objects().len()
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles.objects().is_empty()
    }

    /// The pieces' boxes in their cells, for drawing and for neighbors. An object's key is the bits of its triangle's
    /// id.
    pub fn tree(&self) -> &Orthtree<3, L, Loose> {
        self.triangles.tree()
    }

    /// A triangle; `None` if the id is stale.
    pub fn get(&self, id: TriangleId) -> Option<&Triangle> {
        self.triangles.objects().get(id)
    }

    /// Cuts a triangle, in meters, and puts its pieces into their cells, with the caller's key. The root grows if it
    /// must and may. A part in a plane between cells is in the upper one.
    ///
    /// Costs O(c + p) cuts for c cells across and p pieces; allocates for each piece.
    ///
    /// # Errors
    ///
    /// [`TriangleError`]; nothing is changed then.
    pub fn insert(&mut self, corners: &[DVec3; 3], key: u64) -> Result<TriangleId, TriangleError> {
        let (range, pieces) = self.cut(corners)?;
        let inserted = self.triangles.insert(key, &range, pieces);
        inserted.map_err(TriangleError::Tree)
    }

    /// Replaces a triangle's corners: it has moved, turned or changed. Where a piece stays in its cell, only its box is
    /// written and no node is visited.
    ///
    /// # Errors
    ///
    /// [`TriangleError`]; nothing is changed then.
    pub fn update(&mut self, id: TriangleId, corners: &[DVec3; 3]) -> Result<(), TriangleError> {
        self.triangles
            .objects()
            .try_get(id)
            .map_err(TriangleError::Stale)?;
        let (range, pieces) = self.cut(corners)?;
        self.triangles.replace(id, &range, pieces);
        Ok(())
    }

    /// Removes a triangle and returns its key.
    ///
    /// # Errors
    ///
    /// [`TriangleError::Stale`].
    pub fn remove(&mut self, id: TriangleId) -> Result<u64, TriangleError> {
        self.triangles
            .objects()
            .try_get(id)
            .map_err(TriangleError::Stale)?;
        let Some(key) = self.triangles.remove(id) else {
            unreachable!("the id was just looked up")
        };
        Ok(key)
    }

    /// The triangles of which a piece's box overlaps a region, touching included, each once, in the order of their ids.
    pub fn query(&self, region: &impl Region<3>) -> Vec<TriangleId> {
        self.triangles.query(region)
    }

    /// The pieces of a triangle and their range of cells, after a check that the tree can hold them.
    fn cut(&self, corners: &[DVec3; 3]) -> Result<(CellRange<3>, Vec<TrianglePiece>), TriangleError> {
        cut::check(corners)?;
        let ends = ends_of(corners);
        let range = self.triangles.range(&box_around(ends), ends);
        let range = range.map_err(TriangleError::Tree)?;
        let pieces = cut::cut(corners, &range, self.tree().lattice())?;
        Ok((range, pieces))
    }
}

impl CellPart<3> for TrianglePiece {
    fn cell(&self) -> Cell<3> {
        self.cell()
    }

    fn bounds(&self) -> Bounds<3> {
        box_around(ends_of(self.corners()))
    }
}
