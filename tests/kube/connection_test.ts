import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { loadConnection } from "../../src/kube/connection.ts";
import { ConnectionConfigError } from "../../src/kube/connection_config.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { NAMESPACES } from "../../src/kube/resource.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { TestCa } from "./support/certificates.ts";
import { json, refusal, ScriptedServer, stored } from "./support/scripted_server.ts";
import { base64, environment, load, withFiles } from "./support/kubeconfigs.ts";
import { kubeconfig } from "../support/kubeconfig.ts";

test("loadConnection() reads server, CA, namespace and token from a kubeconfig", async () => {
  const cluster = { "certificate-authority-data": base64("the CA"), "proxy-url": "http://proxy:3128" };
  await withFiles({ config: kubeconfig({ cluster, namespace: "team" }) }, async (path) => {
    const { credentials, ...connection } = await load(path("config"));
    assertEquals(connection, {
      server: "https://127.0.0.1:6443",
      caCertificates: ["the CA"],
      proxyUrl: "http://proxy:3128",
      namespace: "team",
      needs: { files: "any", programs: false },
    });
    assertEquals((await credentials!.current()).headers, { Authorization: "Bearer secret" });
  });
});

test("loadConnection() reads files that a kubeconfig names, relative to it", async () => {
  const cluster = { "certificate-authority": "ca.crt" };
  const user = { "client-certificate": "me.crt", "client-key": "me.key" };
  await withFiles(
    { config: kubeconfig({ cluster, user }), "ca.crt": "ca", "me.crt": "crt", "me.key": "key" },
    async (path) => {
      const { credentials, caCertificates } = await load(path("config"));
      assertEquals(caCertificates, ["ca"]);
      assertEquals((await credentials!.current()).clientCertificate, { certificate: "crt", key: "key" });
    },
  );
});

test("loadConnection() takes the context that is named", async () => {
  const config = JSON.parse(kubeconfig());
  const other = JSON.parse(kubeconfig({ name: "other", cluster: { server: "https://other:6443" } }));
  for (const list of ["clusters", "users", "contexts"]) config[list].push(...other[list]);
  await withFiles({ config: JSON.stringify(config) }, async (path) => {
    assertEquals((await load(path("config"))).server, "https://127.0.0.1:6443");
    assertEquals((await load(path("config"), "other")).server, "https://other:6443");
    const error = await assertRejects(() => load(path("config"), "third"), ConnectionConfigError);
    assertEquals(error.message, `Cannot use kubeconfig ${path("config")}: it has no context third; it has main, other`);
  });
});

test("loadConnection() merges the files of KUBECONFIG, the first one winning, and passes over one that is missing", async () => {
  const files = {
    one: kubeconfig(),
    two: kubeconfig({ cluster: { server: "https://hidden:1" } }),
    three: kubeconfig({ name: "more" }),
  };
  await withFiles(files, async (path) => {
    const KUBECONFIG = ["one", "missing", "two", "three"].map(path).join(":");
    const load = (context?: string) =>
      loadConnection({ environment: environment({ KUBECONFIG }), context, clock: new FakeClock() });
    assertEquals((await load()).server, "https://127.0.0.1:6443");
    assertEquals((await load("more")).server, "https://127.0.0.1:6443");
  });
});

test("loadConnection() looks into ~/.kube/config when nothing is named", async () => {
  await withFiles({}, async (path) => {
    const options = { environment: environment({ HOME: path("") }), clock: new FakeClock() };
    const error = await assertRejects(
      () => loadConnection(options),
      ConnectionConfigError,
      "/.kube/config: there is no such file",
    );
    assertStringIncludes(error.message, "name one with --kubeconfig or KUBECONFIG");
    await Deno.mkdir(path(".kube"));
    await Deno.writeTextFile(path(".kube/config"), kubeconfig());
    assertEquals((await loadConnection(options)).server, "https://127.0.0.1:6443");
  });
});

