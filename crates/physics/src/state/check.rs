//! Checks over whole structures: what a restored state must pass, and what `validate` walks. The lists that objects hang in
//! are checked in `check_lists.rs`.

use super::{RestoreError, State, tree_of};
use crate::body::NONE;
use crate::broad_phase::Proxy;
use crate::contact::Contact;
use crate::contact::graph::{Colour, Entry, Movable, OVERFLOW};
use crate::joint::JointSim;
use crate::shape::ShapeLink;
use alloc::vec::Vec;
use tombolo_handles::BitSet;

impl State {
    /// Refuses a restored state whose arrays do not fit each other. The checksum tells accidents; this keeps indices in
    /// range and what parallel stages write apart, whoever wrote the bytes. The trees of the broad phase are those of the
    /// shapes: they are checked and not built anew, as their form decides the order of what queries find.
    pub(crate) fn check_restored(&self) -> Result<(), RestoreError> {
        let refuse = |group, why| Err(RestoreError::mismatch(group, "", why));
        let (bodies, shapes) = (self.bodies.slot_count(), self.shapes.slot_count());
        if self.settings.len() != 1 {
            return refuse("settings", "expected exactly one element");
        }
        if [
            self.body_poses.len(),
            self.body_sims.len(),
            self.body_states.len(),
        ]
        .iter()
        .any(|&len| len < bodies)
        {
            return refuse("bodies", "fewer elements than bodies");
        }
        if [self.outlines.len(), self.shape_links.len(), self.materials.len()]
            .iter()
            .any(|&len| len < shapes)
        {
            return refuse("shapes", "fewer elements than shapes");
        }
        if self.joint_sims.len() < self.joints.slot_count() {
            return refuse("joints", "fewer elements than joints");
        }
        let contacts = self.contacts.contacts.len();
        let awake = self.contacts.awake_len();
        if [self.contacts.links.len(), self.contacts.patches.len()] != [contacts; 2] || awake > contacts {
            return refuse("contacts", "the numbers of contacts do not fit");
        }
        let live = |body: &u32| self.bodies.dense_index_of_slot(*body).is_some();
        if !self.awake_bodies.iter().all(live) {
            return refuse("awake_bodies", "a body that does not live");
        }
        let sensor = |shape: &u32| self.shapes.dense_index_of_slot(*shape).is_some();
        if !self.sensors.iter().all(sensor) {
            return refuse("sensors", "a shape that does not live");
        }
        self.check_indices()?;
        self.check_outlines()?;
        if self.islands.validate().is_err() {
            return refuse("islands", "the islands are broken");
        }
        self.check_lists()?;
        self.check_broad_phase()
    }

    /// The trees are sound, and their proxies are those of the shapes, each of its body's kind and with its own filter.
    fn check_broad_phase(&self) -> Result<(), RestoreError> {
        let refuse = |why| Err(RestoreError::mismatch("broad_phase", "", why));
        if let Err(why) = self.broad_phase.check() {
            return refuse(why);
        }
        let proxies = &self.broad_phase.proxies;
        let mut known = 0;
        for id in self.shapes.handles() {
            let shape = id.index();
            let ShapeLink { body, proxy, .. } = self.shape_links[shape];
            if proxy == NONE {
                continue;
            }
            let record = self.shape_record(shape);
            let of_shape = |proxy: &Proxy| {
                proxy.is_live()
                    && (proxy.shape, proxy.body) == (shape, body)
                    && (proxy.categories, proxy.mask, proxy.group)
                        == (record.category, record.mask, record.group)
                    && self.bodies.dense_index_of_slot(body).is_some()
                    && proxy.tree == tree_of(self.body_sims[body].kind()) as u32
            };
            if !proxies.get(proxy as usize).is_some_and(of_shape) {
                return refuse("a shape's proxy is not its own");
            }
            known += 1;
        }
        // Each shape has one proxy and each proxy one shape, so as many are all.
        if proxies.iter().filter(|proxy| proxy.is_live()).count() != known {
            return refuse("a proxy of a shape that does not live");
        }
        // A pair is found anew when its boxes did not overlap before, so one that is known must have.
        let was_known = |contact: &Contact| {
            let [a, b] = [contact.proxy_a, contact.proxy_b].map(|proxy| self.broad_phase.previous_box(proxy));
            a.zip(b).is_some_and(|(a, b)| a.overlaps(b))
        };
        if self.contacts.contacts.iter().all(was_known) {
            Ok(())
        } else {
            refuse("a contact of two boxes that were apart")
        }
    }

