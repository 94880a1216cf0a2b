//! Instructions of steps as valgrind counts them. A test that counts starts its own program under it, in which another test
//! runs what is to be counted in a function called `counted_steps`.

use std::process::Command;

/// The instructions of a step of `steps` in a process in which `test` runs alone and the variable `case.0` is `case.1`; none if
/// there is no valgrind.
pub(crate) fn instructions_of_step(test: &str, case: (&str, &str), steps: u64) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", "--toggle-collect=*counted_steps*"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--test-threads=1"])
        .env(case.0, case.1)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let counted = text.lines().find_map(|line| line.split_once("Collected : "));
    let (_, counted) = counted.expect("valgrind says what it counted");
    let counted: u64 = counted.trim().parse().unwrap();
    assert!(
        counted > 1000 * steps,
        "{counted} instructions are no {steps} steps"
    );
    Some(counted / steps)
}
