import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { JOBS } from "../../src/kube/resource.ts";
import { addFailedJob, applyCronJob } from "../dashboard/support/dashboard.ts";
import { TestCa } from "../kube/support/certificates.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { eventually, NO_ENDPOINTS, PROGRAM, RunningProgram, runProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const MINUTE = Math.floor(Date.now() / 60_000) - 1;
const JOB = `report-${MINUTE}`;

test("what a replica saw is read by who may list Jobs, after the Job is gone and the replica was killed", async () => {
  const ca = await TestCa.make();
  const { certificate, key } = await ca.issueServer();
  await using folder = await temporaryFolder({
    "tokens": "anas-token,ana,1\nbens-token,ben,2\n",
    "ana": "anas-token",
    "ben": "bens-token",
    "nobody": "guessed",
    "ca.crt": ca.certificate,
    "tls.crt": certificate,
    "tls.key": key,
  });
  const path = (name: string) => `${folder.path}/${name}`;
  await using api = await startTestApiServer({
    tokenFile: path("tokens"),
    mayAlso: ({ name }, { verb, namespace }) =>
      name === "ana" && namespace === "default" && ["get", "list", "watch"].includes(verb),
  });
  const { client, server: { kubeconfigPath } } = api;
  const replica = async (folder: string) => {
    const tls = ["--dashboard-tls-cert-file", path("tls.crt"), "--dashboard-tls-key-file", path("tls.key")];
    const flags = ["--api", "batch/v1", "--leader-elect", "--dashboard-bind-address", "127.0.0.1:0", ...tls];
    const history = ["--history-dir", path(folder), "--history-size", "10MiB"];
    const command = ["controller", "--kubeconfig", kubeconfigPath, ...flags, ...NO_ENDPOINTS, ...history];
    const program = new RunningProgram([...PROGRAM, ...command]);
    const [, port] = await program.waitFor(/Serving dashboard on \S*:(\d+)/);
    return { program, server: `https://127.0.0.1:${port}` };
  };
  const ask = async (server: string, who: string, command: readonly string[], cas = ["ca.crt"]) => {
    const flags = ["--server", server, "--token-file", path(who)];
    const trust = cas.flatMap((file) => ["--certificate-authority", path(file)]);
    return await runProgram([...command, "--kubeconfig", kubeconfigPath, ...flags, ...trust]);
  };
  const history = ["history", "report"];
  await applyCronJob(client, { name: "report" });

  const first = await replica("first");
  const second = await replica("second");
  await addFailedJob(client, "report", MINUTE);
  const known = (server: string) => async () =>
    (await ask(server, "ana", [...history, "-o", "json"])).stdout.includes(JOB) && true;
  const watches = (server: string) =>
    eventually("it watches", async () => (await ask(server, "ana", history)).stdout.includes("History is kept since"));
  await watches(first.server);
  await watches(second.server);
  await client.delete(JOBS, { namespace: "default", name: JOB }, { propagationPolicy: "Background" });
  // Also the replica that stands by has seen it.
  for (const { server } of [first, second]) await eventually("it is kept", known(server));

  await first.program.end("SIGKILL");
  await using again = await replica("first").then(({ program, server }) => Object.assign(program, { server }));
  await watches(again.server);
  const shown = await ask(again.server, "ana", history);
  assertEquals([shown.code, shown.stderr], [0, ""]);
  assertMatch(shown.stdout, /Failed +its Pods failed +report-\d+\n/);
  assertMatch(shown.stdout, /\nHistory is kept since \S+ \S+ \S+ \S+, and was not from \S+ \S+ \S+ to \S+ \S+ \S+$/m);
  const ofAll = await ask(again.server, "ana", ["history", "--failed", "--since", "1h"]);
  assertMatch(ofAll.stdout, /default\/report .* Failed +its Pods failed +report-\d+\n/);
  const explained = await ask(again.server, "ana", ["explain", "report", "--job", JOB]);
  assertStringIncludes(explained.stdout, `${JOB}: its Pods failed`);
  assertEquals((await runProgram([...history, "--kubeconfig", kubeconfigPath])).stdout, "No run is known\n");
  await second.program.end("SIGTERM");

  const refused = async (who: string, sentence: string, cas?: string[]) => {
    const { code, stderr, stdout } = await ask(again.server, who, history, cas);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, sentence);
  };
  await refused("ben", `history of ${again.server}: You may not list Jobs in namespace default`);
  await refused("nobody", `does not accept the token in ${path("nobody")}: it is wrong, or has expired`);
  await refused("ana", "no CA that --certificate-authority names has signed its certificate", []);
  const inTheClear = await ask(again.server.replace("https", "http"), "ana", history);
  assertEquals(inTheClear.code, 2);
  assert(inTheClear.stderr.includes("--server must be https://host or https://host:port"), inTheClear.stderr);
});
