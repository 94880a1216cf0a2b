//! The stage `characters`: moves characters among the bodies of this step, in the order of their manager, which is
//! that of their creation except for the places of those that ended; each sees the bodies of those before it at their
//! new poses. Touched shapes become events.

use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, EntitySystem};
use tombolo_geometry::{Pose, Vec2};
use tombolo_physics::{
    self as physics, CHARACTER_GAP_M, CharacterScratch, PhysicsError, QueryFilter, Shape, ShapeId, ShapeRef,
};

use super::World;
use super::events::Meeting;
use super::physical::Touches;
use crate::component::{CHARACTER, Character};

impl World {
    /// The stage `characters`.
    pub(super) fn move_characters(&mut self) {
        let Some(characters) = self.entities.manager::<Dense<Character>>(CHARACTER) else {
            return;
        };
        if characters.values().is_empty() {
            return;
        }
        let owners: Vec<Entity> = characters.owners().map(|(entity, _)| entity).collect();
        let mut scratch = CharacterScratch::default();
        for (place, entity) in owners.into_iter().enumerate() {
            self.move_character_of(entity, place, &mut scratch);
        }
    }

    fn move_character_of(&mut self, entity: Entity, place: usize, scratch: &mut CharacterScratch) {
        let (Some(pose), true) = (self.pose(entity), self.entities.entities().is_alive(entity)) else {
            return;
        };
        let kept = character_at(&self.entities, place);
        let Some(kept) = kept.filter(|kept| !kept.is_at_rest()) else {
            return;
        };
        if !kept.enabled {
            let touched = self.character_at_mut(place).map(Character::rest);
            let ended = touched.iter().flatten();
            ended.for_each(|one| self.entity_events.parted(meeting(entity, one)));
            return;
        }
        let mut character = kept.without_touched();
        let moved = self.advance_character(entity, pose, &mut character, scratch);
        (character.jump, character.drop) = (0.0, false);
        let position = character.state.position.to_vec2();
        let mut touched = None;
        match moved {
            Ok(()) => {
                touched = self.meet(entity, place, scratch);
                if position != pose.position {
                    let at = Pose { position, ..pose };
                    if let Err(error) = self.move_here(entity, at, Touches::Stay) {
                        self.note_fault(format!("character {}: {error}", self.show(entity)));
                    }
                }
            }
            Err(error) => {
                character.state.velocity = Vec2::ZERO;
                self.note_fault_once(format!("character {}: {error}", self.show(entity)));
            }
        }
        self.keep_character(place, character, touched);
    }

    /// The character at a place in the order of their manager, for change: the next frame has a new copy of it.
    fn character_at_mut(&mut self, place: usize) -> Option<&mut Character> {
        let characters = self.entities.manager_mut::<Dense<Character>>(CHARACTER)?;
        characters.value_at_mut(place)
    }

    /// Stores a character that was moved, with the shapes that it touches if those are others than before. One that
    /// stands as it stood is left to frames as it is.
    fn keep_character(&mut self, place: usize, moved: Character, touched: Option<Vec<(ShapeId, Entity)>>) {
        let is_same = |kept: &Character| kept.without_touched() == moved;
        if touched.is_none() && character_at(&self.entities, place).is_some_and(is_same) {
            return;
        }
        if let Some(kept) = self.character_at_mut(place) {
            let touched = touched.unwrap_or_else(|| core::mem::take(&mut kept.touched));
            *kept = Character { touched, ..moved };
        }
    }

    /// Moves a character. One that is beyond the limits of physics, or would come there, keeps its state, which a save
    /// can hold.
    fn advance_character(
        &mut self,
        entity: Entity,
        pose: Pose,
        character: &mut Character,
        scratch: &mut CharacterScratch,
    ) -> Result<(), PhysicsError> {
        let up = (-self.physics.gravity()).try_normalize().unwrap_or(Vec2::Y);
        let standing = character.shape(false, up)?;
        let mut def = character.def(standing, up, self.body_of(entity));
        let mut state = physics::Character {
            position: pose.position.into(),
            ..character.state
        };
        state.validate()?;
        if pose.position != character.state.position.to_vec2() {
            let reach = def.snap_distance + 2.0 * CHARACTER_GAP_M;
            let support = state.support;
            state.support = support.filter(|support| self.is_on(support, &standing, pose.position, reach));
            // Elsewhere it falls through nothing that it let go of; rounding of a parent's pose is not elsewhere.
            let put_by = pose.position.distance(character.state.position.to_vec2());
            state.dropping = state.dropping.filter(|_| put_by <= CHARACTER_GAP_M);
        }
        if character.crouch != character.is_crouched {
            let has_room =
                character.crouch || self.physics.has_room(&def, &standing, state.position, scratch)?;
            character.is_crouched = character.crouch || !has_room;
        }
        if character.is_crouched {
            def.shape = character.shape(true, up)?;
        }
        let (input, dt) = (character.input(), self.step_seconds);
        self.physics
            .move_character(&def, &mut state, &input, dt, scratch)?;
        state.validate()?;
        character.state = state;
        Ok(())
    }

    /// Whether a character that was put at a position, other than that at which its last move ended, is there within reach
    /// of the body that it stood on. That has moved since, and carries it from there.
    fn is_on(&self, support: &physics::Support, standing: &Shape, position: Vec2, reach: f32) -> bool {
        let Some(body) = self.physics.body(support.body) else {
            return false;
        };
        let carried = body.pose().transform_point(support.anchor) - support.place;
        let is_its = |shape: ShapeRef<'_>| shape.body().id() == support.body;
        let filter = QueryFilter {
            predicate: Some(&is_its),
            ..QueryFilter::default()
        };
        let there = Pose::new(position + carried, 0.0);
        let ground = self.physics.closest_to_shape(standing, there, reach, filter);
        ground.is_ok_and(|ground| ground.is_some())
    }

    /// Records the shapes that a character begins to touch and those that it no longer touches. Returns those that it
    /// touches, if they are others than before.
    fn meet(
        &mut self,
        entity: Entity,
        place: usize,
        scratch: &CharacterScratch,
    ) -> Option<Vec<(ShapeId, Entity)>> {
        let now: Vec<(ShapeId, Entity)> = scratch
            .touches()
            .iter()
            .filter_map(|touch| {
                let key = self.physics.shape(touch.shape)?.user_key();
                Some((touch.shape, self.entity_of_key(key)?))
            })
            .collect();
        let before = &character_at(&self.entities, place)?.touched;
        if now == *before {
            return None;
        }
        let begun = now.iter().filter(|one| !before.contains(one));
        begun.for_each(|one| self.entity_events.met(meeting(entity, one)));
        let ended = before.iter().filter(|one| !now.contains(one));
        ended.for_each(|one| self.entity_events.parted(meeting(entity, one)));
        Some(now)
    }
}

/// The character at a place in the order of their manager.
fn character_at(entities: &EntitySystem, place: usize) -> Option<&Character> {
    let characters = entities.manager::<Dense<Character>>(CHARACTER)?;
    characters.values().get(place)
}

fn meeting(character: Entity, &(shape, other): &(ShapeId, Entity)) -> Meeting {
    Meeting {
        character,
        other,
        shape,
    }
}
