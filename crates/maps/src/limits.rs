//! How large a map may be: a slip in a number or a hostile file should be a message, not a full memory.

/// The most bytes of one file.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// The most bytes of all files of a map, and of the scene that comes of it.
pub const BYTES_MAX: u64 = 256 << 20;

/// The most files that a map may name: tilesets, templates, levels, the scene file.
pub const FILES_MAX: usize = 1024;

/// The most cells of all tile layers.
pub const CELLS_MAX: usize = 1 << 24;

/// The most layers, those in groups and the groups counted.
pub const LAYERS_MAX: usize = 4096;

/// The most groups of layers within each other.
pub const DEPTH_MAX: usize = 64;

/// The most objects, and the most shapes that are left after merging.
pub const OBJECTS_MAX: usize = 1 << 18;

/// The most corners of all shapes.
pub const CORNERS_MAX: usize = 1 << 21;

/// The most bytes of all properties of all objects, each as often as an object has it.
pub(crate) const PROPERTY_BYTES_MAX: usize = 64 << 20;

/// The most pieces of tiles before merging; neighbors in a row count as one.
pub(crate) const PIECES_MAX: usize = 1 << 21;
