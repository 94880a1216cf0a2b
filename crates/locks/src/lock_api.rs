//! Implementations of the raw mutex of the crate `lock_api`, whose `Mutex` then wraps any lock of this crate.
//!
//! A guard carries the waiter as well as the token, so the queue locks allocate a node for each acquisition; where that
//! matters, [`Mutex::lock_with`](crate::Mutex::lock_with) reuses one.
#![allow(unsafe_code)]

use crate::relax::Relax;
use crate::{
    Adaptive, Anderson, BackOff, Clh, Cohort, CompactTicket, GraunkeThakkar, Mcs, PauseAndSleep,
    ProportionalTicket, RawLock, TestAndSet, TestAndTestAndSet, Ticket, WideTicket,
};
use lock_api::{RawMutex, RawMutexFair};

/// The data of a guard of `lock_api`: the waiter and the token of a held lock.
#[derive(Debug)]
pub struct HeldToken<P, T> {
    place: P,
    token: T,
}

macro_rules! raw_mutex {
    ($lock:ty $(, $($generics:tt)+)?) => {
        // SAFETY: `RawLock` promises exclusion, and the guard state carries the very place and token of the acquisition.
        unsafe impl $(<$($generics)+>)? RawMutex for $lock {
            const INIT: Self = Self::new();
            type Guard = HeldToken<<Self as RawLock>::Waiter, <Self as RawLock>::Token>;

            #[inline]
            fn lock(&self) -> Self::Guard {
                let mut place = <Self as RawLock>::Waiter::default();
                let token = RawLock::lock(self, &mut place);
                HeldToken { place, token }
            }

            #[inline]
            fn try_lock(&self) -> Option<Self::Guard> {
                let mut place = <Self as RawLock>::Waiter::default();
                let token = RawLock::try_lock(self, &mut place)?;
                Some(HeldToken { place, token })
            }

            #[inline]
            unsafe fn unlock(&self, mut held: Self::Guard) {
                // SAFETY: the state is that of an acquisition of this lock, as the caller promises.
                unsafe { RawLock::unlock(self, &mut held.place, held.token) };
            }

            fn is_locked(&self) -> bool {
                RawLock::is_locked(self)
            }
        }
    };
}

/// For locks whose every unlock is fair.
macro_rules! raw_mutex_fair {
    ($lock:ty, $($generics:tt)+) => {
        raw_mutex!($lock, $($generics)+);

        // SAFETY: as for `RawMutex`; the lock goes to whoever asked first.
        unsafe impl<$($generics)+> RawMutexFair for $lock {
            unsafe fn unlock_fair(&self, held: Self::Guard) {
                // SAFETY: as the caller promises.
                unsafe { RawMutex::unlock(self, held) };
            }
        }
    };
}

raw_mutex!(TestAndSet<R>, R: Relax);
raw_mutex!(TestAndTestAndSet<R>, R: Relax);
raw_mutex!(BackOff);
raw_mutex!(PauseAndSleep);
raw_mutex!(Adaptive<R>, R: Relax);
raw_mutex!(Cohort<SOCKETS, R>, const SOCKETS: usize, R: Relax);
raw_mutex_fair!(Ticket<R>, R: Relax);
raw_mutex_fair!(WideTicket<R>, R: Relax);
raw_mutex_fair!(ProportionalTicket<R>, R: Relax);
raw_mutex_fair!(CompactTicket<u16, R>, R: Relax);
raw_mutex_fair!(CompactTicket<u32, R>, R: Relax);
raw_mutex_fair!(Anderson<PLACES, R>, const PLACES: usize, R: Relax);
raw_mutex_fair!(GraunkeThakkar<PLACES, R>, const PLACES: usize, R: Relax);
raw_mutex_fair!(Mcs<R>, R: Relax);
raw_mutex_fair!(Clh<R>, R: Relax);
