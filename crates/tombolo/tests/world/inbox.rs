//! The inbox: the order in which commands came does not show, what is pending is a part of the state, and what is refused
//! changes nothing.

use std::thread;

use proptest::prelude::*;
use tombolo::entity::{LIST_DEPTH_MAX, Override, Value, hash_bytes};
use tombolo::geometry::{Pose, Position, Rot};
use tombolo::physics::Vec2;
use tombolo::{
    CallbackNames, Command, INBOX_BYTES_MAX, INBOX_COMMANDS_MAX, InboxSender, Push, SendFailure,
    SpawnCommand, World,
};

use crate::{run, yard};

/// Commands of every kind, some of which are refused: the `step`th of a sender.
fn command(sender: u64, step: u64) -> Command {
    let number = (sender * 7 + step * 3) as f32;
    let crate_name = format!("crate[{}]", (sender + step) % 4);
    let entity = || crate_name.as_str().into();
    let own = format!("made {sender} {}", step / 9);
    match step % 9 {
        0 => Command::Spawn(Box::new(SpawnCommand {
            resource: "crate".into(),
            name: Some(own.into()),
            pose: Some(Pose::new(
                Vec2::new(number % 20.0 - 10.0, 8.0 + number % 5.0),
                number,
            )),
            overrides: vec![Override {
                path: "body.linear_velocity".into(),
                value: Value::Vec2(Vec2::new(0.0, -number % 3.0)),
            }],
            ..SpawnCommand::default()
        })),
        1 => Command::Push {
            entity: own.as_str().into(),
            push: Push::Impulse(Vec2::new(number % 5.0, 1.0)),
        },
        2 => Command::Set {
            entity: entity(),
            path: "body.angular_velocity".into(),
            value: Value::F32(number % 4.0),
        },
        3 => Command::Push {
            entity: entity(),
            push: Push::ForceAt(Vec2::new(number, 2.0), Position::new(1.0, 1.0)),
        },
        4 => Command::Teleport {
            entity: entity(),
            pose: Pose::new(Vec2::new(number % 9.0, 12.0), 0.3),
        },
        5 => Command::Slice {
            entity: own.as_str().into(),
            from: Position::new(0.0, 9.0),
            to: Position::new(1.0, 9.0 + number % 2.0),
        },
        6 => Command::CutThrough {
            from: Position::new(-12.0, 0.7),
            to: Position::new(number % 6.0, 0.6),
        },
        7 => Command::Set {
            entity: "nobody".into(),
            path: "body.bullet".into(),
            value: Value::Bool(true),
        },
        _ => Command::Despawn(own.as_str().into()),
    }
}

/// One command of each kind and form, for the round through a save.
fn every_kind() -> Vec<Command> {
    let entity = yard().find("safe").unwrap();
    let pose = Pose {
        position: Vec2::new(f32::NAN, -0.0),
        rotation: Rot::from_angle(1.0),
    };
    let (vector, point) = (Vec2::new(1.5, f32::INFINITY), Position::new(-2.0, 1.0e-40));
    let pushes = [
        Push::Impulse(vector),
        Push::ImpulseAt(vector, point),
        Push::AngularImpulse(3.0),
        Push::Force(vector),
        Push::ForceAt(vector, point),
        Push::Torque(-4.0),
    ];
    let values = [
        Value::Bool(true),
        Value::I32(-1),
        Value::U32(u32::MAX),
        Value::I64(i64::MIN),
        Value::F32(0.5),
        Value::F64(-0.25),
        Value::Vec2(vector),
        Value::String("mist".into()),
        Value::Entity(None),
        Value::Entity(Some(entity)),
        Value::Choice(7),
        Value::Blob(Box::new([1, 2, 3])),
        Value::List(vec![Value::List(vec![Value::U32(3)]), Value::List(Vec::new())]),
    ];
    let mut commands = Vec::from([0, 4, 5, 6, 8].map(|step| command(3, step)));
    commands.extend(pushes.map(|push| Command::Push {
        entity: entity.into(),
        push,
    }));
    commands.extend(values.map(|value| Command::Set {
        entity: "safe".into(),
        path: "body.user".into(),
        value,
    }));
    commands.push(Command::Teleport {
        entity: "safe".into(),
        pose,
    });
    commands.push(Command::SetAction {
        name: "jump".into(),
        value: f32::NAN,
    });
    commands.push(Command::UseCallbacks(CallbackNames {
        pre_solve: Some("ice".into()),
        categories: 1 << 63,
        ..CallbackNames::default()
    }));
    commands.push(Command::Spawn(Box::new(SpawnCommand {
        resource: "lamp".into(),
        parent: Some(entity.into()),
        ..SpawnCommand::default()
    })));
    commands
}

