//! Applies commands: `World::apply` for programs, and for the stages that hold pending commands.

use tombolo_entity::Entity;
use tombolo_physics::QueryFilter;
use tombolo_threads::FloatEnvironment;

use super::{Command, EntityRef, Push, SpawnCommand};
use crate::error::WorldError;
use crate::world::World;
use crate::world::spawn::SpawnDef;

impl World {
    /// Applies a command; returns the entity that it spawned, if it spawned one.
    ///
    /// # Errors
    ///
    /// If there is no such entity, or those of the call that the command stands for. The world is then unchanged.
    ///
    /// ```
    /// use tombolo::geometry::Pose;
    /// use tombolo::physics::Vec2;
    /// use tombolo::{Command, Scene, World};
    /// let scene = Scene::parse("lamp.ron", r#"(
    ///     entities: {"lamp": {"place": Transform()}},
    ///     place: [One(name: "lamp", entity: "lamp")],
    /// )"#)?;
    /// let mut world = World::from_scene(&scene)?;
    /// let pose = Pose::new(Vec2::new(3.0, 4.0), 0.0);
    /// world.apply(Command::Teleport { entity: "lamp".into(), pose })?;
    /// assert!(world.apply(Command::Despawn("candle".into())).is_err());
    /// let lamp = world.find("lamp").expect("the scene placed it");
    /// assert_eq!(world.pose(lamp), Some(pose));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, command: Command) -> Result<Option<Entity>, WorldError> {
        self.report_command(|| command.clone());
        self.outermost(|world| world.apply_here(command))
    }

    fn apply_here(&mut self, command: Command) -> Result<Option<Entity>, WorldError> {
        let _environment = FloatEnvironment::enter();
        match command {
            Command::Set { entity, path, value } => {
                let entity = self.resolve(&entity)?;
                self.set(entity, &path, value)?;
            }
            Command::Teleport { entity, pose } => {
                let entity = self.resolve(&entity)?;
                self.teleport(entity, pose)?;
            }
            Command::Push { entity, push } => {
                let entity = self.resolve(&entity)?;
                self.push_body(entity, push)?;
            }
            Command::Spawn(spawn) => return self.spawn_by(&spawn).map(Some),
            Command::Despawn(entity) => {
                let entity = self.resolve(&entity)?;
                self.despawn(entity)?;
            }
            Command::Slice { entity, from, to } => {
                let entity = self.resolve(&entity)?;
                self.slice(entity, from, to)?;
            }
            Command::CutThrough { from, to } => {
                self.cut_through(from, to, QueryFilter::default())?;
            }
            Command::Explode(explosion) => {
                self.explode(&explosion)?;
            }
            Command::CutTiles(cut) => {
                self.cut_tiles(&cut)?;
            }
            Command::FillTiles { entity, block, tile } => {
                let entity = self.resolve(&entity)?;
                self.fill_tiles(entity, block, tile)?;
            }
            Command::SetAction { name, value } => self.set_action(&name, value)?,
            Command::ContactRule { materials, rule } => self.rule_contacts(materials, rule)?,
            Command::CategoryRule { categories, rule } => self.rule_categories(categories, rule)?,
            Command::UseCallbacks(names) => self.name_callbacks(names)?,
        }
        Ok(None)
    }

    /// The existing entity that a reference means.
    pub(in crate::world) fn resolve(&self, entity: &EntityRef) -> Result<Entity, WorldError> {
        match entity {
            EntityRef::Entity(entity) if self.entities.entities().is_alive(*entity) => Ok(*entity),
            EntityRef::Entity(entity) => Err(WorldError::NoEntity(*entity)),
            EntityRef::Name(name) => self.find(name).ok_or_else(|| WorldError::NoName(name.clone())),
        }
    }

    fn spawn_by(&mut self, spawn: &SpawnCommand) -> Result<Entity, WorldError> {
        let parent = spawn.parent.as_ref().map(|parent| self.resolve(parent));
        let def = SpawnDef {
            name: spawn.name.as_deref(),
            pose: spawn.pose,
            parent: parent.transpose()?,
            overrides: &spawn.overrides,
        };
        self.spawn(&spawn.resource, &def)
    }

    /// A push without a point acts on the center of mass: for a welded entity, on that of its own member.
    fn push_on(&mut self, entity: Entity, push: Push) -> Push {
        let member = self.physical().member_of(entity);
        let Some(member) = member.and_then(|id| self.physics.member(id)) else {
            return push;
        };
        let (center, rotation) = (member.center(), member.pose().rotation);
        match push {
            Push::Impulse(impulse) => Push::ImpulseAt(impulse, center),
            Push::Force(force) => Push::ForceAt(force, center),
            Push::LocalImpulse(impulse) => Push::ImpulseAt(rotation.rotate(impulse), center),
            Push::LocalForce(force) => Push::ForceAt(rotation.rotate(force), center),
            push => push,
        }
    }

    fn unfit_body(&self, entity: Entity, why: &str) -> WorldError {
        WorldError::Unfit {
            entity: self.show(entity),
            component: "body".into(),
            why: why.into(),
        }
    }

    fn push_body(&mut self, entity: Entity, push: Push) -> Result<(), WorldError> {
        let push = self.push_on(entity, push);
        let Some(mut body) = self.body_of(entity).and_then(|id| self.physics.body_mut(id).ok()) else {
            return Err(self.unfit_body(entity, "there is no Body to push"));
        };
        let pushed = match push {
            Push::Impulse(impulse) => body.apply_impulse(impulse),
            Push::ImpulseAt(impulse, point) => body.apply_impulse_at(impulse, point),
            Push::AngularImpulse(impulse) => body.apply_angular_impulse(impulse),
            Push::Force(force) => body.apply_force(force),
            Push::ForceAt(force, point) => body.apply_force_at(force, point),
            Push::Torque(torque) => body.apply_torque(torque),
            Push::LocalImpulse(impulse) => body.apply_local_impulse(impulse),
            Push::LocalForce(force) => body.apply_local_force(force),
            Push::DropThrough => {
                body.drop_through();
                Ok(())
            }
            Push::WakeTouching => {
                body.wake_touching();
                Ok(())
            }
            Push::Sleep if body.sleep() => Ok(()),
            Push::Sleep => {
                let why = "it cannot sleep: a body of its island may not, or is moved by a kinematic body, or the world \
                           keeps everything awake";
                return Err(self.unfit_body(entity, why));
            }
        };
        pushed.map_err(|error| WorldError::Physics {
            entity: self.show(entity),
            component: "body".into(),
            error,
        })
    }
}
