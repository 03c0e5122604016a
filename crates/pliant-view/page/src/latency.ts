// How long it takes from a drag that is sent to a picture that shows it.

interface Waiting {
  n: number;
  sent: number;
  frames: number;
  /** Frames received until the first that knew the drag; 1 is the very next. */
  arrived: number | null;
}

const GIVEN_UP_MS = 3000;

export class Latency {
  /** ms; null before the first. */
  last: number | null = null;
  lastFrames: number | null = null;
  private frames = 0;
  private waiting: Waiting | null = null;

  sent(n: number): void {
    const now = performance.now();
    if (this.waiting && now - this.waiting.sent < GIVEN_UP_MS) return;
    this.waiting = { n, sent: now, frames: this.frames, arrived: null };
  }

  received(applied: number): void {
    this.frames += 1;
    const { waiting } = this;
    if (waiting && waiting.arrived === null && applied >= waiting.n) waiting.arrived = this.frames - waiting.frames;
  }

  drew(applied: number): void {
    const { waiting } = this;
    if (!waiting || waiting.arrived === null || applied < waiting.n) return;
    this.last = performance.now() - waiting.sent;
    this.lastFrames = waiting.arrived;
    this.waiting = null;
  }

  lost(): void {
    this.waiting = null;
  }
}
