import {
  type Asked,
  type FaultRule,
  MISFITS,
  type RequestFault,
  type Target,
  type WatchFault,
} from "../proxy/rules.ts";
import { AIMED } from "./cron_jobs.ts";
import type { Exception } from "./history.ts";
import type { Random } from "./random.ts";

/** One of the controllers by its number, or the one that leads. */
export type Which = number | "leader";

/** What is done to the processes of a world, so long after the beginning of an episode. */
export type Action =
  & { readonly afterMs: number }
  & (
    | { readonly do: "kill controller"; readonly which: Which }
    /** As a Deployment that is rolled out does. */
    | { readonly do: "end controller"; readonly which: Which }
    /** At the n-th request of the target from then on. */
    | {
      readonly do: "kill controller at request";
      readonly nth: number;
      readonly when: "before" | "after";
      readonly target?: Target;
    }
    | { readonly do: "pause controller"; readonly which: Which; readonly forMs: number }
    /** Connections that are open are forgotten on the way. */
    | { readonly do: "forget connections" }
    | { readonly do: "exhaust files" }
    | { readonly do: "set clock"; readonly offsetSeconds: number }
    | { readonly do: "kill server" }
    | { readonly do: "pause server"; readonly forMs: number }
    | { readonly do: "back up" }
    | { readonly do: "restore" }
    | { readonly do: "fill disk" }
    | { readonly do: "kill kubelet" }
    /** The kubelet is gone for good, and its Pods are deleted, as the Pod garbage collector does for a node that is gone. */
    | { readonly do: "lose node" }
  );

/** One fault that is to be borne, as data. */
export interface Fault {
  readonly lastsMs: number;
  readonly rules: readonly FaultRule[];
  readonly actions: readonly Action[];
}

/** Which processes there are. */
export type WorldName =
  | "one controller"
  | "one worker"
  | "leader and standby"
  | "two by mistake"
  | "a clock of its own"
  | "with Pods";

export interface FaultKind {
  readonly name: string;
  readonly world: WorldName;
  readonly aimedAt?: string;
  readonly exceptions?: readonly Exception[];
  readonly make: (random: Random) => Fault;
}

const WRITES: readonly Asked["verb"][] = ["create", "update", "patch", "delete"];
const NOT_DELETIONS: readonly Asked["verb"][] = ["get", "list", "watch", "create", "update", "patch"];
const READS: readonly Asked["verb"][] = ["get", "list", "watch"];
/** Seconds, dates of the past and of the future, nonsense, and nothing at all. */
const RETRY_AFTER = [
  ...["0", "1", "60", "3600", "1e9", "-1", "soon", ""],
  ...["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 2100 23:59:59 GMT"],
];

function retryAfter(random: Random): Record<string, string> {
  const text = random.of(RETRY_AFTER);
  return text === "" ? {} : { "retry-after": text };
}

function request(is: RequestFault, chance = 1, target: Target = {}): FaultRule {
  return { target, chance, fault: { of: "request", is } };
}

function watch(is: WatchFault, chance = 1): FaultRule {
  return { target: { verbs: ["watch"] }, chance, fault: { of: "watch", is } };
}

function answer(code: number, more: Partial<RequestFault & { kind: "answer" }> = {}): RequestFault {
  return { kind: "answer", code, body: "Status", ...more };
}

/** A fault of requests alone. */
function requests(name: string, rules: (random: Random) => readonly FaultRule[]): FaultKind {
  return {
    name,
    world: "one controller",
    make: (random) => ({ lastsMs: random.whole(2_000, 5_000), rules: rules(random), actions: [] }),
  };
}

function watches(name: string, is: (random: Random) => WatchFault): FaultKind {
  return requests(name, (random) => [watch(is(random), random.of([0.5, 1]))]);
}

