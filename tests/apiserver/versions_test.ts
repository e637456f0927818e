import { assertEquals } from "@std/assert";
import type { Json } from "../../src/apiserver/resource_kind.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const V1 = "/apis/example.com/v1/namespaces/default/gears", V2 = V1.replace("v1", "v2");

function version(name: string, spec: Json, more: Json): Json {
  const properties = { spec: { type: "object", default: {}, properties: spec } };
  return { name, served: true, schema: { openAPIV3Schema: { type: "object", properties } }, ...more };
}

/** Objects are stored in v2, which knows other fields than v1 does. */
const GEARS: Json = {
  metadata: { name: "gears.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "gears", kind: "Gear" },
    versions: [
      version("v1", {
        a: { type: "string" },
        b: { type: "string" },
        onlyOne: { type: "string", default: "one" },
      }, { storage: false, deprecated: true }),
      version("v2", { a: { type: "string" }, onlyTwo: { type: "string", default: "two" } }, { storage: true }),
    ],
  },
};

test("an object of one version is shown in another with what both know and the stored one adds", async () => {
  await using api = await startTestApiServer({ controllers: [] });
  const send = async (method: string, path: string, body?: Json): Promise<Json> => {
    const headers = { "content-type": "application/json" };
    return await (await api.client.raw(path, { method, headers, body: JSON.stringify(body) })).json();
  };
  await send("POST", DEFINITIONS, GEARS);
  const gear = (name: string, number: number, spec: Json) => ({
    apiVersion: `example.com/v${number}`,
    kind: "Gear",
    metadata: { name },
    spec,
  });
  assertEquals((await send("POST", V1, gear("old", 1, { a: "A", b: "B" }))).spec, { a: "A" });
  assertEquals((await send("POST", V2, gear("new", 2, {}))).spec, { onlyTwo: "two" });
  const specs = { new: [{}, { onlyTwo: "two" }], old: [{ a: "A" }, { a: "A", onlyTwo: "two" }] };
  for (const [name, shown] of Object.entries(specs)) {
    for (const [index, path] of [V1, V2].entries()) {
      const found = await send("GET", `${path}/${name}`);
      assertEquals([found.apiVersion, found.spec], [`example.com/v${index + 1}`, shown[index]]);
      await send("PUT", `${path}/${name}?fieldValidation=Strict`, found);
    }
  }
  for (const [index, path] of [V1, V2].entries()) {
    const shown = Object.values(specs).map((each) => each[index]);
    const { items } = await send("GET", path);
    assertEquals(items.map(({ spec }: Json) => spec), shown);
    const watch = await api.client.raw(`${path}?watch=true&fieldSelector=metadata.name=old`);
    const reader = watch.body!.pipeThrough(new TextDecoderStream()).getReader();
    assertEquals(JSON.parse((await reader.read()).value!).object.spec, shown[1]);
    await reader.cancel();
  }
});

test("who asks for a version that is deprecated hears it in refusals too", async () => {
  await using api = await startTestApiServer({ controllers: [] });
  const { server } = api;
  using client = Deno.createHttpClient({ caCerts: [server.caCertificate] });
  const warningOf = async (path: string, method = "GET", body?: Json) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const answer = await fetch(server.url + path, { client, method, headers, body: JSON.stringify(body) });
    await answer.body?.cancel();
    return [answer.status, answer.headers.get("warning")];
  };
  await warningOf(DEFINITIONS, "POST", GEARS);
  const deprecated = '299 - "example.com/v1 Gear is deprecated; use example.com/v2 Gear"';
  const wrong = { apiVersion: "example.com/v1", kind: "Gear", metadata: { name: "a" }, spec: { a: 1, nope: 1 } };
  assertEquals(await warningOf(V1), [200, deprecated]);
  assertEquals(await warningOf(`${V1}/none`), [404, deprecated]);
  assertEquals(await warningOf(`${V1}/none/nope`), [404, deprecated]);
  assertEquals(await warningOf(V1, "POST", wrong), [422, `${deprecated}, 299 - "unknown field \\"spec.nope\\""`]);
  assertEquals(await warningOf(`${V2}/none`), [404, null]);
});
