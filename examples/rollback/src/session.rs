//! Two peers and their sessions.

use std::thread::sleep;
use std::time::Duration;

use ggrs::{DesyncDetection, GgrsError, GgrsEvent, P2PSession, PlayerType, SessionBuilder, SessionState};

use crate::game::{Game, Rollback, input_of};
use crate::link::Link;

/// How many frames are predicted at most.
pub const PREDICTED_MAX: usize = 8;

/// One peer.
pub struct Peer {
    /// Which player it is.
    pub handle: usize,
    /// Its game.
    pub game: Game,
    session: P2PSession<Rollback>,
    /// Frames at which the other peer's checksum was another.
    pub desyncs: Vec<i32>,
}

/// Two peers and the link between them.
pub struct Match {
    /// The peers.
    pub peers: [Peer; 2],
    link: Link,
}

impl Match {
    /// A match over a link of this seed; the second player's game may cheat from a frame on.
    pub fn new(seed: u64, cheats_from: Option<u64>) -> Self {
        let link = Link::new(seed);
        let mut peers = [0, 1].map(|handle| Peer {
            handle,
            game: Game::new(),
            session: session(handle, &link),
            desyncs: Vec::new(),
        });
        peers[1].game.cheats_from = cheats_from;
        Self { peers, link }
    }

    /// Plays until both peers have made so many frames, and all inputs up to there have arrived.
    pub fn play(&mut self, frames: i32) {
        // What goes wrong ends, too: ggrs keeps time of its own, so this loop has to.
        for _ in 0..200 * frames {
            let [one, two] = &self.peers;
            if one.confirmed().min(two.confirmed()) >= frames {
                return;
            }
            self.peers.iter_mut().for_each(Peer::frame);
            self.link.tick();
            sleep(Duration::from_micros(500));
        }
        panic!("the peers do not get on");
    }
}

fn session(handle: usize, link: &Link) -> P2PSession<Rollback> {
    let other = 1 - handle;
    SessionBuilder::<Rollback>::new()
        .with_num_players(2)
        .expect("two is a number of players")
        .with_max_prediction_window(PREDICTED_MAX)
        .with_desync_detection_mode(DesyncDetection::On { interval: 10 })
        .add_player(PlayerType::Local, handle)
        .expect("the handle is free")
        .add_player(PlayerType::Remote(other), other)
        .expect("the handle is free")
        .start_p2p_session(link.end(handle))
        .expect("all players are there")
}

impl Peer {
    /// What a game does in each turn of its loop.
    fn frame(&mut self) {
        self.session.poll_remote_clients();
        for event in self.session.events() {
            if let GgrsEvent::DesyncDetected { frame, .. } = event {
                self.desyncs.push(frame);
            }
        }
        if self.session.current_state() != SessionState::Running {
            return;
        }
        let input = input_of(self.handle, self.session.current_frame());
        self.session
            .add_local_input(self.handle, input)
            .expect("the player is local");
        match self.session.advance_frame() {
            Ok(requests) => self.game.handle(requests),
            // The other's inputs are late by more than may be predicted: the game waits.
            Err(GgrsError::PredictionThreshold) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// The last frame of which all inputs are known.
    pub fn confirmed(&self) -> i32 {
        self.session.confirmed_frame()
    }
}
