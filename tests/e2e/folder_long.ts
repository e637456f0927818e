import { assert, assertEquals } from "@std/assert";
import { eventually, kubectlOk, runProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { sourceId } from "../../src/applied_files/source_id.ts";
import { test } from "../support/test.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { cronJobOf, shellTemplate } from "../support/cron_job.ts";

const TAB = [
  "# the nightly report",
  "30 2 * * *  /bin/date +\\%F",
  "MAILTO=ana",
  "*/5 * * * * cd /tmp && /usr/bin/backup.sh --all",
  "@daily /usr/bin/clean",
  "0 9-17 * * 1-5 /usr/bin/sync % input",
  "15 3 1 * * /usr/bin/rotate",
  "0 0 * * 0 /usr/bin/weekly",
  "0 4 * * * /usr/bin/backup.sh --old",
  "7 * * * * PATH=/bin:/usr/bin /usr/bin/hourly",
  "",
];

const LIMITS = { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 };

const cronJob = (name: string, script: string) =>
  cronJobOf(TUTORIAL, { name, spec: { schedule: "@every 1s", ...LIMITS, jobTemplate: shellTemplate(script) } });

async function cronJobs({ kubeconfig }: Standalone): Promise<Record<string, string>> {
  const list = JSON.parse(await kubectlOk(kubeconfig, ["get", "ccj", "-o", "json"]));
  return Object.fromEntries(
    list.items.map(({ metadata, spec }: { metadata: { name: string; uid: string }; spec: { schedule: string } }) => [
      metadata.name,
      `${metadata.uid} ${spec.schedule}`,
    ]),
  );
}

test("a crontab of eight lines becomes eight CronJobs, and an edited line changes its own alone", async () => {
  await using folder = await temporaryFolder();
  const tab = `${folder.path}/crontab`;
  await Deno.writeTextFile(tab, TAB.join("\n"));
  await using standalone = await Standalone.start(`${folder.path}/data`, ["--crontab", tab]);
  await standalone.program.waitFor(/kubectl get ccj .*\n {2}cronjob-controller trigger NAME/);
  const before = await cronJobs(standalone);
  const names = ["backup-all", "backup-old", "clean", "date", "hourly", "rotate", "sync", "weekly"];
  assertEquals(Object.keys(before).toSorted(), names);
  await standalone.program.waitFor(/note .*crontab:3: cron mails output to ana/);

  await Deno.writeTextFile(tab, TAB.join("\n").replace("30 2 * * *", "45 2 * * *"));
  const after = await eventually("the edit is there", async () => {
    const now = await cronJobs(standalone);
    return now.date !== before.date && now;
  });
  assertEquals(after, { ...before, date: before.date!.replace("30 2", "45 2") });

  // As editors do: another file in its place. One line is gone, another cannot be read.
  const edited = TAB.filter((line) => !line.includes("rotate")).join("\n").replace("0 0 * * 0", "0 0 * * 9");
  await Deno.writeTextFile(`${tab}.new`, edited);
  await Deno.rename(`${tab}.new`, tab);
  await standalone.program.waitFor(/deleted +CronJob default\/rotate/);
  await standalone.program.waitFor(/refused .*crontab:7: /);
  assertEquals(Object.keys(await cronJobs(standalone)).length, 7);
});

/** As a CronJob of `batch/v1` that was applied from the crontab. */
const batchCronJob = (tab: string) => ({
  ...cronJob("backup", "exit 0"),
  apiVersion: "batch/v1",
  metadata: {
    name: "backup",
    labels: { "cronjob-controller.dev/applied-from": sourceId("crontab", tab) },
    annotations: {
      "cronjob-controller.dev/applied-from-origin": "* * * * * /usr/bin/backup",
      "cronjob-controller.dev/applied-from-identity": "batch/CronJob/default/backup",
    },
  },
  spec: { ...cronJob("backup", "exit 0").spec, schedule: "* * * * *" },
});

test("a crontab's CronJobs of batch/v1 in a data dir are replaced in one step, before anything runs", async () => {
  await using folder = await temporaryFolder();
  const tab = `${folder.path}/crontab`;
  await Deno.writeTextFile(tab, "* * * * * /usr/bin/backup\n");
  await Deno.writeTextFile(`${folder.path}/former.json`, JSON.stringify(batchCronJob(tab)));
  const data = `${folder.path}/data`;
  {
    await using first = await Standalone.start(data);
    await kubectlOk(first.kubeconfig, ["apply", "-f", `${folder.path}/former.json`]);
    assertEquals((await kubectlOk(first.kubeconfig, ["get", "cronjobs", "-o", "name"])).trim(), "cronjob.batch/backup");
  }
  const audit = `${folder.path}/audit`;
  await using second = await Standalone.start(data, ["--crontab", tab, "--audit-log-path", audit]);
  assertEquals(await kubectlOk(second.kubeconfig, ["get", "cronjobs", "-o", "name"]), "");
  assertEquals(
    (await kubectlOk(second.kubeconfig, ["get", "ccj", "-o", "name"])).trim(),
    "cronjob.cronjob-controller.dev/backup",
  );
  const requests = (await Deno.readTextFile(audit)).trim().split("\n").map((line) => JSON.parse(line));
  const at = (verb: string, group: string) =>
    requests.findIndex(({ verb: asked, objectRef, requestURI }) =>
      asked === verb && objectRef?.name === "backup" && objectRef.apiGroup === group && !requestURI.includes("dryRun")
    );
  const deleted = at("delete", "batch");
  const applied = at("patch", "cronjob-controller.dev");
  assert(deleted >= 0 && deleted < applied, `${deleted}, ${applied}`);
});

test("a folder is followed, also past a bad file and a kill; history and logs outlast Jobs", async () => {
  await using folder = await temporaryFolder();
  const jobs = `${folder.path}/jobs`;
  await Deno.mkdir(jobs);
  const write = (name: string, value: unknown) =>
    Deno.writeTextFile(`${jobs}/${name}`, typeof value === "string" ? value : JSON.stringify(value));
  await write("good.json", cronJob("good", "echo hello; echo whole"));
  await write("bad.yaml", "apiVersion: v1\nkind: [\n");
  const data = `${folder.path}/data`;
  const args = ["--manifests", jobs];
  const first = await Standalone.start(data, args);
  try {
    await first.program.waitFor(/refused .*bad\.yaml:3:/);
    await write("bad.yaml", cronJob("second", "exit 3"));
    await first.program.waitFor(/applied +CronJob default\/second /);
    await first.program.waitFor(/succeeded +default\/good/, { count: 2 });
    await Deno.remove(`${jobs}/good.json`);
    await first.program.waitFor(/deleted +CronJob default\/good/);
    await first.program.waitFor(/failed +default\/second/, { count: 2 });
  } finally {
    await first.program.end("SIGKILL");
  }

  // What was changed while nothing was there to see it.
  await write("bad.yaml", "# nothing any more\n");
  await write("good.json", cronJob("good", "echo hello again"));
  await using second = await Standalone.start(data, args);
  await second.program.waitFor(/deleted +CronJob default\/second/);
  await second.program.waitFor(/succeeded +default\/good/, { count: 2 });
  const env = { KUBECONFIG: second.kubeconfig, TZ: "UTC" };
  const runs: { outcome: string; job: string }[] = await eventually("both lives are in the history", async () => {
    const { stdout } = await runProgram(["history", "good", "-o", "json"], { env });
    const all = JSON.parse(stdout);
    return all.length > 4 && all;
  });
  const ended = runs.filter(({ outcome }) => outcome === "Succeeded");
  const oldest = ended.at(-1)!.job;
  const gone = await kubectlOk(second.kubeconfig, ["get", "jobs", oldest, "--ignore-not-found"]);
  assertEquals(gone, "");
  const { stdout } = await runProgram(["logs", "good", "--run", oldest], { env });
  assertEquals(stdout, "hello\nwhole\n");
});

test("a container that writes as fast as it can keeps its last line, also over a kill of the program", async () => {
  await using folder = await temporaryFolder();
  const data = `${folder.path}/data`;
  const first = await Standalone.start(data);
  try {
    await kubectlOk(first.kubeconfig, ["create", "job", "a", "--image=none", "--", "seq", "1", "8000000"]);
    await eventually("a log is being cut", async () => {
      const pods = await Array.fromAsync(Deno.readDir(`${data}/pods`));
      const cuts = pods.map(({ name }) => Deno.stat(`${data}/pods/${name}/a/0.cut`));
      return await Promise.any(cuts).catch(() => undefined);
    });
  } finally {
    await first.program.end("SIGKILL");
  }
  await using second = await Standalone.start(data);
  await kubectlOk(second.kubeconfig, ["wait", "--for=condition=complete", "--timeout=120s", "job/a"]);
  const log = await kubectlOk(second.kubeconfig, ["logs", "job/a"]);
  const [head = "", mark = "", end = ""] = log.split(/^(\[.*\]\n)/m);
  const [bytes = 0] = mark.match(/\d+/g)!.map(Number);
  assertEquals([head, end.slice(-9)], ["", "\n8000000\n"]);
  const written = Array.from({ length: 7 }, (_, i) => 9 * 10 ** i * (i + 2)).reduce((a, b) => a + b) - 8 * 1_999_999;
  assertEquals(bytes + end.length, written);
});

test("standalone refuses a folder that was never there", async () => {
  await using folder = await temporaryFolder();
  const args = ["standalone", "--data-dir", `${folder.path}/data`, "--port", "0", "--dashboard-address", "0"];
  const { code, stderr } = await runProgram([...args, "--manifests", `${folder.path}/nothing`]);
  assertEquals(code, 2);
  assert(stderr.includes("nothing: no such folder"), stderr);
});
