import { assertEquals } from "@std/assert";
import type { ResourceRequest } from "../../src/apiserver/http/resource_request.ts";
import { ServedApis, type ServedApisOptions } from "../../src/cli/controller/served_apis.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const LOOK_MS = 30_000;
const [OURS, NATIVE, TUTORIALS] = [PRODUCTION, BATCH, TUTORIAL].map(({ resource }) => apiVersionOf(resource));
const ABSENT = "the cluster does not have it";

/** Looks at a real API server, and records what is started, stopped and reported. */
function follow(options: Pick<ServedApisOptions, "client"> & Partial<ServedApisOptions>) {
  const clock = new FakeClock();
  const said: string[] = [];
  const following = new Set<Flavour>();
  const apis = new ServedApis({
    clock,
    namespaces: [],
    start(flavour) {
      said.push(`start ${apiVersionOf(flavour.resource)}`);
      following.add(flavour);
      return {
        get isFollowing() {
          return following.has(flavour);
        },
        stop: () => void said.push(`stop ${apiVersionOf(flavour.resource)}`),
      };
    },
    onChange: (served, detail) =>
      void said.push(`serve ${served.map(({ resource }) => apiVersionOf(resource)).join()}: ${detail}`),
    ...options,
  });
  const look = async () => {
    await clock.advance(LOOK_MS);
    await apis.look();
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
  const client = new Proxy(api.client, {
    get(target, name) {
      if (name !== "raw") return Reflect.get(target, name).bind(target);
      return (path: string) => {
        looks++;
        return isDown ? Promise.reject(new Error("no answer")) : target.raw(path);
      };
    },
  });
  const changed = Promise.withResolvers<void>();
  const { apis, clock, health } = follow({ client, onChange: () => changed.resolve() });
  await apis.look();
  assertEquals(health(), [{ ok: false, detail: "not looked yet" }]);
  const stop = new AbortController();
  const running = apis.run(stop.signal);
  isDown = false;
  await clock.advance(2_000);
  await changed.promise;
  assertEquals(health(), [{ ok: true }]);
  const before = looks;
  await clock.advance(2_000);
  assertEquals(looks, before);
  stop.abort();
  await running;
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
