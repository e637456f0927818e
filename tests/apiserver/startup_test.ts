import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { X509Certificate } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { ServerError } from "../../src/apiserver/errors.ts";
import { RENEW_BEFORE_MS, serverCertificate } from "../../src/apiserver/security/certificates.ts";
import { startApiServer } from "../../src/apiserver/server.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { CONFIG_MAPS, NAMESPACES } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";

const DAY_MS = 86_400_000;

async function inTempDir(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "cronjob-controller-test-" });
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** The start must fail with one line that says why. */
async function assertRefuses(options: Parameters<typeof startApiServer>[0], why: RegExp): Promise<void> {
  const error = await assertRejects(() => startApiServer(options), ServerError);
  assertMatch(error.message, why);
  assertEquals(error.message.includes("\n"), false);
}

test("a second server on the same data directory is refused, and names the first", async () => {
  await using api = await startTestApiServer();
  await assertRefuses({ dataDir: api.dataDir }, new RegExp(`another process \\(pid ${Deno.pid}\\) is using it`));
});

test("a data directory that cannot be made is refused", async () => {
  await inTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    await assertRefuses({ dataDir: `${dir}/file/data` }, /Cannot write to data directory/);
  });
});

test("a port in use is refused, and the data directory is free again", async () => {
  await using api = await startTestApiServer();
  const port = Number(new URL(api.server.url).port);
  await inTempDir(async (dir) => {
    await assertRefuses({ dataDir: dir, port }, new RegExp(`127.0.0.1:${port}: the port is in use`));
    const server = await startApiServer({ dataDir: dir });
    await server.close();
  });
});

test("a file that is no database is refused and left as it is", async () => {
  await inTempDir(async (dir) => {
    const path = `${dir}/objects.sqlite`;
    await Deno.writeTextFile(path, "not a database, but long enough to look at".repeat(30));
    await assertRefuses({ dataDir: dir }, /Cannot read database .*file is not a database.*Restore a backup/);
    assertMatch(await Deno.readTextFile(path), /^not a database/);
  });
});

test("a damaged row is refused with its file, its place and a remedy, and none of its bytes", async () => {
  await inTempDir(async (dir) => {
    const server = await startApiServer({ dataDir: dir });
    await server.close();
    const path = `${dir}/objects.sqlite`;
    using database = new DatabaseSync(path);
    for (const damage of ["{\u001b]0;owned\u0007", "{}", "null", '{"metadata":null}', "\u0001\u0002"]) {
      database.prepare("UPDATE log SET value = ? WHERE key = 'default' AND resource = '/namespaces'").run(damage);
      const remedy = "Restore a backup, or move the file away to start anew";
      await assertRefuses(
        { dataDir: dir },
        new RegExp(`^Cannot read database ${path}: row \\d+ \\(/namespaces default\\) is no object. ${remedy}$`),
      );
    }
  });
});

test("a server starts again though its kubeconfig cannot be written, where the same one is there", async () => {
  await inTempDir(async (dir) => {
    const first = await startApiServer({ dataDir: dir });
    const port = Number(new URL(first.url).port);
    await first.close();
    // In place of a full disk: what is written before it is renamed has no room.
    await Deno.mkdir(`${dir}/kubeconfig.new`);
    const again = await startApiServer({ dataDir: dir, port });
    await again.close();
    await Deno.remove(`${dir}/kubeconfig`);
    await assertRefuses({ dataDir: dir, port }, /Cannot write kubeconfig/);
  });
});

test("a damaged database is refused", async () => {
  await inTempDir(async (dir) => {
    {
      await using api = await startTestApiServer({ dataDir: dir });
      for (let index = 0; index < 50; index++) {
        await api.client.create(CONFIG_MAPS, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: `a${index}`, namespace: "default" },
          data: { text: "x".repeat(2000) },
        });
      }
    }
    const path = `${dir}/objects.sqlite`;
    const bytes = await Deno.readFile(path);
    bytes.fill(0x55, 4096, bytes.length - 4096);
    await Deno.writeFile(path, bytes);
    await assertRefuses({ dataDir: dir }, /Cannot read database/);
  });
});