test("loadConnection() says what is wrong with a kubeconfig", async () => {
  const files = {
    garbage: "{ not yaml",
    noServer: kubeconfig({ cluster: { server: "here" } }),
    noCluster: kubeconfig().replace('"cluster":"main"', '"cluster":"lost"'),
    noContext: kubeconfig().replace('"current-context":"main"', '"current-context":""'),
    insecure: kubeconfig({ cluster: { "insecure-skip-tls-verify": true } }),
    otherName: kubeconfig({ cluster: { "tls-server-name": "kube" } }),
  };
  await withFiles(files, async (path) => {
    const messages: Record<string, string> = {
      garbage: `Cannot read kubeconfig ${path("garbage")}: `,
      noServer: "Cannot use cluster main: its 'server' is no URL, current value is here",
      noCluster: "the cluster of context main is not in it",
      noContext: "it has no current context; name one of main with --context",
      insecure: "'insecure-skip-tls-verify' is not supported; give the cluster's CA as 'certificate-authority-data'",
      otherName: "'tls-server-name' is not supported; use kube in 'server'",
    };
    for (const [name, message] of Object.entries(messages)) {
      await assertRejects(() => load(path(name)), ConnectionConfigError, message);
    }
  });
});

test("loadConnection() asks an exec plugin for credentials, and again when they are refused", async () => {
  await using server = new ScriptedServer();
  server.on(
    "GET /api/v1/namespaces/a",
    (request) =>
      request.headers.get("authorization") === "Bearer token-2"
        ? json(stored(NAMESPACES))(request)
        : refusal(401, "Unauthorized", "Unauthorized")(request),
  );
  // Gives token-1, then token-2, and so on; says which version of the credential it was asked for.
  const plugin = `#!/bin/sh
echo x >> "$0.calls"
echo "$KUBERNETES_EXEC_INFO" > "$0.info"
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"token-'$(wc -l < "$0.calls")'"}}'
`;
  await withFiles({ plugin }, async (path) => {
    await Deno.chmod(path("plugin"), 0o755);
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: path("plugin"),
      interactiveMode: "Never",
      env: [{ name: "X", value: "y" }],
    };
    await Deno.writeTextFile(path("config"), kubeconfig({ cluster: { server: server.url }, user: { exec } }));
    const connection = await load(path("config"));
    await using client = HttpKubeClient.to(connection);
    assertEquals((await client.get(NAMESPACES, { name: "a" })).metadata.name, "a");
    assertEquals((await client.get(NAMESPACES, { name: "a" })).metadata.name, "a");
    assertEquals(server.requests.length, 3);
    const info = JSON.parse(await Deno.readTextFile(path("plugin.info")));
    assertEquals(info, {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      spec: { interactive: false },
    });
  });
});

test("loadConnection() says which plugin gives no credentials, and why", async () => {
  const plugin = `#!/bin/sh\necho "log in first" >&2\nexit 1\n`;
  await withFiles({ plugin }, async (path) => {
    await Deno.chmod(path("plugin"), 0o755);
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: path("plugin"), interactiveMode: "Never" };
    await Deno.writeTextFile(path("config"), kubeconfig({ user: { exec } }));
    const error = await assertRejects(() => load(path("config")), ConnectionConfigError);
    assertEquals(error.message, `Cannot get credentials of user main through '${path("plugin")}': log in first`);
  });
});

test("loadConnection() says which plugin prints what is no credential, and nothing of what it prints", async () => {
  const rows: Readonly<Record<string, string>> = {
    "\\033]0;owned\\007 secret": "what is there is no JSON",
    "": "what is there is no JSON",
    "null": "what is there is no credential",
    "[]": "what is there is no credential",
    "{}": "what is there is no credential",
    '{"status":null}': "what is there is no credential",
    '{"status":{"token":""}}': "what is there is no credential",
  };
  for (const [printed, complaint] of Object.entries(rows)) {
    await withFiles({ plugin: `#!/bin/sh\nprintf '%b' '${printed}'\n` }, async (path) => {
      await Deno.chmod(path("plugin"), 0o755);
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command: path("plugin"), interactiveMode: "Never" };
      await Deno.writeTextFile(path("config"), kubeconfig({ user: { exec } }));
      const { message } = await assertRejects(() => load(path("config")), ConnectionConfigError);
      const expected = `Cannot get credentials of user main through '${path("plugin")}': ${complaint}`;
      assertEquals(message, expected, printed);
    });
  }
});

