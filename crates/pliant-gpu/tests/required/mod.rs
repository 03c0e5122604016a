//! What all tests share that need a GPU, those of the library and of the program, too.

/// Whether to skip a test, because there is no GPU, not even a software one. Prints a line then; where one is required,
/// because `CI` or `PLIANT_REQUIRE_GPU` is set, the test fails.
pub fn skip_without_gpu(there_is_one: bool) -> bool {
    if there_is_one {
        return false;
    }
    let required = ["CI", "PLIANT_REQUIRE_GPU"].into_iter().find(|name| std::env::var_os(name).is_some());
    assert!(required.is_none(), "there is no GPU, not even a software one, and {required:?} is set");
    println!("skipped: no GPU, not even a software one (Debian: mesa-vulkan-drivers)");
    true
}
