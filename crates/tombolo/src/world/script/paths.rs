//! The function that finds paths, and its charges.

use rhai::{Dynamic, Engine, Map};
use tombolo_geometry::Vec2;

use super::in_call::{Result, in_turn, list_of};
use super::meter::{charge, left};
use super::values::length;
use super::walls::charge_free_space;
use crate::error::PathError;
use crate::world::space::SearchWork;

/// Operations for a path, besides the work of the search and the charges of `walls.rs`.
const PATH_COST: usize = 2000;

pub(super) fn register(engine: &mut Engine) {
    engine.register_fn("find_path", find_path);
}

/// The path to a goal: its corners, or the reason why there is none.
fn find_path(start: Vec2, goal: Vec2, clearance: Dynamic) -> Result<Map> {
    charge(PATH_COST)?;
    let clearance = length("find_path", "clearance", &clearance)?;
    charge_free_space(clearance)?;
    let (found, work) = in_turn(|world| {
        let parts = &world.scripts.parts_charged;
        let mut work = SearchWork {
            done: 0,
            most: left() as usize,
            knows_parts: parts.contains(&clearance),
        };
        let found = world.find_path_within(start, goal, clearance, &mut work);
        if work.knows_parts && !world.scripts.parts_charged.contains(&clearance) {
            world.scripts.parts_charged.push(clearance);
        }
        Ok((found, work))
    })?;
    // Ends the call if the search has ended for this.
    charge(work.done)?;
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
