import assert from "node:assert/strict";
import { test } from "node:test";
import { Colouring } from "../src/colouring.ts";
import { detail } from "../src/compare.ts";
import { refusal, wait } from "../src/connection.ts";
import { budgetLike, sharedBudget } from "../src/controls.ts";
import { complaint, shortened, usual } from "../src/fields.ts";
import { Hand } from "../src/hand.ts";
import { History, inView, LENGTH, Ring } from "../src/history.ts";
import { Latency } from "../src/latency.ts";
import { normals, outlines, restLengths, speeds, stretches } from "../src/measures.ts";
import { Pace } from "../src/pace.ts";
import { DIVERGING, paint, table } from "../src/palette.ts";
import { beside, meet } from "../src/pick.ts";
import { decodeFrame, decodeTopology, dequantise, isTopology, ProtocolError, readTold } from "../src/protocol.ts";
import { decodeRecording } from "../src/recording.ts";
import { ROWS } from "../src/readings.ts";
import { lost, tellLost } from "../src/restarted.ts";
import { fetched, nameIn } from "../src/save.ts";
import { Timeline } from "../src/timeline.ts";
import { digits, limitOfStep, ms, percent, roundUp, scientific, si } from "../src/units.ts";

type Array32 = Float32Array | Uint32Array | Uint16Array | Uint8Array;

function message(type: number, flags: number, generation: number, json: object, arrays: Array32[], version = 1): ArrayBuffer {
  let text = JSON.stringify(json);
  while (new TextEncoder().encode(text).length % 4 !== 0) text += " ";
  const bytes = new TextEncoder().encode(text);
  const padded = arrays.map((array) => Math.ceil(array.byteLength / 4) * 4);
  const data = new Uint8Array(12 + bytes.length + padded.reduce((a, b) => a + b, 0));
  const head = new DataView(data.buffer);
  data.set([type, version, 0, flags]);
  head.setUint32(4, generation, true);
  head.setUint32(8, bytes.length, true);
  data.set(bytes, 12);
  let at = 12 + bytes.length;
  arrays.forEach((array, i) => {
    data.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += padded[i];
  });
  return data.buffer;
}

// A square of two triangles, and a triangle to stand on.
const REST = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
const TRIANGLES = Uint32Array.of(0, 1, 2, 0, 2, 3);
const EDGES = Uint32Array.of(0, 1, 1, 2, 2, 3, 3, 0, 0, 2);

function info(): Record<string, unknown> {
  return {
    scene: "Tüch", vertices: 4, triangles: 2, edges: 5, colours: 3, frame_rate: 60,
    bodies: [{ name: "cloth", first: 0, vertices: 4, first_triangle: 0, triangles: 2, solid: false, colour: [1, 0, 0] }],
    scenery: [{ name: "floor", points: 3, triangles: 1, colour: [0.5, 0.5, 0.5], endless: true, moves: false }],
    low: [0, 0, 0], high: [1, 1, 0],
  };
}

function topology(change: object = {}, triangles = TRIANGLES, rest = REST): ArrayBuffer {
  const floor = [Float32Array.of(0, 0, 0, 0, 0, 1, 1, 0, 0), Uint32Array.of(0, 1, 2)];
  return message(1, 0, 7, { ...info(), ...change }, [rest, triangles, EDGES, Uint16Array.of(0, 1, 2, 1), ...floor]);
}

const POSITIONS = Uint16Array.of(0, 0, 0, 1000, 0, 0, 1000, 65535, 0, 0, 1000, 0);

function frame(flags = 0, generation = 7, json: object = { time: 0.5, step: 30, applied: 3 }): ArrayBuffer {
  const residuals = flags & 1 ? [Float32Array.of(0.25), Uint8Array.of(0, 51, 102, 255)] : [];
  return message(2, flags, generation, json, [Float32Array.of(-1, 0, 2, 0.001), POSITIONS, ...residuals]);
}

