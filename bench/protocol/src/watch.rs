//! Watching a world step by step: the runner writes the poses of all bodies after every step, the bench reads them
//! back.
//!
//! A look ([`Look`]) is a header of two numbers, bodies and awake ones, and seven numbers a body, all of four bytes,
//! least significant byte first: a run of thousands of bodies is megabytes, which text would make ten times as many.

use std::io::{self, Read, Write};

use clap::Parser;

use crate::BodyMotion;
use crate::worlds::World;

/// The order to watch a world.
#[derive(Clone, Debug, PartialEq, Parser)]
pub struct Watch {
    /// The world, as JSON.
    #[arg(long, value_parser = parse_world)]
    pub world: World,
    /// The number of steps to run.
    #[arg(long)]
    pub steps: u32,
}

/// The first argument of a runner that is to watch.
pub const WATCH: &str = "watch";

fn parse_world(text: &str) -> Result<World, serde_json::Error> {
    serde_json::from_str(text)
}

impl Watch {
    /// The arguments that a runner parses back to this order.
    ///
    /// # Errors
    /// A number of the world is not finite, which JSON can't represent.
    pub fn to_arguments(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            WATCH.to_owned(),
            format!("--world={}", serde_json::to_string(&self.world)?),
            format!("--steps={}", self.steps),
        ])
    }
}

/// The state of all bodies: before the first step, or after one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// The number of awake dynamic bodies.
    pub awake: u32,
    /// Every body, in the order of creation.
    pub bodies: Vec<BodyMotion>,
}

impl Look {
    /// Writes it.
    ///
    /// # Errors
    /// The writer fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let count = u32::try_from(self.bodies.len()).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(8 + self.bodies.len() * BODY_BYTES);
        bytes.extend(count.to_le_bytes());
        bytes.extend(self.awake.to_le_bytes());
        for number in self.bodies.iter().flat_map(BodyMotion::numbers) {
            bytes.extend(number.to_le_bytes());
        }
        out.write_all(&bytes)
    }

    /// Reads the next one; `None` at the end.
    ///
    /// # Errors
    /// The reader fails, or its data ends within a look.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut header = [0; 8];
        match from.read(&mut header[..1])? {
            0 => return Ok(None),
            _ => from.read_exact(&mut header[1..])?,
        }
        let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        let (count, awake) = (word(0) as usize, word(4));
        let mut bytes = vec![0; count * BODY_BYTES];
        from.read_exact(&mut bytes)?;
        let body = |bytes: &[u8]| {
            let number =
                |at: usize| f32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().expect("four bytes"));
            BodyMotion {
                x: number(0),
                y: number(1),
                cos: number(2),
                sin: number(3),
                velocity_x: number(4),
                velocity_y: number(5),
                angular_velocity: number(6),
            }
        };
        Ok(Some(Self {
            awake,
            bodies: bytes.chunks_exact(BODY_BYTES).map(body).collect(),
        }))
    }
}

/// The bytes of a body: seven numbers.
const BODY_BYTES: usize = 28;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_survive_the_pipe_bit_by_bit() {
        let looks = [0, 3].map(|count| Look {
            awake: count,
            bodies: (0..count)
                .map(|body| BodyMotion {
                    x: body as f32 * 0.1,
                    y: -0.0,
                    cos: f32::MIN_POSITIVE,
                    sin: f32::NAN,
                    angular_velocity: 1.0 / 3.0,
                    ..Default::default()
                })
                .collect(),
        });
        let mut pipe = Vec::new();
        for look in &looks {
            look.write(&mut pipe).unwrap();
        }
        let mut from = &pipe[..];
        for look in &looks {
            let read = Look::read(&mut from).unwrap().unwrap();
            let bits = |look: &Look| -> Vec<_> {
                look.bodies
                    .iter()
                    .map(|body| body.numbers().map(f32::to_bits))
                    .collect()
            };
            assert_eq!((read.awake, bits(&read)), (look.awake, bits(look)));
        }
        assert_eq!(Look::read(&mut from).unwrap(), None);
    }

    #[test]
    fn a_look_that_is_cut_short_is_an_error() {
        let mut pipe = Vec::new();
        let look = Look {
            awake: 1,
            bodies: vec![BodyMotion::default()],
        };
        look.write(&mut pipe).unwrap();
        pipe.pop();
        assert!(Look::read(&mut &pipe[..]).is_err());
    }

    #[test]
    fn what_to_watch_survives_the_command_line() {
        let watch = Watch {
            world: World::Bridge { planks: 3 },
            steps: 7,
        };
        let arguments = watch.to_arguments().unwrap();
        assert_eq!(Watch::parse_from(arguments), watch);
    }
}
