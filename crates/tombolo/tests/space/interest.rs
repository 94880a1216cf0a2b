//! Interest sets against sets made anew by queries.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tombolo::entity::{Entity, Value};
use tombolo::geometry::orthtree::Bounds;
use tombolo::physics::Vec2;
use tombolo::{Interest, InterestError, ObserverId, World};

use crate::{BUSY, world_of};

/// What may happen between two updates.
#[derive(Clone, Debug)]
enum Act {
    Step,
    /// Somebody, by number among all, is put elsewhere.
    Teleport(usize, Vec2),
    Despawn(usize),
    /// A crate comes.
    Spawn(Vec2),
    /// An observer, by number, looks elsewhere.
    Look(usize, Bounds<2>),
    /// An observer's area moves a little.
    Creep(usize, Vec2),
    Add(Bounds<2>),
    Remove(usize),
    Update,
}

fn place() -> impl Strategy<Value = Vec2> {
    (-25.0_f32..25.0, -3.0_f32..18.0).prop_map(Vec2::from)
}

fn area() -> impl Strategy<Value = Bounds<2>> {
    (place(), 0.0_f32..9.0).prop_map(|(center, reach)| Bounds::around(center.to_array(), reach))
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Step),
        3 => (0..200_usize, place()).prop_map(|(who, to)| Act::Teleport(who, to)),
        2 => (0..200_usize).prop_map(Act::Despawn),
        2 => place().prop_map(Act::Spawn),
        2 => (0..20_usize, area()).prop_map(|(who, area)| Act::Look(who, area)),
        3 => (0..20_usize, place()).prop_map(|(who, way)| Act::Creep(who, 0.05 * way)),
        1 => area().prop_map(Act::Add),
        1 => (0..20_usize).prop_map(Act::Remove),
        6 => Just(Act::Update),
    ]
}

/// An observer, its area, and who was in it at the last update.
type Watched = (ObserverId, Bounds<2>, BTreeSet<Entity>);

struct Watch {
    world: World,
    interest: Interest,
    watched: Vec<Watched>,
}

impl Watch {
    fn somebody(&self, who: usize) -> Entity {
        let all: Vec<Entity> = self.world.entities().entities().iter().collect();
        all[who % all.len()]
    }

    fn observer(&mut self, who: usize) -> Option<&mut Watched> {
        let count = self.watched.len();
        (count > 0).then(|| &mut self.watched[who % count])
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Step => self.world.step(),
            Act::Teleport(who, to) => {
                let who = self.somebody(who);
                let transform = ["place", "transform"]
                    .into_iter()
                    .find(|name| self.world.entities().find(who, name).is_some());
                let path = format!("{}.position", transform.unwrap());
                self.world.set(who, &path, Value::Vec2(to)).unwrap();
            }
            Act::Despawn(who) if self.world.entity_count() > 20 => {
                assert_eq!(self.world.despawn(self.somebody(who)), Ok(()));
            }
            Act::Despawn(_) => {}
            Act::Spawn(at) => {
                let pose = Some(tombolo_geometry::Pose::new(at, 0.3));
                let def = tombolo::SpawnDef {
                    pose,
                    ..Default::default()
                };
                self.world.spawn("crate", &def).unwrap();
            }
            Act::Look(who, to) => {
                if let Some((id, area, _)) = self.observer(who) {
                    *area = to;
                    let id = *id;
                    self.interest.set_area(id, to).unwrap();
                }
            }
            Act::Creep(who, way) => {
                if let Some((id, area, _)) = self.observer(who) {
                    for (axis, way) in way.to_array().into_iter().enumerate() {
                        area.min[axis] += way;
                        area.max[axis] += way;
                    }
                    let (id, to) = (*id, *area);
                    self.interest.set_area(id, to).unwrap();
                }
            }
            Act::Add(area) => {
                let id = self.interest.add(area).unwrap();
                self.watched.push((id, area, BTreeSet::new()));
            }
            Act::Remove(who) if !self.watched.is_empty() => {
                let (id, area, _) = self.watched.swap_remove(who % self.watched.len());
                self.interest.remove(id).unwrap();
                hold_stale(&mut self.interest, &self.world, id, area);
            }
            Act::Remove(_) => {}
            Act::Update => self.update(),
        }
    }

    /// Updates, and compares with the difference of two queries.
    fn update(&mut self) {
        self.world.update_space();
        self.interest.update(self.world.space());
        let list = |set: BTreeSet<Entity>| set.into_iter().collect::<Vec<_>>();
        for (id, area, before) in &mut self.watched {
            let space = self.world.space();
            // Brute force: every entity's box against the area.
            let inside = space.entities().filter(|(_, bounds)| area.overlaps(bounds));
            let now: BTreeSet<Entity> = inside.map(|(entity, _)| entity).collect();
            let old = std::mem::replace(before, now.clone());
            assert_eq!(self.interest.entered(*id).unwrap(), list(&now - &old));
            assert_eq!(self.interest.left(*id).unwrap(), list(&old - &now));
            assert_eq!(self.interest.stayed(space, *id).unwrap(), list(&now & &old));
        }
    }
}

