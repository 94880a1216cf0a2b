// Box2D's package for browsers and Node, in the build with vector instructions. Choices are those of the native runner,
// bench/runners/box2d.
export async function create({ gravity, sleeping, substeps, stepSeconds }, threads, { load }) {
    if (threads !== 1) {
        throw new Error("this runner has one thread");
    }
    const { default: Box2d } = await load("box2d3-wasm");
    const b2 = await Box2d();
    const vector = ([x, y]) => new b2.b2Vec2(x, y);
    const rotation = (angle) => b2.b2MakeRot(angle);
    const worldDef = b2.b2DefaultWorldDef();
    worldDef.gravity = vector(gravity);
    worldDef.enableSleep = sleeping;
    const world = b2.b2CreateWorld(worldDef);
    const KINDS = { static: b2.b2BodyType.b2_staticBody, kinematic: b2.b2BodyType.b2_kinematicBody, dynamic: b2.b2BodyType.b2_dynamicBody };

    function filter(own, { category, mask, group }) {
        own.setCategoryBits64(category);
        own.setMaskBits64(mask);
        own.groupIndex = group;
        return own;
    }

    function surface(own, { friction, restitution, rollingResistance }) {
        own.friction = friction;
        own.restitution = restitution;
        own.rollingResistance = rollingResistance;
        return own;
    }

    function shapeDef(def) {
        const own = b2.b2DefaultShapeDef();
        own.density = def.density;
        own.material = surface(own.material, def);
        own.filter = filter(own.filter, def);
        own.enableContactEvents = def.contactEvents;
        own.enableHitEvents = def.hitEvents;
        return own;
    }

    return {
        name: "box2d3-wasm 5.2.0 in Node",
        body(def) {
            const own = b2.b2DefaultBodyDef();
            own.type = KINDS[def.kind];
            own.position = vector(def.position);
            own.rotation = rotation(def.angle);
            own.linearVelocity = vector(def.linearVelocity);
            own.angularVelocity = def.angularVelocity;
            own.linearDamping = def.linearDamping;
            own.angularDamping = def.angularDamping;
            own.gravityScale = def.gravityScale;
            own.sleepThreshold = def.sleepThreshold;
            own.enableSleep = def.allowSleep;
            own.isAwake = def.awake;
            return b2.b2CreateBody(world, own);
        },
        shape(body, def) {
            const { outline, rectangle } = def;
            if (outline.circle !== undefined) {
                const circle = new b2.b2Circle();
                [circle.center, circle.radius] = [vector(outline.center), outline.circle];
                b2.b2CreateCircleShape(body, shapeDef(def), circle);
            } else if (outline.capsule) {
                const capsule = new b2.b2Capsule();
                [capsule.center1, capsule.center2, capsule.radius] = [...outline.capsule.map(vector), outline.radius];
                b2.b2CreateCapsuleShape(body, shapeDef(def), capsule);
            } else if (outline.segment) {
                const segment = new b2.b2Segment();
                [segment.point1, segment.point2] = outline.segment.map(vector);
                b2.b2CreateSegmentShape(body, shapeDef(def), segment);
            } else {
                const polygon = rectangle
                    ? b2.b2MakeOffsetRoundedBox(rectangle[2], rectangle[3], vector(rectangle), rotation(0), outline.radius)
                    : b2.b2MakePolygon(b2.b2ComputeHull(outline.polygon.map(vector)), outline.radius);
                b2.b2CreatePolygonShape(body, shapeDef(def), polygon);
            }
        },
        chain(body, { points, closed, ...def }) {
            const own = b2.b2DefaultChainDef();
            own.SetPoints(points.map(vector));
            own.isLoop = closed;
            own.filter = filter(own.filter, def);
            own.SetMaterials([surface(b2.b2DefaultSurfaceMaterial(), def)]);
            b2.b2CreateChain(body, own);
        },
        joint(a, b, def) {
            const own = b2.b2DefaultRevoluteJointDef();
            const { base } = own;
            [base.bodyIdA, base.bodyIdB, base.collideConnected] = [a, b, def.collideConnected];
            // Box2D turns frame A by the angle that counts as zero.
            base.localFrameA.p = vector(def.anchorA);
            base.localFrameA.q = rotation(def.angleA - def.angleB);
            base.localFrameB.p = vector(def.anchorB);
            [own.enableLimit, own.lowerAngle, own.upperAngle] = [def.enableLimit, def.lowerAngle, def.upperAngle];
            [own.enableMotor, own.motorSpeed, own.maxMotorTorque] = [def.enableMotor, def.motorSpeed, def.maxMotorTorque];
            [own.enableSpring, own.hertz, own.dampingRatio] = [def.enableSpring, def.springHertz, def.springDampingRatio];
            own.targetAngle = def.targetAngle;
            b2.b2CreateRevoluteJoint(world, own);
        },
        destroy: (body) => b2.b2DestroyBody(body),
        setVelocity: (body, velocity) => b2.b2Body_SetLinearVelocity(body, vector(velocity)),
        step: () => b2.b2World_Step(world, stepSeconds, substeps),
        motion(body) {
            const [p, q] = [b2.b2Body_GetPosition(body), b2.b2Body_GetRotation(body)];
            const velocity = b2.b2Body_GetLinearVelocity(body);
            const motion = [p.x, p.y, q.c, q.s, velocity.x, velocity.y, b2.b2Body_GetAngularVelocity(body)];
            [p, q, velocity].forEach((value) => value.delete());
            return motion;
        },
        isAwake: (body) => b2.b2Body_IsAwake(body),
        counts() {
            const own = b2.b2World_GetCounters(world);
            return { bodies: own.bodyCount, shapes: own.shapeCount, joints: own.jointCount, contacts: own.contactCount };
        },
    };
}
