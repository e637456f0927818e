import { assertEquals } from "@std/assert";
import { type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { shellTemplate } from "../support/cron_job.ts";
import { runProgram } from "../support/program.ts";
import { test } from "../support/test.ts";
import { Cluster, YEARLY } from "./support/cluster.ts";
import { steady } from "./support/steady.ts";

const SCRIPT = 'echo "for ${DAY:-today}, $# arguments: $1"; test "$DAY" != bad';

async function start(api: Flavour) {
  const cluster = await Cluster.start(api);
  const jobTemplate = shellTemplate(SCRIPT, { command: ["sh", "-c", SCRIPT, "sh"] });
  await cluster.apply({ name: "sync", spec: { schedule: YEARLY, jobTemplate } });
  const run = async (command: string, ...args: string[]) => {
    const to = ["--kubeconfig", cluster.standalone.kubeconfig];
    const { stdout, stderr, code } = await runProgram([command, ...to, ...args]);
    return { text: steady(stdout + stderr), code };
  };
  return { cluster, run };
}

for (const api of FLAVOURS) {
  test(`trigger --follow prints what a run writes and how it ends, in its own process (${api.controllerName})`, async () => {
    const { cluster, run } = await start(api);
    await using _cluster = cluster;
    assertEquals(await run("trigger", "sync", "--follow", "--set", "DAY=mon", "--", "--verbose"), {
      text:
        "sync Job created: sync-manual-<id>\nfor mon, 1 arguments: --verbose\nsync-manual-<id> succeeded after <time>",
      code: 0,
    });
    assertEquals(await run("trigger", "sync", "--follow", "--set", "DAY=bad"), {
      text: "sync Job created: sync-manual-<id>\nfor bad, 0 arguments: \nsync-manual-<id> failed after <time>: exit 1",
      code: 1,
    });
  });
}

test("trigger, pause, resume and backfill act on a running program, in their own process", async () => {
  const { cluster, run } = await start(TUTORIAL);
  await using _cluster = cluster;
  assertEquals(await run("trigger", "sync", "--follow"), {
    text:
      "sync asked for a run (trigger cli-<now>-kubernetes-admin): sync-m<hash>\nfor today, 0 arguments: \nsync-m<hash> succeeded after <time>",
    code: 0,
  });
  assertEquals(await run("pause", "sync", "--reason", "migration"), {
    text: "sync paused until it is resumed",
    code: 0,
  });
  assertEquals(await run("resume", "sync", "--reason", "another"), {
    text: 'sync not resumed: paused by kubernetes-admin: "migration" (resume --by kubernetes-admin ends that)',
    code: 1,
  });
  assertEquals(await run("resume", "--all"), {
    text: 'sync resumed (was paused by kubernetes-admin: "migration")',
    code: 0,
  });
  const range = ["--from", "2025-12-31T00:00:00Z", "--to", "2026-01-02T00:00:00Z"];
  assertEquals(await run("backfill", "sync", ...range, "--dry-run"), {
    text: "1 scheduled time: 1 missing -> starts 1, one at a time (dry run)\n" +
      "TIME (UTC)  WAS  JOB\n<date>  missing  sync-1767225600",
    code: 0,
  });
  assertEquals(await run("backfill", "sync", ...range, "--follow"), {
    text: "1 scheduled time: 1 missing -> starts 1, one at a time\n" +
      "sync asked to run what lies from <date> UTC to <date> UTC (back-fill cli-<now>-kubernetes-admin)\n" +
      "sync back-fill completed: 1 of 1 done: 1 succeeded",
    code: 0,
  });
  assertEquals(await run("backfill", "sync", "--cancel"), {
    text: "sync has no back-fill that goes on",
    code: 0,
  });
});
