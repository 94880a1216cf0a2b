//! Checks of whole structures: those of a restored state, and those of `validate`. Single numbers are checked in
//! `check_numbers.rs`; lists in `check_lists.rs`; tile grids in `check_tiles.rs`; members of composites in
//! `check_composites.rs`; awake bodies and the boxes of the broad phase in `check_awake.rs`.

use super::check_lists::hold;
use super::{State, TAGS, tree_of};
use crate::body::{NONE, flag};
use crate::broad_phase::Proxy;
use crate::constants::{FIELDS_MAX, OBJECTS_MAX};
use crate::contact::Contact;
use crate::contact::graph::{Color, ConstraintEntry, Movable, OVERFLOW};
use crate::joint::JointSim;
use crate::persistent::RestoreError;
use crate::shape::ShapeLink;
use alloc::vec::Vec;
use tombolo_handles::{BitSet, TypeTag};
use tombolo_threads::FloatEnvironment;

impl State {
    /// Returns an error for a restored state that no calls could have produced: an accepted state can be stepped, saved
    /// and queried like any other world, whoever wrote the bytes. The checksum detects accidents only. Lengths are
    /// checked first, then single numbers, then indices, then mutual references; each check relies on those before it.
    ///
    /// The trees of the broad phase are checked and not rebuilt, as their structure determines the order of query
    /// results.
    ///
    /// Costs O(n log n) for a save of n bytes, and less memory than the save.
    pub(crate) fn check_restored(&self) -> Result<(), RestoreError> {
        let _environment = FloatEnvironment::enter();
        self.check_counts()?;
        self.check_numbers()?;
        self.check_indices()?;
        self.check_concave_polygons()?;
        self.check_tile_grids()?;
        self.check_composites()?;
        if self.islands.validate().is_err() {
            return Err(RestoreError::mismatch("islands", "", "the islands are broken"));
        }
        self.check_lists()?;
        self.check_who_is_awake()?;
        self.check_boxes()?;
        self.check_broad_phase()?;
        self.check_colors_of_bodies()
    }

    /// Checks that the arrays have matching lengths, within the limits of a world.
    fn check_counts(&self) -> Result<(), RestoreError> {
        let refuse = |group, why| Err(RestoreError::mismatch(group, "", why));
        let concave_polygons = &self.concave_polygon_pool.records;
        let tags = [
            self.bodies.tag(),
            self.shapes.tag(),
            self.joints.tag(),
            self.contacts.links.tag(),
            concave_polygons.tag(),
            self.fields.tag(),
            self.tile_grids.records.tag(),
            self.members.tag(),
            self.rigid_welds.tag(),
        ];
        if tags.map(TypeTag::get) != TAGS {
            return refuse("handles", "handles of another kind");
        }
        let slots = [
            self.bodies.slot_count(),
            self.shapes.slot_count(),
            self.joints.slot_count(),
            self.contacts.links.slot_count(),
            concave_polygons.slot_count(),
            self.tile_grids.records.slot_count(),
            self.members.slot_count(),
            self.rigid_welds.slot_count(),
        ];
        if slots.iter().any(|&slots| slots > OBJECTS_MAX) {
            return refuse("handles", "more than a world holds");
        }
        if self.fields.len() > FIELDS_MAX {
            return refuse("fields", "more than a world holds");
        }
        let (bodies, shapes) = (self.bodies.slot_count(), self.shapes.slot_count());
        if self.head.len() != 1 {
            return refuse("head", "expected exactly one element");
        }
        let by_body = [
            self.body_poses.len(),
            self.body_sims.len(),
            self.body_states.len(),
        ];
        if by_body != [bodies; 3] {
            return refuse("bodies", "not as many elements as bodies");
        }
        let controlled = self.body_sims.iter().rposition(|sim| sim.has(flag::CONTROLLED));
        if self.body_controls.len() > bodies
            || controlled.is_some_and(|last| last >= self.body_controls.len())
        {
            return refuse("body_controls", "not as many elements as bodies need");
        }
        if [
            self.shape_geometries.len(),
            self.shape_links.len(),
            self.materials.len(),
        ] != [shapes; 3]
        {
            return refuse("shapes", "not as many elements as shapes");
        }
        if self.joint_sims.len() != self.joints.slot_count() {
            return refuse("joints", "not as many elements as joints");
        }
        let contacts = self.contacts.links.len();
        if [self.contacts.contacts.len(), self.contacts.cached_manifolds.len()] != [contacts; 2]
            || self.contacts.awake_len() > contacts
        {
            return refuse("contacts", "the numbers of contacts do not fit");
        }
        Ok(())
    }

