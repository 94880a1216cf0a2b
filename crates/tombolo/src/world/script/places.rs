//! Queries for scripts. Of space: entities in an area, nearest entities, and the path to a goal. Of physics: rays,
//! moving shapes, overlaps and nearest shapes, each with a map of options as a last argument. Of tiles: reading and
//! filling cells. All read the state at the beginning of the stage.

use core::sync::atomic::{AtomicUsize, Ordering};

use rhai::{Array, Dynamic, Engine, ImmutableString, Map, NativeCallContext, Variant};
use tombolo_entity::Entity;
use tombolo_geometry::orthtree::{Ball, Bounds, Region};
use tombolo_geometry::{Aabb, Pose, Position, Vec2};
use tombolo_physics::{
    Motion, PhysicsError, PhysicsWorld, QueryFilter, RayHit, Shape, ShapeHit, ShapeId, ShapeRef, TileBlock,
};

use super::in_call::{QUERY_COST, Result, in_call, list_of, queue_command};
use super::meter::charge;
use super::values::{entity, number, word};
use super::walls::charge_free_space;
use crate::error::PathError;
use crate::scene::advice;
use crate::world::World;
use crate::world::command::Command;

/// Operations for a path, besides one for each leaf of free space that the search examines, and the charges of
/// `walls.rs`.
const PATH_COST: usize = 2000;
/// Operations for each zone that contains a point.
const ZONE_COST: usize = 8;
/// Operations for each entity that a search for the nearest ones examines.
const NEAREST_COST: usize = 5;

/// The greatest number of entities that a query may exclude.
const EXCLUDE_MAX: usize = 16;
/// Operations for each shape whose box a query meets, whether it is a result or not.
const LOOK_COST: usize = 4;
/// The same for a query that moves a shape, or compares one with another.
const SHAPE_LOOK_COST: usize = 12;
/// The same for a query that turns a shape while moving it.
const TURN_LOOK_COST: usize = 24;

/// Registers the queries, those of space each with and without the name of a component.
pub(super) fn register(engine: &mut Engine) {
    register_physics(engine);
    register_tiles(engine);
    engine.register_fn("entities_in_box", |least: Vec2, most: Vec2| {
        entities_in(&bounds(least, most)?, None)
    });
    engine.register_fn("entities_in_box", |least: Vec2, most: Vec2, component: &str| {
        entities_in(&bounds(least, most)?, Some(component))
    });
    engine.register_fn("entities_in_circle", |center: Vec2, radius: Dynamic| {
        entities_in(&ball(center, &radius)?, None)
    });
    engine.register_fn(
        "entities_in_circle",
        |center: Vec2, radius: Dynamic, component: &str| {
            entities_in(&ball(center, &radius)?, Some(component))
        },
    );
    engine.register_fn("nearest", |point: Vec2, count: i64| nearest(point, count, None));
    engine.register_fn("nearest", |point: Vec2, count: i64, component: &str| {
        nearest(point, count, Some(component))
    });
    engine.register_fn("zones_at", zones_at);
    engine.register_fn("zones_of", zones_of);
    engine.register_fn("visitors_of", visitors_of);
    engine.register_fn("find_path", find_path);
}

fn bounds(least: Vec2, most: Vec2) -> Result<Bounds<2>> {
    if least.is_finite() && most.is_finite() && least.cmple(most).all() {
        return Ok(Bounds::new(least.to_array(), most.to_array()));
    }
    Err(format!("entities_in_box: {least} to {most} is no box").into())
}

fn ball(center: Vec2, radius: &Dynamic) -> Result<Ball<2>> {
    let length = length("entities_in_circle", "radius", radius)?;
    if center.is_finite() && length.is_finite() && length >= 0.0 {
        return Ok(Ball {
            center: center.to_array(),
            radius: length,
        });
    }
    Err(format!("entities_in_circle: there is no circle around {center} with a radius of {length}").into())
}

