//! [`EntityTarget`]: a benchmark scene as a world of entities, and the same calls for its physics alone.

use std::mem::take;

use anyhow::Context;
use tombolo::component::{COLLIDER, Collider, JOINT, Joint, ShapeGeometry};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::geometry::shape::ShapeKind;
use tombolo::physics::{
    BodyDef, BodyId, ChainDef, JointDef, JointId, JointKind, PhysicsError, PhysicsWorld, RevoluteDef, Rot,
    Shape, ShapeDef, ShapeId, Vec2,
};
use tombolo::{Settings, World};
use tombolo_scenes::{SUBSTEPS, SceneInfo, SceneTarget};

/// A call that the world of entities has made in its physics.
#[derive(Clone, Debug)]
pub(super) enum Call {
    CreateBody(BodyDef, BodyId),
    CreateShape(BodyId, ShapeDef, Shape),
    CreateChain(BodyId, ChainDef),
    CreateJoint(JointDef),
    /// The joints and shapes that go with the components of a despawned entity, and its body.
    Despawn(Vec<JointId>, Vec<ShapeId>, BodyId),
    SetLinearVelocity(BodyId, Vec2),
}

impl Call {
    /// Makes the call in another physics.
    ///
    /// # Errors
    /// Physics refuses it, or gives another id than in the world of entities.
    pub(super) fn make(&self, physics: &mut PhysicsWorld) -> anyhow::Result<()> {
        match self {
            Self::CreateBody(def, expected) => {
                let made = physics.create_body(def)?;
                anyhow::ensure!(
                    made == *expected,
                    "the world of entities has {expected:?}, physics alone {made:?}"
                );
            }
            Self::CreateShape(body, def, shape) => drop(physics.create_shape(*body, def, shape)?),
            Self::CreateChain(body, def) => drop(physics.create_chain(*body, def)?),
            Self::CreateJoint(def) => drop(physics.create_joint(def.clone())?),
            Self::Despawn(joints, shapes, body) => {
                for &joint in joints {
                    // It went with the body at its other end.
                    if physics.joint(joint).is_some() {
                        physics.destroy_joint(joint)?;
                    }
                }
                shapes
                    .iter()
                    .try_for_each(|&shape| physics.destroy_shape(shape))?;
                physics.destroy_body(*body)?;
            }
            Self::SetLinearVelocity(body, velocity) => {
                physics.body_mut(*body)?.set_linear_velocity(*velocity)?
            }
        }
        Ok(())
    }
}

/// The greatest number of colliders that an entity gets; beside them there is room for a Transform, a Body and joints.
const COLLIDERS_MAX: usize = 1000;

/// A body that has been asked for, until all of its shapes have been.
#[derive(Debug)]
struct PendingBody {
    def: BodyDef,
    shapes: Vec<PendingShape>,
}

#[derive(Debug)]
enum PendingShape {
    Solid(ShapeDef, Shape),
    Chain(ChainDef),
}

impl PendingShape {
    fn collider(&self) -> Collider {
        match self {
            Self::Solid(def, shape) => Collider::new(def.clone(), geometry_of(shape)),
            Self::Chain(def) => {
                Collider::new(def.shape.clone(), ShapeGeometry::chain(&def.points, def.closed))
            }
        }
    }

    /// The call that creates it in physics; `made` is the shape that the world of entities has of it, if it has a collider.
    fn call(self, body: BodyId, user_key: u64, made: Option<Shape>) -> Call {
        match self {
            Self::Solid(def, shape) => {
                Call::CreateShape(body, ShapeDef { user_key, ..def }, made.unwrap_or(shape))
            }
            Self::Chain(mut def) => {
                def.shape.user_key = user_key;
                Call::CreateChain(body, def)
            }
        }
    }
}

/// A world of entities that a scene is built into: each body is an entity with colliders, each joint a component of the
/// second of its bodies. The ids of bodies that the scene gets are its own; they count the bodies.
#[derive(Debug)]
pub(super) struct EntityTarget {
    pub(super) world: World,
    /// The entities of bodies, in the order of the ids; none for the pending body.
    entities: Vec<Option<Entity>>,
    pending: Option<PendingBody>,
    calls: Vec<Call>,
}