    /// Checks that the trees are valid, and that their proxies are those of the shapes, each with its body's kind and
    /// its own filter.
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
            let record = self.shapes.live(shape);
            let of_shape = |proxy: &Proxy| {
                proxy.is_live()
                    && (proxy.shape, proxy.body) == (shape, body)
                    && (proxy.categories, proxy.mask, proxy.group)
                        == (record.category, record.mask, record.group)
                    && self.bodies.is_live(body)
                    && proxy.tree == tree_of(self.body_sims[body].kind()) as u32
            };
            if !proxies.get(proxy as usize).is_some_and(of_shape) {
                return refuse("a shape's proxy is not its own");
            }
            known += 1;
        }
        // Each shape has one proxy and each proxy one shape, so equal numbers mean that all match.
        if proxies.iter().filter(|proxy| proxy.is_live()).count() != known {
            return refuse("a proxy of a shape that does not live");
        }
        Ok(())
    }

    /// Checks that concave polygons are within their pool, and that shapes and concave polygons refer to each other.
    fn check_concave_polygons(&self) -> Result<(), RestoreError> {
        let refuse = |why| Err(RestoreError::mismatch("concave_polygon_pool", "", why));
        let records = &self.concave_polygon_pool.records;
        let mut parts = alloc::vec![0_u32; records.slot_count()];
        for id in self.shapes.handles() {
            let Some(concave_polygon) = self.concave_polygon_of(id.index()) else {
                continue;
            };
            let body = self.shape_links[id.index()].body;
            match records
                .handle_of_slot(concave_polygon)
                .and_then(|id| records.get(id))
            {
                Some(record) if record.body == body => parts[concave_polygon as usize] += 1,
                _ => return refuse("a part of a concave polygon that its body does not have"),
            }
        }
        // The lists are checked later: the walk may lead anywhere here, but it ends.
        let is_part = |concave_polygon: u32, shape: u32| {
            self.shapes.is_live(shape) && self.concave_polygon_of(shape) == Some(concave_polygon)
        };
        for id in records.handles() {
            let record = self.concave_polygon_pool.records.live(id.index());
            let mut part = record.first_part;
            for _ in 0..record.part_count.min(self.shapes.len() as u32) {
                if !is_part(id.index(), part) {
                    return refuse("a row of parts with another shape in it");
                }
                part = self.shape_links[part].next;
            }
        }
        if records.handles().any(|id| {
            self.concave_polygon_pool.records.live(id.index()).part_count != parts[id.index() as usize]
        }) {
            return refuse("another number of parts than was expected");
        }
        Ok(())
    }

    /// Checks what the stages access by index without another check, and what they rely on to write in parallel.
    fn check_indices(&self) -> Result<(), RestoreError> {
        let refuse = |group, why| Err(RestoreError::mismatch(group, "", why));
        let (bodies, boxes) = (self.body_states.count(), self.broad_phase.boxes.len() as u32);
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
        let live = |body: &u32| self.bodies.is_live(*body);
        if !self.awake_bodies.iter().all(live) {
            return refuse("awake_bodies", "a body that does not live");
        }
        self.check_colors()
    }

    /// The entries that the colors must have for the contacts, and the contacts' movable bodies. The contacts exist.
    fn entries_of_contacts<'a>(
        &'a self,
        color: &'a Color,
    ) -> impl Iterator<Item = (ConstraintEntry, Movable)> + 'a {
        color.contacts.iter().map(|&ConstraintEntry { place, .. }| {
            let Contact { body_a, body_b, .. } = self.contacts.contacts[place];
            let movable = self.movable(body_a, body_b);
            (ConstraintEntry::new(place, [body_a, body_b], movable), movable)
        })
    }

    /// Like [`State::entries_of_contacts`], for joints.
    fn entries_of_joints<'a>(
        &'a self,
        color: &'a Color,
    ) -> impl Iterator<Item = (ConstraintEntry, Movable)> + 'a {
        color.all_joints().map(|&ConstraintEntry { place, .. }| {
            let JointSim { body_a, body_b, .. } = self.joint_sims[place];
            let movable = self.movable(body_a, body_b);
            (ConstraintEntry::new(place, [body_a, body_b], movable), movable)
        })
    }

    /// Checks that no constraint is in two places, and that within a color no movable body is in two constraints.
    fn check_colors(&self) -> Result<(), RestoreError> {
        let refuse = |why| Err(RestoreError::mismatch("graph", "", why));
        let (mut contacts, mut joints) = (Vec::new(), Vec::new());
        for (index, color) in self.graph.colors.iter().enumerate() {
            contacts.extend(color.contacts.iter().map(|entry| entry.place));
            joints.extend(color.all_joints().map(|entry| entry.place));
            let (contacts_end, joints_end) = (self.contacts.contacts.count(), self.joint_sims.count());
            let known = color.contacts.iter().all(|entry| entry.place < contacts_end)
                && color.all_joints().all(|entry| entry.place < joints_end);
            if !known {
                return refuse("a constraint that does not exist");
            }
            let entries = color.contacts.iter().zip(self.entries_of_contacts(color));
            let mut entries = entries.chain(color.all_joints().zip(self.entries_of_joints(color)));
            if entries.any(|(listed, (entry, _))| *listed != entry) {
                return refuse("a constraint with other bodies than its own");
            }
            let of_contacts = self.entries_of_contacts(color).map(|(_, movable)| movable);
            let of_joints = self.entries_of_joints(color).map(|(_, movable)| movable);
            let bodies: Vec<u32> = of_contacts
                .chain(of_joints)
                .flat_map(|movable| [movable.a, movable.b])
                .flatten()
                .collect();
            if index as u32 != OVERFLOW && !all_different(&bodies, self.body_states.count()) {
                return refuse("a body twice in one color");
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

    /// Checks that each body has the colors of its constraints in its mask, and that each constraint has its place in
    /// its color.
    fn check_colors_of_bodies(&self) -> Result<(), RestoreError> {
        let mut used = alloc::vec![0_u32; self.body_states.len()];
        for (index, color) in (0_u32..).zip(&self.graph.colors) {
            let contacts = (0_u32..).zip(color.contacts.iter()).map(|(i, entry)| {
                let contact = &self.contacts.contacts[entry.place];
                (contact.color, contact.place_in_color) == (index, i)
            });
            let joints = color.joints.iter().enumerate().flat_map(|(kind, joints)| {
                (0_u32..).zip(joints.iter()).map(move |(i, entry)| {
                    let joint = &self.joint_sims[entry.place];
                    joint.block_index() == Some(kind) && (joint.color, joint.place_in_color) == (index, i)
                })
            });
            hold!(
                contacts.chain(joints).all(|fits| fits),
                "graph",
                "a constraint that is elsewhere in its color"
            );
            if index == OVERFLOW {
                continue;
            }
            let movable = self
                .entries_of_contacts(color)
                .chain(self.entries_of_joints(color))
                .flat_map(|(_, movable)| [movable.a, movable.b]);
            movable
                .flatten()
                .for_each(|body| used[body as usize] |= 1 << index);
        }
        let known = |body: u32| self.body_states[body].colors == used[body as usize];
        hold!(
            self.bodies.handles().all(|id| known(id.index())),
            "body_states",
            "a body with other colors than its constraints"
        );
        Ok(())
    }

    /// Checks every structure and panics at the first violation: all checks of a restored state, and the internals of
    /// the trees.
    pub(crate) fn validate(&self) {
        self.broad_phase.validate();
        if let Err(error) = self.check_restored() {
            panic!("{error}");
        }
    }
}

/// Whether all indices are below `end` and none occurs twice.
fn all_different(indices: &[u32], end: u32) -> bool {
    let mut seen = BitSet::with_len(end as usize);
    indices
        .iter()
        .all(|&index| index < end && seen.set(index as usize))
}
