// Binary messages, as docs/viewer.md lays them out. Nothing is trusted: a message that is too short, too long, of another
// version, or with an index beyond its array is a ProtocolError and never a picture of something else.

import type { FrameInfo, Told, TopologyInfo } from "./messages.ts";

export const VERSION = 1;
const HEADER = 12;
const TOPOLOGY = 1;
const FRAME = 2;
const HAS_RESIDUALS = 1;
/** More than any scene that a page can draw; beyond it a count is nonsense. */
const MOST = 50_000_000;

export class ProtocolError extends Error {}

export interface SceneryMesh {
  points: Float32Array;
  triangles: Uint32Array;
}

export interface Topology {
  generation: number;
  info: TopologyInfo;
  /** Rest positions, m, 3 per vertex. */
  rest: Float32Array;
  triangles: Uint32Array;
  edges: Uint32Array;
  /** Colour class of each vertex. */
  colourClass: Uint16Array;
  scenery: SceneryMesh[];
}

export interface Frame {
  generation: number;
  view: number;
  info: FrameInfo;
  /** m */
  origin: [number, number, number];
  /** m */
  unit: number;
  /** 3 per vertex; a position is origin + unit × these. */
  positions: Uint16Array;
  /** Largest gradient norm of a vertex, N, and the part of each vertex of it, 255 for all. */
  residual: { largest: number; parts: Uint8Array } | null;
}

interface Header {
  type: number;
  view: number;
  flags: number;
  generation: number;
  json: unknown;
  /** Where the arrays begin, bytes. */
  at: number;
}

/** Reads arrays one after the other; none is copied where the machine's alignment allows it. */
class Arrays {
  constructor(private readonly data: ArrayBuffer, private at: number) {}

  private take(bytes: number, align: number, what: string): [ArrayBuffer, number] {
    const start = this.at;
    if (start + bytes > this.data.byteLength) {
      throw new ProtocolError(`${what}: ${bytes} bytes from byte ${start}, but the message has ${this.data.byteLength}`);
    }
    this.at = start + Math.ceil(bytes / 4) * 4;
    return start % align === 0 ? [this.data, start] : [this.data.slice(start, start + bytes), 0];
  }

  f32(count: number, what: string): Float32Array {
    return new Float32Array(...this.take(count * 4, 4, what), count);
  }

  u32(count: number, what: string): Uint32Array {
    return new Uint32Array(...this.take(count * 4, 4, what), count);
  }

  u16(count: number, what: string): Uint16Array {
    return new Uint16Array(...this.take(count * 2, 2, what), count);
  }

  u8(count: number, what: string): Uint8Array {
    return new Uint8Array(...this.take(count, 1, what), count);
  }

  end(): void {
    if (this.at !== this.data.byteLength) {
      throw new ProtocolError(`the message has ${this.data.byteLength} bytes, its arrays end at ${this.at}`);
    }
  }
}

const text = new TextDecoder("utf-8", { fatal: true });

