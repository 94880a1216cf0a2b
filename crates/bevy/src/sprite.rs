//! [`SpriteCollider`]: colliders of the sizes of sprites. Feature `sprites`.

use bevy_app::{App, FixedPostUpdate, Plugin};
use bevy_asset::prelude::AssetChanged;
use bevy_asset::{AssetEvent, Assets};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageReader;
use bevy_ecs::prelude::{
    Changed, Commands, Component, Entity, IntoScheduleConfigs, Or, Query, ReflectComponent, Res, Without,
};
use bevy_ecs::query::{Allow, QueryData};
use bevy_image::{Image, TextureAtlasLayout};
use bevy_math::Vec2;
use bevy_reflect::prelude::{Reflect, ReflectDefault};
use bevy_sprite::{Anchor, Sprite};

use crate::collider::Collider;
use crate::outline::Outline;
use crate::plugin::PhysicsSystems;

/// Keeps the [`Collider`]s of entities with a [`SpriteCollider`] at the sizes of their sprites. After Bevy's
/// `AssetPlugin`, `ImagePlugin` and `SpritePlugin`, which the default plugins have.
///
/// ```no_run
/// use bevy_app::App;
/// use bevy_tombolo::{SpriteColliderPlugin, TomboloPlugin};
///
/// let mut app = App::new();
/// // After Bevy's default plugins:
/// app.add_plugins((TomboloPlugin::default(), SpriteColliderPlugin));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SpriteColliderPlugin;

/// Gives an entity a [`Collider`] of the size of its [`Sprite`], and another one before the next step when the sprite, its
/// [`Anchor`], this component or the image has changed.
///
/// The size is `custom_size`; without one that of the `rect`, of the atlas's part, or of the whole image, a meter for a
/// pixel, times [`scale`](SpriteCollider::scale) and the scale of the `Transform`. An image that is still to be loaded leaves the entity without a collider,
/// or with the one that it has: where runs must be equal, load images before their sprites are spawned, or give sizes. The
/// anchor moves the collider as it moves the sprite. Flips turn the image within its rectangle, and change nothing; neither
/// does how an image fills its rectangle (`image_mode`). A collider that the game writes itself stays until the sprite
/// changes, and one whose `SpriteCollider` is removed stays as it is.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::{Vec2, Vec3};
/// use bevy_sprite::Sprite;
/// use bevy_tombolo::{Body, SpriteCollider};
/// use bevy_transform::components::Transform;
///
/// fn crates(mut commands: Commands) {
///     // The size is that of the sprite, in meters.
///     let sprite = Sprite::sized(Vec2::new(2.0, 1.0));
///     commands.spawn((Body::Dynamic, sprite, SpriteCollider::default()));
/// }
///
/// fn hero(mut commands: Commands, sprite: Sprite) {
///     // 64 pixels of an image are a meter, for the eye and for the physics.
///     let drawn = Transform::from_scale(Vec3::splat(1.0 / 64.0));
///     commands.spawn((Body::Dynamic, sprite, drawn, SpriteCollider::capsule()));
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct SpriteCollider {
    /// The form, within the sprite's rectangle.
    pub form: SpriteForm,
    /// The factors of the sprite's width and height, for a collider that is smaller or larger than what is drawn; 1 by default.
    /// The scale of the `Transform` scales both. Negative ones mirror.
    pub scale: Vec2,
}

/// The form of a collider within a rectangle.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Clone, Debug, Default, PartialEq)]
pub enum SpriteForm {
    /// The rectangle.
    #[default]
    Rectangle,
    /// The greatest disc around its center.
    Circle,
    /// The greatest capsule along its longer side.
    Capsule,
}

impl Default for SpriteCollider {
    fn default() -> Self {
        Self {
            form: SpriteForm::default(),
            scale: Vec2::ONE,
        }
    }
}

impl SpriteCollider {
    /// The greatest disc around the center of the sprite.
    pub fn circle() -> Self {
        Self {
            form: SpriteForm::Circle,
            ..Self::default()
        }
    }

    /// The greatest capsule along the sprite's longer side.
    pub fn capsule() -> Self {
        Self {
            form: SpriteForm::Capsule,
            ..Self::default()
        }
    }

