import { whoAmI } from "../actions/requester.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { keyOf, makeKey } from "../kube/object.ts";
import { type Event, EVENTS } from "../kube/resource.ts";
import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import { endsWithin } from "../base/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";
import { runsAbout } from "../view/explain/asked_time.ts";
import { explain, lookFor, type Question, runAskedFor } from "../view/explain/explain.ts";
import { byCronJob } from "../view/kept_runs.ts";
import { lookAt, type ViewInput } from "../view/look.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import { type Ask, assertServed, textOf } from "./ask.ts";
import { RequestError } from "./http/answers.ts";
import type { Commands } from "./commands.ts";
import { rightsIn } from "./visitors/rights_in.ts";
import { detailOf, SHOWN_RUNS, toldBy } from "./reads/detail.ts";
import { allRuns, runs, watched } from "./reads/history.ts";
import { keptOf } from "./reads/kept.ts";
import type { FeedUse } from "./rows/feeds.ts";
import { linesAnswer } from "./http/lines_answer.ts";
import { logMessages } from "./reads/log_lines.ts";
import { readTarget } from "./reads/read_target.ts";
import { asRemembered } from "./rows/remembered.ts";
import { rowsMessages } from "./rows/rows_stream.ts";
import { askedRunOf } from "./actions/run_now.ts";
import { calendarOf, type Span, type TimelineInput, timelineOf } from "./reads/timeline.ts";
import { type Session, SHOWN_LINES, type Target } from "./wire.ts";

type Read = (ask: Ask) => Response | Promise<Response>;

/** All that can be read: none of it passes a request on to the API server as it came. */
export const READS: Readonly<Record<string, Read>> = {
  "/api/session": session,
  "/api/rows": rows,
  "/api/rights": rights,
  "/api/cronjob": cronJob,
  "/api/calendar": calendar,
  "/api/logs": logs,
  "/api/explain": explanation,
  "/api/timeline": timeline,
  "/api/load": load,
  "/api/run": askedRun,
  "/api/history/runs": runs,
  "/api/history/watched": watched,
  "/api/history/all": allRuns,
};

async function session({ visitor: { client }, workings: { session } }: Ask): Promise<Response> {
  return Response.json({ ...session, isLoggedIn: true, user: await whoAmI(client) } satisfies Session);
}

async function rows(ask: Ask): Promise<Response> {
  const { visitor, workings: { clock, feeds } } = ask;
  const use = await feeds.use(visitor, namespacesOf(ask));
  const lines = async function* (signal: AbortSignal) {
    using _use = use;
    yield* rowsMessages(use.feed, clock, signal);
  };
  try {
    return linesAnswer(ask, lines, () => use.isStillGranted());
  } catch (error) {
    use[Symbol.dispose]();
    throw error;
  }
}

async function rights({ visitor: { rights }, query, workings: { session } }: Ask): Promise<Response> {
  const namespace = textOf(query, "namespace");
  return Response.json(await rightsIn(namespace, { rights, isReadOnly: session.isReadOnly }));
}

async function cronJob(ask: Ask): Promise<Response> {
  const { query, visitor: { client } } = ask;
  const { target, input } = await inputAskedFor(ask);
  const object = await client.get(input.cronJob.flavour.resource, target);
  const events = await eventsAbout(client, input);
  const span = query.has("from") ? spanAskedFor(query) : undefined;
  return Response.json(detailOf({ input: await withKept(ask, target, input, span), object, events, span }));
}

/** Remembered runs of one CronJob: to read more at once would hold others up. */
const MAX_KEPT = 4_000;

/** Returns what is known of a CronJob with the newest runs that are remembered; of a span those of its namesakes too. */
async function withKept(
  { visitor: { client }, workings: { commands: { history } } }: Ask,
  { apiVersion: api, namespace, name }: Target,
  input: ViewInput,
  span?: Span,
): Promise<TimelineInput> {
  const asked = span ? { since: span.from, until: span.to, limit: MAX_KEPT } : { api, limit: SHOWN_RUNS };
  const known = await keptOf(history, client, { cronJobs: [makeKey(namespace, name)], ...asked });
  return { ...input, ...known, isCut: known.kept?.length === asked.limit };
}

async function calendar(ask: Ask): Promise<Response> {
  const span = spanAskedFor(ask.query);
  const { target, input } = await inputAskedFor(ask);
  const known = input.now - span.to < EVENTS_MS ? await withEvents(ask, input) : input;
  return Response.json(calendarOf(await withKept(ask, target, known, span), span));
}

