//! Exports for cuts. Not in the module of physics alone, which they would make larger by 7 %. In a world of entities the
//! pieces of an entity's body become entities.
#![allow(unsafe_code)]

use tombolo_physics::{BodyId, Cut, Position, Shatter};

use crate::bodies::body_id;
use crate::exchange::{Output, Row};
use crate::queries::Sought;
use crate::shapes::points;
#[cfg(feature = "scenes")]
use crate::worlds::entity_of;
use crate::worlds::{AnyWorld, with_world};

/// A cut. Ids: the body, the numbers of pieces, of concave polygons and of pieces that vanished, the pieces, and each
/// polygon with the shape that it was cut from.
fn push_cut(output: &mut Output, cut: &Cut) {
    let counts = [cut.pieces.len(), cut.concave_polygons.len(), cut.vanished.len()];
    output.ids.push(cut.body.to_bits());
    output.ids.extend(counts.map(|count| count as u64));
    output.ids.extend(cut.pieces.iter().copied().map(BodyId::to_bits));
    for polygon in &cut.concave_polygons {
        output
            .ids
            .extend([polygon.concave_polygon.to_bits(), polygon.from.to_bits()]);
    }
}

fn ends(row: &mut Row<'_>) -> [Position; 2] {
    [
        Position::new(row.next(), row.next()),
        Position::new(row.next(), row.next()),
    ]
}

/// Cuts a body along the line through two points. Row: the points. Ids: those of [`push_cut`]. 0 if it misses the body.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn slice(world: u32, body: u64) -> i32 {
    with_world(world, |world, input, output| {
        let ([from, to], body) = (ends(&mut input.row(0, 4)?), body_id(body)?);
        let cut = match world {
            AnyWorld::Physics(world) => world.slice(body, from, to)?,
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => match entity_of(world, body) {
                Some(entity) => world.slice(entity, from, to)?.map(|cut| cut.cut),
                None => world.physics_mut().slice(body, from, to)?,
            },
        };
        cut.iter().for_each(|cut| push_cut(output, cut));
        Ok(usize::from(cut.is_some()))
    })
}

/// Cuts all bodies that a segment crosses. Words: a filter. Row: the ends. Ids: those of [`push_cut`] for each, in a world
/// of entities for each entity's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cut_through(world: u32) -> i32 {
    with_world(world, |world, input, output| {
        let sought = Sought::read(input)?;
        let [from, to] = ends(&mut input.row(sought.words, 4)?);
        let cuts = match world {
            AnyWorld::Physics(world) => world.cut_through(from, to, sought.filter())?,
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => {
                let cuts = world.cut_through(from, to, sought.filter())?;
                cuts.into_iter().map(|cut| cut.cut).collect()
            }
        };
        cuts.iter().for_each(|cut| push_cut(output, cut));
        Ok(cuts.len())
    })
}

/// Breaks a body into pieces around sites. Words: the seed, the number of sites of the seed or 0. Row: sites in the
/// world, if that is 0. Ids: those of [`push_cut`]. 0 if the body stays whole.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shatter(world: u32, body: u64, numbers: usize) -> i32 {
    with_world(world, |world, input, output| {
        let [seed, count] = input.words()?;
        let pattern = if count == 0 {
            let sites = points(input.row(2, numbers)?);
            Shatter::Sites(sites.into_iter().map(Position::from).collect())
        } else {
            let count = count as usize;
            Shatter::Seeded { seed, count }
        };
        let body = body_id(body)?;
        let cut = match world {
            AnyWorld::Physics(world) => world.shatter(body, &pattern)?,
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => match entity_of(world, body) {
                Some(entity) => world.shatter(entity, &pattern)?.map(|cut| cut.cut),
                None => world.physics_mut().shatter(body, &pattern)?,
            },
        };
        cut.iter().for_each(|cut| push_cut(output, cut));
        Ok(usize::from(cut.is_some()))
    })
}
