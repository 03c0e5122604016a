// Small line plots on canvas: quantities over the last frames, and how the last step converged.

import { make, say } from "./dom.ts";
import type { Curve } from "./messages.ts";
import { inView, LENGTH, type History, type Quantity } from "./history.ts";
import { digits, roundUp } from "./units.ts";

const HEIGHT = 74;
const LEFT = 44;
const RIGHT = 6;
const TOP = 6;
const BOTTOM = 14;

/** A canvas as sharp as the screen, and the colours of the page. */
class Sheet {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  protected readonly context: CanvasRenderingContext2D;
  protected width = 0;
  /** Where the axis is: labels are left of it. */
  protected left = LEFT;
  protected style!: CSSStyleDeclaration;

  constructor(title: string, description: string) {
    this.canvas = make("canvas", { role: "img", "aria-label": description });
    this.element = make("figure", { class: "plot" }, ...(title ? [make("figcaption", {}, title)] : []), this.canvas);
    this.context = this.canvas.getContext("2d")!;
  }

  /** Whether there is anything to draw on. */
  protected begin(): boolean {
    const width = this.canvas.clientWidth;
    if (width === 0) return false;
    const ratio = Math.min(devicePixelRatio, 2);
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(HEIGHT * ratio);
    }
    this.width = width;
    this.style = getComputedStyle(this.canvas);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, HEIGHT);
    this.context.font = "10px system-ui, sans-serif";
    return true;
  }

  protected colour(name: string): string {
    return this.style.getPropertyValue(name);
  }

  protected y(part: number): number {
    return TOP + (1 - part) * (HEIGHT - TOP - BOTTOM);
  }

  protected x(part: number): number {
    return this.left + part * (this.width - this.left - RIGHT);
  }

  /** Makes room for labels. */
  protected fit(...labels: string[]): void {
    this.left = Math.max(LEFT, ...labels.map((label) => Math.ceil(this.context.measureText(label).width) + 6));
  }

  protected level(part: number, label: string): void {
    const { context } = this;
    context.strokeStyle = this.colour("--rule");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(this.left, Math.round(this.y(part)) + 0.5);
    context.lineTo(this.width - RIGHT, Math.round(this.y(part)) + 0.5);
    context.stroke();
    context.fillStyle = this.colour("--faint");
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(label, this.left - 4, this.y(part));
  }

  protected note(text: string, align: CanvasTextAlign): void {
    this.context.fillStyle = this.colour("--faint");
    this.context.textAlign = align;
    this.context.textBaseline = "alphabetic";
    this.context.fillText(text, align === "right" ? this.width - RIGHT : this.left, HEIGHT - 3);
  }
}

/** A quantity over the last frames. */
export class Trace extends Sheet {
  private top = 0;

  constructor(private readonly title: string, private readonly quantity: Quantity, private readonly unit: string) {
    super(title, `${title} over the last ${LENGTH} frames`);
  }

  /** `limit` is drawn as a dashed line and kept in view. */
  draw(history: History, views: number, limit: { value: number; label: string } | null): void {
    if (!this.begin()) return;
    const { most, largest } = inView(history.views.slice(0, views).map((rings) => rings[this.quantity]));
    const wanted = roundUp(Math.max(most, limit ? limit.value * 1.05 : 0) || 1);
    if (wanted > this.top || wanted < 0.4 * this.top) this.top = wanted;
    const beyond = largest > this.top ? ` · up to ${digits(largest)}${this.unit}` : "";
    say(this.element.firstElementChild!, this.title + beyond);
    const top = `${digits(this.top)}${this.unit}`;
    this.fit(top);
    this.level(0, "0");
    this.level(1, top);
    this.note(`last ${LENGTH} frames`, "left");
    if (limit) this.limit(limit.value, limit.label);
    for (let view = views - 1; view >= 0; view--) this.line(history.views[view][this.quantity], view);
  }

  private line(ring: { count: number; at(i: number): number }, view: number): void {
    const { context } = this;
    context.strokeStyle = this.colour(view === 0 ? "--first" : "--second");
    context.lineWidth = 1.25;
    context.beginPath();
    for (let i = 0; i < ring.count; i++) {
      const x = this.x((LENGTH - ring.count + i) / (LENGTH - 1));
      const y = this.y(Math.min(ring.at(i) / this.top, 1));
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }

  private limit(value: number, label: string): void {
    const { context } = this;
    context.strokeStyle = this.colour("--limit");
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(this.left, this.y(value / this.top));
    context.lineTo(this.width - RIGHT, this.y(value / this.top));
    context.stroke();
    context.setLineDash([]);
    this.note(label, "right");
  }
}

/** Error per iteration on a logarithmic axis; without a reference the norm of the gradient. */
export class Convergence extends Sheet {
  constructor() {
    super("", "Error per iteration of the last step, logarithmic");
  }

  draw(curves: readonly (Curve | null)[]): void {
    if (!this.begin()) return;
    const shown = curves.filter((curve): curve is Curve => curve !== null && curve.points.length > 0);
    const relative = shown.length > 0 && shown.every((curve) => curve.points.some((point) => (point.relative_error ?? 0) > 0));
    const series = shown.map((curve) => ({
      view: curve.view,
      points: curve.points
        .map((point) => ({ at: point.iteration, value: (relative ? point.relative_error : point.gradient_norm) ?? 0 }))
        .filter((point) => point.value > 0),
    }));
    const all = series.flatMap((one) => one.points);
    if (all.length === 0) {
      this.note("waiting for a step …", "left");
      return;
    }
    const low = Math.floor(Math.min(...all.map((point) => Math.log10(point.value))));
    const high = Math.max(Math.ceil(Math.max(...all.map((point) => Math.log10(point.value)))), low + 1);
    const last = Math.max(...all.map((point) => point.at), 1);
    const every = Math.ceil((high - low) / 4);
    for (let decade = low; decade <= high; decade += every) this.level((decade - low) / (high - low), decade === 0 ? "1" : `1e${decade}`);
    this.note(relative ? "relative error" : "gradient norm, N", "left");
    this.note(`${last} iterations`, "right");
    for (const one of series) {
      this.context.strokeStyle = this.colour(one.view === 0 ? "--first" : "--second");
      this.context.lineWidth = 1.25;
      this.context.beginPath();
      one.points.forEach((point, i) => {
        const x = this.x(point.at / last);
        const y = this.y((Math.log10(point.value) - low) / (high - low));
        if (i === 0) this.context.moveTo(x, y);
        else this.context.lineTo(x, y);
      });
      this.context.stroke();
    }
  }
}
