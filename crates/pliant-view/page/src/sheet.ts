// The panel: beside the picture on a desk, a sheet from below on a phone, where it can be folded to its first row.

import { find, make, say } from "./dom.ts";

export class Panel {
  readonly head = make("header");
  readonly body = make("div", { id: "panel-body" });
  private readonly title = make("strong", {}, "Pliant");
  private readonly under = make("span", { class: "device" });
  private readonly fold: HTMLButtonElement;

  constructor() {
    this.fold = make("button", { type: "button", class: "fold", "aria-controls": "panel-body", click: () => this.setOpen(!this.open) });
    this.head.append(make("div", { class: "name" }, this.title, this.under), this.fold);
    find("panel").append(this.head, this.body);
    this.setOpen(!matchMedia("(max-width: 720px)").matches);
  }

  get open(): boolean {
    return document.body.dataset.panel === "open";
  }

  setOpen(open: boolean): void {
    document.body.dataset.panel = open ? "open" : "folded";
    this.fold.setAttribute("aria-expanded", String(open));
    this.fold.setAttribute("aria-label", open ? "Fold the controls away" : "Show all controls");
  }

  name(scene: string, device: string): void {
    say(this.title, scene);
    say(this.under, device);
    this.under.title = device;
    document.title = `${scene} · Pliant`;
  }
}
