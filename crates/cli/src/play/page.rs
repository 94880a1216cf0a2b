//! [`Page`]: what the host knows of a page that watches: what it has been told, and what it wants to be told of.

use std::sync::Arc;

use tombolo::World;
use tombolo::component::NAMES;
use tombolo::entity::Entity;
use tombolo::threads::Stopwatch;
use tungstenite::Message;

use super::action::POINTER;
use super::inspector::{EntityView, describe, list};
use super::protocol::{ActionView, FrameHead, Told};
use super::server::tell;
use super::session::Session;
use super::socket::Outbox;
use crate::output::Failure;
use crate::replay::{Layers, LiveFrames};

/// So many frames are on the way to a page at most: the next is written when it has drawn one.
const FRAMES_ON_THE_WAY: u32 = 2;

/// While it plays the selected entity is told of so often.
const ENTITY_EVERY_S: f64 = 0.1;

/// So many lines of scripts, and so many faults, are shown at once.
const LINES_MAX: usize = 50;

/// A page.
pub(super) struct Page {
    pub(super) outbox: Arc<Outbox>,
    /// None before the page has been told that a world begins.
    frames: Option<LiveFrames>,
    on_the_way: u32,
    layers: Layers,
    /// What was shown last.
    version: Option<u64>,
    step: u64,
    /// The first step whose figures the page does not know.
    rows_from: u64,
    selected: Option<Entity>,
    /// What the page knows of it.
    told: Option<EntityView>,
    told_at: Stopwatch,
    /// How many lines of scripts and how many faults the page has been told of.
    lines: (usize, usize),
}

/// What pages are shown.
pub(super) struct Shown<'s> {
    pub(super) session: &'s Session,
    pub(super) version: u64,
    pub(super) playing: bool,
    pub(super) speed: f32,
    pub(super) watchers: usize,
    /// Of the state, while it stands.
    pub(super) hash: Option<&'s str>,
}

impl Page {
    pub(super) fn new(outbox: Arc<Outbox>) -> Self {
        Self {
            outbox,
            frames: None,
            on_the_way: 0,
            layers: Layers {
                contacts: false,
                boxes: false,
                cells: false,
            },
            version: None,
            step: 0,
            rows_from: 0,
            selected: None,
            told: None,
            told_at: Stopwatch::start(),
            lines: (0, 0),
        }
    }

    /// Another world comes, or the same from the beginning.
    pub(super) fn begin(&mut self) {
        self.frames = None;
        self.version = None;
        self.selected = None;
        self.told = None;
        self.lines = (0, 0);
    }

    /// The page has drawn a frame.
    pub(super) fn drew(&mut self) {
        self.on_the_way = self.on_the_way.saturating_sub(1);
    }

    pub(super) fn set_layers(&mut self, contacts: bool, boxes: bool, cells: bool) {
        self.layers = Layers {
            contacts,
            boxes,
            cells,
        };
        self.version = None;
    }

    pub(super) fn select(&mut self, entity: Option<Entity>) {
        self.selected = entity;
        self.told = None;
        self.version = None;
    }

    pub(super) fn forget_rows_after(&mut self, step: u64) {
        self.rows_from = self.rows_from.min(step + 1);
    }

    /// Answers with the entities whose names have a text in them.
    pub(super) fn list(&self, world: Option<&World>, search: &str) {
        let (rows, count) = world.map_or_else(Default::default, |world| list(world, search));
        tell(&self.outbox, &Told::Entities { rows, count });
    }

    /// Answers with the hash of the state.
    pub(super) fn tell_hash(&self, world: Option<&World>, step: u64) {
        let hash = world.map_or_else(String::new, |world| format!("{:016x}", world.state_hash()));
        tell(&self.outbox, &Told::Hash { step, hash });
    }