test("loadConnection() sends impersonation and basic authentication along", async () => {
  const user = { username: "me", password: "pass", as: "someone" };
  await withFiles({ config: kubeconfig({ user }) }, async (path) => {
    const { credentials } = await load(path("config"));
    assertEquals((await credentials!.current()).headers, {
      Authorization: `Basic ${base64("me:pass")}`,
      "Impersonate-User": "someone",
    });
  });
});

test("loadConnection() reads the files that a kubeconfig names again as they are rotated", async () => {
  const clock = new FakeClock();
  const user = { tokenFile: "token", "client-certificate": "cert", "client-key": "key" };
  const cluster = { "certificate-authority-data": undefined, "certificate-authority": "ca" };
  const files = {
    config: kubeconfig({ user, cluster }),
    token: "one\n",
    cert: "cert one",
    key: "key one",
    ca: "the CA",
  };
  await withFiles(files, async (path) => {
    const { credentials, caFile } = await loadConnection({ kubeconfig: path("config"), clock });
    assertEquals(caFile, path("ca"));
    const current = async () => {
      const { headers, clientCertificate } = await credentials!.current();
      return [headers?.Authorization, clientCertificate?.certificate];
    };
    assertEquals(await current(), ["Bearer one", "cert one"]);
    await Deno.writeTextFile(path("token"), "two\n");
    await Deno.writeTextFile(path("cert"), "cert two");
    assertEquals(await current(), ["Bearer one", "cert one"]);
    await clock.advance(60_000);
    assertEquals(await current(), ["Bearer two", "cert two"]);
  });
});

test("loadConnection() takes what stands in the kubeconfig before a file, and plugins from beside it", async () => {
  const plugin = `#!/bin/sh\necho '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",` +
    `"status":{"token":"from-plugin"}}'\n`;
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "./plugin", interactiveMode: "Never" };
  const both = {
    "client-certificate-data": base64("data"),
    "client-certificate": "lost",
    "client-key-data": base64("k"),
  };
  const files = { plugin, exec: kubeconfig({ user: { exec, as: "someone" } }), both: kubeconfig({ user: both }) };
  await withFiles(files, async (path) => {
    await Deno.chmod(path("plugin"), 0o755);
    const { credentials } = await load(path("exec"));
    assertEquals((await credentials!.current()).headers, {
      Authorization: "Bearer from-plugin",
      "Impersonate-User": "someone",
    });
    const { credentials: inline } = await load(path("both"));
    assertEquals((await inline!.current()).clientCertificate, { certificate: "data", key: "k" });
  });
});

test("loadConnection() impersonates with one group and a UID, and refuses what it cannot send", async () => {
  const files = {
    one: kubeconfig({ user: { token: "t", as: "me", "as-uid": "u", "as-groups": ["g"] } }),
    several: kubeconfig({ user: { token: "t", as: "me", "as-groups": ["g", "h"] } }),
    extra: kubeconfig({ user: { token: "t", as: "me", "as-user-extra": { scopes: ["x"] } } }),
  };
  await withFiles(files, async (path) => {
    const { credentials } = await load(path("one"));
    assertEquals((await credentials!.current()).headers, {
      Authorization: "Bearer t",
      "Impersonate-User": "me",
      "Impersonate-Uid": "u",
      "Impersonate-Group": "g",
    });
    for (const name of ["several", "extra"]) {
      await assertRejects(() => load(path(name)), ConnectionConfigError, "user main impersonates with several");
    }
  });
});

test("KubeClient works with what loadConnection() makes of a server's CA and a client's certificate", async () => {
  const ca = await TestCa.make();
  await using server = new ScriptedServer(await ca.issueServer());
  server.on("GET /api/v1/namespaces/a", json(stored(NAMESPACES)));
  const { certificate, key } = await ca.issueClient("me");
  const cluster = { server: server.url, "certificate-authority-data": base64(ca.certificate) };
  const user = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
  await withFiles({ config: kubeconfig({ cluster, user }) }, async (path) => {
    await using client = HttpKubeClient.to(await load(path("config")));
    assertEquals((await client.get(NAMESPACES, { name: "a" })).metadata.name, "a");
  });
});
