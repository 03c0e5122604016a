//! The search for contacts between bodies, as [`pliant::contact::close::CloseContacts`] does it, and what it remembers from
//! step to step. Each kernel has a twin there; see `close_place.wgsl`, `close_search.wgsl` and `close_finish.wgsl`.
//!
//! ```text
//!  which way surfaces face → boxes counted by cells → scan → boxes into cells → vertices and edges look → scan
//!      → (the host reads how many there are) → contacts in a row
//! ```

use crate::buffer::Buffer;
use crate::context::Context;
use crate::error::GpuError;
use crate::kernel::{Access, Kernel, SMALL_GROUP};
use crate::library::Library;
use crate::order::Order;
use crate::recorder::Recorder;
use crate::scan::Scan;
use bytemuck::{Pod, Zeroable};
use pliant::contact::close::{CloseLimits, CloseSurface, PAIRS_WGSL, Side, Since, TOUCH_WGSL, TURNED_WGSL};
use pliant::device::RECOVERED;
use pliant::math::CLOSEST_WGSL;
use pliant::model::Model;
use std::sync::Arc;

/// Numbers in `extents` of close_place.wgsl.
const EXTENTS: u64 = 1 + 2 * 32;
/// Bytes of a box, and of a row of close_sides.wgsl.
const BOX: u64 = 32;
const ROW: u64 = 32;
/// HEM and SOLID of pairs.wgsl.
const HEM: u32 = 1;
const SOLID: u32 = 2;

/// `Parameters` of close_surface.wgsl.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct SearchParameters {
    n: u32,
    vertices: u32,
    owners: u32,
    triangles: u32,
    edges: u32,
    owners_at: u32,
    triangle_cells: u32,
    edge_cells: u32,
    reach: f32,
    deepest: f32,
    largest_half: f32,
    usual_extent: f32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SidesParameters {
    n: u32,
}

/// `SurfaceVertex` of pairs.wgsl.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct PackedVertex {
    rest: [f32; 3],
    half: f32,
    body: u32,
    flags: u32,
    first: u32,
    end: u32,
}

/// What never changes, with vertices by their places on the device.
#[derive(Debug)]
struct Surface {
    triangles: Buffer,
    edges: Buffer,
    vertices: Buffer,
    around: Buffer,
}

#[derive(Debug)]
struct SearchKernels {
    measure_vertices: Arc<Kernel>,
    measure_edges: Arc<Kernel>,
    count: Arc<Kernel>,
    scatter: Arc<Kernel>,
    /// Of vertices, and of edges.
    search: [Arc<Kernel>; 2],
    finish: Arc<Kernel>,
    gather: Arc<Kernel>,
    scan: Scan,
}

/// What a search kept; see close_search.wgsl.
#[derive(Debug)]
struct Lists {
    slots: Buffer,
    counts: Buffer,
    normals: Buffer,
}

/// The search over one model, whatever the size of steps.
#[derive(Debug)]
pub(crate) struct CloseSearch {
    model: Arc<Model>,
    order: Arc<Order>,
    parameters: SearchParameters,
    surface: Surface,
    kernels: SearchKernels,
    facings: Buffer,
    extents: Buffer,
    cells: Buffer,
    places: Buffer,
    sorted: Buffer,
    ends: Buffer,
    /// Of the last search, of the step before it, and of the piece before it.
    now: Lists,
    step: Lists,
    piece: Option<Lists>,
    /// How many contacts the last search found.
    count: u32,
}

fn slots() -> u32 {
    CloseLimits::default().per_vertex as u32
}

