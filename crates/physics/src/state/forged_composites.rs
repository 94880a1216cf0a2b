//! Tests of forged composites with valid checksums, which a restore must refuse.

use super::State;
use super::forger::{Forger, scaled};
use crate::settings::WorldDef;
use crate::world::PhysicsWorld;
use crate::{BodyDef, Position, RigidWeldDef, ShapeDef};
use alloc::vec::Vec;
use tombolo_geometry::shape::Shape;

/// Two rings, a row and a plain body, some members and welds of which were destroyed.
fn world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let mut members = Vec::new();
    for index in 0..18_u32 {
        let (x, y) = ((index % 6) as f32, 2.0 * (index / 6) as f32);
        let body = world.create_body(&BodyDef::dynamic(x, y)).unwrap();
        for width in [1.0, 0.4] {
            let shape = Shape::new_box(width, 1.0).unwrap();
            world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
        }
        if index != 17 {
            members.push(world.create_member(body, u64::from(index)).unwrap());
        }
    }
    for row in [0..6, 6..12, 12..17] {
        for index in row.clone() {
            let next = if index + 1 < row.end { index + 1 } else { row.start };
            let point = Position::new(index as f32 % 6.0 + 0.5, 0.0);
            world
                .create_rigid_weld(&RigidWeldDef::new(members[index], members[next], point))
                .unwrap();
        }
    }
    world.destroy_member(members[8]).unwrap();
    world.destroy_member(members[14]).unwrap();
    let weld = world.rigid_welds().next().unwrap().id();
    world.destroy_rigid_weld(weld).unwrap();
    for _ in 0..3 {
        world.step(1.0 / 60.0).unwrap();
    }
    world.validate();
    world
}

/// All words of the existing composites in a save.
fn words(state: &mut State, array: usize) -> &mut [u32] {
    let marks = "a member or weld";
    match array {
        0 => state.body_members.unmarked_mut(),
        1 => state.shape_members.unmarked_mut(),
        2 | 3 => {
            let dense = state.members.len() - array + 1;
            bytemuck::cast_slice_mut(core::slice::from_mut(
                state.members.value_at_mut(dense).expect(marks),
            ))
        }
        _ => {
            let dense = state.rigid_welds.len() - array + 3;
            bytemuck::cast_slice_mut(core::slice::from_mut(
                state.rigid_welds.value_at_mut(dense).expect(marks),
            ))
        }
    }
}

/// Changes one field at a time, in every array: it is refused, or the world continues validly, and all its welds can be
/// destroyed.
#[test]
fn forged_composites_are_refused_or_the_world_goes_on() {
    let world = world();
    let mut forger = Forger::new(11);
    let (mut refused, mut accepted) = (0, 0);
    let cases = scaled(750);
    for _ in 0..cases {
        let mut forged = world.clone();
        let which = forger.below(6);
        forger.change_word(words(&mut forged.state, which));
        let Ok(mut restored) = PhysicsWorld::from_save(&forged.save()) else {
            refused += 1;
            continue;
        };
        accepted += 1;
        restored.step(1.0 / 60.0).unwrap();
        restored.validate();
        let a_weld = |world: &PhysicsWorld| world.rigid_welds().next().map(|weld| weld.id());
        while let Some(weld) = a_weld(&restored) {
            restored.destroy_rigid_weld(weld).unwrap();
            restored.step(1.0 / 60.0).unwrap();
        }
        restored.validate();
        let members = restored.members().len();
        assert_eq!(restored.bodies().len(), members + 1);
        let a_member = |world: &PhysicsWorld| world.members().next().map(|member| member.id());
        while let Some(member) = a_member(&restored) {
            restored.destroy_member(member).unwrap();
        }
        restored.step(1.0 / 60.0).unwrap();
        restored.validate();
    }
    // The accepted changes are of user keys, forces and thresholds, positions and masses.
    assert!(
        refused > cases / 4 && accepted > cases / 4,
        "{refused} refused, {accepted} accepted"
    );
}
