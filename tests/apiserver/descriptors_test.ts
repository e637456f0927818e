import { assertEquals } from "@std/assert";
import { must } from "../support/expected.ts";
import { lines } from "../support/lines.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const SCRIPT = new URL("../support/serve_api.ts", import.meta.url).pathname;

/** More than the server has file descriptors. */
const CONNECTIONS = 300;

test("the API server outlives connections that take all its file descriptors, and answers once they are gone", async () => {
  await using folder = await temporaryFolder();
  const serve = [Deno.execPath(), "run", "-A", "--no-check", SCRIPT, JSON.stringify({ dataDir: folder.path })];
  const process = new Deno.Command("sh", {
    args: ["-c", 'ulimit -n 150; exec "$@"', "sh", ...serve],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const said = lines(process.stdout);
  const { value } = await said.next();
  await said.return(undefined);
  const { url, caCertificate, token } = JSON.parse(must(value as string | undefined));
  using client = Deno.createHttpClient({ caCerts: [caCertificate] });
  const status = async () => {
    const response = await fetch(`${url}/version`, { client, headers: { authorization: `Bearer ${token}` } });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await status(), 200);
  {
    using held = new DisposableStack();
    const at = { hostname: "127.0.0.1", port: Number(new URL(url).port) };
    let isRefused = false;
    for (let i = 0; i < CONNECTIONS && !isRefused; i++) {
      await Deno.connect(at).then((connection) => held.use(connection), () => isRefused = true);
    }
    await eventually("all are taken", () => Promise.resolve(descriptorsOf(process.pid) > 140));
  }
  assertEquals(await eventually("the same process answers again", () => status().catch(() => undefined)), 200);
  await process.stdin.close();
  assertEquals((await process.status).success, true);
});

/** Endless where the system does not say, or there is no such process. */
function descriptorsOf(pid: number): number {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  } catch {
    return Infinity;
  }
}
