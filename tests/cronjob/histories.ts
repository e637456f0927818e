import * as fc from "fast-check";
import { CASES, keepsPromises } from "./support/history_suite.ts";

/**
 * Plays random histories until they have had so many scheduled times, in two processes: with edits, back-fills, faults and
 * clocks that are set, and, besides what the settings of the tests say, random limits of the history. The first that breaks
 * a promise is shown by its shortest form and its seed, and ends its process with exit code 1.
 *
 * With three numbers it plays in this process, by every other seed, and prints how much that was.
 */
const SLOTS = 10_000_000;
const PROCESSES = 2;
/** Histories of one case and one seed. */
const HISTORIES = 25;

interface Played {
  readonly histories: number;
  readonly slots: number;
  readonly jobs: number;
}

async function playHere(slots: number, seed: number, step: number): Promise<Played> {
  let played = { histories: 0, slots: 0, jobs: 0 };
  for (let at = seed; played.slots < slots; at += step) {
    const one = CASES[at % CASES.length]!;
    const [successfulJobsHistoryLimit, failedJobsHistoryLimit] = fc.sample(fc.tuple(fc.nat(3), fc.nat(3)), {
      seed: at,
      numRuns: 1,
    })[0]!;
    const spec = { ...one.setting.spec, successfulJobsHistoryLimit, failedJobsHistoryLimit };
    const property = keepsPromises({ ...one, setting: { ...one.setting, spec } }, (history) => {
      played = {
        histories: played.histories + 1,
        slots: played.slots + history.dueSlots().length,
        jobs: played.jobs + history.server.created.length,
      };
    });
    const { failed, seed: _, ...details } = await fc.check(property, { seed: at, numRuns: HISTORIES });
    if (failed) {
      throw new Error(
        `${one.name}, seed ${at}, ${JSON.stringify(spec)}: ${
          fc.defaultReportMessage({ failed, seed: at, ...details } as never)
        }`,
      );
    }
  }
  return played;
}

async function playInProcess(slots: number, seed: number): Promise<Played> {
  const args = ["run", "-A", "--no-check", import.meta.filename!, `${slots}`, `${seed}`, `${PROCESSES}`];
  const { code, stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  if (code !== 0) Deno.exit(1);
  return JSON.parse(new TextDecoder().decode(stdout));
}

const [slots = SLOTS, seed, step] = Deno.args.map(Number);
if (seed !== undefined && step !== undefined) console.log(JSON.stringify(await playHere(slots, seed, step)));
else {
  const first = Number(Deno.env.get("CJC_TEST_SEED") ?? "1") * 1_000_000;
  const began = performance.now();
  const all = await Promise.all(
    Array.from({ length: PROCESSES }, (_, i) => playInProcess(Math.ceil(slots / PROCESSES), first + i)),
  );
  const sum = (part: keyof Played) => all.reduce((so, played) => so + played[part], 0);
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(
    `${sum("slots")} scheduled times, ${sum("jobs")} Jobs, ${sum("histories")} histories, 0 broken, ${seconds} s`,
  );
}
