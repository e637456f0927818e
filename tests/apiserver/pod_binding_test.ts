import { assertEquals, assertRejects } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { type Pod, PODS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

test("A Pod is bound to a node once", async () => {
  await using api = await startTestApiServer();
  const bind = (node: string | undefined, metadata = {}) =>
    api.client.raw("/api/v1/namespaces/default/pods/work/binding", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "work", ...metadata },
        target: { kind: "Node", name: node },
      }),
    });
  const refusal = async (binding: Promise<unknown>) => {
    const { code, message } = await assertRejects(() => binding, ApiError);
    return [code, message.replace(/^.*?: /, "")];
  };
  const pod = (): Promise<Pod> => api.client.get(PODS, { name: "work", namespace: "default" });

  assertEquals((await refusal(bind("node")))[0], 404);
  await api.client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "work", namespace: "default" },
    spec: { containers: [{ name: "main", image: "none" }] },
  });
  assertEquals(await refusal(bind(undefined)), [500, "target.name: Required value"]);
  assertEquals((await refusal(bind("node", { uid: "11111111-2222-3333-4444-555555555555" })))[0], 409);

  const answer = await bind("node", { uid: (await pod()).metadata.uid, annotations: { by: "test" } });
  assertEquals([answer.status, (await answer.json()).status], [201, "Success"]);
  const { metadata, spec, status } = await pod();
  assertEquals([spec?.nodeName, metadata.annotations?.by, status?.phase], ["node", "test", "Pending"]);
  assertEquals(status?.conditions?.map(({ type, status }) => [type, status]), [["PodScheduled", "True"]]);
  assertEquals(await refusal(bind("other")), [
    409,
    'Operation cannot be fulfilled on pods/binding "work": pod work is already assigned to node "node"',
  ]);
});
