import type { Random } from "../suite/random.ts";

/** What a request asks for, as RBAC would say it. */
export interface Asked {
  readonly verb: "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";
  /** The plural; empty for what is about no resource. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Which requests a fault is for; what is left out may be anything. */
export interface Target {
  readonly verbs?: readonly Asked["verb"][] | undefined;
  readonly resources?: readonly string[];
  readonly namespace?: string;
}

/** Bodies of an answer that is well formed, and of something else. */
export const MISFITS = ["success", "a kind of nobody's", "an empty object", "another Job", "another kind"] as const;
export type Misfit = typeof MISFITS[number];

/** What becomes of a request. */
export type RequestFault =
  /** An answer that is not the server's; with `after`, once the server has done what was asked. */
  | {
    readonly kind: "answer";
    readonly code: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: "Status" | "garbage" | "nothing" | Misfit;
    readonly after?: boolean;
  }
  /** The connection ends: before the server has seen the request, after that, or in the middle of the answer. */
  | { readonly kind: "reset"; readonly when: "before" | "after" | "midway" }
  | { readonly kind: "delay"; readonly when: "before" | "after"; readonly ms: number }
  /** There is never an answer. */
  | { readonly kind: "silence"; readonly when: "before" | "after" };

/** What becomes of a watch, whether it is open already or opened now. */
export type WatchFault =
  /** It stays open, and shows nothing any more: not even when the fault is over. */
  | { readonly kind: "mute" }
  /** It shows nothing, and everything when the fault is over. */
  | { readonly kind: "stall" }
  | { readonly kind: "double" }
  /** Each event of an object is followed by the one before it, until the fault is over: another server answers, and lags. */
  | { readonly kind: "stale" }
  | { readonly kind: "delay"; readonly ms: number }
  /** It ends in order; or in the middle of an event. */
  | { readonly kind: "end" }
  | { readonly kind: "tear" }
  /** Its version is forgotten. */
  | { readonly kind: "gone" }
  | { readonly kind: "garbage" };

/** Faults for some requests, as data. */
export interface FaultRule {
  readonly target: Target;
  /** Of each request, or watch. */
  readonly chance: number;
  readonly fault: { readonly of: "request"; readonly is: RequestFault } | {
    readonly of: "watch";
    readonly is: WatchFault;
  };
}

/** `POST /apis/batch/v1/namespaces/a/jobs` as what is asked for. */
export function askedFor(method: string, url: URL): Asked {
  const path = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?/.exec(
    url.pathname,
  );
  const [, namespace, resource = "", name] = path ?? [];
  const verbs = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" } as const;
  const reading = url.searchParams.get("watch") ? "watch" : path && name === undefined ? "list" : "get";
  return { verb: verbs[method as keyof typeof verbs] ?? reading, resource, namespace, name };
}

export function hits({ verbs, resources, namespace }: Target, asked: Asked): boolean {
  return (verbs?.includes(asked.verb) ?? true) && (resources?.includes(asked.resource) ?? true) &&
    (namespace === undefined || namespace === asked.namespace);
}

/** The first rule that is for it and takes its chance. */
export function requestFaultFor(rules: readonly FaultRule[], asked: Asked, random: Random): RequestFault | undefined {
  for (const { target, chance, fault } of rules) {
    if (fault.of === "request" && hits(target, asked) && random.chance(chance)) return fault.is;
  }
  return undefined;
}

export function watchFaultFor(rules: readonly FaultRule[], asked: Asked, random: Random): WatchFault | undefined {
  for (const { target, chance, fault } of rules) {
    if (fault.of === "watch" && hits(target, asked) && random.chance(chance)) return fault.is;
  }
  return undefined;
}
