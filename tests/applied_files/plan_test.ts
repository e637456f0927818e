import { assertEquals } from "@std/assert";
import { planOf } from "../../src/applied_files/plan.ts";
import { type Applied, identityOf, type Reading, type Wanted } from "../../src/applied_files/source.ts";
import { test } from "../support/test.ts";

const wanted = (kind: string, name: string, file = "a.yaml"): Wanted => ({
  object: { apiVersion: "v1", kind, metadata: { name } },
  file,
  origin: file,
  position: () => ({ line: 3, column: 5 }),
});

const applied = (kind: string, name: string, origin = "a.yaml"): Applied => ({
  apiVersion: "v1",
  kind,
  namespace: kind === "Namespace" ? undefined : "default",
  name,
  uid: name,
  resourceVersion: "1",
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

function plan({ wanted = [], applied = [], damaged, isEmpty = false, done, others = [], doubtful }: World) {
  const reading: Reading = {
    wanted,
    faults: [],
    remarks: [],
    mayMean: ({ origin }) => origin === damaged,
    mayName: () => false,
  };
  const isDone = ({ object }: Wanted) => object.metadata.name === done;
  const elsewhere = new Map(others.map((text) => {
    const name = text.replace("*", "");
    const identity = identityOf({ apiVersion: "v1", kind: "Pod", namespace: "default", name });
    return [identity, { place: "other/x.yaml:1", isApplied: name !== text }];
  }));
  const doubtOf = ({ name }: Applied) => name === doubtful ? { kind: "unsettled" } as const : undefined;
  const { apply, remove, spared, handedOver, doubted, faults } = planOf({
    reading,
    isEmpty,
    applied,
    elsewhere,
    doubtOf,
    isDone,
  });
  return {
    apply: apply.map(({ object }) => object.metadata.name).join(" "),
    remove: remove.map(({ name }) => name).join(" "),
    spared: spared.map(({ name }) => name).join(" "),
    handedOver: handedOver.map(({ name }) => name).join(" "),
    doubted: doubted.map(({ applied: { name } }) => name).join(" "),
    faults: faults.map(({ file, line, message }) => `${file}:${line}: ${message}`),
  };
}

const NOTHING = { apply: "", remove: "", spared: "", handedOver: "", doubted: "", faults: [] };

test("planOf() applies what is not known to be applied, what others need first", () => {
  const all = [wanted("Pod", "p"), wanted("Secret", "s"), wanted("Namespace", "n"), wanted("Pod", "q")];
  assertEquals(plan({ wanted: all, done: "q" }), { ...NOTHING, apply: "n s p" });
});

test("planOf() deletes what no file has any more, whatever the order and the namespace's spelling", () => {
  const both = [applied("Pod", "p"), applied("Pod", "q")];
  assertEquals(plan({ wanted: [wanted("Pod", "q")], applied: both }), { ...NOTHING, apply: "q", remove: "p" });
});

test("planOf() deletes nothing that a file may mean which cannot be read", () => {
  const both = [applied("Pod", "p", "bad.yaml"), applied("Pod", "q", "good.yaml")];
  assertEquals(plan({ applied: both, damaged: "bad.yaml" }), { ...NOTHING, remove: "q" });
});

test("planOf() deletes nothing of a source that is empty", () => {
  assertEquals(plan({ applied: [applied("Pod", "p")], isEmpty: true }), { ...NOTHING, spared: "p" });
});

test("planOf() deletes nothing that another source may want", () => {
  const all = [applied("Pod", "p"), applied("Pod", "q"), applied("Pod", "r")];
  assertEquals(plan({ applied: all, doubtful: "p", others: ["r"] }), {
    ...NOTHING,
    remove: "q",
    handedOver: "r",
    doubted: "p",
  });
});

test("planOf() deletes no namespace and no definition, with which all in them would go", () => {
  const all = [applied("Namespace", "n"), applied("CustomResourceDefinition", "c"), applied("Pod", "p")];
  assertEquals(plan({ applied: all }), { ...NOTHING, remove: "p", spared: "n c" });
});

test("planOf() takes the first of two that are one object, and says where both stand", () => {
  const twice = [wanted("Pod", "p", "a.yaml"), wanted("Pod", "p", "b.yaml")];
  assertEquals(plan({ wanted: twice }), {
    ...NOTHING,
    apply: "p",
    faults: ["b.yaml:3: Pod p stands in a.yaml:3 already"],
  });
});

test("planOf() leaves what two sources want to the one that has applied it, and hands on what it wants no more", () => {
  const both = [wanted("Pod", "p"), wanted("Pod", "q")];
  assertEquals(plan({ wanted: both, others: ["*p", "q"] }), {
    ...NOTHING,
    apply: "q",
    faults: ["a.yaml:3: Pod p stands in other/x.yaml:1 already"],
  });
  assertEquals(plan({ applied: [applied("Pod", "p"), applied("Pod", "q")], others: ["*p"] }), {
    ...NOTHING,
    remove: "q",
    handedOver: "p",
  });
  assertEquals(plan({ applied: [applied("Pod", "p")], isEmpty: true, others: ["p"] }), { ...NOTHING, handedOver: "p" });
  const damaged = [applied("Pod", "p", "bad.yaml")];
  assertEquals(plan({ applied: damaged, damaged: "bad.yaml", others: ["p"] }), NOTHING);
});
