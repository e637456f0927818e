import { assertEquals } from "@std/assert";
import { containerWarnings } from "../../../src/apiserver/kinds/container_warnings.ts";
import { flattened } from "../../../src/apiserver/kinds/nested.ts";
import type { PodScope } from "../../../src/apiserver/kinds/validation/pod_scope.ts";
import { validateResources } from "../../../src/apiserver/kinds/validation/resources.ts";
import { test } from "../../support/test.ts";
import { withinSeconds } from "../support/within_seconds.ts";

test("any number of ports and variables is gone through in time that grows with it", () => {
  const names = Array.from({ length: 60_000 }, (_, index) => `n${index}`);
  const env = names.map((name) => ({ name, value: "1" }));
  const ports = names.map((_, index) => ({ containerPort: index + 1, protocol: "TCP" }));
  const pod = { spec: { containers: [{ name: "m", image: "i", env, ports }] } };
  assertEquals(withinSeconds(1, () => flattened<string>(containerWarnings(pod, ""))), []);
});

test("any number of claims is looked up in time that grows with it", () => {
  const claims = Array.from({ length: 5_000 }, (_, index) => ({ name: `c${index}` }));
  const scope = { spec: { resourceClaims: claims } } as unknown as PodScope;
  assertEquals(withinSeconds(1, () => flattened(validateResources({ claims }, "resources", scope))), []);
});
