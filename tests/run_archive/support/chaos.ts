import { assert, assertEquals } from "@std/assert";
import type { EpochMs } from "../../../src/base/epoch_ms.ts";
import { UnreachableError } from "../../../src/kube/unreachable_error.ts";
import { type Peers, watchedOf } from "../../../src/run_archive/peers.ts";
import type { Span } from "../../../src/view/watched.ts";
import { Random } from "../../chaos/suite/random.ts";
import { ArchivedCluster, BEGIN, type Replica } from "./archived_cluster.ts";

const CRON_JOBS = ["backup", "report", "sync"] as const;
const MINUTE_MS = 60_000;
/** As much of the time that was watched a SIGKILL may make a gap of. */
const LOST_MS = 5_000;

/** A run as the judge knows it, who does everything and sees everything. */
interface Life {
  readonly cronJob: string;
  readonly job: string;
  readonly created: EpochMs;
  ended?: EpochMs;
  outcome: "Running" | "Succeeded" | "Failed" | "Unknown";
  deleted?: EpochMs;
}

/** The times in which a replica was not watching, each a span of the judge's. */
class Attention {
  readonly absences: Span[] = [];
  #since: EpochMs | undefined = -Infinity;

  constructor(readonly replica: Replica) {}

  note(now: EpochMs): void {
    if (!this.replica.isWatching) this.#since ??= now;
    else if (this.#since !== undefined) {
      this.absences.push({ since: this.#since, until: now });
      this.#since = undefined;
    }
  }

  /** A replica that is ended at once was watching until then. */
  noteEnd(now: EpochMs): void {
    this.#since ??= now;
  }
}

/**
 * Has Jobs come, end and go at random while replicas are killed and begun again, and watches break, go on and list anew.
 * Then compares what each replica keeps with what the judge knows. Returns how many runs there were, and how many of them
 * one replica or another has not seen.
 */
export async function judgeRandomRuns(
  { seed, replicas: count, steps, areJoined = false }: {
    readonly seed: number;
    readonly replicas: number;
    readonly steps: number;
    /** Whether they read from each other what they have not seen. */
    readonly areJoined?: boolean;
  },
): Promise<{ runs: number; unseen: number }> {
  const random = new Random(seed);
  await using cluster = new ArchivedCluster();
  const { api, clock } = cluster;
  const lives: Life[] = [];
  // Choices of its own, so that the same happens to replicas that are apart.
  const odds = new Random(seed + 1);
  const peers: Peers = {
    async *linesIn(span) {
      const alive = attentions.map(({ replica }) => replica).filter(({ isAlive }) => isAlive);
      if (odds.chance(0.1)) throw new UnreachableError("Cannot read: no route");
      for await (const lines of odds.of(alive).archive.peerLines(span)) yield* lines.trimEnd().split("\n");
    },
  };
  const options = areJoined ? { peers } : {};
  const attentions = Array.from({ length: count }, () => new Attention(cluster.replica(options)));
  const note = () => attentions.forEach((attention) => attention.note(clock.now()));
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(Math.min(left, 1_000));
      note();
    }
  };
  const open = () => lives.filter(({ deleted }) => deleted === undefined);

  const create = (): Life => {
    const cronJob = random.of(CRON_JOBS);
    // Each has a name of its own.
    const job = cluster.create(cronJob, BEGIN + lives.length * MINUTE_MS);
    const life: Life = { cronJob, job, created: clock.now(), outcome: "Running" };
    lives.push(life);
    return life;
  };
  const end = (life: Life) => {
    [life.ended, life.outcome] = [clock.now(), random.of(["Succeeded", "Failed"] as const)];
    cluster.end(life.job, life.outcome);
  };
  const remove = (life: Life) => {
    life.deleted = clock.now();
    if (life.outcome === "Running") life.outcome = "Unknown";
    cluster.remove(life.job);
  };
  const breakWatches = async () => {
    api.endWatches(new UnreachableError("Cannot watch jobs: the connection broke"));
    await clock.advance(0);
  };
  const outage = () => {
    const isOver = Promise.withResolvers<void>();
    api.intercept = () => isOver.promise;
    return () => {
      api.intercept = undefined;
      isOver.resolve();
    };
  };
  let endOutage = () => {};

