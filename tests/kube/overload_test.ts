import { assertEquals } from "@std/assert";
import { type Evidence, Overload } from "../../src/kube/overload.ts";
import { test } from "../support/test.ts";

type Refusal = [at: number, namespace: string | undefined, evidence: Evidence, byServer?: "by the server"];
type Probe = [at: number, what: "answered well"];

const ROWS: { what: string; given: (Refusal | Probe)[] }[] = [
  { what: "one refusal says nothing", given: [[0, "a", "own"]] },
  {
    what: "one namespace says nothing, however often it is refused",
    given: [[0, "a", "own"], [1, "a", "own"], [2, "a", "own"]],
  },
  { what: "two namespaces within a second make it suspected", given: [[0, "a", "own"], [999, "b", "suspected"]] },
  { what: "two namespaces one after the other say nothing", given: [[0, "a", "own"], [1_000, "b", "own"]] },
  { what: "a cluster-scoped object counts as a namespace", given: [[0, "a", "own"], [1, undefined, "suspected"]] },
  { what: "a refused read or lease makes it certain", given: [[0, undefined, "certain", "by the server"]] },
  {
    what: "a probe that is answered well clears the server for a second",
    given: [[0, "a", "own"], [1, "answered well"], [2, "b", "own"], [1_000, "c", "own"], [1_001, "d", "suspected"]],
  },
  {
    what: "a server that refuses by itself is not cleared by a probe",
    given: [[0, "answered well"], [1, "a", "certain", "by the server"]],
  },
];

for (const { what, given } of ROWS) {
  test(`Overload: ${what}`, () => {
    const overload = new Overload();
    for (const [at, what, evidence, byServer] of given) {
      if (evidence === undefined) overload.well(at);
      else assertEquals(overload.refused({ namespace: what, byServer: byServer !== undefined }, at), evidence);
    }
  });
}
