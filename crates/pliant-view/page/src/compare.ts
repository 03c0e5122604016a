// Names of the two views of a comparison and how each fares.

import { find, make, say } from "./dom.ts";
import type { Curve, FrameInfo } from "./messages.ts";
import type { Stage } from "./stage.ts";
import { ms, scientific, si, whole } from "./units.ts";

export class Labels {
  private readonly labels = [0, 1].map((view) => {
    const label = make("div", { class: `view view-${view}`, hidden: true }, make("b"), make("span"));
    find("labels").append(label);
    return label;
  });

  constructor(private readonly stage: Stage) {}

  show(views: number, frames: readonly (FrameInfo | null)[], curves: readonly (Curve | null)[]): void {
    document.body.classList.toggle("compares", views > 1);
    this.labels.forEach((label, view) => {
      label.hidden = views < 2 || frames[view]?.method === "";
      if (label.hidden) return;
      const region = this.stage.region(view, views);
      label.style.transform = `translate(${region.x}px, ${region.y}px)`;
      label.style.width = `${region.width}px`;
      label.classList.toggle("below", region.y > 0);
      const frame = frames[view];
      say(label.firstElementChild!, frame?.method ?? "…");
      say(label.lastElementChild!, frame ? detail(frame, curves[view]) : "");
    });
  }
}

export function detail(frame: FrameInfo, curve: Curve | null): string {
  return [ms(frame.ms), `${frame.iterations} it`, fares(frame, curve)].map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
}

/** How good the step is. Errors are known of few steps: of another one it is said which, and how much work it was. */
function fares(frame: FrameInfo, curve: Curve | null): string {
  const last = curve?.points.at(-1);
  const known = curve && last && curve.method === frame.method && last.iteration === curve.iterations && last.relative_error !== null;
  if (!known || curve.step > frame.step) return `gradient ${si(frame.gradient_norm, "N")}`;
  const error = `error ${scientific(last.relative_error)}`;
  if (curve.step === frame.step) return error;
  return `${error} after ${curve.iterations} it at step ${whole(curve.step)}`;
}
