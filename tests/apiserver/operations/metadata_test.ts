import { assertEquals } from "@std/assert";
import { dedupeOwners } from "../../../src/apiserver/operations/metadata.ts";
import { test } from "../../support/test.ts";
import { withinSeconds } from "../support/within_seconds.ts";

const COUNT = 20_000;
const owner = (uid: string, name = "p") => ({ apiVersion: "v1", kind: "Pod", name, uid });

test("owners that stand there twice go, whatever the order of their keys; others of the same UID stay", () => {
  const { uid, ...rest } = owner("1");
  const metadata = { ownerReferences: [owner("1"), owner("2"), { uid, ...rest }, owner("1", "q")] };
  assertEquals(dedupeOwners({ metadata }).map((warning) => warning.replace(/.*: /, "")), ["1"]);
  assertEquals(metadata.ownerReferences, [owner("1"), owner("2"), owner("1", "q")]);
});

for (
  const [which, uidOf, left] of [["", String, COUNT], [" of one UID", () => "u", 1]] as const
) {
  test(`any number of owners${which} is gone through in time that grows with it`, () => {
    const metadata = { ownerReferences: Array.from({ length: COUNT }, (_, index) => owner(uidOf(index))) };
    withinSeconds(1, () => dedupeOwners({ metadata }));
    assertEquals(metadata.ownerReferences.length, left);
  });
}
