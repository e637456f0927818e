import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { connectionOf, reach } from "../../src/cli/cluster/connection.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { TestCa } from "../kube/support/certificates.ts";
import { ScriptedServer } from "../kube/support/scripted_server.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";

test("a server whose certificate is of another CA is named as that", async () => {
  await using server = new ScriptedServer(await (await TestCa.make()).issueServer());
  const other = await TestCa.make();
  await using client = HttpKubeClient.to({ server: server.url, caCertificates: [other.certificate] });
  await assertRejects(
    () => reach(client, server.url),
    Error,
    `Cannot reach the API server ${server.url}: no CA that the kubeconfig names has signed its certificate; ` +
      "--kubeconfig and --context choose another",
  );
});

testAlone(import.meta.url, "who has no kubeconfig is told of that of standalone, if there is one", async () => {
  await using folder = await temporaryFolder();
  for (const name of ["KUBECONFIG", "XDG_STATE_HOME"]) Deno.env.delete(name);
  Deno.env.set("HOME", folder.path);
  const refused = (options = {}) => assertRejects(() => connectionOf(options), ConfigError);
  assertEquals((await refused()).message.includes("standalone"), false);
  const dataDir = `${folder.path}/.local/state/cronjob-controller`;
  await Deno.mkdir(dataDir, { recursive: true });
  await Deno.writeTextFile(`${dataDir}/kubeconfig`, "");
  assertMatch((await refused()).message, new RegExp(`; that of standalone here is ${dataDir}/kubeconfig$`));
  assertEquals((await refused({ kubeconfig: "/none" })).message.includes("standalone"), false);
  Deno.env.set("XDG_STATE_HOME", `${dataDir}/kubeconfig`);
  assertEquals((await refused()).message.includes("standalone"), false, "a file where a folder is to be is no hint");
});
