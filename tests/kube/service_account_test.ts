import { assertEquals, assertRejects } from "@std/assert";
import { loadConnection } from "../../src/kube/connection.ts";
import { TOKEN_FILE_REREAD_MS, TokenFile } from "../../src/kube/credentials.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { NAMESPACES } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { ServiceAccount, type ServiceAccountFiles } from "../support/pod.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { TestCa } from "./support/certificates.ts";
import { json, refusal, ScriptedServer, stored } from "./support/scripted_server.ts";

/** A Pod's service account volume, and what `loadConnection` makes of it for a server at `url`. */
async function inPod(files: ServiceAccountFiles, url: string) {
  const folder = await temporaryFolder();
  const account = new ServiceAccount(`${folder.path}/serviceaccount`);
  await account.write(files);
  const { hostname, port } = new URL(url);
  const variables: Record<string, string> = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const connection = await loadConnection({
    environment: { get: (name) => variables[name] },
    serviceAccountDirectory: account.path,
  });
  return { account, connection, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

function nameOf(client: HttpKubeClient): Promise<string> {
  return client.get(NAMESPACES, { name: "a" }).then(({ metadata }) => metadata.name);
}

test("a Pod's rotated token is used within a minute, however it was swapped", async () => {
  await using folder = await temporaryFolder();
  const files = { token: "first", caCertificate: "ca", namespace: "team" };
  const account = new ServiceAccount(folder.path);
  await account.write(files);
  const clock = new FakeClock();
  const source = new TokenFile(`${account.path}/token`, clock);
  assertEquals((await source.current()).token, "first");
  for (const token of ["second", "third"]) {
    await account.write({ ...files, token });
    await clock.advance(TOKEN_FILE_REREAD_MS);
    assertEquals((await source.current()).token, token);
  }
});

test("a Pod's token that has expired is read anew at once, and the request sent again", async () => {
  const ca = await TestCa.make();
  await using server = new ScriptedServer(await ca.issueServer());
  let valid = "Bearer first";
  const seen: (string | null)[] = [];
  server.on("GET /api/v1/namespaces/a", (request) => {
    const authorization = request.headers.get("authorization");
    seen.push(authorization);
    const answer = authorization === valid ? json(stored(NAMESPACES)) : refusal(401, "Unauthorized", "expired");
    return answer(request);
  });
  const files = { token: "first", caCertificate: ca.certificate, namespace: "team" };
  await using pod = await inPod(files, server.url);
  await using client = HttpKubeClient.to(pod.connection);
  assertEquals(await nameOf(client), "a");
  valid = "Bearer second";
  await pod.account.write({ ...files, token: "second" });
  assertEquals(await nameOf(client), "a");
  assertEquals(seen, ["Bearer first", "Bearer first", "Bearer second"]);
});

test("a Pod trusts its cluster's new CA as soon as the volume shows it", async () => {
  const [before, after] = [await TestCa.make("before"), await TestCa.make("after")];
  const answer = json(stored(NAMESPACES));
  const first = new ScriptedServer(await before.issueServer()).on("GET /api/v1/namespaces/a", answer);
  const files = { token: "t", caCertificate: before.certificate, namespace: "team" };
  await using pod = await inPod(files, first.url);
  await using client = HttpKubeClient.to(pod.connection);
  assertEquals(await nameOf(client), "a");
  const port = Number(new URL(first.url).port);
  await first[Symbol.asyncDispose]();

  await using server = new ScriptedServer(await after.issueServer(), { port });
  server.on("GET /api/v1/namespaces/a", answer);
  for (const notYet of [undefined, { ...files, caCertificate: "" }]) {
    if (notYet) await pod.account.write(notYet);
    await assertRejects(() => nameOf(client), UnreachableError, "certificate");
  }
  await pod.account.write({ ...files, caCertificate: `${before.certificate}\n${after.certificate}\n` });
  // This one still meets the old trust, and makes the next one look.
  await assertRejects(() => nameOf(client), UnreachableError, "certificate");
  assertEquals(await nameOf(client), "a");
});
