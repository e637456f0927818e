import { assertEquals } from "@std/assert";
import { Recent } from "../../src/runtime/recent.ts";
import { test } from "../support/test.ts";

test("Recent forgets the entry that was added, or read, longest ago, once there are too many", () => {
  const recent = new Recent<number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.get("a");
  recent.set("c", 3);
  assertEquals(["a", "b", "c"].map((key) => recent.get(key)), [1, undefined, 3]);
});
