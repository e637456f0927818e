import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ANONYMOUS, Authenticator, readTokenFile } from "../../src/apiserver/security/authentication.ts";
import { Refusal } from "../../src/apiserver/refusals.ts";
import { withImpersonation } from "../../src/apiserver/security/impersonation.ts";
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
    // What kubectl asks before it asks for anything else.
    for (const path of ["/api", "/apis", "/apis/batch/v1", "/openapi/v3"]) {
      assertEquals((await ask("def", path))[0], 200);
    }
    for (const path of ["/metrics", "/readyz/ping"]) assertEquals((await ask("def", path))[0], 403);
    assertEquals((await ask("nonsense", "/readyz"))[0], 401);
  }
  await Deno.remove(dir, { recursive: true });
});

test("a request has the rights of whom it impersonates", async () => {
  await using api = await startTestApiServer({});
  using http = Deno.createHttpClient({ caCerts: [api.server.caCertificate] });
  const list = async (headers: Record<string, string>, token = api.server.token) => {
    const url = `${api.server.url}/api/v1/namespaces/default/pods`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers }, client: http });
    const { message = "" } = await response.json();
    return [response.status, message];
  };
  const cannotList = (name: string) => [
    403,
    `pods is forbidden: User "${name}" cannot list resource "pods" in API group "" in the namespace "default"`,
  ];
  assertEquals(await list({}), [200, ""]);
  assertEquals(await list({ "impersonate-user": "bob" }), cannotList("bob"));
  assertEquals(await list({ "impersonate-user": "bob", "impersonate-group": "dev, system:masters" }), [200, ""]);
  const account = "system:serviceaccount:default:robot";
  assertEquals(await list({ "impersonate-user": account }), cannotList(account));
  assertEquals(await list({ "impersonate-group": "dev" }), [
    400,
    "a request with Impersonate-Uid or Impersonate-Group must have Impersonate-User",
  ]);
});

test("every user that is known may ask who they are", async () => {
  await using api = await startTestApiServer({});
  const ask = async (headers: Record<string, string>) => {
    const response = await api.client.raw("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: "{}",
    });
    return (await response.json()).status;
  };
  assertEquals(await ask({ "impersonate-user": "ana", "impersonate-group": "dev" }), {
    userInfo: { username: "ana", groups: ["dev", "system:authenticated"] },
  });
});

test("only who may do everything may impersonate", () => {
  const impersonate = (user: string, group: string | undefined, groups: readonly string[]) => {
    const headers: Record<string, string | undefined> = { "impersonate-user": user, "impersonate-group": group };
    return withImpersonation({
      warnings: [],
      method: "GET",
      path: "/api/v1/pods",
      query: new URLSearchParams(),
      body: () => Promise.resolve(new Uint8Array()),
      header: (name) => headers[name],
      user: { name: "bob", groups },
    }).user;
  };
  const robot = "system:serviceaccount:a:robot";
  const { code, details } = assertThrows(() => impersonate("alice", "dev", ["system:authenticated"]), Refusal);
  assertEquals([code, details], [403, { name: "alice", kind: "users" }]);
  const groupsOf = (user: string, group?: string) => impersonate(user, group, ["system:masters"]).groups;
  assertEquals(groupsOf("alice", "dev"), ["dev", "system:authenticated"]);
  assertEquals(groupsOf(robot), ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"]);
});

test("Authenticator knows tokens, and takes no user for another", () => {
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
