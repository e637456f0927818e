import { assert, assertEquals } from "@std/assert";
import type { ResourceRequest } from "../../src/apiserver/http/resource_request.ts";
import { RequestError } from "../../src/dashboard/http/answers.ts";
import { Feeds } from "../../src/dashboard/rows/feeds.ts";
import { linesAnswer } from "../../src/dashboard/http/lines_answer.ts";
import { Seats } from "../../src/dashboard/http/seats.ts";
import { TokenVisitors } from "../../src/dashboard/visitors/token_visitors.ts";
import { personOf, type Visitor } from "../../src/dashboard/visitors/visitors.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { atLeast, must } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { applyCronJob } from "./support/dashboard.ts";

const FEEDS = {
  clock: new SystemClock(),
  program: { isBusy: false, headlines: [] },
  controllers: () => Promise.resolve({ isEmbedded: true }),
  history: undefined,
};

interface Ana extends AsyncDisposable {
  readonly visitor: Visitor;
  /** What she may not do. */
  readonly forbidden: Set<string>;
  /** Lets as much time pass as an answer about rights is taken for true. */
  forgetAnswers(): Promise<void>;
}

/** A visitor whose rights a test takes away, on an API server that has a CronJob. */
async function meetAna(): Promise<Ana> {
  const folder = await Deno.makeTempDir();
  const tokenFile = `${folder}/tokens`;
  await Deno.writeTextFile(tokenFile, "anas-token,ana,1\n");
  const forbidden = new Set<string>();
  const mayAlso = (_user: unknown, { verb, plural }: ResourceRequest) => !forbidden.has(`${verb} ${plural}`);
  const api = await startTestApiServer({ ephemeral: true, tokenFile, mayAlso });
  await applyCronJob(api.client, { name: "secret" });
  const { url: server, caCertificate } = api.server;
  const client = HttpKubeClient.to({ server, caCertificates: [caCertificate], token: "anas-token" });
  const clock = new FakeClock();
  return {
    visitor: { ...personOf(client, clock, "ana"), isStillKnown: () => Promise.resolve(true) },
    forbidden,
    forgetAnswers: () => clock.advance(30_000),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function refusalOf(promise: Promise<unknown>): Promise<{ code: number; message: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof RequestError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("it was not refused");
}

for (
  const [right, message] of [
    ["list cronjobs", "You may not list and watch CronJobs in all namespaces"],
    ["watch cronjobs", "You may not list and watch CronJobs in all namespaces"],
    ["list jobs", "You may not list and watch Jobs in all namespaces"],
  ] as const
) {
  test(`what is followed already is not sent to visitors who may no longer ${right}`, async () => {
    await using ana = await meetAna();
    await using feeds = new Feeds(FEEDS);
    const { visitor, forbidden, forgetAnswers } = ana;
    using use = await feeds.use(visitor, []);
    await use.feed.ready();
    assertEquals(use.feed.ids.length, 1);

    await forgetAnswers();
    assert(await use.isStillGranted());
    forbidden.add(right);
    await forgetAnswers();
    assertEquals(await use.isStillGranted(), false);
    assertEquals(await refusalOf(feeds.use(visitor, [])), { code: 403, message });
  });
}

test("Pods and Events that one may no longer read are not followed from then on, and those that one may are", async () => {
  await using ana = await meetAna();
  await using feeds = new Feeds(FEEDS);
  const { visitor, forbidden, forgetAnswers } = ana;
  using first = await feeds.use(visitor, []);
  forbidden.add("list pods");
  await forgetAnswers();
  using second = await feeds.use(visitor, []);
  assert(second.feed !== first.feed);
  await second.feed.ready();
  const [id] = atLeast(1, second.feed.ids);
  assertEquals([second.feed.inputOf(id)?.pods, second.feed.inputOf(id)?.events], [undefined, []]);

  forbidden.clear();
  await forgetAnswers();
  using third = await feeds.use(visitor, []);
  assertEquals(third.feed, first.feed);
});

test("a stream ends within half a minute of when its reader is no longer welcome", async () => {
  const clock = new FakeClock();
  let isWelcome = true;
  const isStillKnown = () => Promise.resolve(isWelcome);
  const { body } = linesAnswer(
    { visitor: { seats: new Seats(1), isStillKnown }, workings: { clock, seats: new Seats(1) } },
    async function* (signal) {
      yield "first\n";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  );
  let isOver = false;
  const read = new Response(body).text().finally(() => isOver = true);
  await clock.advance(60_000);
  assertEquals(isOver, false);
  isWelcome = false;
  await clock.advance(30_000);
  assertEquals(await read, "first\n");
});

/** A client of an API server that accepts a token, or not. */
function clientThat(isTaken: () => boolean): HttpKubeClient {
  const create = () =>
    isTaken() ? Promise.resolve({ status: { allowed: true } }) : Promise.reject(new ApiError("who?", { code: 401 }));
  return { create, [Symbol.asyncDispose]: () => Promise.resolve() } as unknown as HttpKubeClient;
}

test("a visitor who was turned away is met anew, and finds nothing of what was followed for them before", async () => {
  const clock = new FakeClock();
  let isTaken = true;
  await using visitors = new TokenVisitors({ clock, clientFor: () => clientThat(() => isTaken) });
  const request = new Request("http://localhost/api/rows", { headers: { authorization: "Bearer anas-token" } });
  const first = (await visitors.visitorOf(request))!;
  assertEquals((await visitors.visitorOf(request))!.key, first.key);

  isTaken = false;
  await clock.advance(30_000);
  assertEquals(await visitors.visitorOf(request), undefined);
  isTaken = true;
  const second = (await visitors.visitorOf(request))!;
  assert(second.key !== first.key);
  assert(second.client !== first.client);
  await clock.advance(30_000);
  assertEquals([await first.isStillKnown(), await second.isStillKnown()], [false, true]);
});

test("a visitor who guesses tokens is soon turned away unheard, and one who is known is not", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const clientFor = (token: string) => clientThat(() => (asked++, token === "anas-token"));
  await using visitors = new TokenVisitors({ clock, clientFor });
  const comeWith = (token: string) =>
    visitors.visitorOf(new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } }));
  await comeWith("anas-token");
  for (let i = 0; i < 19; i++) assertEquals(await comeWith(`guess-${i}`), undefined);
  assertEquals((await refusalOf(comeWith("guess"))).code, 429);
  assertEquals(asked, 20);
  assert(await comeWith("anas-token"));
  await clock.advance(1_000);
  assertEquals(await comeWith("guess"), undefined);
});

