//! Moves characters after a step, and their bodies with them.

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Entity, Mut, Query, Res, ResMut, With};
use bevy_ecs::query::Has;
use bevy_time::Time;
use bevy_transform::components::Transform;
use tombolo_physics::{BodyId, BodyKind, CharacterDef, CharacterScratch, PhysicsError, PhysicsWorld, Pose};

use crate::body::Body;
use crate::character::{Character, CharacterContact, CharacterControl, CharacterState};
use crate::events::{CharacterTouch, CharacterTouchBegan, CharacterTouchEnded, FaultReason, PhysicsFault};
use crate::link::BodyLink;
use crate::planar::Frame;
use crate::saved_state::SavedCharacter;
use crate::world::Physics;

/// The components of characters and of their bodies.
type Characters<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        &'static Character,
        &'static mut CharacterControl,
        &'static mut CharacterState,
        &'static mut BodyLink,
        &'static mut Transform,
        Has<ChildOf>,
    ),
    With<Body>,
>;

/// Moves characters by the keys of their bodies; each sees the bodies of those before it at their new poses.
pub(crate) fn move_characters(
    mut physics: ResMut<Physics>,
    time: Res<Time>,
    mut characters: Characters,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let physics = &mut *physics;
    let mut list: Vec<(u64, Entity, BodyId)> = characters
        .iter()
        .filter_map(|(entity, _, _, _, link, ..)| Some((link.key, entity, link.id?)))
        .collect();
    list.sort_unstable_by_key(|(key, ..)| *key);
    if list.is_empty() && physics.entities.saved.characters.is_empty() {
        return;
    }
    let mut scratch = CharacterScratch::default();
    let before = core::mem::take(&mut physics.entities.saved.characters);
    for (key, entity, body) in list {
        let Ok((_, character, mut control, mut shown, mut link, mut transform, is_nested)) =
            characters.get_mut(entity)
        else {
            continue;
        };
        let Some(pose) = pose_of_movable(&physics.world, body) else {
            stop(&mut physics.character_touches, entity, shown);
            continue;
        };
        let mut saved = before.get(&key).cloned().unwrap_or_else(|| SavedCharacter {
            state: tombolo_physics::Character::new(pose.position.into()),
            touches: Vec::new(),
        });
        saved.state.position = pose.position.into();
        let moved = advance(
            physics,
            body,
            character,
            &control,
            &mut saved,
            &time,
            &mut scratch,
        );
        if control.0.jump != 0.0 {
            control.0.jump = 0.0;
        }
        match moved {
            Ok(pose) => {
                link.step_to(pose, physics.world.step_index());
                if !is_nested {
                    link.show(&mut transform, pose, Frame::WORLD);
                }
                physics.moved_characters.push(entity);
                let before = core::mem::take(&mut shown.touches);
                show(physics, &saved, &mut shown);
                let changes = &mut physics.character_touches;
                add_changes(changes, entity, &before, &shown.touches);
            }
            Err(error) => {
                let reason = FaultReason::Refused(error);
                faults.write(PhysicsFault { entity, reason });
            }
        }
        physics.entities.saved.characters.insert(key, saved);
    }
}

/// The pose of a character's body; `None` if a character with that body is not moved.
fn pose_of_movable(world: &PhysicsWorld, body: BodyId) -> Option<Pose> {
    let body = world.body(body)?;
    (body.kind() == BodyKind::Kinematic && body.is_enabled()).then(|| body.pose())
}

/// Ends the touches of a character that is no longer moved.
fn stop(changes: &mut Vec<CharacterTouch>, entity: Entity, mut shown: Mut<'_, CharacterState>) {
    let none = CharacterState::default();
    add_changes(changes, entity, &shown.touches, &none.touches);
    shown.set_if_neq(none);
}

/// Moves one character, and its body. Returns the body's pose.
fn advance(
    physics: &mut Physics,
    body: BodyId,
    character: &Character,
    control: &CharacterControl,
    saved: &mut SavedCharacter,
    time: &Time,
    scratch: &mut CharacterScratch,
) -> Result<Pose, PhysicsError> {
    let def = CharacterDef {
        body: Some(body),
        ..character.def.clone()
    };
    let world = &mut physics.world;
    let before = saved.state.position;
    world.move_character(&def, &mut saved.state, &control.0, time.delta_secs(), scratch)?;
    saved.touches.clear();
    saved.touches.extend_from_slice(scratch.touches());
    let mut body = world.body_mut(body)?;
    if saved.state.position != before {
        let rotation = body.view().pose().rotation;
        // Its touches last, which a teleport would end.
        body.set_pose(Pose {
            position: saved.state.position.to_vec2(),
            rotation,
        })?;
    }
    Ok(body.view().pose())
}

/// Writes a character's state for the game to read.
pub(crate) fn show(physics: &Physics, saved: &SavedCharacter, shown: &mut CharacterState) {
    shown.state = saved.state;
    let ground = saved
        .state
        .support
        .and_then(|support| physics.shape_entities(support.shape));
    shown.ground = ground.map(|entities| entities.collider);
    shown.touches.clear();
    shown.touches.extend(saved.touches.iter().filter_map(|touch| {
        let ends = physics.shape_entities(touch.shape)?;
        Some(CharacterContact {
            collider: ends.collider,
            body: ends.body,
            point: touch.point.to_vec2(),
            normal: touch.normal,
            impulse: touch.impulse,
        })
    }));
}

/// Adds the changes between two moves of a character: what it ceased to touch, then what it began to touch, each collider once,
/// in the order of the contacts.
fn add_changes(
    changes: &mut Vec<CharacterTouch>,
    entity: Entity,
    before: &[CharacterContact],
    now: &[CharacterContact],
) {
    let has = |touches: &[CharacterContact], collider: Entity| {
        touches.iter().any(|touch| touch.collider == collider)
    };
    for (at, &CharacterContact { collider, body, .. }) in before.iter().enumerate() {
        if !has(now, collider) && !has(&before[..at], collider) {
            let ended = CharacterTouchEnded {
                entity,
                collider,
                body,
            };
            changes.push(CharacterTouch::Ended(ended));
        }
    }
    for (at, touch) in now.iter().enumerate() {
        if !has(before, touch.collider) && !has(&now[..at], touch.collider) {
            let began = CharacterTouchBegan {
                entity,
                collider: touch.collider,
                body: touch.body,
                point: touch.point,
                normal: touch.normal,
            };
            changes.push(CharacterTouch::Began(began));
        }
    }
}
