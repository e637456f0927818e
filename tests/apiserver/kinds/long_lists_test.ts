import { assertEquals } from "@std/assert";
import { containerWarnings } from "../../../src/apiserver/kinds/container_warnings.ts";
import { flattened } from "../../../src/apiserver/kinds/nested.ts";
import type { PodScope } from "../../../src/apiserver/kinds/validation/pod_scope.ts";
import { validateResources } from "../../../src/apiserver/kinds/validation/resources.ts";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { table } from "../../support/table.ts";
import { test } from "../../support/test.ts";
import { CONTEXT, made } from "../support/made.ts";
import { PODS } from "../../../src/apiserver/kinds/pod.ts";
import { inProportion } from "../support/in_proportion.ts";

test("any number of ports and variables is gone through in time that grows with it", () => {
  const warnings = inProportion(8_000, (size) => {
    const env = list(size, (index) => ({ name: `n${index}`, value: "1" }));
    const ports = list(size, (index) => ({ containerPort: index + 1, protocol: "TCP" }));
    const pod = { spec: { containers: [{ name: "m", image: "i", env, ports }] } };
    return () => flattened<string>(containerWarnings(pod, ""));
  });
  assertEquals(warnings, []);
});

test("any number of claims is looked up in time that grows with it", () => {
  const errors = inProportion(1_000, (size) => {
    const claims = list(size, (index) => ({ name: `c${index}` }));
    const scope = { spec: { resourceClaims: claims } } as unknown as PodScope;
    return () => flattened(validateResources({ claims }, "resources", scope));
  });
  assertEquals(errors, []);
});

const list = <T>(size: number, item: (index: number) => T) => Array.from({ length: size }, (_, index) => item(index));
const fromConfigMap = (paths: string[]) => ({
  volumes: [{ name: "v", configMap: { name: "c", items: paths.map((path) => ({ key: "k", path })) } }],
});
const withPorts = (ports: Json[]) => ({ containers: [{ name: "m", image: "i", ports }] });

/** Each of its lists is said to be in the way of itself in as many ways as one answer has room for. */
table<[size: number, spec: (size: number) => Json, isWarnedOf: boolean]>(
  "a Pod is warned of in time that grows with it",
  [
    ["files of different paths", 5_000, (size) => fromConfigMap(list(size, (index) => `p${index}`)), false],
    ["files of one path", 3_000, (size) => fromConfigMap(list(size, () => "p")), true],
    ["a folder after its files", 3_000, (size) => fromConfigMap([...list(size, (index) => `p/${index}`), "p"]), true],
    ["folders in each other", 100, (size) => fromConfigMap(list(size, (index) => "p/".repeat(index + 1))), true],
    ["a path of slashes", 20_000, (size) => fromConfigMap([`p${"/".repeat(size)}q`]), false],
    ["one port", 1_500, (size) => withPorts(list(size, () => ({ containerPort: 1 }))), true],
    ["ports of the host", 3_000, (size) => withPorts(list(size, (hostPort) => ({ containerPort: 1, hostPort }))), true],
    ["addresses of the host", 3_000, (size) => {
      const ipOf = (index: number) => `1.1.${index >> 8}.${index & 255}`;
      return withPorts(list(size, (index) => ({ containerPort: 1, hostPort: 1, hostIP: ipOf(index) })));
    }, false],
  ],
  (size, specOf, isWarnedOf) => {
    const warnings = inProportion(size, (count) => {
      const pod = made(PODS, { spec: { containers: [{ name: "m", image: "i" }], ...specOf(count) } });
      return () => PODS.warnings(pod, undefined);
    });
    assertEquals(warnings.length > 0, isWarnedOf);
  },
);

test("any number of variables from files is looked up in time that grows with it", () => {
  const errors = inProportion(2_000, (size) => {
    const volumes = list(size, (index) => ({ name: `v${index}`, emptyDir: {} }));
    const env = volumes.map(({ name }) => ({
      name: "A",
      valueFrom: { fileKeyRef: { volumeName: name, path: "p", key: "K" } },
    }));
    const pod = made(PODS, { spec: { containers: [{ name: "m", image: "i", env }], volumes } });
    return () => PODS.validate(pod, CONTEXT);
  });
  assertEquals(errors, []);
});
