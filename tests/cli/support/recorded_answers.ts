import { type Json, readCases, type RecordedResponse, type Step } from "../../conformance/support/case.ts";
import { lookup } from "../../conformance/support/compare.ts";
import { must } from "../../support/expected.ts";
import { kubeconfig } from "../../support/kubeconfig.ts";
import { serve } from "../../support/serve.ts";

/** What placeholders of recordings stand for here. */
const NAMESPACE = "team-a";
const CREATED = "2026-01-02T02:30:00Z";
const VERSION = "100";

/** One request of a recorded conversation, and what kube-apiserver answered. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly response: RecordedResponse;
}

const CASES = new Map(readCases().map((one) => [one.name, one]));
const FILLED = new Map<string, readonly Recorded[]>();

/** Gives a step of a recorded conversation, with values in the place of its placeholders. */
export function recorded(name: string, step: number): Recorded {
  if (!FILLED.has(name)) FILLED.set(name, filled(CASES.get(name)!.steps));
  return must(FILLED.get(name)![step]);
}

/** The object, or the list, that was answered. */
export function recordedBody(name: string, step: number): Json {
  return structuredClone(recorded(name, step).response.body);
}

/** Gives a recorded answer to another request, with other words for what it is about where it names that. */
export function insteadOf(
  what: string,
  { response }: Recorded,
  words: Readonly<Record<string, string>> = {},
): Recorded {
  const [method = "", path = ""] = what.split(" ");
  let text = JSON.stringify(response);
  for (const [from, to] of Object.entries(words)) text = text.replaceAll(from, to);
  return { method, path, response: JSON.parse(text) };
}

/**
 * Gives a recorded Job as a run of a recorded CronJob: with its name, the owner reference as one was recorded, and the time
 * that kube-controller-manager notes. No recording has all of that, as no controller was there.
 */
export function runOf(cronJob: Json, at: string, job: Json): Json {
  const name = `${cronJob.metadata.name}-${Date.parse(at) / 60_000}`;
  const named = JSON.parse(
    JSON.stringify(job).replaceAll(job.metadata.uid, uidOf(name)).replaceAll(`"${job.metadata.name}"`, `"${name}"`),
  );
  const [owner] = recordedBody("delete-owner-references", 1).metadata.ownerReferences;
  named.metadata = {
    ...named.metadata,
    creationTimestamp: at,
    annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": at },
    ownerReferences: [{ ...owner, name: cronJob.metadata.name, uid: cronJob.metadata.uid }],
  };
  return named;
}

/** Gives a recorded Pod as one of a Job. */
export function podOf(job: Json, pod: Json): Json {
  const { name, uid } = job.metadata;
  const labels = { "job-name": name };
  const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }];
  return { ...pod, metadata: { ...pod.metadata, name: `${name}-x`, labels, ownerReferences } };
}

function filled(steps: readonly Step[]): Recorded[] {
  const variables: Record<string, string> = { ns: NAMESPACE };
  return steps.map(({ request, response, capture = {} }) => {
    const full = fill({ method: request.method, path: request.path, response }, variables);
    for (const [name, path] of Object.entries(capture)) variables[name] = String(lookup(full.response.body, path));
    return full;
  });
}

function fill(value: Json, variables: Readonly<Record<string, string>>, name = ""): Json {
  if (typeof value === "string") {
    return value.replace(/\{\{([\w.-]+)\}\}/g, (all, variable) => variables[variable] ?? all)
      .replaceAll("<uid>", uidOf(name)).replaceAll("<rv>", VERSION).replaceAll("<time>", CREATED);
  }
  if (Array.isArray(value)) return value.map((inner) => fill(inner, variables, name));
  if (typeof value !== "object" || value === null) return value;
  const own = value.metadata?.name ?? name;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, variables, own)]));
}

function uidOf(name: string): string {
  return `uid-of-${name}`;
}

