//! The live viewer of Pliant.
