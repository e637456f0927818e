import { setTimeout as pause } from "node:timers/promises";
import type { Case, Json, RecordedRequest, RecordedResponse, Step } from "./case.ts";
import { differences, failedAsserts, lookup, prepare, withoutWords } from "./compare.ts";
import { lines } from "../../support/lines.ts";

/** A server to play cases against. */
export interface Target {
  readonly url: string;
  readonly caCertificate: string;
  /** Of a member of `system:masters`. */
  readonly token: string;
  /** Of a user without any rights. */
  readonly nobodyToken: string;
}

type Variables = Record<string, string>;

const KEPT_HEADERS = ["content-type", "warning", "allow", "retry-after", "www-authenticate", "location", "deprecation"];
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
/** How long a watch has for the frames that are expected of it. */
const FRAMES_TIMEOUT_MS = 120_000;
/** After the last expected frame, no other may come within this. */
const QUIET_MS = 250;
const RETRY_MS = 50;
/** How long a step is tried again that had to be when it was recorded. */
const PATIENCE_MS = 120_000;

/** Plays recorded conversations against a server, and says where it answers otherwise. */
export class Replayer implements Disposable {
  readonly #target: Target;
  readonly #fixtures: Record<string, Json>;
  readonly #http: Deno.HttpClient;

  constructor(target: Target, fixtures: Record<string, Json>) {
    this.#target = target;
    this.#fixtures = fixtures;
    this.#http = Deno.createHttpClient({ caCerts: [target.caCertificate] });
  }

  [Symbol.dispose](): void {
    this.#http.close();
  }

  /** @returns what differs, one a line */
  async play(conversation: Case): Promise<string[]> {
    const variables: Variables = {
      ns: `g-${randomLetters(8)}`,
      id: randomLetters(5),
      nobodyToken: this.#target.nobodyToken,
    };
    await this.#setUp(conversation, variables);
    const problems: string[] = [];
    for (const [index, step] of conversation.steps.entries()) {
      problems.push(...await this.#step(conversation, step, variables, `step ${index + 1}`));
    }
    if (conversation.namespace !== false) {
      await this.#call({ method: "DELETE", path: `/api/v1/namespaces/${variables.ns}` }, variables);
    }
    return problems;
  }

  async #setUp({ namespace, fixtures = [] }: Case, variables: Variables): Promise<void> {
    if (namespace !== false) {
      const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: variables.ns } };
      const { status } = await this.#call({ method: "POST", path: "/api/v1/namespaces", body }, variables);
      if (status !== 201) throw new Error(`Cannot make namespace ${variables.ns}: status ${status}`);
    }
    for (const fixture of fixtures) {
      const definition = this.#fixtures[fixture];
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      await this.#call({ method: "POST", path, body: definition }, variables);
      const { group, versions, names } = definition.spec;
      const served = `/apis/${group}/${versions[0].name}/${names.plural}`;
      while ((await this.#call({ method: "GET", path: served }, variables)).status !== 200) await pause(RETRY_MS);
    }
  }

  async #step(of: Case, step: Step, variables: Variables, label: string): Promise<string[]> {
    const deadline = performance.now() + (step.retrySeconds ? PATIENCE_MS : 0);
    for (;;) {
      const problems: string[] = [];
      const response = step.response.frames
        ? await this.#watch(of, step, variables, async () => {
          for (const [index, trigger] of (step.triggers ?? []).entries()) {
            problems.push(...await this.#step(of, trigger, variables, `${label}.${index + 1}`));
          }
        })
        : await this.#call(step.request, variables);
      const different = differences(
        withoutWords(fill(step.response, variables)),
        prepare(response, step, of),
        "",
        step.loose,
      );
      if (different.length && performance.now() < deadline) {
        await pause(RETRY_MS);
        continue;
      }
      for (const [name, path] of Object.entries(step.capture ?? {})) {
        variables[name] = String(lookup(response.frames ?? response.body, path) ?? "");
      }
      const where = `${label} ${step.request.method} ${fill(step.request.path, variables)}`;
      return [...problems, ...[...different, ...failedAsserts(step, variables)].map((text) => `${where}: ${text}`)];
    }
  }

  async #call(request: RecordedRequest, variables: Variables): Promise<RecordedResponse> {
    const response = await this.#fetch(request, variables);
    const text = await response.text();
    const out: RecordedResponse = { status: response.status, headers: keptHeaders(response) };
    if (request.method === "HEAD") return out;
    if (/^[{[]/.test(text) && !response.headers.get("content-type")?.includes("yaml")) out.body = JSON.parse(text);
    else if (text) out.text = text;
    return out;
  }

  async #watch(
    of: Case,
    step: Step,
    variables: Variables,
    triggers: () => Promise<void>,
  ): Promise<RecordedResponse> {
    const stop = new AbortController();
    const response = await this.#fetch(step.request, variables, stop.signal);
    const frames: Json[] = [];
    let closes = false;
    let wake = () => {};
    const reading = (async () => {
      try {
        for await (const line of lines(response.body!)) {
          if (line) frames.push(JSON.parse(line));
          wake();
        }
      } catch (error) {
        if (!stop.signal.aborted) throw error;
        return;
      }
      closes = true;
      wake();
    })();
    await triggers();
    const wanted = step.response.frames!.length;
    const complete = () => closes || (!step.response.closes && countOf(frames, step, of) >= wanted);
    const deadline = performance.now() + FRAMES_TIMEOUT_MS;
    while (!complete() && performance.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        wake = () => (clearTimeout(timer), resolve());
      });
    }
    if (!step.response.closes && !closes) await pause(QUIET_MS);
    const out = { status: response.status, headers: keptHeaders(response), frames: [...frames], closes };
    stop.abort();
    await reading;
    return out;
  }

  async #fetch(recorded: RecordedRequest, variables: Variables, signal?: AbortSignal): Promise<Response> {
    const request: RecordedRequest = fill(recorded, variables);
    const body = request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const headers: Record<string, string> = {
      accept: "application/json",
      "user-agent": "goldens",
      authorization: `Bearer ${this.#target.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      if (value === null) delete headers[name];
      else headers[name] = value;
    }
    const query = request.query ? `?${new URLSearchParams(request.query)}` : "";
    return await fetch(this.#target.url + request.path + query, {
      method: request.method,
      headers,
      // Text would be given a content-type of its own.
      body: body === undefined ? null : new TextEncoder().encode(body),
      signal: signal ?? null,
      client: this.#http,
      redirect: "manual",
    });
  }
}

function countOf(frames: Json[], step: Step, of: Case): number {
  return prepare({ status: 200, frames }, step, of).frames!.length;
}

function keptHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => response.headers.has(name) ? [[name, response.headers.get(name)!]] : []),
  );
}

/** Puts values in the place of `{{name}}`, in keys too. */
function fill<T extends Json>(value: T, variables: Variables): T {
  const text = (from: string) => from.replace(/\{\{([\w.-]+)\}\}/g, (all, name) => variables[name] ?? all);
  const walk = (at: Json): Json => {
    if (typeof at === "string") return text(at);
    if (Array.isArray(at)) return at.map(walk);
    if (typeof at !== "object" || at === null) return at;
    return Object.fromEntries(Object.entries(at).map(([key, inner]) => [text(key), walk(inner)]));
  };
  return walk(value);
}

function randomLetters(count: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => LETTERS[byte % LETTERS.length]).join("");
}
