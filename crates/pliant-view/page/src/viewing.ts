// How it is shown: nobody else's business, so also for those who only watch.

import { MODES, type Mode } from "./colouring.ts";
import { make } from "./dom.ts";

export interface ViewingHost {
  colour(mode: Mode): void;
  wireframe(on: boolean): void;
  lookAtAll(): void;
}

export class Viewing {
  readonly element: HTMLElement;
  mode: Mode = "body";
  private readonly select: HTMLSelectElement;
  private readonly wires: HTMLInputElement;

  constructor(private readonly host: ViewingHost, private readonly modes: readonly Mode[]) {
    const offered = MODES.filter(({ mode }) => modes.includes(mode));
    this.select = make("select", { id: "colour" }, ...offered.map(({ mode, label }) => make("option", { value: mode }, label)));
    this.select.addEventListener("change", () => this.setMode(this.select.value as Mode));
    this.wires = make("input", { type: "checkbox", id: "wireframe" });
    this.wires.addEventListener("change", () => host.wireframe(this.wires.checked));
    this.element = make("section", { "aria-label": "View" },
      make("h2", {}, "View"),
      make("div", { class: "field" }, make("label", { for: "colour" }, "Colours"), make("div", { class: "control" }, this.select), make("span", { class: "unit" })),
      make("div", { class: "row" },
        make("label", { class: "check" }, this.wires, "Wireframe"),
        make("button", { type: "button", class: "plain", title: "Look at the whole scene (F)", click: () => host.lookAtAll() }, "Show all")),
    );
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    this.select.value = mode;
    this.host.colour(mode);
  }

  cycle(): void {
    this.setMode(this.modes[(this.modes.indexOf(this.mode) + 1) % this.modes.length]);
  }

  toggleWireframe(): void {
    this.wires.checked = !this.wires.checked;
    this.host.wireframe(this.wires.checked);
  }
}
