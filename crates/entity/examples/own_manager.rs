//! A game's own component manager: hit points, kept in two arrays by slot, one instance an entity.

use tombolo_entity::{
    ComponentManager, Entities, Entity, EntitySystem, InstanceId, Kind, ManagerError, Property, Refusal,
    Value,
};

#[derive(Clone, Debug)]
struct HitPoints {
    owners: Vec<Option<(Entity, InstanceId)>>,
    points: Vec<i32>,
    properties: [Property; 1],
}

impl HitPoints {
    fn new() -> Self {
        let property = Property::new("points", Kind::I32, Value::I32(100));
        let properties = [Property {
            range: Some((0.0, 100.0)),
            ..property
        }];
        Self {
            owners: Vec::new(),
            points: Vec::new(),
            properties,
        }
    }
}

impl ComponentManager for HitPoints {
    fn create(&mut self, entity: Entity, instance: InstanceId) -> Result<(), ManagerError> {
        let slot = entity.index() as usize;
        if self
            .owners
            .get(slot)
            .is_some_and(|owner| owner.is_some_and(|(other, _)| other == entity))
        {
            return Err(ManagerError::Taken { entity, instance });
        }
        self.owners.resize(self.owners.len().max(slot + 1), None);
        self.points.resize(self.owners.len(), 0);
        (self.owners[slot], self.points[slot]) = (Some((entity, instance)), 100);
        Ok(())
    }
    fn contains(&self, entity: Entity, instance: InstanceId) -> bool {
        self.owners.get(entity.index() as usize) == Some(&Some((entity, instance)))
    }
    fn destroy(&mut self, entity: Entity, instance: InstanceId) -> bool {
        let found = self.contains(entity, instance);
        if found {
            self.owners[entity.index() as usize] = None
        }
        found
    }
    fn collect(&mut self, entities: &Entities, _budget: usize) -> usize {
        let before = self.len();
        self.owners
            .iter_mut()
            .for_each(|owner| *owner = owner.filter(|(entity, _)| entities.is_alive(*entity)));
        before - self.len()
    }
    fn len(&self) -> usize {
        self.owners.iter().flatten().count()
    }
    fn clone_boxed(&self) -> Box<dyn ComponentManager> {
        Box::new(self.clone())
    }
    fn properties(&self) -> &[Property] {
        &self.properties
    }
    fn get(&self, entity: Entity, instance: InstanceId, _: usize) -> Option<Value> {
        self.contains(entity, instance)
            .then(|| Value::I32(self.points[entity.index() as usize]))
    }
    fn set(&mut self, entity: Entity, instance: InstanceId, _: usize, value: &Value) -> Result<(), Refusal> {
        if !self.contains(entity, instance) {
            return Err(Refusal::NoInstance);
        }
        if let Value::I32(points) = value {
            self.points[entity.index() as usize] = *points
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut system = EntitySystem::new();
    let manager = system.register("HitPoints", HitPoints::new())?;
    let knight = system.create();
    system.add(knight, manager, "health")?;
    system.set(knight, "health.points", Value::I32(75))?;
    assert_eq!(system.get(knight, "health.points")?, Value::I32(75));
    assert!(system.set(knight, "health.points", Value::I32(101)).is_err());
    Ok(())
}
