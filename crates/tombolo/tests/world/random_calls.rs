//! Random calls on a world of everything, of which many are refused: a refusal changes nothing, a save restores to the same world
//! that goes on alike, a frame brings back what it was of, and asking for a path leaves no trace.
//!
//! `TOMBOLO_TEST_SCALE` multiplies the number of worlds, `TOMBOLO_FUZZ_SEED` sets the first seed. A failure names the seed.

use tombolo::entity::{Accessor, Entity, ResourceDefinition, Value};
use tombolo::geometry::Pose;
use tombolo::physics::{Position, QueryFilter, Vec2};
use tombolo::{Scene, SpawnDef, World, WorldFrame};

use crate::rewind::Random;
use crate::scale::scaled;

/// Calls in the life of one world.
const CALLS_PER_WORLD: usize = 300;

const ALL: &str = r##"(
    settings: (seed: 3),
    scripts: {"mind": "
        fn on_spawn() { this.n = 0; repeat_timer(\"leaf\", 0.1); }
        fn on_timer(name) { this.n += 1; if random() < 0.1 { spawn_entity(\"leaf\", #{parent: me()}); } }
        fn on_tick(seconds) { this.near = entities_in_box(vec2(-3, -3), vec2(3, 3)).len(); this.zones = zones_at(vec2(1, 1)).len(); }
        fn on_begin_touch(other) { if random() < 0.02 { despawn(other); } }
    "},
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 60, height: 2))},
        "wall": {"body": Body(), "top": Collider(shape: Box(width: 1, height: 4))},
        "box": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1), hit_events: true), "cargo": Tag()},
        "leaf": {"look": Sprite(size: (0.2, 0.2)), "cargo": Tag()},
        "zone": {"area": Zone(shape: Circle(radius: 3))},
        "seer": {"eye": Trigger(shape: Circle(radius: 2))},
        "walker": {"body": Body(kind: Kinematic), "hull": Collider(shape: Circle(radius: 0.4)), "way": Agent(goal: (9, 3))},
        "ghost": {"way": Agent(goal: (-9, 3), speed: 3)},
        "hero": {"feet": Character()},
        "thinker": {
            "mind": Script(name: "mind"),
            "look": Sprite(),
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Circle(radius: 0.3)),
        },
        "mother": {"make": Spawner(resource: "box", interval: 0.3, limit: 6, spread: (2, 0))},
        "tree": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
            "a": Child(entity: "leaf", at: (0, 1)),
            "b": Child(entity: "seer", at: (1, 0)),
            "c": Child(entity: "zone"),
        },
        "link": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 0.8, height: 0.2)),
            "pin": Joint(to: Previous, pivot: (-0.5, 0)),
        },
    },
    place: [
        One(name: "floor", entity: "floor", at: (0, -1)),
        One(name: "wall", entity: "wall", at: (4, 2)),
        Row(name: "box", entity: "box", count: 4, at: (-6, 3), step: (1.5, 0)),
        One(name: "zone", entity: "zone", at: (1, 1)),
        One(name: "seer", entity: "seer", at: (-3, 1)),
        One(name: "walker", entity: "walker", at: (-8, 3)),
        One(name: "ghost", entity: "ghost", at: (8, 6)),
        One(name: "hero", entity: "hero", at: (0, 4)),
        One(name: "thinker", entity: "thinker", at: (2, 5)),
        One(name: "mother", entity: "mother", at: (0, 9)),
        One(name: "tree", entity: "tree", at: (6, 6)),
        Row(name: "link", entity: "link", count: 3, at: (3, 9), step: (1, 0)),
    ],
)"##;

const RESOURCES: [&str; 12] = [
    "floor", "wall", "box", "leaf", "zone", "seer", "walker", "ghost", "hero", "thinker", "mother", "tree",
];

/// Managers and names of components, of which some are none.
const MANAGERS: [&str; 15] = [
    "Tag",
    "Sprite",
    "Body",
    "Collider",
    "Zone",
    "Trigger",
    "Agent",
    "Character",
    "Joint",
    "Field",
    "Script",
    "Spawner",
    "Transform",
    "Tiles",
    "Nothing",
];
const COMPONENTS: [&str; 8] = ["body", "hull", "cargo", "mind", "look", "area", "", "x.y"];

struct Life {
    random: Random,
    /// A world of the scene as it was at first.
    fresh: World,
    world: World,
    frames: Vec<(WorldFrame, u64)>,
    ended: Vec<Entity>,
    refused: usize,
}

