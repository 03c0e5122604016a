// What the colours stand for, in numbers.

import type { Legend as Content } from "./colouring.ts";
import { css } from "./palette.ts";
import { make } from "./dom.ts";

export class Legend {
  constructor(private readonly place: HTMLElement) {}

  show(content: Content | null): void {
    this.place.hidden = content === null;
    if (!content) return;
    const bar = make("div", { class: content.swatches ? "swatches" : "bar" });
    if (content.swatches) {
      content.labels.forEach((label, i) => {
        const swatch = make("span", {}, label);
        swatch.style.setProperty("--swatch", content.stops[i]);
        bar.append(swatch);
      });
    } else {
      bar.style.background = css(content.stops);
    }
    const labels = make("div", { class: "labels" }, ...(content.swatches ? [] : content.labels.map((label) => make("span", {}, label))));
    this.place.replaceChildren(make("div", { class: "title" }, content.title), bar, labels);
  }
}
