// Judges what controllers asked for while a test suite ran with CJC_TEST_AUDIT_DIR set: `deno task test:rbac`.
import { assert, assertEquals } from "@std/assert";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { accessOf } from "../../src/manifests/access.ts";
import { installOf } from "../../src/manifests/install.ts";
import { objectsOf } from "../../src/manifests/objects.ts";
import { AUDIT_DIR, isOfController, readAuditLog, requestOf } from "../support/audit.ts";
import { test } from "../support/test.ts";
import { CONTROLLER } from "./support/installed.ts";
import { Permissions } from "./support/rbac.ts";
import { verdictOn } from "./support/verdict.ts";

test("the roles allow all that controllers asked for while the suite ran, and nothing that none asked for", async () => {
  assert(AUDIT_DIR, "CJC_TEST_AUDIT_DIR must name the folder that the suite recorded into");
  const events = [];
  for await (const { name } of Deno.readDir(AUDIT_DIR)) events.push(...await readAuditLog(`${AUDIT_DIR}/${name}`));
  const asked = events.filter(isOfController).flatMap((event) => requestOf(event) ?? []);
  console.log(`${asked.length} of ${events.length} recorded requests are a controller's`);

  // The suite's controllers are of every kind, in namespaces and with Leases of their own.
  const install = {
    ...installOf("base"),
    apis: FLAVOURS,
    jobs: "all",
    pendingTimeouts: true,
    neverTwice: true,
  } as const;
  const grants = new Permissions(objectsOf(install)).grantsOf(CONTROLLER);
  const anywhere = grants.map((grant) => ({ ...grant, namespace: undefined, name: undefined }));
  assertEquals(verdictOn(anywhere, asked, accessOf(install)), { denied: [], unused: [] });
});