/// A length in meters from an argument.
fn length(function: &str, what: &str, value: &Dynamic) -> Result<f32> {
    let length = number(value).map(|length| length as f32);
    length.ok_or_else(|| format!("{function}: the {what} is a number, not {}", word(value)).into())
}

/// The entities whose boxes overlap a region, by entity.
fn entities_in(region: &impl Region<2>, component: Option<&str>) -> Result<Array> {
    charge(QUERY_COST)?;
    let (looked_at, found) = in_call(|world, _| {
        let mut found = world.space.find(region);
        let looked_at = found.len();
        if let Some(component) = component {
            found.retain(|entity| world.entities.find(*entity, component).is_some());
        }
        Ok((looked_at, found))
    })?;
    charge(match component {
        Some(_) => looked_at,
        None => looked_at / 8,
    })?;
    list_of(found)
}

/// The entities nearest to a point, nearest first.
fn nearest(point: Vec2, count: i64, component: Option<&str>) -> Result<Array> {
    charge(QUERY_COST)?;
    let most = in_call(|world, _| Ok(world.scripts.limits().list_length))?;
    let count = usize::try_from(count)
        .ok()
        .filter(|count| *count <= most as usize);
    let count = count.ok_or_else(|| format!("nearest: the count is from 0 to {most}"))?;
    if !point.is_finite() {
        return Err(format!("nearest: {point} is no place").into());
    }
    let (looked_at, found) = in_call(|world, _| Ok(world.nearest_counted(point, count, component)))?;
    charge(looked_at * NEAREST_COST)?;
    list_of(
        found
            .into_iter()
            .map(|(entity, _)| entity)
            .collect::<Vec<Entity>>(),
    )
}

/// The entities whose zones contain a point.
fn zones_at(point: Vec2) -> Result<Array> {
    charge(QUERY_COST)?;
    if !point.is_finite() {
        return Err(format!("zones_at: {point} is no place").into());
    }
    let found = in_call(|world, _| Ok(world.zones_at(point)))?;
    charge(found.len() * ZONE_COST)?;
    list_of(found)
}

/// The entities whose zones contain an entity.
fn zones_of(visitor: Entity) -> Result<Array> {
    charge(QUERY_COST)?;
    list_of(in_call(|world, _| Ok(world.zones_of(visitor)))?)
}

/// The entities in the zones of an entity.
fn visitors_of(zone: Entity) -> Result<Array> {
    charge(QUERY_COST)?;
    let found = in_call(|world, _| Ok(world.visitors_of(zone)))?;
    charge(found.len())?;
    list_of(found)
}

/// The path to a goal: its corners, or the reason why there is none.
fn find_path(start: Vec2, goal: Vec2, clearance: Dynamic) -> Result<Map> {
    charge(PATH_COST)?;
    let clearance = length("find_path", "clearance", &clearance)?;
    charge_free_space(clearance)?;
    let (found, looked_at) = in_call(|world, _| Ok(world.find_path_counted(start, goal, clearance)))?;
    charge(looked_at)?;
    let (corners, failure) = match found {
        Ok(corners) => (corners, Dynamic::UNIT),
        Err(PathError::Clearance(_)) => {
            return Err(format!("find_path: {}", PathError::Clearance(clearance)).into());
        }
        Err(PathError::StartInWall(_)) => (Vec::new(), "StartInWall".into()),
        Err(PathError::GoalInWall(_)) => (Vec::new(), "GoalInWall".into()),
        Err(PathError::Outside(_)) => (Vec::new(), "Outside".into()),
        Err(PathError::Unreachable) => (Vec::new(), "Unreachable".into()),
    };
    let mut map = Map::new();
    map.insert("corners".into(), Dynamic::from_array(list_of(corners)?));
    map.insert("failure".into(), failure);
    Ok(map)
}

