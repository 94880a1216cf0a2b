//! The sizes that `docs/owners.md` states, word by word.

use allocator_api2::alloc::Global;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;
use tombolo_handles::{AnyDeleter, GlobalHeap, In, Owned, OwnedBy, OwnedWith, SharedOwned, WeakOwned};

type Object = [u64; 7];

/// The row's name and what an owner of an object, of a trait object, and `Option` of the first take.
fn row<Thin, Trait>() -> [usize; 3] {
    [size_of::<Thin>(), size_of::<Trait>(), size_of::<Option<Thin>>()]
}

#[test]
#[cfg(target_pointer_width = "64")]
fn the_table_of_sizes_is_true() {
    let found = BTreeMap::from([
        ("OwnedBy<T, D>", [8, 0, 8]),
        (
            "OwnedWith<T, D>, D empty",
            row::<OwnedWith<Object, In<Global>>, OwnedWith<dyn Debug, In<Global>>>(),
        ),
        (
            "OwnedWith<T, D>, D a pointer",
            row::<OwnedWith<Object, fn(Box<Object>)>, OwnedWith<dyn Debug, In<&Global>>>(),
        ),
        ("Owned<T>", row::<Owned<Object>, Owned<dyn Debug>>()),
        (
            "OwnedWith<T, AnyDeleter>",
            row::<OwnedWith<Object, AnyDeleter>, OwnedWith<dyn Debug, AnyDeleter>>(),
        ),
        (
            "SharedOwned<T>",
            row::<SharedOwned<Object>, SharedOwned<dyn Debug>>(),
        ),
        ("WeakOwned<T>", row::<WeakOwned<Object>, WeakOwned<dyn Debug>>()),
        ("Box<T>", row::<Box<Object>, Box<dyn Debug>>()),
        ("Rc<T>", row::<Rc<Object>, Rc<dyn Debug>>()),
        ("Arc<T>", row::<Arc<Object>, Arc<dyn Debug>>()),
    ]);
    assert_eq!(size_of::<OwnedBy<Object, GlobalHeap>>(), 8);
    let text = include_str!("../../../../docs/owners.md");
    let (table, _) = text
        .split_once("Beside the object")
        .expect("what follows the table");
    let mut rows = 0;
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let name = cells.next().unwrap().replace('`', "");
        let sizes = found
            .get(name.as_str())
            .unwrap_or_else(|| panic!("no row {name}"));
        for size in sizes {
            let told = cells.next().unwrap();
            let size = if *size == 0 {
                "-".to_owned()
            } else {
                size.to_string()
            };
            assert_eq!(told, size, "{line}");
        }
        rows += 1;
    }
    assert_eq!(rows, found.len(), "a row for each");
}
