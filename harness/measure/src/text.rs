//! Lines and words, as all parts of the bench count them.

use dyno_stats::Random;
use itertools::Itertools;

/// Whitespace-separated words of a line: the unit of all speeds.
pub fn words(line: &[u8]) -> usize {
    match std::str::from_utf8(line) {
        Ok(line) => line.split_whitespace().count(),
        Err(_) => String::from_utf8_lossy(line).split_whitespace().count(),
    }
}

/// Lines of `bytes`; the last line needs no line feed. Only a line feed ends a line: Unicode's other
/// separators may stand inside a line. A carriage return before the line feed stays, because systems must
/// cope with both.
pub fn split_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = whole.split(|&byte| byte == b'\n');
    lines.take(if bytes.is_empty() { 0 } else { usize::MAX })
}

/// Lines as a file, each with its line feed.
pub fn as_text(lines: &[impl AsRef<[u8]>]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_ref(), b"\n"].concat()).collect()
}

/// Distinct ordinary lines of `source` in random order.
pub fn ordinary_of(source: &[Vec<u8>], random: &mut Random) -> Vec<Vec<u8>> {
    let is_ordinary = |line: &Vec<u8>| (3..=60).contains(&words(line)) && std::str::from_utf8(line).is_ok();
    let mut lines: Vec<_> = source.iter().filter(|line| is_ordinary(line)).cloned().collect();
    random.shuffle(&mut lines);
    lines.into_iter().unique().collect()
}

/// As many other lines, made of the halves of `lines`: the second half of each, before the first half of the line
/// that stands `further` places behind it. They have the words of `lines`, and none of their beginnings.
pub fn recombined(lines: &[Vec<u8>], further: usize) -> Vec<Vec<u8>> {
    let halves = |line: &Vec<u8>| {
        let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let (first, second) = words.split_at(words.len() / 2);
        (first.join(&b' '), second.join(&b' '))
    };
    let halves: Vec<_> = lines.iter().map(halves).collect();
    let of = |at: usize| [halves[at].1.as_slice(), &halves[(at + further) % halves.len()].0].join(&b' ');
    (0..lines.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_line_feeds_alone() {
        let lines = |text: &'static str| split_lines(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(lines("a\nb"), lines("a\nb\n"));
        assert_eq!(lines("a\n\n"), [b"a".as_slice(), b""]);
        assert_eq!(lines("a\u{2028}b\r\n"), ["a\u{2028}b\r".as_bytes()]);
        assert_eq!(lines("\n"), [b"".as_slice()]);
        assert!(lines("").is_empty());
    }
}
