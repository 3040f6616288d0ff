//! Tests of the search on a network whose scores are all written down.

use dyno_nn::math::{Kernels, Threads};
use dyno_nn::{Decoder, Request, Row, Scratch, Sentence, Step, Wanted};

use super::batch::aligned;
use super::{Member, Patience, Rule, Search, SearchOptions};

const END: u32 = 0;
const UNKNOWN: u32 = 1;

/// Scores of the words 0 to 3 after each previous word; row 4 is the start of a sentence.
type Scores = [[f32; 4]; 5];

/// A decoder that reads its scores from a table, and checks that it gets a row for each hypothesis.
struct Script(Scores, usize);

impl Decoder for Script {
    fn admit(&mut self, sentences: &[Sentence<'_>], places: &[usize], _: &mut Scratch) {
        assert_eq!(sentences.len(), places.len(), "a place for each sentence");
        self.1 += sentences.len();
    }

    fn step(&mut self, rows: &[Row], request: &Request<'_>, _: &mut Scratch, step: &mut Step) {
        assert_eq!(rows.len(), self.1, "as many rows as hypotheses");
        step.clear();
        for row in rows {
            let scores = self.0[row.previous.map_or(4, |word| word as usize)];
            let allowed =
                (0..4).filter(|word| !request.suppressed.contains(word) && row.barred != Some(*word));
            let better = |a: &u32, b: &u32| scores[*a as usize].total_cmp(&scores[*b as usize]);
            if request.wanted == Wanted::Nothing {
                continue;
            }
            if request.wanted == Wanted::Best {
                let first = (0..4).max_by(better);
                step.gave_way.extend(row.barred.filter(|word| first == Some(*word)).map(|_| step.best.len()));
                step.best.push(allowed.max_by(better).unwrap());
            } else {
                step.scores.push(4).copy_from_slice(&scores);
            }
        }
    }

    fn reorder(&mut self, kept: &[usize]) {
        assert!(kept.iter().all(|row| *row < self.1));
        self.1 = kept.len();
    }
}

/// Greedy search finds 2 3 end (−4.5); the better path is 3 end (−3).
const GARDEN_PATH: Scores =
    [[-9.0; 4], [-9.0; 4], [-3.0, -0.5, -9.0, -2.0], [-1.5, -9.0, -2.0, -9.0], [-9.0, -0.1, -1.0, -1.5]];

fn options(beam: usize) -> SearchOptions {
    SearchOptions {
        beam,
        normalize: 0.0,
        word_penalty: 0.0,
        max_length_factor: 3.0,
        more_words: 0,
        most_words: usize::MAX,
        forced_end: false,
        renormalise: false,
        rule: Rule::Marian,
        n_best: false,
        skip_cost: false,
        early_stop: None,
        attention: false,
        most_repeats: None,
        kernels: Kernels::best(),
    }
}

/// Translations of each sentence, best first, with their values.
type Lists = Vec<Vec<(Vec<u32>, Option<f32>)>>;

fn search(tables: &[(f32, Scores)], options: SearchOptions, lengths: &[usize]) -> Lists {
    search_from(None, tables, options, lengths)
}

/// As [`search`], for translations that begin with a known word.
fn search_from(
    first: Option<u32>,
    tables: &[(f32, Scores)],
    options: SearchOptions,
    lengths: &[usize],
) -> Lists {
    let members = tables.iter().map(|(weight, table)| Member::new(*weight, Box::new(Script(*table, 0))));
    let mut search = Search::new(members.collect(), Threads::default(), options, END, vec![UNKNOWN], first);
    let ids = vec![2; lengths.iter().copied().max().unwrap()];
    let sentences: Vec<Sentence<'_>> =
        lengths.iter().map(|len| Sentence { ids: &ids[..*len], candidates: None }).collect();
    let places = search.admit(&sentences).to_vec();
    let (mut lists, mut ended) = (vec![Vec::new(); lengths.len()], Vec::new());
    while !search.is_idle() {
        search.step(&mut ended);
        for place in &ended {
            let list = &mut lists[places.iter().position(|at| at == place).unwrap()];
            for rank in 0..search.count(*place) {
                let found = search.found(*place, rank);
                list.push((found.ids.to_vec(), found.score));
            }
        }
    }
    lists
}

fn best(options: SearchOptions) -> (Vec<u32>, Option<f32>) {
    search(&[(1.0, GARDEN_PATH)], options, &[5]).remove(0).remove(0)
}

#[test]
fn greedy_takes_the_best_word_and_a_beam_the_best_path() {
    assert_eq!(best(options(1)), (vec![2, 3, END], None));
    assert_eq!(best(options(2)), (vec![3, END], Some(-3.0)));
}

#[test]
fn a_beam_of_one_finds_what_greedy_finds() {
    let one = SearchOptions { n_best: true, ..options(1) };
    assert_eq!(best(one), (vec![2, 3, END], Some(-4.5)));
}

#[test]
fn length_is_normalised_and_words_are_charged() {
    let normalised = SearchOptions { normalize: 1.0, ..options(2) };
    assert_eq!(best(normalised).1, Some(-1.5));
    // A negative penalty is a reward, with which the longer path wins.
    let rewarded = SearchOptions { word_penalty: -2.0, ..options(2) };
    assert_eq!(best(rewarded), (vec![2, 3, END], Some(1.5)));
}

#[test]
fn limits_are_those_of_each_sentence() {
    let endless: Scores = [[-9.0, -9.0, -1.0, -2.0]; 5];
    let short = SearchOptions { max_length_factor: 1.5, ..options(1) };
    let lists = search(&[(1.0, endless)], short, &[1, 4, 2]);
    let lengths: Vec<usize> = lists.iter().map(|list| list[0].0.len()).collect();
    assert_eq!(lengths, [2, 6, 3], "the length is the factor's product, rounded up");
}

#[test]
fn n_best_lists_are_sorted_and_no_longer_than_the_beam() {
    let many = SearchOptions { n_best: true, ..options(3) };
    let list = search(&[(1.0, GARDEN_PATH)], many, &[5]).remove(0);
    assert_eq!(list.len(), 3);
    assert!(list.is_sorted_by(|a, b| a.1 >= b.1), "{list:?}");
    assert!(list.iter().all(|(ids, _)| !ids.contains(&UNKNOWN)), "{list:?}");
}

#[test]
fn members_count_by_their_weights() {
    let mut other = GARDEN_PATH;
    other[4] = [-9.0, -9.0, -9.0, -0.5];
    let lists = search(&[(1.0, GARDEN_PATH), (0.5, other)], options(2), &[5]);
    assert_eq!(lists[0][0], (vec![3, END], Some(-1.5 - 0.25 - 1.5 - 0.75)));
}

#[test]
fn an_early_stop_keeps_what_is_finished() {
    let mut sure = GARDEN_PATH;
    sure[4] = [-0.5, -9.0, -4.0, -5.0];
    let all = SearchOptions { n_best: true, ..options(2) };
    assert_eq!(search(&[(1.0, sure)], all.clone(), &[5])[0].len(), 2);
    let stopped = SearchOptions { early_stop: Some(3.0), ..all };
    assert_eq!(search(&[(1.0, sure)], stopped, &[5])[0], [(vec![END], Some(-0.5))]);
}

#[test]
fn a_word_is_aligned_with_a_word_never_with_the_end() {
    let mut step = Step::default();
    step.attention.push(3).copy_from_slice(&[0.3, 0.1, 0.6]);
    step.attention.push(2).copy_from_slice(&[0.1, 0.9]);
    assert_eq!([aligned(&step, 0), aligned(&step, 1)], [0, 0]);
}

/// Options of a search by the rule of Hugging Face.
fn hugging_face(beam: usize, patience: Patience) -> SearchOptions {
    SearchOptions {
        rule: Rule::HuggingFace(patience),
        most_words: 4,
        n_best: true,
        normalize: 1.0,
        ..options(beam)
    }
}

#[test]
fn a_finished_hypothesis_takes_no_place_by_the_rule_of_hugging_face() {
    // A beam of one: 2 leads at first, and the end is only second after it, hence no candidate.
    let list = search(&[(1.0, GARDEN_PATH)], hugging_face(1, Patience::None), &[5]).remove(0);
    assert_eq!(list, [(vec![2, 3, END], Some(-1.5))]);
    // A beam of two keeps looking until two are finished: 3 end at the second step, 2 3 end at the third.
    let list = search(&[(1.0, GARDEN_PATH)], hugging_face(2, Patience::None), &[5]).remove(0);
    assert_eq!(list, [(vec![3, END], Some(-1.5)), (vec![2, 3, END], Some(-1.5))]);
}

#[test]
fn patience_decides_whether_a_longer_translation_is_awaited() {
    let mut long: Scores = [[-9.0; 4]; 5];
    long[2] = [-1.2, -9.0, -0.6, -9.0];
    long[4] = [-9.0, -9.0, -0.1, -9.0];
    let of = |patience| search(&[(1.0, long)], hugging_face(1, patience), &[9]).remove(0).remove(0).0;
    assert_eq!(of(Patience::None), [2, 2, 2, 2], "the end is never the best continuation");
    long[2] = [-0.4, -9.0, -0.6, -9.0];
    long[4] = [-0.6, -9.0, -0.7, -9.0];
    let of = |patience| search(&[(1.0, long)], hugging_face(1, patience), &[9]).remove(0).remove(0).0;
    assert_eq!(of(Patience::None), [END]);
    assert_eq!(of(Patience::PresentLength), [END], "−0.7 now is worse than −0.6");
    assert_eq!(of(Patience::GreatestLength), [2, END], "−0.7 over four words is better than −0.6");
}

#[test]
fn the_rule_of_ctranslate2_awaits_a_beam_or_the_best_continuation() {
    let of = |beam, normalize| {
        let options =
            SearchOptions { rule: Rule::CTranslate2, normalize, ..hugging_face(beam, Patience::None) };
        search(&[(1.0, GARDEN_PATH)], SearchOptions { n_best: false, ..options }, &[5]).remove(0).remove(0)
    };
    assert_eq!(of(2, 1.0), (vec![3, END], Some(-1.5)), "two are finished after three steps");
    assert_eq!(of(2, 0.0), (vec![3, END], Some(-3.0)), "it is the second step's best");
}

#[test]
fn the_rule_of_opennmt_refills_places_and_ends_with_the_best_continuation() {
    let of = |scores, normalize| {
        let options = SearchOptions { rule: Rule::OpenNmt, n_best: true, normalize, ..options(2) };
        search(&[(1.0, scores)], options, &[5]).remove(0)
    };
    // 3 end finishes beside 2 3, which is considered first; 2 3 end is the best of the third step.
    let both = [(vec![3, END], Some(-3.0)), (vec![2, 3, END], Some(-4.5))];
    assert_eq!(of(GARDEN_PATH, 0.0), both);
    let both = [(vec![3, END], Some(-1.0)), (vec![2, 3, END], Some(-1.125))];
    assert_eq!(of(GARDEN_PATH, 1.0), both, "lengths count the word that begins");
    let mut sure = GARDEN_PATH;
    sure[4] = [-1.2, -9.0, -1.0, -9.0];
    // The end takes no place: both words after 2 are continued.
    assert_eq!(of(sure, 0.0), [(vec![END], Some(-1.2)), (vec![2, END], Some(-4.0))]);
}

#[test]
fn lengths_by_the_rule_of_opennmt_have_words_to_spare_and_no_fraction() {
    let endless: Scores = [[-9.0, -9.0, -1.0, -2.0]; 5];
    let options = SearchOptions { rule: Rule::OpenNmt, max_length_factor: 1.25, more_words: 1, ..options(1) };
    let lists = search(&[(1.0, endless)], options, &[1, 2, 5]);
    let lengths: Vec<usize> = lists.iter().map(|list| list[0].0.len()).collect();
    assert_eq!(lengths, [2, 3, 7]);
}

#[test]
fn the_first_word_and_the_last_may_be_known() {
    let endless: Scores = [[-9.0, -9.0, -1.0, -2.0]; 5];
    for beam in [1, 2] {
        let rules = [options(beam), hugging_face(beam, Patience::PresentLength)];
        for options in rules {
            let options = SearchOptions { most_words: 3, forced_end: true, n_best: false, ..options };
            let lists = search_from(Some(3), &[(1.0, endless)], options, &[5, 1]);
            assert!(lists.iter().all(|list| list[0].0 == [3, 2, END]), "{lists:?}");
        }
    }
}

#[test]
fn suppressed_words_may_leave_their_share_to_the_others() {
    let half = 0.5f32.ln();
    // The unknown word has half of the probability at the first step.
    let mut shared: Scores = [[half, half, -99.0, -99.0]; 5];
    shared[4] = [half, half, -99.0, -99.0];
    let plain = SearchOptions { n_best: true, ..options(1) };
    let of = |options| search(&[(1.0, shared)], options, &[2]).remove(0).remove(0);
    assert_eq!(of(plain.clone()), (vec![END], Some(half)));
    let (ids, score) = of(SearchOptions { renormalise: true, ..plain });
    assert!(ids == [END] && score.unwrap().abs() < 1e-6, "{score:?}");
}

#[test]
fn almost_all_of_the_probability_may_be_suppressed() {
    // The others share e⁻³⁰ as 1 : e, which single precision can't tell from 1 − 1.
    let (less, more) = (-31.0 - 0.313_261_7, -30.0 - 0.313_261_7);
    let table: Scores = [[more, 0.0, less, f32::NEG_INFINITY]; 5];
    for beam in [1, 2] {
        let options = SearchOptions { renormalise: true, n_best: true, ..options(beam) };
        let (ids, score) = search(&[(1.0, table)], options, &[2]).remove(0).remove(0);
        assert_eq!(ids, [END]);
        assert!((score.unwrap() + 0.313_261_7).abs() < 1e-4, "{score:?}");
    }
    let nothing: Scores = [[f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY, f32::NEG_INFINITY]; 5];
    let options = SearchOptions { renormalise: true, n_best: true, ..options(2) };
    let lists = search(&[(1.0, nothing)], options, &[2]);
    assert!(lists[0].iter().all(|(_, score)| score.is_none_or(|score| !score.is_nan())), "{lists:?}");
}

/// The word 2 follows itself, and 3 is the next best; 3 ends.
const LOOP: Scores =
    [[-9.0; 4], [-9.0; 4], [-9.0, -9.0, -0.1, -0.5], [-0.05, -9.0, -9.0, -9.0], [-9.0, -9.0, -0.1, -8.0]];

/// The best translation of `source` by a network that loops, and whether it was kept from the loop.
fn looped(source: &[u32], options: SearchOptions) -> (Vec<u32>, bool) {
    let members = vec![Member::new(1.0, Box::new(Script(LOOP, 0)))];
    let mut search = Search::new(members, Threads::default(), options, END, vec![UNKNOWN], None);
    let place = search.admit(&[Sentence { ids: source, candidates: None }])[0];
    let mut ended = Vec::new();
    while !search.is_idle() {
        search.step(&mut ended);
    }
    (search.found(place, 0).ids.to_vec(), search.looped(place))
}

#[test]
fn a_phrase_stands_so_many_times_in_a_row_and_the_next_best_word_follows() {
    let most = |beam, most_repeats| SearchOptions { most_repeats, ..options(beam) };
    assert_eq!(looped(&[2, 3], most(1, None)), (vec![2; 6], false));
    assert_eq!(looped(&[2, 3], most(1, Some(3))), (vec![2, 2, 2, 3, END], true));
    assert_eq!(looped(&[2, 3], most(2, None)), (vec![2; 6], false), "-0.6 is better than -0.65");
    assert_eq!(looped(&[2, 3], most(2, Some(3))), (vec![2, 3, END], true));
}

#[test]
fn what_the_source_repeats_may_be_repeated_as_often() {
    let most = SearchOptions { most_repeats: Some(3), ..options(1) };
    assert_eq!(looped(&[7, 7, 7, 7, 0], most.clone()), (vec![2, 2, 2, 2, 3, END], true));
    assert_eq!(looped(&[7, 8, 7, 8, 0], most.clone()), (vec![2, 2, 2, 3, END], true));
    assert_eq!(looped(&[7, 7, 7, 7, 7, 7], most), (vec![2, 2, 2, 2, 2, 2, 3, END], true));
}
