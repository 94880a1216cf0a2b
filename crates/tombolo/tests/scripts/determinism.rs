//! One scene, one future: over thread counts, clones, saves in mid-run.

use tombolo::threads::Pool;
use tombolo::{Scene, SpawnDef, World};

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

/// A checkout with the line ends of Windows is the same world: its states, its saves, and what its scripts make of texts.
#[test]
fn line_ends_of_a_file_decide_nothing() {
    let script = "
    fn on_tick(seconds) {
        this.n = `a
b`.len();
    }
    fn on_despawn(position, angle) { print(\"gone\"); }";
    let unix = scene_text(script).replacen(
        "\"mind\": Script(text: ",
        "\"spare\": Script(text: r#\"\n// nothing\n\"#), \"mind\": Script(text: ",
        1,
    );
    let spawned = |text: &str| {
        let scene = Scene::parse("test.ron", text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scene.text(), text, "the text of the file stays as it is");
        let mut world = World::from_scene(&scene).expect("the scene is sound");
        world
            .spawn("mine", &SpawnDef::default())
            .expect("it can be spawned");
        (0..3).for_each(|_| world.step());
        assert_eq!(world.faults(), &[] as &[Box<str>]);
        world
    };
    let windows = unix.replace('\n', "\r\n");
    let (mut one, mut other) = (spawned(&unix), spawned(&windows));
    assert_eq!(one.state_hash(), other.state_hash());
    assert_eq!(one.save(), other.save());
    other.restore(&one.save()).expect("it is a save of this scene");
    // A script that an editor sends later.
    let later = "fn on_tick(seconds) {\n    this.n = `c\nd`;\n}";
    one.define_script("s", later).expect("it can be read");
    other
        .define_script("s", &later.replace('\n', "\r\n"))
        .expect("it can be read");
    (0..3).for_each(|_| [&mut one, &mut other].into_iter().for_each(|world| world.step()));
    assert_eq!(one.state_hash(), other.state_hash());
    // A mistake has the line that an editor shows.
    for text in [unix, windows] {
        let wrong = text.replacen("place: [", "place: [ Nothing(),", 1);
        let error = Scene::parse("test.ron", &wrong).expect_err("there is no such placement");
        let line = wrong[..wrong.find("Nothing").unwrap()].matches('\n').count() + 1;
        assert!(
            error.to_string().contains(&format!("test.ron:{line}")),
            "{error}, not line {line}"
        );
    }
}
