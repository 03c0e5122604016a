//! Gmsh `.msh`, versions 2.2 and 4.1, text and binary. Layout: Gmsh reference manual, "MSH file format".

use std::collections::HashMap;
use std::io::{self, Write};

use super::Mesh;
use super::error::MeshError;
use super::io_cursor::{BAD_INDEX, CUT_OFF, Cursor, EXPORT_AGAIN, Endian, Scalar, push_fan, quote, words};

const SAVE_AGAIN: &str = "save it again as version 2.2 or 4.1 (gmsh FILE -save -format msh41)";

#[derive(Clone, Copy, PartialEq)]
enum Version {
    V22,
    V41,
}

/// Reads a Gmsh file.
pub(super) fn parse(bytes: &[u8], name: &str) -> Result<Mesh, MeshError> {
    let mut cursor = Cursor::new(bytes, name);
    let (version, endian) = parse_format(&mut cursor)?;
    let mut reader = Reader { cursor, endian, mesh: Mesh::default(), numbers: HashMap::new() };
    let mut has_elements = false;
    while let Some(section) = reader.cursor.next_word() {
        match (section, version) {
            (b"$Nodes", Version::V22) => reader.nodes_22()?,
            (b"$Nodes", Version::V41) => reader.nodes_41()?,
            (b"$Elements", _) => {
                match version {
                    Version::V22 => reader.elements_22()?,
                    Version::V41 => reader.elements_41()?,
                }
                has_elements = true;
            }
            (section, _) if is_section(section) => {
                let end = [b"$End", &section[1..]].concat();
                reader.cursor.skip_past(&end)?;
            }
            (word, _) => return Err(reader.cursor.error(quote(word), "a section such as `$Nodes`", EXPORT_AGAIN)),
        }
    }
    if !has_elements {
        return Err(reader.cursor.error("the end of the file", "`$Elements`", CUT_OFF));
    }
    Ok(reader.mesh)
}

/// Names are short words; anything longer is no section, and would make the search for its end slow.
fn is_section(word: &[u8]) -> bool {
    word.len() <= 64 && word.starts_with(b"$") && word[1..].iter().all(u8::is_ascii_alphanumeric)
}

/// Reads `$MeshFormat`; a byte order means that the rest is binary.
fn parse_format(cursor: &mut Cursor) -> Result<(Version, Option<Endian>), MeshError> {
    let first = cursor.word("`$MeshFormat`")?;
    if first != b"$MeshFormat" {
        return Err(cursor.error(quote(first), "`$MeshFormat`", "the file is no Gmsh file: check its name"));
    }
    let version = match cursor.word("the version")? {
        b"2.2" | b"2" | b"2.1" | b"2.0" => Version::V22,
        b"4.1" => Version::V41,
        other => return Err(cursor.error(format!("version {}", quote(other)), "2.2 or 4.1", SAVE_AGAIN)),
    };
    let binary = match cursor.integer("0 for text or 1 for binary")? {
        0 => false,
        1 => true,
        other => return Err(cursor.error(format!("file type {other}"), "0 (text) or 1 (binary)", SAVE_AGAIN)),
    };
    let size = cursor.integer("the size of a number")?;
    if binary && size != 8 {
        return Err(cursor.error(format!("numbers of {size} bytes"), "8", SAVE_AGAIN));
    }
    let mut endian = None;
    if binary {
        cursor.next_line();
        let one = cursor.take(4, "the number 1")?;
        endian = Some(match one {
            [1, 0, 0, 0] => Endian::Little,
            [0, 0, 0, 1] => Endian::Big,
            other => {
                let advice = "the header says binary but the rest is perhaps text: put 0 behind the version";
                return Err(cursor.error(quote(other), "the binary number 1, which shows the byte order", advice));
            }
        });
    }
    expect(cursor, b"$EndMeshFormat")?;
    Ok((version, endian))
}

fn expect(cursor: &mut Cursor, wanted: &[u8]) -> Result<(), MeshError> {
    let wanted_text = String::from_utf8_lossy(wanted).into_owned();
    let word = cursor.word(&wanted_text)?;
    if word == wanted {
        return Ok(());
    }
    Err(cursor.error(
        quote(word),
        format!("`{wanted_text}`"),
        "a count is wrong or lines are missing: export the mesh again",
    ))
}

/// What an element type means to us.
enum Kind {
    Skip(usize),
    Polygon(usize),
    Tet,
}

/// Element types of the manual, with their numbers of nodes.
fn kind_of(cursor: &Cursor, element_type: i64) -> Result<Kind, MeshError> {
    let (name, advice) = match element_type {
        15 => return Ok(Kind::Skip(1)),
        1 => return Ok(Kind::Skip(2)),
        8 => return Ok(Kind::Skip(3)),
        2 => return Ok(Kind::Polygon(3)),
        3 => return Ok(Kind::Polygon(4)),
        4 => return Ok(Kind::Tet),
        5 => ("hexahedra", "mesh the volume with tetrahedra"),
        6 | 7 => ("prisms or pyramids", "mesh the volume with tetrahedra"),
        9 | 10 | 11 | 16 => ("curved elements", "save with straight ones (gmsh FILE -order 1 -save)"),
        _ => ("elements of an unknown kind", "save with triangles and tetrahedra only"),
    };
    let expected = "points (15), lines (1), triangles (2), quads (3) or tetrahedra (4)";
    Err(cursor.error(format!("element type {element_type} ({name})"), expected, advice))
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    endian: Option<Endian>,
    mesh: Mesh,
    /// Node tag → index; looked up only, never walked.
    numbers: HashMap<i64, u32>,
}

