// What travels between the program and the page; docs/viewer.md says what each field means.

export type Vec3 = [number, number, number];

export interface BodyInfo {
  name: string;
  first: number;
  vertices: number;
  first_triangle: number;
  triangles: number;
  solid: boolean;
  colour: Vec3;
}

export interface SceneryInfo {
  name: string;
  points: number;
  triangles: number;
  colour: Vec3;
  endless: boolean;
  moves: boolean;
}

export interface TopologyInfo {
  scene: string;
  vertices: number;
  triangles: number;
  edges: number;
  colours: number;
  frame_rate: number;
  bodies: BodyInfo[];
  scenery: SceneryInfo[];
  low: Vec3;
  high: Vec3;
}

export interface FrameInfo {
  time: number;
  step: number;
  applied: number;
  /** Null before the first step, as all that a step is measured by. */
  ms: number | null;
  frame_ms: number | null;
  /** Of the last step. */
  iterations: number;
  energy: number | null;
  gradient_norm: number | null;
  max_stretch: number | null;
  mean_stretch: number | null;
  min_gap: number | null;
  touching: number;
  inverted: number;
  restarts: number;
  retries: number;
  over_budget: boolean;
  /** Empty in recordings, which know times and positions only. */
  method: string;
  poses: (number[] | null)[];
  held: number[];
  /** What makes the last step hard to believe. */
  doubt?: string | null;
  error: string | null;
}

export interface Method {
  name: string;
  iterations: number;
  fits: boolean;
  /** Why it does not fit, and what it is good for, where the server says so. */
  why?: string | null;
  summary?: string;
}

export interface Settings {
  method: string | null;
  iterations: number | null;
  rho: number | null;
  budget_ms: number | null;
  stiffness: number | null;
  gravity: Vec3 | null;
  wind: Vec3 | null;
  compare: string | null;
}

export interface State {
  is: "state";
  version: number;
  /** When the server was, ms since 1970. */
  begun: number;
  you_drive: boolean;
  clients: number;
  playing: boolean;
  busy: string | null;
  /** Why the scene stands still, where the server says so. */
  error?: string | null;
  scene: string;
  scenes: string[];
  device: string;
  precision: string;
  steps_per_frame: number;
  methods: Method[];
  /** Without `iterations` where only a budget ends steps. */
  views: { method: string; iterations: number | null; rho: number | null }[];
  settings: Settings;
  scene_says: Partial<Settings>;
  pins: number[];
  show: { residual: boolean; curve: boolean };
  recording: { on: boolean; frames: number; seconds: number; full: boolean };
}

export interface CurvePoint {
  iteration: number;
  ms: number;
  gradient_norm: number | null;
  relative_error: number | null;
}

export interface Curve {
  is: "curve";
  view: number;
  /** That of the frame which ends with it. */
  step: number;
  method: string;
  /** As many as the step made; of very many the curve has the first only. */
  iterations: number;
  points: CurvePoint[];
}

export type Told =
  | State
  | Curve
  | { is: "refused"; n?: number; message: string }
  | { is: "notice"; message: string };

export type Command =
  | { do: "drive" | "seen" | "play" | "pause" | "step" | "reset" | "release" }
  | { do: "grab"; vertex: number; target: Vec3; radius?: number }
  | { do: "drag"; target: Vec3 }
  | { do: "pin"; vertex: number; on: boolean }
  | ({ do: "set" } & Partial<Settings>)
  | { do: "scene"; name: string }
  | { do: "show"; residual: boolean; curve: boolean }
  | { do: "record"; on: boolean };
