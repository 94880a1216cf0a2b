//! The structs of LDtk's files, with the fields that are used here. Missing and unknown fields are accepted, so that
//! files of newer versions of the editor can be read.

use serde::Deserialize;
use serde_json::Value;

/// A project: its levels, or worlds of levels.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Project {
    #[serde(rename = "defaultGridSize")]
    pub(super) default_grid_size: f64,
    #[serde(rename = "worldLayout")]
    pub(super) world_layout: Option<String>,
    pub(super) defs: Definitions,
    pub(super) levels: Vec<Level>,
    pub(super) worlds: Vec<World>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct World {
    pub(super) identifier: String,
    #[serde(rename = "worldLayout")]
    pub(super) world_layout: Option<String>,
    pub(super) levels: Vec<Level>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Definitions {
    pub(super) layers: Vec<LayerDefinition>,
    pub(super) tilesets: Vec<TilesetDefinition>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TilesetDefinition {
    pub(super) uid: i64,
    /// The width and height of a tile in pixels.
    #[serde(rename = "tileGridSize")]
    pub(super) tile_size: f64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LayerDefinition {
    pub(super) uid: i64,
    #[serde(rename = "intGridValues")]
    pub(super) values: Vec<ValueDefinition>,
    /// The definition of the IntGrid by whose values its automatic tiles are drawn, if that is another layer.
    #[serde(rename = "autoSourceLayerDefUid")]
    pub(super) source: Option<i64>,
}

/// A value of an IntGrid, with its name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ValueDefinition {
    pub(super) value: i64,
    pub(super) identifier: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Level {
    pub(super) identifier: String,
    #[serde(rename = "worldX")]
    pub(super) world_x: f64,
    #[serde(rename = "worldY")]
    pub(super) world_y: f64,
    #[serde(rename = "pxWid")]
    pub(super) width: f64,
    #[serde(rename = "pxHei")]
    pub(super) height: f64,
    #[serde(rename = "fieldInstances")]
    pub(super) fields: Vec<FieldInstance>,
    /// `None` if the level is in a file of its own.
    #[serde(rename = "layerInstances")]
    pub(super) layers: Option<Vec<LayerInstance>>,
    #[serde(rename = "externalRelPath")]
    pub(super) file: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LayerInstance {
    #[serde(rename = "__identifier")]
    pub(super) identifier: String,
    /// `IntGrid`, `Entities`, `Tiles` or `AutoLayer`.
    #[serde(rename = "__type")]
    pub(super) kind: String,
    #[serde(rename = "__cWid")]
    pub(super) columns: u32,
    #[serde(rename = "__cHei")]
    pub(super) rows: u32,
    #[serde(rename = "__gridSize")]
    pub(super) grid_size: f64,
    #[serde(rename = "__pxTotalOffsetX")]
    pub(super) offset_x: f64,
    #[serde(rename = "__pxTotalOffsetY")]
    pub(super) offset_y: f64,
    #[serde(rename = "layerDefUid")]
    pub(super) definition: i64,
    #[serde(rename = "intGridCsv")]
    pub(super) cells: Vec<i64>,
    #[serde(rename = "entityInstances")]
    pub(super) entities: Vec<EntityInstance>,
    /// `None` in files that do not say it, which is visible.
    pub(super) visible: Option<bool>,
    #[serde(rename = "__opacity")]
    pub(super) opacity: Option<f64>,
    #[serde(rename = "__tilesetDefUid")]
    pub(super) tileset: Option<i64>,
    /// The file of the tileset's image, beside the project.
    #[serde(rename = "__tilesetRelPath")]
    pub(super) image: Option<String>,
    #[serde(rename = "gridTiles")]
    pub(super) tiles: Vec<TileInstance>,
    #[serde(rename = "autoLayerTiles")]
    pub(super) automatic_tiles: Vec<TileInstance>,
}

impl LayerInstance {
    /// How far its cells are from the level's left (0) or upper (1) side, in pixels.
    pub(super) fn offset(&self, axis: usize) -> f64 {
        [self.offset_x, self.offset_y][axis]
    }
}

/// A tile that is seen.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TileInstance {
    /// The position of its upper left corner in its layer, and in the image.
    pub(super) px: [f64; 2],
    pub(super) src: [f64; 2],
    /// 1 if it is mirrored along x, plus 2 if along y.
    pub(super) f: u8,
    /// Its opacity; 1 in files of old versions, which have none.
    pub(super) a: Option<f64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EntityInstance {
    #[serde(rename = "__identifier")]
    pub(super) identifier: String,
    pub(super) iid: String,
    #[serde(rename = "__pivot")]
    pub(super) pivot: [f64; 2],
    /// The position of its pivot in its layer.
    pub(super) px: [f64; 2],
    pub(super) width: f64,
    pub(super) height: f64,
    #[serde(rename = "fieldInstances")]
    pub(super) fields: Vec<FieldInstance>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FieldInstance {
    #[serde(rename = "__identifier")]
    pub(super) identifier: String,
    #[serde(rename = "__type")]
    pub(super) kind: String,
    #[serde(rename = "__value")]
    pub(super) value: Value,
}