impl Reader<'_> {
    fn int(&mut self, what: &str) -> Result<i64, MeshError> {
        match self.endian {
            None => self.cursor.integer(what),
            Some(endian) => self.cursor.binary_integer(Scalar::I32, endian, what),
        }
    }

    /// A tag or count of version 4.1, which stores them as `size_t`.
    fn size(&mut self, what: &str) -> Result<i64, MeshError> {
        match self.endian {
            None => self.cursor.integer(what),
            Some(endian) => self.cursor.binary_integer(Scalar::U64, endian, what),
        }
    }

    fn coordinate(&mut self) -> Result<f64, MeshError> {
        match self.endian {
            None => self.cursor.real("a coordinate"),
            Some(endian) => self.cursor.binary_real(Scalar::F64, endian, "a coordinate"),
        }
    }

    /// Bytes that a record of `numbers` words takes at least, or exactly `binary` bytes.
    fn bytes_each(&self, numbers: usize, binary: usize) -> usize {
        if self.endian.is_some() { binary } else { 2 * numbers }
    }

    /// The count line of version 2.2, which is text in binary files too.
    fn count_22(&mut self, what: &str, bytes_each: usize) -> Result<usize, MeshError> {
        let count = self.cursor.count(what, bytes_each)?;
        if self.endian.is_some() {
            self.cursor.next_line();
        }
        Ok(count)
    }

    fn count_41(&mut self, what: &str, bytes_each: usize) -> Result<usize, MeshError> {
        let count = self.size(what)?;
        self.cursor.check_count(count, what, bytes_each)
    }

    fn start_41(&mut self) {
        if self.endian.is_some() {
            self.cursor.next_line();
        }
    }

    fn number_node(&mut self, tag: i64) -> Result<(), MeshError> {
        let next = self.numbers.len();
        let full = || self.cursor.error("too many nodes", "at most 4294967295", "split the mesh");
        let index = u32::try_from(next).map_err(|_| full())?;
        if self.numbers.insert(tag, index).is_some() {
            return Err(self.cursor.error(format!("node tag {tag} again"), "each tag once", EXPORT_AGAIN));
        }
        Ok(())
    }

    fn push_point(&mut self) -> Result<(), MeshError> {
        let point = [self.coordinate()?, self.coordinate()?, self.coordinate()?];
        self.mesh.points.push(point);
        Ok(())
    }

    fn nodes_22(&mut self) -> Result<(), MeshError> {
        let count = self.count_22("the number of nodes", self.bytes_each(4, 28))?;
        for _ in 0..count {
            let tag = self.int("a node tag")?;
            self.number_node(tag)?;
            self.push_point()?;
        }
        expect(&mut self.cursor, b"$EndNodes")
    }

    fn nodes_41(&mut self) -> Result<(), MeshError> {
        self.start_41();
        let blocks = self.count_41("the number of node blocks", self.bytes_each(4, 20))?;
        for _ in 0..3 {
            self.size("the number and range of nodes")?;
        }
        for _ in 0..blocks {
            let dimension = self.int("the dimension of an entity")?;
            self.int("the tag of an entity")?;
            let parametric = self.int("0 or 1 for parametric nodes")?;
            let extra = match (dimension, parametric) {
                (0..=3, 0) => 0,
                (0..=3, 1) => dimension,
                _ => {
                    let found = format!("dimension {dimension} and parametric {parametric}");
                    return Err(self.cursor.error(found, "dimension 0 to 3 and parametric 0 or 1", EXPORT_AGAIN));
                }
            };
            let count = self.count_41("the number of nodes in a block", self.bytes_each(4, 32))?;
            for _ in 0..count {
                let tag = self.size("a node tag")?;
                self.number_node(tag)?;
            }
            for _ in 0..count {
                self.push_point()?;
                for _ in 0..extra {
                    self.coordinate()?;
                }
            }
        }
        expect(&mut self.cursor, b"$EndNodes")
    }

    fn node(&self, tag: i64) -> Result<u32, MeshError> {
        let missing = || {
            let expected = format!("the tag of one of the {} nodes read", self.mesh.points.len());
            self.cursor.error(format!("vertex index {tag}"), expected, BAD_INDEX)
        };
        self.numbers.get(&tag).copied().ok_or_else(missing)
    }

    /// Stores an element whose node tags are `tags`.
    fn push_element(&mut self, kind: &Kind, tags: &[i64]) -> Result<(), MeshError> {
        match (kind, tags) {
            (Kind::Tet, &[a, b, c, d]) => {
                let tet = [self.node(a)?, self.node(b)?, self.node(c)?, self.node(d)?];
                self.mesh.tets.push(tet);
            }
            (Kind::Polygon(_), tags) => {
                let mut corners = [0; 4];
                for (corner, &tag) in corners.iter_mut().zip(tags) {
                    *corner = self.node(tag)?;
                }
                push_fan(&corners[..tags.len().min(4)], &mut self.mesh.triangles);
            }
            _ => {}
        }
        Ok(())
    }

    fn elements_22(&mut self) -> Result<(), MeshError> {
        if let Some(endian) = self.endian {
            return self.elements_22_binary(endian);
        }
        let count = self.count_22("the number of elements", 6)?;
        self.cursor.next_line();
        for _ in 0..count {
            let line = self.cursor.next_data_line(b'\0');
            let line = line.ok_or_else(|| self.cursor.error("the end of the file", "an element", CUT_OFF))?;
            let mut words = words(line);
            let mut next = |what| match words.next() {
                Some(word) => self.cursor.parse_integer(word, what),
                None => Err(self.cursor.error("the end of the line", what, CUT_OFF)),
            };
            next("an element tag")?;
            let kind = kind_of(&self.cursor, next("an element type")?)?;
            let tags = next("the number of tags")?;
            if !(0..=line.len() as i64).contains(&tags) {
                return Err(self.cursor.error(
                    format!("{tags} tags"),
                    "as many as there are on the line",
                    EXPORT_AGAIN,
                ));
            }
            for _ in 0..tags {
                next("a tag")?;
            }
            let mut corners = [0; 4];
            let n = nodes_of(&kind);
            for corner in &mut corners[..n] {
                *corner = next("a vertex index")?;
            }
            self.push_element(&kind, &corners[..n])?;
        }
        expect(&mut self.cursor, b"$EndElements")
    }

    fn elements_22_binary(&mut self, endian: Endian) -> Result<(), MeshError> {
        let count = self.count_22("the number of elements", 8)?;
        let mut done = 0;
        while done < count {
            let element_type = self.int("an element type")?;
            let kind = kind_of(&self.cursor, element_type)?;
            let n = nodes_of(&kind);
            let block = self.int("the number of elements in a block")?;
            let tags = self.int("the number of tags")?;
            let tags = self.cursor.check_count(tags, "the number of tags", 4)?;
            let block = self.cursor.check_count(block, "the number of elements in a block", 4 * (1 + tags + n))?;
            if block == 0 || block > count - done {
                let found = format!("a block of {block} elements");
                return Err(self.cursor.error(found, format!("1 to {}", count - done), EXPORT_AGAIN));
            }
            for _ in 0..block {
                self.cursor.take(4 * (1 + tags), "an element tag")?;
                let mut corners = [0; 4];
                for corner in &mut corners[..n] {
                    *corner = self.cursor.binary_integer(Scalar::I32, endian, "a vertex index")?;
                }
                self.push_element(&kind, &corners[..n])?;
            }
            done += block;
        }
        expect(&mut self.cursor, b"$EndElements")
    }

    fn elements_41(&mut self) -> Result<(), MeshError> {
        self.start_41();
        let blocks = self.count_41("the number of element blocks", self.bytes_each(4, 20))?;
        for _ in 0..3 {
            self.size("the number and range of elements")?;
        }
        for _ in 0..blocks {
            self.int("the dimension of an entity")?;
            self.int("the tag of an entity")?;
            let element_type = self.int("an element type")?;
            let kind = kind_of(&self.cursor, element_type)?;
            let n = nodes_of(&kind);
            let each = self.bytes_each(1 + n, 8 * (1 + n));
            let count = self.count_41("the number of elements in a block", each)?;
            for _ in 0..count {
                self.size("an element tag")?;
                let mut corners = [0; 4];
                for corner in &mut corners[..n] {
                    *corner = self.size("a vertex index")?;
                }
                self.push_element(&kind, &corners[..n])?;
            }
        }
        expect(&mut self.cursor, b"$EndElements")
    }
}

fn nodes_of(kind: &Kind) -> usize {
    match *kind {
        Kind::Skip(n) | Kind::Polygon(n) => n,
        Kind::Tet => 4,
    }
}

/// Writes points, triangles and tetrahedra as Gmsh 2.2 text.
pub fn write_gmsh(mesh: &Mesh, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    write!(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.points.len())?;
    for (i, [x, y, z]) in mesh.points.iter().enumerate() {
        writeln!(out, "{} {x:?} {y:?} {z:?}", i + 1)?;
    }
    write!(out, "$EndNodes\n$Elements\n{}\n", mesh.triangles.len() + mesh.tets.len())?;
    let triangles = mesh.triangles.iter().map(|corners| (2, corners.as_slice()));
    let tets = mesh.tets.iter().map(|corners| (4, corners.as_slice()));
    for (i, (element_type, corners)) in triangles.chain(tets).enumerate() {
        write!(out, "{} {element_type} 2 1 1", i + 1)?;
        for &corner in corners {
            write!(out, " {}", u64::from(corner) + 1)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "$EndElements")
}
