//! [`fit_zeros`]: scratch memory with a number for each object of a world, of which a step touches what it needs.

use alloc::vec::Vec;

/// Makes room for at least `count` numbers; those of a list that grows are all zero afterwards. Nothing is copied, and
/// large memory comes as zeros from the system, which supplies a page when it is touched: so a step in which little is
/// awake does not pay for all that sleeps when the world has grown.
pub(crate) fn fit_zeros(numbers: &mut Vec<u32>, count: usize) {
    if numbers.len() < count {
        let room = count.max(2 * numbers.len());
        *numbers = Vec::new();
        *numbers = alloc::vec![0; room];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_grows_is_zero_and_others_stay() {
        let mut numbers = Vec::new();
        fit_zeros(&mut numbers, 0);
        assert!(numbers.is_empty());
        fit_zeros(&mut numbers, 5);
        assert_eq!(numbers, [0; 5]);
        numbers[3] = 7;
        fit_zeros(&mut numbers, 2);
        assert_eq!(numbers, [0, 0, 0, 7, 0]);
        fit_zeros(&mut numbers, 6);
        assert_eq!(numbers, [0; 10]);
        fit_zeros(&mut numbers, 100);
        assert_eq!(numbers, [0; 100]);
    }
}
