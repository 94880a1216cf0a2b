//! What a renderer reads. The engine keeps it and does not look at it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tombolo_entity::{Colour, Component, Schema};
use tombolo_geometry::Vec2;

/// A picture at the entity's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Sprite {
    /// Which picture.
    pub image: Box<str>,
    /// Metres, before the transform's scale.
    pub size: Vec2,
    /// Where its middle lies in the entity's frame, metres.
    pub offset: Vec2,
    /// What it is multiplied with.
    pub colour: Colour,
    /// Higher ones are drawn later.
    pub layer: i32,
    /// Whether it is drawn.
    pub visible: bool,
}

impl Default for Sprite {
    fn default() -> Self {
        Self {
            image: Box::default(),
            size: Vec2::ONE,
            offset: Vec2::ZERO,
            colour: Colour {
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

impl Component for Sprite {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property("image", |s: &Self| s.image.clone(), |s, image| s.image = image)
            .doc("Which picture.")
            .property("size", |s: &Self| s.size, |s, size| s.size = size)
            .unit("m")
            .doc("How large it is, before the transform's scale.")
            .property("offset", |s: &Self| s.offset, |s, offset| s.offset = offset)
            .unit("m")
            .doc("Where its middle lies in the entity's frame.")
            .property("colour", |s: &Self| s.colour, |s, colour| s.colour = colour)
            .doc("What it is multiplied with.")
            .property("layer", |s: &Self| s.layer, |s, layer| s.layer = layer)
            .doc("Higher ones are drawn later.")
            .property("visible", |s: &Self| s.visible, |s, visible| s.visible = visible)
            .doc("Whether it is drawn.")
    }
}

/// Numbers under names for an effect of the renderer: fog, a vignette, a lamp. Several of one entity under different
/// names, as the effects of a camera are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderData {
    /// Which effect.
    pub effect: Box<str>,
    /// The names of the numbers.
    pub names: Vec<Box<str>>,
    /// The numbers, in the order of the names.
    pub values: Vec<f32>,
    /// The effect's colour.
    pub colour: Colour,
}

impl RenderData {
    /// The number of a name.
    pub fn value(&self, name: &str) -> Option<f32> {
        let place = self.names.iter().position(|known| **known == *name)?;
        self.values.get(place).copied()
    }
}

impl Component for RenderData {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property(
                "effect",
                |d: &Self| d.effect.clone(),
                |d, effect| d.effect = effect,
            )
            .doc("Which effect.")
            .property("names", |d: &Self| d.names.clone(), |d, names| d.names = names)
            .doc("The names of the numbers.")
            .property(
                "values",
                |d: &Self| d.values.clone(),
                |d, values| d.values = values,
            )
            .doc("The numbers, in the order of the names.")
            .property("colour", |d: &Self| d.colour, |d, colour| d.colour = colour)
            .doc("The effect's colour.")
    }
}
