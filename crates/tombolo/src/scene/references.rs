//! Expands placements to instances: every cell gets its name and pose, names are checked to be unique, and the ends
//! of joints are resolved. This follows the reading, so errors take their lines from the names.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tombolo_geometry::Pose;

use super::components::{Component, JointEnd};
use super::library::{Library, Resource};
use super::nearest::advice;
use super::placement::{INSTANCES_MAX, Placement};
use crate::component::{BODY, JOINT, RIGID_WELD};
use crate::error::{SceneError, Subject};

/// An entity to be spawned.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) name: String,
    /// The index of its placement.
    pub(crate) placement: usize,
    /// Whether the instance is the first of its row and so has no previous one.
    pub(crate) begins_row: bool,
    pub(crate) pose: Pose,
}

/// A joint or rigid weld whose ends are resolved.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedJoint {
    pub(crate) owner: usize,
    /// The component's name within its owner.
    pub(crate) component: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// The instances and joints of all placements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Population {
    pub(crate) instances: Vec<Instance>,
    pub(crate) by_name: BTreeMap<String, usize>,
    pub(crate) joints: Vec<ResolvedJoint>,
}

/// The inputs of the expansion, and the file's name for errors.
pub(crate) struct Populating<'a> {
    pub(crate) file: &'a str,
    pub(crate) library: &'a Library,
    pub(crate) placements: &'a [Placement],
}

/// The components of a placement's instances, with their names.
pub(crate) fn components_of<'a>(
    library: &'a Library,
    placement: &'a Placement,
) -> impl Iterator<Item = (&'a str, &'a Component)> {
    let Resource { components, .. } = &library.resources[placement.resource];
    components.iter().enumerate().map(|(place, named)| {
        let overridden = placement.overridden.get(&place);
        (&*named.name, overridden.unwrap_or(&named.component))
    })
}

/// The pose of a placement's instances in the frame of the placement: that of their Transform, if there is one among
/// their components.
pub(crate) fn inner_pose<'a>(
    components: impl Iterator<Item = (&'a str, &'a Component)>,
    library: &Library,
) -> Pose {
    let mut transforms = components.filter_map(|(_, component)| component.transform(&library.kinds));
    transforms
        .next()
        .map_or(Pose::IDENTITY, |transform| transform.local())
}

impl Populating<'_> {
    /// Creates the instances and resolves the ends of all joints.
    ///
    /// # Errors
    ///
    /// Too many instances, a duplicate name, a joint to an instance that does not exist or has no body.
    pub(crate) fn populate(&self) -> Result<Population, SceneError> {
        self.check_count()?;
        let mut population = Population::default();
        for (index, placement) in self.placements.iter().enumerate() {
            self.place(index, placement, &mut population)?;
        }
        for owner in 0..population.instances.len() {
            let placement = &self.placements[population.instances[owner].placement];
            for (name, component) in components_of(self.library, placement) {
                if component.is(JOINT) || component.is(RIGID_WELD) {
                    let ends = Ends {
                        populating: self,
                        population: &population,
                        owner,
                        component: name,
                    };
                    population.joints.extend(ends.resolve(component)?);
                }
            }
        }
        Ok(population)
    }

    fn check_count(&self) -> Result<(), SceneError> {
        let mut total: u64 = 0;
        for placement in self.placements {
            total += placement.layout.count();
            if total > INSTANCES_MAX as u64 {
                let message =
                    format!("the scene places {total} instances up to here; the limit is {INSTANCES_MAX}");
                return Err(self.error_at(placement, &placement.name, message));
            }
        }
        Ok(())
    }

    fn place(
        &self,
        index: usize,
        placement: &Placement,
        population: &mut Population,
    ) -> Result<(), SceneError> {
        let inner = inner_pose(components_of(self.library, placement), self.library);
        for cell in placement.layout.cells() {
            let name = placement.instance_name(cell);
            if let Some(&earlier) = population.by_name.get(&name) {
                let line = self.placements[population.instances[earlier].placement].line;
                let message = format!("the placement of line {line} has that name; give another");
                return Err(self.error_at(placement, &name, message));
            }
            population
                .by_name
                .insert(name.clone(), population.instances.len());
            let pose = placement.layout.pose(&placement.name, cell).compose(inner);
            population.instances.push(Instance {
                name,
                placement: index,
                begins_row: cell.0 == 0,
                pose,
            });
        }
        Ok(())
    }

    fn error_at(&self, placement: &Placement, instance: &str, message: String) -> SceneError {
        SceneError {
            file: self.file.into(),
            line: Some(placement.line),
            subject: Subject::Entity(instance.into()),
            component: None,
            property: None,
            message: message.into(),
        }
    }

    fn has_body(&self, placement: usize) -> bool {
        let mut components = components_of(self.library, &self.placements[placement]);
        components.any(|(_, component)| component.is(BODY))
    }
}

