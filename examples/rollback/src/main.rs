//! Rollback as a game writes it, with ggrs: two players over a link with delays and losses, up to 8 frames predicted.
//!
//! `cargo run` plays ten seconds of a match and says how often the peers went back; `cargo test` checks what they came to, runs the
//! session that rolls back in every frame, and finds where a peer that cheats parts from the other.

mod game;
mod link;
mod session;

use session::Match;

fn main() {
    let mut played = Match::new(1, None);
    played.play(600);
    for peer in &played.peers {
        println!(
            "player {}: {} frames, {} of them made again; {} checksums compared, {} desyncs",
            peer.handle,
            peer.game.world.step_index(),
            peer.game.steps_made - peer.game.world.step_index(),
            peer.game.checksums.len(),
            peer.desyncs.len(),
        );
    }
}

#[cfg(test)]
mod tests;
