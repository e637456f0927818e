import { assertEquals, assertStringIncludes } from "@std/assert";
import { ANONYMOUS, Authenticator, readTokenFile } from "../../src/apiserver/security/authentication.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

test("the server takes no requests from web pages, nor for other hosts", async () => {
  await using api = await startTestApiServer();
  const page = await api.client.raw("/version", { headers: { origin: "https://evil.example.com" } }).catch((e) =>
    e.code
  );
  assertEquals(page, 403);
});

test("a body beyond 3 MB is refused", async () => {
  await using api = await startTestApiServer();
  const code = await api.client.raw("/api/v1/namespaces/default/configmaps", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "a" }, data: { text: "x".repeat(3_200_000) } }),
  }).catch((error) => error.code);
  assertEquals(code, 413);
});

test("users out of a token file have the rights of their groups", async () => {
  const dir = await Deno.makeTempDir();
  const tokenFile = `${dir}/tokens.csv`;
  await Deno.writeTextFile(tokenFile, '# who\nabc,alice,u1,"system:masters,dev"\n\ndef,bob,u2\n');
  assertEquals(readTokenFile(tokenFile), [
    { token: "abc", user: { name: "alice", uid: "u1", groups: ["system:masters", "dev"] } },
    { token: "def", user: { name: "bob", uid: "u2", groups: [] } },
  ]);
  {
    await using api = await startTestApiServer({ tokenFile });
    using http = Deno.createHttpClient({ caCerts: [api.server.caCertificate] });
    const ask = async (token: string, path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(api.server.url + path, { headers, client: http });
      return [response.status, await response.text()] as const;
    };
    assertEquals((await ask("abc", "/api/v1/pods"))[0], 200);
    const [status, text] = await ask("def", "/api/v1/pods");
    assertEquals(status, 403);
    assertStringIncludes(text, 'User \\"bob\\" cannot list resource \\"pods\\"');
    assertEquals((await ask("def", "/readyz"))[0], 200);
    assertEquals((await ask("nonsense", "/readyz"))[0], 401);
  }
  await Deno.remove(dir, { recursive: true });
});

test("Authenticator knows tokens, and takes nobody for somebody", () => {
  const authenticator = new Authenticator();
  authenticator.add("abc", { name: "alice", groups: [] });
  assertEquals(authenticator.authenticate("Bearer abc").name, "alice");
  assertEquals(authenticator.authenticate("bearer  abc").groups, ["system:authenticated"]);
  assertEquals(authenticator.authenticate(undefined), ANONYMOUS);
  for (const wrong of ["Bearer abd", "Bearer", "Basic abc", "abc", "Bearer abc def"]) {
    try {
      authenticator.authenticate(wrong);
      throw new Error(`${wrong} was taken`);
    } catch (error) {
      assertEquals((error as { code?: number }).code, 401);
    }
  }
});