/** Lists as they were recorded, in the place of whose items others may stand. */
const LISTS: Readonly<Record<string, readonly [group: string, recordedIn: string, step: number]>> = {
  CronJob: ["/apis/batch/v1", "cronjob-list", 0],
  Job: ["/apis/batch/v1", "job-status-complete", 6],
  Pod: ["/api/v1", "pod-status", 5],
  Event: ["/api/v1", "event-core", 5],
};

/** What a server has, and what it answers to some requests instead: one after the other, the last one again and again. */
export interface Scene {
  readonly objects?: readonly Json[];
  readonly answers?: readonly Recorded[];
}

/** Answers over a real socket as a kube-apiserver was recorded to. */
export class RecordedServer implements AsyncDisposable {
  /** What was asked, such as `PATCH /apis/…`. */
  readonly requests: string[] = [];
  readonly #server = serve(async (request) => {
    await request.body?.cancel();
    const { status, headers, body, text } = this.#answer(request.method, new URL(request.url));
    return new Response(body === undefined ? text ?? null : JSON.stringify(body), { status, headers: headers ?? {} });
  });
  #objects: readonly Json[] = [];
  #answers: Recorded[] = [];

  get url(): string {
    return this.#server.url;
  }

  /** A kubeconfig that leads here, into the namespace of the recordings. */
  get kubeconfig(): string {
    return kubeconfig({ cluster: { server: this.url }, namespace: NAMESPACE });
  }

  /** From now on answers so. */
  show({ objects = [], answers = [] }: Scene): void {
    this.#objects = objects;
    this.#answers = [...answers];
    this.requests.length = 0;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#server[Symbol.asyncDispose]();
  }

  #answer(method: string, { pathname, searchParams }: URL): RecordedResponse {
    this.requests.push(`${method} ${pathname}`);
    const same = this.#answers.filter((one) => one.method === method && one.path === pathname);
    if (same.length > 1) this.#answers.splice(this.#answers.indexOf(must(same[0])), 1);
    if (same.length > 0) return must(same[0]).response;
    if (method === "GET" && pathname === "/version") return recorded("discovery-version", 0).response;
    if (method === "GET" && pathname === "/apis/batch/v1") return recorded("discovery-batch-v1", 0).response;
    return this.#list(pathname, searchParams.get("fieldSelector")) ?? this.#object(method, pathname);
  }

  #list(path: string, selector: string | null): RecordedResponse | undefined {
    for (const [kind, [group, recordedIn, step]] of Object.entries(LISTS)) {
      const plural = `${kind.toLowerCase()}s`;
      if (path !== `${group}/namespaces/${NAMESPACE}/${plural}` && path !== `${group}/${plural}`) continue;
      const { response } = recorded(recordedIn, step);
      const items = this.#objects.filter((object) => object.kind === kind && isSelected(object, selector))
        // As Kubernetes' own kinds lie in lists.
        .map(({ kind: _, apiVersion: __, ...object }) => object);
      return { ...response, body: { ...response.body, items } };
    }
    return undefined;
  }

  #object(method: string, path: string): RecordedResponse {
    const [, group, , plural, name] = /^\/apis?\/(?:([^/]+)\/)?v1\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ??
      [];
    if (method !== "GET" || name === undefined) return recorded("error-not-found", 5).response;
    const object = this.#objects.find(({ kind, metadata }) =>
      `${kind.toLowerCase()}s` === plural && metadata.name === name
    );
    const { response } = recorded("error-not-found", 0);
    if (object) return { ...response, status: 200, body: object };
    const resource = group === undefined ? plural : `${plural}.${group}`;
    const message = response.body.message.replace("cronjobs.batch", resource).replace("absent", name);
    return { ...response, body: { ...response.body, message, details: { name, group, kind: plural } } };
  }
}

/** Whether a field selector of what the commands ask for takes an object in; labels are not looked at. */
function isSelected(object: Json, selector: string | null): boolean {
  return (selector ?? "").split(",").filter(Boolean).every((term) => {
    const [, path = "", operator, value] = /^([^!=]+)(!?=)=?(.*)$/.exec(term)!;
    const found = path === "status.successful" ? object.status?.succeeded ?? 0 : lookup(object, path) ?? "";
    return (String(found) === value) === (operator === "=");
  });
}