/// Has threads send what `senders` senders have to say in a step; each thread the commands of some senders.
fn send_from_threads(world: &World, senders: u64, threads: u64, steps: std::ops::Range<u64>) {
    thread::scope(|scope| {
        for thread in 0..threads {
            let own: Vec<InboxSender> = (0..senders)
                .filter(|sender| sender % threads == thread)
                .map(|sender| world.inbox(sender))
                .collect();
            let steps = steps.clone();
            scope.spawn(move || {
                for step in steps {
                    for sender in own.iter().rev() {
                        sender.send(command(sender.key(), step)).unwrap();
                        thread::yield_now();
                    }
                }
            });
        }
    });
}

#[test]
fn the_number_of_sending_threads_does_not_show() {
    const SENDERS: u64 = 8;
    let mut worlds: Vec<(u64, World)> = [1, 2, 3, 8].map(|threads| (threads, yard())).into();
    for round in 0..12 {
        for (threads, world) in &mut worlds {
            send_from_threads(world, SENDERS, *threads, round * 5..round * 5 + 5);
            assert_eq!(world.pending_command_count(), 40);
        }
        let hash = worlds[0].1.state_hash();
        for (threads, world) in &mut worlds {
            assert_eq!(
                world.state_hash(),
                hash,
                "round {round}, {threads} threads, pending"
            );
            run(world, 3);
            assert_eq!(world.pending_command_count(), 0);
        }
        let hash = worlds[0].1.state_hash();
        for (threads, world) in &worlds {
            assert_eq!(world.state_hash(), hash, "round {round}, {threads} threads");
            assert_eq!(world.faults(), worlds[0].1.faults());
        }
    }
    let world = &worlds[0].1;
    assert!(world.names().any(|(name, _)| name.starts_with("made ")));
    assert!(
        world.faults().iter().any(|fault| fault.contains("nobody")),
        "some were refused"
    );
}

#[test]
fn one_senders_numbers_decide_whichever_thread_brought_them() {
    let layers = |order: &[u64]| {
        let mut world = yard();
        let sender = world.inbox(5);
        thread::scope(|scope| {
            for &number in order {
                let sender = sender.clone();
                let layer = Command::Set {
                    entity: "cart/lamp".into(),
                    path: "look.layer".into(),
                    value: Value::I32(number as i32),
                };
                scope
                    .spawn(move || sender.send_numbered(number, layer).unwrap())
                    .join()
                    .unwrap();
            }
        });
        let pending = world.state_hash();
        world.step();
        let lamp = world.find("cart/lamp").unwrap();
        assert_eq!(world.get(lamp, "look.layer").unwrap(), Value::I32(9));
        (pending, world.state_hash())
    };
    let sorted = layers(&[2, 4, 7, 9]);
    assert_eq!(layers(&[9, 2, 7, 4]), sorted);
    assert_eq!(layers(&[4, 9, 7, 2]), sorted);

    let sender = yard().inbox(5);
    assert_eq!(sender.send(command(0, 2)).unwrap_err().why, SendFailure::Closed);
    let world = yard();
    let sender = world.inbox(5);
    sender.send_numbered(u64::MAX, command(0, 2)).unwrap();
    let taken = SendFailure::NumberTaken {
        sender: 5,
        sequence: u64::MAX,
    };
    let before = world.state_hash();
    let error = sender.send_numbered(u64::MAX, command(0, 3)).unwrap_err();
    assert_eq!((error.why, *error.command), (taken, command(0, 3)));
    assert_eq!(sender.send(command(0, 3)).unwrap_err().why, taken);
    assert_eq!(world.state_hash(), before);
}

