//! Names of entities as names of bodies.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::prelude::{Entity, Name};
use support::{app, ball, hash, physics};

fn name(app: &App, entity: Entity) -> &str {
    physics(app).body(entity).expect("it has a body").name()
}

#[test]
fn a_body_has_its_entitys_name_from_when_it_is_given_until_it_is_removed() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    app.world_mut().entity_mut(ball).insert(Name::new("ball"));
    let wall = support::ground(&mut app);
    app.update();
    assert_eq!([name(&app, ball), name(&app, wall)], ["ball", ""]);
    app.world_mut().get_mut::<Name>(ball).unwrap().set("the ball");
    app.world_mut().entity_mut(wall).insert(Name::new("wall"));
    app.update();
    assert_eq!([name(&app, ball), name(&app, wall)], ["the ball", "wall"]);
    app.world_mut().entity_mut(ball).remove::<Name>();
    app.update();
    assert_eq!([name(&app, ball), name(&app, wall)], ["", "wall"]);
}

#[test]
fn of_a_long_name_a_body_has_the_characters_that_fit() {
    let mut app = app();
    let ball = ball(&mut app, 0.0, 5.0);
    let long = "ääääääääääääääää and so on";
    app.world_mut().entity_mut(ball).insert(Name::new(long));
    app.update();
    let short = name(&app, ball);
    assert!(long.starts_with(short));
    assert_eq!(
        short.len(),
        30,
        "15 letters of two bytes; of 31 bytes the last would be half a letter"
    );
}

#[test]
fn names_change_nothing_else() {
    let run = |named: bool| {
        let mut app = app();
        let ball = ball(&mut app, 0.0, 5.0);
        support::ground(&mut app);
        if named {
            app.world_mut().entity_mut(ball).insert(Name::new("ball"));
        }
        support::steps(&mut app, 60);
        hash(&app)
    };
    assert_eq!(run(true), run(false));
}
