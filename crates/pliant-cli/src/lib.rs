//! The command line of Pliant, as a library: the binary only calls it.
