//! The functions for grids of tiles: those that read cells as they were at the beginning of the stage, and those that queue
//! commands to fill them. `tile_prices.rs` has the charges of those commands.

use rhai::{Dynamic, Engine, ImmutableString, Map, NativeCallContext, Variant};
use tombolo_entity::Entity;
use tombolo_geometry::{Position, Vec2};
use tombolo_physics::{TileBlock, TileCut};

use super::in_call::{QUERY_COST, Result, in_call, queue_command};
use super::meter::charge;
use super::values::number;
use crate::world::World;
use crate::world::command::Command;

pub(super) fn register(engine: &mut Engine) {
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
    engine.register_fn(
        "cut_tiles",
        |context: NativeCallContext<'_>, from: Vec2, to: Vec2, radius: Dynamic| {
            cut(&context, from, to, &radius, -1)
        },
    );
    engine.register_fn(
        "cut_tiles",
        |context: NativeCallContext<'_>, from: Vec2, to: Vec2, radius: Dynamic, mask: i64| {
            cut(&context, from, to, &radius, mask)
        },
    );
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

/// Queues a command that empties the cells in the reach of a segment.
fn cut(context: &NativeCallContext<'_>, from: Vec2, to: Vec2, radius: &Dynamic, mask: i64) -> Result<()> {
    let radius = number(radius);
    queue_command(context, |_| {
        let radius = radius.ok_or("cut_tiles: the radius is no number")?;
        Ok(Command::CutTiles(TileCut {
            radius: radius as f32,
            mask: mask as u64,
            ..TileCut::between(Position::from(from), Position::from(to))
        }))
    })
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