/// Registers the queries of physics, each with and without options.
fn register_physics(engine: &mut Engine) {
    engine.register_fn("cast_ray", |from: Vec2, to: Vec2| cast_ray(from, to, &Map::new()));
    engine.register_fn("cast_ray", |from: Vec2, to: Vec2, options: Map| {
        cast_ray(from, to, &options)
    });
    engine.register_fn("cast_ray_all", |from: Vec2, to: Vec2| {
        cast_ray_all(from, to, &Map::new())
    });
    engine.register_fn("cast_ray_all", |from: Vec2, to: Vec2, options: Map| {
        cast_ray_all(from, to, &options)
    });
    engine.register_fn("cast_circle", |from: Vec2, to: Vec2, radius: Dynamic| {
        cast_circle(from, to, &radius, &Map::new())
    });
    engine.register_fn(
        "cast_circle",
        |from: Vec2, to: Vec2, radius: Dynamic, options: Map| cast_circle(from, to, &radius, &options),
    );
    engine.register_fn("cast_box", |from: Vec2, to: Vec2, size: Vec2| {
        cast_box(from, to, size, &Map::new())
    });
    engine.register_fn("cast_box", |from: Vec2, to: Vec2, size: Vec2, options: Map| {
        cast_box(from, to, size, &options)
    });
    register_lists(engine);
}

/// Registers the queries that return lists of entities.
fn register_lists(engine: &mut Engine) {
    engine.register_fn("query_box", |least: Vec2, most: Vec2| {
        query_box(least, most, &Map::new())
    });
    engine.register_fn("query_box", |least: Vec2, most: Vec2, options: Map| {
        query_box(least, most, &options)
    });
    engine.register_fn("query_point", |point: Vec2| query_point(point, &Map::new()));
    engine.register_fn("query_point", |point: Vec2, options: Map| {
        query_point(point, &options)
    });
    engine.register_fn("query_circle", |center: Vec2, radius: Dynamic| {
        query_circle(center, &radius, &Map::new())
    });
    engine.register_fn("query_circle", |center: Vec2, radius: Dynamic, options: Map| {
        query_circle(center, &radius, &options)
    });
    engine.register_fn("closest", |point: Vec2, distance: Dynamic| {
        closest(point, &distance, &Map::new())
    });
    engine.register_fn("closest", |point: Vec2, distance: Dynamic, options: Map| {
        closest(point, &distance, &options)
    });
}

/// The options of a query.
struct Options {
    category: u64,
    mask: u64,
    exclude: Vec<Entity>,
    sensors: bool,
    one_sided: bool,
    material: Option<u32>,
    angle: f32,
    turn: f32,
}

impl Options {
    /// Reads the options of the query `call`; `own` are those that only this query has.
    fn read(call: &str, options: &Map, own: &[&str]) -> core::result::Result<Self, String> {
        const KNOWN: [&str; 6] = ["category", "mask", "exclude", "sensors", "one_sided", "material"];
        let all = QueryFilter::default();
        let mut read = Self {
            category: all.category,
            mask: all.mask,
            exclude: Vec::new(),
            sensors: false,
            one_sided: false,
            material: None,
            angle: 0.0,
            turn: 0.0,
        };
        for (name, value) in options {
            let name = name.as_str();
            if !KNOWN.contains(&name) && !own.contains(&name) {
                let known = KNOWN.iter().chain(own).copied();
                return Err(format!("{call}: unknown {name:?}; {}", advice(name, known)));
            }
            let unfit = |wanted: &str| format!("{call}: `{name}` is {wanted}, not {}", word(value));
            match name {
                "category" => read.category = value.as_int().map_err(|_| unfit("an integer"))? as u64,
                "mask" => read.mask = value.as_int().map_err(|_| unfit("an integer"))? as u64,
                "sensors" => read.sensors = value.as_bool().map_err(|_| unfit("a boolean"))?,
                "one_sided" => read.one_sided = value.as_bool().map_err(|_| unfit("a boolean"))?,
                "material" => {
                    let number = value.as_int().ok().and_then(|number| u32::try_from(number).ok());
                    read.material = Some(number.ok_or_else(|| unfit("the number of a material"))?);
                }
                "angle" => read.angle = number(value).ok_or_else(|| unfit("a number"))? as f32,
                "turn" => read.turn = number(value).ok_or_else(|| unfit("a number"))? as f32,
                _ => {
                    let wanted = || unfit(&format!("an entity or a list of at most {EXCLUDE_MAX}"));
                    read.exclude = entities(value).ok_or_else(wanted)?;
                }
            }
        }
        Ok(read)
    }