test("a topology is read with all its arrays", () => {
  const data = topology();
  assert.ok(isTopology(data));
  const read = decodeTopology(data);
  assert.equal(read.generation, 7);
  assert.equal(read.info.scene, "Tüch");
  assert.deepEqual(read.rest, REST);
  assert.deepEqual(read.triangles, TRIANGLES);
  assert.deepEqual(read.edges, EDGES);
  assert.deepEqual([...read.colourClass], [0, 1, 2, 1]);
  assert.deepEqual([...read.scenery[0].triangles], [0, 1, 2]);
});

test("a frame is read and its positions are origin plus unit times numbers", () => {
  const read = decodeFrame(frame(1), 7, 4)!;
  assert.ok(!isTopology(frame()));
  assert.equal(read.info.applied, 3);
  const x = new Float32Array(12);
  dequantise(read, x);
  assert.ok(Math.abs(x[3] - 0) < 1e-6 && Math.abs(x[7] - 65.535) < 1e-4 && x[2] === 2);
  assert.equal(read.residual!.largest, 0.25);
  assert.deepEqual([...read.residual!.parts], [0, 51, 102, 255]);
  assert.equal(decodeFrame(frame(), 7, 4)!.residual, null);
});

test("a frame of another topology is none", () => {
  assert.equal(decodeFrame(frame(0, 8), 7, 4), null);
});

test("whatever is cut off is refused, at any byte", () => {
  const whole = topology();
  for (let end = 0; end < whole.byteLength; end++) assert.throws(() => decodeTopology(whole.slice(0, end)), ProtocolError, `cut at ${end}`);
  const moved = frame(1);
  for (let end = 0; end < moved.byteLength; end++) assert.throws(() => decodeFrame(moved.slice(0, end), 7, 4), ProtocolError, `cut at ${end}`);
});

test("what is too long, of another version, or points beyond its array is refused", () => {
  const long = new Uint8Array(topology().byteLength + 4);
  long.set(new Uint8Array(topology()));
  assert.throws(() => decodeTopology(long.buffer), /arrays end at/);
  assert.throws(() => decodeTopology(message(1, 0, 7, info(), [], 2)), /version 2/);
  assert.throws(() => decodeTopology(topology({}, Uint32Array.of(0, 1, 4, 0, 2, 3))), /entry 2 is 4, must be below 4/);
  assert.throws(() => decodeTopology(topology({}, TRIANGLES, REST.map((x, i) => (i === 5 ? NaN : x)))), /entry 5 is NaN/);
  assert.throws(() => decodeTopology(topology({ vertices: -1 })), /vertices is -1/);
  assert.throws(() => decodeTopology(topology({ vertices: 1e12 })), /not a count/);
  const beyond = { name: "cloth", first: 2, vertices: 4, first_triangle: 0, triangles: 2, solid: false, colour: [1, 0, 0] };
  assert.throws(() => decodeTopology(topology({ bodies: [beyond] })), /ends at vertex 6 of 4/);
  assert.throws(() => decodeTopology(frame()), /type 2/);
  assert.throws(() => decodeFrame(topology(), 7, 4), /type 1/);
});

test("a text that is no JSON is refused", () => {
  const data = new Uint8Array(topology());
  data[12] = 0xff;
  assert.throws(() => decodeTopology(data.buffer), ProtocolError);
});

test("a recording is messages after their lengths", () => {
  const parts = [topology(), frame(), frame(0, 7, { time: 0.6, step: 31, applied: 3 })];
  const data = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    new DataView(data.buffer).setUint32(at, part.byteLength, true);
    data.set(new Uint8Array(part), at + 4);
    at += 4 + part.byteLength;
  }
  const recording = decodeRecording(data.buffer);
  assert.deepEqual(recording.frames.map(({ info }) => info.step), [30, 31]);
  assert.throws(() => decodeRecording(data.buffer.slice(0, -2)), /are left/);
  assert.throws(() => decodeRecording(new ArrayBuffer(0)), /empty/);
});

test("stretch at a vertex is that of its most stretched edge, with its sign", () => {
  const x = Float32Array.from(REST);
  x[0] = -0.1; // the edge 0-1 is 1.1 long
  x[7] = 0.7; // the edge 1-2 is 0.7 long
  const into = new Float32Array(4);
  stretches(x, Uint32Array.of(0, 1, 1, 2), restLengths(REST, Uint32Array.of(0, 1, 1, 2)), into);
  const near = [0.1, -0.3, -0.3, 0];
  into.forEach((value, i) => assert.ok(Math.abs(value - near[i]) < 1e-6, `${i}: ${value}`));
});

