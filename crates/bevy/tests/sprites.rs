//! Colliders of the sizes of sprites.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_asset::{AssetApp, AssetPlugin, Assets, Handle, RenderAssetUsages};
use bevy_ecs::prelude::Entity;
use bevy_image::{Image, TextureAtlas, TextureAtlasLayout, TextureAtlasPlugin};
use bevy_math::{Rect, URect, UVec2, Vec2, Vec3};
use bevy_sprite::{Anchor, Sprite};
use bevy_tombolo::physics::Aabb;
use bevy_tombolo::{Body, Collider, Outline, SpriteCollider, SpriteColliderPlugin};
use bevy_transform::components::Transform;
use support::{ball, physics, steps};

fn sprite_app() -> App {
    let mut app = support::app();
    app.add_plugins(AssetPlugin::default()).init_asset::<Image>();
    app.add_plugins((TextureAtlasPlugin, SpriteColliderPlugin));
    app
}

/// An image without contents that matter.
fn image(width: u32, height: u32) -> Image {
    let mut image = Image::default();
    image.texture_descriptor.size.width = width;
    image.texture_descriptor.size.height = height;
    image.asset_usage = RenderAssetUsages::MAIN_WORLD;
    image
}

fn add_image(app: &mut App, width: u32, height: u32) -> Handle<Image> {
    app.world_mut()
        .resource_mut::<Assets<Image>>()
        .add(image(width, height))
}

fn spawn(app: &mut App, sprite: Sprite, fit: SpriteCollider) -> Entity {
    app.world_mut().spawn((Body::Static, sprite, fit)).id()
}

/// The box of an entity's only shape after a step, in the body's frame.
fn bounds(app: &mut App, entity: Entity) -> Aabb {
    app.update();
    assert_eq!(support::faults(app), []);
    let body = physics(app).body(entity).expect("it has a body");
    let mut shapes = body.shapes();
    let shape = shapes.next().expect("it has a shape");
    assert!(shapes.next().is_none());
    shape.geometry().aabb(Default::default())
}

fn assert_bounds(app: &mut App, entity: Entity, min: (f32, f32), max: (f32, f32)) {
    let found = bounds(app, entity);
    let apart = (found.min - Vec2::from(min)).abs() + (found.max - Vec2::from(max)).abs();
    assert!(apart.max_element() < 1.0e-5, "{found:?}, not {min:?} to {max:?}");
}

#[test]
fn a_custom_size_is_the_colliders_at_once() {
    let mut app = sprite_app();
    let sprite = Sprite::sized(Vec2::new(2.0, 1.0));
    let entity = spawn(&mut app, sprite, SpriteCollider::default());
    assert_bounds(&mut app, entity, (-1.0, -0.5), (1.0, 0.5));
    // A size goes before that of an image, and counts from the next step on when it changes.
    let image = add_image(&mut app, 64, 64);
    let mut sprite = app.world_mut().get_mut::<Sprite>(entity).unwrap();
    sprite.image = image;
    sprite.custom_size = Some(Vec2::new(3.0, 4.0));
    assert_bounds(&mut app, entity, (-1.5, -2.0), (1.5, 2.0));
    app.world_mut().get_mut::<Sprite>(entity).unwrap().custom_size = None;
    assert_bounds(&mut app, entity, (-32.0, -32.0), (32.0, 32.0));
}

#[test]
fn an_image_that_comes_later_brings_the_collider_then() {
    let mut app = sprite_app();
    let handle = {
        let images = app.world().resource::<Assets<Image>>();
        images.reserve_handle()
    };
    let fit = SpriteCollider::default().scaled(0.25);
    let sprite = Sprite::from_image(handle.clone());
    let entity = app.world_mut().spawn((Body::Dynamic, sprite, fit)).id();
    steps(&mut app, 3);
    assert!(app.world().get::<Collider>(entity).is_none());
    assert_eq!(physics(&app).body(entity).unwrap().shapes().count(), 0);
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    images.insert(handle.id(), image(8, 4)).unwrap();
    steps(&mut app, 2);
    assert_bounds(&mut app, entity, (-1.0, -0.5), (1.0, 0.5));
    let mass = physics(&app).body(entity).unwrap().mass();
    assert!((mass - 2.0).abs() < 1.0e-5);
    // The file is loaded again, with another size.
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    images.insert(handle.id(), image(4, 16)).unwrap();
    steps(&mut app, 2);
    assert_bounds(&mut app, entity, (-0.5, -2.0), (0.5, 2.0));
    // Another image that is not there leaves the collider of the one before.
    let missing = app.world().resource::<Assets<Image>>().reserve_handle();
    app.world_mut().get_mut::<Sprite>(entity).unwrap().image = missing;
    steps(&mut app, 2);
    assert_bounds(&mut app, entity, (-0.5, -2.0), (0.5, 2.0));
}

