// Names of the two views of a comparison and how each fares.

import { find, make, say } from "./dom.ts";
import type { Curve, FrameInfo } from "./messages.ts";
import type { Stage } from "./stage.ts";
import { ms, scientific, si } from "./units.ts";

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

function detail(frame: FrameInfo, curve: Curve | null): string {
  const last = curve?.points.at(-1);
  const error = last && last.relative_error !== null ? `error ${scientific(last.relative_error)}` : `gradient ${si(frame.gradient_norm, "N")}`;
  return [ms(frame.ms), `${frame.iterations} it`, error].map((part) => part.replaceAll(" ", "\u00a0")).join(" · ");
}
