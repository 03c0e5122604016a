//! A run's state on disk, from which it goes on to the same bits.
//!
//! Layout, little endian: `PLIANTCP`, version u32, length of the body u64, body, FNV-1a of the body u64. The body is the
//! identity of the run, ρ, the state, what drags have pinched, the sides of contacts and the tally, in the order in which [`Checkpoint::body`] writes
//! them.

use super::tally::Tally;
use crate::atomic_file::write_atomically;
use crate::contact::close::Side;
use crate::math::Fnv;
use crate::model::{Pinched, State};
use crate::step::Certificate;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How every checkpoint begins.
pub(super) const MAGIC: [u8; 8] = *b"PLIANTCP";
const VERSION: u32 = 6;
const HEADER: usize = 20;

/// What must be the same for a run to go on from a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// [`crate::scene::Scene::hash`]: physics, method and its parameters.
    pub scene_hash: u64,
    /// Name of the scene, for messages.
    pub scene: String,
    /// The method.
    pub method: String,
    /// The device.
    pub device: String,
    /// `"f32"` or `"f64"`.
    pub precision: String,
    /// Version of the program.
    pub version: String,
}

/// Everything a run needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Whose it is.
    pub identity: Identity,
    /// Chebyshev's ρ, if the method has one.
    pub rho: Option<f64>,
    /// Positions, velocities, time and step.
    pub state: State,
    /// On which sides of each other parts of bodies were; see [`crate::step::Simulation::sides`].
    pub sides: [Vec<Side>; 2],
    /// Counts so far.
    pub tally: Tally,
}

/// Why a checkpoint cannot be written, read or used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file system says no.
    #[error("{}: the checkpoint cannot be {what}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: String,
        /// The file system's answer.
        source: io::Error,
    },
    /// Not a checkpoint, or cut, or changed.
    #[error("{}: {what}; {help}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found and what was expected.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// Of another run.
    #[error("{}: the checkpoint is of {what} {found}, this run's is {expected}; {help}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// In the file.
        found: String,
        /// Of this run.
        expected: String,
        /// What to do.
        help: &'static str,
    },
}

