//! Numbers to bytes and back, least significant byte first: for the state that an environment saves beside its
//! physics.

use crate::EnvironmentError;

/// Collects bytes of a save.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn u64(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    pub(crate) fn u128(&mut self, number: u128) {
        self.bytes.extend(number.to_le_bytes());
    }

    pub(crate) fn f64(&mut self, number: f64) {
        self.u64(number.to_bits());
    }

    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|&number| self.f64(number));
    }

    /// Writes bytes, preceded by their count.
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.bytes.extend(bytes);
    }
}

/// Reads the bytes of a [`Writer`] from the front.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], EnvironmentError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(EnvironmentError::Damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], EnvironmentError> {
        let taken = self.take(COUNT)?;
        taken.try_into().map_err(|_| EnvironmentError::Damaged)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, EnvironmentError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn u128(&mut self) -> Result<u128, EnvironmentError> {
        Ok(u128::from_le_bytes(self.array()?))
    }

    /// A number that must be finite.
    pub(crate) fn f64(&mut self) -> Result<f64, EnvironmentError> {
        let number = f64::from_bits(self.u64()?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(EnvironmentError::Damaged)
        }
    }

    /// Fills all of `numbers`, which must be finite.
    pub(crate) fn fill(&mut self, numbers: &mut [f64]) -> Result<(), EnvironmentError> {
        numbers.iter_mut().try_for_each(|number| {
            *number = self.f64()?;
            Ok(())
        })
    }

    pub(crate) fn flag(&mut self) -> Result<bool, EnvironmentError> {
        match self.u64()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(EnvironmentError::Damaged),
        }
    }

    pub(crate) fn block(&mut self) -> Result<&'a [u8], EnvironmentError> {
        let count = usize::try_from(self.u64()?).map_err(|_| EnvironmentError::Damaged)?;
        self.take(count)
    }

    /// Refuses bytes that are left over.
    pub(crate) fn finish(self) -> Result<(), EnvironmentError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(EnvironmentError::Damaged)
        }
    }
}
