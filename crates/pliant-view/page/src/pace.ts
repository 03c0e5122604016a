// How fast simulated time passes.

/** Over so long, ms, it is measured at least. */
const LEAST = 500;
const LONG = 1500;
/** What is nearer to real time is not worth a word. */
const SLOW = 0.9;

export class Pace {
  /** When a frame came, ms, and its time in the simulation, s. */
  private marks: { now: number; time: number }[] = [];

  push(now: number, time: number): void {
    const last = this.marks.at(-1);
    if (last && time <= last.time) this.clear();
    this.marks.push({ now, time });
    while (this.marks.length > 2 && now - this.marks[1].now >= LONG) this.marks.shift();
  }

  /** Nothing moves, or from another place. */
  clear(): void {
    this.marks = [];
  }

  /** Simulated seconds in a second, where that is slow; null where it is not, or not known. */
  get slow(): number | null {
    const [first, last] = [this.marks[0], this.marks.at(-1)];
    if (!first || !last || last.now - first.now < LEAST) return null;
    const pace = (1000 * (last.time - first.time)) / (last.now - first.now);
    return pace < SLOW ? pace : null;
  }
}
