import { explore, type Explored, type SettingName, SETTINGS } from "./support/explore.ts";
import type { Budget } from "./support/search.ts";

/**
 * Explores every setting, two at a time, each in a process of its own; prints how much was tried, and each way to break a
 * promise by its shortest schedule. Exit code 1: the program has a fault that `docs/why.md` does not state.
 *
 * With the name of a setting it explores this one in this process, and prints the result as JSON.
 */

/** Around two scheduled times, two things that go wrong make more schedules than ten minutes have room for. */
function budgetOf(name: SettingName): Budget {
  return { things: SETTINGS[name].slots === 1 ? 2 : 1, deletions: 1 };
}

async function inProcess(name: SettingName): Promise<Explored> {
  const args = ["run", "-A", "--no-check", import.meta.filename!, name];
  const { code, stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  if (code !== 0) throw new Error(`Cannot explore ${name}: exit code ${code}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

function show(name: SettingName, { states, schedules, digest, broken }: Explored): void {
  const { slots } = SETTINGS[name];
  const { things } = budgetOf(name);
  const faults = broken.filter(({ hole }) => hole === undefined);
  console.log(
    `${name}, ${slots} scheduled time(s), ${things} thing(s) going wrong: ` +
      `${states} states, ${schedules} schedules, ${faults.length} violations, digest ${digest}`,
  );
  for (const { what, hole, count, choices, trace } of broken) {
    console.log(`\n  ${hole ? `stated in docs/why.md (${hole})` : "VIOLATION"}: ${what}; ${count} schedules, shortest`);
    console.log(`  choices: ${JSON.stringify(choices)}`);
    for (const line of trace) console.log(`    ${line}`);
  }
  console.log();
}

async function exploreAll(): Promise<boolean> {
  const began = performance.now();
  const left = Object.keys(SETTINGS) as SettingName[];
  const sum = { states: 0, schedules: 0 };
  let isSound = true;
  const next = async (): Promise<void> => {
    for (let name = left.shift(); name; name = left.shift()) {
      const explored = await inProcess(name);
      show(name, explored);
      sum.states += explored.states;
      sum.schedules += explored.schedules;
      isSound &&= explored.broken.every(({ hole }) => hole !== undefined);
    }
  };
  await Promise.all([next(), next()]);
  console.log(`${sum.states} states, ${sum.schedules} schedules, ${Math.round((performance.now() - began) / 1000)} s`);
  return isSound;
}

const [name] = Deno.args;
if (name) console.log(JSON.stringify(await explore(SETTINGS[name as SettingName], budgetOf(name as SettingName))));
else Deno.exit(await exploreAll() ? 0 : 1);