impl EntityTarget {
    /// A world for a scene, without bodies.
    pub(super) fn new(scene: &SceneInfo) -> anyhow::Result<Self> {
        let world = World::new(&Settings {
            gravity: scene.gravity,
            sleeping: scene.sleeping,
            substeps: SUBSTEPS,
            ..Settings::default()
        })?;
        Ok(Self {
            world,
            entities: Vec::new(),
            pending: None,
            calls: Vec::new(),
        })
    }

    /// The calls in physics since the last call of this, in their order. Spawns the pending body.
    pub(super) fn take_calls(&mut self) -> anyhow::Result<Vec<Call>> {
        self.spawn_pending()?;
        Ok(take(&mut self.calls))
    }

    fn spawn_pending(&mut self) -> anyhow::Result<()> {
        let Some(PendingBody { def, mut shapes }) = self.pending.take() else {
            return Ok(());
        };
        // The ground of the rain has more shapes than an entity can have colliders; the others are its body's alone.
        let further = shapes.split_off(shapes.len().min(COLLIDERS_MAX));
        let colliders: Vec<Collider> = shapes.iter().map(PendingShape::collider).collect();
        let entity = self.world.spawn_body(None, &def, &colliders)?;
        *self.entities.last_mut().context("a pending body has an id")? = Some(entity);
        let (user_key, body) = (
            entity.to_bits(),
            self.world.body_of(entity).context("it has a body")?,
        );
        let def = BodyDef {
            user_key,
            angle: Rot::from_angle(def.angle).angle(),
            ..def
        };
        self.calls.push(Call::CreateBody(def, body));
        for (collider, shape) in colliders_of(&self.world, entity)?.into_iter().zip(shapes) {
            let made = self
                .world
                .physics()
                .shape(collider.shapes()[0])
                .context("it has a shape")?;
            self.calls
                .push(shape.call(body, user_key, Some(*made.geometry())));
        }
        for shape in further {
            let call = shape.call(body, user_key, None);
            call.make(self.world.physics_mut())?;
            self.calls.push(call);
        }
        Ok(())
    }

    fn pending_of(&mut self, body: BodyId) -> anyhow::Result<&mut PendingBody> {
        let place = place_of(body);
        let is_last = place + 1 == self.entities.len();
        let pending = self.pending.as_mut().filter(|_| is_last);
        pending.context("a body gets its shapes before the next call for another one")
    }

    fn entity(&self, body: BodyId) -> anyhow::Result<Entity> {
        let entity = self.entities.get(place_of(body)).copied().flatten();
        entity.context("the scene has this body")
    }

    fn join(&mut self, def: &JointDef) -> anyhow::Result<()> {
        self.spawn_pending()?;
        let JointDef::Revolute(def) = def else {
            anyhow::bail!("of joints the scenes have revolute ones alone, not {def:?}");
        };
        let [from, to] = [self.entity(def.body_b)?, self.entity(def.body_a)?];
        let joints: &Dense<Joint> = self.world.manager(JOINT).context("there are joints")?;
        let name = format!("joint{}", joints.of(from).count() + 1);
        self.world.add_component(from, "Joint", &name)?;
        for (property, value) in revolute(def) {
            self.world.set(from, &format!("{name}.{property}"), value)?;
        }
        self.world
            .set(from, &format!("{name}.to"), Value::Entity(Some(to)))?;
        let joints: &Dense<Joint> = self.world.manager(JOINT).context("there are joints")?;
        let made = joints.newest(from).context("it was just added")?;
        let id = made.id().context("both of its bodies are there")?;
        let made = self.world.physics().joint(id).context("it was just made")?;
        self.calls.push(Call::CreateJoint(made.def()));
        Ok(())
    }

    fn despawn(&mut self, body: BodyId) -> anyhow::Result<()> {
        self.spawn_pending()?;
        let entity = self.entity(body)?;
        let joints: &Dense<Joint> = self.world.manager(JOINT).context("there are joints")?;
        let joints = joints.of(entity).filter_map(|(_, joint)| joint.id()).collect();
        let colliders = colliders_of(&self.world, entity)?;
        let shapes = colliders
            .into_iter()
            .flat_map(Collider::shapes)
            .copied()
            .collect();
        let id = self.world.body_of(entity).context("it has a body")?;
        self.calls.push(Call::Despawn(joints, shapes, id));
        Ok(self.world.despawn(entity)?)
    }

