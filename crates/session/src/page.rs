//! [`Page`]: the state of one page that watches a session: what was sent to it, and what it has asked for.

use tombolo::World;
use tombolo::component::NAMES;
use tombolo::entity::Entity;
use tombolo::scene::graph::NodeGraph;

use crate::action::POINTER;
use crate::failure::Failure;
use crate::frames::{GraphEntry, Layers, LiveFrames};
use crate::graph_runs::NodeRun;
use crate::inspector::{EntityView, describe, list};
use crate::playback::Shown;
use crate::protocol::{ActionView, FrameHead, GraphView, Message, Outbox, Request, RequestKind, TextMessage};
use crate::session::Session;

/// The greatest number of frames sent and not drawn: the next is written when the page has drawn one.
const FRAMES_ON_THE_WAY: u32 = 2;

/// The interval at which the selected entity and the steps of the selected graph are sent while the session plays, in
/// seconds.
const TOLD_EVERY_S: f64 = 0.1;

/// A page that watches a session: what was sent to it, and what it has asked for.
pub struct Page<O> {
    outbox: O,
    /// Whether the page has got the start of this world.
    has_begun: bool,
    /// `None` if the next frame needs a start: of a world, or of the same one anew after a frame was dropped.
    frames: Option<LiveFrames>,
    on_the_way: u32,
    layers: Layers,
    /// The version that was shown last.
    version: Option<u64>,
    step: u64,
    /// The first step whose figures were not sent.
    rows_from: u64,
    selected: Option<Entity>,
    /// The selected entity as it was last sent.
    sent_entity: Option<EntityView>,
    /// The node graph that the page looks at, and its runs as they were last sent.
    graph: Option<String>,
    sent_runs: Option<(u64, Vec<NodeRun>)>,
    wants_hash: bool,
    /// The time at which the entity and the runs were sent, in seconds.
    told_at_s: f64,
    /// The number of all script lines and of faults when they were sent.
    lines: (u64, u64),
}

impl<O: Outbox> Page<O> {
    /// A page to which nothing was sent yet; messages to it go into the outbox.
    pub fn new(outbox: O) -> Self {
        Self {
            outbox,
            has_begun: false,
            frames: None,
            on_the_way: 0,
            layers: Layers {
                contacts: false,
                boxes: false,
                cells: false,
                colors: false,
            },
            version: None,
            step: 0,
            rows_from: 0,
            selected: None,
            sent_entity: None,
            graph: None,
            sent_runs: None,
            wants_hash: false,
            told_at_s: f64::NEG_INFINITY,
            lines: (0, 0),
        }
    }

    /// The queue of messages to the page.
    pub fn outbox(&self) -> &O {
        &self.outbox
    }

    /// Sends a text; false if it was dropped.
    fn send(&self, message: &TextMessage<'_>) -> bool {
        self.outbox.push(message.message())
    }

    /// Sends the reason of a refusal.
    pub fn refuse(&self, why: &str) {
        self.outbox.push(Message::error(why));
    }

    /// Sends the list of scenes that can be opened.
    pub fn send_gallery(&self, scenes: &[String]) {
        self.send(&TextMessage::Gallery { scenes });
    }

    /// Sends that edits were written to the scene's file, with those that were left out.
    pub fn send_written(&self, left_out: Vec<String>) {
        self.send(&TextMessage::Written { left_out });
    }

    /// Answers a request that needs no control.
    pub fn hear(&mut self, request: &Request, session: Option<&Session>) {
        match &request.0 {
            RequestKind::Ready {} => self.drew(),
            &RequestKind::Layers {
                contacts,
                boxes,
                cells,
                colors,
            } => self.set_layers(Layers {
                contacts,
                boxes,
                cells,
                colors,
            }),
            RequestKind::Select { entity } => self.select(entity.map(|key| key.0)),
            RequestKind::List { search } => self.list(session.map(Session::world), search),
            RequestKind::Scripts {} => {
                let scripts = session.map_or_else(Vec::new, Session::scripts);
                let graphs = session.map_or_else(Vec::new, Session::graphs).into_iter();
                let graphs = graphs.filter_map(|(name, text)| {
                    let graph = NodeGraph::parse(&text).ok()?;
                    let graph = GraphEntry::new(&name, &graph);
                    Some(GraphView { graph, text })
                });
                let graphs = graphs.collect();
                self.send(&TextMessage::Scripts { scripts, graphs });
            }
            RequestKind::Hash {} if session.is_some() => self.wants_hash = true,
            RequestKind::Hash {} => self.send_hash(0, ""),
            RequestKind::Graph { name } => self.watch_graph(name.clone()),
            _ => {}
        }
    }

    /// Forgets what was sent: another world begins, or the same one from its first moment.
    pub fn begin(&mut self) {
        self.has_begun = false;
        self.frames = None;
        self.version = None;
        self.selected = None;
        self.sent_entity = None;
        self.sent_runs = None;
        self.lines = (0, 0);
    }

    /// Counts a frame as drawn.
    fn drew(&mut self) {
        self.on_the_way = self.on_the_way.saturating_sub(1);
    }

    fn set_layers(&mut self, layers: Layers) {
        self.layers = layers;
        self.version = None;
    }

    fn select(&mut self, entity: Option<Entity>) {
        self.selected = entity;
        self.sent_entity = None;
        self.version = None;
    }

    fn watch_graph(&mut self, name: Option<String>) {
        self.graph = name;
        self.sent_runs = None;
        self.version = None;
    }

    /// Notes that figures of steps after this one may change and are sent again.
    pub fn forget_rows_after(&mut self, step: u64) {
        self.rows_from = self.rows_from.min(step.saturating_add(1));
    }

