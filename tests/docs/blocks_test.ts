import { assert, assertEquals } from "@std/assert";
import { parse, stringify } from "yaml";
import { commandsBelow, pathOf } from "../../src/cli/help/layout.ts";
import { createProgram } from "../../src/cli/main.ts";
import { lint } from "../../src/lint/lint.ts";
import { noManifests, parseManifests } from "../../src/manifest_files/parse.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { cobraComplaint, filesOf } from "./support/cobra.ts";
import { BLOCKS, PARSED_CALLS } from "./support/blocks.ts";
import { exists } from "./support/pages.ts";
import { callsIn, programCalls } from "../support/shell.ts";

/**
 * What a block is, and what of it is tested: `sh run` is run against a `standalone` (commands_long.ts); of `sh parse`, which
 * needs a cluster or does not end, each program's own parser reads the words, and tasks are those of deno.json; `sh other`
 * has programs that no test has. `console` is a transcript that a test compares with what it sees
 * (tests/release/three_commands.ts). `yaml` is linted, or rendered by kustomize.
 */
const KINDS = [
  "sh run",
  "sh parse",
  "sh other",
  "console",
  "yaml cronjob",
  "yaml spec",
  "yaml kustomization",
  "text",
  "text status",
  "text explain",
  "text history",
  "mermaid",
];

test("every block of the documentation says what it is", () => {
  assertEquals(BLOCKS.filter(({ info }) => !KINDS.includes(info)).map(({ where, info }) => `${where} ${info}`), []);
  assert(BLOCKS.length > 50, `${BLOCKS.length} blocks`);
});

/** Why our program would not take these words; undefined where it does. */
async function complaintOf(words: readonly string[]): Promise<string | undefined> {
  const program = createProgram("linux");
  let ran: string | undefined;
  for (const each of commandsBelow(program)) each.action(() => void (ran = pathOf(each)));
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    return (error as Error).message;
  }
  return ran === undefined ? "it runs no command" : undefined;
}

test("a flag that there is not is found in a block", async () => {
  const [[...words]] = atLeast(1, programCalls("kubectl get x | cronjob-controller status -A --chekc # all"));
  assertEquals(words, ["status", "-A", "--chekc"]);
  assert((await complaintOf(words))?.includes("--chekc"));
});

test("commands in blocks are taken by the parser, and tasks are there", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const wrong: string[] = [];
  let count = 0;
  for (const { info, text, where } of BLOCKS) {
    if (!info.startsWith("sh ")) continue;
    for (const words of programCalls(text)) {
      count++;
      const complaint = await complaintOf(words);
      if (complaint) wrong.push(`${where}: ${words.join(" ")}: ${complaint}`);
    }
    for (const words of callsIn(text)) {
      const at = words.indexOf("task");
      const isTask = at > 0 && /^deno(@|$)/.test(must(words[at - 1]));
      if (isTask && !Object.hasOwn(tasks, must(words[at + 1]))) {
        wrong.push(`${where}: there is no task ${words[at + 1]}`);
      }
    }
  }
  assertEquals(wrong, []);
  assert(count > 40, `${count} commands`);
});

/** What a block of `sh parse` may call: programs whose words are parsed here or in `deno task test:chart`, and the shell's. */
const PARSED = ["cronjob-controller", "deno", "npx", "kubectl", "helm"];
const OF_THE_SHELL = ["cd", "export", "source", "git", "crontab", "install", "systemctl"];

test("blocks whose words are parsed call no other programs", () => {
  const known = [...PARSED, ...OF_THE_SHELL];
  const wrong = PARSED_CALLS.filter(({ words: [program = ""] }) => !known.includes(program));
  assertEquals(wrong.map(({ where, words }) => `${where}: ${words[0]}: a block of sh other`), []);
});

const COMPLAINTS: readonly (readonly [words: string, complaint: string | undefined])[] = [
  ["-n team-a rollout status deployment/it", undefined],
  ["debug POD --image=busybox -- kill -USR2 1", undefined],
  ["get lease --wach", "error: unknown flag: --wach"],
  ["gett lease", 'error: unknown command "gett" for "kubectl"'],
  ["create jobb now", "there is no command jobb in kubectl create"],
];

for (const [words, complaint] of COMPLAINTS) {
  test(`kubectl ${words} in a block ${complaint === undefined ? "is taken" : "is found to be wrong"}`, async () => {
    assertEquals(await cobraComplaint("kubectl", words.split(" ")), complaint);
  });
}

test("commands of kubectl in blocks are taken by its own parser, and their files are there", async () => {
  const calls = PARSED_CALLS.filter(({ words: [program] }) => program === "kubectl");
  assert(calls.length > 10, `${calls.length} commands`);
  const wrong = await Promise.all(calls.map(async ({ where, words: [, ...words] }) => {
    const missing = await Promise.all(
      filesOf(words).map(async (file) => await exists(file) ? [] : [`there is no ${file}`]),
    );
    return [await cobraComplaint("kubectl", words) ?? [], missing].flat(2).map((complaint) => `${where}: ${complaint}`);
  }));
  assertEquals(wrong.flat(), []);
});

const TEMPLATE = {
  spec: {
    template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", command: ["date"] }] } },
  },
};

/** A CronJob with these fields of its spec. */
function cronJobWith(spec: object): string {
  const whole = { schedule: "0 2 * * *", jobTemplate: TEMPLATE, concurrencyPolicy: "Forbid", ...spec };
  return stringify({ apiVersion: "cronjob-controller.dev/v1", kind: "CronJob", metadata: { name: "it" }, spec: whole });
}

/** The errors that `lint` finds. */
function errorsIn(yaml: string): string[] {
  const read = noManifests();
  parseManifests(yaml, "block", read);
  const { findings, cronJobs } = lint(read, Date.UTC(2026, 5, 1));
  assertEquals(cronJobs, 1);
  return findings.filter(({ severity }) => severity === "error").map(({ field, message }) => `${field}: ${message}`);
}

test("CronJobs in blocks, and parts of their specs, have no errors", () => {
  assertEquals(errorsIn(cronJobWith({ catchUp: { policy: "Some" } })).length, 1);
  for (const { info, text, where } of BLOCKS) {
    if (info === "yaml cronjob") assertEquals(errorsIn(text), [], where);
    if (info === "yaml spec") assertEquals(errorsIn(cronJobWith(parse(text))), [], where);
  }
});
