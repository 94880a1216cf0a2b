//! Actions: what players want is state of the world, heard of once, saved, hashed, recorded, and refused where it is no value.

use tombolo::entity::hash_bytes;
use tombolo::physics::RecordOptions;
use tombolo::threads::Inline;
use tombolo::{ACTION_VALUE_MAX, ACTIONS_MAX, Command, Scene, World, WorldRecording};

use crate::{run, yard};

#[test]
fn a_tap_between_two_steps_is_heard_of_once() {
    let mut world = yard();
    world.set_action("jump", 1.0).unwrap();
    assert!(world.is_action_held("jump") && world.was_action_pressed("jump"));
    world.set_action("jump", 0.0).unwrap();
    assert!(!world.is_action_held("jump"));
    assert!(world.was_action_pressed("jump") && world.was_action_released("jump"));
    world.step();
    assert!(!world.was_action_pressed("jump") && !world.was_action_released("jump"));
    // Held on, it is pressed once.
    world.set_action("jump", -0.5).unwrap();
    world.step();
    world.set_action("jump", -1.0).unwrap();
    assert!(world.is_action_held("jump") && !world.was_action_pressed("jump"));
    assert_eq!(world.action("jump"), -1.0);
    // One ulp below is not held.
    world.set_action("jump", 0.5_f32.next_down()).unwrap();
    assert!(!world.is_action_held("jump") && world.was_action_released("jump"));
    assert_eq!(
        world.actions().collect::<Vec<_>>(),
        [("jump", 0.5_f32.next_down())]
    );
}

#[test]
fn what_is_no_action_is_refused_and_changes_nothing() {
    let mut world = yard();
    let long = "x".repeat(65);
    let beyond = ACTION_VALUE_MAX.next_up();
    let before = world.state_hash();
    for (name, value) in [
        ("", 1.0),
        (&*long, 1.0),
        ("jump", f32::NAN),
        ("jump", f32::INFINITY),
        ("jump", beyond),
        ("jump", -beyond),
    ] {
        let error = world.set_action(name, value).unwrap_err().to_string();
        assert!(error.starts_with("action \""), "{error}");
    }
    assert_eq!(world.state_hash(), before);
    assert_eq!(world.actions().len(), 0);
    for number in 0..ACTIONS_MAX {
        world.set_action(&format!("action {number}"), 1.0).unwrap();
    }
    assert!(world.set_action("one more", 1.0).is_err());
    world.set_action("action 7", ACTION_VALUE_MAX).unwrap();
    world.set_action(&long[1..], 1.0).unwrap_err();
}

#[test]
fn actions_are_saved_and_hashed() {
    let mut world = yard();
    run(&mut world, 3);
    let plain = world.clone();
    let none = world.state_hash();
    world.set_action("move", -0.75).unwrap();
    world.set_action("jump", 1.0).unwrap();
    let set = world.state_hash();
    assert_ne!(set, none);
    let save = world.save();
    let frame = world.frame();
    let checksum = frame.checksum();
    // That it was pressed is state too.
    world.step();
    assert_ne!(world.frame().checksum(), checksum);
    let mut other = plain.clone();
    other.restore(&save).unwrap();
    assert_eq!((other.state_hash(), other.save()), (set, save));
    assert!(other.was_action_pressed("jump"));
    assert_eq!(other.action("move"), -0.75);
    other.step();
    assert_eq!(other.state_hash(), world.state_hash());
    world.restore_frame(&frame);
    assert_eq!(world.state_hash(), set);
    // No zero is minus zero: what is equal has equal bits.
    let (mut plus, mut minus) = (plain.clone(), plain);
    plus.set_action("move", 0.0).unwrap();
    minus.set_action("move", -0.0).unwrap();
    assert_eq!(plus.state_hash(), minus.state_hash());
}