    /// Outlines lie in their pool, and shapes and outlines know each other.
    fn check_outlines(&self) -> Result<(), RestoreError> {
        let refuse = |why| Err(RestoreError::mismatch("outline_pool", "", why));
        if !self.outline_pool.is_sound() {
            return refuse("an outline that is none");
        }
        let records = &self.outline_pool.records;
        let mut parts = alloc::vec![0_u32; records.slot_count()];
        for id in self.shapes.handles() {
            let Some(outline) = self.outline_of(id.index()) else {
                continue;
            };
            let body = self.shape_links[id.index()].body;
            match records.handle_of_slot(outline).and_then(|id| records.get(id)) {
                Some(record) if record.body == body => parts[outline as usize] += 1,
                _ => return refuse("a part of an outline that its body does not have"),
            }
        }
        // The check of the lists comes later: what is walked here may lead anywhere, but ends.
        let is_part = |outline: u32, shape: u32| {
            self.shapes.dense_index_of_slot(shape).is_some() && self.outline_of(shape) == Some(outline)
        };
        for id in records.handles() {
            let record = self.outline_pool.record(id.index());
            let mut part = record.first_part;
            for _ in 0..record.part_count.min(self.shapes.len() as u32) {
                if !is_part(id.index(), part) {
                    return refuse("a row of parts with another shape in it");
                }
                part = self.shape_links[part].next;
            }
        }
        if records
            .handles()
            .any(|id| self.outline_pool.record(id.index()).part_count != parts[id.index() as usize])
        {
            return refuse("another number of parts than was expected");
        }
        Ok(())
    }

    /// What the stages reach by index without another check, and what they rely on to write at the same time.
    fn check_indices(&self) -> Result<(), RestoreError> {
        let refuse = |group, why| Err(RestoreError::mismatch(group, "", why));
        let (bodies, boxes) = (self.body_states.count(), self.broad_phase.boxes.len() as u32);
        if !(1..=crate::constants::SUBSTEPS_MAX).contains(&self.settings[0u32].substeps) {
            return refuse("settings", "the number of substeps is out of range");
        }
        if self.broad_phase.proxies.len() != self.broad_phase.boxes.len() {
            return refuse("broad_phase", "as many boxes as proxies were expected");
        }
        if self
            .shape_links
            .iter()
            .any(|link| link.proxy != NONE && link.proxy >= boxes)
        {
            return refuse("shape_links", "a proxy that does not exist");
        }
        let known = |contact: &Contact| contact.proxy_a.max(contact.proxy_b) < boxes;
        if !self.contacts.contacts.iter().all(known) {
            return refuse("contacts", "a proxy that does not exist");
        }
        let contacts = self
            .contacts
            .contacts
            .iter()
            .map(|contact| [contact.body_a, contact.body_b]);
        let joints = self.joint_sims.iter().map(|joint| [joint.body_a, joint.body_b]);
        if contacts.chain(joints).flatten().any(|body| body >= bodies) {
            return refuse("contacts", "a contact or joint of a body that does not exist");
        }
        if !all_different(&self.awake_bodies, bodies) {
            return refuse("awake_bodies", "a body twice, or one that does not exist");
        }
        self.check_colours()
    }

    /// What a colour must say of its contacts, and their movable bodies. The contacts exist.
    fn entries_of_contacts<'a>(&'a self, colour: &'a Colour) -> impl Iterator<Item = (Entry, Movable)> + 'a {
        colour.contacts.iter().map(|&Entry { place, .. }| {
            let Contact { body_a, body_b, .. } = self.contacts.contacts[place];
            let movable = self.movable(body_a, body_b);
            (Entry::new(place, [body_a, body_b], movable), movable)
        })
    }

