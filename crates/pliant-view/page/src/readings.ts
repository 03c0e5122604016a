// The numbers of the last frame of each view.

import { make, say } from "./dom.ts";
import type { FrameInfo } from "./messages.ts";
import { digits, ms, percent, si, whole } from "./units.ts";

interface Row {
  label: string;
  title: string;
  text: (frame: FrameInfo, slow: number | null) => string;
  alarming?: (frame: FrameInfo, slow: number | null) => boolean;
  /** Both views have the same, if one of them a moment later. */
  common?: boolean;
}

/** What rests on a collider is this much inside it, m, by rounding alone. */
const ROUNDING = 1e-6;

export const ROWS: Row[] = [
  {
    label: "Time", title: "Simulated time, number of the step, and how fast that time passes, where it is slower than real time: × 0.5 is half as fast", common: true,
    text: (f, slow) => `${f.time.toFixed(2)} s · step ${whole(f.step)}${slow === null ? "" : ` · ×\u00a0${digits(slow)}`}`,
    alarming: (_, slow) => slow !== null,
  },
  {
    label: "Step", title: "The slowest step of the frame, and the whole frame", text: (f) => `${ms(f.ms)} · frame ${ms(f.frame_ms)}`,
    alarming: (f) => f.over_budget,
  },
  { label: "Method", title: "Method and iterations of the last step", text: (f) => `${f.method || "–"} · ${f.iterations > 0 ? whole(f.iterations) : "–"} it` },
  { label: "Gradient", title: "Norm of the gradient of the energy after the last step", text: (f) => si(f.gradient_norm, "N") },
  { label: "Energy", title: "What the step minimises", text: (f) => si(f.energy, "J") },
  { label: "Stretch", title: "Largest and mean stretch of edges", text: (f) => `${percent(f.max_stretch)} max · ${percent(f.mean_stretch)} mean` },
  {
    label: "Colliders", title: "Vertices nearer to a collider than their thickness, and the smallest gap to one. Bodies that touch each other are not counted",
    text: (f) => `${whole(f.touching)} touching · gap ${f.min_gap === null ? "–" : si(f.min_gap, "m")}`,
    alarming: (f) => f.min_gap !== null && f.min_gap < -ROUNDING,
  },
  {
    label: "Trouble", title: "What makes the last step hard to believe, inverted tetrahedra, restarts of the acceleration, steps that were tried again", text: trouble,
    alarming: (f) => f.inverted > 0 || f.retries > 0 || Boolean(f.doubt),
  },
];

function trouble(frame: FrameInfo): string {
  const parts: string[] = [];
  if (frame.doubt) parts.push(frame.doubt);
  if (frame.inverted > 0) parts.push(`${whole(frame.inverted)} inverted`);
  if (frame.restarts > 0) parts.push(`${whole(frame.restarts)} restarts`);
  if (frame.retries > 0) parts.push(`${whole(frame.retries)} retries`);
  return parts.join(" · ") || "none";
}

export class Readings {
  readonly element: HTMLElement;
  /** Of each row one for each view. */
  private readonly cells: HTMLElement[][];

  constructor() {
    this.cells = ROWS.map(() => [0, 1].map((view) => make("dd", { class: `view-${view}`, hidden: view > 0 }, "–")));
    this.element = make("dl", { class: "readings" });
    ROWS.forEach((row, i) => this.element.append(make("div", { title: row.title }, make("dt", {}, row.label), ...this.cells[i])));
  }

  /** One frame, or that of each of two views. What is the same of both is told once. `slow`: how far from real time. */
  show(frames: readonly (FrameInfo | null)[], slow: number | null = null): void {
    this.element.classList.toggle("two", frames.length > 1);
    ROWS.forEach((row, i) => {
      const texts = frames.map((frame) => (frame ? row.text(frame, slow) : "–"));
      this.cells[i].forEach((cell, view) => {
        cell.hidden = view >= frames.length || (view > 0 && (row.common || texts[view] === texts[0]));
        if (cell.hidden) return;
        const frame = frames[view];
        say(cell, texts[view]);
        cell.classList.toggle("alarming", frame ? (row.alarming?.(frame, slow) ?? false) : false);
      });
      this.cells[i][0].classList.toggle("both", this.cells[i][1].hidden !== false);
    });
  }
}