  const deeds: readonly [weight: number, deed: () => void | Promise<void>][] = [
    [30, () => void create()],
    [20, () => open().filter(({ ended }) => ended === undefined).slice(-1).forEach(end)],
    [15, () => open().slice(0, 1).forEach(remove)],
    [8, () => {
      const life = create();
      if (random.chance(0.7)) end(life);
      remove(life);
    }],
    [4, () => cluster.remove(cluster.create("foreign", BEGIN + lives.length * MINUTE_MS, { isForeign: true }))],
    [6, breakWatches],
    [4, async () => {
      await breakWatches();
      api.compact();
    }],
    [5, async () => {
      endOutage();
      await breakWatches();
      endOutage = outage();
    }],
    [8, () => endOutage()],
    [10, async () => {
      const attention = random.of(attentions);
      if (attention.replica.isAlive) {
        attention.noteEnd(clock.now());
        await attention.replica.kill();
      } else await attention.replica.start();
    }],
    [8, async () => {
      for (const { replica } of attentions) if (!replica.isAlive) await replica.start();
    }],
  ];
  const all = deeds.flatMap(([weight, deed]) => Array.from({ length: weight }, () => deed));

  for (let step = 0; step < steps; step++) {
    await random.of(all)();
    note();
    if (random.chance(0.7)) await pass(random.of([1, 100, 700, 2_500, 4_000, 20_000]));
  }
  endOutage();
  for (const { replica } of attentions) if (!replica.isAlive) await replica.start();
  await pass(MINUTE_MS);
  // With odds of a half each time, the other one has been read by then.
  if (areJoined) await clock.advance(10 * MINUTE_MS);

  let unseen = 0;
  for (const { replica } of areJoined ? attentions : []) assertNothingIsLeft(replica, attentions);
  for (const { replica, absences } of attentions) unseen += judge(replica, absences, lives);
  return { runs: lives.length, unseen };
}

/** Whatever another one has watched has been read from it. */
function assertNothingIsLeft({ archive }: Replica, others: readonly Attention[]): void {
  for (const gap of archive.watched().gaps) {
    for (const { replica } of others) {
      assertEquals(watchedOf(replica.archive.watched(), gap), [], "a gap that another replica has watched");
    }
  }
}

/** Returns how many runs are missing, or their ends, as they lie in gaps. */
function judge(replica: Replica, absences: readonly Span[], lives: readonly Life[]): number {
  const { since, gaps } = replica.archive.watched();
  assert(since !== undefined);
  const unwatched = [{ since: -Infinity, until: since }, ...gaps];
  const isUnwatched = (from: EpochMs, until = Infinity) =>
    unwatched.some((gap) => gap.since <= from && until <= gap.until);
  let unseen = 0;
  for (const cronJob of [...CRON_JOBS, "foreign"]) {
    const kept = replica.outcomes(cronJob);
    const known = lives.filter((life) => life.cronJob === cronJob);
    assertEquals(Object.keys(kept).filter((job) => !known.some((life) => life.job === job)), [], "nothing is made up");
    for (const { job, created, ended, deleted, outcome } of known) {
      if (kept[job] === outcome) continue;
      unseen++;
      const missed = kept[job] === undefined
        ? isUnwatched(created, deleted)
        : kept[job] === "Unknown" && ended !== undefined && isUnwatched(ended, deleted);
      assert(
        missed,
        `${job} is ${kept[job]} and was ${outcome}: ${JSON.stringify({ created, ended, deleted, unwatched })}`,
      );
    }
  }
  const allowed = union(absences.map(({ since, until }) => ({ since: since - LOST_MS, until })));
  for (const gap of unwatched) {
    const isShort = allowed.some(({ since, until }) => since <= gap.since && gap.until <= until);
    assert(isShort, `${JSON.stringify(gap)} is longer than the time that was not watched: ${JSON.stringify(allowed)}`);
  }
  return unseen;
}

/** @param spans in the order of their beginnings */
function union(spans: readonly Span[]): Span[] {
  const united: Span[] = [];
  for (const span of spans) {
    const last = united.at(-1);
    if (last === undefined || span.since > last.until) united.push(span);
    else united[united.length - 1] = { since: last.since, until: Math.max(last.until, span.until) };
  }
  return united;
}