test("speeds are differences of positions over time", () => {
  const moved = REST.map((value, i) => value + (i < 3 ? 0.3 : 0));
  const into = new Float32Array(4);
  speeds(moved, REST, 0.1, into);
  assert.ok(Math.abs(into[0] - 3 * Math.sqrt(3)) < 1e-5 && into[1] === 0);
});

test("normals point to where triangles are counter-clockwise from", () => {
  const into = new Float32Array(12);
  normals(REST, TRIANGLES, into);
  for (let v = 0; v < 4; v++) assert.ok(into[3 * v] === 0 && into[3 * v + 1] === 0 && into[3 * v + 2] > 0);
});

test("outlines have each edge once", () => {
  assert.equal(outlines(TRIANGLES, 4).length / 2, 5);
});

test("a ray finds the nearest triangle and its nearest corner, from both sides", () => {
  const ray = (z: number, dz: number) => ({ origin: { x: 0.9, y: 0.8, z }, direction: { x: 0, y: 0, z: dz } }) as never;
  assert.deepEqual(meet(ray(2, -1), REST, TRIANGLES), { distance: 2, vertex: 2 });
  assert.equal(meet(ray(-3, 1), REST, TRIANGLES)?.distance, 3);
  assert.equal(meet(ray(2, 1), REST, TRIANGLES), null);
  assert.equal(beside(ray(10, -1), REST, 0.05, null)?.vertex, 2);
  assert.equal(beside(ray(10, -1), REST, 0.01, null), null);
  assert.equal(beside(ray(10, -1), REST, 0.2, [1])?.vertex, 1);
});

test("a range of colours covers what there is, and shrinks only when far too large", () => {
  const read = decodeTopology(topology());
  const colouring = new Colouring(read);
  colouring.setMode("stretch");
  const view = { x: REST.map((x) => 1.04 * x), before: REST, seconds: 0, frame: decodeFrame(frame(), 7, 4)! };
  const colours = new Float32Array(12);
  assert.ok(colouring.paint(view, colours));
  assert.deepEqual(colouring.legend()?.labels, ["−5 %", "0", "+5 %"]);
  view.x = REST.map((x) => 1.02 * x);
  assert.ok(!colouring.paint(view, colours));
  view.x = REST.map((x) => 1.001 * x);
  assert.ok(colouring.paint(view, colours));
  assert.ok(colours.every((value) => value >= 0 && value <= 1));
});

test("an edge is shortened by its whole length at most, and that has the last colour", () => {
  const colouring = new Colouring(decodeTopology(topology()));
  colouring.setMode("stretch");
  const view = { x: REST.map((x) => 41 * x), before: REST, seconds: 0, frame: decodeFrame(frame(), 7, 4)! };
  const colours = new Float32Array(12);
  colouring.paint(view, colours);
  assert.deepEqual(colouring.legend()?.labels, ["−100 %", "0", "+5000 %"]);
  // Vertex 1 is far away, and no edge of vertex 3 has any length.
  view.x = new Float32Array(12);
  view.x[3] = 41;
  colouring.paint(view, colours);
  const least = new Float32Array(3);
  paint(Float32Array.of(-1), -1, 1, table(DIVERGING), least);
  assert.deepEqual(colours.slice(9), least);
});

test("latency counts frames of the simulation, skipped ones too", () => {
  const latency = new Latency();
  for (const step of [10, 12, 14]) latency.received(step);
  latency.sent(5);
  latency.received(16);
  latency.drew(4, 16);
  assert.equal(latency.lastFrames, null);
  latency.received(22);
  latency.drew(6, 22);
  assert.equal(latency.lastFrames, 4);
  assert.ok(latency.last! >= 0);
});

