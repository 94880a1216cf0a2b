//! A game's own component manager: hit points, one instance an entity, kept beside the entities by slot.
#![allow(clippy::print_stdout)]

use tombolo_entity::{
    ComponentManager, DataError, Entities, Entity, EntityMark, EntitySystem, InstanceId, Kind, ManagerError,
    Property, Reader, Refusal, Value, Writer,
};
use tombolo_handles::SecondaryMap;

#[derive(Clone, Debug)]
struct HitPoints {
    points: SecondaryMap<EntityMark, (InstanceId, i32)>,
    properties: [Property; 1],
}

impl ComponentManager for HitPoints {
    fn create(&mut self, entity: Entity, instance: InstanceId) -> Result<(), ManagerError> {
        if self.points.contains(entity) {
            return Err(ManagerError::Taken { entity, instance });
        }
        self.points.insert(entity, (instance, 100));
        Ok(())
    }
    fn contains(&self, entity: Entity, instance: InstanceId) -> bool {
        self.points.get(entity).is_some_and(|(own, _)| *own == instance)
    }
    fn destroy(&mut self, entity: Entity, instance: InstanceId) -> bool {
        self.contains(entity, instance) && self.points.remove(entity).is_some()
    }
    fn collect(&mut self, entities: &Entities, _budget: usize) -> usize {
        let before = self.len();
        self.points.retain(|entity, _| entities.is_alive(entity));
        before - self.len()
    }
    fn len(&self) -> usize {
        self.points.iter().count()
    }
    fn clone_boxed(&self) -> Box<dyn ComponentManager> {
        Box::new(self.clone())
    }
    fn save(&self, out: &mut Writer) {
        out.length(self.len());
        for (entity, (instance, points)) in self.points.iter() {
            out.entity(Some(entity));
            out.u32(instance.0);
            out.u32(*points as u32);
        }
    }
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), DataError> {
        self.points.clear();
        for _ in 0..from.length(16, "knights")? {
            let entity = from
                .entity("a knight")?
                .ok_or_else(|| DataError::broken("no knight"))?;
            let instance = InstanceId(from.u32("an instance")?);
            self.points
                .insert(entity, (instance, from.u32("hit points")? as i32));
        }
        Ok(())
    }
    fn properties(&self) -> &[Property] {
        &self.properties
    }
    fn get(&self, entity: Entity, instance: InstanceId, _property: usize) -> Option<Value> {
        let (own, points) = self.points.get(entity)?;
        (*own == instance).then_some(Value::I32(*points))
    }
    fn set(&mut self, entity: Entity, instance: InstanceId, _: usize, value: &Value) -> Result<(), Refusal> {
        match (self.points.get_mut(entity), value) {
            (Some((own, points)), Value::I32(value)) if *own == instance => *points = *value,
            _ => return Err(Refusal::NoInstance),
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let points = Property::new("points", Kind::I32, Value::I32(100));
    let properties = [Property {
        range: Some((0.0, 100.0)),
        ..points
    }];
    let mut system = EntitySystem::new();
    let points = SecondaryMap::default();
    let manager = system.register("HitPoints", HitPoints { points, properties })?;
    let knight = system.create();
    system.add(knight, manager, "health")?;
    system.set(knight, "health.points", Value::I32(75))?;
    assert_eq!(system.get(knight, "health.points")?, Value::I32(75));
    let refused = system.set(knight, "health.points", Value::I32(101));
    println!("the knight has {:?}", system.get(knight, "health.points")?);
    println!("refused: {}", refused.err().ok_or("101 is out of range")?);
    Ok(())
}
