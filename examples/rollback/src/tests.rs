//! What the peers come to, against a game that is played without a network.

use ggrs::SessionBuilder;
use tombolo_physics::Recording;
use tombolo_threads::Inline;

use crate::game::{Game, Rollback, input_of};
use crate::session::{Match, PREDICTED_MAX, Peer};

/// A session that goes back in every frame, and compares the checksums of what it makes again.
#[test]
fn a_synctest_over_all_predicted_frames_agrees() {
    for check_distance in [2, PREDICTED_MAX - 1] {
        let mut session = SessionBuilder::<Rollback>::new()
            .with_num_players(2)
            .unwrap()
            .with_max_prediction_window(PREDICTED_MAX)
            .with_check_distance(check_distance)
            .start_synctest_session()
            .unwrap();
        let mut game = Game::new();
        for frame in 0..400 {
            for player in 0..2 {
                session.add_local_input(player, input_of(player, frame)).unwrap();
            }
            game.handle(session.advance_frame().unwrap());
        }
        assert_eq!(game.world.step_index(), 400);
        assert!(game.steps_made > 400 * check_distance as u64);
    }
}

/// Checksums of a game in which every input is there in time.
fn known(frames: i32) -> Vec<u64> {
    let mut game = Game::new();
    let mut checksums = Vec::new();
    for frame in 0..frames {
        checksums.push(game.world.frame().checksum());
        game.advance([0, 1].map(|player| input_of(player, frame)));
    }
    checksums
}

#[test]
fn two_peers_over_a_bad_link_come_to_the_same_as_a_game_without_one() {
    for seed in 1..4 {
        let mut played = Match::new(seed, None);
        played.play(300);
        let known = known(300);
        // How often a peer goes back depends on the time that the session measures: on a busy machine it waits instead.
        let went_back = |peer: &Peer| peer.game.steps_made > peer.game.world.step_index();
        assert!(played.peers.iter().any(went_back));
        for peer in &played.peers {
            assert!(peer.desyncs.is_empty(), "{:?}", peer.desyncs);
            for (frame, checksum) in peer.game.checksums.range(..300) {
                assert_eq!(
                    *checksum, known[*frame as usize],
                    "frame {frame} of player {}",
                    peer.handle
                );
            }
            assert!(peer.confirmed() >= 300);
        }
    }
}

/// How a desync is found: the session says that there is one, and the recordings of both peers where.
#[test]
fn a_peer_that_cheats_is_found_by_its_recording() {
    let mut played = Match::new(7, Some(100));
    played.play(200);
    let desyncs: Vec<i32> = played
        .peers
        .iter()
        .flat_map(|peer| peer.desyncs.clone())
        .collect();
    assert!(
        desyncs.iter().any(|frame| (100..130).contains(frame)),
        "{desyncs:?}"
    );
    let calls = played.peers.map(|mut peer| {
        peer.game.recording.extend(peer.game.world.end_recording());
        let recording = Recording::open(peer.game.recording).unwrap();
        let mut player = recording.player().unwrap();
        let mut cheats = Vec::new();
        while let Some(call) = player.next_call().unwrap() {
            if call.name() == "BodySetBullet" {
                cheats.push(player.world().step_index());
            }
            player.play(call, &Inline).unwrap();
        }
        assert_eq!(
            player.first_difference(),
            None,
            "a recording with rollbacks plays"
        );
        cheats
    });
    assert!(calls[0].is_empty() && calls[1].iter().all(|step| *step == 100) && !calls[1].is_empty());
}