    /// Whether a shape that the filter accepts is a result: shapes that are left out here are charged like results.
    /// Bodies of entities that are welded are one, their shapes are not.
    fn sees(&self, shape: ShapeRef<'_>) -> bool {
        let owner = shape.user_key();
        let is_left_out = |entity: &Entity| entity.to_bits() == owner;
        let filter = shape.filter();
        filter.mask & self.category != 0
            && filter.category & self.mask != 0
            && !self.exclude.iter().any(is_left_out)
    }

    fn filter<'a>(&self, predicate: &'a (dyn Fn(ShapeRef<'_>) -> bool + Sync)) -> QueryFilter<'a> {
        QueryFilter {
            // A rule is looked up by category, too; none is where no shape is a result.
            category: if self.material.is_some() && self.category != 0 {
                self.category
            } else {
                u64::MAX
            },
            mask: u64::MAX,
            sensors: self.sensors,
            one_sided: self.one_sided,
            material: self.material,
            predicate: Some(predicate),
            ..QueryFilter::default()
        }
    }
}

/// An entity, or a short list of them.
fn entities(value: &Dynamic) -> Option<Vec<Entity>> {
    if let Some(one) = entity(value) {
        return Some(vec![one]);
    }
    let list = value.as_array_ref().ok()?;
    let all: Option<Vec<Entity>> = list.iter().map(entity).collect();
    all.filter(|all| all.len() <= EXCLUDE_MAX)
}

/// Makes a query of physics, and charges `look_cost` for each shape that it examines.
fn ask_physics<T>(
    call: &str,
    options: &Map,
    own: &[&str],
    look_cost: usize,
    query: impl FnOnce(&PhysicsWorld, QueryFilter<'_>, &Options) -> core::result::Result<T, PhysicsError>,
) -> Result<T> {
    charge(QUERY_COST)?;
    let looked_at = AtomicUsize::new(0);
    let (found, sensors) = in_call(|world, _| {
        let options = Options::read(call, options, own)?;
        let sees = |shape: ShapeRef<'_>| {
            looked_at.fetch_add(1, Ordering::Relaxed);
            options.sees(shape)
        };
        let found = query(&world.physics, options.filter(&sees), &options);
        let found = found.map_err(|error| format!("{call}: {error}"))?;
        let sensors = if options.sensors {
            world.physics.sensor_count()
        } else {
            0
        };
        Ok((found, sensors))
    })?;
    charge(sensors + look_cost * looked_at.into_inner())?;
    Ok(found)
}

fn cast_ray(from: Vec2, to: Vec2, options: &Map) -> Result<Dynamic> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.cast_ray(Position::from(from), to - from, filter)
    };
    let hit = ask_physics("cast_ray", options, &[], LOOK_COST, query)?;
    hit.map_or(Ok(Dynamic::UNIT), |hit| of_ray(&hit))
}

fn cast_ray_all(from: Vec2, to: Vec2, options: &Map) -> Result<Array> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.cast_ray_all(Position::from(from), to - from, filter)
    };
    let hits = ask_physics("cast_ray_all", options, &[], LOOK_COST, query)?;
    // Fails if the list is longer than lists may be.
    list_of(hits)?
        .into_iter()
        .map(|hit| of_ray(&hit.cast::<RayHit>()))
        .collect()
}

