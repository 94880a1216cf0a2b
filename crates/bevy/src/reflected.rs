//! The types by which values of the engine in components are reflected, for inspectors and scenes of Bevy.
//!
//! What the engine defines with public fields is reflected field by field. Definitions with shapes in them, and of
//! joints, are opaque: reflection clones and compares them as a whole.

use bevy_math::Vec2;
use bevy_reflect::reflect_remote;
use tombolo_physics::{
    CharacterDef, CharacterInput, CombineRule, FieldDef, Filter, JointDef, MassProperties, Shape,
};

/// [`MassProperties`] in reflection.
#[reflect_remote(MassProperties)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) struct ReflectedMass {
    pub mass: f32,
    pub inertia: f32,
    pub center: Vec2,
}

/// [`CombineRule`] in reflection.
#[reflect_remote(CombineRule)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) enum ReflectedRule {
    Usual,
    Mean,
    GeometricMean,
    Min,
    Product,
    Max,
}

/// [`Filter`] in reflection.
#[reflect_remote(Filter)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) struct ReflectedFilter {
    pub category: u64,
    pub mask: u64,
    pub group: i32,
}

/// [`CharacterInput`] in reflection.
#[reflect_remote(CharacterInput)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) struct ReflectedInput {
    pub walk: f32,
    pub climb: f32,
    pub jump: f32,
    pub drop: bool,
    pub is_climbing: bool,
    pub lift: f32,
    pub drag: f32,
}

/// [`CharacterDef`] in reflection, as a whole.
#[reflect_remote(CharacterDef)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(opaque)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) struct ReflectedCharacter;

/// [`FieldDef`] in reflection, as a whole.
#[reflect_remote(FieldDef)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(opaque)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) struct ReflectedField;

/// [`JointDef`] in reflection, as a whole.
#[reflect_remote(JointDef)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(opaque)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) struct ReflectedJoint;

/// [`Shape`] in reflection, as a whole.
#[reflect_remote(Shape)]
#[derive(Clone, Debug, PartialEq)]
#[reflect(opaque)]
#[reflect(Clone, Debug, PartialEq)]
pub(crate) struct ReflectedShape;
