//! Groups of alike items.

/// Items that are the `same` as the first of their group, together: groups and items stay in their order.
pub fn grouped<T>(items: impl IntoIterator<Item = T>, same: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        match groups.iter_mut().find(|group| same(&group[0], &item)) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_their_items_stay_in_order() {
        let words = ["ab", "c", "de", "f", "ghi"];
        let groups = grouped(words, |a, b| a.len() == b.len());
        assert_eq!(groups, [vec!["ab", "de"], vec!["c", "f"], vec!["ghi"]]);
    }
}
