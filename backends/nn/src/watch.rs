//! Time by component and by operator.
//!
//! A thread is always in one place: in a component of the translator, and there in an operator.
//! [`Component::span`] and [`Operator::span`] change the place until the returned span is dropped. Each
//! change reads the clock once and adds the time to the place that is left. So every moment counts once, and
//! time outside of all spans is `other`. A product's epilogue (bias, activation, sum) belongs to the product,
//! and the softmax of attention to attention: each is one loop.
//!
//! The clock belongs to the thread instead of being an argument of every layer, because a session works on
//! one thread at a time. The clock runs inside of [`watch`] only; elsewhere a span reads a flag.
//! [`SharedTimes`] adds up the times of all sessions of a model.

use std::cell::Cell;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use dyno_api::Breakdown;
use dyno_kernels::ticks;

/// Component of a translator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Component {
    Tokenise,
    Embed,
    Encoder,
    /// Attention of the decoder to the source; in a sentence encoder, the attention sublayers. The attention
    /// of a translator's encoder belongs to `Encoder`.
    Attention,
    /// Feed-forward sublayers of a sentence encoder.
    Feedforward,
    Decoder,
    /// Gathering of candidates, and the choice among them.
    Output,
    Search,
    /// From the vectors of words to the vector of a line.
    Pooling,
    Detokenise,
    Other,
}

/// Operator: a kind of computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // as above
pub enum Operator {
    Product,
    Attention,
    Softmax,
    Norm,
    Activation,
    Quantise,
    Other,
}

impl Component {
    /// All components, in the order of the work.
    pub const ALL: [Self; 11] = [
        Self::Tokenise,
        Self::Embed,
        Self::Encoder,
        Self::Attention,
        Self::Feedforward,
        Self::Decoder,
        Self::Output,
        Self::Search,
        Self::Pooling,
        Self::Detokenise,
        Self::Other,
    ];

    /// Charges the time to this component, and to no operator, until the span is dropped.
    #[inline]
    pub fn span(self) -> Span {
        Span(CLOCK.with(|clock| clock.turn(|_| (self, Operator::Other))))
    }
}

impl Operator {
    /// All operators.
    pub const ALL: [Self; 7] = [
        Self::Product,
        Self::Attention,
        Self::Softmax,
        Self::Norm,
        Self::Activation,
        Self::Quantise,
        Self::Other,
    ];

    /// Charges the time to this operator of the current component until the span is dropped.
    #[inline]
    pub fn span(self) -> Span {
        Span(CLOCK.with(|clock| clock.turn(|(component, _)| (component, self))))
    }
}

type Place = (Component, Operator);

/// A span of time in one place. Dropping it returns to the place before.
#[must_use]
#[derive(Debug)]
pub struct Span(Option<Place>);

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            CLOCK.with(|clock| clock.turn(|_| before));
        }
    }
}

/// A value for each component and operator.
type PerPlace<T> = [[T; Operator::ALL.len()]; Component::ALL.len()];

struct Clock {
    runs: Cell<bool>,
    place: Cell<Place>,
    /// Ticks when the place was entered.
    since: Cell<u64>,
    ticks: PerPlace<Cell<u64>>,
}

const NOWHERE: Place = (Component::Other, Operator::Other);

thread_local! {
    static CLOCK: Clock = const { Clock::new() };
}

impl Clock {
    const fn new() -> Self {
        let ticks = [const { [const { Cell::new(0) }; Operator::ALL.len()] }; Component::ALL.len()];
        Self { runs: Cell::new(false), place: Cell::new(NOWHERE), since: Cell::new(0), ticks }
    }

    /// Changes the place to `to`; gives the place before, or `None` where the clock doesn't run.
    #[inline]
    fn turn(&self, to: impl FnOnce(Place) -> Place) -> Option<Place> {
        self.runs.get().then(|| self.charge(to, ticks()))
    }

    fn charge(&self, to: impl FnOnce(Place) -> Place, now: u64) -> Place {
        let before = self.place.get();
        let cell = &self.ticks[before.0 as usize][before.1 as usize];
        cell.set(cell.get() + now.saturating_sub(self.since.replace(now)));
        self.place.set(to(before));
        before
    }
}

/// The running clock of the thread. Dropping it stops the clock, even when the work panics.
struct Running;

impl Running {
    fn start() -> Self {
        CLOCK.with(|clock| {
            clock.ticks.iter().flatten().for_each(|cell| cell.set(0));
            clock.place.set(NOWHERE);
            clock.since.set(ticks());
            clock.runs.set(true);
        });
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        CLOCK.with(|clock| clock.runs.set(false));
    }
}

/// Does `work`, and adds its time to `times`.
pub fn watch<T>(times: &mut Times, work: impl FnOnce() -> T) -> T {
    let (begin, running) = (Instant::now(), Running::start());
    let done = work();
    CLOCK.with(|clock| {
        clock.turn(|place| place);
        times.add(&clock.ticks, begin.elapsed());
    });
    drop(running);
    done
}

/// Nanoseconds by component and operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times(PerPlace<u64>);

impl Times {
    /// Divides `whole` in proportion to the ticks; the remainder of rounding is `other`.
    fn add(&mut self, ticks: &PerPlace<Cell<u64>>, whole: Duration) {
        let sum = ticks.iter().flatten().map(|cell| u128::from(cell.get())).sum::<u128>().max(1);
        let mut left = whole.as_nanos() as u64;
        for (to, ticks) in self.0.iter_mut().flatten().zip(ticks.iter().flatten()) {
            let share = (u128::from(ticks.get()) * whole.as_nanos() / sum) as u64;
            *to += share;
            left -= share;
        }
        self.0[Component::Other as usize][Operator::Other as usize] += left;
    }

