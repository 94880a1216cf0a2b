//! Scenes as files for the runners in Node: the calls that a scene makes before each step, as JSON. The same definitions reach every
//! engine, so that only what an engine does with them differs.

use std::path::PathBuf;

use anyhow::{Context, bail};
use glam::Vec2;
use serde_json::{Map, Value, json};
use tombolo::physics::{
    BodyDef, BodyId, BodyKind, ChainDef, JointDef, PhysicsError, RevoluteDef, Shape, ShapeDef,
};
use tombolo_bench_protocol::{Ledger, as_rectangle};
use tombolo_scenes::{self as scenes, STEP_S, SUBSTEPS, SceneTarget};

use super::rounds::Plan;

/// The folder of the files.
pub(super) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/runners/scenes")
}

/// Writes the file of a plan.
///
/// # Errors
/// The scene has what the runners in Node do not know, or the file cannot be written.
pub(super) fn write(plan: &Plan) -> anyhow::Result<()> {
    let name = format!(
        "{}-{}-{}-{}.json",
        plan.scene, plan.size, plan.variant.seed, plan.steps
    );
    let path = folder().join(name);
    std::fs::create_dir_all(folder()).with_context(|| format!("creating {}", folder().display()))?;
    let text = serde_json::to_vec(&script(plan)?)?;
    std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

/// The settings of a plan, and its calls before each step.
fn script(plan: &Plan) -> anyhow::Result<Value> {
    let scene = scenes::find(plan.scene).expect("plans are made of known scenes");
    let mut writer = Writer::default();
    let mut motion = scene.build(plan.size, plan.variant.seed, &mut writer)?;
    let mut steps = Vec::new();
    for step in 0..plan.steps {
        motion.before_step(step, &mut writer)?;
        steps.push(Value::Array(std::mem::take(&mut writer.calls)));
    }
    if let Some(joint) = writer.unknown_joint {
        bail!(
            "{}: runners in Node know revolute joints, not {joint:?}",
            plan.scene
        );
    }
    Ok(json!({
        "gravity": pair(scene.gravity),
        "sleeping": scene.sleeping,
        "substeps": SUBSTEPS,
        "stepSeconds": STEP_S,
        "steps": steps,
    }))
}

/// Writes down calls; bodies are told apart by their numbers in the order of creation.
#[derive(Default)]
struct Writer {
    numbers: Ledger<usize>,
    created: usize,
    calls: Vec<Value>,
    /// The first joint of another kind than runners know.
    unknown_joint: Option<JointDef>,
}

impl SceneTarget for Writer {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        self.calls.push(json!(["body", {
            "kind": match def.kind {
                BodyKind::Static => "static",
                BodyKind::Kinematic => "kinematic",
                BodyKind::Dynamic => "dynamic",
            },
            "position": pair(def.position.to_vec2()),
            "angle": def.angle,
            "linearVelocity": pair(def.linear_velocity),
            "angularVelocity": def.angular_velocity,
            "linearDamping": def.linear_damping,
            "angularDamping": def.angular_damping,
            "gravityScale": def.gravity_scale,
            "sleepThreshold": def.sleep_threshold,
            "allowSleep": def.allow_sleep,
            "awake": def.awake,
        }]));
        let number = self.created;
        self.created += 1;
        Ok(self.numbers.enter(number))
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        let mut row = material(def);
        row.insert("outline".to_owned(), outline(shape));
        if let Some((center, half)) = as_rectangle(shape) {
            row.insert(
                "rectangle".to_owned(),
                json!([center.x, center.y, half.x, half.y]),
            );
        }
        self.calls.push(json!(["shape", self.numbers.body(body), row]));
        Ok(())
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        let mut row = material(&def.shape);
        row.insert("points".to_owned(), points(&def.points));
        row.insert("closed".to_owned(), def.closed.into());
        self.calls.push(json!(["chain", self.numbers.body(body), row]));
        Ok(())
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        let JointDef::Revolute(revolute) = def else {
            self.unknown_joint.get_or_insert_with(|| def.clone());
            return Ok(());
        };
        let [a, b] = def.bodies().map(|body| self.numbers.body(body));
        self.calls.push(json!(["joint", a, b, joint(revolute)]));
        Ok(())
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        let number = self.numbers.strike(body);
        self.calls.push(json!(["destroy", number]));
        Ok(())
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        self.calls
            .push(json!(["velocity", self.numbers.body(body), pair(velocity)]));
        Ok(())
    }
}

fn pair(vector: Vec2) -> Value {
    json!([vector.x, vector.y])
}

fn points(vectors: &[Vec2]) -> Value {
    vectors.iter().copied().map(pair).collect()
}

/// An outline as the package for JavaScript names it.
fn outline(shape: &Shape) -> Value {
    let (vertices, radius) = (shape.vertices(), shape.radius());
    match vertices {
        [center] => json!({ "circle": radius, "center": pair(*center) }),
        [_, _] if radius == 0.0 => json!({ "segment": points(vertices) }),
        [_, _] => json!({ "capsule": points(vertices), "radius": radius }),
        _ => json!({ "polygon": points(vertices), "radius": radius }),
    }
}