    /// As [`State::entries_of_contacts`], of joints.
    fn entries_of_joints<'a>(&'a self, colour: &'a Colour) -> impl Iterator<Item = (Entry, Movable)> + 'a {
        colour.joints.iter().map(|&Entry { place, .. }| {
            let JointSim { body_a, body_b, .. } = self.joint_sims[place];
            let movable = self.movable(body_a, body_b);
            (Entry::new(place, [body_a, body_b], movable), movable)
        })
    }

    /// No constraint is in two places, and within a colour no body that may change is in two constraints.
    fn check_colours(&self) -> Result<(), RestoreError> {
        let refuse = |why| Err(RestoreError::mismatch("graph", "", why));
        let (mut contacts, mut joints) = (Vec::new(), Vec::new());
        for (index, colour) in self.graph.colours.iter().enumerate() {
            contacts.extend(colour.contacts.iter().map(|entry| entry.place));
            joints.extend(colour.joints.iter().map(|entry| entry.place));
            let known = |list: &[Entry], count: u32| list.iter().all(|entry| entry.place < count);
            let known = known(&colour.contacts, self.contacts.contacts.count())
                && known(&colour.joints, self.joint_sims.count());
            if !known {
                return refuse("a constraint that does not exist");
            }
            let entries = colour.contacts.iter().zip(self.entries_of_contacts(colour));
            let mut entries = entries.chain(colour.joints.iter().zip(self.entries_of_joints(colour)));
            if entries.any(|(listed, (entry, _))| *listed != entry) {
                return refuse("a constraint with other bodies than its own");
            }
            let of_contacts = self.entries_of_contacts(colour).map(|(_, movable)| movable);
            let of_joints = self.entries_of_joints(colour).map(|(_, movable)| movable);
            let bodies: Vec<u32> = of_contacts
                .chain(of_joints)
                .flat_map(|movable| [movable.a, movable.b])
                .flatten()
                .collect();
            if index as u32 != OVERFLOW && !all_different(&bodies, self.body_states.count()) {
                return refuse("a body twice in one colour");
            }
        }
        let once = all_different(&contacts, self.contacts.contacts.count())
            && all_different(&joints, self.joint_sims.count());
        if once {
            Ok(())
        } else {
            refuse("a constraint twice")
        }
    }
}

/// Whether all indices are below `end` and none comes twice.
fn all_different(indices: &[u32], end: u32) -> bool {
    let mut seen = BitSet::with_len(end as usize);
    indices
        .iter()
        .all(|&index| index < end && seen.set(index as usize))
}

mod validate {
    use super::State;
    use crate::body::{NONE, flag};
    use crate::contact::graph::OVERFLOW;
    use crate::contact::pool::body_ref;
    use crate::joint::flag as joint_flag;

    impl State {
        /// Walks every structure and panics at the first thing that is broken.
        pub(crate) fn validate(&self) {
            self.islands.validate().expect("islands");
            self.broad_phase.validate();
            self.validate_bodies();
            self.check_outlines().expect("outlines");
            self.check_lists().expect("lists");
            self.validate_contacts();
            self.validate_joints();
            self.validate_colours();
        }

        fn validate_bodies(&self) {
            for (i, &body) in self.awake_bodies.iter().enumerate() {
                assert_eq!(
                    body_ref(&self.bodies, body).awake_index,
                    i as u32,
                    "body {body} in the awake list"
                );
            }
            for id in self.bodies.handles() {
                let body = id.index();
                let (record, sim) = (body_ref(&self.bodies, body), &self.body_sims[body]);
                let node = self.islands.island_of(body);
                assert_eq!(
                    node.is_some(),
                    sim.is_dynamic() && sim.has(flag::ENABLED),
                    "island of body {body}"
                );
                if let Some(island) = node {
                    assert_eq!(
                        self.islands.is_asleep(island),
                        !record.is_awake(),
                        "body {body} and its island"
                    );
                }
                for shape in self.shapes_of(body) {
                    assert_eq!(self.shape_links[shape].body, body);
                    assert_eq!(
                        self.shape_links[shape].proxy != NONE,
                        sim.has(flag::ENABLED) && self.shape_record(shape).sensor == 0,
                        "box of {shape}"
                    );
                }
            }
        }