    /// Sends a frame, if there is something new and room for it.
    ///
    /// # Errors
    /// None that is known: it is written to memory.
    pub(super) fn show(&mut self, shown: &Shown<'_>, has_control: bool) -> Result<(), Failure> {
        if self.version == Some(shown.version) || self.on_the_way >= FRAMES_ON_THE_WAY {
            return Ok(());
        }
        let (session, world) = (shown.session, shown.session.world());
        if self.frames.as_ref().is_none_or(|frames| frames.is_worn(world)) {
            self.start(session)?;
        }
        let Some(frames) = &mut self.frames else {
            return Ok(());
        };
        let frame = frames.write(world, self.layers);
        let rows_from = self.rows_from.clamp(session.oldest(), session.newest() + 1);
        let rows = rows_from..=session.newest();
        let head = FrameHead {
            step: session.step(),
            steps: session.step().saturating_sub(self.step),
            oldest: session.oldest(),
            newest: session.newest(),
            playing: shown.playing,
            speed: shown.speed,
            has_control,
            watchers: shown.watchers,
            undo: session.undo_counts(),
            unwritten: session.has_unwritten(),
            inputs: world.actions().filter(|(_, value)| *value != 0.0).collect(),
            hash: shown.hash,
            rows_from,
            rows: rows.filter_map(|step| session.row(step).copied()).collect(),
            frame: &frame,
        };
        let text = serde_json::to_vec(&head)?;
        let mut bytes = Vec::with_capacity(4 + text.len() + frame.bytes.len());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        bytes.extend(frame.bytes);
        self.outbox.push(Message::binary(bytes));
        self.on_the_way += 1;
        self.version = Some(shown.version);
        self.step = session.step();
        self.rows_from = session.newest() + 1;
        self.show_selected(world, shown.playing);
        self.show_lines(world);
        Ok(())
    }

    /// Tells that a world begins.
    fn start(&mut self, session: &Session) -> Result<(), Failure> {
        let world = session.world();
        let graphs = session
            .source
            .scene()
            .into_iter()
            .flat_map(|scene| scene.graphs());
        let frames = LiveFrames::new(&session.source.name, world.step_seconds(), graphs);
        let scene = session.source.scene();
        let actions = scene.into_iter().flat_map(|scene| scene.actions());
        let resources = world.library().iter().map(|resource| resource.name.to_string());
        let told = Told::Start {
            manifest: frames.manifest()?,
            resources: resources.filter(|name| name != POINTER).collect(),
            kinds: &NAMES[1..],
            actions: actions
                .map(|(name, action)| ActionView::of(name, action))
                .collect(),
        };
        tell(&self.outbox, &told);
        self.frames = Some(frames);
        self.rows_from = 0;
        self.step = session.step();
        Ok(())
    }

    /// Tells what scripts have printed and what went wrong, if that is more or less than before.
    fn show_lines(&mut self, world: &World) {
        let (printed, faults) = (world.printed(), world.faults());
        let counts = (printed.len(), faults.len());
        if std::mem::replace(&mut self.lines, counts) != counts {
            let newest = |count: usize| count.saturating_sub(LINES_MAX)..;
            let told = Told::Log {
                printed: &printed[newest(printed.len())],
                faults: &faults[newest(faults.len())],
            };
            tell(&self.outbox, &told);
        }
    }

    /// Tells of the selected entity what has changed.
    fn show_selected(&mut self, world: &World, playing: bool) {
        let Some(entity) = self.selected else {
            return;
        };
        let is_early = playing && self.told_at.elapsed_seconds() < ENTITY_EVERY_S;
        if is_early && self.told.is_some() {
            return;
        }
        self.told_at = Stopwatch::start();
        let now = describe(world, entity);
        if now.is_some() && now == self.told {
            return;
        }
        match &now {
            Some(text) => tell(&self.outbox, &Told::Entity(text)),
            None => {
                tell(&self.outbox, &Told::Gone {});
                self.selected = None;
            }
        }
        self.told = now;
    }
}
