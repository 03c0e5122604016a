// Names of the two views of a comparison and how each fares.

import { find, make, say } from "./dom.ts";
import type { Curve, FrameInfo } from "./messages.ts";
import type { Stage } from "./stage.ts";
import { ms, scientific, si, whole } from "./units.ts";

/** CSS pixels: on a phone. */
const NARROW = 260;
/** In a picture that is less wide or high the legend is one line, CSS pixels. */
const TIGHT = [560, 400];

export class Labels {
  private readonly labels = [0, 1].map((view) => {
    const label = make("div", { class: `view view-${view}`, hidden: true }, make("b"), make("span"));
    find("labels").append(label);
    return label;
  });

  constructor(private readonly stage: Stage) {}

  show(views: number, frames: readonly (FrameInfo | null)[], curves: readonly (Curve | null)[]): void {
    document.body.classList.toggle("compares", views > 1);
    this.place(views);
    this.labels.forEach((label, view) => {
      label.hidden = views < 2 || frames[view]?.method === "";
      if (label.hidden) return;
      const frame = frames[view];
      say(label.firstElementChild!, frame?.method ?? "…");
      say(label.lastElementChild!, frame ? detail(frame, curves[view], this.stage.region(view, views).width < NARROW) : "");
    });
  }

  /** Puts labels over their views, and the legend into the first: whenever there is more or less room, frames or none. */
  place(views: number): void {
    const { room, size } = this.stage;
    this.labels.forEach((label, view) => {
      const region = this.stage.region(view, views);
      label.style.transform = `translate(${region.x}px, ${region.y}px)`;
      label.style.width = `${region.width}px`;
      label.style.height = `${region.height}px`;
      label.classList.toggle("below", region.y > 0);
      label.classList.toggle("narrow", region.width < NARROW);
    });
    const first = this.stage.region(0, views);
    room.style.setProperty("--legend-bottom", `${size.y - first.height}px`);
    room.style.setProperty("--legend-room", `${first.width}px`);
    room.classList.toggle("tight", first.width < TIGHT[0] || first.height < TIGHT[1]);
  }
}

/** Numbers are not broken; between them there may be a line's end. */
export function detail(frame: FrameInfo, curve: Curve | null, narrow = false): string {
  const parts = [ms(frame.ms), `${frame.iterations} it`, ...fares(frame, curve, narrow)];
  return parts.map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
}

/** How good the step is. Errors are known of few steps: of another one it is said which, and how much work it was. */
function fares(frame: FrameInfo, curve: Curve | null, narrow: boolean): string[] {
  const last = curve?.points.at(-1);
  const known = curve && last && curve.method === frame.method && last.iteration === curve.iterations && last.relative_error !== null;
  if (!known || curve.step > frame.step) return [`gradient ${si(frame.gradient_norm, "N")}`];
  const error = `error ${scientific(last.relative_error)}`;
  if (curve.step === frame.step) return [error];
  const step = `step ${whole(curve.step)}`;
  return narrow ? [error, `at ${step}`] : [`${error} after ${curve.iterations} it at ${step}`];
}