impl Checkpoint {
    /// Writes the file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let body = self.body();
        write_atomically(path, |file| {
            file.write_all(&MAGIC)?;
            file.write_all(&VERSION.to_le_bytes())?;
            file.write_all(&(body.len() as u64).to_le_bytes())?;
            file.write_all(&body)?;
            file.write_all(&Fnv::of(body.iter().copied()).to_le_bytes())
        })
        .map_err(|source| {
            let what = format!("written ({} bytes)", HEADER + body.len() + 8);
            CheckpointError::Io { path: path.to_path_buf(), what, source }
        })
    }

    /// Reads a file; `None` if there is none.
    pub fn load(path: &Path) -> Result<Option<Self>, CheckpointError> {
        let damaged = |what: String| CheckpointError::Damaged {
            path: path.to_path_buf(),
            what,
            help: "start anew without --resume",
        };
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(CheckpointError::Io { path: path.to_path_buf(), what: "read".to_string(), source });
            }
        };
        if bytes.len() < HEADER || !bytes.starts_with(&MAGIC) {
            // No run replaces what no run wrote, with --resume or without.
            let help = "move it away, or choose another folder with --out";
            let what = "not a checkpoint (it does not start with PLIANTCP)".to_string();
            return Err(CheckpointError::Damaged { path: path.to_path_buf(), what, help });
        }
        let version = u32::from_le_bytes(std::array::from_fn(|i| bytes[8 + i]));
        if version != VERSION {
            return Err(damaged(format!("a checkpoint of format {version}, this program reads {VERSION}")));
        }
        let length = u64::from_le_bytes(std::array::from_fn(|i| bytes[12 + i]));
        let rest = &bytes[HEADER..];
        if rest.len() as u64 != length.saturating_add(8) {
            let found = rest.len().saturating_sub(8);
            return Err(damaged(format!("a checkpoint cut short: {found} bytes, expected {length}")));
        }
        let (body, sum) = rest.split_at(rest.len() - 8);
        if Fnv::of(body.iter().copied()).to_le_bytes() != sum {
            return Err(damaged("a checkpoint whose checksum is wrong: the file was changed".to_string()));
        }
        let read = Reader { bytes: body }.checkpoint();
        read.map(Some).ok_or_else(|| damaged("a checkpoint that contradicts itself".to_string()))
    }

    /// Whether a run may go on from here; names the first thing that differs.
    pub fn check(&self, path: &Path, run: &Identity, vertices: usize) -> Result<(), CheckpointError> {
        let other = |what, found: &str, expected: &str, help| {
            let (found, expected) = (format!("'{found}'"), format!("'{expected}'"));
            Err(CheckpointError::Other { path: path.to_path_buf(), what, found, expected, help })
        };
        let again = "ask for the same again, or start anew without --resume";
        let own = &self.identity;
        if own.method != run.method {
            return other("method", &own.method, &run.method, again);
        }
        if own.precision != run.precision {
            return other("precision", &own.precision, &run.precision, again);
        }
        if own.scene != run.scene {
            return other("scene", &own.scene, &run.scene, "use another --out, or start anew without --resume");
        }
        if own.scene_hash != run.scene_hash || self.state.x.len() != vertices {
            let [found, expected] = [own, run].map(|i| format!("{} ({:016x})", i.scene, i.scene_hash));
            let help = "the scene or its settings have changed: undo that, or start anew without --resume";
            return other("scene", &found, &expected, help);
        }
        Ok(())
    }

    fn body(&self) -> Vec<u8> {
        let mut to = Writer::default();
        let Identity { scene_hash, scene, method, device, precision, version } = &self.identity;
        to.word(*scene_hash);
        for text in [scene, method, device, precision, version] {
            to.text(text);
        }
        to.word(u64::from(self.rho.is_some()));
        to.number(self.rho.unwrap_or(0.0));
        to.number(self.state.time);
        to.word(self.state.step);
        for points in [&self.state.x, &self.state.v, &self.state.v_before] {
            to.word(points.len() as u64);
            points.iter().flatten().for_each(|c| to.number(*c));
        }
        to.word(self.state.pinched.len() as u64);
        for Pinched { drag, vertex, anchor } in &self.state.pinched {
            [*drag, *vertex].iter().for_each(|index| to.word(u64::from(*index)));
            anchor.iter().for_each(|c| to.number(*c));
        }
        to.word(self.state.converted.len() as u64);
        self.state.converted.iter().for_each(|share| to.number(*share));
        to.word(self.state.wound.into());
        to.number(self.state.step_length);
        for sides in &self.sides {
            to.word(sides.len() as u64);
            for Side { owner, other, part: [first, second], direction } in sides {
                [*owner, *other, *first, *second].iter().for_each(|index| to.word(u64::from(*index)));
                direction.iter().for_each(|c| to.number(*c));
            }
        }
        let tally = &self.tally;
        for count in
            [tally.iterations, tally.restarts, tally.retries, tally.stalled, tally.over_budget, tally.untouched]
        {
            to.word(count);
        }
        to.number(tally.unbalanced);
        to.word(tally.ms.len() as u64);
        tally.ms.iter().for_each(|ms| to.bytes.extend_from_slice(&ms.to_le_bytes()));
        to.word(u64::from(tally.certificate.is_some()));
        to.certificate(&tally.certificate.unwrap_or_default());
        to.bytes
    }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn number(&mut self, number: f64) {
        self.word(number.to_bits());
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn certificate(&mut self, c: &Certificate) {
        let Certificate { energy, start_energy, gradient_norm, unbalanced, .. } = *c;
        let Certificate { max_stretch, mean_stretch, min_gap, inverted, .. } = *c;
        for number in [energy, start_energy, gradient_norm, unbalanced, max_stretch, mean_stretch, min_gap] {
            self.number(number);
        }
        self.word(inverted as u64);
    }
}

