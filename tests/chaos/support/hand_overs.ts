import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { NAMESPACES } from "../../../src/kube/resource.ts";
import { ApiServerProcess } from "../../support/api_server_process.ts";
import { eventually, temporaryFolder } from "../../support/program.ts";
import { HandOverHistory } from "./hand_over_history.ts";
import { type Ending, type HandOver, type Replica, Replicas } from "./replicas.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";

/** Quick enough for many hand-overs, on a machine that does nothing else. */
export const SHORT_LEASE = [
  "--leader-elect-lease-duration=4s",
  "--leader-elect-renew-deadline=3s",
  "--leader-elect-retry-period=500ms",
] as const;

/** Long enough for a machine that runs other tests at the same time. */
export const PATIENT_LEASE = [
  "--leader-elect-lease-duration=10s",
  "--leader-elect-renew-deadline=8s",
  "--leader-elect-retry-period=500ms",
] as const;

export interface Course {
  /** What becomes of the leader, one after another. */
  readonly endings: readonly Ending[];
  /** Flags of the replicas. */
  readonly args?: readonly string[];
}

/** Lets pairs of replicas hand over while CronJobs fire by the second, all courses at the same time, and checks what came of it. */
export async function proveThatHandOversAreHarmless(courses: readonly Course[]): Promise<HandOver[][]> {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: folder.path });
  await server.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const ends = await Promise.allSettled(courses.map((course, i) => follow(course, `pair-${i}`, server)));
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}

async function follow(course: Course, namespace: string, server: ApiServerProcess): Promise<HandOver[]> {
  const { client, address: { kubeconfigPath: kubeconfig } } = server;
  await createNamespace(client, namespace);
  // One of them leads before the first slot.
  await using replicas = await Replicas.start({ kubeconfig, namespace, args: course.args });
  await using history = await HandOverHistory.begin(client, namespace);
  const handOvers: HandOver[] = [];
  for (const ending of course.endings) {
    const before = history.passedOver;
    handOvers.push(await replicas.handOver(ending));
    await eventually(
      "the new leader's metrics tell what was passed over",
      async () => await passedOverSince(replicas.leader) === history.passedOver - before,
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Math.random()));
  }
  const count = history.startedJobs;
  await eventually("the last leader goes on", () => Promise.resolve(history.startedJobs > count + 4));
  await replicas.end();
  await eventually("all is seen", () => history.isComplete());
  history.check(handOvers);
  return handOvers;
}

/** What a replica has counted of the CronJob with the default policy. */
async function passedOverSince(replica: Replica): Promise<number> {
  const { text } = await replica.program.ask("metrics", "/metrics");
  const line = /^cronjob_controller_cronjob_missed_total\{reason="PassedOver",[^}]*cronjob="latest"\} (\d+)$/m;
  return Number(line.exec(text)?.[1]);
}

async function createNamespace(client: HttpKubeClient, name: string): Promise<void> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

/** A table of how long each kind of hand-over took. */
export function summary(handOvers: readonly HandOver[]): Record<string, string | number>[] {
  return (["released", "killed", "paused"] as const).map((ending) => {
    const those = handOvers.filter((handOver) => handOver.ending === ending);
    const spread = (values: number[]) => {
      const sorted = values.toSorted((a, b) => a - b);
      const [min, median, max] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
      return sorted.length === 0 ? "-" : `${[min, median, max].map((ms) => Math.round(ms!)).join(" / ")}`;
    };
    return {
      "the leader was": ending,
      "times": those.length,
      "new leader after ms (min / median / max)": spread(those.map(({ leadsAfterMs }) => leadsAfterMs)),
      "at work after": spread(those.map(({ worksAfterMs }) => worksAfterMs)),
      "first Job after": spread(those.map(({ firstJobAfterMs }) => firstJobAfterMs)),
    };
  });
}
