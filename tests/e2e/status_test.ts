import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { atLeast } from "../support/expected.ts";
import { runProgram } from "../support/program.ts";
import { test } from "../support/test.ts";
import { Cluster, YEARLY } from "./support/cluster.ts";
import { steady } from "./support/steady.ts";

test("status, explain, history and logs show the truth about a running program, in their own process", async () => {
  await using cluster = await Cluster.start(TUTORIAL);
  const container = {
    name: "main",
    image: "busybox",
    command: ["sh", "-c", "echo reading; echo no such table >&2; exit 3"],
  };
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  const trigger = { trigger: "now" };
  await cluster.apply(
    {
      name: "broken",
      spec: { schedule: YEARLY, jobTemplate: { spec: { backoffLimit: 0, template } } },
      annotations: trigger,
    },
    { name: "fine", spec: { schedule: YEARLY }, script: "exit 0", annotations: trigger },
    { name: "resting", spec: { schedule: YEARLY, suspend: true } },
  );
  const run = async (...args: string[]) => {
    const { stdout, stderr, code } = await runProgram([...args, "--kubeconfig", cluster.standalone.kubeconfig]);
    return { text: steady(stdout + stderr), code };
  };
  const whole = `
NAME  STATE  SINCE  LAST RUNS  LAST OK  NEXT  WHY
broken  Failing  <time>  FAIL  <date> UTC (<time>)  exit 3
resting  Suspended  <time>  spec.suspend is true
fine  Waiting  ok  <time>  <date> UTC (<time>)`.slice(1);
  await cluster.until(
    "the ends of both",
    (seen) => ["broken", "fine"].every((name) => seen.jobsOf(name).some(({ status }) => status?.conditions?.length)),
  );
  assertEquals(await run("status", "--check"), { text: whole, code: 1 });

  const [{ metadata: { name: job } }] = atLeast(1, (await cluster.look()).jobsOf("broken"));
  assertEquals(await run("explain", "broken", "--job", job, "--exit-code"), {
    text: `
broken ran by hand at <date> UTC: failed after <time>.
Why  broken-m<hash>: exit 3
Output  reading
  no such table
By  cronjob-controller runs it: standalone leads (Lease default/cronjob-controller)
Since  1 run failed; no success is known
Do  kubectl logs job/broken-m<hash> -n default
  cronjob-controller trigger broken -n default
Next  <date> UTC, in <time>`.slice(1),
    code: 1,
  });
  assertEquals(await run("logs", "broken"), { text: "reading\nno such table", code: 0 });
  assertEquals(
    (await run("history", "broken")).text,
    `
TIME (UTC)  TRIGGER  DURATION  OUTCOME  WHY  JOB
<date>  by hand  <time>  Failed  exit 3  broken-m<hash>
p50 <time>, p95 <time> over 1 run that ended; 0 % of them succeeded`.slice(1),
  );
});