    /// The same with a factor of the sprite's size, equal in both directions.
    pub fn scaled(self, scale: f32) -> Self {
        Self {
            scale: Vec2::splat(scale),
            ..self
        }
    }

    /// The collider of a sprite of a size, before it is scaled.
    fn collider(&self, size: Vec2, anchor: Anchor) -> Collider {
        let center = -anchor.as_vec() * size * self.scale;
        let size = (size * self.scale).abs();
        let radius = 0.5 * size.min_element();
        let half = 0.5 * size - radius;
        let outline = match self.form {
            SpriteForm::Rectangle if center == Vec2::ZERO => Outline::rectangle(size.x, size.y),
            SpriteForm::Rectangle => {
                let corner = 0.5 * size;
                let other = Vec2::new(corner.x, -corner.y);
                Outline::polygon([corner, other, -corner, -other].map(|corner| center + corner))
            }
            SpriteForm::Capsule if half != Vec2::ZERO => Outline::Capsule {
                a: center - half,
                b: center + half,
                radius,
            },
            SpriteForm::Circle | SpriteForm::Capsule => Outline::Circle { center, radius },
        };
        outline.into()
    }
}

impl Plugin for SpriteColliderPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<SpriteCollider>().add_systems(
            FixedPostUpdate,
            (fit_changed, fit_after_layouts)
                .chain()
                .before(PhysicsSystems::Apply),
        );
    }
}

/// What a sprite's collider depends on, and the collider.
#[derive(QueryData)]
#[query_data(mutable)]
struct Fitted {
    entity: Entity,
    sprite: &'static Sprite,
    anchor: &'static Anchor,
    fit: &'static SpriteCollider,
    collider: Option<&'static mut Collider>,
}

/// Fits the colliders of sprites that have changed, and of those that are without.
fn fit_changed(
    mut sprites: Query<
        Fitted,
        (
            Or<(
                Changed<Sprite>,
                Changed<Anchor>,
                Changed<SpriteCollider>,
                AssetChanged<Sprite>,
                Without<Collider>,
            )>,
            Allow<Disabled>,
        ),
    >,
    images: Res<Assets<Image>>,
    layouts: Res<Assets<TextureAtlasLayout>>,
    mut commands: Commands,
) {
    for item in &mut sprites {
        fit(item, &images, &layouts, &mut commands);
    }
}

/// Fits the colliders of all sprites when a layout of an atlas has changed, which is rare.
fn fit_after_layouts(
    mut changes: MessageReader<AssetEvent<TextureAtlasLayout>>,
    mut sprites: Query<Fitted, Allow<Disabled>>,
    images: Res<Assets<Image>>,
    layouts: Res<Assets<TextureAtlasLayout>>,
    mut commands: Commands,
) {
    if changes.read().count() == 0 {
        return;
    }
    for item in &mut sprites {
        if item.sprite.texture_atlas.is_some() {
            fit(item, &images, &layouts, &mut commands);
        }
    }
}

/// Gives a sprite its collider, if its size is known.
fn fit(
    item: FittedItem<'_, '_>,
    images: &Assets<Image>,
    layouts: &Assets<TextureAtlasLayout>,
    commands: &mut Commands,
) {
    let Some(size) = size(item.sprite, images, layouts) else {
        return;
    };
    let fitted = item.fit.collider(size, *item.anchor);
    match item.collider {
        Some(collider) if *collider == fitted => {}
        Some(mut collider) => *collider = fitted,
        None => {
            commands.entity(item.entity).insert(fitted);
        }
    }
}

/// The size at which Bevy draws a sprite without a scale; `None` while its image or its atlas's layout is not loaded.
fn size(sprite: &Sprite, images: &Assets<Image>, layouts: &Assets<TextureAtlasLayout>) -> Option<Vec2> {
    let of_rect = || sprite.rect.map(|rect| rect.size());
    let of_image = || match &sprite.texture_atlas {
        Some(atlas) => Some(atlas.texture_rect(layouts)?.size().as_vec2()),
        None => Some(images.get(&sprite.image)?.size_f32()),
    };
    sprite.custom_size.or_else(of_rect).or_else(of_image)
}
