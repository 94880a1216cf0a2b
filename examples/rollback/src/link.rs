//! A link between two peers that delays messages, changes their order and loses some, always in the same way.

use std::cell::RefCell;
use std::rc::Rc;

use ggrs::{Message, NonBlockingSocket};

/// Messages on their way: when they arrive, for whom, from whom.
#[derive(Default)]
struct Wire {
    now: u64,
    random: u64,
    messages: Vec<(u64, usize, usize, Message)>,
}

/// Both ends of a link.
pub struct Link(Rc<RefCell<Wire>>);

/// One end of it.
pub struct End {
    wire: Rc<RefCell<Wire>>,
    address: usize,
}

impl Link {
    /// A link whose delays and losses follow from a seed.
    pub fn new(seed: u64) -> Self {
        let wire = Wire {
            random: seed,
            ..Wire::default()
        };
        Self(Rc::new(RefCell::new(wire)))
    }

    /// The end of a peer.
    pub fn end(&self, address: usize) -> End {
        End {
            wire: Rc::clone(&self.0),
            address,
        }
    }

    /// A frame's time passes.
    pub fn tick(&self) {
        self.0.borrow_mut().now += 1;
    }
}

impl NonBlockingSocket<usize> for End {
    fn send_to(&mut self, message: &Message, to: &usize) {
        let mut wire = self.wire.borrow_mut();
        wire.random = wire
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let drawn = wire.random >> 33;
        // One of ten is lost; the others take 2 to 6 frames.
        if !drawn.is_multiple_of(10) {
            let at = wire.now + 2 + (drawn >> 8) % 5;
            wire.messages.push((at, *to, self.address, message.clone()));
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(usize, Message)> {
        let mut wire = self.wire.borrow_mut();
        let now = wire.now;
        let arrived = wire
            .messages
            .extract_if(.., |(at, to, ..)| *at <= now && *to == self.address);
        arrived.map(|(_, _, from, message)| (from, message)).collect()
    }
}
