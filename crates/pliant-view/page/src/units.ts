// Numbers as people read them: two or three digits and a unit.

const PREFIXES: [number, string][] = [
  [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"],
];

export function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 0.0995) return value.toFixed(size >= 9.995 ? 1 : 2).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return value.toPrecision(2).replace(/e([+-])0*/, "e$1");
}

/** 0.0123 "N" is "12.3 mN". */
export function si(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-12) return `0 ${unit}`;
  const [factor, prefix] = PREFIXES.find(([f]) => size >= f * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  return `${digits(value / factor)} ${prefix}${unit}`;
}

export function ms(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return `${value >= 10 ? value.toFixed(value >= 100 ? 0 : 1) : value.toFixed(value >= 1 ? 1 : 2)} ms`;
}

/** How long a step may take, ms: its budget, else its share of a frame. */
export function limitOfStep(budget: number | null | undefined, rate: number | undefined, steps = 1): { value: number; label: string } | null {
  if (budget) return { value: budget, label: `budget ${ms(budget)}` };
  if (!rate) return null;
  const value = 1000 / rate / steps;
  return { value, label: steps === 1 ? `a frame is ${ms(value)}` : `a frame's ${steps} steps: ${ms(value)} each` };
}

/** A part of one as a percentage. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const hundredths = value * 100;
  return `${Math.abs(hundredths) < 0.005 ? "0" : digits(hundredths)} %`;
}

/** 1.2e-5 as such; for errors, which span decades. */
export function scientific(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(1).split("e");
  return Number(exponent) >= -2 && Number(exponent) <= 2 ? digits(value) : `${mantissa}e${Number(exponent)}`;
}

export function whole(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toLocaleString("en").replaceAll(",", "\u2009");
}

/** The smallest of 1, 2, 5 × 10ⁿ that is not below `value`. */
export function roundUp(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const decade = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 5]) if (step * decade >= value * 0.9999) return step * decade;
  return 10 * decade;
}
