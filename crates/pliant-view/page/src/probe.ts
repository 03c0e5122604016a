// What tests and the curious may read of the page, as `window.pliant`.

import type { Display } from "./display.ts";
import type { Latency } from "./latency.ts";
import type { FrameInfo, State, Vec3 } from "./messages.ts";

interface Probe {
  readonly ready: boolean;
  /** Frames drawn. */
  readonly frames: number;
  readonly lastFrame: FrameInfo | null;
  readonly state: State | null;
  readonly connected: boolean;
  readonly latency: number | null;
  readonly latencyFrames: number | null;
  readonly views: number;
  project(vertex: number): [number, number] | null;
  position(vertex: number): Vec3 | null;
}

declare global {
  interface Window {
    pliant: Probe;
  }
}

export function expose(display: Display, latency: Latency | null, live: { state(): State | null; connected(): boolean }): void {
  const probe: Probe = {
    get ready() { return display.lastFrame() !== null && display.drawn > 0; },
    get frames() { return display.drawn; },
    get lastFrame() { return display.lastFrame()?.info ?? null; },
    get state() { return live.state(); },
    get connected() { return live.connected(); },
    get latency() { return latency?.last ?? null; },
    get latencyFrames() { return latency?.lastFrames ?? null; },
    get views() { return display.views; },
    project: (vertex) => display.project(vertex),
    position: (vertex) => display.position(vertex),
  };
  Object.defineProperty(window, "pliant", { value: Object.freeze(probe) });
}
