import { assertEquals } from "@std/assert";
import { Overload } from "../../src/kube/transport/overload.ts";
import { test } from "../support/test.ts";

type Refusal = [at: number, namespace: string | undefined, verdict: "nothing" | "suspect", byServer?: "by the server"];
type Probe = [at: number, what: "answered well"];

const ROWS: { what: string; given: (Refusal | Probe)[] }[] = [
  { what: "one refusal says nothing", given: [[0, "a", "nothing"]] },
  {
    what: "one namespace says nothing, however often it is refused",
    given: [[0, "a", "nothing"], [1, "a", "nothing"], [2, "a", "nothing"]],
  },
  {
    what: "two namespaces within a second make the server suspect",
    given: [[0, "a", "nothing"], [999, "b", "suspect"]],
  },
  { what: "two namespaces one after the other say nothing", given: [[0, "a", "nothing"], [1_000, "b", "nothing"]] },
  { what: "a cluster-scoped object counts as a namespace", given: [[0, "a", "nothing"], [1, undefined, "suspect"]] },
  { what: "one refused read or lease does", given: [[0, undefined, "suspect", "by the server"]] },
  {
    what: "a probe that is answered well clears the server for a second",
    given: [[0, "a", "nothing"], [1, "answered well"], [2, "b", "nothing"], [1_000, "c", "nothing"], [
      1_001,
      "d",
      "suspect",
    ]],
  },
  {
    what: "a probe that is answered well outweighs a refused read",
    given: [[0, "answered well"], [1, undefined, "nothing", "by the server"], [1_000, "a", "suspect", "by the server"]],
  },
];

for (const { what, given } of ROWS) {
  test(`Overload: ${what}`, () => {
    const overload = new Overload();
    for (const [at, what, verdict, byServer] of given) {
      if (verdict === undefined) {
        overload.well(at);
        continue;
      }
      const isSuspect = overload.refused({ namespace: what, byServer: byServer !== undefined }, at);
      assertEquals(isSuspect ? "suspect" : "nothing", verdict);
    }
  });
}
