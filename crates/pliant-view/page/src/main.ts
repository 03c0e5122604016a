import "./style.css";
import { find } from "./dom.ts";
import { Live } from "./live.ts";
import { banner } from "./notices.ts";
import { Replay } from "./replay.ts";

// In parts, which no minifier joins: the server looks for the whole in the page.
const LIVE = ["PLIANT", "RECORDING"];

function start(): void {
  const canvas = find("canvas") as HTMLCanvasElement;
  const recording = find("recording").textContent?.trim() ?? "";
  if (recording === LIVE.join("-")) new Live(canvas);
  else new Replay(canvas, recording);
}

try {
  start();
} catch (error) {
  banner("broken", error instanceof Error ? error.message : String(error));
  throw error;
}