test("a database of a newer program is refused", async () => {
  await inTempDir(async (dir) => {
    await (await startApiServer({ dataDir: dir })).close();
    const database = new DatabaseSync(`${dir}/objects.sqlite`);
    database.exec("PRAGMA user_version = 99");
    database.close();
    await assertRefuses({ dataDir: dir }, /written by a newer version of this program \(schema 99/);
  });
});

test("a server started again has the same objects, token, CA and versions that rise", async () => {
  await inTempDir(async (dir) => {
    const first = await startApiServer({ dataDir: dir });
    const client = HttpKubeClient.to({ server: first.url, caCertificates: [first.caCertificate], token: first.token });
    const before = await client.get(NAMESPACES, { name: "default" });
    const { metadata } = await client.list(NAMESPACES);
    await client[Symbol.asyncDispose]();
    await first.close();
    await using again = await startTestApiServer({ dataDir: dir });
    assertEquals(again.server.token, first.token);
    assertEquals(again.server.caCertificate, first.caCertificate);
    assertEquals(await again.client.get(NAMESPACES, { name: "default" }), before);
    const list = await again.client.list(NAMESPACES);
    assertEquals(Number(list.metadata.resourceVersion) >= Number(metadata.resourceVersion), true);
  });
});

test("an ephemeral server leaves no objects behind", async () => {
  await inTempDir(async (dir) => {
    await (await startApiServer({ dataDir: dir, ephemeral: true })).close();
    assertEquals([...Deno.readDirSync(dir)].some(({ name }) => name.includes("sqlite")), false);
  });
});

test("keys, token, kubeconfig and objects are for their owner's eyes only, in everyone's folder too", async () => {
  await inTempDir(async (dataDir) => {
    await Deno.chmod(dataDir, 0o755);
    // One that an earlier version made.
    await Deno.writeTextFile(`${dataDir}/objects.sqlite`, "", { mode: 0o644 });
    await using _server = await startApiServer({ dataDir });
    const objects = ["objects.sqlite", "objects.sqlite-wal", "objects.sqlite-shm"];
    for (const file of ["kubeconfig", "token", "pki/ca.key", "pki/server.key", ...objects]) {
      assertEquals((await Deno.stat(`${dataDir}/${file}`)).mode! & 0o777, 0o600, file);
    }
  });
});

test("the server certificate is renewed before it runs out, by the same CA", async () => {
  await inTempDir(async (dir) => {
    const start = Date.parse("2026-01-01T00:00:00Z");
    const first = await serverCertificate(dir, start);
    assertEquals((await serverCertificate(dir, start + DAY_MS)).certificate, first.certificate);
    const later = await serverCertificate(dir, first.expiresAt - RENEW_BEFORE_MS + DAY_MS);
    assertNotEquals(later.certificate, first.certificate);
    assertEquals(later.caCertificate, first.caCertificate);
  });
});

test("a clock that was ahead and is set back keeps no server from starting", async () => {
  await inTempDir(async (dir) => {
    const start = Date.parse("2026-01-01T00:00:00Z");
    const first = await serverCertificate(dir, start);
    const back = await serverCertificate(dir, start - 1_000 * DAY_MS);
    assertEquals(back.caCertificate, first.caCertificate);
    const { validFrom } = new X509Certificate(back.certificate);
    assertEquals(Date.parse(validFrom), start - 1_001 * DAY_MS);
  });
});

test("a server that runs for months renews its certificate meanwhile", async () => {
  await inTempDir(async (dataDir) => {
    // The client goes by the real date.
    const clock = new FakeClock(Date.now() - 300 * DAY_MS);
    await using server = await startApiServer({ dataDir, clock });
    const path = `${dataDir}/pki/server.crt`;
    const before = await Deno.readTextFile(path);
    await clock.jump(200 * DAY_MS);
    assertEquals(await Deno.readTextFile(path), before);
    await clock.jump(100 * DAY_MS);
    await eventually("another certificate", async () => await Deno.readTextFile(path) !== before);
    const { url, caCertificate, token } = server;
    await using client = HttpKubeClient.to({ server: url, caCertificates: [caCertificate], token });
    // What was open ends, and the port is not served for a moment.
    const get = () =>
      client.get(NAMESPACES, { name: "default" }).then(({ metadata }) => metadata.name, () => undefined);
    assertEquals(await eventually("an answer", get), "default");
  });
});

test("an expired CA is refused with what to do about it", async () => {
  await inTempDir(async (dir) => {
    await serverCertificate(`${dir}/pki`, Date.parse("2010-01-01T00:00:00Z"));
    const clock = new FakeClock("2026-01-01T00:00:00Z");
    await assertRefuses({ dataDir: dir, clock }, /CA certificate .*ca\.crt expired at 2019-.*Delete the directory/);
  });
});

test("a certificate that is damaged is refused with what to do about it", async () => {
  await inTempDir(async (dir) => {
    await serverCertificate(`${dir}/pki`, Date.now());
    await Deno.writeTextFile(`${dir}/pki/ca.crt`, "x");
    await assertRefuses(
      { dataDir: dir },
      /Cannot read certificate .*ca\.crt or its key: it is damaged .*Delete the directory/,
    );
  });
});

test("a token file with a bad line is refused, and names the line", async () => {
  await inTempDir(async (dir) => {
    const tokenFile = `${dir}/tokens.csv`;
    await Deno.writeTextFile(tokenFile, 'abc,alice,u1,"system:masters,dev"\nnonsense\n');
    await assertRefuses({ dataDir: `${dir}/data`, tokenFile }, /line 2 must be token,user,uid/);
  });
});
