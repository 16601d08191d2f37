//! A test in a process that cannot start a thread.

use std::{
    env,
    process::{self, Command},
    thread,
};

/// Tells the process that it is such a one.
const SIGN: &str = "EVERYPLY_NO_THREADS";
/// What such a process prints at the end.
const DONE: &str = "nothing panicked without threads";

/// Runs a test in a process of its own, where it does `prepare`, loses the right to start threads, and
/// does `work` with what was prepared. The limit does not hold for root, who becomes nobody; nobody
/// cannot name the program, but is handed it open.
pub(crate) fn without_threads<T>(test: &str, prepare: impl FnOnce() -> T, work: impl FnOnce(T)) {
    if env::var_os(SIGN).is_some() {
        let prepared = prepare();
        let limited = Command::new("prlimit")
            .args(["--pid", &process::id().to_string(), "--nproc=1:1"])
            .status()
            .expect("prlimit was there before");
        assert!(limited.success() && thread::Builder::new().spawn(|| ()).is_err());
        work(prepared);
        println!("{DONE}");
        return;
    }
    let has_all = |program: &&str| Command::new(program).arg("--version").output().is_ok();
    if !["bash", "setpriv", "prlimit"].iter().all(has_all) {
        println!("not run: {test} (no bash, setpriv or prlimit)");
        return;
    }
    let script = "exec 3< \"$0\"; cd /; run='exec /proc/self/fd/3 \"$@\"'; \
                  if [ $(id -u) != 0 ]; then exec bash -c \"$run\" bash \"$@\"; fi; \
                  exec setpriv --reuid 65534 --regid 65534 --clear-groups bash -c \"$run\" bash \"$@\"";
    let program = env::current_exe().expect("the test has a file");
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(program);
    command.args(["--exact", test, "--test-threads=1", "--nocapture"]).env(SIGN, "1");
    let output = command.output().expect("bash was there before");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(DONE), "{said}{failed}");
}
