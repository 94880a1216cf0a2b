// Rapier's package for browsers and Node, and the one with vector instructions, whose newest version is older. Choices are those of
// the native runner, bench/runners/rapier, but for what the packages have no call for:
// - bodies fall asleep by the package's own threshold of speed: 0.05 m/s, which is the scenes' but for the dolls of `rain` (0.1 m/s),
//   and 0.4 m/s in the one with vector instructions, for two seconds instead of half a one;
// - there is no geometric mean of frictions: each shape has the root of its friction, and two are multiplied, which is the same;
// - the package with vector instructions bounds no motor and has no one-sided chains, so it refuses scenes with either
//   (bench/src/areas/physics/builds.rs names those that it runs).
// As in the native runner touches and hits are not reported. Nor does Rapier have a resistance to rolling, which is refused.
const PACKAGES = {
    "rapier-web": ["@dimforge/rapier2d-compat", "0.21.0"],
    "rapier-simd-web": ["@dimforge/rapier2d-simd-compat", "0.19.3 with vector instructions, asleep below 0.4 m/s"],
};
const DESCRIPTIONS = { static: "fixed", kinematic: "kinematicVelocityBased", dynamic: "dynamic" };

const vector = ([x, y]) => ({ x, y });

/** The groups of a filter, 16 bits each; the native runner says why they are made so. */
function groups({ category, mask, group }) {
    const [own, meets] = [BigInt(category), BigInt(mask)];
    const low = (bits) => Number(bits & 0xffn);
    if (group < 0) {
        const bit = 1 << (8 - group);
        const others = (own & meets) === 0n ? 0 : 0xff00 & ~bit;
        return ((bit << 16) | (low(meets) & ~low(own)) | others) >>> 0;
    }
    return ((low(own) << 16) | low(meets) | (meets === 0xffffffffffffffffn ? 0xff00 : 0)) >>> 0;
}

export async function create({ gravity, sleeping, substeps, stepSeconds }, threads, { engineName, load }) {
    const [name, version] = PACKAGES[engineName];
    const { default: RAPIER } = await load(name);
    if (threads !== 1) {
        throw new Error("this package has one thread");
    }
    await RAPIER.init();
    const world = new RAPIER.World(vector(gravity));
    world.timestep = stepSeconds;
    world.numSolverIterations = substeps;
    let shapesBeyond = 0;

    /** Fails where the scene has what this package does not. */
    function refuseUnless(holds, what) {
        if (!holds) {
            throw new Error(`${name} has no ${what}`);
        }
    }

    /** Rapier's own kind for each outline; a rectangle is a cuboid, which it handles faster than a polygon. */
    function collider({ outline, rectangle }) {
        const { ColliderDesc } = RAPIER;
        if (outline.circle !== undefined) {
            return ColliderDesc.ball(outline.circle).setTranslation(...outline.center);
        }
        if (outline.segment) {
            return ColliderDesc.segment(...outline.segment.map(vector));
        }
        if (outline.capsule) {
            const [[ax, ay], [bx, by]] = outline.capsule;
            const half = Math.hypot(bx - ax, by - ay) / 2;
            return ColliderDesc.capsule(half, outline.radius).setTranslation((ax + bx) / 2, (ay + by) / 2)
                .setRotation(Math.atan2(by - ay, bx - ax) - Math.PI / 2);
        }
        const { radius } = outline;
        if (rectangle) {
            const [x, y, width, height] = rectangle;
            const cuboid = radius === 0 ? ColliderDesc.cuboid(width, height) : ColliderDesc.roundCuboid(width, height, radius);
            return cuboid.setTranslation(x, y);
        }
        const points = Float32Array.from(outline.polygon.flat());
        return radius === 0 ? ColliderDesc.convexPolyline(points) : ColliderDesc.roundConvexPolyline(points, radius);
    }

    function withMaterial(made, def) {
        refuseUnless(def.rollingResistance === 0, "resistance to rolling");
        const { Multiply, Max } = RAPIER.CoefficientCombineRule;
        return made.setDensity(def.density).setFriction(Math.sqrt(def.friction)).setFrictionCombineRule(Multiply)
            .setRestitution(def.restitution).setRestitutionCombineRule(Max).setCollisionGroups(groups(def));
    }

    return {
        name: `Rapier ${version}, in Node`,
        body(def) {
            const made = RAPIER.RigidBodyDesc[DESCRIPTIONS[def.kind]]()
                .setTranslation(...def.position).setRotation(def.angle).setLinvel(...def.linearVelocity)
                .setAngvel(def.angularVelocity).setLinearDamping(def.linearDamping).setAngularDamping(def.angularDamping)
                .setGravityScale(def.gravityScale).setCanSleep(def.allowSleep && sleeping).setSleeping(!def.awake);
            return world.createRigidBody(made);
        },
        shape: (body, def) => world.createCollider(withMaterial(collider(def), def), body),
        chain(body, { points, closed, ...def }) {
            const count = points.length;
            const segments = Array.from({ length: closed ? count : count - 1 }, (_, start) => [start, (start + 1) % count]);
            refuseUnless(RAPIER.PolylineFlags, "one-sided chains");
            const made = RAPIER.ColliderDesc.polyline(Float32Array.from(points.flat()), Uint32Array.from(segments.flat()),
                RAPIER.PolylineFlags.ORIENTED);
            world.createCollider(withMaterial(made, def), body);
            shapesBeyond += segments.length - 1;
        },
        // Of a spring and a motor the spring is taken: the joint has one of both.
        joint(a, b, def) {
            const turn = def.angleA - def.angleB;
            const made = RAPIER.JointData.revolute(vector(def.anchorA), vector(def.anchorB));
            const joint = world.createImpulseJoint(made, a, b, true);
            if (def.enableLimit) {
                // Limits in the definition are dropped for revolute joints.
                joint.setLimits(def.lowerAngle + turn, def.upperAngle + turn);
            }
            joint.setContactsEnabled(def.collideConnected);
            if (def.enableSpring) {
                const omega = 2 * Math.PI * def.springHertz;
                joint.configureMotorPosition(def.targetAngle + turn, omega * omega, 2 * def.springDampingRatio * omega);
            } else if (def.enableMotor) {
                refuseUnless(joint.setMotorMaxForce, "bounds of motors");
                joint.configureMotorVelocity(def.motorSpeed, 1e5);
                joint.setMotorMaxForce(def.maxMotorTorque);
            }
        },
        destroy: (body) => world.removeRigidBody(body),
        setVelocity: (body, velocity) => body.setLinvel(vector(velocity), true),
        step: () => world.step(),
        motion(body) {
            const [position, angle, velocity] = [body.translation(), body.rotation(), body.linvel()];
            return [position.x, position.y, Math.cos(angle), Math.sin(angle), velocity.x, velocity.y, body.angvel()];
        },
        isAwake: (body) => !body.isSleeping(),
        counts: () => ({
            bodies: world.bodies.len(),
            shapes: world.colliders.len() + shapesBeyond,
            joints: world.impulseJoints.len(),
        }),
    };
}
