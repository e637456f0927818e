import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
import { CRON_JOBS, JOBS, NAMESPACES } from "../../../src/kube/resource.ts";
import { PAGE_COMMANDS } from "../../../src/cli/shared/page_commands.ts";
import type { Commands } from "../../../src/dashboard/commands.ts";
import { openLocalDashboard } from "../../../src/dashboard/open_local.ts";
import { type Clock, SystemClock } from "../../../src/base/clock.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";
import { jobOf } from "../../support/job.ts";

/** A dashboard for who owns the client, listening on any free port. */
export interface TestDashboard extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** A new code to come in with. */
  code(): string;
  /** Comes in by a new code; gives the cookie. */
  logIn(): Promise<string>;
  /** As the page asks, once a visitor is logged in. */
  get(path: string): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
}

export function startTestDashboard(
  { client, clock = new SystemClock(), isReadOnly = false, namespaces = [], commands = PAGE_COMMANDS }: {
    client: KubeClient;
    clock?: Clock;
    isReadOnly?: boolean;
    namespaces?: string[];
    commands?: Commands;
  },
): TestDashboard {
  const session = { isReadOnly, server: "https://127.0.0.1:6444", namespaces };
  const address = { hostname: "127.0.0.1", port: 0 };
  const { dashboard, link } = openLocalDashboard({ client, clock, address, session, commands });
  const origin = `http://127.0.0.1:${dashboard.port}`;
  const stop = new AbortController();
  const running = dashboard.run(stop.signal);
  const code = () => new URL(link()).hash.slice("#code=".length);
  const post = (path: string, body: unknown, headers = {}) =>
    fetch(origin + path, {
      method: "POST",
      headers: { origin, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const logIn = async () => {
    const response = await post("/api/login", { code: code() });
    await response.body?.cancel();
    return response.headers.get("set-cookie")!.replace(/;.*/, "");
  };
  let cookie: Promise<string> | undefined;
  return {
    port: dashboard.port,
    origin,
    code,
    logIn,
    get: async (path) => await fetch(origin + path, { headers: { cookie: await (cookie ??= logIn()) } }),
    post: async (path, body) => await post(path, body, { cookie: await (cookie ??= logIn()) }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** An answer to a request that is sent byte by byte as it is given: what `fetch` would not send. */
export async function rawRequest(port: number, head: readonly string[], body = ""): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const lines = [...head, "Connection: close", `Content-Length: ${body.length}`, "", body];
  await connection.write(new TextEncoder().encode(lines.join("\r\n")));
  let text = "";
  for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) text += chunk;
  return text;
}

/** The lines of a stream, each read as JSON. */
export async function* linesOf<T>(response: Response): AsyncGenerator<T> {
  let rest = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Makes a CronJob of `batch/v1`, and its namespace where there is none. */
export async function applyCronJob(
  client: KubeClient,
  { namespace = "default", name, spec = {} }: { namespace?: string; name: string; spec?: object },
): Promise<void> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
    .catch((error) => {
      if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
    });
  const given = { name, namespace, spec: { schedule: "0 2 * * *", ...spec } };
  await client.create(BATCH.resource, cronJobOf(BATCH, given));
}

/** A run of it that has failed, as its Job shows. @param minute its scheduled time, in minutes since 1970 */
export async function addFailedJob(client: KubeClient, cronJob: string, minute = 29394780): Promise<void> {
  await addEndedJob(client, cronJob, minute, "");
}

/** A run of it that has ended. @param failure how it failed, as the Job controller says it; undefined: it succeeded */
export async function addEndedJob(
  client: KubeClient,
  cronJob: string,
  minute: number,
  failure: string | undefined,
): Promise<void> {
  const owner = await client.get(CRON_JOBS, { namespace: "default", name: cronJob });
  const annotations = { "batch.kubernetes.io/cronjob-scheduled-timestamp": new Date(minute * 60_000).toISOString() };
  const job = await client.create(JOBS, jobOf({ name: `${cronJob}-${minute}`, annotations, owner }));
  const at = new Date().toISOString().replace(/\.\d+/, "");
  const status = failure === undefined ? completedAt(at) : failedAt(at, at, failure || undefined);
  await client.replace(JOBS, { ...job, status }, { subresource: "status" });
}
