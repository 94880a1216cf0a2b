//! From a scene's text to definitions of entities: each component's definition as values of its manager's
//! properties, each resource as a [`ResourceDefinition`], each placement's overrides as [`Override`]s.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{ComponentDefinition, Override, ResourceDefinition, Value};
use tombolo_physics::{BodyDef, ShapeDef};

use super::components::{Child, Collider, Component, Joint, JointKind, NamedComponent, Target, Trigger};
use super::document::{Library, Resource};
use crate::component;

/// A component's properties.
type Values = Vec<(Box<str>, Value)>;

impl Library {
    /// Every resource, and one for each child that stands in another: that resource at its place.
    pub(crate) fn definitions(&self) -> Vec<ResourceDefinition> {
        let mut definitions = Vec::new();
        for resource in &self.resources {
            let base = resource.inherits.map(|base| &self.resources[base]);
            let mut definition = ResourceDefinition::new(&resource.name);
            definition.inherits = base.map(|base| (&*base.name).into());
            for named in &resource.components {
                let of_base = base.and_then(|base| base.find(&named.name));
                let values = self.differing_values(&named.component, of_base.map(|named| &named.component));
                if of_base.is_none() || !values.is_empty() {
                    definition.components.push(ComponentDefinition {
                        name: (&*named.name).into(),
                        manager: named.component.word().into(),
                        values,
                    });
                }
            }
            for (name, child) in &resource.children {
                let at_place = self.child_definition(resource, name, child);
                definition.children.push(at_place.name.clone());
                definitions.push(at_place);
            }
            definitions.push(definition);
        }
        definitions
    }

    /// A child's resource, moved to where it comes along: `parent/child`.
    fn child_definition(&self, parent: &Resource, name: &str, child: &Child) -> ResourceDefinition {
        let entity = child.entity.as_ref().map_or("", |entity| entity.text.as_str());
        let resource = self.find(entity).map(|index| &self.resources[index]);
        let is_transform = |named: &&NamedComponent| matches!(named.component, Component::Transform(_));
        let transform = resource.and_then(|resource| resource.components.iter().find(is_transform));
        let transform = transform.map_or("transform", |named| named.name.as_str());
        ResourceDefinition::new(&format!("{}/{name}", parent.name))
            .inherits(entity)
            .component(
                transform,
                component::NAMES[0],
                [
                    ("position", Value::Vec2(child.frame.position)),
                    ("angle", Value::F32(child.frame.angle)),
                ],
            )
    }

    /// What a placement's components say otherwise than those of its resource.
    pub(crate) fn overrides(&self, resource: usize, overridden: &[NamedComponent]) -> Vec<Override> {
        let own = &self.resources[resource];
        let mut overrides = Vec::new();
        for named in overridden {
            let before = own.find(&named.name).map(|named| &named.component);
            for (property, value) in self.differing_values(&named.component, before) {
                overrides.push(Override {
                    path: format!("{}.{property}", named.name).into(),
                    value,
                });
            }
        }
        overrides
    }

    /// The values of a component that differ from another's of the same kind, or from the defaults.
    fn differing_values(&self, component: &Component, other: Option<&Component>) -> Values {
        let blank = Component::blank(component.word(), &self.kinds);
        let Some(other) = other.or(blank.as_ref()) else {
            return self.values(component);
        };
        let known = self.values(other);
        let mut values = self.values(component);
        values.retain(|value| !known.contains(value));
        values
    }

