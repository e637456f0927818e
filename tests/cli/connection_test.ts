import { assertRejects } from "@std/assert";
import { askVersion } from "../../src/cli/shared/connection.ts";
import { createKubeClient } from "../../src/kube/http_client.ts";
import { TestCa } from "../kube/certificates.ts";
import { ScriptedServer } from "../kube/scripted_server.ts";
import { test } from "../support/test.ts";

test("a server whose certificate is of another CA is named as that", async () => {
  await using server = new ScriptedServer(await (await TestCa.make()).issueServer());
  const other = await TestCa.make();
  await using client = createKubeClient({ server: server.url, caCertificates: [other.certificate] });
  await assertRejects(
    () => askVersion(client, server.url),
    Error,
    `Cannot reach the API server ${server.url}: no CA that the kubeconfig names has signed its certificate; ` +
      "--kubeconfig and --context choose another",
  );
});
