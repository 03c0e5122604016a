//! What a run leaves behind: frames, pictures, plots, checkpoints, the report.
