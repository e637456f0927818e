import { assertEquals } from "@std/assert";
import { crdText, FILE } from "../../deploy/crd/write.ts";
import { test } from "../support/test.ts";

test("The CRD in deploy/ is what the code says", async () => {
  assertEquals(await Deno.readTextFile(FILE), crdText(), "Run deno task manifests");
});