    /// Adds other times.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().flatten().zip(other.0.iter().flatten()).for_each(|(to, more)| *to += more);
    }

    /// The times of all components and operators in the contract's form, including those without time.
    pub fn breakdown(&self) -> Breakdown {
        let components = Component::ALL.map(|part| (name(part), self.of_component(part)));
        let operators = Operator::ALL.map(|part| (name(part), self.of_operator(part)));
        Breakdown { components: components.into(), operators: operators.into() }
    }

    /// Time of a component, over all operators.
    pub fn of_component(&self, component: Component) -> u64 {
        self.0[component as usize].iter().sum()
    }

    /// Time of an operator, over all components.
    pub fn of_operator(&self, operator: Operator) -> u64 {
        self.0.iter().map(|component| component[operator as usize]).sum()
    }
}

/// Reason why the lock isn't poisoned.
const UNPOISONED: &str = "times are added up without a panic";

/// Times of all sessions of a model; none are taken where no breakdown was asked for.
#[derive(Debug)]
pub struct SharedTimes(Option<Mutex<Times>>);

impl SharedTimes {
    /// Times that are taken if they are `wanted`.
    pub fn new(wanted: bool) -> Self {
        Self(wanted.then(Mutex::default))
    }

    /// Does `work`, and adds its time.
    pub fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(of_all) = &self.0 else { return work() };
        let mut times = Times::default();
        let done = watch(&mut times, work);
        of_all.lock().expect(UNPOISONED).merge(&times);
        done
    }

    /// The times until now in the contract's form.
    pub fn breakdown(&self) -> Option<Breakdown> {
        self.0.as_ref().map(|times| times.lock().expect(UNPOISONED).breakdown())
    }
}

/// Name of a component or operator in the contract: its name in the code, in lower case.
fn name(part: impl std::fmt::Debug) -> String {
    format!("{part:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_as_in_the_contract() {
        let told = Times::default().breakdown();
        assert_eq!(
            (told.components.len(), told.operators.len()),
            (Component::ALL.len(), Operator::ALL.len())
        );
        assert!(Breakdown::COMPONENTS.iter().all(|part| told.components.contains_key(*part)));
        assert!(Breakdown::OPERATORS.iter().all(|part| told.operators.contains_key(*part)));
    }

    use Component::{Attention, Encoder};
    use Operator::{Other, Product, Softmax};

    fn sums(times: &Times) -> [u64; 2] {
        let components = Component::ALL.iter().map(|component| times.of_component(*component));
        [components.sum(), Operator::ALL.iter().map(|operator| times.of_operator(*operator)).sum()]
    }

    #[test]
    fn every_tick_counts_once_for_a_component_and_once_for_an_operator() {
        let clock = Clock::new();
        for (place, now) in
            [((Encoder, Other), 1), ((Encoder, Product), 3), ((Attention, Softmax), 7), (NOWHERE, 15)]
        {
            clock.charge(|_| place, now);
        }
        let mut times = Times::default();
        times.add(&clock.ticks, Duration::from_nanos(151)); // ten nanoseconds a tick, and a remainder of one
        assert_eq!((times.of_component(Encoder), times.of_component(Attention)), (6 * 10, 8 * 10));
        assert_eq!((times.of_operator(Product), times.of_operator(Softmax)), (4 * 10, 8 * 10));
        assert_eq!((times.of_component(Component::Other), times.of_operator(Other)), (11, 31));
        let mut twice = times.clone();
        twice.merge(&times);
        assert_eq!((sums(&times), sums(&twice)), ([151; 2], [302; 2]));
    }

    #[test]
    fn spans_lead_back_to_where_they_began() {
        let mut times = Times::default();
        let begin = Instant::now();
        watch(&mut times, || {
            let place = || CLOCK.with(|clock| clock.place.get());
            let _encoder = Encoder.span();
            let product = Product.span();
            {
                let _attention = Attention.span();
                let _softmax = Softmax.span();
                assert_eq!(place(), (Attention, Softmax));
            }
            assert_eq!(place(), (Encoder, Product));
            drop(product);
            assert_eq!(place(), (Encoder, Other));
        });
        let [components, operators] = sums(&times);
        assert_eq!(components, operators);
        assert!((1..=begin.elapsed().as_nanos()).contains(&u128::from(components)));
    }

    #[test]
    fn sessions_share_times_where_they_are_wanted() {
        let (wanted, unwanted) = (SharedTimes::new(true), SharedTimes::new(false));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| wanted.watch(|| std::thread::sleep(Duration::from_millis(1))));
            }
        });
        let sum: u64 = wanted.breakdown().unwrap().components.values().sum();
        assert!(sum >= 2_000_000, "{sum}");
        assert_eq!((unwanted.watch(|| 3), unwanted.breakdown()), (3, None));
    }

    #[test]
    fn nothing_is_watched_outside() {
        assert!(Component::Search.span().0.is_none());
        let panicked = std::panic::catch_unwind(|| watch(&mut Times::default(), || panic!("on purpose")));
        assert!(panicked.is_err() && Product.span().0.is_none());
        let mut times = Times::default();
        watch(&mut times, || drop(Encoder.span()));
        watch(&mut Times::default(), || drop(Attention.span()));
        watch(&mut times, || ());
        assert_eq!(times.of_component(Attention), 0, "a watch begins anew");
    }
}
