import { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { JOBS } from "../../src/kube/resource.ts";
import { addEndedJob, addFailedJob, applyCronJob } from "../dashboard/support/dashboard.ts";
import { eventually, runProgram } from "../support/program.ts";
import { test } from "../support/test.ts";
import { startHistoryCluster } from "./support/history_cluster.ts";

const MINUTE = Math.floor(Date.now() / 60_000) - 1;
const JOB = `report-${MINUTE}`;

function hasMark(folder: string): boolean {
  using database = new DatabaseSync(`${folder}/history.sqlite`, { readOnly: true });
  return database.prepare("SELECT * FROM watched").all().length > 0;
}

test("what a replica saw is read by who may list Jobs, after the Job is gone and the replica was killed", async () => {
  await using cluster = await startHistoryCluster();
  const { client, kubeconfig, path, replica, ask } = cluster;
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

  await eventually("a mark of the time that it watched", () => Promise.resolve(hasMark(path("first"))));
  await first.end("SIGKILL");
  await using again = await replica("first");
  await watches(again.server);
  const shown = await ask(again.server, "ana", history);
  assertEquals([shown.code, shown.stderr], [0, ""]);
  assertMatch(shown.stdout, /Failed +its Pods failed +report-\d+\n/);
  assertMatch(
    shown.stdout,
    /\nHistory is kept since \S+ \S+ \S+ \S+, and was not(,? (from \S+ \S+ \S+ to|at) \S+ \S+ \S+)+$/m,
  );
  const before = await ask(again.server, "ana", [...history, "--until", "1h ago"]);
  assertMatch(before.stdout, /^No such run is known: .*\nHistory is kept since \S+ \S+ \S+ \S+\n$/);
  const ofAll = await ask(again.server, "ana", ["history", "--failed", "--since", "1h"]);
  assertMatch(ofAll.stdout, /default\/report .* Failed +its Pods failed +report-\d+\n/);
  const explained = await ask(again.server, "ana", ["explain", "report", "--job", JOB]);
  assertStringIncludes(explained.stdout, `${JOB}: its Pods failed`);
  assertEquals((await runProgram([...history, "--kubeconfig", kubeconfig])).stdout, "No run is known\n");
  await second.end("SIGTERM");

  const refused = async (who: string, sentence: string, cas?: string[], command = history) => {
    const { code, stderr, stdout } = await ask(again.server, who, command, cas);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, sentence);
  };
  await refused("ben", `history of ${again.server}: You may not list Jobs in namespace default`);
  await refused("ben", "You may not list Jobs in namespace default", undefined, ["history"]);
  await refused("ana", "You may not list Jobs in all namespaces; name one with", undefined, ["history", "-A"]);
  await refused("guess", `does not accept the token in ${path("guess")}: it is wrong, or has expired`);
  await refused("ana", "no CA that this machine trusts has signed its certificate", []);
  const inTheClear = await ask(again.server.replace("https", "http"), "ana", history);
  assertEquals(inTheClear.code, 2);
  assert(inTheClear.stderr.includes("--server must be https://host or https://host:port"), inTheClear.stderr);

  const byAccount = async (...flags: string[]) => {
    const { code, stdout, stderr } = await cluster.askBy(again.server, flags, history);
    return [code, stdout.includes(JOB), stderr];
  };
  assertEquals(await byAccount("--service-account", "reader"), [0, true, ""]);
  assertEquals(await byAccount("--service-account", "default/reader"), [0, true, ""]);
  for (const [account, reason] of [["other", "You may not"], ["none", "There is none"]] as const) {
    const sentence = `Cannot get a token of ServiceAccount ${account} in namespace default: ${reason}; --token-file`;
    const [code, isShown, stderr] = await byAccount("--service-account", account);
    assertEquals([code, isShown], [1, false]);
    assertStringIncludes(String(stderr), sentence);
  }
  const [code, , sentence] = await byAccount();
  assertEquals(code, 2);
  assertStringIncludes(String(sentence), "--server gets no credential of the kubeconfig, neither a token nor a client");
});

/** The last night of each week was a bad one. */
const NIGHTS = Array.from({ length: 28 }, (_, i) => ({ minute: MINUTE - (i + 1) * 1_440, failed: i % 7 === 0 }));

test("one command says which nights of a month failed, and with which message, when their Jobs are long gone", async () => {
  await using cluster = await startHistoryCluster();
  const { client, replica, ask } = cluster;
  const at = (minute: number) => new Date(minute * 60_000).toISOString();
  const limits = { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 };
  await applyCronJob(client, { name: "report", spec: limits });
  await using controller = await replica("history");
  for (const { minute, failed } of NIGHTS.toReversed()) {
    const said = failed ? `exit 3: no space on device ${minute}` : undefined;
    await addEndedJob(client, "report", minute, said);
  }
  await eventually("the Jobs are gone", async () => (await client.list(JOBS)).items.length === 0);

  const bad = NIGHTS.filter(({ failed }) => failed);
  // The archive writes once a second.
  const rows = await eventually("all failures are kept", async () => {
    const asked = await ask(controller.server, "ana", ["history", "report", "--failed", "--since", "30d"]);
    const failures = asked.stdout.split("\n").filter((line) => line.includes("Failed"));
    return failures.length === bad.length && failures;
  });
  for (const [i, { minute }] of bad.entries()) {
    assertStringIncludes(rows[i]!, at(minute).slice(0, 16).replace("T", " "));
    assertStringIncludes(rows[i]!, `exit 3: no space on device ${minute}`);
  }
  const all = await ask(controller.server, "ana", ["history", "report", "--since", "30d", "--last", "20"]);
  assertStringIncludes(all.stdout, "\nThe newest 20 of 28: --last shows more\n");
  const said = await ask(controller.server, "ana", ["logs", "report", "--run", at(bad[1]!.minute)]);
  assertEquals(said.stdout, `exit 3: no space on device ${bad[1]!.minute}\n`);
});