/// The texts of the kernels with their names: first half, vertices, edges, end, sides.
pub(crate) fn texts() -> [(&'static str, String); 5] {
    let constants = format!("const SLOTS: u32 = {}u;\nconst RECOVERED: f32 = {RECOVERED:e};\n", slots());
    let surface = include_str!("kernels/close_surface.wgsl");
    let pairs = [&constants, pliant::math::WGSL, CLOSEST_WGSL, PAIRS_WGSL, surface].join("\n");
    let search =
        |edges: bool| format!("const EDGES: bool = {edges};\n{pairs}\n{}", include_str!("kernels/close_search.wgsl"));
    // Contacts know friction, and that of colliders has grids.
    let head = "const GRIDS: bool = false;\n@group(0) @binding(15) var<storage, read> colliders: array<vec4<f32>>;\n";
    let finish = include_str!("kernels/close_finish.wgsl");
    [
        ("close place", format!("{pairs}\n{}", include_str!("kernels/close_place.wgsl"))),
        ("close vertices", search(false)),
        ("close edges", search(true)),
        ("close finish", [head, &pairs, pliant::contact::WGSL, TOUCH_WGSL, TURNED_WGSL, finish].join("\n")),
        ("close sides", format!("{constants}\n{}", include_str!("kernels/close_sides.wgsl"))),
    ]
}

impl SearchKernels {
    fn new(context: &Context, library: &mut Library, most: u32) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let [place, vertices, edges, finish, sides] = texts();
        let placing = [&[Read; 6][..], &[Write; 5]].concat();
        let searching = [&[Read; 11][..], &[Write; 3]].concat();
        let finishing = [&[Read; 9][..], &[Write], &[Read; 3], &[Write], &[Read]].concat();
        let mut placed = |entry: &str| library.kernel::<SearchParameters>(place.0, &place.1, entry, &placing);
        let (measure_vertices, measure_edges) = (placed("measure_vertices")?, placed("measure_edges")?);
        let (count, scatter) = (placed("count")?, placed("scatter")?);
        let mut search = |(name, text): (&str, String)| {
            // Some look at much more than others: small workgroups wait less for them.
            library.kernel_of::<SearchParameters>(SMALL_GROUP, name, &text, "search", &searching)
        };
        let search = [search(vertices)?, search(edges)?];
        Ok(Self {
            measure_vertices,
            measure_edges,
            count,
            scatter,
            search,
            finish: library.kernel::<SearchParameters>(finish.0, &finish.1, "finish", &finishing)?,
            gather: library.kernel::<SidesParameters>(sides.0, &sides.1, "gather", &[Read, Read, Read, Write])?,
            scan: Scan::new(context, library, most)?,
        })
    }
}

impl Surface {
    fn new(context: &Context, surface: &CloseSurface, order: &Order) -> Result<Self, GpuError> {
        let place = |i: u32| order.place[i as usize];
        let triangles: Vec<[u32; 4]> =
            surface.triangles().iter().map(|&[a, b, c]| [place(a), place(b), place(c), 0]).collect();
        let edges = surface.edges().iter().zip(surface.sides());
        let edges: Vec<[u32; 4]> = edges.map(|(&[i, j], &[s, t])| [place(i), place(j), s, t]).collect();
        let (mut vertices, mut around) = (Vec::with_capacity(order.vertex.len()), Vec::new());
        for &i in &order.vertex {
            let own = surface.vertex(i as usize);
            let first = around.len() as u32;
            around.extend(own.corners.iter().map(|corner| corner / 3));
            vertices.push(PackedVertex {
                rest: own.rest_x.map(|c| c as f32),
                half: own.half as f32,
                body: own.body,
                flags: if own.is_at_hem { HEM } else { 0 } | if own.is_solid { SOLID } else { 0 },
                first,
                end: around.len() as u32,
            });
        }
        around.extend(surface.owners().iter().map(|&i| place(i)));
        Ok(Self {
            triangles: Buffer::with(context, "triangles that may touch", &triangles)?,
            edges: Buffer::with(context, "edges that may touch", &edges)?,
            vertices: Buffer::with(context, "vertices that may touch", &vertices)?,
            around: Buffer::with(context, "triangles round vertices", &around)?,
        })
    }
}

impl Lists {
    fn new(context: &Context, owners: u32) -> Result<Self, GpuError> {
        let all = 16 * u64::from(owners) * u64::from(slots());
        Ok(Self {
            slots: Buffer::new(context, "what is close", all)?,
            counts: Buffer::new(context, "how much is close", 4 * u64::from(owners))?,
            normals: Buffer::new(context, "normals of what is close", all)?,
        })
    }
}

