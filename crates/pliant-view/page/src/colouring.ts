// What the colours of vertices mean. Both views of a comparison share the range, or colours could not be compared.

import type { Frame, Topology } from "./protocol.ts";
import { restLengths, speeds, stretches } from "./measures.ts";
import { CLASSES, DIVERGING, SEQUENTIAL, linear, paint, table, type Stops } from "./palette.ts";
import { percent, roundUp, si } from "./units.ts";

export type Mode = "body" | "stretch" | "speed" | "residual" | "class";

export const MODES: { mode: Mode; label: string }[] = [
  { mode: "body", label: "Body" },
  { mode: "stretch", label: "Stretch of edges" },
  { mode: "speed", label: "Speed" },
  { mode: "residual", label: "Residual" },
  { mode: "class", label: "Colour class" },
];

export interface Legend {
  title: string;
  stops: Stops;
  /** Distinct colours instead of a gradient. */
  swatches: boolean;
  labels: string[];
}

/** What of a view the colours are made from. */
export interface Painted {
  x: Float32Array;
  /** Positions of the frame before, and how long ago that was, s; 0 if there was none. */
  before: Float32Array;
  seconds: number;
  frame: Frame;
}

const SEQUENTIAL_TABLE = table(SEQUENTIAL);
const DIVERGING_TABLE = table(DIVERGING);

export class Colouring {
  mode: Mode = "body";
  private lengths: Float32Array = new Float32Array(0);
  private values = new Float32Array(0);
  private bodyColours: Float32Array = new Float32Array(0);
  private top = 0;
  /** Whether some values are beyond the range. */
  private cut = false;

  constructor(private topology: Topology) {
    this.setTopology(topology);
  }

  setTopology(topology: Topology): void {
    this.topology = topology;
    const n = topology.info.vertices;
    this.lengths = restLengths(topology.rest, topology.edges);
    this.values = new Float32Array(n);
    this.bodyColours = new Float32Array(3 * n).fill(0.5);
    for (const body of topology.info.bodies) {
      const colour = linear(body.colour);
      for (let v = body.first; v < body.first + body.vertices; v++) this.bodyColours.set(colour, 3 * v);
    }
    this.top = 0;
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    this.top = 0;
  }

  /** Whether colours are the same in each frame. */
  get still(): boolean {
    return this.mode === "body" || this.mode === "class";
  }

  /** Writes linear colours, 3 per vertex; whether the legend changed. */
  paint(view: Painted, into: Float32Array): boolean {
    switch (this.mode) {
      case "body":
        into.set(this.bodyColours);
        return false;
      case "class":
        // Between vertices there is no class: each point has that of its nearest corner (`bodies.ts`).
        return false;
      case "stretch": {
        stretches(view.x, this.topology.edges, this.lengths, this.values);
        const changed = this.cover(1e-4);
        // Nothing is shorter than nothing: then either side has a scale of its own.
        if (this.top > 1) for (let v = 0; v < this.values.length; v++) if (this.values[v] < 0) this.values[v] *= this.top;
        paint(this.values, -this.top, this.top, DIVERGING_TABLE, into);
        return changed;
      }
      case "speed": {
        if (view.seconds > 0) speeds(view.x, view.before, view.seconds, this.values);
        else this.values.fill(0);
        const changed = this.cover(1e-2);
        paint(this.values, 0, this.top, SEQUENTIAL_TABLE, into);
        return changed;
      }
      case "residual": {
        const residual = view.frame.residual;
        if (!residual) {
          into.set(this.bodyColours);
          const changed = this.top !== 0;
          this.top = 0;
          return changed;
        }
        const scale = residual.largest / 255;
        for (let v = 0; v < this.values.length; v++) this.values[v] = residual.parts[v] * scale;
        const changed = this.cover(1e-12);
        paint(this.values, 0, this.top, SEQUENTIAL_TABLE, into);
        return changed;
      }
    }
  }

  /**
   * Grows the range at once and shrinks it only when far too large, or colours would flicker. A few vertices far from all
   * others, as at a pin, do not take the colours from the rest: beyond four times the root of the mean square they are cut.
   */
  private cover(least: number): boolean {
    let largest = 0;
    let squares = 0;
    for (let v = 0; v < this.values.length; v++) {
      const size = Math.abs(this.values[v]);
      if (size > largest) largest = size;
      squares += size * size;
    }
    const wanted = Math.max(least, Math.min(largest, 4 * Math.sqrt(squares / this.values.length)));
    const [before, wasCut] = [this.top, this.cut];
    if (wanted > this.top || wanted < 0.2 * this.top) this.top = roundUp(wanted);
    this.cut = largest > 1.001 * this.top;
    return this.top !== before || this.cut !== wasCut;
  }

  legend(): Legend | null {
    const { top } = this;
    const more = this.cut ? "≥ " : "";
    switch (this.mode) {
      case "body":
        return null;
      case "stretch":
        return { title: "Stretch", stops: DIVERGING, swatches: false, labels: [`−${percent(Math.min(top, 1))}`, "0", `${more}+${percent(top)}`] };
      case "speed":
        return { title: "Speed", stops: SEQUENTIAL, swatches: false, labels: ["0", more + si(top, "m/s")] };
      case "residual":
        if (top === 0) return { title: "Residual force: not measured", stops: SEQUENTIAL, swatches: false, labels: [] };
        return { title: "Residual force", stops: SEQUENTIAL, swatches: false, labels: ["0", more + si(top, "N")] };
      case "class": {
        const { colours } = this.topology.info;
        const labels = Array.from({ length: Math.min(colours, CLASSES.length) }, (_, i) => String(i + 1));
        return { title: `${colours} colour classes`, stops: CLASSES, swatches: true, labels };
      }
    }
  }
}
