//! Damaged files: whatever the bytes, reading returns soon, without a panic, and with memory in proportion to the
//! input. `PLIANT_FUZZ` is the number of inputs.

mod encode;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pliant::math::SplitMix;
use pliant::mesh::{self, Format, Mesh, MeshError, TetgenPart};

/// Remembers the largest single allocation, so that a trusted count shows even when the memory is never touched.
struct Watching;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

fn range(random: &mut SplitMix, bytes: &[u8]) -> std::ops::Range<usize> {
    let start = random.below(bytes.len() + 1);
    let length = 1 + random.below(24);
    start..(start + length).min(bytes.len())
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "4",
    "5",
    "7",
    "8",
    "10",
    "12",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "4000000000",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1e-400",
    "1e308",
    "-0",
    "0.5",
    "1,5",
    "0x10",
    "",
];
const WORDS: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    " ",
    "\\\n",
    "#",
    "/",
    "//",
    "\0",
    "v 1 2 3\n",
    "f 1 2 3\n",
    "list uchar uchar",
    "element face 9",
    "property list uchar int x",
    "$Nodes\n",
    "$EndNodes\n",
    "$Elements\n",
    "OFFSETS vtktypeint64\n",
    "CELLS 1 4\n",
    "METADATA\n",
    "FIELD f 1\n",
    "LINES 1 3\n",
    "vertex 1 2 3\n",
    "endloop\n",
    "solid\n",
    "char",
    "double",
    "BINARY",
    "ASCII",
    "2.2",
    "4.1",
    "5.1",
];
const BINARY_NUMBERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    4,
    15,
    127,
    128,
    255,
    256,
    65535,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    i64::MAX,
    i64::MIN,
];

/// Damages `bytes` once.
fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut SplitMix) {
    let at = random.below(bytes.len() + 1);
    match random.below(11) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.bits() as u8,
        2 => bytes.truncate(at),
        3 => {
            let range = range(random, bytes);
            bytes.drain(range);
        }
        4 => {
            let copy = bytes[range(random, bytes)].to_vec();
            bytes.splice(at..at, copy);
        }
        5 => {
            // The rest of another file, from anywhere.
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        6 | 7 => replace_number(bytes, at, NUMBERS[random.below(NUMBERS.len())]),
        8 => {
            let word = WORDS[random.below(WORDS.len())];
            bytes.splice(at..at, word.bytes());
        }
        9 => {
            let value = BINARY_NUMBERS[random.below(BINARY_NUMBERS.len())];
            let value = if random.below(2) == 0 { value.to_le_bytes() } else { value.to_be_bytes() };
            let part = match random.below(3) {
                0 => &value[..],
                1 => &value[..4],
                _ => &value[4..],
            };
            part.iter().enumerate().for_each(|(i, b)| {
                if let Some(byte) = bytes.get_mut(at + i) {
                    *byte = *b;
                }
            });
        }
        _ => {
            let (i, j) = (random.below(bytes.len()), random.below(bytes.len()));
            if !bytes.is_empty() {
                bytes.swap(i, j);
            }
        }
    }
}

/// Puts `text` in place of the number at or behind `at`.
fn replace_number(bytes: &mut Vec<u8>, at: usize, text: &str) {
    let is_number = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-');
    let Some(start) = bytes[at..].iter().position(is_number).map(|offset| at + offset) else { return };
    let end = bytes[start..].iter().position(|b| !is_number(b)).map_or(bytes.len(), |offset| start + offset);
    bytes.splice(start..end, text.bytes());
}

/// Something to read, of one file or (TetGen) several.
#[derive(Clone)]
struct Input {
    variant: &'static str,
    format: Format,
    parts: Vec<Vec<u8>>,
}

impl Input {
    fn parse(&self) -> Result<Mesh, MeshError> {
        if self.format != Format::Tetgen {
            return mesh::parse(&self.parts[0], self.format, "fuzz");
        }
        let part = |i: usize| TetgenPart { bytes: &self.parts[i], name: "fuzz" };
        mesh::parse_tetgen(part(0), Some(part(1)), Some(part(2)))
    }

    fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }
}

fn seeds() -> Vec<Input> {
    let mesh = Mesh {
        points: vec![[0.0; 3], [1.5, 0.0, 0.0], [0.0, 1.25, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]],
        triangles: vec![[0, 2, 1], [1, 2, 4]],
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
    };
    let single =
        |sample: encode::Sample| Input { variant: sample.variant, format: sample.format, parts: vec![sample.bytes] };
    let mut seeds: Vec<Input> = encode::all(&mesh).into_iter().map(|(sample, _)| single(sample)).collect();
    seeds.extend(encode::stl(&mesh).map(single));
    let polygons = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 1.5 0\nf 1 2 3 4\nf -5 -4 -3 -1 -2\n".to_vec();
    seeds.push(Input { variant: "obj polygons", format: Format::Obj, parts: vec![polygons] });
    let bytes = b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty char x\nproperty char y\nproperty \
        char z\nelement face 1\nproperty list uchar uchar vertex_indices\nend_header\n\0\0\0\x01\0\0\0\x01\0\0\0\x01\
        \x04\0\x01\x02\x03";
    seeds.push(Input { variant: "ply of bytes", format: Format::Ply, parts: vec![bytes.to_vec()] });
    let mut bytes = Vec::new();
    mesh::write_vtu(&mesh, &[], &mut bytes).unwrap();
    seeds.push(Input { variant: "vtu", format: Format::Vtu, parts: vec![bytes] });
    for first in [0, 1] {
        seeds.push(Input { variant: "tetgen", format: Format::Tetgen, parts: encode::tetgen(&mesh, first).to_vec() });
    }
    seeds
}

/// Reads the input and checks what must hold; returns whether it was accepted.
fn judge(input: &Input) -> bool {
    LARGEST.store(0, Ordering::Relaxed);
    let start = Instant::now();
    let result = input.parse();
    let (elapsed, largest) = (start.elapsed(), LARGEST.load(Ordering::Relaxed));
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    assert!(largest <= 32 * input.len() + 4096, "{largest} bytes at once for {} of input", input.len());
    let mesh = match result {
        Ok(mesh) => mesh,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("fuzz: ") && message.contains("expected") && message.len() < 400, "{message}");
            return false;
        }
    };
    let size = 24 * mesh.points.len() + 12 * mesh.triangles.len() + 16 * mesh.tets.len();
    assert!(size <= 16 * input.len(), "{size} bytes of mesh from {}", input.len());
    let report = mesh::check(&mesh);
    let kinds = report.kinds();
    assert!(!kinds.contains(&mesh::Kind::IndexOutOfRange) && !kinds.contains(&mesh::Kind::NonFiniteCoordinate));
    let _ = (mesh::info(&mesh).to_string(), report.to_string());
    true
}

#[test]
fn damaged_files_are_refused_or_read_but_never_crash() {
    let total: usize = std::env::var("PLIANT_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(200_000);
    let seeds = seeds();
    seeds.iter().for_each(|seed| assert!(judge(seed), "the undamaged {} must be read", seed.variant));
    let mut accepted = 0;
    let start = Instant::now();
    for case in 0..total {
        let mut random = SplitMix(case as u64);
        let mut input = seeds[case % seeds.len()].clone();
        for _ in 0..1 + random.below(4) {
            let other = &seeds[random.below(seeds.len())];
            let part = random.below(input.parts.len());
            let other = &other.parts[random.below(other.parts.len())];
            damage(&mut input.parts[part], other, &mut random);
        }
        match std::panic::catch_unwind(|| judge(&input)) {
            Ok(was_accepted) => accepted += usize::from(was_accepted),
            Err(_) => {
                let parts: Vec<String> = input.parts.iter().map(|part| part.escape_ascii().to_string()).collect();
                panic!("case {case}, {}: {}", input.variant, parts.join("\n-- next file --\n"));
            }
        }
    }
    println!("{total} inputs, {accepted} accepted, {:?}", start.elapsed());
    assert!(total < 1000 || (accepted > total / 50 && accepted < total), "the damage is too strong or too weak");
}
