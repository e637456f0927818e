import { addExplainCommand } from "../../../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../../../src/cli/history/command.ts";
import { addImportCommand } from "../../../../src/cli/import/command.ts";
import { addNextCommand } from "../../../../src/cli/next/command.ts";
import { addPauseCommand, addResumeCommand } from "../../../../src/cli/pause/command.ts";
import { addStatusCommand } from "../../../../src/cli/status/command.ts";
import { FLAVOURS, PRODUCTION } from "../../../../src/cronjob/api/flavour.ts";
import { type EpochMs, formatTime } from "../../../../src/base/epoch_ms.ts";
import { must } from "../../../support/expected.ts";
import type { AskedCluster } from "./asked_cluster.ts";
import { Cluster } from "./cluster.ts";
import type { Life } from "./life.ts";
import { askPage } from "./page.ts";
import { type Incident, type World, ZONE } from "./world.ts";

/** A run as programs read it. */
export interface SaidRun {
  readonly scheduledTime?: string;
  readonly trigger: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly job?: string;
}

export interface SaidNext {
  readonly kind: "known" | "unknown";
  readonly scheduledTime: string;
  readonly startsAt: string;
  readonly expected: string;
}

export interface SaidRow {
  readonly state: string;
  readonly cause?: { readonly reason: string; readonly message: string };
  readonly runner?: { readonly by: string };
  readonly active: readonly string[];
  readonly lastRuns: readonly SaidRun[];
  readonly nextRun?: SaidNext;
}

export interface SaidVerdict {
  readonly time: EpochMs;
  readonly kind: string;
  readonly message: string;
  readonly why?: string | undefined;
  readonly nextRun?: SaidNext;
}

/** What `next` says of a manifest. */
export interface Coming {
  readonly times: readonly EpochMs[];
  readonly isHeld: boolean;
  readonly error?: string;
}

/** A CronJob as one place shows it, and what stands above all rows there. */
export interface Said {
  readonly by: string;
  readonly row: SaidRow;
  readonly headlines: readonly string[];
  /** How many of the newest runs it shows. @default all */
  readonly mostRuns?: number;
  /** Runs to come, by their scheduled times or their starts. @default not said */
  readonly planned?: { readonly by: "scheduledTime" | "startedAt"; readonly times: readonly EpochMs[] };
  readonly verdicts?: readonly SaidVerdict[];
}

/** All that is said of a CronJob at one instant. */
export interface Answers {
  readonly status: Said;
  readonly page: readonly Said[];
  readonly verdicts: readonly SaidVerdict[];
  readonly history: readonly SaidRun[];
  readonly coming: Coming;
}

/** Asks the commands about a world, and about some times. */
export async function ask(asked: AskedCluster, life: Life, times: readonly EpochMs[]): Promise<Answers> {
  const { cluster } = life;
  const json = async (...args: Parameters<AskedCluster["run"]>) => JSON.parse(await asked.run(...args));
  const [row] = await json(cluster, addStatusCommand, "status", "-o", "json");
  const table = await asked.run(cluster, addStatusCommand, "status");
  const lines = table.split("\n");
  const headlines = lines.slice(0, lines.findIndex((line) => line.startsWith("NAME")));
  const history = await json(cluster, addHistoryCommand, "history", "c", "-o", "json", "--last", "1000");
  const verdicts: SaidVerdict[] = [];
  for (const time of times) {
    const [{ verdict, nextRun }] = await json(
      cluster,
      addExplainCommand,
      "explain",
      "c",
      "--at",
      formatTime(time),
      "-o",
      "json",
    );
    verdicts.push({ time, ...verdict, nextRun });
  }
  const status: Said = { by: "status", row, headlines };
  const page = await askPage(asked, cluster, times);
  return { status, page, verdicts, history, coming: await comingOf(asked, life) };
}

async function comingOf(asked: AskedCluster, { cluster, world }: Life): Promise<Answers["coming"]> {
  const { metadata: { name, namespace, annotations, creationTimestamp }, spec } = cluster.cronJob;
  const apiVersion = world.flavour.apiVersion;
  const manifest = { apiVersion, kind: "CronJob", metadata: { name, namespace, annotations, creationTimestamp }, spec };
  const path = asked.path("manifest.json");
  await Deno.writeTextFile(path, JSON.stringify(manifest));
  const by = ["ours", "standalone"].includes(world.controllers) ? ["--by", "cronjob-controller"] : [];
  const text = await asked.runAlone(cluster, addNextCommand, "next", "-f", path, "-n", "100", "-o", "json", ...by);
  const { next = [], suspended, paused, error } = must(JSON.parse(text)[0]);
  const isHeld = suspended || (paused !== undefined && paused.until === undefined);
  return { times: next.map(({ utc }: { utc: string }) => Date.parse(utc)), isHeld, error };
}

/** Returns the world with what its entry of a crontab is imported as. */
export async function imported(asked: AskedCluster, world: World): Promise<World> {
  if (world.entry === undefined) return world;
  const path = asked.path("crontab");
  await Deno.writeTextFile(path, `${world.entry} /usr/bin/true\n`);
  const args = ["import", "crontab", path, "-z", ZONE, "-o", "json"];
  const text = await asked.runAlone(new Cluster(PRODUCTION, true, world.createdAt), addImportCommand, ...args);
  const { items: [manifest] = [JSON.parse(text)] } = JSON.parse(text);
  const { apiVersion, spec, metadata: { annotations = {} } } = manifest;
  const flavour = must(FLAVOURS.find((flavour) => flavour.apiVersion === apiVersion));
  return { ...world, flavour, spec, annotations };
}

/** Has a command do what a person asks for. It may refuse: then nothing is changed. */
export async function command(asked: AskedCluster, { cluster }: Life, incident: Incident): Promise<void> {
  const until = incident.do === "pause" && incident.until !== undefined && incident.until > cluster.now
    ? ["--until", formatTime(incident.until)]
    : [];
  const [add, ...args] = incident.do === "pause"
    ? [addPauseCommand, "pause", "c", "--reason", "x", ...until] as const
    : [addResumeCommand, "resume", "c"] as const;
  await asked.run(cluster, add, ...args).catch((error: Error) => {
    if (!error.message.startsWith("Nothing was changed")) throw error;
  });
}