function header(data: ArrayBuffer): Header {
  if (data.byteLength < HEADER) throw new ProtocolError(`a message of ${data.byteLength} bytes, shorter than its head`);
  const head = new DataView(data, 0, HEADER);
  const version = head.getUint8(1);
  if (version !== VERSION) throw new ProtocolError(`a message of version ${version}; this page knows version ${VERSION}`);
  const length = head.getUint32(8, true);
  if (length % 4 !== 0 || HEADER + length > data.byteLength) {
    throw new ProtocolError(`a text of ${length} bytes in a message of ${data.byteLength}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text.decode(new Uint8Array(data, HEADER, length)));
  } catch (error) {
    throw new ProtocolError(`the text of a message: ${String(error)}`);
  }
  if (typeof json !== "object" || json === null) throw new ProtocolError("the text of a message is no object");
  return {
    type: head.getUint8(0),
    view: head.getUint8(2),
    flags: head.getUint8(3),
    generation: head.getUint32(4, true),
    json,
    at: HEADER + length,
  };
}

function count(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > MOST) {
    throw new ProtocolError(`${what} is ${JSON.stringify(value)}, not a count`);
  }
  return value;
}

function below(values: Uint32Array | Uint16Array, end: number, what: string): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i] >= end) throw new ProtocolError(`${what}: entry ${i} is ${values[i]}, must be below ${end}`);
  }
}

function finite(values: Float32Array, what: string): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) throw new ProtocolError(`${what}: entry ${i} is ${values[i]}`);
  }
}

/** A text of the server. */
export function readTold(message: string): Told {
  let json: unknown;
  try {
    json = JSON.parse(message);
  } catch (error) {
    throw new ProtocolError(`a text that is no JSON: ${String(error)}`);
  }
  if (typeof json !== "object" || json === null || typeof (json as Told).is !== "string") throw new ProtocolError("a text that does not say what it is");
  return json as Told;
}

export function isTopology(data: ArrayBuffer): boolean {
  return data.byteLength > 0 && new Uint8Array(data, 0, 1)[0] === TOPOLOGY;
}

export function decodeTopology(data: ArrayBuffer): Topology {
  const head = header(data);
  if (head.type !== TOPOLOGY) throw new ProtocolError(`a message of type ${head.type} where a topology is expected`);
  const info = head.json as TopologyInfo;
  const vertices = count(info.vertices, "vertices");
  const triangles = count(info.triangles, "triangles");
  if (!Array.isArray(info.bodies) || !Array.isArray(info.scenery)) throw new ProtocolError("bodies or scenery are no lists");
  for (const body of info.bodies) {
    const lastVertex = count(body.first, "first") + count(body.vertices, "vertices");
    const lastTriangle = count(body.first_triangle, "first_triangle") + count(body.triangles, "triangles");
    if (lastVertex > vertices || lastTriangle > triangles) {
      throw new ProtocolError(`body ${body.name} ends at vertex ${lastVertex} of ${vertices}, triangle ${lastTriangle} of ${triangles}`);
    }
  }
  const arrays = new Arrays(data, head.at);
  const topology: Topology = {
    generation: head.generation,
    info,
    rest: arrays.f32(3 * vertices, "rest positions"),
    triangles: arrays.u32(3 * triangles, "triangles"),
    edges: arrays.u32(2 * count(info.edges, "edges"), "edges"),
    colourClass: arrays.u16(vertices, "colour classes"),
    scenery: info.scenery.map((thing) => ({
      points: arrays.f32(3 * count(thing.points, "points"), `points of ${thing.name}`),
      triangles: arrays.u32(3 * count(thing.triangles, "triangles"), `triangles of ${thing.name}`),
    })),
  };
  arrays.end();
  finite(topology.rest, "rest positions");
  below(topology.triangles, vertices, "triangles");
  below(topology.edges, vertices, "edges");
  topology.scenery.forEach((mesh, i) => below(mesh.triangles, info.scenery[i].points, `triangles of ${info.scenery[i].name}`));
  return topology;
}

/** A frame of `vertices` vertices; null where it belongs to another topology than `generation`. */
export function decodeFrame(data: ArrayBuffer, generation: number, vertices: number): Frame | null {
  const head = header(data);
  if (head.type !== FRAME) throw new ProtocolError(`a message of type ${head.type} where a frame is expected`);
  if (head.generation !== generation) return null;
  if (head.view > 1) throw new ProtocolError(`a frame of view ${head.view}`);
  const arrays = new Arrays(data, head.at);
  const placed = arrays.f32(4, "origin and unit");
  finite(placed, "origin and unit");
  const positions = arrays.u16(3 * vertices, "positions");
  let residual: Frame["residual"] = null;
  if (head.flags & HAS_RESIDUALS) {
    residual = { largest: arrays.f32(1, "largest residual")[0], parts: arrays.u8(vertices, "residuals") };
  }
  arrays.end();
  return {
    generation,
    view: head.view,
    info: head.json as FrameInfo,
    origin: [placed[0], placed[1], placed[2]],
    unit: placed[3],
    positions,
    residual,
  };
}

export function dequantise(frame: Frame, into: Float32Array): void {
  const { positions, unit } = frame;
  const [x, y, z] = frame.origin;
  for (let i = 0; i < positions.length; i += 3) {
    into[i] = x + unit * positions[i];
    into[i + 1] = y + unit * positions[i + 1];
    into[i + 2] = z + unit * positions[i + 2];
  }
}
