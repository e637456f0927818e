import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { loadConnection } from "../../src/kube/connection.ts";
import { ConnectionConfigError } from "../../src/kube/connection_config.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { environment, withFiles } from "./support/kubeconfigs.ts";
import { kubeconfig } from "../support/kubeconfig.ts";

const IN_POD = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443", HOME: "/nowhere" };
const SERVICE_ACCOUNT = { "ca.crt": "the CA", namespace: "team\n", token: "t" };

test("loadConnection() takes a Pod's service account", async () => {
  await withFiles(SERVICE_ACCOUNT, async (path) => {
    const load = (variables: Record<string, string>) =>
      loadConnection({ environment: environment(variables), serviceAccountDirectory: path("") });
    const connection = {
      caCertificates: ["the CA"],
      caFile: path("/ca.crt"),
      tokenFile: path("/token"),
      namespace: "team",
      needs: { files: path(""), programs: false },
    };
    assertEquals(await load(IN_POD), { ...connection, server: "https://10.0.0.1:443" });
    assertEquals((await load({ ...IN_POD, KUBERNETES_SERVICE_HOST: "fd00::1" })).server, "https://[fd00::1]:443");
    await Deno.remove(path("token"));
    const error = await assertRejects(
      () => load(IN_POD),
      ConnectionConfigError,
      "Cannot use the Pod's service account: ",
    );
    assertStringIncludes(error.message, "automountServiceAccountToken: true");
  });
});

test("loadConnection() prefers a kubeconfig that is named to a Pod's service account", async () => {
  await withFiles({ config: kubeconfig() }, async (path) => {
    const KUBECONFIG = path("config");
    const connection = await loadConnection({
      environment: environment({ ...IN_POD, KUBECONFIG }),
      clock: new FakeClock(),
    });
    assertEquals(connection.server, "https://127.0.0.1:6443");
  });
});

test("loadConnection() needs no npm package for a Pod's service account", async () => {
  await withFiles(SERVICE_ACCOUNT, async (path) => {
    const module = new URL("../../src/kube/connection.ts", import.meta.url);
    const script = `
      import { loadConnection } from ${JSON.stringify(module.href)};
      const connection = await loadConnection({ serviceAccountDirectory: ${JSON.stringify(path(""))} });
      console.log(connection.server);`;
    await Deno.writeTextFile(path("main.ts"), script);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-config", "--no-npm", "--allow-env", "--allow-read", path("main.ts")],
      // Deno keeps a cache below it.
      env: { ...IN_POD, KUBECONFIG: "", HOME: path("") },
    }).output();
    assertEquals(
      [code, new TextDecoder().decode(stdout).trim()],
      [0, "https://10.0.0.1:443"],
      new TextDecoder().decode(stderr),
    );
  });
});