impl CloseSearch {
    pub(crate) fn new(
        context: &Context,
        library: &mut Library,
        model: &Arc<Model>,
        order: &Arc<Order>,
    ) -> Result<Self, GpuError> {
        let surface = model.close_surface();
        let count = |len: usize| len as u32;
        let [owners, triangles, edges] =
            [surface.owners().len(), surface.triangles().len(), surface.edges().len()].map(count);
        let cells = |boxes: u32| (2 * boxes).next_power_of_two().max(64);
        let around = order.vertex.iter().map(|&i| surface.vertex(i as usize).corners.len()).sum();
        let parameters = SearchParameters {
            n: 0,
            vertices: count(surface.vertices()),
            owners,
            triangles,
            edges,
            owners_at: count(around),
            triangle_cells: cells(triangles),
            edge_cells: cells(edges),
            reach: surface.usual_reach() as f32,
            deepest: surface.deepest() as f32,
            largest_half: (0.5 * surface.largest_gap()) as f32,
            usual_extent: surface.usual_extent() as f32,
        };
        let (cells, boxes) = (parameters.cells(), triangles + edges);
        let all = owners + edges;
        Ok(Self {
            surface: Surface::new(context, &surface, order)?,
            kernels: SearchKernels::new(context, library, cells.max(all))?,
            facings: Buffer::new(context, "ways surfaces face", 16 * u64::from(parameters.vertices + edges))?,
            extents: Buffer::new(context, "extents of boxes", 4 * EXTENTS)?,
            cells: Buffer::new(context, "cells", 4 * u64::from(cells))?,
            places: Buffer::new(context, "places of boxes", 8 * u64::from(boxes))?,
            sorted: Buffer::new(context, "boxes", BOX * u64::from(boxes))?,
            ends: Buffer::new(context, "ends of what is close", 4 * u64::from(all))?,
            now: Lists::new(context, all)?,
            step: Lists::new(context, all)?,
            piece: None,
            count: 0,
            model: model.clone(),
            order: order.clone(),
            parameters,
        })
    }

    /// Whether it is this model that is searched.
    pub(crate) fn is_about(&self, model: &Arc<Model>) -> bool {
        Arc::ptr_eq(&self.model, model)
    }

    /// Vertices and edges that look.
    fn owners(&self) -> u32 {
        self.parameters.owners + self.parameters.edges
    }

    /// Finds what is close in the step from `x` to `x_tilde` and returns how many contacts that makes. Waits for it.
    pub(crate) fn find(
        &mut self,
        (context, recorder): (&Context, &mut Recorder),
        since: Since,
        [x, x_tilde]: [&Buffer; 2],
    ) -> Result<u32, GpuError> {
        self.turn_lists(context, since)?;
        let Self { parameters, surface, kernels, facings, extents, cells, places, sorted, ends, now, .. } = &*self;
        let with = |n: u32| SearchParameters { n, ..*parameters };
        let Surface { triangles, edges, vertices, around } = surface;
        recorder.clear(extents);
        recorder.clear(cells);
        let placing = [x, x_tilde, triangles, edges, vertices, around, facings, extents, cells, places, sorted];
        let mut place = |kernel: &Kernel, n: u32| recorder.run(kernel, &placing, &with(n), n);
        let boxes = parameters.triangles + parameters.edges;
        place(&kernels.measure_vertices, parameters.vertices);
        place(&kernels.measure_edges, parameters.edges);
        place(&kernels.count, boxes);
        kernels.scan.scan(recorder, cells, parameters.cells());
        recorder.run(&kernels.scatter, &placing, &with(boxes), boxes);
        let searching = [&placing[..], &[&now.slots, &now.counts, ends]].concat();
        for (kernel, n) in kernels.search.iter().zip([parameters.owners, parameters.edges]) {
            recorder.run(kernel, &searching, &with(n), n);
        }
        let owners = self.owners();
        kernels.scan.scan(recorder, ends, owners);
        let mut count = [0];
        if owners > 0 {
            recorder.read(ends, 4 * u64::from(owners - 1), &mut count)?;
        }
        self.count = count[0];
        Ok(self.count)
    }

    /// Makes the contacts of what was found; there is room for them. `yielding` is 1/mass and contact stiffness of vertices.
    pub(crate) fn finish(
        &self,
        recorder: &mut Recorder,
        since: Since,
        [x, x_tilde]: [&Buffer; 2],
        yielding: &Buffer,
        touches: &Buffer,
    ) {
        let Self { parameters, surface, kernels, facings, ends, now, step, piece, .. } = self;
        let Surface { triangles, edges, vertices, around } = surface;
        let before = piece.as_ref().filter(|_| since == Since::Piece).unwrap_or(step);
        let buffers = [
            x,
            x_tilde,
            triangles,
            edges,
            vertices,
            around,
            facings,
            &now.slots,
            ends,
            &now.normals,
            &before.slots,
            &before.normals,
            &before.counts,
            touches,
            yielding,
        ];
        let n = self.owners() * slots();
        recorder.run(&kernels.finish, &buffers, &SearchParameters { n, ..*parameters }, n);
    }

