//! Spawning an entity from typed definitions, without a resource: a body and its colliders.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};

use tombolo_entity::{COMPONENTS_MAX, Component, Dense, Entity, IndexError, ManagerId, SystemError};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyDef, BodyKind, BodyName, PhysicsError};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::physical::{check_body, check_collider};
use super::planned::show_planned;
use super::recording::WorldCall;
use crate::component::{BODY, Body, COLLIDER, Collider, is_place};
use crate::error::WorldError;

/// The name of the Body.
const BODY_NAME: &str = "body";

/// The greatest number of colliders, beside a Transform and a Body.
const COLLIDERS_MAX: usize = COMPONENTS_MAX - 2;

impl World {
    /// Spawns an entity with a body and colliders, without a resource. Its components are called `transform`, `body`,
    /// `collider`, `collider2`, `collider3` and so on, so that properties are read and set as those of any other
    /// entity. The entity's pose is that of the body's definition; the user keys of body and shapes belong to the
    /// engine.
    ///
    /// ```
    /// use tombolo::component::{Collider, ShapeGeometry};
    /// use tombolo::physics::{BodyDef, ShapeDef};
    /// use tombolo::{Settings, World};
    ///
    /// let mut world = World::new(&Settings::default())?;
    /// let wood = ShapeDef { density: 0.7, ..ShapeDef::default() };
    /// let hull = Collider::new(wood, ShapeGeometry::new_box(1.0, 1.0));
    /// let crate_ = world.spawn_body(Some("crate"), &BodyDef::dynamic(0.0, 4.0), &[hull])?;
    /// world.step();
    /// assert!(world.pose(crate_).unwrap().position.y < 4.0);
    /// # Ok::<(), tombolo::WorldError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the name is taken, the world is full, the pose is not finite or more than 10⁹ m away, there are more than 1,022
    /// colliders, a number of a definition is out of the range of its property (also one that the kind of shape does not
    /// use), or physics would refuse the body or a collider. The world is then unchanged.
    pub fn spawn_body(
        &mut self,
        name: Option<&str>,
        def: &BodyDef,
        colliders: &[Collider],
    ) -> Result<Entity, WorldError> {
        self.report(|| WorldCall::SpawnBody {
            name: name.map(Into::into),
            def: def.clone(),
            colliders: colliders.to_vec(),
        });
        self.outermost(|world| world.spawn_body_here(name, def, colliders))
    }

    fn spawn_body_here(
        &mut self,
        name: Option<&str>,
        def: &BodyDef,
        colliders: &[Collider],
    ) -> Result<Entity, WorldError> {
        let _environment = FloatEnvironment::enter();
        self.check_body_capacity(1)?;
        self.check_spawn_body(name, def, colliders)?;
        // Refuses a name that is taken and a world that is full; no object is created before it, and none is refused
        // after it.
        let entity = self.create(name)?;
        let pose = pose_of(def);
        self.change_transform(entity, |transform| transform.place(Some(pose), None));
        let body = Body {
            def: BodyDef {
                position: BodyDef::default().position,
                angle: 0.0,
                user_key: 0,
                name: BodyName::default(),
                ..def.clone()
            },
            ..Body::default()
        };
        self.add_value(entity, BODY, BODY_NAME, body);
        for (number, collider) in (1..).zip(colliders) {
            let mut collider = Collider::new(collider.def.clone(), collider.geometry.clone());
            collider.def.user_key = 0;
            self.add_value(entity, COLLIDER, &collider_name(number), collider);
        }
        let made = self.physical().create_objects(entity);
        debug_assert_eq!(made, Ok(()), "it is checked before anything is made");
        // Also when it was created, but then there was no body that could be a wall.
        self.note_moved(entity);
        let id = self.body(entity).map(|body| body.id());
        if !def.name.as_str().is_empty()
            && let Some(mut body) = id.and_then(|id| self.physics.body_mut(id).ok())
        {
            let named = body.set_name(def.name.as_str());
            debug_assert_eq!(named, Ok(()), "it was a name already");
        }
        Ok(entity)
    }

    /// Refuses a spawn that would fail later, before any object is created.
    fn check_spawn_body(
        &self,
        name: Option<&str>,
        def: &BodyDef,
        colliders: &[Collider],
    ) -> Result<(), WorldError> {
        let to_be = self.entities.entities().next_many(1)[0];
        let show = || show_planned(name, to_be);
        let names = self.entities.names();
        let check_name = |name: &str| names.check(name).map(drop).map_err(SystemError::from);
        check_name(BODY_NAME)?;
        let pose = pose_of(def);
        if !is_place(pose) {
            return Err(WorldError::Pose {
                entity: show(),
                position: pose.position,
                angle: def.angle,
            });
        }
        let refused = |component: &str, error: PhysicsError| WorldError::Physics {
            entity: show(),
            component: component.into(),
            error,
        };
        let body = Body {
            def: def.clone(),
            ..Body::default()
        };
        let unfit = |component: &str, why: &str| WorldError::Unfit {
            entity: show(),
            component: component.into(),
            why: why.into(),
        };
        if colliders.len() > COLLIDERS_MAX {
            return Err(SystemError::from(IndexError::TooMany).into());
        }
        check_body(to_be, &body, pose).map_err(|error| refused(BODY_NAME, error))?;
        self.check_properties(BODY, &body)
            .map_err(|why| unfit(BODY_NAME, &why))?;
        for (number, collider) in (1..).zip(colliders) {
            let name = collider_name(number);
            check_name(&name)?;
            check_collider(collider, def.kind == BodyKind::Dynamic).map_err(|error| refused(&name, error))?;
            self.check_properties(COLLIDER, collider)
                .map_err(|why| unfit(&name, &why))?;
        }
        Ok(())
    }

    /// Refuses a component with which the world's save would be refused; the reason.
    fn check_properties<T: Component>(&self, manager: ManagerId, component: &T) -> Result<(), String> {
        let parts: Option<&Dense<T>> = self.entities.manager(manager);
        let checked = parts.map_or(Ok(()), |parts| parts.check_value(component));
        checked.map_err(|error| error.to_string())
    }
}

fn pose_of(def: &BodyDef) -> Pose {
    Pose::new(def.position.to_vec2(), def.angle)
}

/// The name of the first collider, the second and so on.
fn collider_name(number: usize) -> Cow<'static, str> {
    match number {
        1 => "collider".into(),
        number => format!("collider{number}").into(),
    }
}
