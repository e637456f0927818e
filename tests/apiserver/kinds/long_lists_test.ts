import { assertEquals } from "@std/assert";
import { PODS } from "../../../src/apiserver/kinds/pod.ts";
import { test } from "../../support/test.ts";
import { inProportion } from "../support/in_proportion.ts";
import { made } from "../support/made.ts";

test("any number of ports, variables and mounts is judged in time that grows with it", () => {
  const findings = inProportion(4_000, (size) => {
    const list = <T>(item: (index: number) => T) => Array.from({ length: size }, (_, index) => item(index));
    const container = {
      name: "m",
      image: "i",
      env: list((index) => ({ name: `n${index}`, value: "1" })),
      ports: list((index) => ({ name: `p${index}`, containerPort: 1, protocol: "TCP" })),
      volumeMounts: list((index) => ({ name: `v${index}`, mountPath: `/m${index}` })),
    };
    const volumes = list((index) => ({ name: `v${index}`, emptyDir: {} }));
    const pod = made(PODS, { spec: { containers: [container], volumes } });
    return () => [...PODS.validate(pod), ...PODS.warnings(pod, undefined)];
  });
  assertEquals(findings, []);
});
