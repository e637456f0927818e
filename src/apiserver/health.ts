import { type Answer, text } from "./http/exchange.ts";

const ALWAYS = ["ping", "log", "etcd"];
/** Whether what starts with the server has caught up. */
const STARTED = "informer-sync";

/** The checks of each endpoint in the order of its answer, by the names that clients know. */
const ENDPOINTS: Readonly<Record<string, readonly string[]>> = {
  healthz: ALWAYS,
  livez: ALWAYS,
  readyz: [...ALWAYS, STARTED],
};

/** Returns the answer of an endpoint, or of one of its checks, to any method; undefined for a path of none. */
export function healthAnswer(path: string, query: URLSearchParams, isReady: () => boolean): Answer | undefined {
  const [, endpoint = "", check] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? [];
  const checks = ENDPOINTS[endpoint];
  if (!checks || (check && !checks.includes(check))) return undefined;
  const failed = isReady() ? [] : [STARTED];
  if (check) {
    return failed.includes(check) ? text(500, "internal server error: informers not started yet\n") : text(200, "ok");
  }
  const lines = checks.map((name) => failed.includes(name) ? `[-]${name} failed: reason withheld` : `[+]${name} ok`);
  const isWell = !checks.some((name) => failed.includes(name));
  const report = [...lines, `${endpoint} check ${isWell ? "passed" : "failed"}`, ""].join("\n");
  return isWell ? text(200, query.has("verbose") ? report : "ok") : text(500, report);
}