/** Only requests for one namespace fail; those for all namespaces do not. */
function aimed(name: string, rule: (random: Random) => RequestFault): FaultKind {
  return {
    name,
    world: "one controller",
    aimedAt: AIMED,
    make: (random) => ({
      lastsMs: random.whole(4_000, 8_000),
      rules: [request(rule(random), 1, { namespace: AIMED })],
      actions: [],
    }),
  };
}

function processes(
  name: string,
  world: WorldName,
  make: (random: Random) => { lastsMs?: number; rules?: readonly FaultRule[]; actions: readonly Action[] },
  exceptions: readonly Exception[] = [],
): FaultKind {
  return { name, world, exceptions, make: (random) => ({ lastsMs: 3_000, rules: [], ...make(random) }) };
}

/** A controller is killed at one of its next requests, and so is its successor. */
function killedAtRequests(
  name: string,
  world: WorldName,
  most: number,
  moments: readonly Pick<Action & { do: "kill controller at request" }, "when" | "target">[],
): FaultKind {
  return processes(name, world, (random) => ({
    actions: [0, 1_500].map((afterMs) => ({
      afterMs,
      do: "kill controller at request",
      nth: random.whole(1, most),
      ...random.of(moments),
    })),
  }), ["deleted"]);
}

const BEFORE_OR_AFTER = [{ when: "before" }, { when: "after" }] as const;
const CREATIONS = { verbs: ["create"], resources: ["jobs"] } as const;