/// Every call about a removed observer is refused, whoever has its slot now.
fn hold_stale(interest: &mut Interest, world: &World, id: ObserverId, area: Bounds<2>) {
    let stale = InterestError::StaleObserver;
    assert_eq!(interest.remove(id), Err(stale));
    assert_eq!(interest.set_area(id, area), Err(stale));
    assert_eq!(interest.entered(id), Err(stale));
    assert_eq!(interest.left(id), Err(stale));
    assert_eq!(interest.stayed(world.space(), id), Err(stale));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn entries_stays_and_exits_are_the_difference_of_queries(
        areas in prop::collection::vec(area(), 1..8),
        acts in prop::collection::vec(act(), 1..120),
    ) {
        let mut watch = Watch { world: world_of(BUSY), interest: Interest::new(), watched: Vec::new() };
        areas.into_iter().for_each(|area| watch.act(Act::Add(area)));
        acts.into_iter().for_each(|act| watch.act(act));
        watch.update();
    }
}

#[test]
fn a_removed_observer_never_becomes_another() {
    let mut world = world_of(BUSY);
    world.step();
    let mut interest = Interest::new();
    let everything = Bounds::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
    let old = interest.add(everything).unwrap();
    interest.update(world.space());
    assert_eq!(interest.entered(old).unwrap().len(), world.space().len());
    interest.remove(old).unwrap();
    let new = interest.add(everything).unwrap();
    hold_stale(&mut interest, &world, old, everything);
    // What the old one was told is not told to the new one.
    assert!(interest.entered(new).unwrap().is_empty() && interest.left(new).unwrap().is_empty());
    interest.update(world.space());
    assert_eq!(interest.entered(new).unwrap().len(), world.space().len());
}

#[test]
fn areas_that_are_none_are_refused() {
    let mut world = world_of(BUSY);
    world.step();
    let mut interest = Interest::new();
    let area = Bounds::around([0.0, 5.0], 8.0);
    let observer = interest.add(area).unwrap();
    interest.update(world.space());
    let inside = interest.entered(observer).unwrap().len();
    assert!(inside > 0);
    for (min, max) in [
        ([f32::NAN; 2], [1.0; 2]),
        ([0.0, 0.0], [1.0, f32::NAN]),
        ([1.0, 0.0], [0.0, 1.0]),
    ] {
        let none = Bounds { min, max };
        assert!(matches!(interest.add(none), Err(InterestError::Area(_))));
        assert!(matches!(
            interest.set_area(observer, none),
            Err(InterestError::Area(_))
        ));
    }
    interest.update(world.space());
    assert_eq!(interest.stayed(world.space(), observer).unwrap().len(), inside);
}
