import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HISTORY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { explanationJson } from "../../src/cli/explain/format.ts";
import { addResumeCommand } from "../../src/cli/pause/command.ts";
import { hasForeignHold, remedyOn } from "../../src/dashboard/page/model/rights.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import type { ActionAnswer, Explained, RightsAnswer, Row } from "../../src/dashboard/wire.ts";
import type { Action, State } from "../../src/view/cron_job_view.ts";
import { remedyOf } from "../../src/view/remedies.ts";
import { runCommand } from "../cli/support/run_command.ts";
import { BATCH, SeededCluster, type SeededCronJob, time } from "../cli/support/seeded_cluster.ts";
import { must } from "../support/expected.ts";
import { kubectlOk } from "../support/program.ts";
import { test } from "../support/test.ts";
import { startTestDashboard } from "./support/dashboard.ts";
import { rowsOf, statusOf } from "./support/told.ts";

const PREFIX = "cronjob-controller.dev";
const FORBID = { concurrencyPolicy: "Forbid" } as const;
const ACTIVE = { at: "09:00" };
const FAILED = { at: "10:00", ended: "10:01", failed: true, exitCode: 3 };
const SUSPENDED = { suspend: true } as const;
const DUE = { lastScheduleTime: time("09:00") };

/** `says`: words of its cause; `remedies`: what may be done, in this order. */
interface Trouble extends Omit<SeededCronJob, "name"> {
  readonly is: State;
  readonly says: string;
  readonly remedies: readonly Action["do"][];
}

const annotated = (annotations: Record<string, string>, more: Partial<SeededCronJob> = {}) => ({
  api: BATCH,
  annotations: Object.fromEntries(Object.entries(annotations).map(([name, text]) => [`${PREFIX}/${name}`, text])),
  ...more,
});
const held = (spec: SeededCronJob["spec"], more: Partial<SeededCronJob> = {}) => ({ spec, jobs: [ACTIVE], ...more });
const stuck = (at: string, reason: string, message: string) => ({
  jobs: [{ at, waiting: [reason, message] as [string, string] }],
});
const warned = (message: string) => ({
  status: DUE,
  warning: ["FailedCreate", message, "10:10"] as [string, string, string],
});

const invalid = (says: string) => ({ is: "Invalid", says, remedies: ["CorrectSpec"] }) as const;
const hung = { is: "Blocked", says: "starts when it ends", remedies: ["Wait", "DeleteJob"] } as const;
const failing = (says: string) => ({ is: "Failing", says, remedies: ["ReadLogs", "RunNow"] }) as const;
const notCreated = (says: string, remedy: Action["do"]) => ({ is: "Overdue", says, remedies: [remedy] }) as const;
const missed = { is: "Missed", says: "was not started inside its deadline", remedies: ["RunNow"] } as const;
const paused = (remedy: Action["do"], says = "migration") => ({ is: "Paused", says, remedies: [remedy] }) as const;
const suspended = (says: string) => ({ is: "Suspended", says, remedies: ["Unsuspend"] }) as const;