impl Life {
    fn new(seed: u64, fresh: &World) -> Self {
        Self {
            random: Random(seed.wrapping_mul(7919)),
            world: fresh.clone(),
            fresh: fresh.clone(),
            frames: Vec::new(),
            ended: Vec::new(),
            refused: 0,
        }
    }

    fn number(&mut self) -> f32 {
        self.random.below(20_001) as f32 / 1000.0 - 10.0
    }

    fn vector(&mut self) -> Vec2 {
        Vec2::new(self.number(), self.number())
    }

    fn position(&mut self) -> Position {
        let Vec2 { x, y } = self.vector();
        Position::new(x, y)
    }

    fn is_lucky(&mut self, in_how_many: usize) -> bool {
        self.random.below(in_how_many) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.below(from.len())]
    }

    /// An entity, now and then one that has ended.
    fn entity(&mut self) -> Entity {
        if !self.ended.is_empty() && self.is_lucky(12) {
            return self.ended[self.random.below(self.ended.len())];
        }
        let entities: Vec<Entity> = self.world.entities().entities().iter().collect();
        match entities.len() {
            0 => self.world.create(None).unwrap(),
            count => entities[self.random.below(count)],
        }
    }

    /// A call that the world may refuse; the reason if it does.
    fn call(&mut self) -> Result<(), String> {
        let entity = self.entity();
        match self.random.below(11) {
            0 => self.spawn(),
            1 => self.set(entity),
            2 => self.set_all(),
            3 => self.define(),
            4 => {
                let pose = Pose::new(self.vector(), self.number());
                told(self.world.teleport(entity, pose))
            }
            5 => {
                let (manager, name) = (self.pick(&MANAGERS), self.pick(&COMPONENTS));
                told(self.world.add_component(entity, manager, name))
            }
            6 => {
                let name = self.pick(&COMPONENTS);
                told(self.world.remove_component(entity, name))
            }
            7 => {
                let name = format!("name {}", self.random.below(30));
                let name = (!self.is_lucky(3)).then_some(&*name);
                told(self.world.set_name(entity, name))
            }
            8 => {
                let (from, to) = (self.position(), self.position());
                told(self.world.cut_through(from, to, QueryFilter::default()))
            }
            9 => {
                let (from, to) = (self.position(), self.position());
                told(self.world.slice(entity, from, to))
            }
            _ => {
                let ended = told(self.world.despawn(entity));
                if ended.is_ok() {
                    self.ended.push(entity);
                }
                ended
            }
        }
    }

    fn spawn(&mut self) -> Result<(), String> {
        let (resource, name) = (self.pick(&RESOURCES), format!("name {}", self.random.below(30)));
        let parent = self.is_lucky(3).then(|| self.entity());
        let pose = Pose::new(self.vector(), self.number());
        let def = SpawnDef {
            name: self.is_lucky(2).then_some(&*name),
            pose: (!self.is_lucky(4)).then_some(pose),
            parent,
            ..SpawnDef::default()
        };
        told(self.world.spawn(resource, &def))
    }

    fn set(&mut self, entity: Entity) -> Result<(), String> {
        let (other, at, number) = (self.entity(), self.vector(), self.number());
        let kind = self.pick(&["Static", "Dynamic", "Kinematic", "Odd"]);
        let values = [
            (
                "transform.parent",
                Value::Entity((number > -5.0).then_some(other)),
            ),
            ("transform.position", Value::Vec2(at)),
            ("transform.position.x", Value::F32(f32::NAN)),
            ("body.kind", Value::String(kind.into())),
            ("body.linear_velocity.x", Value::F32(number)),
            ("body.awake", Value::Bool(number > 0.0)),
            ("hull.friction", Value::F32(number)),
            ("hull.width", Value::F32(number)),
            ("hull.sensor", Value::Bool(number > 0.0)),
            ("area.radius", Value::F32(number)),
            ("way.goal", Value::Vec2(at)),
            ("way.enabled", Value::Bool(number > 0.0)),
            ("pin.to", Value::Entity(Some(other))),
        ];
        let (path, value) = &values[self.random.below(values.len())];
        told(self.world.set(entity, path, value.clone()))
    }

    /// Sets a property of all entities with the same components.
    fn set_all(&mut self) -> Result<(), String> {
        let (entity, number) = (self.entity(), self.number());
        let path = self.pick(&["transform.angle", "hull.density", "transform.position.x"]);
        let stamp = self.world.entities().index().prototype(entity);
        let mut accessor = Accessor::new(path).unwrap();
        told(self.world.set_all(stamp, &mut accessor, &Value::F32(number)))
    }

    /// Gives boxes or leaves other components.
    fn define(&mut self) -> Result<(), String> {
        let mut definition = ResourceDefinition::new(self.pick(&["box", "leaf"]));
        if !self.is_lucky(4) {
            let kind = ("kind", Value::String("Dynamic".into()));
            definition = definition.component("body", "Body", [kind]);
        }
        if !self.is_lucky(4) {
            let size = [self.number(), self.number()].map(Value::F32);
            let [width, height] = size;
            definition = definition.component("hull", "Collider", [("width", width), ("height", height)]);
        }
        for name in ["cargo", "look", "area", "mind"] {
            if self.is_lucky(4) {
                let manager = self.pick(&["Tag", "Sprite", "Zone"]);
                definition = definition.component(name, manager, []);
            }
        }
        told(self.world.define(vec![definition]))
    }

    /// A change of an entity's body that the world hears of later.
    fn change_physics(&mut self) {
        let entity = self.entity();
        let (kind, at) = (self.random.below(8), self.vector());
        let Some(body) = self.world.body_of(entity) else {
            return;
        };
        let physics = self.world.physics_mut();
        if kind == 0 {
            drop(physics.destroy_body(body));
            return;
        }
        // It was destroyed before, and its entity still has the id.
        let Ok(mut body) = physics.body_mut(body) else {
            return;
        };
        match kind {
            1 | 2 => body.teleport(Pose::new(at, 0.3)).unwrap(),
            3 => body.wake(),
            // A static body has none.
            _ => drop(body.set_linear_velocity(at)),
        }
    }

    fn check_save(&self) {
        let mut restored = self.fresh.clone();
        // Definitions are not in a save.
        let library = self.world.library();
        let definitions = ["box", "leaf"].map(|name| library.get(name).unwrap().clone());
        restored.define(definitions.to_vec()).unwrap();
        restored.restore(&self.world.save()).unwrap();
        let mut world = self.world.clone();
        for step in 0..6 {
            if restored.state_hash() != world.state_hash() {
                let difference = world.first_difference(&restored);
                panic!(
                    "{step} steps after a restore: {:?}",
                    difference.map(|part| part.to_string())
                );
            }
            world.step();
            restored.step();
        }
    }

    fn turn(&mut self) {
        match self.random.below(12) {
            0..=2 => self.world.step(),
            3 => self.change_physics(),
            4 => self.check_save(),
            5 => {
                let hash = self.world.state_hash();
                self.frames.push((self.world.frame(), hash));
            }
            6 if !self.frames.is_empty() => {
                let (frame, hash) = &self.frames[self.random.below(self.frames.len())];
                self.world.restore_frame(frame);
                assert_eq!(self.world.state_hash(), *hash, "a frame brings back its world");
            }
            7 => {
                let before = self.world.state_hash();
                let (from, to, wide) = (self.vector(), self.vector(), self.is_lucky(2));
                drop(self.world.find_path(from, to, if wide { 0.5 } else { 0.3 }));
                assert_eq!(self.world.state_hash(), before, "a path that was asked for");
            }
            _ => {
                let before = self.world.state_hash();
                if let Err(reason) = self.call() {
                    assert_eq!(self.world.state_hash(), before, "refused, {reason}");
                    self.refused += 1;
                }
            }
        }
    }
}

fn told<T, E: ToString>(answer: Result<T, E>) -> Result<(), String> {
    answer.map(drop).map_err(|error| error.to_string())
}

#[test]
fn refused_calls_change_nothing_and_saves_and_frames_are_of_the_world_as_it_is() {
    let first: u64 =
        std::env::var("TOMBOLO_FUZZ_SEED").map_or(0, |seed| seed.parse().expect("a whole number"));
    let fresh = World::from_scene(&Scene::parse("all.ron", ALL).unwrap()).unwrap();
    let (mut turns, mut refused) = (0, 0);
    for seed in first..first + scaled(6) as u64 {
        println!("seed {seed}");
        let mut life = Life::new(seed, &fresh);
        for _ in 0..CALLS_PER_WORLD {
            life.turn();
            turns += 1;
            if life.world.entity_count() > 250 {
                break;
            }
        }
        refused += life.refused;
    }
    assert!(
        (turns / 50..turns / 2).contains(&refused),
        "{refused} of {turns} refused"
    );
}
