//! Tests of recordings that another build made, or that are forged.

use super::Recording;
use crate::described::{Data, Schema, Value};
use crate::recording::{Call, RecordOptions, RecordedCall, pack};
use crate::shape::Filter;
use crate::state::scaled;
use crate::world::PhysicsWorld;
use crate::{BodyDef, Shape, ShapeDef, WorldDef};
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_threads::Inline;

fn filter(fields: &[(&str, u64)]) -> Value {
    let fields = fields
        .iter()
        .map(|(name, bits)| ((*name).into(), Value::Unsigned(*bits)));
    Value::Form {
        of: "Filter".into(),
        form: "".into(),
        fields: fields.collect(),
    }
}

#[test]
fn fields_are_read_by_name_with_the_default_for_those_that_an_older_build_did_not_have() {
    let read = Filter::read(&filter(&[("mask", 6), ("category", 5)])).unwrap();
    let expected = Filter {
        category: 5,
        mask: 6,
        ..Filter::default()
    };
    assert_eq!(read, expected);
    let error = Filter::read(&filter(&[("mask", 6), ("color", 5)])).unwrap_err();
    assert!(error.0.contains("Filter has a color"), "{error:?}");
    let unknown = Value::Form {
        of: "Call".into(),
        form: "SetWeather".into(),
        fields: Vec::new(),
    };
    let error = Call::read(&unknown).unwrap_err();
    assert!(error.0.contains("SetWeather"), "{error:?}");
}

#[test]
fn a_schema_of_another_order_gives_the_same_values() {
    // The bytes of a build with the fields of a filter in another order, and one call.
    let mut bytes = vec![2];
    for (name, is_choice, form, fields) in [
        (
            "Filter",
            0,
            "",
            &[("group", &[2][..]), ("category", &[1]), ("mask", &[1])][..],
        ),
        (
            "Call",
            1,
            "ShapeSetFilter",
            &[("filter", &[8, 0]), ("shape", &[1])],
        ),
    ] {
        let mut text = |text: &str| {
            bytes.push(text.len() as u8);
            bytes.extend(text.as_bytes());
        };
        text(name);
        bytes.extend([is_choice, 1]);
        let mut text = |text: &str| {
            bytes.push(text.len() as u8);
            bytes.extend(text.as_bytes());
        };
        text(form);
        bytes.push(fields.len() as u8);
        for (name, kind) in fields {
            bytes.push(name.len() as u8);
            bytes.extend(name.as_bytes());
            bytes.extend(*kind);
        }
    }
    let schema = Schema::read(&mut &bytes[..]).unwrap();
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let geometry = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let shape = world.create_shape(body, &ShapeDef::default(), &geometry).unwrap();
    let mut call = vec![0, 7, 3, 4];
    shape.write(&mut call);
    let value = schema
        .read_value(&schema.find("Call").unwrap(), &mut &call[..])
        .unwrap();
    let filter = Filter {
        category: 3,
        mask: 4,
        group: -4,
    };
    assert_eq!(Call::read(&value), Ok(Call::ShapeSetFilter { shape, filter }));
}

/// Blocks with changed bytes and valid checksums.
#[test]
fn forged_recordings_are_refused_or_play() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    world.start_recording(RecordOptions {
        hash_steps: 2,
        ..RecordOptions::default()
    });
    let body = world.create_body(&BodyDef::dynamic(0.0, 1.0)).unwrap();
    let geometry = Shape::new_box(1.0, 2.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &geometry).unwrap();
    for step in 0..8 {
        world
            .body_mut(body)
            .unwrap()
            .apply_force(Vec2::new(step as f32, 3.0))
            .unwrap();
        world.step(0.01).unwrap();
    }
    let file = world.end_recording();
    let whole = Recording::open(file.clone()).unwrap();
    let parts: Vec<_> = whole
        .blocks
        .iter()
        .map(|block| (block.kind, block.steps, block.unpack(&file).unwrap()))
        .collect();
    assert_eq!(pack(Call::MAGIC, &parts), file);
    let (mut state, mut played, mut refused) = (7_u64, 0, 0);
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    let cases = scaled(1_500);
    for _ in 0..cases {
        let mut parts = parts.clone();
        for _ in 0..1 + random(3) {
            let part = random(parts.len());
            let bytes = &mut parts[part].2;
            let at = random(bytes.len());
            match (random(4), bytes.get_mut(at)) {
                (0, Some(_)) => drop(bytes.remove(at)),
                (1, _) => bytes.insert(at, random(256) as u8),
                (_, Some(byte)) => *byte ^= 1 << random(8),
                _ => parts[part].1 = random(1 << 30) as u64,
            }
        }
        let outcome = Recording::open(pack(Call::MAGIC, &parts)).and_then(|recording| {
            let mut player = recording.player()?;
            for _ in 0..12 {
                player.play_step(&Inline)?;
            }
            Ok(())
        });
        match outcome {
            Ok(()) => played += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(played > cases / 12 && refused > cases / 12, "{played} {refused}");
}
