import { assert, assertEquals } from "@std/assert";
import { parse, stringify } from "yaml";
import { commandsBelow, pathOf } from "../../src/cli/help/layout.ts";
import { createProgram } from "../../src/cli/main.ts";
import { lint } from "../../src/lint/lint.ts";
import { parseManifests } from "../../src/manifest_files/parse.ts";
import { test } from "../support/test.ts";
import { type Block, blocksOf, pages, readPage } from "./support/pages.ts";
import { callsIn, programCalls } from "./support/shell.ts";

/**
 * What a block is, and what of it is tested: `sh run` is run against a `standalone` (commands_long.ts), of `sh parse` the
 * words of our program are parsed, and its tasks are those of deno.json; `yaml` is linted, or rendered by kustomize.
 */
const KINDS = [
  "sh run",
  "sh parse",
  "yaml cronjob",
  "yaml spec",
  "yaml kustomization",
  "text",
  "text status",
  "text explain",
  "mermaid",
];

interface Placed extends Block {
  readonly where: string;
}

async function allBlocks(): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const page of await pages()) {
    // The reference has the examples of commands, which are tried where the help is.
    const isMeant = page === "README.md" || page.startsWith("docs/") && !page.startsWith("docs/reference/");
    if (!isMeant) continue;
    for (const block of blocksOf(await readPage(page))) found.push({ ...block, where: `${page}:${block.line}` });
  }
  return found;
}

const BLOCKS = await allBlocks();

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
  const [[...words]] = programCalls("kubectl get x | cronjob-controller status -A --chekc # all");
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
      const isTask = at > 0 && /^deno(@|$)/.test(words[at - 1]);
      if (isTask && !Object.hasOwn(tasks, words[at + 1])) wrong.push(`${where}: there is no task ${words[at + 1]}`);
    }
  }
  assertEquals(wrong, []);
  assert(count > 40, `${count} commands`);
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
  const read = { manifests: [], faults: [] };
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
