import { assertEquals } from "@std/assert";
import type { ResourceRequest } from "../../src/apiserver/http/resource_request.ts";
import { ServedApis, type ServedApisOptions } from "../../src/cli/controller/served_apis.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { running } from "../support/running.ts";

const LOOK_MS = 30_000;
const [OURS, NATIVE, TUTORIALS] = [PRODUCTION, BATCH, TUTORIAL].map(({ apiVersion }) => apiVersion);
const ABSENT = "the cluster does not have it";
const UNSEEN = "it cannot be seen whether the cluster has it";
const { signal } = new AbortController();

type Raw = HttpKubeClient["raw"];

/** A client whose discovery goes through `raw`. */
function discovering(client: HttpKubeClient, raw: (path: string, asked: () => ReturnType<Raw>) => ReturnType<Raw>) {
  return new Proxy(client, {
    get(target, name) {
      if (name !== "raw") return Reflect.get(target, name).bind(target);
      return (...args: Parameters<Raw>) => raw(args[0], () => target.raw(...args));
    },
  });
}

/** Looks at a real API server, and records what is started, stopped and reported. */
function follow(options: Pick<ServedApisOptions, "client"> & Partial<ServedApisOptions>) {
  const clock = new FakeClock();
  const said: string[] = [];
  const following = new Set<Flavour>();
  const apis = new ServedApis({
    clock,
    namespaces: [],
    named: [],
    start(flavour) {
      said.push(`start ${flavour.apiVersion}`);
      following.add(flavour);
      return {
        get isFollowing() {
          return following.has(flavour);
        },
        stop: () => Promise.resolve(void said.push(`stop ${flavour.apiVersion}`)),
      };
    },
    onChange: (served, detail) =>
      void said.push(`serve ${served.map(({ apiVersion }) => apiVersion).join()}: ${detail}`),
    ...options,
  });
  const look = async () => {
    await clock.advance(LOOK_MS);
    await apis.look(signal);
    return said.splice(0);
  };
  return { apis, clock, said, following, look, health: () => apis.health.map((check) => check.check()) };
}

test("an API whose CRD comes later is taken up, and one that is gone is left once it cannot be followed", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const { look, following, health } = follow(api);
  assertEquals(health(), [{ ok: false, detail: "not looked yet" }]);
  assertEquals(await look(), [`start ${NATIVE}`, `serve ${NATIVE}: ${OURS}: ${ABSENT}; ${TUTORIALS}: ${ABSENT}`]);
  assertEquals(health(), [{ ok: true }]);
  assertEquals(await look(), [], "nothing has changed");

  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  assertEquals(await look(), [`start ${OURS}`, `serve ${OURS},${NATIVE}: ${TUTORIALS}: ${ABSENT}`]);

  await api.client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: "cronjobs.cronjob-controller.dev" });
  assertEquals(await look(), [], "another server of the cluster may have it still");
  following.delete(PRODUCTION);
  assertEquals(await look(), [`stop ${OURS}`, `serve ${NATIVE}: ${OURS}: ${ABSENT}; ${TUTORIALS}: ${ABSENT}`]);

  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  assertEquals(await look(), [`start ${OURS}`, `serve ${OURS},${NATIVE}: ${TUTORIALS}: ${ABSENT}`]);
});

test("an API is looked for every 30 seconds, and after a look that fails every two", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  let isDown = true;
  let looks = 0;
  const client = discovering(api.client, (_path, asked) => {
    looks++;
    return isDown ? Promise.reject(new Error("no answer")) : asked();
  });
  const changed = Promise.withResolvers<void>();
  const onChange = (served: readonly Flavour[]) => void (served.length > 0 && changed.resolve());
  const { apis, clock, health } = follow({ client, onChange });
  await apis.look(signal);
  assertEquals(health(), [{
    ok: false,
    detail: [OURS, NATIVE, TUTORIALS].map((api) => `${api}: ${UNSEEN}`).join("; "),
  }]);
  await using _ = running(apis);
  isDown = false;
  await clock.advance(2_000);
  await changed.promise;
  assertEquals(health(), [{ ok: true }]);
  const before = looks;
  await clock.advance(2_000);
  assertEquals(looks, before);
});

