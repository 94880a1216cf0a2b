//! One scene, one future: over thread counts, clones, saves in mid-run.

use tombolo::World;
use tombolo::threads::Pool;

use super::{scene_text, world};

/// Uses every ability, on every event, with random numbers.
const BUSY: &str = "
    const PUSH = 2.0;
    fn on_spawn() {
        this.n = 0;
        this.seen = #{};
        repeat_timer(\"throw\", 0.2);
        set_timer(\"end\", 2.5 + random(0.0, 1.0));
    }
    fn on_tick(seconds) {
        this.n += 1;
        this.swing = sin(this.n * seconds) + pow(1.1, 0.3) + exp(-0.2);
        me().apply_force(vec2(global::PUSH * this.swing, 0));
        if this.n % 7 == 0 {
            let hit = cast_ray(me().get(\"transform.position\"), vec2(0, -5));
            if hit != () && hit.entity != () { hit.entity.set(\"body.angular_velocity\", random(-1.0, 1.0)); }
        }
    }
    fn on_timer(name) {
        if name == \"throw\" && tagged(\"wood\").len() < 40 {
            spawn_entity(\"crate\", #{position: vec2(random(-8.0, 8.0), 10), angle: random() * PI(),
                set: #{\"body.linear_velocity\": vec2(random(-3.0, 3.0), -2)}});
        }
        if name == \"end\" {
            let near = query_box(vec2(-20, 0), vec2(20, 3)).filter(|e| e.has(\"wood\"));
            if near.len() > 3 { despawn(near[random_int(0, near.len() - 1)]); }
            spawn_entity(\"mine\", #{position: vec2(random(-3.0, 3.0), 6)});
            set_timer(\"end\", 0.5);
        }
    }
    fn on_begin_touch(other) {
        let name = `${name_of(other)}`;
        this.seen[name] = this.seen.get(name) ?? 0;
        this.seen[name] += 1;
        if this.n > 200 && other.has(\"mind\") { despawn(other); }
        me().apply_impulse(vec2(0, 0.5), me().get(\"transform.position\"));
    }
    fn on_end_touch(other) { this.last = other; }
";

const STEPS: usize = 400;

fn hashes(mut step: impl FnMut(&mut World)) -> Vec<u64> {
    let mut world = world(BUSY);
    let hashes = (0..STEPS)
        .map(|_| {
            step(&mut world);
            world.state_hash()
        })
        .collect();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    assert!(
        world.entity_count() > 25,
        "it has been busy: {}",
        world.entity_count()
    );
    hashes
}

#[test]
fn threads_leave_no_trace() {
    let serial = hashes(World::step);
    for threads in [1, 2, 3, 4, 8] {
        let pool = Pool::new(threads).expect("there are threads");
        assert!(
            hashes(|world| world.step_with(&pool)) == serial,
            "{threads} threads"
        );
    }
}

#[test]
fn clones_and_saves_go_the_same_way() {
    let serial = hashes(World::step);
    let mut step = 0;
    let copied = hashes(|world| {
        step += 1;
        if step % 13 == 0 {
            *world = world.clone();
        } else if step % 17 == 0 {
            let save = world.save();
            let mut fresh = self::world(BUSY);
            fresh.step();
            fresh.restore(&save).expect("the save is sound");
            assert_eq!(fresh.save(), save, "equal worlds have equal saves");
            *world = fresh;
        }
        world.step();
    });
    assert!(copied == serial);
}

#[test]
fn other_threads_have_other_desks() {
    let serial = hashes(World::step);
    let parallel: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| hashes(World::step))).collect();
        runs.into_iter()
            .map(|run| run.join().expect("it ends well"))
            .collect()
    });
    assert!(parallel.iter().all(|run| *run == serial));
}

#[test]
fn a_save_fits_only_a_world_with_the_same_scripts() {
    let save = world(BUSY).save();
    let error = world("fn on_tick(seconds) { }")
        .restore(&save)
        .expect_err("another script");
    assert!(
        error.to_string().contains("the save was made with other scripts"),
        "{error}"
    );
    let text = scene_text("").replace("One(name: \"ball\", entity: \"ball\", at: (0, 5)),", "");
    assert!(tombolo::Scene::parse("test.ron", &text).is_ok());
}

#[test]
fn damaged_saves_are_refused() {
    let world = super::after(30, BUSY);
    let save = world.save();
    let mut other = self::world(BUSY);
    let before = other.state_hash();
    for end in (0..save.len()).step_by(save.len() / 97) {
        assert!(other.restore(&save[..end]).is_err());
    }
    assert_eq!(other.state_hash(), before);
}