#[test]
fn pending_commands_are_saved_and_hashed() {
    for command in every_kind() {
        let world = yard();
        let empty = world.state_hash();
        world.inbox(9).send(command.clone()).unwrap();
        assert_ne!(world.state_hash(), empty, "{command:?}");
        let bytes = world.save();
        let mut again = yard();
        again.restore(&bytes).unwrap();
        assert_eq!(again.save(), bytes, "{command:?}");
        assert_eq!(again.state_hash(), world.state_hash());
        assert_eq!(again.pending_command_count(), 1);
        let mut fork = world.clone();
        fork.step();
        again.step();
        assert_eq!(fork.state_hash(), again.state_hash(), "{command:?}");
        assert_eq!(fork.faults(), again.faults());
        assert_eq!(world.pending_command_count(), 1, "a fork has a copy");
    }
    let mut hashes: Vec<u64> = every_kind()
        .into_iter()
        .map(|command| {
            let world = yard();
            world.inbox(9).send(command).unwrap();
            world.state_hash()
        })
        .collect();
    let count = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), count, "each command has a hash of its own");
}

#[test]
fn a_restored_world_has_what_was_pending_and_goes_on() {
    let mut world = yard();
    let mut other = yard();
    let sender = other.inbox(1);
    for round in 0..10 {
        send_from_threads(&world, 3, 3, round * 4..round * 4 + 4);
        // What is pending in the world that is overwritten goes with the rest of it.
        sender.send(command(50, round)).unwrap();
        other.restore(&world.save()).unwrap();
        assert_eq!(other.pending_command_count(), 12);
        // Its senders go on behind what was saved.
        sender.send(command(1, round)).unwrap();
        world.inbox(1).send(command(1, round)).unwrap();
        for step in 0..20 {
            world.step();
            other.step();
            assert_eq!(
                other.state_hash(),
                world.state_hash(),
                "round {round}, step {step}"
            );
        }
    }
}

#[test]
fn a_refused_command_is_a_fault_and_changes_nothing() {
    let nan = Vec2::new(f32::NAN, 0.0);
    let refused = [
        Command::Despawn("nobody".into()),
        Command::Set {
            entity: "safe".into(),
            path: "body.linear_velocity".into(),
            value: Value::Vec2(nan),
        },
        Command::Teleport {
            entity: "safe".into(),
            pose: Pose::new(nan, 0.0),
        },
        Command::Push {
            entity: "safe".into(),
            push: Push::Impulse(nan),
        },
        Command::Push {
            entity: "chute".into(),
            push: Push::Torque(1.0),
        },
        Command::Slice {
            entity: "chute".into(),
            from: Position::new(0.0, 0.0),
            to: Position::new(1.0, 0.0),
        },
        Command::CutThrough {
            from: Position::from(nan),
            to: Position::new(1.0, 0.0),
        },
        Command::Spawn(Box::new(SpawnCommand {
            resource: "crate".into(),
            overrides: vec![Override {
                path: "hull.friction".into(),
                value: Value::F32(-1.0),
            }],
            ..SpawnCommand::default()
        })),
        Command::Spawn(Box::new(SpawnCommand {
            resource: "crate".into(),
            name: Some("safe".into()),
            ..SpawnCommand::default()
        })),
        Command::Spawn(Box::new(SpawnCommand {
            resource: "crate".into(),
            parent: Some("nobody".into()),
            ..SpawnCommand::default()
        })),
    ];
    for command in refused {
        let mut world = yard();
        run(&mut world, 10);
        let mut alone = world.clone();
        let before = world.state_hash();
        assert!(world.apply(command.clone()).is_err(), "{command:?}");
        assert_eq!(world.state_hash(), before, "{command:?}");
        world.inbox(4).send(command.clone()).unwrap();
        // The one behind it is applied.
        let layer = Command::Set {
            entity: "cart/lamp".into(),
            path: "look.layer".into(),
            value: Value::I32(8),
        };
        world.inbox(4).send(layer.clone()).unwrap();
        alone.apply(layer).unwrap();
        world.step();
        alone.step();
        assert_eq!(world.state_hash(), alone.state_hash(), "{command:?}");
        let [fault] = world.faults() else {
            panic!("{command:?}: {:?}", world.faults());
        };
        assert!(fault.starts_with("inbox, sender 4, command 0: "), "{fault}");
    }
}

