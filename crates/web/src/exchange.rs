//! The buffers between JavaScript and the engine: one that JavaScript fills before a call, and those that a call fills.
//! The output of a call stays there until the next one.
#![allow(unsafe_code)]
#![cfg_attr(
    not(feature = "package"),
    allow(dead_code, reason = "a session is called with texts, and fills fewer buffers")
)]

use std::cell::RefCell;
use std::fmt::Display;

use tombolo_physics::Vec2;

/// The input from JavaScript: words of 64 bits, in which numbers and texts are stored too.
#[derive(Default)]
pub(crate) struct Input {
    words: Vec<u64>,
}

/// The output of a call.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) numbers: Vec<f32>,
    pub(crate) ids: Vec<u64>,
    pub(crate) bytes: Vec<u8>,
}

/// The reason of a refused call, in words.
pub(crate) struct Failure(String);

impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

thread_local! {
    static INPUT: RefCell<Input> = RefCell::default();
    static OUTPUT: RefCell<Output> = RefCell::default();
    /// The reason of the last refused call, or the message of a panic. Empty while a call runs, so that a trap without a
    /// message, as of memory that ran out, is not explained by an older error.
    static ERROR: RefCell<String> = RefCell::default();
}

/// The bytes of a buffer that are kept from call to call: memory of a page never shrinks, so what a large save took has to be
/// free for other uses.
const KEPT_BYTES: usize = 1 << 20;

/// The number of the buffer of the error.
const ERROR_BUFFER: u32 = 3;

/// Runs a call with both buffers; returns the call's count, or -1 and an error.
pub(crate) fn exchange(call: impl FnOnce(&Input, &mut Output) -> Result<usize, Failure>) -> i32 {
    ERROR.with_borrow_mut(String::clear);
    let result = INPUT.with_borrow(|input| {
        OUTPUT.with_borrow_mut(|output| {
            output.numbers.clear();
            output.ids.clear();
            output.bytes.clear();
            output.bytes.shrink_to(KEPT_BYTES);
            call(input, output)
        })
    });
    INPUT.with_borrow_mut(|input| {
        if size_of_val(input.words.as_slice()) > KEPT_BYTES {
            input.words = Vec::new();
        }
    });
    match result {
        Ok(count) => i32::try_from(count).unwrap_or(i32::MAX),
        Err(Failure(why)) => {
            ERROR.set(why);
            -1
        }
    }
}

impl Input {
    /// The first `count` words.
    ///
    /// # Errors
    /// If fewer were given.
    pub(crate) fn words<const COUNT: usize>(&self) -> Result<[u64; COUNT], Failure> {
        self.words_from(0)
    }

    /// `count` words from word `at` on.
    ///
    /// # Errors
    /// If fewer were given.
    pub(crate) fn words_from<const COUNT: usize>(&self, at: usize) -> Result<[u64; COUNT], Failure> {
        let rest = self.words.get(at..).unwrap_or_default();
        let words = rest.first_chunk().ok_or("fewer words than the call needs")?;
        Ok(*words)
    }

    /// `count` numbers after `words` words.
    ///
    /// # Errors
    /// If fewer were given.
    pub(crate) fn row(&self, words: usize, count: usize) -> Result<Row<'_>, Failure> {
        let rest = self.words.get(words..).unwrap_or_default();
        let numbers = bytemuck::cast_slice(rest).get(..count);
        Ok(Row(numbers.ok_or("fewer numbers than the call needs")?))
    }

    /// `count` bytes from byte `at` on.
    ///
    /// # Errors
    /// If fewer were given.
    pub(crate) fn bytes(&self, at: usize, count: usize) -> Result<&[u8], Failure> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        let given = at.checked_add(count).and_then(|end| bytes.get(at..end));
        Ok(given.ok_or("fewer bytes than the call needs")?)
    }

    /// `count` bytes from byte `at` on, as text.
    ///
    /// # Errors
    /// If fewer were given, or they are not UTF-8.
    pub(crate) fn text(&self, at: usize, count: usize) -> Result<&str, Failure> {
        Ok(std::str::from_utf8(self.bytes(at, count)?)?)
    }
}

/// Numbers that fill the fields of a definition in turn. NaN stands for a number that was not given: its field is
/// unchanged.
pub(crate) struct Row<'a>(pub(crate) &'a [f32]);

impl Row<'_> {
    /// The next number; NaN when there is none.
    pub(crate) fn next(&mut self) -> f32 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => f32::NAN,
        }
    }

    pub(crate) fn number(&mut self, field: &mut f32) {
        let given = self.next();
        if !given.is_nan() {
            *field = given;
        }
    }

    pub(crate) fn vector(&mut self, field: &mut Vec2) {
        self.number(&mut field.x);
        self.number(&mut field.y);
    }

    pub(crate) fn flag(&mut self, field: &mut bool) {
        let given = self.next();
        if !given.is_nan() {
            *field = given != 0.0;
        }
    }

    /// The next number for an optional field, which is unchanged if none is given.
    pub(crate) fn option(&mut self, field: &mut Option<f32>) {
        let given = self.next();
        if !given.is_nan() {
            *field = Some(given);
        }
    }
}

/// What happens to the fields of a definition in turn, of one list for both directions.
pub(crate) trait Fields {
    fn number(&mut self, field: &mut f32);
    fn flag(&mut self, field: &mut bool);

    fn vector(&mut self, field: &mut Vec2) {
        self.number(&mut field.x);
        self.number(&mut field.y);
    }
}

/// Fields are read from the row.
impl Fields for Row<'_> {
    fn number(&mut self, field: &mut f32) {
        Row::number(self, field);
    }

    fn flag(&mut self, field: &mut bool) {
        Row::flag(self, field);
    }
}

/// Fields are written to the numbers.
impl Fields for Output {
    fn number(&mut self, field: &mut f32) {
        self.numbers.push(*field);
    }

    fn flag(&mut self, field: &mut bool) {
        self.numbers.push(f32::from(u8::from(*field)));
    }
}

/// Reserves a number of bytes for JavaScript to write; returns their address.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn input(bytes: usize) -> usize {
    ERROR.with_borrow_mut(String::clear);
    INPUT.with_borrow_mut(|input| {
        let count = bytes.div_ceil(size_of::<u64>());
        if input.words.len() < count {
            input.words.resize(count, 0);
        }
        input.words.as_ptr() as usize
    })
}

/// The address of an output buffer: 0 numbers, 1 ids, 2 bytes, 3 the error. The error can be read after a panic, which
/// leaves the others in use for good.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn output_at(which: u32) -> usize {
    if which == ERROR_BUFFER {
        return ERROR.with_borrow(|error| error.as_ptr() as usize);
    }
    OUTPUT.with_borrow(|output| match which {
        0 => output.numbers.as_ptr() as usize,
        1 => output.ids.as_ptr() as usize,
        _ => output.bytes.as_ptr() as usize,
    })
}

/// The number of elements in an output buffer.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn output_length(which: u32) -> usize {
    if which == ERROR_BUFFER {
        return ERROR.with_borrow(String::len);
    }
    OUTPUT.with_borrow(|output| match which {
        0 => output.numbers.len(),
        1 => output.ids.len(),
        _ => output.bytes.len(),
    })
}

/// Makes the message of a panic the error. To be called once.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn start() {
    std::panic::set_hook(Box::new(|panic| {
        ERROR.with(|error| {
            if let Ok(mut error) = error.try_borrow_mut() {
                *error = panic.to_string();
            }
        });
    }));
}
