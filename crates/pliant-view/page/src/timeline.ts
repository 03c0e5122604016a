// When frames of a recording are shown: by their own times. A file that would be too large leaves some out, and lasts as long.

import { ProtocolError } from "./protocol.ts";

export class Timeline {
  /** How long it plays, s: the last frame stays as long as a frame does. */
  readonly length: number;
  /** Frames that were recorded, those that are not in it too. */
  readonly recorded: number;

  /** `times` of the frames, s, and how many of them a second were recorded. */
  constructor(readonly times: readonly number[], rate: number) {
    times.forEach((time, i) => {
      if (!Number.isFinite(time) || (i > 0 && time <= times[i - 1])) throw new ProtocolError(`frame ${i} of the recording is at ${time} s, after ${times[i - 1]} s`);
    });
    if (!(rate > 0)) throw new ProtocolError(`a recording of ${rate} frames a second`);
    const lasts = times[times.length - 1] - times[0];
    this.length = lasts + 1 / rate;
    this.recorded = Math.round(lasts * rate) + 1;
  }

  /** When a frame comes, s after the first. */
  at(index: number): number {
    return this.times[index] - this.times[0];
  }

  /** Which frame is shown so many seconds after the first. */
  frameAt(seconds: number): number {
    // Less than any frame takes: sums of times are not exact.
    const time = this.times[0] + seconds + 1e-9;
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