/// A save with the part of the actions changed, and the checksum put right.
fn forged(save: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut at = 12;
    let part = |at: usize| u64::from_le_bytes(save[at..at + 8].try_into().unwrap()) as usize;
    // Physics, entities, the inbox.
    (0..3).for_each(|_| at += 8 + part(at));
    let end = at + 8 + part(at);
    let mut actions = save[at + 8..end].to_vec();
    change(&mut actions);
    let mut bytes = save[..at].to_vec();
    bytes.extend((actions.len() as u64).to_le_bytes());
    bytes.extend(actions);
    bytes.extend(&save[end..save.len() - 8]);
    let checksum = hash_bytes(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

#[test]
fn forged_actions_are_refused() {
    let mut world = yard();
    world.set_action("ab", 0.5).unwrap();
    world.set_action("cd", 1.0).unwrap();
    let save = world.save();
    let mut like = yard();
    let before = like.state_hash();
    like.restore(&forged(&save, |_| {})).unwrap();
    assert_eq!(like.state_hash(), world.state_hash());
    let mut like = yard();
    // A count, then of each action: the length of its name, the name, the value, two flags.
    let (name, value, flag) = (16, 18, 22);
    type Forge = fn(&mut Vec<u8>, usize);
    let forgeries: [(usize, Forge); 9] = [
        (value, |bytes, at| {
            bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes())
        }),
        (value, |bytes, at| {
            bytes[at..at + 4].copy_from_slice(&(-0.0_f32).to_le_bytes())
        }),
        (value, |bytes, at| {
            bytes[at..at + 4].copy_from_slice(&1.0e6_f32.to_le_bytes())
        }),
        (flag, |bytes, at| bytes[at] = 2),
        (name, |bytes, at| bytes[at..at + 2].copy_from_slice(b"cd")),
        (name, |bytes, at| bytes[at..at + 2].copy_from_slice(b"zz")),
        (0, |bytes, at| bytes[at] = 3),
        (0, |bytes, at| bytes[at + 7] = 255),
        (0, |bytes, _| bytes.push(0)),
    ];
    for (number, (at, forge)) in forgeries.into_iter().enumerate() {
        let bytes = forged(&save, |actions| forge(actions, at));
        assert!(like.restore(&bytes).is_err(), "forgery {number}");
        assert_eq!(like.state_hash(), before);
    }
}

#[test]
fn a_recording_has_actions_with_their_steps() {
    let mut world = yard();
    world.start_recording(RecordOptions {
        key_frame_steps: 0,
        hash_steps: 1,
    });
    let sender = world.inbox(4);
    for step in 0..12 {
        if step % 4 == 1 {
            world.set_action("move", step as f32 / 12.0).unwrap();
        }
        if step % 5 == 2 {
            let (name, value) = ("jump".into(), 1.0 - (step % 2) as f32);
            sender.send(Command::SetAction { name, value }).unwrap();
        }
        world.step();
    }
    world.set_action("move", f32::NAN).unwrap_err();
    let file = world.end_recording();
    let recording = WorldRecording::open(file).unwrap();
    let mut player = recording.player().unwrap();
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(player.world().state_hash(), world.state_hash());
    assert_eq!(
        player.world().actions().collect::<Vec<_>>(),
        world.actions().collect::<Vec<_>>()
    );
}

#[test]
fn a_scene_says_how_actions_are_given() {
    let scene = |actions: &str| {
        let text = format!(
            "(\n actions: {{{actions}}},\n entities: {{\"lamp\": {{\"place\": Transform()}}}},\n \
             place: [One(name: \"lamp\", entity: \"lamp\")],\n)"
        );
        Scene::parse("keys.ron", &text)
    };
    let read =
        scene(r#""move": (), "jump": (keys: ["Space"], buttons: [A, Start]), "aim": (pointer: X)"#).unwrap();
    let all: Vec<_> = read.actions().collect();
    assert_eq!(
        all.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["move", "jump", "aim"]
    );
    assert!(all[0].1.is_axis() && all[0].1.keys.contains(&"ArrowRight".to_string()));
    assert!(!all[1].1.is_axis());
    assert_eq!(
        all[1]
            .1
            .buttons
            .iter()
            .map(|button| button.index())
            .collect::<Vec<_>>(),
        [0, 9]
    );
    // The world does not look at it.
    let bare = World::from_scene(&scene("").unwrap()).unwrap();
    assert_eq!(World::from_scene(&read).unwrap().state_hash(), bare.state_hash());
    let refused = |actions: &str, why: &str| {
        let error = scene(actions).unwrap_err().to_string();
        assert!(
            error.starts_with("keys.ron:2: ") && error.contains(why),
            "{error}"
        );
    };
    refused(r#""dance": ()"#, "action \"dance\": give keys, buttons");
    refused(r#""jump": (), "jump": ()"#, "defined twice");
    refused(r#""": (keys: ["KeyA"])"#, "a name cannot be empty");
    refused(r#""jump": (buttons: [Q])"#, "`Q`");
    refused(r#""jump": (key: "A")"#, "`key`");
}