const TROUBLES: Readonly<Record<string, Trouble>> = {
  "rival": {
    status: DUE,
    warning: ["MultipleControllers", "another controller runs it too", "10:10"],
    is: "Contested",
    says: "another controller runs it too",
    remedies: ["LookAtController"],
  },
  "bad-minute": { spec: { schedule: "61 * * * *" }, ...invalid('minute "61": must be 0-59') },
  "bad-zone": { spec: { timeZone: "Mars/Olympus" }, ...invalid("must be a name of the tz database") },
  "never": { spec: { schedule: "0 0 30 2 *" }, ...invalid("no year has 30 February") },
  "bad-exclude": { ...annotated({ exclude: "{not json" }), ...invalid("annotation cronjob-controller.dev/exclude") },
  "bad-managed": {
    ...annotated({ managed: "True" }, { spec: SUSPENDED }),
    is: "Invalid",
    says: '"True" is ignored',
    remedies: ["CorrectManaged"],
  },
  "too-many-missed": {
    spec: { schedule: "* * * * *" },
    status: { lastScheduleTime: time("03-01 09:00") },
    is: "Stopped",
    says: "too many missed start times",
    remedies: ["SetStartingDeadline"],
  },
  "hung": { ...held(FORBID), ...hung },
  "hung-batch": { ...held(FORBID, { api: BATCH }), ...hung },
  "hung-at-most-one": { ...held({ maxConcurrentRuns: 1 }), ...hung },
  "queue": { ...held({ concurrencyPolicy: "Queue" }), ...hung },
  "no-image": {
    spec: FORBID,
    ...stuck("09:00", "ImagePullBackOff", "Back-off pulling image"),
    is: "Blocked",
    says: "ImagePullBackOff",
    remedies: ["CorrectImage", "DeleteJob", "SetPendingTimeout"],
  },
  "no-secret": {
    api: BATCH,
    spec: FORBID,
    ...stuck("09:00", "CreateContainerConfigError", 'secret "db" not found'),
    is: "Blocked",
    says: 'secret "db" not found',
    remedies: ["CreateMissing", "DeleteJob"],
  },
  "crashes": {
    spec: FORBID,
    ...stuck("09:00", "CrashLoopBackOff", "back-off 5m0s restarting"),
    is: "Blocked",
    says: "CrashLoopBackOff",
    remedies: ["ReadLogs", "DeleteJob"],
  },
  "pending-timeout": {
    spec: { ...FORBID, pendingTimeoutSeconds: 86_400 },
    ...stuck("09:00", "InvalidImageName", "x:y:z"),
    is: "Blocked",
    says: "InvalidImageName",
    remedies: ["CorrectImage", "DeleteJob"],
  },
  "pending-image": {
    ...stuck("10:00", "ErrImagePull", "not found"),
    is: "Pending",
    says: "ErrImagePull",
    remedies: ["CorrectImage", "DeleteJob"],
  },
  "pending-secret": {
    api: BATCH,
    ...stuck("10:00", "CreateContainerConfigError", 'secret "db" not found'),
    is: "Pending",
    says: 'secret "db" not found',
    remedies: ["CreateMissing", "DeleteJob"],
  },
  "pending-volume": {
    ...stuck("10:00", "ContainerCreating", 'configmap "conf" not found'),
    is: "Pending",
    says: 'configmap "conf" not found',
    remedies: ["CreateMissing", "DeleteJob"],
  },
  "exit-3": { jobs: [FAILED], ...failing("exit 3") },
  "exit-3-batch": { api: BATCH, jobs: [FAILED], ...failing("exit 3") },
  "killed": { jobs: [{ ...FAILED, exitCode: 137 }], ...failing("killed by SIGKILL") },
  "fails-again": { jobs: [{ ...FAILED, at: "09:00", ended: "09:01" }, FAILED], ...failing("exit 3") },
  "not-started": { status: DUE, ...notCreated("was not started", "LookAtController") },
  "quota": { ...warned("exceeded quota: jobs"), ...notCreated("exceeded quota", "LetJobBeCreated") },
  "bad-template": {
    api: BATCH,
    ...warned("Job.batch is invalid: spec.template"),
    ...notCreated("spec.template", "CorrectSpec"),
  },
  "missed": { spec: { startingDeadlineSeconds: 60 }, status: DUE, ...missed },
  "missed-batch": { api: BATCH, spec: { startingDeadlineSeconds: 60 }, status: DUE, ...missed },
  "paused-in-spec": { spec: { pause: { reason: "migration" } }, ...paused("EndPauseInSpec") },
  "paused-until": { spec: { pause: { until: time("03-13 08:00"), reason: "migration" } }, ...paused("EndPauseInSpec") },
  "paused-batch": { ...annotated({ pause: '{"reason":"migration"}' }), ...paused("Resume") },
  "bad-pause": { ...annotated({ pause: "{" }), ...paused("CorrectPause", "annotation cronjob-controller.dev/pause") },
  "suspended": { spec: SUSPENDED, ...suspended("spec.suspend is true") },
  "suspended-batch": { api: BATCH, spec: SUSPENDED, ...suspended("spec.suspend is true") },
  "suspended-by-annotation": {
    ...annotated({ managed: "true", suspend: "true" }, { spec: SUSPENDED }),
    ...suspended("cronjob-controller.dev/suspend"),
  },
};

/** Remedies that are a command which ends the trouble at once. */
const ENDING: readonly Action["do"][] = [
  "CorrectManaged",
  "CorrectPause",
  "DeleteJob",
  "EndPauseInSpec",
  "Resume",
  "Unsuspend",
];