test("a history forgets the oldest", () => {
  const history = new History();
  for (let i = 0; i < LENGTH + 10; i++) history.push(0, { ms: i, max_stretch: null, touching: 0 } as never);
  const { ms: ring } = history.views[0];
  assert.deepEqual([ring.count, ring.at(0), ring.at(LENGTH - 1)], [LENGTH, 10, LENGTH + 9]);
});

test("a view that is no longer there leaves nothing for the next one", () => {
  const history = new History();
  for (const view of [0, 1]) history.push(view, { ms: 1, max_stretch: null, touching: 0 } as never);
  history.forget(1);
  assert.deepEqual(history.views.map(({ ms: ring }) => ring.count), [1, 0]);
});

test("an error is told of the step that it is of, and only of one that was looked at to its end", () => {
  const shown = { method: "xpbd", step: 120, iterations: 54, ms: 4, gradient_norm: 0.002 };
  const points = (last: number) => [{ iteration: 0, relative_error: 1 }, { iteration: last, relative_error: 8.2e-6 }];
  const curve = { method: "xpbd", step: 120, iterations: 54, points: points(54) };
  const said = (change: object) => detail(shown as never, { ...curve, ...change } as never).replaceAll("\u00a0", " ");
  assert.equal(said({}), "4.0 ms · 54 it · error 8.2e-6");
  assert.equal(said({ step: 60, iterations: 50, points: points(50) }), "4.0 ms · 54 it · error 8.2e-6 after 50 it at step 60");
  for (const other of [{ method: "newton" }, { points: points(1) }, { step: 121 }, { points: [] }, { points: [{ iteration: 54, relative_error: null }] }]) {
    assert.equal(said(other), "4.0 ms · 54 it · gradient 2 mN", JSON.stringify(other));
  }
  assert.match(detail(shown as never, null), /gradient/);
  // Where there is little room every part fits into a line, and no number is broken.
  const narrow = detail(shown as never, { ...curve, step: 60 } as never, true);
  assert.equal(narrow, "4.0\u00a0ms · 54\u00a0it · error\u00a08.2e-6 · at\u00a0step\u00a060");
});

test("a recording that leaves frames out plays by their times and knows how many there were", () => {
  // Every third of twelve frames at 10 a second, and the last; from 3 s on.
  const timeline = new Timeline([3, 3.3, 3.6, 3.9, 4.1], 10);
  assert.ok(Math.abs(timeline.length - 1.2) < 1e-9, String(timeline.length));
  assert.equal(timeline.recorded, 12);
  assert.deepEqual([0, 0.29, 0.3, 0.89, 0.9, 1.09, 1.1, 9].map((seconds) => timeline.frameAt(seconds)), [0, 0, 1, 2, 3, 3, 4, 4]);
  for (let i = 0; i < 5; i++) assert.equal(timeline.frameAt(timeline.at(i)), i);
  assert.equal(new Timeline([0.5], 60).length, 1 / 60);
  for (const times of [[0, 1, 1], [0, NaN], [1, 0]]) assert.throws(() => new Timeline(times, 60), ProtocolError);
  assert.throws(() => new Timeline([0, 1], 0), ProtocolError);
});

test("slow motion is measured by the times of frames, and told only where it is slow", () => {
  const pace = new Pace();
  for (let i = 0; i < 60; i++) pace.push((1000 * i) / 60, i / 60);
  assert.equal(pace.slow, null);
  // From now on frames take ten times as long.
  for (let i = 0; i < 20; i++) pace.push(1000 + (10_000 * i) / 60, 1 + i / 60);
  assert.ok(Math.abs(pace.slow! - 0.1) < 0.02, String(pace.slow));
  // One frame is enough where it takes long.
  pace.clear();
  pace.push(0, 1);
  assert.equal(pace.slow, null);
  pace.push(700, 1 + 1 / 60);
  assert.ok(Math.abs(pace.slow! - 0.0238) < 1e-3);
  // A reset is no motion.
  pace.push(800, 0);
  assert.equal(pace.slow, null);
  const time = ROWS.find(({ label }) => label === "Time")!;
  assert.equal(time.text({ time: 1, step: 60 } as never, 0.1), "1.00 s · step 60 · ×\u00a00.1");
  assert.ok(time.alarming!({} as never, 0.1) && !time.alarming!({} as never, null));
});

