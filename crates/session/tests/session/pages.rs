//! What a page is told after its queue was full.

use std::cell::{Cell, RefCell};

use tombolo::Scene;
use tombolo::threads::Inline;
use tombolo_session::{Message, Origin, Outbox, Page, Playback, Request, Session};

const SCENE: &str = r#"(
    entities: {"crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))}},
    place: [One(name: "crate", entity: "crate", at: (0, 4))],
)"#;

/// A queue that has room for texts, and for frames at times.
#[derive(Default)]
struct Narrow {
    has_room: Cell<bool>,
    /// For each start of a world, whether it is the one that the page shows already.
    starts: RefCell<Vec<bool>>,
}

impl Outbox for Narrow {
    fn push(&self, message: Message) -> bool {
        let Message::Text(text) = message else {
            return self.has_room.get();
        };
        let told: serde_json::Value = serde_json::from_str(&text).unwrap();
        if told["is"] == "start" {
            self.starts.borrow_mut().push(told["again"].as_bool().unwrap());
        }
        true
    }
}

fn read(text: &str) -> Request {
    serde_json::from_str(text).unwrap()
}

/// A page that hears of another world loads its pictures and forgets what was selected.
#[test]
fn a_frame_that_found_no_room_does_not_make_it_another_world() {
    let origin = Origin::new("a.ron", "a", Scene::parse("a.ron", SCENE).unwrap(), true);
    let world = origin.world().unwrap();
    let mut playback = Playback::new(Session::new(origin, world));
    let mut page = Page::new(Narrow::default());
    let mut show = |page: &mut Page<Narrow>, has_room: bool| {
        page.outbox().has_room.set(has_room);
        playback.change(read(r#"{"do":"step"}"#), &Inline).unwrap();
        page.show(&playback.shown(1, false, 0.0), true).unwrap();
        page.hear(&read(r#"{"do":"ready"}"#), None);
    };
    for has_room in [true, false, true, true] {
        show(&mut page, has_room);
    }
    assert_eq!(*page.outbox().starts.borrow(), [false, true]);
    page.begin();
    show(&mut page, true);
    assert_eq!(*page.outbox().starts.borrow(), [false, true, false]);
}
