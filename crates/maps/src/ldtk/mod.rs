//! Reads projects of LDtk: IntGrids and entities of all levels at their positions in the world, or of one level.

mod model;

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tombolo::scene::nearest;

use crate::builder::{Builder, Thing};
use crate::cells::Cells;
use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point};
use crate::files::{Reading, beside};
use crate::json;
use crate::limits::{CELLS_MAX, LAYERS_MAX};
use crate::names::short;
use crate::options::{Found, Options};
use crate::picture::{Look, PlacedCell, image};
use crate::scale::Scale;
use crate::scene_text::MapScene;
use crate::settings::Setting;
use crate::shapes::{PlacedCells, Shapes, add_shapes, may_be_tiles};
use model::{
    EntityInstance, FieldInstance, LayerDefinition, LayerInstance, Level, Project, TilesetDefinition,
    ValueDefinition,
};

/// The greatest number of names that a message lists.
const NAMES_LISTED: usize = 20;

/// Reads a project.
///
/// # Errors
/// The project, or a file that it names, is wrong, or it has no such level.
pub(crate) fn read(path: &Path, reading: &Reading<'_>, options: &Options) -> Result<MapScene, MapError> {
    let file = path.display().to_string();
    let origin = Origin::file(&file);
    let text = reading.text(path, &origin)?;
    let project: Project = json(&text, &origin)?;
    drop(text);
    let (layout, chosen) = levels(&project, options.level.as_deref(), &origin)?;
    let mut found = Found::default();
    for FieldInstance {
        identifier, value, ..
    } in chosen.iter().flat_map(|level| &level.fields)
    {
        found.take(identifier, value, path, &origin)?;
    }
    let settings = options.over(found, project.default_grid_size);
    let scale = Scale::new(settings.pixels_per_meter, settings.y_down, &origin)?;
    let prototypes = settings.prototypes(reading, &origin)?;
    let mut reader = ProjectReader {
        path,
        reading,
        definitions: first_by(&project.defs.layers, |layer| layer.uid)
            .into_iter()
            .map(|(uid, layer)| (uid, (layer, first_by(&layer.values, |known| known.value))))
            .collect(),
        tilesets: first_by(&project.defs.tilesets, |tileset| tileset.uid),
        scale,
        builder: Builder::new(origin.clone(), prototypes, scale.y_down()),
        cells: 0,
        layers: 0,
    };
    let mut along = 0.0;
    for level in chosen {
        let place = match layout {
            "LinearHorizontal" => [along, 0.0],
            "LinearVertical" => [0.0, along],
            _ => [level.world_x, level.world_y],
        };
        along += if layout == "LinearVertical" {
            level.height
        } else {
            level.width
        };
        reader.level(level, place, &origin.layer(&level.identifier))?;
    }
    reader.builder.finish(&file)
}

fn json<T: DeserializeOwned>(text: &str, origin: &Origin) -> Result<T, MapError> {
    json::read(text, "LDtk", origin)
}

/// The layout of the levels, and the selected ones: all of a file with one world, those of a world, or one.
fn levels<'a>(
    project: &'a Project,
    wanted: Option<&str>,
    origin: &Origin,
) -> Result<(&'a str, Vec<&'a Level>), MapError> {
    let mut worlds: Vec<(&str, Option<&str>, &[Level])> = Vec::new();
    if !project.levels.is_empty() || project.worlds.is_empty() {
        worlds.push(("", project.world_layout.as_deref(), &project.levels));
    }
    for world in &project.worlds {
        worlds.push((&world.identifier, world.world_layout.as_deref(), &world.levels));
    }
    let Some(wanted) = wanted else {
        if let [(_, layout, levels)] = worlds[..] {
            return Ok((layout.unwrap_or_default(), levels.iter().collect()));
        }
        let names: Vec<&str> = worlds.iter().map(|(name, ..)| *name).collect();
        let names = names.join(", ");
        return Err(origin.refuse(format!("has several worlds; choose one as the level: {names}")));
    };
    for (name, layout, levels) in &worlds {
        // Only a file without worlds has one without a name, and an empty name is no choice.
        if *name == wanted && !wanted.is_empty() {
            return Ok((layout.unwrap_or_default(), levels.iter().collect()));
        }
        if let Some(level) = levels.iter().find(|level| level.identifier == wanted) {
            // A single level is at its own position, or at the origin where levels have none.
            return Ok((layout.unwrap_or_default(), vec![level]));
        }
    }
    let names = worlds.iter().flat_map(|(name, _, levels)| {
        let levels = levels.iter().map(|level| level.identifier.as_str());
        levels.chain(Some(*name).filter(|name| !name.is_empty()))
    });
    if wanted.is_empty() {
        let message = format!("the name of the level is empty; there are: {}", listed(names));
        return Err(origin.refuse(message));
    }
    let advice = match nearest(wanted, names.clone()) {
        Some(name) => format!("did you mean {name:?}?"),
        None => format!("there are: {}", listed(names)),
    };
    Err(origin.refuse(format!("has no level {wanted:?}; {advice}")))
}

