//! Sounds, computed when the game starts: no file is read, and none has another author.

/// The sounds of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cue {
    Click,
    Snip,
    Miss,
    Switch,
    Knock,
    Bang,
    Win,
    Lose,
}

#[cfg(feature = "sound")]
pub(crate) use audible::Sounds;
#[cfg(not(feature = "sound"))]
pub(crate) use silent::Sounds;

#[cfg(not(feature = "sound"))]
mod silent {
    /// No sounds: the game was built without them.
    pub(crate) struct Sounds;

    impl Sounds {
        pub(crate) async fn load(_muted: bool) -> Self {
            Self
        }

        pub(crate) fn play(&self, _cue: super::Cue, _volume: f32) {}

        pub(crate) async fn toggle(&mut self) {}
    }
}

#[cfg(feature = "sound")]
mod audible {
    use macroquad::audio::{PlaySoundParams, Sound, load_sound_from_bytes, play_sound, set_sound_volume};

    use super::Cue;

    const RATE: u32 = 22_050;
    const MUSIC_VOLUME: f32 = 0.16;

    /// All sounds, and whether they are on.
    pub(crate) struct Sounds {
        cues: Vec<(Cue, Sound)>,
        music: Option<Sound>,
        muted: bool,
    }

    impl Sounds {
        /// If muted from the start, the machine's sound device is opened only when it is unmuted.
        pub(crate) async fn load(muted: bool) -> Self {
            let mut sounds = Self {
                cues: Vec::new(),
                music: None,
                muted: true,
            };
            if !muted {
                sounds.toggle().await;
            }
            sounds
        }

        /// Opens the sound device, computes the sounds and begins the music.
        async fn open(&mut self) {
            let cues: [(Cue, Vec<f32>); 8] = [
                (Cue::Click, tones(&[(660.0, 0.0, 0.07)], 0.4)),
                (Cue::Snip, noise(0.16, 0.9, 26.0)),
                (Cue::Miss, noise(0.12, 0.45, 30.0)),
                (
                    Cue::Switch,
                    tones(&[(440.0, 0.0, 0.08), (880.0, 0.07, 0.12)], 0.4),
                ),
                (Cue::Knock, thud(0.16, 120.0, 22.0)),
                (Cue::Bang, mixed(noise(1.1, 0.08, 4.5), thud(1.1, 55.0, 4.0))),
                (
                    Cue::Win,
                    tones(
                        &[
                            (523.3, 0.0, 0.3),
                            (659.3, 0.12, 0.3),
                            (784.0, 0.24, 0.3),
                            (1046.5, 0.36, 0.7),
                        ],
                        0.35,
                    ),
                ),
                (
                    Cue::Lose,
                    tones(&[(392.0, 0.0, 0.3), (349.2, 0.16, 0.3), (293.7, 0.32, 0.6)], 0.35),
                ),
            ];
            for (cue, samples) in cues {
                if let Ok(sound) = load_sound_from_bytes(&wave(&samples)).await {
                    self.cues.push((cue, sound));
                }
            }
            self.music = load_sound_from_bytes(&wave(&music())).await.ok();
            if let Some(music) = &self.music {
                play_sound(
                    music,
                    PlaySoundParams {
                        looped: true,
                        volume: MUSIC_VOLUME,
                    },
                );
            }
        }

        /// Plays a sound once, at a volume of 0 to 1.
        pub(crate) fn play(&self, cue: Cue, volume: f32) {
            let sound = self.cues.iter().find(|(known, _)| *known == cue && !self.muted);
            if let Some((_, sound)) = sound {
                play_sound(
                    sound,
                    PlaySoundParams {
                        looped: false,
                        volume,
                    },
                );
            }
        }

        /// Mutes or unmutes.
        pub(crate) async fn toggle(&mut self) {
            self.muted = !self.muted;
            if !self.muted && self.cues.is_empty() {
                self.open().await;
            } else if let Some(music) = &self.music {
                set_sound_volume(music, if self.muted { 0.0 } else { MUSIC_VOLUME });
            }
        }
    }

    fn samples(seconds: f32, value: impl FnMut(f32) -> f32) -> Vec<f32> {
        let count = (seconds * RATE as f32) as u32;
        (0..count)
            .map(|sample| sample as f32 / RATE as f32)
            .map(value)
            .collect()
    }

