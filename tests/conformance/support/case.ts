/** Any JSON value. */
// deno-lint-ignore no-explicit-any
export type Json = any;

/** Keeps, of the list (or the keys of the object) at `path`, only the named entries. */
export interface Select {
  path: string;
  key?: string;
  values: string[];
}

export interface RecordedRequest {
  method: string;
  path: string;
  query?: Record<string, string>;
  /** `null` leaves a header out. */
  headers?: Record<string, string | null>;
  body?: Json;
  /** Sent as it is. */
  rawBody?: string;
}

export interface RecordedResponse {
  status: number;
  headers?: Record<string, string>;
  body?: Json;
  text?: string;
  /** Of a watch. */
  frames?: Json[] | undefined;
  /** Whether the server ends the watch by itself. */
  closes?: boolean;
}

export interface Step {
  note?: string;
  request: RecordedRequest;
  /** Done once the watch is open. */
  triggers?: Step[];
  /** Name -> path into the answer: `{{name}}` stands for the value in everything later. */
  capture?: Record<string, string>;
  select?: Select[];
  /** Paths where only the type must agree. */
  loose?: string[];
  /** Paths of lists in no fixed order. */
  unordered?: string[];
  ignoreBookmarks?: boolean;
  /** Repeat the request until the answer matches, or this is over. */
  retrySeconds?: number;
  response: RecordedResponse;
  /** `rv1 < rv2`, `a == b`, `a != b`. */
  asserts?: string[];
}

/** A short conversation with a kube-apiserver 1.36, as it was recorded. */
export interface Case {
  name: string;
  theme: string;
  title: string;
  why: string;
  /** What a server must have for this case: `compaction`, `gc`. */
  needs?: string[];
  lacks?: string[];
  /** Keys of fixtures.json: objects that are there before. */
  fixtures?: string[];
  managedFields?: boolean;
  /** @default true: a fresh namespace `{{ns}}` is made first */
  namespace?: boolean;
  steps: Step[];
}

const HERE = new URL("..", import.meta.url);

export function readCases(): Case[] {
  return [...Deno.readDirSync(new URL("cases/", HERE))]
    .map(({ name }) => name).filter((name) => name.endsWith(".json")).sort()
    .map((name) => JSON.parse(Deno.readTextFileSync(new URL(`cases/${name}`, HERE))));
}

export function readFixtures(): Record<string, Json> {
  return JSON.parse(Deno.readTextFileSync(new URL("fixtures.json", HERE)));
}