/// What the scenes say of a shape's material and events. Masks have 64 bits, so they are texts.
fn material(def: &ShapeDef) -> Map<String, Value> {
    let row = json!({
        "density": def.density,
        "friction": def.friction,
        "restitution": def.restitution,
        "rollingResistance": def.rolling_resistance,
        "contactEvents": def.contact_events,
        "hitEvents": def.hit_events,
        "category": def.filter.category.to_string(),
        "mask": def.filter.mask.to_string(),
        "group": def.filter.group,
    });
    match row {
        Value::Object(row) => row,
        _ => unreachable!("an object was written"),
    }
}

fn joint(def: &RevoluteDef) -> Value {
    json!({
        "anchorA": pair(def.local_anchor_a),
        "anchorB": pair(def.local_anchor_b),
        "angleA": def.local_angle_a,
        "angleB": def.local_angle_b,
        "collideConnected": def.collide_connected,
        "enableLimit": def.enable_limit,
        "lowerAngle": def.lower_angle,
        "upperAngle": def.upper_angle,
        "enableSpring": def.enable_spring,
        "targetAngle": def.target_angle,
        "springHertz": def.spring_hertz,
        "springDampingRatio": def.spring_damping_ratio,
        "enableMotor": def.enable_motor,
        "motorSpeed": def.motor_speed,
        "maxMotorTorque": def.max_motor_torque,
    })
}

#[cfg(test)]
mod tests {
    use super::super::builds;
    use super::super::rounds::Variant;
    use super::*;

    fn calls(scene: &'static str, size: u32, steps: u32) -> anyhow::Result<Vec<Vec<Value>>> {
        let variant = Variant {
            size_factor: 1.0,
            seed: 0,
        };
        let script = script(&Plan {
            scene,
            size,
            variant,
            steps,
            threads: 1,
        })?;
        Ok(serde_json::from_value(script["steps"].clone())?)
    }

    #[test]
    fn every_published_scene_can_be_written_and_its_numbers_are_those_of_the_scene() {
        for scene in scenes::of_suite(scenes::Suite::Published) {
            let written = calls(scene.name, scene.size_small, 10).unwrap();
            assert_eq!(written.len(), 10, "{}", scene.name);
            assert!(written[0].len() > 2, "{}", scene.name);
        }
        let junkyard = calls("junkyard", 2, 3).unwrap();
        assert_eq!(junkyard[2].len(), 1, "the wall is moved");
        let [name, _, velocity] = &junkyard[2].last().unwrap().as_array().unwrap()[..] else {
            panic!("{junkyard:?}");
        };
        assert_eq!(name, "velocity");
        let x = velocity[0].as_f64().unwrap();
        assert_eq!(
            f64::from(x as f32),
            x,
            "a number of JSON is the scene's, to the bit"
        );
    }

    /// The definitions of all calls of these names.
    fn definitions<'a>(written: &'a [Vec<Value>], names: &'a [&str]) -> impl Iterator<Item = &'a Value> {
        let calls = written.iter().flatten().map(|call| call.as_array().unwrap());
        calls
            .filter(move |call| names.contains(&call[0].as_str().unwrap()))
            .map(|call| call.last().unwrap())
    }

    #[test]
    fn engines_are_told_which_events_to_report() {
        for scene in scenes::of_suite(scenes::Suite::Published) {
            let written = calls(scene.name, scene.size_small, 1).unwrap();
            let shapes: Vec<&Value> = definitions(&written, &["shape", "chain"]).collect();
            assert!(
                shapes
                    .iter()
                    .all(|def| def["contactEvents"] == false && def["rollingResistance"] == 0.0)
            );
            let reports_hits = shapes.iter().any(|def| def["hitEvents"] == true);
            assert_eq!(reports_hits, scene.name == "washer", "{}", scene.name);
        }
    }

    #[test]
    fn the_older_package_of_rapier_runs_the_scenes_without_chains_and_bounded_motors() {
        let older = builds::find("rapier-simd-web").unwrap();
        let suites = [scenes::Suite::Published, scenes::Suite::HeldOut];
        for scene in suites.into_iter().flat_map(scenes::of_suite) {
            let written = calls(scene.name, scene.size_small, 1).unwrap();
            let is_bounded = |def: &Value| def["enableMotor"] == true && def["enableSpring"] == false;
            let lacks = definitions(&written, &["chain"]).next().is_some()
                || definitions(&written, &["joint"]).any(is_bounded);
            assert_eq!(older.lacks(scene.name, 1).is_some(), lacks, "{}", scene.name);
        }
    }

    #[test]
    fn a_joint_that_runners_do_not_know_is_an_error() {
        let error = calls("ropes", 1, 1).unwrap_err().to_string();
        assert!(error.contains("revolute joints"), "{error}");
    }
}
