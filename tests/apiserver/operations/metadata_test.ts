import { assertEquals } from "@std/assert";
import { dedupeOwners } from "../../../src/apiserver/operations/metadata.ts";
import { table } from "../../support/table.ts";
import { test } from "../../support/test.ts";
import { inProportion } from "../support/in_proportion.ts";

const owner = (uid: string, name = "p") => ({ apiVersion: "v1", kind: "Pod", name, uid });

test("owners that stand there twice go, whatever the order of their keys; others of the same UID stay", () => {
  const { uid, ...rest } = owner("1");
  const metadata = { ownerReferences: [owner("1"), owner("2"), { uid, ...rest }, owner("1", "q")] };
  assertEquals(dedupeOwners({ metadata }).map((warning) => warning.replace(/.*: /, "")), ["1"]);
  assertEquals(metadata.ownerReferences, [owner("1"), owner("2"), owner("1", "q")]);
});

table<[uidOf: (index: number) => string, left: (size: number) => number]>(
  "any number of owners is gone through in time that grows with it",
  [
    ["of UIDs of their own", String, (size) => size],
    ["of one UID", () => "u", () => 1],
  ],
  (uidOf, left) => {
    inProportion(3_000, (size) => {
      const metadata = { ownerReferences: Array.from({ length: size }, (_, index) => owner(uidOf(index))) };
      return () => {
        dedupeOwners({ metadata });
        assertEquals(metadata.ownerReferences.length, left(size));
      };
    });
  },
);