#[test]
fn a_full_inbox_refuses_and_gives_the_command_back() {
    let mut world = yard();
    let (sender, other) = (world.inbox(1), world.inbox(2));
    for step in 0..INBOX_COMMANDS_MAX as u64 {
        sender.send(command(1, 2 + 9 * step)).unwrap();
    }
    let before = world.state_hash();
    let error = sender.send(command(1, 3)).unwrap_err();
    assert!(
        matches!(error.why, SendFailure::Full { sender: 1, commands, .. } if commands == INBOX_COMMANDS_MAX),
        "{error}"
    );
    assert_eq!(*error.command, command(1, 3));
    assert_eq!(world.state_hash(), before);
    // One that is full leaves room to others; a step makes room.
    other.send(command(2, 2)).unwrap();
    let mut again = yard();
    again.restore(&world.save()).unwrap();
    assert!(matches!(
        again.inbox(1).send(command(1, 3)).unwrap_err().why,
        SendFailure::Full { .. }
    ));
    world.step();
    sender.send(*error.command).unwrap();

    let set = |value| Command::Set {
        entity: "cart/lamp".into(),
        path: "look.image".into(),
        value,
    };
    let text = |bytes: usize| set(Value::String("x".repeat(bytes).into()));
    let room = INBOX_BYTES_MAX - text(0).byte_count();
    let world = yard();
    let sender = world.inbox(1);
    assert!(matches!(
        sender.send(text(room + 1)).unwrap_err().why,
        SendFailure::Full { commands: 0, .. }
    ));
    assert_eq!(world.pending_command_count(), 0);
    sender.send(text(room)).unwrap();
    assert!(sender.send(text(0)).is_err());

    let nested = |depth| set((0..depth).fold(Value::U32(1), |value, _| Value::List(vec![value])));
    let sender = world.inbox(3);
    let error = sender.send(nested(LIST_DEPTH_MAX + 1)).unwrap_err();
    assert_eq!(error.why, SendFailure::Nested { sender: 3 });
    sender.send(nested(LIST_DEPTH_MAX)).unwrap();
    yard().restore(&world.save()).unwrap();
}

#[test]
fn a_refused_call_that_puts_the_world_back_keeps_its_inbox() {
    use tombolo::entity::{ComponentDefinition, ResourceDefinition};
    let mut world = yard();
    let sender = world.inbox(1);
    sender.send(command(1, 2)).unwrap();
    let mut resource = ResourceDefinition::new("wrong");
    resource.components.push(ComponentDefinition {
        name: "part".into(),
        manager: "NoSuchManager".into(),
        values: Vec::new(),
    });
    assert!(world.define(vec![resource]).is_err());
    sender.send(command(1, 3)).unwrap();
    assert_eq!(world.pending_command_count(), 2);
}

fn sends_from_other_threads<T: Send + Sync + Clone + 'static>(_: &T) {}

#[test]
fn a_sender_goes_to_other_threads_and_does_not_keep_the_world() {
    let world = yard();
    let sender = world.inbox(u64::MAX);
    sends_from_other_threads(&sender);
    sender.send(command(1, 2)).unwrap();
    drop(world);
    let error = thread::spawn(move || sender.send(command(1, 2)).unwrap_err());
    assert_eq!(error.join().unwrap().why, SendFailure::Closed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Bytes of the inbox's part that nobody wrote, with a checksum that fits.
    #[test]
    fn a_forged_inbox_is_refused_or_steps(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut world = yard();
        let empty = world.save();
        for command in every_kind() {
            world.inbox(2).send(command).unwrap();
        }
        let mut bytes = world.save();
        let end = bytes.len() - 8;
        // Behind the length of the part.
        let start = empty.len() - 8;
        for (at, byte) in changes {
            bytes[start + at.index(end - start)] ^= byte;
        }
        let checksum = hash_bytes(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&checksum);
        let before = world.state_hash();
        match world.restore(&bytes) {
            Ok(()) => {
                let hash = world.state_hash();
                let mut again = yard();
                again.restore(&world.save()).unwrap();
                prop_assert_eq!(again.state_hash(), hash);
                run(&mut world, 2);
            }
            Err(_) => prop_assert_eq!(world.state_hash(), before),
        }
    }
}
