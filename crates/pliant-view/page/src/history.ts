// The last frames in numbers, for plots: a ring per view and quantity, written in place.

import type { FrameInfo } from "./messages.ts";

export const LENGTH = 300;

export type Quantity = "ms" | "stretch" | "touching";

export class Ring {
  private readonly values = new Float32Array(LENGTH);
  private next = 0;
  count = 0;

  push(value: number): void {
    this.values[this.next] = value;
    this.next = (this.next + 1) % LENGTH;
    this.count = Math.min(this.count + 1, LENGTH);
  }

  /** The `i`-th of `count`, oldest first. */
  at(i: number): number {
    return this.values[(this.next - this.count + i + LENGTH) % LENGTH];
  }

  clear(): void {
    this.count = 0;
    this.next = 0;
  }
}

/** So many of the frames are in view in any case. */
const PART = 0.95;

/**
 * What a plot has to show: the largest of all, unless a few frames are so far from the rest that nothing would be seen of it.
 */
export function inView(rings: readonly Pick<Ring, "count" | "at">[]): { most: number; largest: number } {
  const values = rings.flatMap((ring) => Array.from({ length: ring.count }, (_, i) => ring.at(i))).sort((a, b) => a - b);
  const largest = values.at(-1) ?? 0;
  const usual = values[Math.floor((values.length - 1) * PART)] ?? 0;
  return { most: largest > 3 * usual && usual > 0 ? usual : largest, largest };
}

export class History {
  readonly views = [0, 1].map(() => ({ ms: new Ring(), stretch: new Ring(), touching: new Ring() }));

  push(view: number, frame: FrameInfo): void {
    if (frame.ms === null) return;
    const rings = this.views[view];
    rings.ms.push(frame.ms);
    rings.stretch.push((frame.max_stretch ?? 0) * 100);
    rings.touching.push(frame.touching);
  }

  clear(): void {
    this.views.forEach((_, view) => this.forget(view));
  }

  forget(view: number): void {
    for (const ring of Object.values(this.views[view])) ring.clear();
  }
}