test("an API that may not be watched in all namespaces asked for is left out, until it may", async () => {
  await using folder = await temporaryFolder();
  const tokenFile = `${folder.path}/tokens`;
  await Deno.writeTextFile(tokenFile, "its-token,controller,1\n");
  const allowed = new Set(["list team-a", "watch team-a", "list team-b"]);
  const mayAlso = (_user: unknown, { verb, plural, namespace }: ResourceRequest) =>
    plural === "cronjobs" && allowed.has(`${verb} ${namespace}`);
  await using api = await startTestApiServer({ ephemeral: true, tokenFile, mayAlso });
  const { url: server, caCertificate } = api.server;
  await using client = HttpKubeClient.to({ server, caCertificates: [caCertificate], token: "its-token" });
  const { look, health } = follow({ client, namespaces: ["team-a", "team-b"] });
  const absent = `${OURS}: ${ABSENT}; `;
  const refused = `${NATIVE}: this controller may not list and watch its CronJobs in team-a, team-b; `;
  const detail = `${absent}${refused}${TUTORIALS}: ${ABSENT}`;
  assertEquals(await look(), [`serve : ${detail}`]);
  assertEquals(health(), [{ ok: false, detail }]);
  allowed.add("watch team-b");
  assertEquals(await look(), [`start ${NATIVE}`, `serve ${NATIVE}: ${absent}${TUTORIALS}: ${ABSENT}`]);
});

test("an API that gives no answer, or a bad one, holds up no other, and counts as it was known", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  let answer: (() => ReturnType<Raw>) | undefined;
  const client = discovering(api.client, (path, asked) => (path.includes(OURS!) ? answer : undefined)?.() ?? asked());
  const { apis, clock, said } = follow({ client });
  const look = async () => {
    const looked = apis.look(signal);
    for (let tries = 0; tries < 50; tries++) await settle();
    await clock.advance(5_000);
    await looked;
    return said.splice(0);
  };
  const silent = () => new Promise<never>(() => {});
  const refuses = () => Promise.reject(new ApiError("not now", { code: 503 }));
  answer = silent;
  assertEquals(await look(), [`start ${NATIVE}`, `serve ${NATIVE}: ${OURS}: ${UNSEEN}; ${TUTORIALS}: ${ABSENT}`]);
  answer = refuses;
  assertEquals(await look(), []);
  answer = undefined;
  assertEquals(await look(), [`start ${OURS}`, `serve ${OURS},${NATIVE}: ${TUTORIALS}: ${ABSENT}`]);
  for (answer of [silent, refuses]) assertEquals(await look(), []);
});

test("a look ends with the program", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const client = discovering(api.client, () => new Promise<never>(() => {}));
  const { apis, clock, said } = follow({ client });
  const looking = running(apis);
  await clock.advance(LOOK_MS);
  await looking[Symbol.asyncDispose]();
  assertEquals(said, []);
});

test("an API is started again only once what ran it has ended", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const ended = Promise.withResolvers<void>();
  const said: string[] = [];
  let isGone = false;
  const gone = () => Promise.reject(new ApiError("not found", { code: 404 }));
  const client = discovering(api.client, (path, asked) => isGone || !path.includes(NATIVE!) ? gone() : asked());
  const { apis, clock } = follow({
    client,
    onChange: () => {},
    start() {
      said.push("start");
      return { isFollowing: false, stop: () => (said.push("stop"), ended.promise) };
    },
  });
  await apis.look(signal);
  isGone = true;
  const stopping = apis.look(signal);
  await settle();
  isGone = false;
  await clock.advance(LOOK_MS);
  assertEquals(said, ["start", "stop"]);
  ended.resolve();
  await stopping;
  await apis.look(signal);
  assertEquals(said, ["start", "stop", "start"]);
});

test("APIs that are named are run whether the cluster has them or not, and no others", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const { look, health } = follow({ client: api.client, named: [TUTORIAL] });
  assertEquals(await look(), [`start ${TUTORIALS}`, `serve ${TUTORIALS}: `]);
  assertEquals(await look(), []);
  assertEquals(health(), [{ ok: true }]);
});