test("each person has so many streams, and so have all together; who leaves makes room", async () => {
  const clock = new FakeClock();
  const [all, ana, ben] = [new Seats(3), new Seats(2), new Seats(2)];
  const open = (own: Seats) =>
    linesAnswer({
      visitor: { seats: own, isStillKnown: () => Promise.resolve(true) },
      workings: { clock, seats: all },
    }, async function* (signal) {
      yield "line\n";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }).body!;
  const tryToOpen = async (own: Seats) => (await refusalOf(Promise.try(open, own))).code;
  const [first, second] = [open(ana), open(ana)];
  assertEquals(await tryToOpen(ana), 429);
  const third = open(ben);
  assertEquals(await tryToOpen(ben), 429, "more than all together");
  await second.cancel();
  const fourth = open(ben);
  assertEquals(await tryToOpen(ana), 429);
  await settle();
  for (const body of [first, third, fourth]) await body.cancel();
  for (let i = 0; i < 3; i++) await open(i === 0 ? ben : ana).cancel();
});

test("feeds are kept for ten people at a time, and one without readers makes room", async () => {
  await using ana = await meetAna();
  await using feeds = new Feeds(FEEDS);
  const use = (key: number) => feeds.use({ ...ana.visitor, key: `${key}` }, []);
  const uses = await Promise.all(Array.from({ length: 10 }, (_, i) => use(i)));
  assertEquals((await refusalOf(use(10))).code, 503);
  must(uses[4])[Symbol.dispose]();
  using _eleventh = await use(10);
  assertEquals((await refusalOf(use(4))).code, 503);
  for (const use of uses) use[Symbol.dispose]();
});
