import { assertEquals } from "@std/assert";
import { healthAnswer } from "../../src/apiserver/health.ts";
import { test } from "../support/test.ts";

test("a server that is not ready says which check fails, and not why", () => {
  const asked = (path: string) => {
    const { code, body } = healthAnswer(path, new URLSearchParams(), () => false)!;
    return [code, body];
  };
  const failed = "[+]ping ok\n[+]log ok\n[+]etcd ok\n[-]informer-sync failed: reason withheld\nreadyz check failed\n";
  assertEquals(asked("/readyz"), [500, failed]);
  assertEquals(asked("/readyz/informer-sync"), [500, "internal server error: informers not started yet\n"]);
  assertEquals(asked("/livez"), [200, "ok"]);
});
