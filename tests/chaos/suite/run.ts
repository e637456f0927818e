// Faults of every kind against the program, judged slot by slot: see README.md beside this.
import { parseArgs } from "node:util";
import { type Finding, judge, latenessOfNeighbours } from "./judge.ts";
import { plan, type WorldPlan } from "./plan.ts";
import { Report } from "./report.ts";
import { World } from "./world.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    seed: { type: "string" },
    only: { type: "string" },
    episodes: { type: "string" },
    minutes: { type: "string" },
    worlds: { type: "string" },
    sample: { type: "string" },
    short: { type: "boolean", default: false },
    "never-twice": { type: "boolean", default: false },
  },
});

const seed = Number(values.seed ?? (values.short ? 1 : crypto.getRandomValues(new Uint32Array(1))[0]));
const report = new Report(seed, { neverTwice: values["never-twice"] });
const deadline = performance.now() + Number(values.minutes ?? Infinity) * 60_000;
const worlds = plan({
  seed,
  only: values.only,
  sample: values.sample === undefined ? undefined : Number(values.sample),
  episodes: Number(values.episodes ?? (values.short || values.only ? 1 : 20)),
});
const running = new Set<World>();
/** Episodes with Jobs that were late while other worlds shared the machine. */
const late: WorldPlan[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, giveUp);
console.log(`Seed ${seed}`);
await Promise.all(Array.from({ length: Number(values.worlds ?? (values.short ? 10 : 5)) }, work));
// A world that has the machine for itself shows whether the program was slow, or the machine.
for (const again of late) await live(again, { isAlone: true }).catch((error) => report.fail(again, error));
report.print();
Deno.exit(report.isClean ? 0 : 1);

async function work(): Promise<void> {
  for (const next of worlds) {
    if (performance.now() > deadline) return;
    await live(next).catch((error) => report.fail(next, error));
  }
}

async function live({ name, episodes }: WorldPlan, { isAlone = false } = {}): Promise<void> {
  const world = await World.start(name, seed, { neverTwice: values["never-twice"] });
  running.add(world);
  try {
    for (const { kind, index } of episodes) {
      const episode = await world.suffer(kind, index);
      const { from, to, recoveredAt, maxRequestsPerSecond: rate } = episode;
      const went = recoveredAt === undefined ? `STUCK: ${episode.stuck}` : `well after ${recoveredAt - to} ms`;
      console.log(`${kind.name} ${index}: ${to - from} ms, ${went}; at most ${rate} requests/s`);
    }
    const history = await world.end();
    const findings = judge(history);
    const isLate = ({ wrong, episode }: Finding) => !isAlone && wrong === "late" && episode !== undefined;
    report.add(history, findings.filter((finding) => !isLate(finding)), latenessOfNeighbours(history));
    const slow = episodes.filter(({ kind, index }) =>
      findings.some((finding) =>
        isLate(finding) && finding.episode?.kind === kind.name && finding.episode.index === index
      )
    );
    if (slow.length === 0) return;
    console.log(
      `Jobs were late in ${slow.map(({ kind, index }) => `${kind.name} ${index}`).join(", ")}: once more, alone`,
    );
    late.push({ name, episodes: slow });
  } finally {
    await world[Symbol.asyncDispose]();
    running.delete(world);
  }
}

/** Leaves no processes and no disks behind. */
async function giveUp(): Promise<void> {
  report.print();
  await Promise.allSettled([...running].map((world) => world[Symbol.asyncDispose]()));
  Deno.exit(130);
}
