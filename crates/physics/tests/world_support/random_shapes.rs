//! Random shapes, changes of shapes in place, and rules for contacts.

use super::random_calls::{RandomWorlds, each};
use tombolo_physics::{
    ANY_MATERIAL, BodyId, CombineRule, ContactRule, Filter, Shape, ShapeDef, ShapeId, ShapeMut, Vec2,
};

/// The user key of shapes that report no touches: tests have to know, and nobody else is told.
pub(crate) const SILENT: u64 = 0x5173;

/// The user key of shapes whose events were changed meanwhile: what is open may touch, and what touches may be open.
pub(crate) const UNSURE: u64 = 0x5174;

/// How many materials there are.
const MATERIALS: usize = 4;

/// Half of the shapes ask for nothing.
const RULES: [CombineRule; 10] = [
    CombineRule::Usual,
    CombineRule::Usual,
    CombineRule::Usual,
    CombineRule::Usual,
    CombineRule::Usual,
    CombineRule::Mean,
    CombineRule::GeometricMean,
    CombineRule::Min,
    CombineRule::Product,
    CombineRule::Max,
];

impl RandomWorlds {
    /// A random shape; random points may be too near each other to make a polygon: an error, not a panic.
    pub(super) fn geometry(&mut self) -> Option<Shape> {
        let random = &mut self.random;
        let size = random.between(0.1, 0.8);
        let shape = match random.below(6) {
            0 => Shape::circle(random.vector(0.3), size),
            1 => Shape::capsule(Vec2::new(-size, 0.0), Vec2::new(size, 0.1), 0.5 * size),
            2 => Shape::segment(Vec2::new(-size, 0.0), Vec2::new(size, 0.2)),
            3 => Shape::rounded_box(2.0 * size, size, 0.1 * size),
            4 => {
                let points: Vec<Vec2> = (0..3 + random.below(6)).map(|_| random.vector(size)).collect();
                Shape::polygon(&points, 0.0)
            }
            _ => Shape::new_box(2.0 * size, 2.0 * random.between(0.1, 0.8)),
        };
        shape.ok()
    }

    pub(super) fn create_shape(&mut self, body: BodyId) {
        let Some(shape) = self.geometry() else { return };
        let number = self.shapes.len();
        let random = &mut self.random;
        let silent = random.chance(5);
        let def = ShapeDef {
            density: random.between(0.0, 4.0),
            friction: random.between(0.0, 1.0),
            restitution: if random.chance(4) {
                random.between(0.0, 1.0)
            } else {
                0.0
            },
            rolling_resistance: if random.chance(5) { 0.1 } else { 0.0 },
            tangent_speed: if random.chance(9) { 1.0 } else { 0.0 },
            filter: Filter {
                category: 1 << random.below(3),
                mask: if random.chance(3) { 0b101 } else { u64::MAX },
                group: if random.chance(6) {
                    random.below(3) as i32 - 1
                } else {
                    0
                },
            },
            friction_rule: random.pick(&RULES).expect("there are some"),
            restitution_rule: random.pick(&RULES).expect("there are some"),
            material: random.below(MATERIALS) as u32,
            contact_skin: if number.is_multiple_of(6) { 0.05 } else { 0.0 },
            contact_events: !silent,
            hit_events: random.chance(4),
            force_threshold: if number.is_multiple_of(3) { 5.0 } else { 0.0 },
            sees_sensors: number.is_multiple_of(4),
            sees_fixed: number.is_multiple_of(5),
            sensor: random.chance(8),
            user_key: if silent { SILENT } else { 0 },
        };
        if let Ok(id) = each!(self, |world| world.create_shape(body, &def, &shape)) {
            self.shapes.push(id);
        }
    }

