// A button with a picture; its name is read out and shown as a tip.

import { make } from "./dom.ts";
import { icon, type Icon } from "./icons.ts";

export class IconButton {
  readonly element: HTMLButtonElement;
  private shown: Icon;

  constructor(picture: Icon, label: string, act: () => void) {
    this.shown = picture;
    this.element = make("button", {
      type: "button", class: "icon", "aria-label": label, title: label, click: act,
    }, icon(picture));
  }

  show(picture: Icon, label: string): void {
    if (this.shown !== picture) this.element.replaceChildren(icon(picture));
    this.shown = picture;
    if (this.element.title === label) return;
    this.element.title = label;
    this.element.setAttribute("aria-label", label);
  }

  press(on: boolean): void {
    this.element.setAttribute("aria-pressed", String(on));
  }
}