test("one frame that took far longer does not take the plot from all others", () => {
  const ring = new Ring();
  for (let i = 0; i < 100; i++) ring.push(i === 50 ? 990 : 12 + (i % 5));
  assert.deepEqual(inView([ring]), { most: 16, largest: 990 });
  // What is a little larger is in view.
  const even = new Ring();
  for (let i = 0; i < 100; i++) even.push(i === 50 ? 30 : 12);
  assert.equal(inView([even, new Ring()]).most, 30);
  assert.deepEqual(inView([new Ring()]), { most: 0, largest: 0 });
});

test("what the views have is told of both where it differs", () => {
  const state = (...views: object[]) => ({ views }) as never;
  const view = (iterations: number | null, rho: number | null = null) => ({ iterations, rho });
  assert.equal(usual(state(view(30)), "iterations", "-"), "30");
  assert.equal(usual(state(view(30), view(30)), "iterations", "-"), "30");
  assert.equal(usual(state(view(69), view(25)), "iterations", "-"), "69 · 25");
  assert.equal(usual(state(view(null), view(null)), "iterations", "as the budget allows"), "as the budget allows");
  assert.equal(usual(state(view(1, 0.99), view(1)), "rho", "none"), "0.99 · none");
});

test("what a server that was started again has lost is told, and nothing else", () => {
  const state = (change: object) => ({
    begun: 1, scene: "drape", pins: [0, 8], settings: { rho: null, wind: null }, recording: { frames: 0 }, ...change,
  }) as never;
  const now = state({ begun: 2 });
  assert.deepEqual(lost(state({ pins: [3], recording: { frames: 9 } }), state({})), []);
  assert.deepEqual(lost(state({}), now), []);
  assert.equal(tellLost([]), null);
  assert.deepEqual(lost(state({ pins: [0, 8, 9], settings: { rho: 0.9 }, recording: { frames: 9 } }), now), ["settings", "pins", "the recording"]);
  assert.deepEqual(lost(state({ scene: "flag", pins: [7] }), now), ["the scene flag"]);
  assert.match(tellLost(["settings", "pins", "the recording"])!, /: settings, pins and the recording\.$/);
});

test("a text of the server that cannot be read is an error in words", () => {
  assert.equal(readTold('{"is":"notice","message":"x"}').is, "notice");
  for (const text of ["", "{", "null", "7", '"state"', "[]", "{}", '{"is":3}']) assert.throws(() => readTold(text), ProtocolError, text);
});

test("a step may take its share of a frame, or its budget", () => {
  assert.deepEqual(limitOfStep(null, 50, 4), { value: 5, label: "a frame's 4 steps: 5.0 ms each" });
  assert.deepEqual(limitOfStep(undefined, 50), { value: 20, label: "a frame is 20.0 ms" });
  assert.deepEqual(limitOfStep(3, 50, 4), { value: 3, label: "budget 3.0 ms" });
  assert.equal(limitOfStep(null, undefined, 4), null);
});

test("a budget like a time is one that may be set", () => {
  assert.deepEqual([0.0001, 4.128, 1e6, null, 0].map(budgetLike), [0.01, 4.1, 10_000, null, null]);
});

test("two views that are compared have what both have time for in a frame, or more where one step took more", () => {
  assert.equal(sharedBudget(0.5, 50, 4), 2);
  assert.equal(sharedBudget(70, 50, 1), 70);
  assert.equal(sharedBudget(null, 50, 1), null);
  assert.equal(sharedBudget(3, undefined, 1), 3);
});

test("why a server takes no connection is told with what to do", () => {
  for (const [status, says] of [[401, /other? ?token|another token/], [503, /Close one/], [403, /Open the address/]] as const) assert.match(refusal(status)!, says);
  for (const status of [0, 200, 400, 500]) assert.equal(refusal(status), null);
});

test("whoever watched lets the driver be first at the next server", () => {
  assert.deepEqual([0, 1, 2, 100].map((attempts) => wait(attempts, false)), [0.5, 1, 1, 5]);
  assert.deepEqual([0, 1, 2, 100].map((attempts) => wait(attempts, true)), [0.8, 1, 1, 5]);
});

