//! [`Difference`]: the first difference of two worlds that should be the same.

use crate::body::BodyId;
use crate::state::is_bookkeeping;
use crate::world::PhysicsWorld;
use crate::world::views::{BodyRef, ShapeRef};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// The first array in which two worlds differ, and the first property visible to a game that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part of the state, as in [`ArrayReport`](crate::ArrayReport).
    pub group: &'static str,
    /// The array of that part; empty if there is only one.
    pub part: &'static str,
    /// The element: for arrays by body, shape or joint the index of its id.
    pub element: usize,
    /// The visible property; `None` if no visible property differs yet.
    pub property: Option<PropertyDifference>,
}

/// A property of a world, a body, a shape or a joint that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyDifference {
    /// The owner of the property: `world`, or a kind and an id.
    pub owner: String,
    /// The body that is the owner or to which it belongs, and the body's user key.
    pub body: Option<(BodyId, u64)>,
    /// The name of the property.
    pub name: &'static str,
    /// The values in the two worlds.
    pub values: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            group, part, element, ..
        } = self;
        match &self.property {
            Some(PropertyDifference {
                owner,
                body,
                name,
                values: [one, two],
            }) => {
                write!(f, "{owner}")?;
                if let Some((_, key)) = body {
                    write!(f, ", user key {key}")?;
                }
                write!(f, ": {name} is {one}, and {two}")?;
            }
            None => write!(f, "nothing that calls show")?,
        }
        let part = if part.is_empty() { "" } else { " " };
        write!(f, " (array {group}{part}{}, element {element})", self.part)
    }
}

/// An object with its owner, its body, and its properties as text.
struct Described {
    owner: String,
    body: Option<(BodyId, u64)>,
    properties: Vec<(&'static str, String)>,
}

impl PhysicsWorld {
    /// The first difference between this world and another one, or `None` if their [hashes](PhysicsWorld::state_hash)
    /// are of the same state. Costs both worlds.
    pub fn first_difference(&self, other: &Self) -> Option<Difference> {
        let (group, part, element) = self.first_differing_array(other)?;
        Some(Difference {
            group,
            part,
            element,
            property: self.first_differing_property(other),
        })
    }

    fn first_differing_array(&self, other: &Self) -> Option<(&'static str, &'static str, usize)> {
        let mut arrays: Vec<Vec<u8>> = Vec::new();
        other.state.arrays(&mut |array| arrays.push(array.bytes.to_vec()));
        let (mut place, mut found) = (0, None);
        self.state.arrays(&mut |array| {
            let theirs = &arrays[place];
            place += 1;
            if found.is_none() && !is_bookkeeping(array.group) && array.bytes != theirs.as_slice() {
                let same = array.bytes.iter().zip(theirs).take_while(|(one, two)| one == two);
                found = Some((array.group, array.part, same.count() / array.element_size));
            }
        });
        found
    }

    fn first_differing_property(&self, other: &Self) -> Option<PropertyDifference> {
        let [ours, theirs] = [self, other].map(described);
        let count = ours.len().max(theirs.len());
        for place in 0..count {
            let (one, two) = (ours.get(place), theirs.get(place));
            let (Some(one), Some(two)) = (one, two) else {
                return one.or(two).map(|only| existence(only, one.is_some()));
            };
            if one.owner != two.owner {
                return Some(existence(one, true));
            }
            let mut pairs = one.properties.iter().zip(&two.properties);
            if let Some(((name, one_value), (_, two_value))) = pairs.find(|(one, two)| one != two) {
                return Some(PropertyDifference {
                    owner: one.owner.clone(),
                    body: one.body,
                    name,
                    values: [one_value.clone(), two_value.clone()],
                });
            }
        }
        None
    }
}

/// The difference of an object that only one of the worlds has.
fn existence(described: &Described, in_first: bool) -> PropertyDifference {
    let [here, gone] = ["here", "not here"].map(String::from);
    PropertyDifference {
        owner: described.owner.clone(),
        body: described.body,
        name: "existence",
        values: if in_first { [here, gone] } else { [gone, here] },
    }
}

/// The objects of a world: settings, bodies, shapes, joints, in this order.
fn described(world: &PhysicsWorld) -> Vec<Described> {
    let settings = Described {
        owner: String::from("world"),
        body: None,
        properties: vec![
            ("step_index", format!("{}", world.step_index())),
            ("settings", format!("{:?}", world.state.settings().def())),
        ],
    };
    let mut all = vec![settings];
    all.extend(world.bodies().map(|body| described_body(&body)));
    all.extend(world.shapes().map(|shape| described_shape(&shape)));
    all.extend(world.joints().map(|joint| Described {
        owner: format!("joint {:?}", joint.id()),
        body: None,
        properties: vec![("definition", format!("{:?}", joint.def()))],
    }));
    all
}

fn described_body(body: &BodyRef<'_>) -> Described {
    let text = |value: &dyn fmt::Debug| format!("{value:?}");
    Described {
        owner: format!("body {:?}", body.id()),
        body: Some((body.id(), body.user_key())),
        properties: vec![
            ("kind", text(&body.kind())),
            ("enabled", text(&body.is_enabled())),
            ("awake", text(&body.is_awake())),
            ("position", text(&body.position())),
            ("rotation", text(&body.rotation())),
            ("linear_velocity", text(&body.linear_velocity())),
            ("angular_velocity", text(&body.angular_velocity())),
            ("mass", text(&body.mass())),
            ("center_of_mass", text(&body.center_of_mass())),
            ("user_key", text(&body.user_key())),
        ],
    }
}

fn described_shape(shape: &ShapeRef<'_>) -> Described {
    let text = |value: &dyn fmt::Debug| format!("{value:?}");
    Described {
        owner: format!("shape {:?}", shape.id()),
        body: Some((shape.body().id(), shape.body().user_key())),
        properties: vec![
            ("geometry", text(shape.geometry())),
            ("friction", text(&shape.friction())),
            ("restitution", text(&shape.restitution())),
            ("filter", text(&shape.filter())),
            ("user_key", text(&shape.user_key())),
        ],
    }
}
