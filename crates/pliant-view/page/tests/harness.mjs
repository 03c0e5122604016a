// A server, a browser and pages for the tests; everything that is started here ends with the test that started it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const BINARY = resolve(process.env.PLIANT_BINARY ?? join(import.meta.dirname, "../../../../target/debug/pliant"));
/** A built page to try instead of the one in the binary. */
const PAGE = process.env.PLIANT_PAGE;
const CHROMIUM = process.env.PLIANT_CHROMIUM
  ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

export const SIDE = 31;
/** Frames a second: as many as a browser without a graphics card draws on two slow cores. */
export const RATE = 30;
/** A frame is not a step: more than one. */
export const STEPS = 2;
export const folder = mkdtempSync(join(tmpdir(), "pliant-page-"));

// Held at two corners, with a ball to bump into and no ground: what is not the background is the mesh or the ball.
const SCENE = `pliant = 1

[time]
frame_rate = ${RATE}
frames = 600
steps_per_frame = ${STEPS}

[[cloth]]
size = 1.0
resolution = ${SIDE}
density = "200 g/m^2"
position = [0, 1.2, 0]

[[pin]]
corners = ["-x-z", "+x-z"]

[[collider]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0, 0.3, 0]

[[force]]
kind = "damping"
rate = 2

[solver]
method = "pd-jacobi-chebyshev"
iterations = 30
`;
const scenes = join(folder, "scenes");
export const scene = join(scenes, "curtain.toml");

let browser = null;

export async function begin() {
  assert.ok(CHROMIUM, "the browser tests need Chromium; say where it is by PLIANT_CHROMIUM");
  assert.ok(existsSync(BINARY), `there is no ${BINARY}; build it, or say where it is by PLIANT_BINARY`);
  mkdirSync(scenes, { recursive: true });
  writeFileSync(scene, SCENE);
  writeFileSync(join(scenes, "smaller.toml"), SCENE.replace(`resolution = ${SIDE}`, "resolution = 11"));
  // Nothing slows its swing, and nothing else is there that would widen the picture.
  writeFileSync(join(scenes, "free.toml"), SCENE.split("\n\n").filter((part) => !/^\[\[(collider|force)/.test(part)).join("\n\n"));
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      // A page that does not come from the loopback network may not speak to it.
      ...(PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
}

export async function end() {
  await browser?.close();
}

/** `pliant view`, up and listening. */
export async function serve(port = 0, more = []) {
  const child = spawn(BINARY, ["view", scene, "--no-open", "--port", String(port), "--device", "cpu", ...more], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise((found, failed) => {
    const late = setTimeout(() => failed(new Error(`the server did not say where it is within 30 s:\n${said}`)), 30_000);
    const hear = (data) => {
      said += data;
      const address = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(said);
      if (!address) return;
      clearTimeout(late);
      found(address[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => failed(new Error(`the server ended with ${code}:\n${said}`)));
  });
  const stop = () => new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once("exit", () => done());
    child.kill("SIGKILL");
  });
  return { url, port: Number(new URL(url).port), stop, said: () => said };
}

/** A page of its own, without what others stored; `errors` is what went wrong on it. */
export async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 560 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  if (PAGE) await page.route(/^http:[^?]*:\d+\/$/, (route) => route.fulfill({ path: PAGE, contentType: "text/html" }));
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.setDefaultTimeout(15_000);
  await page.goto(url);
  await page.waitForFunction(() => window.pliant?.ready);
  return { page, context, errors };
}

/** Runs `act` with a server and a page, and sees that the page had no errors. */
export async function withPage(act, options = {}) {
  const server = await serve();
  try {
    const opened = await open(server.url, options);
    try {
      await act(opened.page, { ...opened, server });
      assert.deepEqual(opened.errors, []);
    } catch (error) {
      await opened.page.screenshot({ path: join(folder, `failed-${Date.now()}.png`) }).catch(() => {});
      throw error;
    } finally {
      await opened.context.close();
    }
  } finally {
    await server.stop();
  }
}

export const shot = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) });

/** Waits until `check` of what the page knows is true. */
export async function until(page, check, argument = null, timeout = 15_000) {
  await page.waitForFunction(check, argument, { timeout, polling: 50 });
}

export const frame = (page) => page.evaluate(() => window.pliant.lastFrame);
export const state = (page) => page.evaluate(() => window.pliant.state);
export const position = (page, vertex) => page.evaluate((v) => window.pliant.position(v), vertex);
export const project = (page, vertex) => page.evaluate((v) => window.pliant.project(v), vertex);

/** The picture as numbers: a part of it (left, right or all), coarse enough to be quick. */
export const pixels = (page, part = "all") => page.evaluate((which) => {
  const canvas = document.getElementById("canvas");
  const copy = document.createElement("canvas");
  copy.width = 240;
  copy.height = 160;
  const context = copy.getContext("2d", { willReadFrequently: true });
  const half = canvas.width / 2;
  const [from, width] = which === "all" ? [0, canvas.width] : which === "left" ? [0, half] : [half, half];
  context.drawImage(canvas, from, 0, width, canvas.height, 0, 0, 240, 160);
  return Array.from(context.getImageData(0, 0, 240, 160).data);
}, part);

/** How many of the 38,400 pixels differ by more than a little. */
export function differing(a, b) {
  let count = 0;
  for (let i = 0; i < a.length; i += 4) {
    if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24) count++;
  }
  return count;
}

/** How many differ from the top left one. */
export function drawn(picture) {
  const background = picture.map((_, i) => picture[i % 4]);
  return differing(picture, background);
}

/** The middle of the lower hem, once the cloth hangs there and nothing is before it. */
export const HEM = SIDE * (SIDE - 1) + Math.floor(SIDE / 2);

export async function hangs(page) {
  await until(page, () => window.pliant.lastFrame.time > 0.8, null, 30_000);
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
