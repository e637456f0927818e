import { assert, assertEquals, assertMatch } from "@std/assert";
import type { RowsMessage } from "../../src/dashboard/wire.ts";
import { linesOf } from "../dashboard/support/dashboard.ts";
import { must } from "../support/expected.ts";
import {
  dashboardLink,
  NO_ENDPOINTS,
  PROGRAM,
  RunningProgram,
  runProgram,
  Standalone,
  temporaryFolder,
} from "../support/program.ts";
import { test } from "../support/test.ts";

const CRON_JOB = `
apiVersion: cronjob-controller.dev/v1
kind: CronJob
metadata: { name: report }
spec:
  schedule: "0 2 * * *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: main, image: none }] } } } }
`;

/** Comes in by a link, and gives the names of the first rows. */
async function namesBehind(link: string): Promise<string[]> {
  const { origin, hash } = new URL(link);
  const loggedIn = await fetch(`${origin}/api/login`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ code: hash.slice("#code=".length) }),
  });
  await loggedIn.body?.cancel();
  assertEquals(loggedIn.status, 204);
  const cookie = loggedIn.headers.get("set-cookie")!.replace(/;.*/, "");
  const rows = await fetch(`${origin}/api/rows`, { headers: { cookie } });
  for await (const message of linesOf<RowsMessage>(rows)) {
    if (message.kind === "rows") return message.rows.map(({ name }) => name);
  }
  return [];
}

/** A certificate for a name that only tests use. */
async function certificate(folder: string): Promise<string[]> {
  const [cert, key] = [`${folder}/tls.crt`, `${folder}/tls.key`];
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key];
  args.push("-out", cert, "-subj", "/CN=x", "-addext", "subjectAltName=DNS:dash.example,IP:127.0.0.1");
  // It vouches for itself alone.
  args.push("-addext", "basicConstraints=critical,CA:FALSE");
  await new Deno.Command("openssl", { args, stderr: "null" }).output();
  return ["--dashboard-tls-cert-file", cert, "--dashboard-tls-key-file", key];
}

test("standalone prints a link to its page, and the dashboard command makes another for its data dir", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/report.yaml`, CRON_JOB);
  const flags = ["--dashboard-address", "127.0.0.1:0", "--apply", `${folder.path}/report.yaml`];
  await using standalone = await Standalone.start(`${folder.path}/data`, flags);
  const first = await dashboardLink(standalone);
  assertEquals(await namesBehind(first), ["report"]);

  const command = ["dashboard", "--data-dir", `${folder.path}/data`, "--no-open"];
  const { code, stdout } = await runProgram(command);
  const link = must(/http:\/\/\S+#code=\S+/.exec(stdout)?.[0]);
  assertEquals([code, new URL(link).origin], [0, new URL(first).origin]);
  assertEquals(await namesBehind(link), ["report"]);

  // A page of its own is only to look at.
  await using dashboard = new RunningProgram([...PROGRAM, ...command, "--read-only"]);
  const [other] = await dashboard.waitFor(/http:\/\/\S+#code=\S+/);
  assert(new URL(other).origin !== new URL(first).origin);
  assertEquals(await namesBehind(other), ["report"]);
  assertEquals((await dashboard.end("SIGINT")).code, 0);
});

test("a log for programs holds no link", async () => {
  await using folder = await temporaryFolder();
  const flags = [
    "--data-dir",
    folder.path,
    "--port",
    "0",
    "--dashboard-address",
    "127.0.0.1:0",
    "--log-format",
    "json",
  ];
  await using program = new RunningProgram([...PROGRAM, "standalone", ...flags]);
  await program.waitFor(/Ready: kubectl works/);
  assertMatch(program.output, /"endpoint":"dashboard"/);
  assert(!program.output.includes("code="), program.output);
});

test("a controller serves its page over TLS, under the names of its certificate, to who has a token", async () => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`, ["--controllers", "gc"]);
  const flags = ["--kubeconfig", standalone.kubeconfig, "--api", "batch/v1", ...NO_ENDPOINTS];
  const inTheClear = await runProgram(["controller", ...flags, "--dashboard-bind-address", ":0"]);
  assertEquals(inTheClear.code, 2);
  assertMatch(inTheClear.stderr, /would send people's tokens in the clear: give --dashboard-tls-cert-file/);

  const tls = await certificate(folder.path);
  const command = ["controller", ...flags, "--dashboard-bind-address", ":0", ...tls];
  await using controller = new RunningProgram([...PROGRAM, ...command]);
  const [, port] = await controller.waitFor(/Serving dashboard on \S*:(\d+)/);
  const token = /"?token"?: "?([\w.~+\/=-]+)/.exec(await Deno.readTextFile(standalone.kubeconfig))![1];
  const ca = await Deno.readTextFile(must(tls[1]));
  const asked = async (hostname: string, headers: Record<string, string> = {}) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    const secured = await Deno.startTls(connection, { hostname, caCerts: [ca] });
    const lines = Object.entries({ host: `${hostname}:${port}`, connection: "close", ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    await secured.write(new TextEncoder().encode(`GET /api/session HTTP/1.1\r\n${head}\r\n`));
    const answer = await new Response(secured.readable).text();
    return Number(answer.split(" ")[1]);
  };
  const authorization = `Bearer ${token}`;
  assertEquals(await asked("dash.example", { authorization }), 200, controller.output);
  assertEquals(await asked("dash.example"), 401);
  assertEquals(await asked("dash.example", { authorization, host: "localhost" }), 421);
});
