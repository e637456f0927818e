import { assertEquals } from "@std/assert";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { JOBS, LEASES } from "../../src/kube/resource.ts";
import { Watcher } from "../../src/runtime/watcher.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { HalfOpenProxy } from "./support/half_open_proxy.ts";
import { json, page, ScriptedServer, stored } from "./support/scripted_server.ts";

const LIST = "GET /apis/batch/v1/jobs";

test("a watch whose connection was forgotten on its way is open again within 45 seconds, without an error", async () => {
  await using server = new ScriptedServer();
  const [first, second] = [server.feed(), server.feed()];
  server.on("GET /version", json({}));
  server.on(LIST, page(JOBS), first.answer, page(JOBS), second.answer);
  const proxy = new HalfOpenProxy(server.url);
  const clock = new FakeClock();
  const stop = new AbortController();
  const told: string[] = [];
  {
    let answered = 0;
    await using client = HttpKubeClient.to({ server: proxy.url }, { clock, observer: { onRequest: () => answered++ } });
    const watcher = new Watcher({ client, resource: JOBS, clock });
    const following = (async () => {
      for await (const { type } of watcher.events(stop.signal)) told.push(type);
    })();
    while (!watcher.connected) await settle();
    await clock.advance(30_000);
    while (answered < 3) await settle();
    proxy.forget();
    await clock.advance(45_000);
    while (server.requests.length < 5) await settle();
    second.event("ADDED", stored(JOBS));
    while (told.length < 4) await settle();
    assertEquals(told, ["Init", "InitPage", "InitDone", "Apply"]);
    assertEquals(server.requests.map(({ path, query }) => `${path} ${query.resourceVersion ?? ""}`.trim()), [
      "/apis/batch/v1/jobs",
      "/apis/batch/v1/jobs 5",
      "/version",
      "/apis/batch/v1/jobs",
      "/apis/batch/v1/jobs 5",
    ]);
    stop.abort();
    await following;
  }
  proxy[Symbol.dispose]();
  await proxy.ended();
});

test("a request that finds its connection forgotten keeps no other from working", async () => {
  await using server = new ScriptedServer();
  const name = { name: "a", namespace: "x" };
  const path = "GET /apis/coordination.k8s.io/v1/namespaces/x/leases/a";
  server.on(path, json(stored(LEASES, "a", "x")));
  const proxy = new HalfOpenProxy(server.url);
  const clock = new FakeClock();
  {
    await using client = HttpKubeClient.to({ server: proxy.url }, { clock });
    await Promise.all([client.get(LEASES, name), client.get(LEASES, name), client.get(LEASES, name)]);
    proxy.forget();
    const giveUp = new AbortController();
    const unanswered = client.get(LEASES, name, giveUp).then(() => "answered", () => "unanswered");
    await clock.advance(10_000);
    giveUp.abort();
    assertEquals(await unanswered, "unanswered");
    // The idle connections were forgotten as well: none of them is used.
    assertEquals((await client.get(LEASES, name)).metadata.name, "a");
  }
  proxy[Symbol.dispose]();
  await proxy.ended();
});