    /// What was found last becomes what was before.
    fn turn_lists(&mut self, context: &Context, since: Since) -> Result<(), GpuError> {
        match since {
            Since::Step => std::mem::swap(&mut self.now, &mut self.step),
            Since::Retry => {}
            Since::Piece => {
                if self.piece.is_none() {
                    self.piece = Some(Lists::new(context, self.owners())?);
                }
                if let Some(piece) = &mut self.piece {
                    std::mem::swap(&mut self.now, piece);
                }
            }
        }
        Ok(())
    }

    /// What the next search will remember: of vertices, then of edges. Waits.
    pub(crate) fn sides(&self, context: &Context, recorder: &mut Recorder) -> Result<[Vec<Side>; 2], GpuError> {
        let mut sides = [Vec::new(), Vec::new()];
        if self.count == 0 {
            return Ok(sides);
        }
        let rows = Buffer::new(context, "sides", ROW * u64::from(self.count))?;
        let n = self.owners() * slots();
        let buffers = [&self.now.slots, &self.ends, &self.now.normals, &rows];
        recorder.run(&self.kernels.gather, &buffers, &SidesParameters { n }, n);
        let mut found = vec![[0u32; 8]; self.count as usize];
        recorder.read(&rows, 0, &mut found)?;
        let vertex = |place: u32| self.order.vertex[place as usize];
        for [owner, other, a, b, x, y, z, _] in found {
            let is_edge = owner >= self.parameters.owners;
            // The whole of the other is no vertex; what is, has a number in the model.
            let part = if b == u32::MAX { [a, b] } else { sorted_pair([vertex(a), vertex(b)]) };
            let owner = owner - if is_edge { self.parameters.owners } else { 0 };
            let direction = [x, y, z].map(|bits| f64::from(f32::from_bits(bits)));
            sides[usize::from(is_edge)].push(Side { owner, other, part, direction });
        }
        Ok(sides)
    }

    /// Replaces what the next search will remember. What there is no room for, or no such owner or other, is left out.
    pub(crate) fn set_sides(&mut self, recorder: &mut Recorder, sides: &[Vec<Side>; 2]) {
        self.count = 0;
        recorder.clear(&self.now.counts);
        recorder.clear(&self.ends);
        if sides.iter().all(Vec::is_empty) {
            return;
        }
        let (owners, room) = (self.owners() as usize, slots() as usize);
        let (mut counts, mut ends) = (vec![0u32; owners], vec![0u32; owners]);
        let (mut found, mut normals) = (vec![[0u32; 4]; owners * room], vec![[0f32; 4]; owners * room]);
        let SearchParameters { vertices, owners: first, triangles, edges, .. } = self.parameters;
        for (sides, [skip, owners, others]) in sides.iter().zip([[0, first, triangles], [first, edges, edges]]) {
            let is_part = |part: [u32; 2]| part[1] == u32::MAX || part.iter().all(|&i| i < vertices);
            let is_there = |side: &&Side| side.owner < owners && side.other < others && is_part(side.part);
            for side in sides.iter().filter(is_there) {
                let owner = (side.owner + skip) as usize;
                let at = counts[owner] as usize;
                if at < room {
                    let place = |i: u32| self.order.place[i as usize];
                    let [a, b] = side.part;
                    let [a, b] = if b == u32::MAX { [a, b] } else { sorted_pair([place(a), place(b)]) };
                    found[owner * room + at] = [side.other, a, b, 0];
                    let [x, y, z] = side.direction.map(|c| c as f32);
                    normals[owner * room + at] = [x, y, z, 0.0];
                    counts[owner] += 1;
                }
            }
        }
        let mut sum = 0;
        for (end, count) in ends.iter_mut().zip(&counts) {
            sum += count;
            *end = sum;
        }
        self.count = sum;
        recorder.write(&self.now.counts, 0, &counts);
        recorder.write(&self.ends, 0, &ends);
        recorder.write(&self.now.slots, 0, &found);
        recorder.write(&self.now.normals, 0, &normals);
    }
}

impl SearchParameters {
    /// Numbers in `cells` of close_place.wgsl.
    fn cells(&self) -> u32 {
        self.triangle_cells + self.edge_cells + 1
    }
}

fn sorted_pair([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
