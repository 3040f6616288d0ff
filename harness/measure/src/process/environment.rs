//! The environment of a system. Systems don't inherit the bench's environment, because it differs from user
//! to user. A system gets what a program needs to find its parts, and the number of threads that the track
//! allows. This number stands in each variable that libraries of the field read.

/// Inherited variables: places of programs, libraries and caches, and the user's name.
pub const PASSED_ON: &str = "PATH HOME USER LOGNAME TMPDIR LD_LIBRARY_PATH PYTHONPATH PYTHONHOME VIRTUAL_ENV \
                             XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME SSL_CERT_FILE JAVA_HOME";

/// Variables that hold the number of allowed cores.
pub const THREAD_COUNTS: &str = "OMP_NUM_THREADS OMP_THREAD_LIMIT MKL_NUM_THREADS OPENBLAS_NUM_THREADS \
                                 BLIS_NUM_THREADS NUMEXPR_NUM_THREADS RAYON_NUM_THREADS GOMAXPROCS \
                                 TF_NUM_INTRAOP_THREADS";

/// Environment of a system on `cores` cores. Variables of the campaign, `own`, come last and win. A system with a root
/// of its own inherits nothing: places of this host aren't there.
pub fn environment(cores: usize, own: &[(String, String)], has_root: bool) -> Vec<(String, String)> {
    let passed = PASSED_ON.split(' ').filter(|_| !has_root);
    let passed = passed.filter_map(|name| Some((name.into(), std::env::var(name).ok()?)));
    // UTF-8 and the same formats everywhere: a system must not depend on the user's locale.
    let locale = [("LC_ALL".into(), "C.UTF-8".into()), ("LANG".into(), "C.UTF-8".into())];
    let counts = THREAD_COUNTS.split(' ').map(|name| (name.into(), cores.to_string()));
    passed.chain(locale).chain(counts).chain(own.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_campaigns_own_variables_come_last_and_nothing_else_leaks() {
        let own = [("OMP_NUM_THREADS".to_string(), "7".to_string())];
        let all = environment(2, &own, false);
        assert_eq!(all.last().unwrap(), &own[0]);
        assert!(all.contains(&("RAYON_NUM_THREADS".into(), "2".into())));
        assert!(all.iter().all(|(name, _)| !name.starts_with("CARGO") && name != "LD_PRELOAD"));
        let in_an_image = environment(2, &own, true);
        assert!(in_an_image.iter().all(|(name, _)| PASSED_ON.split(' ').all(|passed| passed != name)));
    }
}