/** An API server keeps Events for an hour, as a rule: of older days, which a page asks for many at a time, there are none. */
const EVENTS_MS = 86_400_000;

/** Returns the same with all Events: a feed follows Warnings alone, and a run is skipped without one. */
async function withEvents({ visitor: { client } }: Ask, input: ViewInput): Promise<ViewInput> {
  const events = await eventsAbout(client, input);
  return events ? { ...input, events: toldBy(events) } : input;
}

/** Returns the same with the runs that are asked about, which may be among the newest already. */
async function withAskedRuns(
  { visitor: { client }, workings: { commands: { history } } }: Ask,
  { apiVersion: api, namespace, name }: Target,
  input: ViewInput,
  question: Question,
): Promise<ViewInput> {
  const about = runsAbout(question);
  if (!about) return input;
  const asked = { cronJobs: [makeKey(namespace, name)], api, ...about, limit: SHOWN_RUNS };
  const others = await asRemembered(history?.runs(client, asked));
  return others ? { ...input, kept: [...input.kept ?? [], ...others] } : input;
}

/** Returns why it ran at a time, or at the last one, or a run of it did what it did. */
async function explanation(ask: Ask): Promise<Response> {
  const { query, visitor: { client }, workings: { clock, commands } } = ask;
  const { target, input, controllers } = await inputAskedFor(ask);
  const [at, job] = [query.get("at"), query.get("job") || undefined];
  const asked = at ? { at: timeAskedFor(at, commands.readTime, input) } : { job };
  const newest = await withKept(ask, target, await withEvents(ask, input));
  const known = await withAskedRuns(ask, target, newest, asked);
  const run = runAskedFor(lookFor(lookAt(known), asked), asked);
  const lastLines = await commands.lastLines(client, known, run, clock);
  const lease = await commands.leaseFor(client, known, { job: run?.job ?? job, controllers });
  return Response.json(explain(known, { ...asked, lastLines, lease }));
}

/** @throws {RequestError} saying how a time may be written */
function timeAskedFor(text: string, readTime: Commands["readTime"], { now, cronJob }: ViewInput): EpochMs {
  try {
    return readTime(text, "at", { now, zone: zoneOf(cronJob), towards: "past" });
  } catch (error) {
    throw new RequestError(400, "BadRequest", messageOf(error));
  }
}

/** Reads it anew: what is followed may be older than the answer of the controller. */
async function askedRun({ query, visitor: { client } }: Ask): Promise<Response> {
  const cronJob = await readTarget(client, targetAskedFor(query));
  const run = { cronJob, job: textOf(query, "job"), trigger: textOf(query, "trigger") };
  return Response.json(await askedRunOf(client, run));
}

function targetAskedFor(query: URLSearchParams): Target {
  return { apiVersion: textOf(query, "api"), namespace: textOf(query, "namespace"), name: textOf(query, "name") };
}

/** @throws {RequestError} where there is no such CronJob */
async function inputAskedFor(ask: Ask) {
  const target = targetAskedFor(ask.query);
  using use = await readyFeed(ask);
  const id = use.feed.idOf(target);
  const input = id === undefined ? undefined : use.feed.inputOf(id);
  if (input) return { target, input, controllers: use.feed.controllers };
  throw new RequestError(404, "NotFound", `There is no CronJob ${target.name} in ${target.namespace}`);
}

async function load(ask: Ask): Promise<Response> {
  const { visitor: { client }, workings: { clock, commands: { simulate, controllers } } } = ask;
  if (!simulate) throw new RequestError(404, "NotServed", "What is to come is shown by `cronjob-controller simulate`");
  const about = { namespaces: namespacesOf(ask), controllers: await controllers(client, clock) };
  return Response.json(await simulate(client, { ...about, now: clock.now() }));
}

/** The newest: of others there are few Events left. */
const JOBS_WITH_EVENTS = 10;

/** Returns the Events of a CronJob and its Jobs; undefined where they may not be read. */
async function eventsAbout(client: KubeClient, { cronJob, jobs }: ViewInput): Promise<Event[] | undefined> {
  const { namespace, name } = cronJob.metadata;
  const names = jobs.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))
    .slice(0, JOBS_WITH_EVENTS).map(({ metadata }) => metadata.name);
  const about = (name: string) =>
    client.list(EVENTS, { namespace, fieldSelector: `involvedObject.name=${name}`, limit: 100 });
  try {
    return (await Promise.all([name, ...names].map(about))).flatMap(({ items }) => items)
      .filter(({ involvedObject: { kind } }) => kind === "CronJob" || kind === "Job");
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return undefined;
    throw error;
  }
}