fn cast_circle(from: Vec2, to: Vec2, radius: &Dynamic, options: &Map) -> Result<Dynamic> {
    let radius = length("cast_circle", "radius", radius)?;
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        let circle = Shape::circle(Vec2::ZERO, radius)?;
        let motion = Motion::line(Pose::new(from, 0.0), to - from);
        physics.cast_shape(&circle, motion, filter)
    };
    of_cast(ask_physics("cast_circle", options, &[], SHAPE_LOOK_COST, query)?)
}

fn cast_box(from: Vec2, to: Vec2, size: Vec2, options: &Map) -> Result<Dynamic> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, options: &Options| {
        let shape = Shape::new_box(size.x, size.y)?;
        let motion = Motion {
            start: Pose::new(from, options.angle),
            translation: to - from,
            turn: options.turn,
        };
        physics.cast_shape(&shape, motion, filter)
    };
    // The value of the turn is checked when the options are read.
    let look_cost = if options.contains_key("turn") {
        TURN_LOOK_COST
    } else {
        SHAPE_LOOK_COST
    };
    of_cast(ask_physics(
        "cast_box",
        options,
        &["angle", "turn"],
        look_cost,
        query,
    )?)
}

fn query_box(least: Vec2, most: Vec2, options: &Map) -> Result<Array> {
    let area = Aabb {
        min: least,
        max: most,
    };
    let query =
        |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| physics.overlap_box(area, filter);
    owners(ask_physics("query_box", options, &[], LOOK_COST, query)?)
}

fn query_point(point: Vec2, options: &Map) -> Result<Array> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.overlap_point(Position::from(point), filter)
    };
    owners(ask_physics("query_point", options, &[], LOOK_COST, query)?)
}

fn query_circle(center: Vec2, radius: &Dynamic, options: &Map) -> Result<Array> {
    let radius = length("query_circle", "radius", radius)?;
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        let circle = Shape::circle(Vec2::ZERO, radius)?;
        physics.overlap_shape(&circle, Pose::new(center, 0.0), filter)
    };
    owners(ask_physics("query_circle", options, &[], SHAPE_LOOK_COST, query)?)
}

fn closest(point: Vec2, distance: &Dynamic, options: &Map) -> Result<Dynamic> {
    let distance = length("closest", "distance", distance)?;
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.closest_to_point(Position::from(point), distance, filter)
    };
    let Some(found) = ask_physics("closest", options, &[], LOOK_COST, query)? else {
        return Ok(Dynamic::UNIT);
    };
    let mut map = of_shape(found.shape)?;
    map.insert("point".into(), Dynamic::from(Vec2::from(found.point)));
    map.insert("distance".into(), f64::from(found.distance).into());
    Ok(Dynamic::from_map(map))
}

/// The entity of a shape for a script, or `()`.
fn of_shape(shape: ShapeId) -> Result<Map> {
    let owner = in_call(|world, _| {
        let shape = world.physics.shape(shape);
        Ok(shape.and_then(|shape| world.entity_of_key(shape.user_key())))
    })?;
    let mut map = Map::new();
    map.insert("entity".into(), owner.map_or(Dynamic::UNIT, Dynamic::from));
    Ok(map)
}

fn of_ray(hit: &RayHit) -> Result<Dynamic> {
    of_hit(hit.shape, hit.point, hit.normal, hit.fraction)
}

/// The result of a cast. The normal is that of the shape that was hit, pointing out of it, as for rays.
fn of_cast(hit: Option<ShapeHit>) -> Result<Dynamic> {
    hit.map_or(Ok(Dynamic::UNIT), |hit| {
        of_hit(hit.shape, hit.point, -hit.normal, hit.fraction)
    })
}