test("a file is saved when all of it has come, or it is told why not", async () => {
  const real = globalThis.fetch;
  const answers = (answer: () => Promise<Response>) => ((globalThis.fetch = answer as never), fetched("http://127.0.0.1:1/recording.glb"));
  try {
    assert.equal(await answers(async () => new Response("others download; try again\n", { status: 503 })), "others download; try again");
    assert.equal(await answers(async () => new Response("", { status: 500 })), "the server answers 500");
    assert.equal(await answers(() => Promise.reject(new TypeError("refused"))), "the connection was lost");
    const cut = new ReadableStream({ start: (controller) => (controller.enqueue(new Uint8Array(9)), controller.error(new TypeError("cut"))) });
    assert.equal(await answers(async () => new Response(cut)), "the connection was lost");
    const whole = await answers(async () => new Response("glTF", { headers: { "content-disposition": 'attachment; filename="T-ch.glb"; filename*=UTF-8\'\'T%C3%BCch.glb' } }));
    assert.ok(typeof whole !== "string" && whole.name === "Tüch.glb" && (await whole.data.text()) === "glTF");
  } finally {
    globalThis.fetch = real;
  }
  assert.deepEqual([nameIn(null), nameIn('attachment; filename="a.obj"'), nameIn("attachment; filename*=UTF-8''%E0")], ["", "a.obj", ""]);
});

test("rounding is no alarm, a vertex inside a collider is", () => {
  const contact = ROWS.find(({ label }) => label === "Colliders")!;
  const alarming = (gap: number | null) => contact.alarming!({ min_gap: gap } as never, null);
  assert.deepEqual([null, 0.001, 0, -13.6e-9, -1e-5].map(alarming), [false, false, false, false, true]);
});

test("a reason has the room that a list has", () => {
  assert.equal(shortened("short"), "short");
  assert.equal(shortened("x".repeat(70), 10), `${"x".repeat(9)}…`);
});

test("a hand that the simulation has opened is open on the page, too", () => {
  const see = (frame: object): boolean => {
    let released = false;
    Hand.prototype.see.call({ grip: { n: 7 }, release: () => (released = true) } as never, frame as never);
    return released;
  };
  assert.equal(see({ applied: 6, held: [] }), false);
  assert.equal(see({ applied: 7, held: [3] }), false);
  assert.equal(see({ applied: 7, held: [] }), true);
});

test("what is wrong with a number is told in words", () => {
  const said = (validity: object, range = { min: "1", max: "100000", step: "1" }, unit = "") =>
    complaint("Iterations", unit, range, { valid: false, badInput: false, stepMismatch: false, ...validity });
  assert.equal(said({ valid: true }), null);
  assert.equal(said({ badInput: true }), "Iterations must be a number.");
  assert.equal(said({ stepMismatch: true }), "Iterations must be a whole number from 1 to 100,000.");
  assert.equal(said({}, { min: "-100", max: "100", step: "any" }, "m/s"), "Iterations must be from −100 to 100 m/s.");
  assert.equal(said({}, { min: "0", max: "0.999999", step: "any" }), "Iterations must be from 0 to 0.999999.");
});

test("numbers have units that people read", () => {
  assert.equal(ms(4.08), "4.1 ms");
  assert.equal(ms(123.4), "123 ms");
  assert.equal(percent(0.002), "0.2 %");
  assert.equal(percent(0), "0 %");
  assert.equal(si(0.012, "N"), "12 mN");
  assert.equal(si(0.9999, "N"), "1 N");
  assert.equal(si(-4e-6, "m"), "-4 µm");
  assert.equal(si(0, "J"), "0 J");
  assert.equal(si(null, "J"), "–");
  assert.equal(digits(12.34), "12.3");
  assert.equal(scientific(8.2e-6), "8.2e-6");
  assert.deepEqual([roundUp(0.004), roundUp(0.021), roundUp(1), roundUp(70), roundUp(0)], [0.005, 0.05, 1, 100, 1]);
});