const MAX_LINES = SHOWN_LINES + 1;

function logs(ask: Ask): Response {
  const { visitor: { client }, query, workings: { clock, commands: { history } } } = ask;
  const [namespace, job] = [textOf(query, "namespace"), textOf(query, "job")];
  const name = query.get("name") ?? undefined;
  const tailLines = Math.min(MAX_LINES, Math.max(1, Math.floor(Number(query.get("tail"))) || MAX_LINES));
  return linesAnswer(ask, async function* (signal) {
    const options = { client, clock, namespace, name, job, tailLines, history, signal };
    for await (const message of logMessages(options)) {
      yield `${JSON.stringify(message)}\n`;
    }
  });
}

/** Rows that a visitor sees at a time. */
const MAX_IDS = 200;

async function timeline(ask: Ask): Promise<Response> {
  const { query } = ask;
  const { from, to } = spanAskedFor(query);
  using use = await readyFeed(ask);
  const inputs = query.getAll("id").slice(0, MAX_IDS).flatMap((id) => {
    const input = use.feed.inputOf(id);
    return input ? [[id, input] as const] : [];
  });
  const { visitor: { client }, workings: { commands: { history } } } = ask;
  const limit = Math.min(MAX_DRAWN.ofOne, Math.floor(MAX_DRAWN.ofAll / Math.max(1, inputs.length)));
  const cronJobs = inputs.map(([, { cronJob }]) => keyOf(cronJob));
  const { kept: all, watched } = await keptOf(history, client, { cronJobs, since: from, until: to, limit });
  const byKey = all && byCronJob(all);
  const rows = inputs.map(([id, input]) => {
    const kept = byKey && (byKey.get(keyOf(input.cronJob)) ?? []);
    return [id, { ...input, kept, watched, isCut: kept !== undefined && kept.length >= limit }] as const;
  });
  return Response.json(timelineOf(new Map(rows), { from, to }));
}

/** Remembered runs of all rows; more in one cannot be distinguished in a picture. */
const MAX_DRAWN = { ofAll: 8_000, ofOne: 400 } as const;

const MAX_SPAN_MS = 32 * 86_400_000;

/** @throws {RequestError} where it is none, or too long */
function spanAskedFor(query: URLSearchParams): Span {
  const [from, to] = [Number(textOf(query, "from")), Number(textOf(query, "to"))];
  if (FIRST_INSTANT <= from && from < to && to <= LAST_INSTANT && to - from <= MAX_SPAN_MS) return { from, to };
  const message = "from and to must be milliseconds since 1970, before the year 10000, and at most 32 days apart";
  throw new RequestError(400, "BadRequest", message);
}

/** How long a first list may take before the visitor learns that there is none. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 50;

/** @throws {ApiError} where it may not be followed, or the API server does not answer */
async function readyFeed(ask: Ask): Promise<FeedUse> {
  const { visitor, workings: { clock, feeds } } = ask;
  const use = await feeds.use(visitor, namespacesOf(ask));
  const { feed } = use;
  const deadline = clock.monotonic() + PATIENCE_MS;
  while (!await endsWithin(clock, LOOK_MS, feed.ready())) {
    if (feed.error === undefined && clock.monotonic() < deadline) continue;
    use[Symbol.dispose]();
    throw feed.error ?? new RequestError(503, "NotReady", "The API server has not answered yet");
  }
  return use;
}

/** Each is followed by watches of its own. */
const MAX_NAMESPACES = 20;

/**
 * Returns the namespaces to look at: those that are asked for (`in=…`), of those that are served; none: all.
 *
 * @throws {RequestError}
 */
function namespacesOf({ query, workings }: Ask): readonly string[] {
  const asked = [...new Set(query.getAll("in"))];
  if (asked.length === 0) return workings.session.namespaces;
  if (asked.length > MAX_NAMESPACES || !asked.every((name) => NAMESPACE.test(name))) {
    throw new RequestError(400, "BadRequest", `in must be at most ${MAX_NAMESPACES} names of namespaces`);
  }
  assertServed(asked, workings);
  return asked;
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
