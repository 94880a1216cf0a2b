//! The components Sprite and RenderData, which a renderer reads. The engine stores them and does not use them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use core::convert::Infallible;

use tombolo_entity::{Color, Component, Schema};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::POSITION_MAX_M;

use super::register::{Entries, Extent, InScene, Registered, SceneForm, Stored, Wakes, either_way};

/// A picture at the entity's position.
#[derive(Clone, Debug, PartialEq)]
pub struct Sprite {
    /// The name of the picture.
    pub image: Box<str>,
    /// The size in meters, before the transform's scale.
    pub size: Vec2,
    /// The position of the center in the entity's frame, in meters.
    pub offset: Vec2,
    /// The color that the picture is multiplied with.
    pub color: Color,
    /// The drawing order: higher layers are drawn later.
    pub layer: i32,
    /// Whether the picture is drawn.
    pub visible: bool,
}

impl Default for Sprite {
    fn default() -> Self {
        Self {
            image: Box::default(),
            size: Vec2::ONE,
            offset: Vec2::ZERO,
            color: Color {
                r: 1.0,
                g: 1.0,
                b: 1.0,
                a: 1.0,
            },
            layer: 0,
            visible: true,
        }
    }
}

impl Registered for Sprite {
    type Apply = Extent;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        fields!(Entries::new(), Extent, Wakes::No;
            image => "Which picture.",
            size ["m"] in either_way(POSITION_MAX_M) => "How large it is, before the transform's scale.",
            offset ["m"] in either_way(POSITION_MAX_M) => "Where its middle lies in the entity's frame.",
            color as "colour" => "What it is multiplied with.",
            layer => "Higher ones are drawn later.",
            visible => "Whether it is drawn.",
        )
    }
}

impl Component for Sprite {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }
}

/// Numbers by name for an effect of the renderer: fog, a vignette, a lamp. An entity may have several under different
/// names, for instance the effects of a camera.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderData {
    /// The name of the effect.
    pub effect: Box<str>,
    /// The names of the numbers.
    pub names: Vec<Box<str>>,
    /// The numbers, in the order of the names.
    pub values: Vec<f32>,
    /// The effect's color.
    pub color: Color,
}

impl RenderData {
    /// The number under a name.
    pub fn value(&self, name: &str) -> Option<f32> {
        let place = self.names.iter().position(|known| **known == *name)?;
        self.values.get(place).copied()
    }
}

impl Registered for RenderData {
    type Apply = Stored;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        fields!(Entries::new(), Stored, Wakes::No;
            effect => "Which effect.",
            names, at InScene::Within(SceneForm::Numbers, "the words") => "The names of the numbers.",
            values, at InScene::Within(SceneForm::Numbers, "the numbers") => "The numbers, in the order of the names.",
            color as "colour" => "The effect's color.",
        )
    }
}

impl Component for RenderData {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }
}
