//! Object layers: each object becomes an entity, with its figure as the shape.

use super::model::{Layer, Object, Property, with_defaults};
use super::tileset::{TileRef, check_finite, figure_of};
use super::{MapReader, Outer, flag};
use crate::builder::Thing;
use crate::error::MapError;
use crate::figure::{Figure, Point, turned};
use crate::names::short;
use crate::picture::Look;

impl MapReader<'_> {
    pub(super) fn object_layer(&mut self, layer: &Layer, outer: &Outer) -> Result<(), MapError> {
        for object in &layer.objects {
            let name = object.name.as_deref().unwrap_or_default();
            let origin = outer.origin.object(name, object.id);
            self.count_properties(&[&outer.properties, &object.properties], &origin)?;
            let outer = Outer {
                origin,
                offset: outer.offset,
                class: outer.class.clone(),
                properties: outer.properties.clone(),
                opacity: outer.opacity,
                depth: outer.depth,
            };
            let (thing, look) = self.thing(object.clone(), &outer, &layer.name)?;
            let is_thing = thing.is_some();
            thing.map(|thing| self.builder.add(thing)).transpose()?;
            let picture = look.and_then(|look| look.picture(&self.scale));
            let of = self.builder.last_thing().filter(|_| is_thing);
            self.builder.pictures().add(picture, of);
        }
        Ok(())
    }

    /// The entity of an object, `None` for objects that are only visible, and its picture in the frame of the entity or of
    /// the map.
    fn thing(
        &mut self,
        object: Object,
        outer: &Outer,
        layer: &str,
    ) -> Result<(Option<Thing>, Option<Look>), MapError> {
        let origin = &outer.origin;
        let own_tile = object.gid.map(|gid| self.tile(gid, origin));
        let own_tile = own_tile.transpose()?.flatten();
        let (object, tile) = match &object.template {
            Some(named) => {
                let known = self.template(named, origin)?;
                self.count_bytes(known.bytes, origin)?;
                let tile = own_tile.or_else(|| known.tile.clone());
                (object.over(&known.template.object), tile)
            }
            None => (object, own_tile),
        };
        let said = tile.as_ref().and_then(|tile| tile.set.tile(tile.id));
        let of_tile = said.map_or(&[][..], |tile| &tile.properties);
        self.count_properties(&[of_tile], origin)?;
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
        let (figures, middle, look) = match &tile {
            Some(tile) => self.tile_figures(tile, &object, &class, outer)?,
            None => self.drawn_figures(&object, [x, y], outer)?,
        };
        let screen = self.grid.screen([x, y]);
        let is_scenery = class.is_empty() && figures.is_empty() && (tile.is_some() || object.text.is_some());
        if is_scenery {
            let at = [0, 1].map(|axis| screen[axis] + outer.offset[axis]);
            return Ok((None, look.map(|look| look.turned(degrees).moved(at))));
        }
        let look = look.map(|look| look.moved(middle.map(|part| -part)));
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
        let thing = Thing {
            origin: outer.origin.clone(),
            key: Some(object.id.to_string()),
            fallback: short(if class.is_empty() { layer } else { &class }).to_string(),
            name,
            at: self.scale.point(at),
            angle: self.scale.angle(degrees),
            figures: figures.collect(),
            tiles: Vec::new(),
            one_sided,
            settings: self.settings(&[&outer.properties, &properties]),
            class,
        };
        Ok((Some(thing), look))
    }

    /// The figures of an object, and their center, both in pixels of the screen relative to its position; it has no picture.
    fn drawn_figures(
        &self,
        object: &Object,
        place: Point,
        outer: &Outer,
    ) -> Result<(Vec<Figure>, Point, Option<Look>), MapError> {
        let Some(figure) = figure_of(object, &outer.origin)? else {
            return Ok((Vec::new(), [0.0, 0.0], None));
        };
        let is_free = matches!(figure, Figure::Outline(_) | Figure::Line(_))
            && (object.polygon.is_some() || object.polyline.is_some());
        let figure = if self.grid.is_skewed() {
            let from = self.grid.screen(place);
            figure.bent(|[x, y]| {
                let to = self.grid.screen([place[0] + x, place[1] + y]);
                [to[0] - from[0], to[1] - from[1]]
            })
        } else {
            figure
        };
        let middle = if is_free { [0.0, 0.0] } else { figure.middle() };
        Ok((vec![figure], middle, None))
    }

    /// The figures of a tile object, their center, and the picture, relative to its position.
    fn tile_figures(
        &self,
        tile: &TileRef,
        object: &Object,
        class: &str,
        outer: &Outer,
    ) -> Result<(Vec<Figure>, Point, Option<Look>), MapError> {
        let origin = &outer.origin;
        let picture = tile.size();
        let size = [
            object.width.unwrap_or(picture[0]),
            object.height.unwrap_or(picture[1]),
        ];
        check_finite(&size, origin)?;
        if size.iter().any(|side| *side < 0.0) {
            return Err(origin.refuse("its width or height is negative; draw it anew"));
        }
        let isometric = self.grid.is_isometric();
        let alignment = match tile.set.tileset.objectalignment.as_str() {
            "" | "unspecified" if isometric => "bottom",
            "" | "unspecified" => "bottomleft",
            given => given,
        };
        let [left, top] = corner(alignment, size);
        let drawn = tile.drawn(size, self.grid.is_hexagonal())?;
        let place = |[x, y]: Point| [left + x, top + size[1] + y];
        let figures = drawn.figures()?;
        let mut figures: Vec<Figure> = figures.iter().map(|figure| figure.moved(place, 1.0)).collect();
        let middle = place(drawn.middle);
        if figures.is_empty() && !class.is_empty() && size.iter().all(|side| *side > 0.0) {
            let half = drawn.size.map(|side| side / 2.0);
            let ends = [-1.0, 1.0].map(|sign| [0, 1].map(|axis| middle[axis] + sign * half[axis]));
            figures.push(Figure::rectangle(ends[0], ends[1]));
        }
        let look = drawn.look(outer.opacity * object.opacity.unwrap_or(1.0));
        let look = look
            .filter(|_| object.visible != Some(false))
            .map(|look| look.moved(place([0.0, 0.0])));
        Ok((figures, middle, look))
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