/// Names for a message; of many the first.
fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let first: Vec<&str> = names.clone().take(NAMES_LISTED).collect();
    let list = first.join(", ");
    match names.count() - first.len() {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}

/// Definitions by their number, of equal ones the first: each layer looks for its own.
fn first_by<T>(all: &[T], number: impl Fn(&T) -> i64) -> BTreeMap<i64, &T> {
    let mut first = BTreeMap::new();
    for one in all {
        first.entry(number(one)).or_insert(one);
    }
    first
}

/// Where a layer's cells begin, in pixels of the world.
fn offset_of(layer: &LayerInstance, place: Point) -> Point {
    [0, 1].map(|axis| place[axis] + layer.offset(axis))
}

/// An IntGrid of a level that was read, with what became of the cells of each value.
struct PlacedGrid<'a> {
    layer: &'a LayerInstance,
    placed: BTreeMap<i64, PlacedCells>,
}

impl PlacedGrid<'_> {
    /// What became of the cell at a place of the level, in pixels; `None` if it is empty or in no grid of tiles.
    fn cell(&self, place: Point) -> Option<PlacedCell> {
        let layer = self.layer;
        let [column, row] =
            [0, 1].map(|axis| ((place[axis] - layer.offset(axis)) / layer.grid_size).floor() as i64);
        let is_inside = (0..i64::from(layer.columns)).contains(&column) && row >= 0;
        let index = row.checked_mul(i64::from(layer.columns))?.checked_add(column)?;
        let index = usize::try_from(index).ok().filter(|_| is_inside)?;
        let placed = self.placed.get(layer.cells.get(index)?)?;
        Some(placed.cell([column, row]))
    }
}

struct ProjectReader<'a> {
    path: &'a Path,
    reading: &'a Reading<'a>,
    /// The definition of each layer, and the values that it names.
    definitions: BTreeMap<i64, (&'a LayerDefinition, BTreeMap<i64, &'a ValueDefinition>)>,
    tilesets: BTreeMap<i64, &'a TilesetDefinition>,
    scale: Scale,
    builder: Builder,
    /// The number of cells and layers so far.
    cells: usize,
    layers: usize,
}

