//! Random calls that make concave polygons and cut bodies, for [`RandomWorlds`].

use super::random_calls::{RandomWorlds, each};
use tombolo_physics::{
    ConcavePolygon, Cut, DVec2, Debris, DebrisFate, Filter, Position, QueryFilter, ShapeDef, Shatter, Vec2,
};

/// Bodies beyond which nothing is cut any more, so that a test's time stays bounded.
const BODIES_MAX: usize = 160;

impl RandomWorlds {
    /// One random call about concave polygons or cuts.
    pub(crate) fn call_about_cutting(&mut self) {
        let random = &mut self.random;
        let (from, to) = (random.vector(9.0), random.vector(9.0));
        let [from_place, to_place] = [from, to].map(Position::from);
        match random.below(8) {
            0 | 1 => self.create_concave_polygon(),
            2 => self.change_debris(),
            3 => {
                let cuts = each!(self, |world| world.cut_through(
                    from_place,
                    to_place,
                    QueryFilter::default()
                ));
                for cut in cuts.unwrap_or_default() {
                    self.remember(&cut);
                }
            }
            4 => {
                let Some(body) = random.pick(&self.bodies) else {
                    return;
                };
                let (seed, count) = (random.next(), random.below(7));
                let pattern = if random.chance(2) {
                    Shatter::Seeded { seed, count }
                } else {
                    let middle = self.worlds[0]
                        .body(body)
                        .map_or(Vec2::ZERO, |body| body.center_of_mass().to_vec2());
                    Shatter::Sites(
                        (0..count)
                            .map(|_| Position::from(middle + self.random.vector(0.6)))
                            .collect(),
                    )
                };
                if self.worlds[0].bodies().len() < BODIES_MAX {
                    let cut = each!(self, |world| world.shatter(body, &pattern));
                    if let Ok(Some(cut)) = cut {
                        self.remember(&cut);
                    }
                }
            }
            _ => {
                let Some(body) = random.pick(&self.bodies) else {
                    return;
                };
                // Through the body, mostly, so that there is something to cut.
                let middle = self.worlds[0].body(body).map(|body| body.center_of_mass());
                let from_place = middle.filter(|_| !random.chance(4)).unwrap_or(from_place) + 0.02 * from;
                if self.worlds[0].bodies().len() < BODIES_MAX {
                    let cut = each!(self, |world| world.slice(body, from_place, to_place));
                    if let Ok(Some(cut)) = cut {
                        self.remember(&cut);
                    }
                }
            }
        }
    }

    fn remember(&mut self, cut: &Cut) {
        self.bodies.extend_from_slice(&cut.pieces);
        let world = &self.worlds[0];
        let bodies = cut.pieces.iter().chain([&cut.body]);
        for body in bodies.filter_map(|&body| world.body(body)) {
            self.shapes.extend(body.shapes().map(|shape| shape.id()));
        }
    }

    /// A star with a hole, on a random body.
    fn create_concave_polygon(&mut self) {
        let random = &mut self.random;
        let Some(body) = random.pick(&self.bodies) else {
            return;
        };
        let (size, count) = (random.between(0.2, 1.0), 3 + random.below(8));
        let ring = |scale: f32, random: &mut super::Random| -> Vec<DVec2> {
            (0..count)
                .map(|i| {
                    let angle = i as f32 * core::f32::consts::TAU / count as f32;
                    let radius = scale * random.between(0.4, 1.0);
                    Vec2::new(libm::cosf(angle), libm::sinf(angle)).as_dvec2() * f64::from(radius)
                })
                .collect()
        };
        let border = ring(size, random);
        let mut hole = ring(0.15 * size, random);
        hole.reverse();
        let holes: &[&[DVec2]] = if random.chance(2) { &[&hole] } else { &[] };
        let Ok(concave_polygon) = ConcavePolygon::with_holes(&border, holes) else {
            return;
        };
        let def = ShapeDef {
            density: random.between(0.0, 3.0),
            sensor: random.chance(8),
            hit_events: random.chance(4),
            ..ShapeDef::default()
        };
        let Ok(id) = each!(self, |world| world.create_concave_polygon(
            body,
            &def,
            &concave_polygon
        )) else {
            return;
        };
        if self.random.chance(6) {
            each!(self, |world| world.destroy_concave_polygon(id).unwrap());
        } else {
            let parts = self.worlds[0].concave_polygon(id).expect("just made").parts();
            self.shapes.extend(parts.map(|part| part.id()));
        }
    }

    fn change_debris(&mut self) {
        let random = &mut self.random;
        let filter = Filter {
            category: 1 << 63,
            mask: !(1 << 63),
            group: 0,
        };
        let debris = Debris {
            area_max: random.between(0.0, 0.05),
            fate: if random.chance(2) {
                DebrisFate::Vanish
            } else {
                DebrisFate::Stay(filter)
            },
        };
        each!(self, |world| world.set_debris(debris).unwrap());
    }
}
