import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { listAll } from "../../src/kube/paging.ts";
import { CONFIG_MAPS } from "../../src/kube/resource.ts";
import { FakeApi } from "../runtime/support/fake_api.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

/** What any code that holds a KubeClient may rely on: true of our fake one, and of the real one on a real server. */
const CONTRACT: Record<string, (client: KubeClient) => Promise<void>> = {
  async "stores an object, and gives it back with a UID and a version"(client) {
    const created = await client.create(CONFIG_MAPS, configMap("a", "1"));
    assertEquals([created.data, created.metadata.name], [{ value: "1" }, "a"]);
    assert(created.metadata.uid);
    assertEquals(await client.get(CONFIG_MAPS, name("a")), created);
  },

  async "refuses to create what exists"(client) {
    await client.create(CONFIG_MAPS, configMap("a", "1"));
    const error = await assertRejects(() => client.create(CONFIG_MAPS, configMap("a", "2")), ApiError);
    assertEquals([error.isAlreadyExists, error.isConflict], [true, false]);
  },

  async "creates what is JSON already, answers with what can be read, and refuses what exists"(client) {
    const body = JSON.stringify(configMap("a", "1"));
    const answer = await client.createText(CONFIG_MAPS, name("a"), body);
    assertEquals(answer.read(), await client.get(CONFIG_MAPS, name("a")));
    const error = await assertRejects(() => client.createText(CONFIG_MAPS, name("a"), body), ApiError);
    assert(error.isAlreadyExists);
  },

  async "says that something is not there"(client) {
    const missing = name("missing");
    const calls = [
      () => client.get(CONFIG_MAPS, missing),
      () => client.patch(CONFIG_MAPS, missing, { type: "merge", body: {} }),
      () => client.delete(CONFIG_MAPS, missing),
    ];
    for (const call of calls) assert((await assertRejects(call, ApiError)).isNotFound);
  },

  async "replaces the newest version, and refuses an older one"(client) {
    const first = await client.create(CONFIG_MAPS, configMap("a", "1"));
    const second = await client.replace(CONFIG_MAPS, { ...first, data: { value: "2" } });
    assertEquals([second.data, second.metadata.uid], [{ value: "2" }, first.metadata.uid]);
    assertNotEquals(second.metadata.resourceVersion, first.metadata.resourceVersion);
    const error = await assertRejects(() => client.replace(CONFIG_MAPS, { ...first, data: { value: "3" } }), ApiError);
    assertEquals([error.isConflict, error.isAlreadyExists], [true, false]);
  },

  async "merges a patch"(client) {
    await client.create(CONFIG_MAPS, configMap("a", "1"));
    const patched = await client.patch(CONFIG_MAPS, name("a"), {
      type: "merge",
      body: { data: { value: null, more: "2" } },
    });
    assertEquals(patched.data, { more: "2" });
  },

  async "lists in pages, which all show the state at the first one"(client) {
    for (const each of ["a", "b", "c"]) await client.create(CONFIG_MAPS, configMap(each, "1"));
    const all = await client.list(CONFIG_MAPS, { namespace: "default" });
    assertEquals(all.items.map(({ metadata }) => metadata.name), ["a", "b", "c"]);
    const first = await client.list(CONFIG_MAPS, { namespace: "default", limit: 2 });
    assertEquals([first.items.length, first.metadata.resourceVersion], [2, all.metadata.resourceVersion]);
    await client.create(CONFIG_MAPS, configMap("d", "1"));
    const second = await client.list(CONFIG_MAPS, {
      namespace: "default",
      limit: 2,
      continueToken: first.metadata.continue,
    });
    assertEquals(second.items.map(({ metadata }) => metadata.name), ["c"]);
    assertEquals(second.metadata.continue || undefined, undefined);
    const names: string[] = [];
    for await (const { metadata } of listAll(client, CONFIG_MAPS, { namespace: "default", limit: 3 })) {
      names.push(metadata.name);
    }
    assertEquals(names, ["a", "b", "c", "d"]);
  },

  async "watches from a version on, in order, each change once"(client) {
    await client.create(CONFIG_MAPS, configMap("before", "1"));
    const { metadata: { resourceVersion } } = await client.list(CONFIG_MAPS, { namespace: "default" });
    const stop = new AbortController();
    const told: string[] = [];
    const changes = (async () => {
      for await (
        const { type, object } of client.watch(CONFIG_MAPS, {
          namespace: "default",
          resourceVersion,
          signal: stop.signal,
        })
      ) {
        if (type !== "BOOKMARK") told.push(`${type} ${object.metadata.name} ${object.data?.value}`);
        if (type === "DELETED") stop.abort();
      }
    })();
    await client.create(CONFIG_MAPS, configMap("a", "1"));
    await client.patch(CONFIG_MAPS, name("a"), { type: "merge", body: { data: { value: "2" } } });
    await client.delete(CONFIG_MAPS, name("a"));
    await changes;
    assertEquals(told, ["ADDED a 1", "MODIFIED a 2", "DELETED a 2"]);
  },

  async "ends a silent watch when its signal is aborted"(client) {
    const { metadata: { resourceVersion } } = await client.list(CONFIG_MAPS);
    const stop = new AbortController();
    for await (
      const _ of client.watch(CONFIG_MAPS, {
        resourceVersion,
        signal: stop.signal,
        onOpen: () => stop.abort(),
      })
    ) {
      throw new Error("nothing happens");
    }
  },
};

for (const [promise, check] of Object.entries(CONTRACT)) {
  test(`FakeApi ${promise}`, () => check(new FakeApi()));
  test(`KubeClient ${promise}`, async () => {
    await using api = await startTestApiServer();
    await check(api.client);
  });
}

function name(name: string) {
  return { name, namespace: "default" };
}

function configMap(name: string, value: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { value } };
}