/// Reads what `Writer` wrote; `None` where the bytes end too soon or say more than there is.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn number(&mut self) -> Option<f64> {
        self.word().map(f64::from_bits)
    }

    /// A count of things of `size` bytes, as many as can be there at most.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.word()?).ok()?;
        (count.checked_mul(size)? <= self.bytes.len()).then_some(count)
    }

    fn text(&mut self) -> Option<String> {
        let count = self.count(1)?;
        String::from_utf8(self.take(count)?.to_vec()).ok()
    }

    fn points(&mut self) -> Option<Vec<[f64; 3]>> {
        let count = self.count(24)?;
        (0..count).map(|_| Some([self.number()?, self.number()?, self.number()?])).collect()
    }

    fn numbers(&mut self) -> Option<Vec<f64>> {
        let count = self.count(8)?;
        (0..count).map(|_| self.number()).collect()
    }

    fn sides(&mut self) -> Option<Vec<Side>> {
        let count = self.count(56)?;
        let index = |reader: &mut Self| u32::try_from(reader.word()?).ok();
        let side = |reader: &mut Self| {
            Some(Side {
                owner: index(reader)?,
                other: index(reader)?,
                part: [index(reader)?, index(reader)?],
                direction: [reader.number()?, reader.number()?, reader.number()?],
            })
        };
        (0..count).map(|_| side(self)).collect()
    }

    fn certificate(&mut self) -> Option<Certificate> {
        Some(Certificate {
            energy: self.number()?,
            start_energy: self.number()?,
            gradient_norm: self.number()?,
            unbalanced: self.number()?,
            max_stretch: self.number()?,
            mean_stretch: self.number()?,
            min_gap: self.number()?,
            inverted: usize::try_from(self.word()?).ok()?,
        })
    }

    fn pinched(&mut self) -> Option<Vec<Pinched>> {
        let count = self.count(40)?;
        let index = |word: u64| u32::try_from(word).ok();
        let one = |_| {
            let (drag, vertex) = (index(self.word()?)?, index(self.word()?)?);
            Some(Pinched { drag, vertex, anchor: [self.number()?, self.number()?, self.number()?] })
        };
        (0..count).map(one).collect()
    }

    fn tally(&mut self) -> Option<Tally> {
        let mut tally = Tally {
            iterations: self.word()?,
            restarts: self.word()?,
            retries: self.word()?,
            stalled: self.word()?,
            over_budget: self.word()?,
            untouched: self.word()?,
            unbalanced: self.number()?,
            ..Tally::default()
        };
        let count = self.count(4)?;
        tally.ms =
            self.take(4 * count)?.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let measured = self.word()? == 1;
        tally.certificate = Some(self.certificate()?).filter(|_| measured);
        Some(tally)
    }

    fn checkpoint(mut self) -> Option<Checkpoint> {
        let identity = Identity {
            scene_hash: self.word()?,
            scene: self.text()?,
            method: self.text()?,
            device: self.text()?,
            precision: self.text()?,
            version: self.text()?,
        };
        let accelerated = self.word()? == 1;
        let rho = Some(self.number()?).filter(|_| accelerated);
        let (time, step) = (self.number()?, self.word()?);
        let (x, v, v_before) = (self.points()?, self.points()?, self.points()?);
        let (pinched, converted) = (self.pinched()?, self.numbers()?);
        let (wound, step_length) = (u32::try_from(self.word()?).ok()?, self.number()?);
        let state = State { x, v, time, step, pinched, v_before, converted, wound, step_length };
        let sides = [self.sides()?, self.sides()?];
        let tally = self.tally()?;
        let fits = |other: &[[f64; 3]]| other.len() == state.x.len();
        let whole = self.bytes.is_empty() && fits(&state.v) && (state.v_before.is_empty() || fits(&state.v_before));
        whole.then_some(Checkpoint { identity, rho, state, sides, tally })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let text = |t: &str| t.to_string();
        Checkpoint {
            identity: Identity {
                scene_hash: 0x1234_5678_9abc_def0,
                scene: text("tablecloth"),
                method: text("pd-jacobi-chebyshev"),
                device: text("cpu"),
                precision: text("f32"),
                version: text("0.1.0"),
            },
            rho: Some(0.999_7),
            state: State {
                x: vec![[1.0, -0.0, f64::MIN_POSITIVE], [0.1, 0.2, 0.3]],
                v: vec![[3.0, 4.0, 5.0], [-1e300, 0.0, 1.0]],
                time: 0.1 + 0.2,
                step: 9,
                pinched: vec![Pinched { drag: 1, vertex: 7, anchor: [0.1, 0.2, 0.3] }],
                v_before: vec![[0.1, 0.0, 0.0], [0.0, 0.2, 0.0]],
                converted: vec![0.0, 0.35],
                wound: 12,
                step_length: 0.343,
            },
            sides: [
                vec![Side { owner: 1, other: 7, part: [3, u32::MAX], direction: [0.1, -0.2, 0.3] }],
                vec![Side::default(); 2],
            ],
            tally: Tally {
                iterations: 1800,
                untouched: 7,
                unbalanced: 0.3,
                ms: vec![1.5, 2.5],
                certificate: Some(Certificate { energy: 2.0, min_gap: f64::INFINITY, ..Certificate::default() }),
                ..Tally::default()
            },
        }
    }

    #[test]
    fn a_checkpoint_reads_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        assert!(Checkpoint::load(&path).unwrap().is_none());
        for rho in [Some(0.5), None] {
            let saved = Checkpoint { rho, ..checkpoint() };
            saved.save(&path).unwrap();
            let loaded = Checkpoint::load(&path).unwrap().unwrap();
            assert_eq!(loaded, saved);
            assert_eq!(loaded.state.x[0][1].to_bits(), (-0.0f64).to_bits());
        }
    }

    #[test]
    fn a_cut_or_changed_checkpoint_is_refused_wherever_it_was_hit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        checkpoint().save(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            std::fs::write(&path, &bytes[..at]).unwrap();
            assert!(matches!(Checkpoint::load(&path), Err(CheckpointError::Damaged { .. })), "cut at {at}");
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            std::fs::write(&path, &changed).unwrap();
            assert!(matches!(Checkpoint::load(&path), Err(CheckpointError::Damaged { .. })), "changed at {at}");
        }
    }

    #[test]
    fn a_checkpoint_of_another_run_is_refused_and_the_message_names_what_differs() {
        let path = Path::new("out/checkpoint");
        let mine = checkpoint();
        assert!(mine.check(path, &mine.identity, 2).is_ok());
        let newer = Identity { version: "9.0".to_string(), ..mine.identity.clone() };
        assert!(mine.check(path, &newer, 2).is_ok());
        let elsewhere = Identity { device: "gpu".to_string(), ..mine.identity.clone() };
        assert!(mine.check(path, &elsewhere, 2).is_ok());
        let cases = [
            (Identity { method: "newton".to_string(), ..mine.identity.clone() }, "newton"),
            (Identity { precision: "f64".to_string(), ..mine.identity.clone() }, "f64"),
            (Identity { scene: "flag".to_string(), ..mine.identity.clone() }, "flag"),
            (Identity { scene_hash: 1, ..mine.identity.clone() }, "settings have changed"),
        ];
        for (identity, named) in cases {
            let message = mine.check(path, &identity, 2).unwrap_err().to_string();
            assert!(message.contains(named) && message.contains("--resume"), "{message}");
        }
        assert!(mine.check(path, &mine.identity, 3).is_err());
    }
}