    fn values(&self, component: &Component) -> Values {
        let values = match component {
            Component::Transform(transform) => Vec::from([
                ("position", Value::Vec2(transform.position)),
                ("angle", Value::F32(transform.angle)),
                ("scale", Value::Vec2(transform.scale)),
            ]),
            Component::Body(def) => body_values(def),
            Component::Collider(collider) => self.collider(collider).values(),
            Component::Joint(joint) => joint_component(joint).values(),
            Component::Trigger(trigger) => trigger_component(trigger).values(),
            Component::Agent(agent) => {
                let goal = agent.goal.map(|goal| ("goal", Value::Vec2(goal)));
                let rest = [
                    ("speed", Value::F32(agent.speed)),
                    ("clearance", Value::F32(agent.clearance)),
                    ("enabled", Value::Bool(agent.enabled)),
                ];
                goal.into_iter().chain(rest).collect()
            }
            Component::Sprite(sprite) => Vec::from([
                ("image", Value::String(sprite.image.clone())),
                ("size", Value::Vec2(sprite.size)),
                ("offset", Value::Vec2(sprite.offset)),
                ("colour", Value::Color(sprite.color)),
                ("layer", Value::I32(sprite.layer)),
                ("visible", Value::Bool(sprite.visible)),
            ]),
            Component::RenderData(data) => {
                let names = data.numbers.iter().map(|(name, _)| Value::String(name.clone()));
                let numbers = data.numbers.iter().map(|(_, number)| Value::F32(*number));
                Vec::from([
                    ("effect", Value::String(data.effect.clone())),
                    ("names", Value::List(names.collect())),
                    ("values", Value::List(numbers.collect())),
                    ("colour", Value::Color(data.color)),
                ])
            }
            Component::Tag(_) => Vec::new(),
            Component::Script(script) => Vec::from([
                ("name", Value::String(script.name.clone())),
                ("text", Value::String(script.text.clone())),
                ("enabled", Value::Bool(script.enabled)),
            ]),
            Component::Spawner(spawner) => Vec::from([
                ("resource", Value::String(spawner.resource.clone())),
                ("interval", Value::F32(spawner.interval_s)),
                ("limit", Value::U32(spawner.limit)),
                ("velocity", Value::Vec2(spawner.velocity)),
                ("spread", Value::Vec2(spawner.spread)),
                ("enabled", Value::Bool(spawner.enabled)),
            ]),
            Component::Custom(custom) => return custom.values.clone(),
        };
        values
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect()
    }

    fn collider(&self, collider: &Collider) -> component::Collider {
        let material = collider.material.as_ref();
        let material = material.and_then(|material| self.materials.get(&material.text));
        let geometry = collider.geometry.as_ref();
        component::Collider {
            geometry: geometry.map_or_else(component::ShapeGeometry::default, |geometry| {
                geometry.component(collider.frame)
            }),
            def: ShapeDef {
                filter: collider.filter,
                sensor: collider.sensor,
                contact_events: collider.contact_events,
                hit_events: collider.hit_events,
                ..material.cloned().unwrap_or_default()
            },
            ..component::Collider::default()
        }
    }
}

fn body_values(def: &BodyDef) -> Vec<(&'static str, Value)> {
    Vec::from([
        ("kind", Value::Choice(def.kind as u32)),
        ("linear_velocity", Value::Vec2(def.linear_velocity)),
        ("angular_velocity", Value::F32(def.angular_velocity)),
        ("linear_damping", Value::F32(def.linear_damping)),
        ("angular_damping", Value::F32(def.angular_damping)),
        ("gravity_scale", Value::F32(def.gravity_scale)),
        ("sleep_threshold", Value::F32(def.sleep_threshold)),
        ("allow_sleep", Value::Bool(def.allow_sleep)),
        ("awake", Value::Bool(def.awake)),
        ("fixed_rotation", Value::Bool(def.fixed_rotation)),
        ("bullet", Value::Bool(def.bullet)),
        ("enabled", Value::Bool(def.enabled)),
    ])
}

fn trigger_component(trigger: &Trigger) -> component::Trigger {
    let geometry = trigger.geometry.as_ref();
    component::Trigger {
        geometry: geometry.map_or_else(component::ShapeGeometry::default, |geometry| {
            geometry.component(trigger.frame)
        }),
        filter: trigger.filter,
        ..component::Trigger::default()
    }
}

fn joint_component(joint: &Joint) -> component::Joint {
    let name = |target: &Option<Target>| match target {
        Some(Target::Entity(name)) => name.text.as_str().into(),
        Some(Target::Previous | Target::Parent) | None => Box::default(),
    };
    let JointKind::Revolute(revolute) = &joint.kind;
    let mut made = component::Joint {
        from_name: name(&joint.from),
        to_name: name(&joint.to),
        to_parent: matches!(joint.to, Some(Target::Parent)),
        pivot: joint.pivot,
        collide_connected: revolute.collide_connected,
        ..component::Joint::default()
    };
    if let Some(limit) = revolute.limit {
        (made.limit, made.lower, made.upper) = (true, limit.lower, limit.upper);
    }
    if let Some(spring) = revolute.spring {
        (made.spring, made.target_angle) = (true, spring.target_angle);
        (made.hertz, made.damping_ratio) = (spring.hertz, spring.damping_ratio);
    }
    if let Some(motor) = revolute.motor {
        (made.motor, made.motor_speed, made.max_torque) = (true, motor.speed, motor.max_torque);
    }
    made
}