    pub(super) fn call_about_a_shape(&mut self) {
        let random = &mut self.random;
        let (body, shape) = (random.pick(&self.bodies), random.pick(&self.shapes));
        let (friction, flip) = (random.between(0.0, 1.0), random.chance(2));
        match (random.below(8).min(4), body, shape) {
            (0, Some(body), _) => self.create_shape(body),
            (1, _, Some(shape)) if flip => drop(each!(self, |world| world.destroy_shape(shape))),
            (2, _, Some(shape)) => {
                let filter = Filter {
                    category: 1,
                    mask: if flip { 0b11 } else { u64::MAX },
                    group: 0,
                };
                drop(each!(self, |world| world
                    .shape_mut(shape)
                    .map(|mut shape| shape.set_filter(filter))));
            }
            (3, _, Some(shape)) => {
                drop(each!(self, |world| world
                    .shape_mut(shape)
                    .and_then(|mut shape| shape.set_material(friction, 0.5))));
            }
            (4, _, Some(shape)) => self.change_shape(shape),
            _ => {}
        }
    }

    /// A change of a shape in place.
    fn change_shape(&mut self, shape: ShapeId) {
        let geometry = self.geometry();
        let random = &mut self.random;
        let (number, flip, flop) = (random.between(0.0, 4.0), random.chance(2), random.chance(2));
        let rules = [0, 1].map(|_| random.pick(&RULES).expect("there are some"));
        match random.below(8) {
            0 => self.change(shape, |shape| {
                shape.set_user_key(UNSURE);
                shape.set_events(flip, flop);
            }),
            1 => self.change(shape, |shape| shape.set_sensor(flip)),
            2 => self.change(shape, |shape| shape.set_density(number).expect("it is light")),
            3 => self.change(shape, |shape| shape.set_combine_rules(rules[0], rules[1])),
            4 => {
                let material = random.below(MATERIALS) as u32;
                self.change(shape, |shape| {
                    shape.set_material_number(material).expect("it is one")
                });
            }
            5 => self.change(shape, |shape| shape.set_surface(0.1, number).expect("in range")),
            6 => self.change(shape, |shape| {
                let skin = if flip { 0.02 * number } else { 0.0 };
                shape.set_contact_skin(skin).expect("in range");
            }),
            // Parts of polygons have no form of their own.
            _ => {
                let Some(geometry) = geometry else { return };
                self.change(shape, |shape| drop(shape.set_geometry(&geometry)));
            }
        }
    }

    fn change(&mut self, shape: ShapeId, change: impl Fn(&mut ShapeMut<'_>)) {
        drop(each!(self, |world| world
            .shape_mut(shape)
            .map(|mut shape| change(&mut shape))));
    }

    /// A rule for two materials, set or taken away, or a pair of shapes that touch no more or again.
    pub(super) fn call_about_rules(&mut self) {
        let random = &mut self.random;
        let first = random.below(MATERIALS) as u32;
        let second = match random.below(MATERIALS + 1) {
            MATERIALS => ANY_MATERIAL,
            number => number as u32,
        };
        let pair = [random.pick(&self.shapes), random.pick(&self.shapes)];
        let flip = random.chance(2);
        // The category that shapes have, some that they have at times, and any.
        let categories =
            [[1, 2], [1, 2]].map(|some| random.pick(&some).unwrap_or(0) * u64::from(!random.chance(4)));
        match random.below(6) {
            0 | 1 => {
                let rule = self.rule();
                drop(each!(self, |world| world.set_contact_rule(first, second, rule)));
            }
            4 => {
                let (rule, [a, b]) = (self.rule(), categories);
                drop(each!(self, |world| world.set_category_rule(a, b, rule)));
            }
            5 => drop(each!(self, |world| world
                .remove_category_rule(categories[0], categories[1]))),
            2 => drop(each!(self, |world| world.remove_contact_rule(first, second))),
            _ => {
                if let [Some(a), Some(b)] = pair {
                    drop(each!(self, |world| world.set_pair_ignored(a, b, flip)));
                }
            }
        }
    }

    fn rule(&mut self) -> ContactRule {
        let random = &mut self.random;
        let number = random.between(0.0, 2.0);
        let way = Vec2::Y + random.vector(0.9);
        ContactRule {
            friction: random.chance(3).then_some(number),
            restitution: random.chance(4).then_some(0.5 * number),
            surface_speed: random.chance(4).then_some(number),
            one_way: random.chance(3).then_some(way),
            ignore: random.chance(9),
            sensor: random.chance(7),
            hit_threshold: random.chance(4).then_some(number),
        }
    }
}