async function startTroubles(): Promise<SeededCluster> {
  return await SeededCluster.start("10:20", Object.entries(TROUBLES).map(([name, trouble]) => ({ name, ...trouble })));
}

/** The answers of the page and of `explain` about one CronJob. */
async function explained(
  cluster: SeededCluster,
  { apiVersion, namespace, name }: Row,
): Promise<[page: Explained, command: unknown]> {
  const { api: { client }, clock, kubeconfig } = cluster;
  await using dashboard = startTestDashboard({ client, clock, commands: HISTORY_PAGE_COMMANDS });
  const answer = await dashboard.get(`/api/explain?${new URLSearchParams({ api: apiVersion, namespace, name })}`);
  const add = (program: Parameters<typeof addExplainCommand>[0]) => addExplainCommand(program, clock);
  const args = ["explain", name, "-n", namespace, "--kubeconfig", kubeconfig, "-o", "json"];
  return [await answer.json(), JSON.parse((await runCommand(add, ...args)).stdout)[0]];
}

/** Has a shell run a command as it is shown, or this process where it is one of this program. */
async function type({ kubeconfig, clock }: SeededCluster, command: string): Promise<void> {
  const [program = "", ...args] = (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
  if (program === "kubectl") return void await kubectlOk(kubeconfig, args);
  await runCommand((program) => addResumeCommand(program, clock), ...args, "--kubeconfig", kubeconfig);
}

test("the page, `status` and `explain` name the same cause and remedies of each trouble, and what comes next", async () => {
  await using cluster = await startTroubles();
  const [rows, views] = await Promise.all([rowsOf(cluster), statusOf(cluster)]);
  assertEquals(rows.map(({ name }) => name).sort(), Object.keys(TROUBLES).sort());
  for (const row of rows) {
    const { name, state, cause, actions, nextRun } = row;
    const { is, says, remedies: expected } = must(TROUBLES[name]);
    assertEquals([name, state, actions.map((action) => action.do)], [name, is, expected]);
    assertStringIncludes(must(cause).message, says, name);
    const view = must(views.find((view) => view.name === name));
    assertEquals([view.state, view.cause], [state, cause], name);
    const [page, command] = await explained(cluster, row);
    assertEquals(command, JSON.parse(JSON.stringify(explanationJson(page))), name);
    assertEquals([page.state, page.actions, page.nextRun], [state, actions, nextRun], name);
    const { verdict: { message, why = "" }, notes, checks } = page;
    assertStringIncludes([message, why, ...notes, ...checks.map(({ message }) => message)].join("\n"), says, name);
  }
});

test("a remedy that is a command ends its trouble as it is shown", async () => {
  await using cluster = await startTroubles();
  const ended = (await rowsOf(cluster)).filter(({ actions }) => actions.some((action) => ENDING.includes(action.do)));
  for (const row of ended) {
    await type(cluster, remedyOf(must(row.actions.find((action) => ENDING.includes(action.do))), row));
  }
  const after = await rowsOf(cluster);
  for (const { name, state } of ended) {
    assert(must(after.find((row) => row.name === name)).state !== state, `${name} is ${state} still`);
  }
});

test("the page's button to resume ends whatever holds a CronJob", async () => {
  await using cluster = await startTroubles();
  const { api: { client }, clock } = cluster;
  await using dashboard = startTestDashboard({ client, clock });
  const all = { actions: Object.fromEntries(FLAVOURS.map(({ apiVersion }) => [apiVersion, ["resume"]])) };
  const held = (await rowsOf(cluster)).filter((row) =>
    remedyOn(row, { mayReadLogs: false, ...all } as RightsAnswer) === "resume"
  );
  for (const row of held) {
    const { apiVersion, namespace, name, pause } = row;
    const target = { apiVersion, namespace, name, of: pause?.by, withForeign: hasForeignHold(row) };
    const { results: [answer] }: ActionAnswer =
      await (await dashboard.post("/api/actions/resume", { targets: [target] })).json();
    assertEquals([name, answer?.result], [name, "done"], answer?.message);
  }
  assertEquals(held.length > 6, true, `${held.map(({ name }) => name)}`);
});