#[test]
fn parts_of_images_count_and_flips_do_not() {
    let mut app = sprite_app();
    let image = add_image(&mut app, 64, 32);
    let mut sprite = Sprite {
        rect: Some(Rect::new(4.0, 4.0, 10.0, 8.0)),
        ..Sprite::from_image(image.clone())
    };
    let entity = spawn(&mut app, sprite.clone(), SpriteCollider::default());
    assert_bounds(&mut app, entity, (-3.0, -2.0), (3.0, 2.0));
    (sprite.flip_x, sprite.flip_y) = (true, true);
    app.world_mut()
        .entity_mut(entity)
        .insert((sprite, Anchor::TOP_LEFT));
    assert_bounds(&mut app, entity, (0.0, -4.0), (6.0, 0.0));
    // The layout of an atlas comes later than its image.
    let layout = {
        let layouts = app.world().resource::<Assets<TextureAtlasLayout>>();
        layouts.reserve_handle()
    };
    let atlas = TextureAtlas {
        layout: layout.clone(),
        index: 1,
    };
    let sprite = Sprite::from_atlas_image(image, atlas);
    let of_atlas = spawn(&mut app, sprite, SpriteCollider::default());
    steps(&mut app, 2);
    assert!(app.world().get::<Collider>(of_atlas).is_none());
    let mut textures = TextureAtlasLayout::new_empty(UVec2::new(64, 32));
    textures.add_texture(URect::new(0, 0, 8, 8));
    textures.add_texture(URect::new(8, 0, 18, 4));
    let mut layouts = app.world_mut().resource_mut::<Assets<TextureAtlasLayout>>();
    layouts.insert(layout.id(), textures.clone()).unwrap();
    steps(&mut app, 2);
    assert_bounds(&mut app, of_atlas, (-5.0, -2.0), (5.0, 2.0));
    textures.textures[1] = URect::new(0, 0, 2, 2);
    let mut layouts = app.world_mut().resource_mut::<Assets<TextureAtlasLayout>>();
    layouts.insert(layout.id(), textures).unwrap();
    steps(&mut app, 2);
    assert_bounds(&mut app, of_atlas, (-1.0, -1.0), (1.0, 1.0));
    let mut sprite = app.world_mut().get_mut::<Sprite>(of_atlas).unwrap();
    sprite.texture_atlas.as_mut().unwrap().index = 0;
    assert_bounds(&mut app, of_atlas, (-4.0, -4.0), (4.0, 4.0));
}

#[test]
fn a_collider_has_the_scale_of_the_transform_and_of_the_component() {
    let mut app = sprite_app();
    let image = add_image(&mut app, 64, 128);
    let entity = spawn(&mut app, Sprite::from_image(image), SpriteCollider::default());
    let drawn = Transform::from_scale(Vec3::splat(1.0 / 64.0));
    app.world_mut()
        .entity_mut(entity)
        .insert((drawn, Anchor::BOTTOM_LEFT));
    assert_bounds(&mut app, entity, (0.0, 0.0), (1.0, 2.0));
    app.world_mut().get_mut::<SpriteCollider>(entity).unwrap().scale = Vec2::new(-0.5, 0.25);
    assert_bounds(&mut app, entity, (-0.5, 0.0), (0.0, 0.5));
    app.world_mut().get_mut::<Transform>(entity).unwrap().scale = Vec3::new(-1.0, 2.0, 1.0);
    assert_bounds(&mut app, entity, (0.0, 0.0), (32.0, 64.0));
}

#[test]
fn each_form_fills_the_rectangle() {
    let mut app = sprite_app();
    let sprite = |x, y| Sprite::sized(Vec2::new(x, y));
    for (size, fit, min, max) in [
        ((2.0, 4.0), SpriteCollider::circle(), (-1.0, -1.0), (1.0, 1.0)),
        ((2.0, 4.0), SpriteCollider::capsule(), (-1.0, -2.0), (1.0, 2.0)),
        ((4.0, 2.0), SpriteCollider::capsule(), (-2.0, -1.0), (2.0, 1.0)),
        ((2.0, 2.0), SpriteCollider::capsule(), (-1.0, -1.0), (1.0, 1.0)),
    ] {
        let entity = spawn(&mut app, sprite(size.0, size.1), fit);
        assert_bounds(&mut app, entity, min, max);
        app.world_mut()
            .entity_mut(entity)
            .insert(Anchor(Vec2::new(0.25, 0.0)));
        let aside = 0.25 * size.0;
        assert_bounds(&mut app, entity, (min.0 - aside, min.1), (max.0 - aside, max.1));
    }
}

#[test]
fn a_collider_of_the_games_own_stays_until_the_sprite_changes() {
    let mut app = sprite_app();
    let entity = spawn(&mut app, Sprite::sized(Vec2::ONE), SpriteCollider::default());
    assert_bounds(&mut app, entity, (-0.5, -0.5), (0.5, 0.5));
    *app.world_mut().get_mut::<Collider>(entity).unwrap() = Collider::circle(3.0);
    steps(&mut app, 3);
    assert_bounds(&mut app, entity, (-3.0, -3.0), (3.0, 3.0));
    app.world_mut().get_mut::<Sprite>(entity).unwrap().custom_size = Some(Vec2::splat(2.0));
    assert_bounds(&mut app, entity, (-1.0, -1.0), (1.0, 1.0));
    app.world_mut().entity_mut(entity).remove::<SpriteCollider>();
    app.world_mut().get_mut::<Sprite>(entity).unwrap().custom_size = Some(Vec2::splat(9.0));
    assert_bounds(&mut app, entity, (-1.0, -1.0), (1.0, 1.0));
}

#[test]
fn a_ball_lands_on_a_sprite_and_a_sprite_without_a_size_is_a_fault() {
    let mut app = sprite_app();
    let floor = spawn(
        &mut app,
        Sprite::sized(Vec2::new(20.0, 2.0)),
        SpriteCollider::default(),
    );
    let ball = ball(&mut app, 0.0, 3.0);
    steps(&mut app, 120);
    assert!((support::at(&app, ball).y - 1.5).abs() < 0.01);
    assert_eq!(support::faults(&app), []);
    app.world_mut().get_mut::<Sprite>(floor).unwrap().custom_size = Some(Vec2::ZERO);
    app.update();
    assert_eq!(support::faults(&app).len(), 1);
    let outline = Outline::rectangle(0.0, 0.0);
    assert_eq!(support::get::<Collider>(&app, floor).parts, [outline]);
}
