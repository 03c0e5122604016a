// Colour maps. Stops are sRGB; tables are linear, which is what the renderer's vertex colours are.

export type Stops = readonly string[];

/** Even in lightness from dark to light (after matplotlib's viridis). */
export const SEQUENTIAL: Stops = ["#3b1c6b", "#3f4a89", "#2f728e", "#21908c", "#35b779", "#90d743", "#fde725"];
/** Blue is too short, red too long, grey neither. */
export const DIVERGING: Stops = ["#2055c8", "#6f9bea", "#c3cfe2", "#dcdcdc", "#efc9b5", "#e6815f", "#b0182c"];
/** Told apart by most people with colour-blindness too (after Okabe and Ito). */
export const CLASSES: Stops = [
  "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#8a8a8a", "#7b4fb5", "#8c510a", "#c7eae5", "#4d4d4d",
];

export type Rgb = [number, number, number];

export function parse(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function toLinear(srgb: number): number {
  return srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4;
}

export function linear(srgb: readonly number[]): Rgb {
  return [toLinear(srgb[0]), toLinear(srgb[1]), toLinear(srgb[2])];
}

const SIZE = 256;

/** 256 linear colours along the stops, 3 numbers each. */
export function table(stops: Stops): Float32Array {
  const colours = stops.map(parse);
  const entries = new Float32Array(3 * SIZE);
  for (let i = 0; i < SIZE; i++) {
    const at = (i / (SIZE - 1)) * (colours.length - 1);
    const left = Math.min(Math.floor(at), colours.length - 2);
    for (let k = 0; k < 3; k++) {
      const srgb = colours[left][k] + (at - left) * (colours[left + 1][k] - colours[left][k]);
      entries[3 * i + k] = toLinear(srgb);
    }
  }
  return entries;
}

/** Writes the colour of each value between `low` and `high`. */
export function paint(values: Float32Array, low: number, high: number, entries: Float32Array, into: Float32Array): void {
  const scale = (SIZE - 1) / (high - low);
  for (let v = 0, o = 0; v < values.length; v++, o += 3) {
    let entry = ((values[v] - low) * scale) | 0;
    entry = 3 * (entry < 0 ? 0 : entry > SIZE - 1 ? SIZE - 1 : entry);
    into[o] = entries[entry];
    into[o + 1] = entries[entry + 1];
    into[o + 2] = entries[entry + 2];
  }
}

export function css(stops: Stops): string {
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
