// How long it takes from a drag that is sent to a picture that shows it.

interface Waiting {
  n: number;
  sent: number;
  /** The newest step that was known when it was sent. */
  step: number;
}

const GIVEN_UP_MS = 3000;

export class Latency {
  /** ms; null before the first. */
  last: number | null = null;
  /** Frames of the simulation from the newest known at sending to the one drawn, skipped ones too. */
  lastFrames: number | null = null;
  private step = 0;
  private stepsPerFrame = Infinity;
  private waiting: Waiting | null = null;

  sent(n: number): void {
    const now = performance.now();
    if (this.waiting && now - this.waiting.sent < GIVEN_UP_MS) return;
    this.waiting = { n, sent: now, step: this.step };
  }

  received(step: number): void {
    const passed = step - this.step;
    // Frames may be skipped; the shortest way between two is one.
    if (passed > 0 && this.step > 0) this.stepsPerFrame = Math.min(this.stepsPerFrame, passed);
    this.step = step;
  }

  drew(applied: number, step: number): void {
    const { waiting } = this;
    if (!waiting || applied < waiting.n) return;
    this.last = performance.now() - waiting.sent;
    this.lastFrames = (step - waiting.step) / this.stepsPerFrame;
    this.waiting = null;
  }

  /** Another scene. */
  lost(): void {
    this.waiting = null;
    this.step = 0;
    this.stepsPerFrame = Infinity;
  }
}