/// The search for the two ends of one joint of one instance.
struct Ends<'a> {
    populating: &'a Populating<'a>,
    population: &'a Population,
    owner: usize,
    component: &'a str,
}

impl Ends<'_> {
    /// The joint between instances; `None` for the first of a row, which has no previous one.
    fn resolve(&self, joint: &Component) -> Result<Option<ResolvedJoint>, SceneError> {
        let Some(to) = &joint.to else {
            return Err(self.error(
                "to",
                None,
                "missing; give Entity(\"name\") or Previous".to_string(),
            ));
        };
        let Some(to) = self.find("to", to)? else {
            return Ok(None);
        };
        let from = match &joint.from {
            Some(from) => match self.find("from", from)? {
                Some(from) => from,
                None => return Ok(None),
            },
            None if self
                .populating
                .has_body(self.population.instances[self.owner].placement) =>
            {
                self.owner
            }
            None if joint.is(RIGID_WELD) => {
                let message = "the entity has no Body of its own to weld".to_string();
                return Err(self.error("to", None, message));
            }
            None => {
                let message = "missing; the entity has no Body of its own to join".to_string();
                return Err(self.error("from", None, message));
            }
        };
        if from == to {
            let what = if joint.is(RIGID_WELD) { "weld" } else { "joint" };
            return Err(self.error("to", None, format!("the {what} ties a body to itself")));
        }
        Ok(Some(ResolvedJoint {
            owner: self.owner,
            component: self.component.to_string(),
            from,
            to,
        }))
    }

    fn find(&self, property: &str, target: &JointEnd) -> Result<Option<usize>, SceneError> {
        let Population {
            instances, by_name, ..
        } = self.population;
        match target {
            JointEnd::Parent => {
                let message = "a placed entity has no parent; give Entity(\"name\")".to_string();
                Err(self.error(property, None, message))
            }
            JointEnd::Previous => {
                let previous = self.owner.checked_sub(1);
                Ok(previous.filter(|_| !instances[self.owner].begins_row))
            }
            JointEnd::Entity(name) => {
                let Some(&index) = by_name.get(&name.text) else {
                    let advice = advice(&name.text, by_name.keys().map(String::as_str));
                    let message = format!("no entity {:?} is placed; {advice}", name.text);
                    return Err(self.error(property, Some(name.line), message));
                };
                if !self.populating.has_body(instances[index].placement) {
                    let message = format!("the entity {:?} has no Body to join", name.text);
                    return Err(self.error(property, Some(name.line), message));
                }
                Ok(Some(index))
            }
        }
    }

    fn error(&self, property: &str, line: Option<usize>, message: String) -> SceneError {
        let instance = &self.population.instances[self.owner];
        let placement = &self.populating.placements[instance.placement];
        SceneError {
            line: line.or(Some(placement.line)),
            component: Some(self.component.into()),
            property: Some(property.into()),
            ..self.populating.error_at(placement, &instance.name, message)
        }
    }
}