fn of_hit(shape: ShapeId, point: Position, normal: Vec2, fraction: f32) -> Result<Dynamic> {
    let mut map = of_shape(shape)?;
    map.insert("point".into(), Dynamic::from(Vec2::from(point)));
    map.insert("normal".into(), Dynamic::from(normal + Vec2::ZERO));
    map.insert("fraction".into(), f64::from(fraction).into());
    Ok(Dynamic::from_map(map))
}

/// The entities of shapes, by entity, without duplicates.
fn owners(shapes: Vec<ShapeId>) -> Result<Array> {
    let found = in_call(|world, _| {
        let mut found: Vec<Entity> = shapes
            .into_iter()
            .filter_map(|shape| world.entity_of_key(world.physics.shape(shape)?.user_key()))
            .collect();
        found.sort_unstable_by_key(|entity| entity.index());
        found.dedup();
        Ok(found)
    })?;
    list_of(found)
}

/// The functions for grids of tiles.
fn register_tiles(engine: &mut Engine) {
    engine.register_fn("tile", |entity: Entity, x: i64, y: i64| {
        charge(QUERY_COST)?;
        in_call(|world, _| {
            let cell = u32::try_from(x).ok().zip(u32::try_from(y).ok());
            let letter = cell.and_then(|(x, y)| world.tile(entity, x, y));
            Ok(letter.map_or(Dynamic::UNIT, |letter| letter.to_string().into()))
        })
    });
    engine.register_fn("cell_at", |entity: Entity, point: Vec2| {
        charge(QUERY_COST)?;
        let cell = in_call(|world, _| Ok(world.cell_at(entity, Position::from(point))))?;
        Ok::<_, Box<rhai::EvalAltResult>>(cell.map_or(Dynamic::UNIT, |[x, y]| {
            let mut map = Map::new();
            map.insert("x".into(), i64::from(x).into());
            map.insert("y".into(), i64::from(y).into());
            Dynamic::from_map(map)
        }))
    });
    engine.register_fn("cell_center", |entity: Entity, x: i64, y: i64| {
        charge(QUERY_COST)?;
        in_call(|world, _| {
            let cell = u32::try_from(x).ok().zip(u32::try_from(y).ok());
            let center = cell.and_then(|(x, y)| world.cell_center(entity, x, y));
            Ok(center.map_or(Dynamic::UNIT, |center| Dynamic::from(center.to_vec2())))
        })
    });
    register_filling::<char>(engine);
    register_filling::<ImmutableString>(engine);
}

/// The functions that fill cells, with a tile of one type: a character, or a text of one.
fn register_filling<T: Variant + Clone + ToString>(engine: &mut Engine) {
    engine.register_fn(
        "set_tile",
        |context: NativeCallContext<'_>, entity: Entity, x: i64, y: i64, tile: T| {
            fill(&context, entity, [x, y, 1, 1], &tile.to_string())
        },
    );
    engine.register_fn(
        "fill_tiles",
        |context: NativeCallContext<'_>, entity: Entity, x: i64, y: i64, width: i64, height: i64, tile: T| {
            fill(&context, entity, [x, y, width, height], &tile.to_string())
        },
    );
}

/// Queues a command that fills cells.
fn fill(context: &NativeCallContext<'_>, entity: Entity, cells: [i64; 4], tile: &str) -> Result<()> {
    let command = |world: &World| {
        let mut letters = tile.chars();
        let (Some(tile), None) = (letters.next(), letters.next()) else {
            return Err(format!("{tile:?} is no tile; give one character of the legend"));
        };
        let [x, y, width, height] = cells.map(|number| u32::try_from(number).ok());
        let (Some(x), Some(y), Some(width), Some(height)) = (x, y, width, height) else {
            return Err(format!("entity {} has no cells {cells:?}", world.show(entity)));
        };
        Ok(Command::FillTiles {
            entity: entity.into(),
            block: TileBlock { x, y, width, height },
            tile,
        })
    };
    queue_command(context, command)
}
