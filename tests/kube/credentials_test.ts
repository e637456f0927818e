import { assertEquals, assertRejects } from "@std/assert";
import { type Credential, IssuedCredential, TOKEN_FILE_REREAD_MS, TokenFile } from "../../src/kube/credentials.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { NAMESPACES } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { json, refusal, ScriptedServer, stored } from "./support/scripted_server.ts";

async function withTokenFile(fn: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, "first\n");
    await fn(path);
  } finally {
    await Deno.remove(path).catch(() => {/* the test removed it */});
  }
}

test("TokenFile is read again once a minute", () =>
  withTokenFile(async (path) => {
    const clock = new FakeClock();
    const file = new TokenFile(path, clock);
    assertEquals(await file.current(), { token: "first" });
    await Deno.writeTextFile(path, "second");
    await clock.advance(TOKEN_FILE_REREAD_MS - 1);
    assertEquals(await file.current(), { token: "first" });
    await clock.advance(1);
    assertEquals(await file.current(), { token: "second" });
  }));

test("TokenFile keeps the last token while the file is empty or gone", () =>
  withTokenFile(async (path) => {
    const clock = new FakeClock();
    const file = new TokenFile(path, clock);
    await file.current();
    await Deno.writeTextFile(path, "");
    await clock.advance(TOKEN_FILE_REREAD_MS);
    assertEquals(await file.current(), { token: "first" });
    await Deno.remove(path);
    assertEquals(await file.current(), { token: "first" });
  }));

test("TokenFile says which file has no token", () =>
  withTokenFile(async (path) => {
    await Deno.writeTextFile(path, "\n");
    const clock = new FakeClock();
    await assertRejects(() => Promise.resolve(new TokenFile(path, clock).current()), Error, `${path}: it is empty`);
    await Deno.remove(path);
    await assertRejects(
      () => Promise.resolve(new TokenFile(path, clock).current()),
      Error,
      `Cannot read the token file ${path}`,
    );
  }));

test("IssuedCredential lets no request wait for a plugin that hangs, starts no second one, and uses what comes late", async () => {
  const clock = new FakeClock();
  const plugin = Promise.withResolvers<Credential>();
  let started = 0;
  const source = new IssuedCredential(() => (started++, plugin.promise), clock);
  for (let request = 0; request < 2; request++) {
    const refused = assertRejects(
      () => Promise.resolve(source.current()),
      UnreachableError,
      "Cannot get credentials: the plugin or provider gives none for 120 s",
    );
    await clock.advance(120_000);
    await refused;
  }
  plugin.resolve({ token: "late" });
  assertEquals([await source.current(), started, clock.pending], [{ token: "late" }, 1, 0]);
});

test("KubeClient reads a rotated token at once when the old one is refused, and tries again", () =>
  withTokenFile(async (path) => {
    await using server = new ScriptedServer();
    server.on(
      "GET /api/v1/namespaces/a",
      (request) =>
        request.headers.get("authorization") === "Bearer second"
          ? json(stored(NAMESPACES))(request)
          : refusal(401, "Unauthorized", "Unauthorized")(request),
    );
    await using client = HttpKubeClient.to({ server: server.url, tokenFile: path });
    await assertRejects(() => client.get(NAMESPACES, { name: "a" }), Error, "Unauthorized");
    assertEquals(server.requests.length, 1, "the file has no other token");
    await Deno.writeTextFile(path, "second");
    assertEquals((await client.get(NAMESPACES, { name: "a" })).metadata.name, "a");
    assertEquals(server.requests.length, 3);
  }));

test("IssuedCredential is asked for once by many, and again before it ends", async () => {
  const clock = new FakeClock();
  let issued = 0;
  const source = new IssuedCredential(async (): Promise<Credential> => {
    await clock.sleep(100);
    return { token: `${++issued}`, expiresAt: clock.now() + 60_000 };
  }, clock);
  const many = [source.current(), source.current(), source.current()];
  await clock.advance(100);
  assertEquals((await Promise.all(many)).map(({ token }) => token), ["1", "1", "1"]);
  await clock.advance(49_000);
  assertEquals((await source.current()).token, "1");
  await clock.advance(2_000);
  const renewed = source.current();
  await clock.advance(100);
  assertEquals((await renewed).token, "2");
});

test("IssuedCredential lets its issuer know that the last one was refused", async () => {
  const asked: boolean[] = [];
  const source = new IssuedCredential((refused) => {
    asked.push(refused);
    return Promise.resolve({ token: "x" });
  }, new FakeClock());
  await source.current();
  await source.current();
  source.invalidate();
  await source.current();
  await source.current();
  assertEquals(asked, [false, true]);
});