/** Every kind of fault. */
export const FAULT_KINDS: readonly FaultKind[] = [
  requests("reset-before", (random) => [request({ kind: "reset", when: "before" }, random.of([0.3, 1]))]),
  requests("reset-after", (random) => [request({ kind: "reset", when: "after" }, random.of([0.3, 0.7, 1]))]),
  // Neither an answer nor a watch shows what was done.
  requests("unheard", (random) => [
    request({ kind: "reset", when: "after" }, random.of([0.5, 1]), { verbs: WRITES }),
    watch({ kind: "stall" }),
  ]),
  requests("truncated", (random) => [request({ kind: "reset", when: "midway" }, random.of([0.3, 1]))]),
  requests("slow", (random) => [request({ kind: "delay", when: "before", ms: random.whole(200, 3_000) }, 0.7)]),
  requests("slow-after", (random) => [request({ kind: "delay", when: "after", ms: random.whole(200, 3_000) }, 0.7)]),
  requests("silent", (random) => [request({ kind: "silence", when: random.of(["before", "after"]) }, 0.3)]),
  requests("garbage", (random) => [request(answer(200, { body: "garbage", after: random.chance(0.5) }), 0.5)]),
  requests("empty", (random) => [request(answer(200, { body: "nothing", after: random.chance(0.5) }), 0.5)]),
  ...MISFITS.map((body) =>
    requests(`answered-with-${body.replaceAll(/[^a-z]+/gi, "-")}`, (random) => [
      // A deletion that was answered with a Status of success has to have been done.
      request(
        answer(201, { body, after: random.chance(0.5) }),
        random.of([0.5, 1]),
        { verbs: body === "success" ? NOT_DELETIONS : undefined },
      ),
    ])
  ),
  requests("5xx", (random) => [
    request(
      answer(random.of([500, 502, 503, 504]), { body: random.of(["Status", "garbage"]), after: random.chance(0.3) }),
      random.of([0.5, 1]),
    ),
  ]),
  requests("5xx-retry-after", (random) => [
    request(answer(random.of([500, 503, 504]), { headers: retryAfter(random) }), random.of([0.5, 1])),
  ]),
  requests("429", (random) => [
    request(answer(429, { headers: retryAfter(random), body: random.of(["Status", "garbage"]) }), random.of([0.5, 1])),
  ]),
  requests("401", (random) => [request(answer(401), random.of([0.5, 1]))]),
  requests("403", (random) => [request(answer(403), random.of([0.5, 1]))]),
  // A deletion that names a UID is answered so when the object is another one: that must not be invented.
  requests("409", (random) => [request(answer(409), random.of([0.5, 1]), { verbs: ["create", "update", "patch"] })]),
  // Long enough for Jobs to go away meanwhile, which only the next list can show.
  processes("410", "one controller", (random) => ({
    lastsMs: random.whole(4_000, 6_000),
    rules: [request(answer(410), 1, { verbs: READS }), watch({ kind: "gone" })],
    actions: [],
  })),
  watches("watch-mute", () => ({ kind: "mute" })),
  watches("watch-stalled", () => ({ kind: "stall" })),
  watches("watch-doubled", () => ({ kind: "double" })),
  requests(
    "watch-stale",
    () => [{ ...watch({ kind: "stale" }), target: { verbs: ["watch"], resources: ["cronjobs"] } }],
  ),
  watches("watch-delayed", (random) => ({ kind: "delay", ms: random.whole(100, 500) })),
  watches("watch-ended", () => ({ kind: "end" })),
  watches("watch-torn", () => ({ kind: "tear" })),
  watches("watch-gone", () => ({ kind: "gone" })),
  watches("watch-garbage", () => ({ kind: "garbage" })),
  aimed("one-namespace-429", (random) => answer(429, { headers: retryAfter(random) })),
  aimed("one-namespace-503", (random) => answer(503, { headers: retryAfter(random) })),
  aimed("one-namespace-403", () => answer(403)),
  aimed("one-namespace-slow", (random) => ({ kind: "delay", when: "before", ms: random.whole(1_000, 9_000) })),
  aimed("one-namespace-silent", () => ({ kind: "silence", when: "before" })),
  // It has all that was due meanwhile to catch up with, by fewer workers than the namespace has CronJobs.
  {
    name: "one-namespace-slow-from-start",
    world: "one worker",
    aimedAt: AIMED,
    exceptions: ["deleted"],
    make: () => ({
      lastsMs: 15_000,
      rules: [request({ kind: "delay", when: "before", ms: 10_000 }, 1, { namespace: AIMED, ...CREATIONS })],
      actions: [{ afterMs: 0, do: "kill controller", which: 0 }],
    }),
  },
  // The answers that are lost may be those to creations.
  processes("half-open", "one controller", () => ({ actions: [{ afterMs: 0, do: "forget connections" }] }), [
    "deleted",
  ]),
  processes("black-hole", "one controller", () => ({
    rules: [request({ kind: "silence", when: "before" })],
    actions: [{ afterMs: 0, do: "forget connections" }],
  }), ["deleted"]),
  processes("killed", "one controller", (random) => ({
    actions: [{ afterMs: random.whole(0, 2_000), do: "kill controller", which: 0 }],
  }), ["deleted"]),
  killedAtRequests("killed-at-request", "one controller", 40, BEFORE_OR_AFTER),
  // Jobs are there that no status knows of yet, and others delete some of them at that moment.
  killedAtRequests("killed-before-status", "one controller", 12, [
    { when: "after", target: CREATIONS },
    { when: "before", target: { verbs: ["update", "patch"], resources: ["cronjobs"] } },
  ]),
  processes("paused", "one controller", (random) => ({
    lastsMs: 7_000,
    actions: [{ afterMs: 0, do: "pause controller", which: 0, forMs: random.whole(1_000, 6_500) }],
  }), ["time"]),
  processes("few-files", "one controller", () => ({ lastsMs: 4_000, actions: [{ afterMs: 0, do: "exhaust files" }] })),
  processes("server-killed", "one controller", (random) => ({
    actions: [0, 1_500].slice(random.whole(0, 1)).map((afterMs) => ({ afterMs, do: "kill server" as const })),
  })),
  processes("server-paused", "one controller", (random) => ({
    actions: [{ afterMs: 0, do: "pause server", forMs: random.whole(1_000, 2_900) }],
  }), ["time"]),
  processes("server-restored", "one controller", (random) => ({
    lastsMs: 5_000,
    actions: [{ afterMs: 0, do: "back up" }, { afterMs: random.whole(1_000, 4_000), do: "restore" }],
  }), ["counts", "overlap"]),
  processes(
    "server-disk-full",
    "one controller",
    () => ({ lastsMs: 4_000, actions: [{ afterMs: 0, do: "fill disk" }] }),
  ),
  processes("leader-ended", "leader and standby", () => ({
    actions: [{ afterMs: 0, do: "end controller", which: "leader" }],
  })),
  // It keeps the Lease until its creations have come through: another leader would have started their times meanwhile.
  processes("leader-ended-amid-creations", "leader and standby", (random) => ({
    lastsMs: 8_000,
    rules: [request({ kind: "delay", when: "before", ms: random.whole(4_000, 6_000) }, 0.5, CREATIONS)],
    actions: [{ afterMs: 2_200, do: "end controller", which: "leader" }],
  })),
  processes("leader-killed", "leader and standby", () => ({
    actions: [{ afterMs: 0, do: "kill controller", which: "leader" }],
  }), ["deleted"]),
  processes("leader-paused", "leader and standby", () => ({
    lastsMs: 8_000,
    actions: [{ afterMs: 0, do: "pause controller", which: "leader", forMs: 7_000 }],
  }), ["time"]),
  processes("lease-refused", "leader and standby", (random) => ({
    lastsMs: 6_000,
    rules: [request(answer(random.of([500, 403, 429, 409])), 1, { resources: ["leases"] })],
    actions: [],
  })),
  // Creations of a former leader arrive when another one leads, and has counted their times as missed.
  processes("former-leader-late", "leader and standby", (random) => ({
    lastsMs: 6_000,
    rules: [
      request(answer(500), 1, { resources: ["leases"] }),
      request({ kind: "delay", when: "before", ms: random.whole(4_500, 6_500) }, 0.5, CREATIONS),
    ],
    actions: [],
  }), ["overlap", "again"]),
  processes("two-undisturbed", "two by mistake", () => ({ lastsMs: 4_000, actions: [] }), [
    "overlap",
    "counts",
    "again",
  ]),
  processes("two-one-killed", "two by mistake", (random) => ({
    actions: [{ afterMs: random.whole(0, 2_000), do: "kill controller", which: random.whole(0, 1) }],
  }), ["overlap", "counts", "again"]),
  processes("two-resets", "two by mistake", () => ({
    rules: [request({ kind: "reset", when: "after" }, 0.5, { verbs: WRITES })],
    actions: [],
  }), ["overlap", "counts", "again"]),
  processes("clock-ahead", "a clock of its own", (random) => jump(random.whole(2, 20)), ["time", "counts"]),
  processes("clock-behind", "a clock of its own", (random) => jump(-random.whole(2, 20)), ["time", "counts"]),
  killedAtRequests("pods-controller-killed", "with Pods", 40, BEFORE_OR_AFTER),
  processes("pods-resets", "with Pods", () => ({
    rules: [request({ kind: "reset", when: "after" }, 0.3, { verbs: WRITES })],
    actions: [],
  })),
  processes("pods-misfits", "with Pods", (random) => ({
    rules: [
      request(answer(201, { body: random.of(MISFITS), after: random.chance(0.5) }), 0.5, { verbs: NOT_DELETIONS }),
    ],
    actions: [],
  })),
  processes("pods-kubelet-killed", "with Pods", () => ({ actions: [{ afterMs: 0, do: "kill kubelet" }] })),
  processes("pods-node-lost", "with Pods", () => ({ actions: [{ afterMs: 0, do: "lose node" }] })),
  processes("pods-server-killed", "with Pods", () => ({ actions: [{ afterMs: 0, do: "kill server" }] })),
];

function jump(offsetSeconds: number): { lastsMs: number; actions: readonly Action[] } {
  return {
    lastsMs: 4_000 + Math.abs(offsetSeconds) * 500,
    actions: [{ afterMs: 0, do: "set clock", offsetSeconds }],
  };
}
