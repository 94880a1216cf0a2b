//! Object layers: each object becomes an entity, with its figure as the shape.

use super::model::{Layer, Object, Property, with_defaults};
use super::tileset::{TileRef, check_finite, figure_of};
use super::{MapReader, Outer, flag};
use crate::builder::Thing;
use crate::error::MapError;
use crate::figure::{Figure, Point, turned};

impl MapReader<'_> {
    pub(super) fn object_layer(&mut self, layer: &Layer, outer: &Outer) -> Result<(), MapError> {
        for object in &layer.objects {
            let name = object.name.as_deref().unwrap_or_default();
            let origin = outer.origin.object(name, object.id);
            let outer = Outer {
                origin,
                offset: outer.offset,
                class: outer.class.clone(),
                properties: outer.properties.clone(),
                depth: outer.depth,
            };
            let thing = self.thing(object.clone(), &outer, &layer.name)?;
            thing.map(|thing| self.builder.add(thing)).transpose()?;
        }
        Ok(())
    }

    /// The entity of an object; `None` for objects that are only visible.
    fn thing(&mut self, object: Object, outer: &Outer, layer: &str) -> Result<Option<Thing>, MapError> {
        let origin = &outer.origin;
        let own_tile = object
            .gid
            .map(|gid| self.tile(gid, origin))
            .transpose()?
            .flatten();
        let (object, tile) = match &object.template {
            Some(named) => {
                let known = self.template(named, origin)?;
                let tile = own_tile.or_else(|| known.tile.clone());
                (object.over(&known.template.object), tile)
            }
            None => (object, own_tile),
        };
        let said = tile.as_ref().and_then(|tile| tile.set.tile(tile.id));
        let of_tile = said.map_or(&[][..], |tile| &tile.properties);
        let properties = with_defaults(&object.properties, of_tile);
        let class = [
            object.class.as_deref().unwrap_or_default(),
            said.map_or("", |tile| &tile.class),
        ];
        let class = match class.into_iter().find(|class| !class.is_empty()) {
            Some(class) => class.to_string(),
            None => self.builder.class(&outer.class, origin)?,
        };
        let (x, y) = (object.x.unwrap_or_default(), object.y.unwrap_or_default());
        let degrees = object.rotation.unwrap_or_default();
        check_finite(&[x, y, degrees], origin)?;
        let (figures, middle) = match &tile {
            Some(tile) => self.tile_figures(tile, &object, &class)?,
            None => self.drawn_figures(&object, [x, y], outer)?,
        };
        let is_scenery = class.is_empty() && figures.is_empty() && (tile.is_some() || object.text.is_some());
        if is_scenery {
            return Ok(None);
        }
        let screen = self.grid.screen([x, y]);
        let moved = turned(middle, degrees);
        let at = [0, 1].map(|axis| screen[axis] + moved[axis] + outer.offset[axis]);
        let one_sided = one_sided(&properties, outer)?;
        // Bodies are to the right of a chain, and above a line that was drawn from left to right.
        let against = one_sided && !self.scale.y_down();
        let about = |figure: Figure| figure.moved(|[x, y]| [x - middle[0], y - middle[1]], 1.0);
        let figures = figures.into_iter().map(|figure| {
            let figure = self.scale.figure(&keep_round(figure, about));
            if against { figure.reversed() } else { figure }
        });
        let name = object.name.clone().unwrap_or_default();
        Ok(Some(Thing {
            origin: outer.origin.clone(),
            key: Some(object.id.to_string()),
            fallback: if class.is_empty() { layer } else { &class }.to_string(),
            name,
            at: self.scale.point(at),
            angle: self.scale.angle(degrees),
            figures: figures.collect(),
            tiles: Vec::new(),
            one_sided,
            settings: self.settings(&[&outer.properties, &properties]),
            class,
        }))
    }

    /// The figures of an object, and their center, both in pixels of the screen relative to its position.
    fn drawn_figures(
        &self,
        object: &Object,
        place: Point,
        outer: &Outer,
    ) -> Result<(Vec<Figure>, Point), MapError> {
        let Some(figure) = figure_of(object, &outer.origin)? else {
            return Ok((Vec::new(), [0.0, 0.0]));
        };
        let is_free = matches!(figure, Figure::Outline(_) | Figure::Line(_))
            && (object.polygon.is_some() || object.polyline.is_some());
        let figure = if self.grid.is_isometric() {
            let from = self.grid.screen(place);
            figure.bent(|[x, y]| {
                let to = self.grid.screen([place[0] + x, place[1] + y]);
                [to[0] - from[0], to[1] - from[1]]
            })
        } else {
            figure
        };
        let middle = if is_free { [0.0, 0.0] } else { figure.middle() };
        Ok((vec![figure], middle))
    }

    /// The figures of a tile object, and their center, relative to its position.
    fn tile_figures(
        &self,
        tile: &TileRef,
        object: &Object,
        class: &str,
    ) -> Result<(Vec<Figure>, Point), MapError> {
        let hexagonal = self.grid.is_hexagonal();
        let picture = tile.size(hexagonal);
        let size = [
            object.width.unwrap_or(picture[0]),
            object.height.unwrap_or(picture[1]),
        ];
        let origin = tile.set.origin.object("tile", tile.id);
        check_finite(&size, &origin)?;
        let isometric = self.grid.is_isometric();
        let alignment = match tile.set.tileset.objectalignment.as_str() {
            "" | "unspecified" if isometric => "bottom",
            "" | "unspecified" => "bottomleft",
            given => given,
        };
        let offset = tile.offset(size, hexagonal)?;
        let corner = corner(alignment, size);
        let corner = [corner[0] + offset[0], corner[1] + offset[1]];
        let mut figures: Vec<Figure> = tile
            .figures(size, hexagonal)?
            .iter()
            .map(|figure| figure.moved(|[x, y]| [corner[0] + x, corner[1] + y], 1.0))
            .collect();
        if figures.is_empty() && !class.is_empty() && size.iter().all(|side| *side > 0.0) {
            let end = [corner[0] + size[0], corner[1] + size[1]];
            figures.push(Figure::rectangle(corner, end));
        }
        let middle = [corner[0] + size[0] / 2.0, corner[1] + size[1] / 2.0];
        Ok((figures, middle))
    }
}

/// An ellipse that is only moved stays an ellipse.
fn keep_round(figure: Figure, moved: impl Fn(Figure) -> Figure) -> Figure {
    match figure {
        Figure::Ellipse { radii, .. } => Figure::Ellipse {
            center: [0.0, 0.0],
            radii,
        },
        other => moved(other),
    }
}

/// The top left corner of a picture relative to its anchor.
fn corner(alignment: &str, [width, height]: Point) -> Point {
    let x = if alignment.ends_with("left") {
        0.0
    } else if alignment.ends_with("right") {
        -width
    } else {
        -width / 2.0
    };
    let y = if alignment.starts_with("top") {
        0.0
    } else if alignment.starts_with("bottom") {
        -height
    } else {
        -height / 2.0
    };
    [x, y]
}

/// # Errors
/// The property is no flag.
fn one_sided(own: &[Property], outer: &Outer) -> Result<bool, MapError> {
    let of = |properties: &[Property]| flag(properties, "one_sided", &outer.origin);
    Ok(of(own)?.or(of(&outer.properties)?).unwrap_or(false))
}
