//! [`Options`]: the map of options that queries of physics take as a last argument.

use core::sync::atomic::AtomicUsize;

use rhai::{Dynamic, Map};
use tombolo_entity::Entity;
use tombolo_physics::{QueryFilter, ShapeRef};

use super::values::{entity, number, word};
use crate::scene::advice;

/// The greatest number of entities that a query may exclude.
const EXCLUDE_MAX: usize = 16;

/// The options of a query.
pub(super) struct Options {
    category: u64,
    mask: u64,
    exclude: Vec<Entity>,
    pub(super) sensors: bool,
    one_sided: bool,
    material: Option<u32>,
    pub(super) angle: f32,
    pub(super) turn: f32,
    pub(super) margin: f32,
}

impl Options {
    /// Reads the options of the query `call`; `own` are those that only this query has.
    pub(super) fn read(call: &str, options: &Map, own: &[&str]) -> core::result::Result<Self, String> {
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
            margin: 0.0,
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
                "margin" => read.margin = number(value).ok_or_else(|| unfit("a number"))? as f32,
                "turn" => read.turn = number(value).ok_or_else(|| unfit("a number"))? as f32,
                _ => {
                    let wanted = || unfit(&format!("an entity or a list of at most {EXCLUDE_MAX}"));
                    read.exclude = entities(value).ok_or_else(wanted)?;
                }
            }
        }
        Ok(read)
    }

    /// Whether a shape that the filter accepts is a result. Bodies of entities that are welded are one, their shapes are
    /// not.
    pub(super) fn sees(&self, shape: ShapeRef<'_>) -> bool {
        let owner = shape.user_key();
        let is_left_out = |entity: &Entity| entity.to_bits() == owner;
        shape.filter().category & self.mask != 0 && !self.exclude.iter().any(is_left_out)
    }

    /// The filter with a predicate, which is [`sees`](Self::sees), that counts the shapes that the query examines.
    pub(super) fn filter<'a>(
        &self,
        sees: &'a (dyn Fn(ShapeRef<'_>) -> bool + Sync),
        examined: &'a AtomicUsize,
    ) -> QueryFilter<'a> {
        QueryFilter {
            category: self.category,
            // What the trees leave out by the mask would not be counted.
            mask: u64::MAX,
            sensors: self.sensors,
            one_sided: self.one_sided,
            material: self.material,
            predicate: Some(sees),
            examined: Some(examined),
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
