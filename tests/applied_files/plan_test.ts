import { assertEquals } from "@std/assert";
import { planAll, type SourceLook } from "../../src/applied_files/plan.ts";
import type { Applied, Wanted } from "../../src/applied_files/source.ts";
import type { ObjectMeta } from "../../src/kube/object.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

const wanted = (kind: string, name: string, file = "a.yaml"): Wanted => ({
  object: { apiVersion: "v1", kind, metadata: { name } },
  file,
  origin: file,
  position: () => ({ line: 3, column: 5 }),
});

const applied = (kind: string, name: string, origin = "a.yaml"): Applied => ({
  object: {
    apiVersion: "v1",
    kind,
    metadata: { namespace: kind === "Namespace" ? undefined : "default", name, uid: name } as ObjectMeta,
  },
  sourceId: "a",
  origin,
});

interface World {
  readonly wanted?: Wanted[];
  readonly applied?: Applied[];
  readonly damaged?: string;
  readonly isEmpty?: boolean;
  readonly done?: string;
  /** Pods that another source wants; those with a star are its own on the server too. */
  readonly others?: string[];
  /** A Pod that another source may want. */
  readonly doubtful?: string;
}

function lookOf(
  { wanted = [], applied = [], damaged, isEmpty = false, done, doubtful }: World,
  path: string,
): SourceLook {
  return {
    source: { path, isEmpty: () => isEmpty },
    text: { kind: "read", files: new Map() },
    reading: {
      wanted,
      faults: [],
      remarks: [],
      mayMean: ({ object, origin }) => origin === damaged || object.metadata.name === doubtful,
    },
    applied,
    claimed: undefined,
    isDone: ({ object }) => object.metadata.name === done,
  };
}

/** The plan of the second of two sources. */
function plan({ others = [], doubtful, ...world }: World) {
  const names = others.map((text) => text.replace("*", ""));
  const first = lookOf({
    wanted: names.map((name) => wanted("Pod", name, "other/x.yaml")),
    applied: names.filter((name) => others.includes(`*${name}`)).map((name) => applied("Pod", name)),
    ...doubtful !== undefined && { doubtful },
  }, "other");
  const [, second] = planAll([first, lookOf(world, "jobs")]);
  const { apply, remove, spared, doubted, faults } = must(second);
  return {
    apply: apply.map(({ object }) => object.metadata.name).join(" "),
    remove: remove.map(({ object }) => object.metadata.name).join(" "),
    spared: spared.map(({ object }) => object.metadata.name).join(" "),
    doubted: doubted.map(({ applied: { object } }) => object.metadata.name).join(" "),
    faults: faults.map(({ file, line, message }) => `${file}:${line}: ${message}`),
  };
}

const NOTHING = { apply: "", remove: "", spared: "", doubted: "", faults: [] };

test("planAll() applies what is not known to be applied, what others need first", () => {
  const all = [wanted("Pod", "p"), wanted("Secret", "s"), wanted("Namespace", "n"), wanted("Pod", "q")];
  assertEquals(plan({ wanted: all, done: "q" }), { ...NOTHING, apply: "n s p" });
});

test("planAll() deletes what no file has any more, whatever the order and the namespace's spelling", () => {
  const both = [applied("Pod", "p"), applied("Pod", "q")];
  assertEquals(plan({ wanted: [wanted("Pod", "q")], applied: both }), { ...NOTHING, apply: "q", remove: "p" });
});

test("planAll() deletes nothing that a file may mean which cannot be read", () => {
  const both = [applied("Pod", "p", "bad.yaml"), applied("Pod", "q", "good.yaml")];
  assertEquals(plan({ applied: both, damaged: "bad.yaml" }), { ...NOTHING, remove: "q" });
});

test("planAll() deletes nothing of a source that is empty", () => {
  assertEquals(plan({ applied: [applied("Pod", "p")], isEmpty: true }), { ...NOTHING, spared: "p" });
});

test("planAll() deletes nothing that another source may want", () => {
  const all = [applied("Pod", "p"), applied("Pod", "q"), applied("Pod", "r")];
  assertEquals(plan({ applied: all, doubtful: "p", others: ["r"] }), {
    ...NOTHING,
    remove: "q",
    doubted: "p",
  });
});

test("planAll() deletes no namespace and no definition, with which all in them would go", () => {
  const all = [applied("Namespace", "n"), applied("CustomResourceDefinition", "c"), applied("Pod", "p")];
  assertEquals(plan({ applied: all }), { ...NOTHING, remove: "p", spared: "n c" });
});

test("planAll() takes the first of two that are one object, and says where both stand", () => {
  const twice = [wanted("Pod", "p", "a.yaml"), wanted("Pod", "p", "b.yaml")];
  assertEquals(plan({ wanted: twice }), {
    ...NOTHING,
    apply: "p",
    faults: ["b.yaml:3: Pod p stands in a.yaml:3 already"],
  });
});

test("planAll() leaves what two sources want to the one that has applied it, or else to the first", () => {
  const both = [wanted("Pod", "p"), wanted("Pod", "q"), wanted("Pod", "r")];
  assertEquals(plan({ wanted: both, applied: [applied("Pod", "r")], others: ["*p", "q", "r"] }), {
    ...NOTHING,
    apply: "r",
    faults: [
      "a.yaml:3: Pod p stands in other/x.yaml:3 already",
      "a.yaml:3: Pod q stands in other/x.yaml:3 already",
    ],
  });
});

test("planAll() deletes nothing that another source takes over", () => {
  assertEquals(plan({ applied: [applied("Pod", "p"), applied("Pod", "q")], others: ["p"] }), {
    ...NOTHING,
    remove: "q",
  });
  assertEquals(plan({ applied: [applied("Pod", "p")], isEmpty: true, others: ["p"] }), NOTHING);
});