    /// Answers with the entities whose names contain a text.
    fn list(&self, world: Option<&World>, search: &str) {
        let (rows, count) = world.map_or_else(Default::default, |world| list(world, search));
        self.send(&TextMessage::Entities { rows, count });
    }

    /// Whether the page has asked for the hash of the state, and has no answer yet. Several questions get one answer.
    pub fn wants_hash(&self) -> bool {
        self.wants_hash
    }

    fn send_hash(&self, step: u64, hash: &str) {
        self.send(&TextMessage::Hash { step, hash });
    }

    /// Sends a frame, if there is something new and the page is not behind with earlier frames.
    ///
    /// # Errors
    /// None is known: it is written to memory.
    pub fn show(&mut self, shown: &Shown<'_>, has_control: bool) -> Result<(), Failure> {
        if let (true, Some(hash)) = (self.wants_hash, shown.hash) {
            self.wants_hash = false;
            self.send_hash(shown.session.step(), hash);
        }
        if self.version == Some(shown.version) || self.on_the_way >= FRAMES_ON_THE_WAY {
            return Ok(());
        }
        let (session, world) = (shown.session, shown.session.world());
        if self.frames.as_ref().is_none_or(LiveFrames::has_many_gone) && !self.start(session)? {
            return Ok(());
        }
        let Some(frames) = &mut self.frames else {
            return Ok(());
        };
        let frame = frames.write(world, self.layers, !shown.is_playing);
        let rows_from = self.rows_from.clamp(session.oldest(), session.newest() + 1);
        let rows = rows_from..=session.newest();
        let head = FrameHead {
            step: session.step(),
            steps: session.step().saturating_sub(self.step),
            oldest: session.oldest(),
            newest: session.newest(),
            playing: shown.is_playing,
            speed: shown.speed,
            has_control,
            watchers: shown.watchers,
            undo: session.undo_counts(),
            unwritten: session.has_unwritten(),
            inputs: world.actions().filter(|(_, value)| *value != 0.0).collect(),
            hash: shown.hash.filter(|_| !shown.is_playing),
            rows_from,
            rows: rows.filter_map(|step| session.row(step).copied()).collect(),
            frame: &frame,
        };
        let text = serde_json::to_vec(&head)?;
        let mut bytes = Vec::with_capacity(4 + text.len() + frame.bytes.len());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        bytes.extend(frame.bytes);
        if !self.outbox.push(Message::Frame(bytes)) {
            // The next frame tells what has changed since this one.
            self.frames = None;
            return Ok(());
        }
        self.on_the_way += 1;
        self.version = Some(shown.version);
        self.step = session.step();
        self.rows_from = session.newest() + 1;
        let is_early = shown.is_playing && shown.now_s - self.told_at_s < TOLD_EVERY_S;
        if !is_early || self.sent_entity.is_none() {
            self.show_selected(world);
        }
        if !is_early || self.sent_runs.is_none() {
            self.show_graph(session);
        }
        if !is_early {
            self.told_at_s = shown.now_s;
        }
        self.show_lines(session);
        Ok(())
    }

    /// Sends the start of a world: another one, or the same one without what is gone; false if it was dropped.
    fn start(&mut self, session: &Session) -> Result<bool, Failure> {
        let world = session.world();
        let origin = session.origin();
        let scene = origin.scene();
        let frames = LiveFrames::new(origin.name(), world.step_seconds(), scene.graphs());
        let resources = world.library().iter().map(|resource| resource.name.to_string());
        let message = TextMessage::Start {
            again: self.has_begun,
            manifest: frames.manifest()?,
            resources: resources.filter(|name| name != POINTER).collect(),
            kinds: &NAMES[1..],
            actions: scene
                .actions()
                .map(|(name, action)| ActionView::of(name, action))
                .collect(),
        };
        if !self.send(&message) {
            return Ok(false);
        }
        self.has_begun = true;
        self.frames = Some(frames);
        self.rows_from = 0;
        self.step = session.step();
        Ok(true)
    }

    /// Sends what scripts have printed and what went wrong, if their number has changed.
    fn show_lines(&mut self, session: &Session) {
        let ((printed, printed_count), (faults, fault_count)) = (session.printed(), session.faults());
        let counts = (printed_count, fault_count);
        if std::mem::replace(&mut self.lines, counts) != counts {
            let message = TextMessage::Log {
                printed: printed.collect(),
                faults: faults.collect(),
            };
            self.send(&message);
        }
    }

    /// Sends the changes of the selected entity.
    fn show_selected(&mut self, world: &World) {
        let Some(entity) = self.selected else {
            return;
        };
        let now = describe(world, entity);
        if now.is_some() && now == self.sent_entity {
            return;
        }
        match &now {
            Some(text) => {
                self.send(&TextMessage::Entity(text));
            }
            None => {
                self.send(&TextMessage::Gone {});
                self.selected = None;
            }
        }
        self.sent_entity = now;
    }

    /// Sends the steps of the selected node graph, if the session is at another step or they have changed.
    fn show_graph(&mut self, session: &Session) {
        let Some(name) = &self.graph else { return };
        let graph = session.graph(name);
        let nodes = graph.map_or_else(Vec::new, |graph| session.graph_runs().of(name, &graph));
        let now = Some((session.step(), nodes));
        if now == self.sent_runs {
            return;
        }
        self.sent_runs = now;
        if let Some((step, nodes)) = &self.sent_runs {
            let step = *step;
            self.send(&TextMessage::Ran {
                graph: name,
                step,
                nodes,
            });
        }
    }
}