        fn validate_contacts(&self) {
            let awake_len = self.contacts.awake_len();
            for (place, contact) in self.contacts.contacts.iter().enumerate() {
                let links = self.contacts.links_of(contact.index);
                assert_eq!(links.place, place as u32, "place of contact {}", contact.index);
                assert_eq!(links.bodies, [contact.body_a, contact.body_b]);
                assert_eq!(links.shapes, [contact.shape_a, contact.shape_b]);
                assert_eq!(
                    links.shapes.map(|shape| self.shape_links[shape].proxy),
                    [contact.proxy_a, contact.proxy_b],
                    "boxes of contact {}",
                    contact.index
                );
                let awake = |body: u32| body_ref(&self.bodies, body).is_awake();
                let wanted = awake(contact.body_a) || awake(contact.body_b);
                assert_eq!(place < awake_len, wanted, "contact {} awake", contact.index);
                let movable = self.movable(contact.body_a, contact.body_b);
                let solved = [movable.a, movable.b].into_iter().flatten().any(awake) && contact.is_touching();
                assert_eq!(
                    contact.colour != NONE,
                    solved,
                    "colour of contact {}",
                    contact.index
                );
                let edge = self.islands.edge_nodes(crate::awake::contact_edge(contact.index));
                let linked = contact.is_touching() && movable.a.is_some() && movable.b.is_some();
                assert_eq!(edge.is_some(), linked, "edge of contact {}", contact.index);
            }
        }

        fn validate_joints(&self) {
            for id in self.joints.handles() {
                let joint = &self.joint_sims[id.index()];
                let edge = self.islands.edge_nodes(crate::awake::joint_edge(id.index()));
                assert_eq!(
                    edge.is_some(),
                    joint.has(joint_flag::LINKED),
                    "edge of joint {}",
                    id.index()
                );
                let enabled = |body: u32| self.body_sims[body].has(flag::ENABLED);
                let awake =
                    |body: u32| self.body_sims[body].is_dynamic() && body_ref(&self.bodies, body).is_awake();
                let solved = enabled(joint.body_a)
                    && enabled(joint.body_b)
                    && (awake(joint.body_a) || awake(joint.body_b));
                assert_eq!(joint.colour != NONE, solved, "colour of joint {}", id.index());
            }
        }

        fn validate_colours(&self) {
            let mut used = alloc::vec![0_u32; self.body_states.len()];
            for (index, colour) in self.graph.colours.iter().enumerate() {
                for (i, entry) in colour.contacts.iter().enumerate() {
                    let contact = &self.contacts.contacts[entry.place];
                    let place = (contact.colour, contact.place_in_colour);
                    assert_eq!(place, (index as u32, i as u32));
                }
                for (i, entry) in colour.joints.iter().enumerate() {
                    let joint = &self.joint_sims[entry.place];
                    assert_eq!((joint.colour, joint.place_in_colour), (index as u32, i as u32));
                }
                let entries = colour.contacts.iter().chain(colour.joints.iter());
                let expected = self
                    .entries_of_contacts(colour)
                    .chain(self.entries_of_joints(colour));
                let constraints = entries.zip(expected).map(|(listed, (entry, movable))| {
                    assert_eq!(*listed, entry, "bodies of a constraint in colour {index}");
                    movable
                });
                for movable in constraints.filter(|_| index as u32 != OVERFLOW) {
                    for body in [movable.a, movable.b].into_iter().flatten() {
                        assert_eq!(
                            used[body as usize] & (1 << index),
                            0,
                            "body {body} twice in colour {index}"
                        );
                        used[body as usize] |= 1 << index;
                    }
                }
            }
            for id in self.bodies.handles() {
                assert_eq!(
                    self.body_states[id.index()].colours,
                    used[id.index() as usize],
                    "colours of a body"
                );
            }
        }
    }
}
