import { assertEquals } from "@std/assert";
import { namedStatus } from "../../src/apiserver/controllers/definition_names.ts";
import type { Json } from "../../src/apiserver/resource_kind.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAMES = { plural: "gears", singular: "gear", kind: "Gear", listKind: "GearList" };
const NOBODY = { plural: "", kind: "" };
const BEFORE = "2026-01-01T00:00:00Z", NOW = "2026-01-02T00:00:00Z";

function status(names: Json, accepted: string, established: string, at = NOW): Json {
  return {
    acceptedNames: names,
    conditions: [["NamesAccepted", accepted], ["Established", established]].map(([type, said = ""]) => {
      const [reason, message] = said.split(": ");
      const holds = ["NoConflicts", "InitialNamesAccepted"].includes(reason!);
      return { type, status: holds ? "True" : "False", lastTransitionTime: at, reason, message };
    }),
  };
}

const GOOD = "NoConflicts: no conflicts found";
const FIRST = "InitialNamesAccepted: the initial names have been accepted";
const NOT = "NotAccepted: not all names are accepted";
const HAS = status(NAMES, GOOD, FIRST, BEFORE);
const WITH = (shortNames: string[]) => ({ ...NAMES, shortNames });

interface Row {
  readonly spec: Json;
  readonly before: Json;
  /** The names of another definition. */
  readonly other?: Json;
  readonly after: Json;
}

const ROWS: [sentence: string, Row][] = [
  ["the first", {
    spec: NAMES,
    before: { acceptedNames: NOBODY, conditions: null },
    after: status(NAMES, GOOD, FIRST),
  }],
  ["with a kind that is another's", {
    spec: NAMES,
    before: { acceptedNames: NOBODY, conditions: null },
    other: { plural: "cogs", kind: "Gear" },
    after: status({ ...NAMES, kind: "" }, 'KindConflict: "Gear" is already in use', NOT),
  }],
  ["with a new short name", { spec: WITH(["gr"]), before: HAS, after: { ...HAS, acceptedNames: WITH(["gr"]) } }],
  ["with its own plural as a short name", {
    spec: WITH(["gears"]),
    before: HAS,
    after: { ...HAS, acceptedNames: WITH(["gears"]) },
  }],
  ["with short names that are another's", {
    spec: WITH(["cogs", "a", "cg"]),
    before: { ...HAS, acceptedNames: WITH(["a"]) },
    other: { plural: "cogs", kind: "Cog", shortNames: ["cg"] },
    after: {
      acceptedNames: WITH(["a"]),
      conditions: [
        status({}, 'ShortNamesConflict: ["cogs" is already in use, "cg" is already in use]', NOT).conditions[0],
        HAS.conditions[1],
      ],
    },
  }],
  ["without its short names", { spec: NAMES, before: { ...HAS, acceptedNames: WITH(["gr"]) }, after: HAS }],
  ["that is judged again", { spec: NAMES, before: HAS, after: HAS }],
];

table("the names are judged of a definition", ROWS, ({ spec, before, other, after }) => {
  const others = other ? [{ status: { acceptedNames: other } }] : [];
  assertEquals(namedStatus({ spec: { names: spec }, status: before }, others, NOW), after);
});

async function define(api: TestApiServer, method: string, path: string, plural: string, names: Json) {
  const schema = { openAPIV3Schema: { type: "object" } };
  const definition = {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, ...names },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  await (await api.client.raw(path, { method, headers: { "content-type": type }, body: JSON.stringify(definition) }))
    .json();
}

/** Resolves when the short names that a definition was granted are these. */
async function granted(api: TestApiServer, plural: string, shortNames: string): Promise<void> {
  const query = `watch=true&timeoutSeconds=20&fieldSelector=metadata.name=${plural}.example.com`;
  const { body } = await api.client.raw(`${DEFINITIONS}?${query}`);
  let text = "";
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    const lines = text.split("\n");
    text = lines.pop()!;
    const { status } = lines.length ? JSON.parse(lines.at(-1)!).object : {};
    if (status?.acceptedNames.shortNames?.join() === shortNames) return;
  }
  throw new Error(`${plural} was not granted ${shortNames}`);
}

test("a definition that is served is granted new short names, and others those that it drops", async () => {
  await using api = await startTestApiServer();
  const GEARS = `${DEFINITIONS}/gears.example.com`;
  const shown = async () => {
    const { resources } = await (await api.client.raw("/apis/example.com/v1")).json();
    return Object.fromEntries(resources.map(({ name, shortNames }: Json) => [name, shortNames?.join()]));
  };
  await define(api, "POST", DEFINITIONS, "gears", { kind: "Gear", shortNames: ["gr"] });
  await granted(api, "gears", "gr");
  await define(api, "PATCH", GEARS, "gears", { kind: "Gear", shortNames: ["gr", "wheel"] });
  await granted(api, "gears", "gr,wheel");
  await define(api, "POST", DEFINITIONS, "cogs", { kind: "Cog", shortNames: ["wheel"] });
  assertEquals(await shown(), { gears: "gr,wheel" });
  await define(api, "PATCH", GEARS, "gears", { kind: "Gear", shortNames: ["gr"] });
  await granted(api, "cogs", "wheel");
  assertEquals(await shown(), { gears: "gr", cogs: "wheel" });
});
