//! The limits of a map: a typing error in a number or a hostile file gives a message and not full memory.

/// The greatest size of one file, in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// The greatest size of all files of a map, and of its scene, in bytes.
pub const BYTES_MAX: u64 = 256 << 20;

/// The greatest number of files that a map may name: tilesets, templates, levels, the scene file.
pub const FILES_MAX: usize = 1024;

/// The greatest number of cells of all tile layers.
pub const CELLS_MAX: usize = 1 << 24;

/// The greatest number of layers, including groups and the layers in them.
pub const LAYERS_MAX: usize = 4096;

/// The greatest depth of nested groups of layers.
pub const DEPTH_MAX: usize = 64;

/// The greatest number of objects, and of shapes that are left after merging.
pub const OBJECTS_MAX: usize = 1 << 18;

/// The greatest number of corners of all shapes.
pub const CORNERS_MAX: usize = 1 << 21;

/// The greatest number of pictures of tiles; further ones are left out.
pub const PICTURES_MAX: usize = 1 << 18;

/// The greatest size of all properties of all objects, in bytes; a property counts for each object that has it.
pub(crate) const PROPERTY_BYTES_MAX: usize = 64 << 20;

/// The greatest size of the properties that layers, tiles and objects are read with, in bytes, whether or not they are of
/// components: a property of a layer, a tile or a template counts for each object that has it.
pub(crate) const PROPERTIES_READ_MAX: usize = 128 << 20;

/// The greatest number of elements of one file, with the texts and comments of XML; in JSON of objects.
pub const ELEMENTS_MAX: usize = 1 << 22;

/// The greatest number of attributes of an element of XML: the parser compares each with all others.
pub(crate) const ATTRIBUTES_MAX: usize = 256;

/// The greatest number of namespaces that a file of XML declares; no editor declares one.
pub(crate) const NAMESPACES_MAX: usize = 256;

/// The greatest number of properties of a component of the scene file: each is looked for among the others.
pub(crate) const FIELDS_MAX: usize = 1024;

/// The greatest size of the components of all entities of the scene file, in bytes; an inherited one counts where it is
/// changed.
pub(crate) const PROTOTYPE_BYTES_MAX: usize = 256 << 20;

/// The greatest number of components of all entities of the scene file, with those that they inherit.
pub(crate) const PROTOTYPE_COMPONENTS_MAX: usize = 1 << 20;

/// The greatest number of properties of the components of one object.
pub(crate) const SETTINGS_MAX: usize = 1024;

/// The greatest number of pieces of tiles before merging; neighbors in a row count as one.
pub(crate) const PIECES_MAX: usize = 1 << 21;
