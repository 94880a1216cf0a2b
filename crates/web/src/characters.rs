//! Exports for characters, by number: they are moved by geometry among the bodies of a world.
#![allow(unsafe_code)]

use std::cell::RefCell;

use tombolo_physics::{
    BodyId, Character, CharacterDef, CharacterInput, CharacterScratch, Position, Shape, Vec2,
};

use crate::bodies::body_id;
use crate::exchange::{Failure, Input, Output, Row, exchange};
use crate::shapes::material;
use crate::worlds::with_physics;

/// A character: its definition, its state, and the shapes that it touched.
#[derive(Clone)]
struct Figure {
    def: CharacterDef,
    state: Character,
    scratch: CharacterScratch,
}

thread_local! {
    /// `None`: the character was freed, and its number may be used again.
    static FIGURES: RefCell<Vec<Option<Figure>>> = const { RefCell::new(Vec::new()) };
}

/// Runs a call on a character.
fn with_figure(
    number: u32,
    call: impl FnOnce(&mut Figure, &Input, &mut Output) -> Result<usize, Failure>,
) -> i32 {
    exchange(|input, output| {
        FIGURES.with_borrow_mut(|figures| {
            let figure = figures.get_mut(number as usize).and_then(Option::as_mut);
            call(figure.ok_or("the character was freed")?, input, output)
        })
    })
}

/// Adds a character; returns its number.
fn keep(create: impl FnOnce(&Input) -> Result<Figure, Failure>) -> i32 {
    exchange(|input, _| {
        let figure = create(input)?;
        FIGURES.with_borrow_mut(|figures| {
            let free = figures.iter().position(Option::is_none);
            let place = free.unwrap_or(figures.len());
            if place == figures.len() {
                figures.push(None);
            }
            figures[place] = Some(figure);
            Ok(place)
        })
    })
}

/// A character at rest at a position.
fn at(row: &mut Row<'_>) -> Result<Character, Failure> {
    let mut place = Vec2::ZERO;
    row.vector(&mut place);
    let state = Character::new(Position::new(place.x, place.y));
    state.validate()?;
    Ok(state)
}

/// Creates an upright character. Words: category, mask, material, its own body or 0. Row: position, height, radius, up,
/// steepest slope, step height, snap distance, acceleration on the ground and in the air, greatest speed, whether it
/// inherits velocity, mass, greatest push force, speed of pushing it out of overlaps.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn character_create() -> i32 {
    keep(|input| {
        let [category, mask, number, body] = input.words()?;
        let mut row = input.row(4, 16)?;
        let state = at(&mut row)?;
        let [mut height, mut radius] = [1.8, 0.35];
        row.number(&mut height);
        row.number(&mut radius);
        let mut up = Vec2::Y;
        row.vector(&mut up);
        let reach = (0.5 * height - radius).max(0.0) * up;
        let mut def = CharacterDef {
            up,
            category,
            mask,
            material: material(number)?,
            body: (body != 0).then(|| body_id(body)).transpose()?,
            ..CharacterDef::new(Shape::capsule(-reach, reach, radius)?)
        };
        row.number(&mut def.slope_max);
        row.number(&mut def.step_height);
        row.number(&mut def.snap_distance);
        row.number(&mut def.acceleration);
        row.number(&mut def.air_acceleration);
        row.number(&mut def.speed_max);
        row.flag(&mut def.inherit_velocity);
        row.number(&mut def.mass);
        row.number(&mut def.push_force_max);
        row.number(&mut def.push_out_speed);
        def.validate()?;
        Ok(Figure {
            def,
            state,
            scratch: CharacterScratch::default(),
        })
    })
}

/// Moves a character by a step among the bodies of a world. Row: seconds, walk, climb, jump, drop, climbing, lift, drag.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn character_move(world: u32, character: u32) -> i32 {
    with_physics(world, |world, input, _| {
        let mut row = input.row(0, 8)?;
        let mut dt = 1.0 / 60.0;
        row.number(&mut dt);
        let mut wishes = CharacterInput::default();
        row.number(&mut wishes.walk);
        row.number(&mut wishes.climb);
        row.number(&mut wishes.jump);
        row.flag(&mut wishes.drop);
        row.flag(&mut wishes.is_climbing);
        row.number(&mut wishes.lift);
        row.number(&mut wishes.drag);
        FIGURES.with_borrow_mut(|figures| {
            let figure = figures.get_mut(character as usize).and_then(Option::as_mut);
            let Figure { def, state, scratch } = figure.ok_or("the character was freed")?;
            world.move_character(def, state, &wishes, dt, scratch)?;
            Ok(0)
        })
    })
}

/// The state of a character. Numbers: position, velocity in the world, whether it stands, whether it is crushed. Ids:
/// body and shape that it stands on or 0, then the shapes that it touched in its last move.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn character_state(character: u32) -> i32 {
    with_figure(character, |figure, _, output| {
        let state = &figure.state;
        let (place, velocity) = (state.position.to_vec2(), state.world_velocity());
        let [grounded, crushed] = [state.is_grounded(), state.is_crushed()].map(|is| f32::from(u8::from(is)));
        output
            .numbers
            .extend([place.x, place.y, velocity.x, velocity.y, grounded, crushed]);
        let support = state.support.map(|support| (support.body, support.shape));
        let ids = support.map(|(body, shape)| [BodyId::to_bits(body), shape.to_bits()]);
        output.ids.extend(ids.unwrap_or_default());
        let touches = figure.scratch.touches().iter();
        output.ids.extend(touches.map(|touch| touch.shape.to_bits()));
        Ok(1)
    })
}

/// Teleports a character, after which it is at rest and in the air. Row: the position.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn character_teleport(character: u32) -> i32 {
    with_figure(character, |figure, input, _| {
        figure.state = at(&mut input.row(0, 2)?)?;
        Ok(0)
    })
}

/// An independent copy.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn character_clone(character: u32) -> i32 {
    let mut copy = None;
    let copied = with_figure(character, |figure, _, _| {
        copy = Some(figure.clone());
        Ok(0)
    });
    match copy {
        Some(copy) => keep(|_| Ok(copy)),
        None => copied,
    }
}

/// Frees a character.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn character_free(character: u32) {
    FIGURES.with_borrow_mut(|figures| {
        if let Some(figure) = figures.get_mut(character as usize) {
            *figure = None;
        }
    });
}
