//! Bevy's reflection of the components.
#![allow(missing_docs)]

mod support;

use std::any::TypeId;
use std::fs;
use std::path::Path;

use bevy_app::App;
use bevy_ecs::prelude::{AppTypeRegistry, Entity};
use bevy_ecs::reflect::ReflectComponent;
use bevy_math::Vec2;
use bevy_reflect::enums::DynamicEnum;
use bevy_reflect::prelude::ReflectDefault;
use bevy_reflect::structs::DynamicStruct;
use bevy_reflect::tuple_struct::DynamicTupleStruct;
use bevy_reflect::{GetPath, PartialReflect, Reflect};
use bevy_tombolo::physics::{CombineRule, Filter, MassProperties, RevoluteDef, Shape};
use bevy_tombolo::{
    Body, Character, CharacterControl, Collider, CollisionFilter, GravityScale, Joint, MassOverride,
    Material, Outline, Reports, Velocity, anchored,
};
use support::{app, at, ball, ground, physics, steps};

/// The public components that the sources declare.
fn declared() -> Vec<String> {
    let mut names = Vec::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in fs::read_dir(sources).expect("the sources") {
        let path = file.expect("it can be read").path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source");
        for (start, _) in text.match_indices("#[derive(Component") {
            let lines = text[start..].lines();
            let item = lines.skip_while(|line| line.starts_with("#[")).map(str::trim);
            let item = item.take(1).next().expect("something is declared");
            let public = ["pub struct ", "pub enum "];
            if let Some(rest) = public.iter().find_map(|word| item.strip_prefix(word)) {
                let name = rest.split(|c: char| !c.is_alphanumeric()).next();
                names.push(name.expect("it has a name").to_owned());
            }
        }
    }
    names.sort();
    names
}

/// An app with the plugins of all features that this test is compiled with.
fn full_app() -> App {
    #[allow(unused_mut)]
    let mut app = app();
    #[cfg(feature = "scenes")]
    app.add_plugins((
        bevy_asset::AssetPlugin::default(),
        bevy_tombolo::PhysicsScenePlugin,
    ));
    #[cfg(feature = "sprites")]
    app.add_plugins(bevy_tombolo::SpriteColliderPlugin);
    app
}

#[test]
fn every_public_component_is_registered() {
    let app = full_app();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let declared = declared();
    assert!(declared.len() >= 29, "only {declared:?}");
    for name in declared {
        let is_built = match name.as_str() {
            "SceneRoot" => cfg!(feature = "scenes"),
            "SpriteCollider" => cfg!(feature = "sprites"),
            _ => true,
        };
        let registration = registry.iter().find(|registration| {
            let path = registration.type_info().type_path_table();
            path.crate_name() == Some("bevy_tombolo") && path.ident() == Some(name.as_str())
        });
        assert_eq!(registration.is_some(), is_built, "{name}");
        if let Some(registration) = registration {
            assert!(registration.data::<ReflectComponent>().is_some(), "{name}");
        }
    }
}

/// What an inspector does: the component of an entity by its type alone, changed at a path.
fn edit<T: Reflect>(app: &mut App, entity: Entity, path: &str, value: &dyn PartialReflect) {
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let component = registry
        .get_type_data::<ReflectComponent>(TypeId::of::<T>())
        .expect("it is registered");
    let mut entity = app.world_mut().entity_mut(entity);
    let mut reflected = component.reflect_mut(&mut entity).expect("it has the component");
    let part = reflected.reflect_path_mut(path).expect("there is such a path");
    part.try_apply(value).expect("the value has the right type");
}

#[test]
fn what_reflection_writes_counts_as_what_a_system_writes() {
    let mut app = app();
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 5.0);
    app.world_mut().entity_mut(ball).insert((
        MassOverride::default(),
        Material::default(),
        CollisionFilter::default(),
    ));
    app.update();
    edit::<Velocity>(&mut app, ball, "linear", &Vec2::new(3.0, 0.0));
    edit::<MassOverride>(&mut app, ball, "own.mass", &7.0_f32);
    edit::<Material>(&mut app, ball, "restitution_rule", &DynamicEnum::new("Min", ()));
    edit::<CollisionFilter>(&mut app, ball, ".0.group", &-4_i32);
    app.update();
    let own = support::get::<MassOverride>(&app, ball).own;
    assert_eq!(
        own,
        MassProperties {
            mass: 7.0,
            ..MassProperties::default()
        }
    );
    let body = physics(&app).body(ball).expect("it has a body");
    assert_eq!(body.mass(), 7.0);
    let shape = body.shapes().next().expect("it has a shape");
    assert_eq!(
        shape.filter(),
        Filter {
            group: -4,
            ..Filter::default()
        }
    );
    assert_eq!(shape.combine_rules(), [CombineRule::Usual, CombineRule::Min]);
    steps(&mut app, 60);
    assert!((at(&app, ball).x - 3.0 * 61.0 / 64.0).abs() < 0.01);
}

#[test]
fn components_are_made_from_parts_that_a_file_may_have() {
    let mut app = app();
    let entity = app.world_mut().spawn((Body::Dynamic, Collider::circle(0.5))).id();
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let mut insert = |id: TypeId, value: &dyn PartialReflect| {
        let component = registry
            .get_type_data::<ReflectComponent>(id)
            .expect("registered");
        let mut entity = app.world_mut().entity_mut(entity);
        component.insert(&mut entity, value, &registry);
    };
    let mut velocity = DynamicStruct::default();
    velocity.insert("linear", Vec2::new(0.0, 2.0));
    velocity.insert("angular", 1.5_f32);
    insert(TypeId::of::<Velocity>(), &velocity);
    let mut scale = DynamicTupleStruct::default();
    scale.insert(0.0_f32);
    insert(TypeId::of::<GravityScale>(), &scale);
    steps(&mut app, 64);
    assert!((at(&app, entity).y - 2.0).abs() < 0.01);
    let default = registry.get_type_data::<ReflectDefault>(TypeId::of::<Reports>());
    let value = default.expect("it has a default").default();
    assert_eq!(value.downcast_ref::<Reports>(), Some(&Reports::default()));
}

#[test]
fn what_is_opaque_is_cloned_and_compared_as_a_whole() {
    let frame = Entity::PLACEHOLDER;
    let pin = anchored(RevoluteDef::new, Vec2::ZERO, Vec2::X);
    let joint = Joint::new(frame, frame, pin);
    let other = Joint::revolute(frame, Vec2::ZERO, frame, Vec2::Y);
    let disc = Shape::circle(Vec2::ZERO, 1.0).expect("a radius in range");
    let shape = Collider::from(Outline::Shape(disc));
    let hero = Character::upright(1.8, 0.35).expect("a radius in range");
    let values: [&dyn PartialReflect; 4] = [&joint, &other, &shape, &hero];
    for (index, value) in values.iter().enumerate() {
        for (at, than) in values.iter().enumerate() {
            let is_equal = value.reflect_partial_eq(*than).unwrap_or(false);
            assert_eq!(is_equal, index == at, "{index} and {at}");
        }
        let copy = value.reflect_clone().expect("it can be cloned");
        assert_eq!(copy.reflect_partial_eq(*value), Some(true));
    }
    let mut control = CharacterControl::default();
    let walk = control.reflect_path_mut(".0.walk").expect("it has a field");
    walk.apply(&4.0_f32);
    assert_eq!(control.0.walk, 4.0);
}
