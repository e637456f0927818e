import { assertEquals } from "@std/assert";
import { PODS } from "../../../../src/apiserver/kinds/pod.ts";
import type { Json } from "../../../../src/apiserver/resource_kind.ts";
import { test } from "../../../support/test.ts";
import { made, shown } from "../../support/made.ts";

const ended = (exitCode: number) => [{ name: "a", state: { terminated: { exitCode } } }];
const RUNNING = [{ name: "a", state: { running: {} } }];
const NO_REVIVAL = "state: Forbidden";

/** What a Pod is, how it was, and how it shall be; what is said. */
const CHANGES: readonly [title: string, spec: Json, before: Json, after: Json, errors: readonly string[]][] = [
  [
    "a run after the last",
    { restartPolicy: "Never" },
    { containerStatuses: ended(1) },
    { containerStatuses: RUNNING },
    [
      `status.containerStatuses[0].${NO_REVIVAL}`,
    ],
  ],
  [
    "a run after the last that the container's own policy allows",
    { restartPolicy: "Never", containers: [{ name: "a", image: "i", restartPolicy: "OnFailure" }] },
    { containerStatuses: ended(1) },
    { containerStatuses: RUNNING },
    [],
  ],
  [
    "conditions, which patches find by their type",
    {},
    {},
    { conditions: [{ type: "example.com/Warm" }, {}] },
    ["status.conditions[1].Type: Invalid value", "status.conditions[1].Type: Invalid value"],
  ],
];

for (const [title, spec, before, after, errors] of CHANGES) {
  test(`Kubernetes' rules of a Pod's status judge ${title}`, () => {
    const old = made(PODS, { spec: { containers: [{ name: "a", image: "i" }], ...spec } });
    const pod = structuredClone(old);
    Object.assign(old.status, before);
    Object.assign(pod.status, after);
    assertEquals(shown(PODS.validateStatusUpdate(pod, old)), errors);
  });
}

test("a Pod is not taken for a node whose name later changes of the Pod could not keep", () => {
  const old = made(PODS, { spec: { containers: [{ name: "a", image: "i" }] } });
  const pod = structuredClone(old);
  pod.spec.nodeName = "No Name";
  PODS.prepareForStatusUpdate(pod, old);
  assertEquals(shown(PODS.validateStatusUpdate(pod, old)), ["spec.nodeName: Invalid value"]);
});