    fn push(&mut self, body: BodyId, velocity: Vec2) -> anyhow::Result<()> {
        self.spawn_pending()?;
        let entity = self.entity(body)?;
        self.world
            .set(entity, "body.linear_velocity", Value::Vec2(velocity))?;
        let id = self.world.body_of(entity).context("it has a body")?;
        self.calls.push(Call::SetLinearVelocity(id, velocity));
        Ok(())
    }
}

/// The options of a revolute joint by the names of the component's properties, but for the other end.
fn revolute(def: &RevoluteDef) -> impl Iterator<Item = (&'static str, Value)> {
    let options = [
        ("kind", Value::Choice(JointKind::Revolute as u32)),
        ("pivot", Value::Vec2(def.local_anchor_b)),
        ("apart", Value::Bool(true)),
        ("to_pivot", Value::Vec2(def.local_anchor_a)),
        ("to_angle", Value::F32(def.local_angle_a)),
        ("collide_connected", Value::Bool(def.collide_connected)),
    ];
    let limit = [
        ("limit", Value::Bool(def.enable_limit)),
        ("lower", Value::F32(def.lower_angle)),
        ("upper", Value::F32(def.upper_angle)),
    ];
    let motor = [
        ("motor", Value::Bool(def.enable_motor)),
        ("motor_speed", Value::F32(def.motor_speed)),
        ("max_torque", Value::F32(def.max_motor_torque)),
    ];
    let spring = [
        ("spring", Value::Bool(def.enable_spring)),
        ("hertz", Value::F32(def.spring_hertz)),
        ("damping_ratio", Value::F32(def.spring_damping_ratio)),
    ];
    let limit = limit.into_iter().filter(|_| def.enable_limit);
    let motor = motor.into_iter().filter(|_| def.enable_motor);
    let spring = spring.into_iter().filter(|_| def.enable_spring);
    options.into_iter().chain(limit).chain(motor).chain(spring)
}

/// The colliders of an entity, in the order in which they were added.
fn colliders_of(world: &World, entity: Entity) -> anyhow::Result<Vec<&Collider>> {
    let colliders: &Dense<Collider> = world.manager(COLLIDER).context("there are colliders")?;
    let mut newest_first: Vec<&Collider> = colliders.of(entity).map(|(_, collider)| collider).collect();
    newest_first.reverse();
    Ok(newest_first)
}

fn geometry_of(shape: &Shape) -> ShapeGeometry {
    let (vertices, radius) = (shape.vertices(), shape.radius());
    match shape.kind() {
        ShapeKind::Circle => ShapeGeometry::circle(vertices[0], radius),
        ShapeKind::Capsule => ShapeGeometry::capsule(vertices[0], vertices[1], radius),
        ShapeKind::Segment => ShapeGeometry::segment(vertices[0], vertices[1]),
        _ => ShapeGeometry::polygon(vertices, radius),
    }
}

fn place_of(body: BodyId) -> usize {
    body.to_bits() as u32 as usize
}

/// The error of a call that the world of entities refused; what it was is on standard error.
fn refused(error: anyhow::Error) -> PhysicsError {
    match error.downcast::<PhysicsError>() {
        Ok(error) => error,
        Err(error) => panic!("the world of entities refused a part of the scene: {error:#}"),
    }
}

impl SceneTarget for EntityTarget {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        self.spawn_pending().map_err(refused)?;
        let id = BodyId::from_bits(1 << 32 | self.entities.len() as u64);
        self.entities.push(None);
        self.pending = Some(PendingBody {
            def: def.clone(),
            shapes: Vec::new(),
        });
        Ok(id.expect("its generation is 1"))
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        let pending = self.pending_of(body).map_err(refused)?;
        pending.shapes.push(PendingShape::Solid(def.clone(), *shape));
        Ok(())
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        let pending = self.pending_of(body).map_err(refused)?;
        pending.shapes.push(PendingShape::Chain(def.clone()));
        Ok(())
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        self.join(def).map_err(refused)
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        self.despawn(body).map_err(refused)
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        self.push(body, velocity).map_err(refused)
    }
}