    /// A tone with overtones that fades, from its phase in turns, and its age.
    fn bell(turns: f32, age: f32, length: f32) -> f32 {
        const TURN: f32 = core::f32::consts::TAU;
        let fade = libm::expf(-4.0 * age / length) * (age * 200.0).min(1.0);
        fade * (libm::sinf(TURN * turns)
            + 0.4 * libm::sinf(2.0 * TURN * turns)
            + 0.15 * libm::sinf(3.0 * TURN * turns))
    }

    /// Tones: frequency, beginning and length.
    fn tones(notes: &[(f32, f32, f32)], volume: f32) -> Vec<f32> {
        let seconds = notes
            .iter()
            .fold(0.0_f32, |end, note| end.max(note.1 + note.2 * 1.4));
        samples(seconds, |time| {
            let heard = notes.iter().filter(|note| time >= note.1);
            volume
                * heard
                    .map(|note| bell(note.0 * (time - note.1), time - note.1, note.2))
                    .sum::<f32>()
        })
    }

    /// Noise that fades; the duller, the less `bright` it is.
    fn noise(seconds: f32, bright: f32, fade: f32) -> Vec<f32> {
        let (mut seed, mut last) = (1_u32, 0.0_f32);
        samples(seconds, |time| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let white = (seed >> 8) as f32 / 8_388_608.0 - 1.0;
            last += bright * (white - last);
            0.6 * last * libm::expf(-fade * time) / bright.max(0.3)
        })
    }

    /// A low tone that falls.
    fn thud(seconds: f32, frequency: f32, fade: f32) -> Vec<f32> {
        samples(seconds, |time| {
            let turns = frequency * time * (1.0 - 0.4 * (time / seconds));
            0.8 * libm::sinf(core::f32::consts::TAU * turns) * libm::expf(-fade * time)
        })
    }

    fn mixed(a: Vec<f32>, b: Vec<f32>) -> Vec<f32> {
        a.iter()
            .zip(&b)
            .map(|(a, b)| (1.6 * a + b).clamp(-1.0, 1.0))
            .collect()
    }

    /// Sixteen bars of a music box: chords broken into eighths, and a bass.
    fn music() -> Vec<f32> {
        const EIGHTH: f32 = 0.26;
        const CHORDS: [[f32; 4]; 4] = [
            [261.6, 329.6, 392.0, 523.3],
            [220.0, 261.6, 329.6, 440.0],
            [174.6, 220.0, 261.6, 349.2],
            [196.0, 246.9, 293.7, 392.0],
        ];
        const ORDER: [usize; 8] = [0, 2, 1, 3, 2, 1, 3, 2];
        let mut notes = Vec::new();
        for eighth in 0..64_usize {
            let chord = CHORDS[eighth / 8 % 4];
            let up = if eighth >= 32 && eighth % 4 == 3 { 2.0 } else { 1.0 };
            let begin = eighth as f32 * EIGHTH;
            notes.push((up * chord[ORDER[eighth % 8]], begin, 0.9));
            if eighth.is_multiple_of(8) {
                notes.push((0.5 * chord[0], begin, 2.0));
            }
        }
        // The sound after the end is mixed into the beginning, so that the loop has no seam.
        let length = (64.0 * EIGHTH * RATE as f32) as usize;
        let mut all = vec![0.0; length];
        for (frequency, begin, ring) in notes {
            let first = (begin * RATE as f32) as usize;
            for (offset, value) in samples(1.4 * ring, |age| 0.3 * bell(frequency * age, age, ring))
                .iter()
                .enumerate()
            {
                all[(first + offset) % length] += value;
            }
        }
        all
    }

    /// A WAV file of 16 bits and one channel.
    fn wave(samples: &[f32]) -> Vec<u8> {
        let bytes = 2 * samples.len() as u32;
        let mut file = Vec::with_capacity(44 + bytes as usize);
        file.extend(b"RIFF");
        file.extend((36 + bytes).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16_u32.to_le_bytes());
        file.extend([1, 0, 1, 0]);
        file.extend(RATE.to_le_bytes());
        file.extend((2 * RATE).to_le_bytes());
        file.extend([2, 0, 16, 0]);
        file.extend(b"data");
        file.extend(bytes.to_le_bytes());
        for sample in samples {
            file.extend(((sample.clamp(-1.0, 1.0) * 32_000.0) as i16).to_le_bytes());
        }
        file
    }
}