impl ProjectReader<'_> {
    fn level(&mut self, level: &Level, place: Point, origin: &Origin) -> Result<(), MapError> {
        check_finite(&place, origin)?;
        match (&level.layers, &level.file) {
            (Some(layers), _) => self.layers(layers, place, origin),
            (None, Some(named)) => {
                let path = beside(self.path, named);
                let text = self.reading.text(&path, origin)?;
                let own = Origin::file(&path.display().to_string());
                let own_level: Level = json(&text, &own)?;
                let layers = own_level.layers.unwrap_or_default();
                self.layers(&layers, place, &own.layer(&level.identifier))
            }
            (None, None) => {
                let message = "the level has no layers and names no file; save the project again";
                Err(origin.refuse(message))
            }
        }
    }

    /// The layers of a level; the topmost comes first in the file.
    fn layers(&mut self, layers: &[LayerInstance], place: Point, origin: &Origin) -> Result<(), MapError> {
        let mut grids = BTreeMap::new();
        for layer in layers.iter().rev() {
            let origin = origin.layer(&layer.identifier);
            self.layers += 1;
            if self.layers > LAYERS_MAX {
                let message = format!("the file has more than {LAYERS_MAX} layers; divide it");
                return Err(origin.refuse(message));
            }
            let offset = offset_of(layer, place);
            match layer.kind.as_str() {
                "IntGrid" => {
                    let placed = self.int_grid(layer, offset, &origin)?;
                    grids.insert(layer.definition, PlacedGrid { layer, placed });
                }
                "Entities" => {
                    for entity in &layer.entities {
                        self.entity(entity, layer, offset, &origin)?;
                    }
                }
                _ => {}
            }
        }
        // A layer may show the cells of one above it.
        for layer in layers.iter().rev() {
            let definition = self.definitions.get(&layer.definition);
            let source = definition.and_then(|(definition, _)| definition.source);
            let grid = grids.get(&source.unwrap_or(layer.definition));
            self.pictures(layer, offset_of(layer, place), grid);
        }
        Ok(())
    }

    /// The tiles of a layer that are seen, in the order in which they are drawn: automatic ones of the cells of a grid.
    fn pictures(&mut self, layer: &LayerInstance, offset: Point, grid: Option<&PlacedGrid<'_>>) {
        let tileset = layer.tileset.and_then(|uid| self.tilesets.get(&uid));
        let size = tileset.map_or(layer.grid_size, |tileset| tileset.tile_size);
        let opacity = if layer.visible == Some(false) {
            0.0
        } else {
            layer.opacity.unwrap_or(1.0)
        };
        let Some(named) = layer.image.as_deref().filter(|_| opacity > 0.0) else {
            return;
        };
        let image = image(beside(self.path, named));
        let automatic = layer.automatic_tiles.iter().map(|tile| (tile, grid));
        for (tile, grid) in automatic.chain(layer.tiles.iter().map(|tile| (tile, None))) {
            let [x, y] = [0, 1].map(|axis| {
                let near = offset[axis] + tile.px[axis];
                let is_mirrored = tile.f >> axis & 1 == 1;
                if is_mirrored {
                    [near + size, near]
                } else {
                    [near, near + size]
                }
            });
            let look = Look {
                image: image.clone(),
                part: [tile.src[0], tile.src[1], size, size],
                corners: [[x[0], y[0]], [x[1], y[0]], [x[0], y[1]]],
                opacity: opacity * tile.a.unwrap_or(1.0),
            };
            let middle = [0, 1].map(|axis| layer.offset(axis) + tile.px[axis] + size / 2.0);
            let cell = grid.and_then(|grid| grid.cell(middle));
            let picture = look.picture(&self.scale);
            self.builder.pictures().add_of_tile(picture, cell);
        }
    }

    /// The cells of an IntGrid, with cells of one value joined. Returns what became of the cells of each value.
    fn int_grid(
        &mut self,
        layer: &LayerInstance,
        offset: Point,
        origin: &Origin,
    ) -> Result<BTreeMap<i64, PlacedCells>, MapError> {
        let count = (layer.columns as usize).saturating_mul(layer.rows as usize);
        self.cells += layer.cells.len();
        if self.cells > CELLS_MAX {
            let message = format!("the file has more than {CELLS_MAX} cells; divide it");
            return Err(origin.refuse(message));
        }
        if layer.cells.len() != count {
            let given = layer.cells.len();
            return Err(origin.refuse(format!("has {given} cells where its size asks for {count}")));
        }
        let size = layer.grid_size;
        if !(size > 0.0 && size.is_finite()) {
            return Err(origin.refuse(format!("its grid size is {size}; give more than 0")));
        }
        let definition = self.definitions.get(&layer.definition);
        let mut values: BTreeMap<i64, (String, Shapes)> = BTreeMap::new();
        let class_of = |value: i64| {
            let known = definition.and_then(|(_, values)| values.get(&value)?.identifier.as_deref());
            // A value has a name for display; it is a class only if there is such an entity.
            let classes = [known.unwrap_or_default(), &layer.identifier];
            let is_class = |class: &&str| self.builder.has(class);
            classes.into_iter().find(is_class).unwrap_or_default().to_string()
        };
        for (row, cells) in layer.cells.chunks(layer.columns.max(1) as usize).enumerate() {
            for (column, &value) in cells.iter().enumerate() {
                if value != 0 {
                    let [left, right] = [column, column + 1].map(|column| column as f64 * size);
                    let [top, bottom] = [row, row + 1].map(|row| row as f64 * size);
                    let (_, shapes) = values.entry(value).or_insert_with(|| {
                        let class = class_of(value);
                        let cells = may_be_tiles(&class, &[]).then(|| Cells::new(size, &self.scale));
                        (class, Shapes::with_cells(cells))
                    });
                    let full = Figure::rectangle([0.0, 0.0], [size, size]);
                    if let Some(cells) = &mut shapes.cells
                        && let Some(kind) = cells.kind_of(&[full])
                    {
                        cells.put([column as i64, row as i64], kind, origin)?;
                        continue;
                    }
                    let figure = Figure::rectangle([left, top], [right, bottom]);
                    shapes.add(figure, origin)?;
                }
            }
        }
        let mut placed = BTreeMap::new();
        for (value, (class, shapes)) in values {
            let cells = add_shapes(
                &mut self.builder,
                shapes,
                &self.scale,
                offset,
                origin,
                (&class, &[]),
            )?;
            placed.extend(cells.map(|cells| (value, cells)));
        }
        Ok(placed)
    }

    fn entity(
        &mut self,
        entity: &EntityInstance,
        layer: &LayerInstance,
        offset: Point,
        origin: &Origin,
    ) -> Result<(), MapError> {
        let origin = origin.object(&entity.identifier, &entity.iid);
        let EntityInstance {
            px,
            pivot,
            width,
            height,
            ..
        } = *entity;
        check_finite(&[px, pivot, [width, height], offset].concat(), &origin)?;
        if width < 0.0 || height < 0.0 {
            return Err(origin.refuse("its width or height is negative; draw it anew"));
        }
        let size = [width, height];
        let middle = [0, 1].map(|axis| offset[axis] + px[axis] + (0.5 - pivot[axis]) * size[axis]);
        let half = size.map(|side| side / 2.0);
        let figures = if size.contains(&0.0) {
            Vec::new()
        } else {
            vec![
                self.scale
                    .figure(&Figure::rectangle(half.map(|half| -half), half)),
            ]
        };
        let (mut settings, mut name) = (Vec::new(), String::new());
        // A tile is a picture for display.
        let is_picture = |field: &&FieldInstance| matches!(&*field.kind, "Tile" | "Array<Tile>");
        let fields = entity.fields.iter().filter(|field| !is_picture(field));
        for field in fields {
            let value = self.value(&field.value, layer, offset);
            if field.identifier == "name" {
                value.as_str().unwrap_or_default().clone_into(&mut name);
            } else if !value.is_null() {
                Setting::of(self.builder.kinds(), &field.identifier, "", &value, &mut settings);
            }
        }
        self.builder.add(Thing {
            origin,
            key: Some(entity.iid.clone()),
            name,
            fallback: short(&entity.identifier).to_string(),
            class: entity.identifier.clone(),
            at: self.scale.point(middle),
            angle: 0.0,
            figures,
            tiles: Vec::new(),
            one_sided: false,
            settings,
        })
    }

    /// The value of a field: points become positions in the world, references to entities their keys.
    fn value(&self, value: &Value, layer: &LayerInstance, offset: Point) -> Value {
        match value {
            Value::Object(parts) => {
                let part = |name: &str| parts.get(name).and_then(Value::as_f64);
                if let Some(key) = parts.get("entityIid") {
                    return key.clone();
                }
                let (Some(x), Some(y)) = (part("cx"), part("cy")) else {
                    return value.clone();
                };
                let middle = |cell: f64, offset: f64| (cell + 0.5) * layer.grid_size + offset;
                let place = [middle(x, offset[0]), middle(y, offset[1])];
                Value::from(self.scale.point(place).to_vec())
            }
            Value::Array(list) => Value::Array(
                list.iter()
                    .map(|value| self.value(value, layer, offset))
                    .collect(),
            ),
            other => other.clone(),
        }
    }
}

fn check_finite(numbers: &[f64], origin: &Origin) -> Result<(), MapError> {
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(origin.refuse(format!("{number} is no finite number"))),
        None => Ok(()),
    }
}
