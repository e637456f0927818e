import { assert, assertEquals } from "@std/assert";
import type { Command } from "commander";
import { optionTerm } from "../../src/cli/flags/options.ts";
import { EXIT_CODES } from "../../src/cli/help/exit_codes.ts";
import { exitCodesText } from "../../src/cli/help/exit_codes_text.ts";
import { commandsBelow, pathOf, wrap, wrapParagraphs } from "../../src/cli/help/layout.ts";
import { type Example, helpNotesOf } from "../../src/cli/help/notes.ts";
import { createProgram, EXIT } from "../../src/cli/main.ts";
import { must } from "../support/expected.ts";
import { PROGRAM } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";
import { runMain } from "./support/run_command.ts";

function visibleCommands(): Command[] {
  return commandsBelow(createProgram("linux"));
}

function examplesOf(command: Command): readonly Example[] {
  return helpNotesOf(command).examples ?? [];
}

/** The words of a line as a shell takes it apart, up to where it redirects. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
  const redirection = words.indexOf(">");
  return redirection < 0 ? words : words.slice(0, redirection);
}

for (const command of visibleCommands()) {
  test(`the help of ${pathOf(command)} has two examples of it at least, which can be parsed`, async () => {
    const examples = examplesOf(command);
    assert(examples.length >= 2, `${examples.length} examples`);
    for (const [line] of examples) {
      const program = createProgram("linux");
      let ran: string | undefined;
      for (const each of commandsBelow(program)) each.action(() => void (ran = pathOf(each)));
      const words = wordsOf(line);
      if (words[0] === "--version") continue;
      await program.parseAsync(words, { from: "user" });
      assertEquals(ran === pathOf(command) || ran?.startsWith(`${pathOf(command)} `), true, `${line} runs ${ran}`);
    }
  });
}

const MANIFEST = `
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly-report}
spec:
  schedule: 30 2 * * *
  timeZone: UTC
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: busybox, command: [date]}]
`;

/** Commands whose examples need nothing but manifests, or nothing at all. */
const WITHOUT_CLUSTER = ["manifests", "next", "lint", "completion", "version", "help"];

test("examples that need no cluster do what they say", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/nightly.yaml`, MANIFEST);
    const examples = visibleCommands().filter((command) => WITHOUT_CLUSTER.includes(pathOf(command)))
      .flatMap((command) => examplesOf(command).map(([line]) => line))
      .filter((line) => !line.startsWith("--") && !line.startsWith("help status"));
    // Of explain's examples, that of a time to come.
    const nextYear = new Date().getUTCFullYear() + 1;
    for (const line of [...examples, `explain nightly-report -f manifests/ --at '${nextYear}-12-24 02:00'`]) {
      const { exitCode, stdout } = await runMain(wordsOf(line).map((word) => word === "manifests/" ? folder : word));
      assertEquals(exitCode, EXIT.ok, line);
      assert(stdout.length > 10, `${line} prints ${stdout}`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (piece) => void (text += piece) });
  command.outputHelp();
  return text;
}

test("help shows the five commands that people use first before all others, which are in groups", () => {
  const lines = helpOf(createProgram("linux")).split("\n");
  const commands = lines.slice(lines.indexOf("Most used:") + 1, lines.indexOf("Runs:"));
  const names = commands.map((line) => /^ {2}(\w+)/.exec(line)?.[1]).filter((name) => name !== undefined);
  assertEquals(names, ["status", "explain", "trigger", "pause", "dashboard"]);
  assertEquals(lines.includes("Commands:"), false);
});

const SEEN = ["-n, --namespace <name>", "-A, --all-namespaces", "-l, --selector <labels>", "--kubeconfig <file>"];
const CHANGED = [...SEEN, "--all", "--dry-run"];
const ACTED_ON = [...CHANGED, "--api <apiVersion>", "-o, --output <format>"];

/** By which flags each command says which CronJobs are meant. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  status: SEEN,
  history: SEEN,
  adopt: CHANGED,
  release: CHANGED,
  pause: ACTED_ON,
  resume: ACTED_ON,
  trigger: ACTED_ON,
  backfill: ACTED_ON,
};

test("commands about CronJobs say by the same flags which are meant, and help says the same of each", () => {
  const commands = visibleCommands().filter((command) => pathOf(command) in CHOICES);
  assertEquals(commands.length, Object.keys(CHOICES).length);
  const meanings = new Map<string, Set<string>>();
  for (const command of commands) {
    const options = new Map(command.options.map((option) => [optionTerm(option), option]));
    for (const flags of CHOICES[pathOf(command)]!) {
      const { description } = must(options.get(flags));
      meanings.getOrInsertComputed(flags, () => new Set()).add(description);
    }
  }
  assertEquals([...meanings].filter(([, { size }]) => size > 1), []);
});

test("help is at most 80 columns wide where its width is not known, but for examples", () => {
  for (const command of [createProgram("linux"), ...visibleCommands()]) {
    const lines = helpOf(command).split("\n").filter((line) => !line.startsWith("  cronjob-controller "));
    assertEquals(lines.filter((line) => line.length > 80), [], pathOf(command));
  }
});

test("help shows a switch as one types it, and of each option what holds without it", () => {
  const helpOn = (name: string) => helpOf(visibleCommands().find((command) => pathOf(command) === name)!);
  const lines = helpOn("status").split("\n");
  assert(lines.includes("  --all                    those that are fine too (env: CJC_ALL)"));
  const output = lines.findIndex((line) => line.startsWith("  -o, --output"));
  assertEquals(lines.slice(output, output + 2), [
    "  -o, --output <format>    how to print (choices: table, wide, json, yaml, name;",
    "                           default: table)",
  ]);
});

test("every command says what it does in a phrase, of which its help makes a sentence", () => {
  for (const command of visibleCommands()) {
    assert(/^[a-z][^.]*[^.]$/.test(command.summary()), command.summary());
    assertEquals(command.description().toLowerCase(), `${command.summary().toLowerCase()}.`);
  }
});

test("help on a narrow terminal has descriptions below what they are about", () => {
  const command = visibleCommands().find((command) => command.name() === "explain")!;
  command.configureOutput({ getOutHelpWidth: () => 44 });
  const lines = helpOf(command).split("\n");
  const start = lines.indexOf("  -n, --namespace <name>");
  assertEquals(lines.slice(start, start + 3), [
    "  -n, --namespace <name>",
    "        the namespace to look in (default:",
    "        the context's) (env: CJC_NAMESPACE)",
  ]);
});

test("wrap() breaks lines at blanks only, and keeps paragraphs apart", () => {
  assertEquals(wrap("aa bb  cc\ndd", 5), ["aa bb", "cc dd"]);
  assertEquals(wrap("aaaaaaaa b", 5), ["aaaaaaaa", "b"]);
  assertEquals(wrap("", 5), []);
  assertEquals(wrapParagraphs("a\nb\n\nc", 80), "a b\n\nc");
});

const UNKNOWN: readonly (readonly [line: string, complaint: string])[] = [
  ["sttus", "unknown command 'sttus' (Did you mean status?) (see --help)"],
  ["help stats", "unknown command 'stats' (Did you mean status?) (see --help)"],
  ["help nope", "unknown command 'nope' (see --help)"],
  ["help exit-code", "unknown command 'exit-code' (Did you mean exit-codes?) (see --help)"],
  ["help import crntab", "unknown command 'crntab' (Did you mean crontab?) (see --help)"],
  ["import crntab", "unknown command 'crntab' (Did you mean crontab?) (see --help)"],
  ["status --al", "unknown option '--al' (Did you mean --all?) (see --help)"],
  [
    "service install --manifests cron",
    "unknown option '--manifests': flags of standalone stand behind -- (see --help)",
  ],
  ["service install -- --nope", "unknown option '--nope' (see --help)"],
  ["service install --dryrun", "unknown option '--dryrun' (Did you mean --dry-run?) (see --help)"],
];

for (const [line, complaint] of UNKNOWN) {
  test(`${line} is answered by what is nearest`, async () => {
    assertEquals(await runMain(line.split(" ")), {
      stdout: "",
      stderr: `cronjob-controller: ${complaint}`,
      exitCode: EXIT.usage,
    });
  });
}

test("help exit-codes has every exit code", async () => {
  const { stdout, exitCode } = await runMain(["help", "exit-codes"]);
  assertEquals([stdout, exitCode], [exitCodesText(), EXIT.ok]);
  assertEquals(EXIT_CODES.map(({ code }) => code).sort(), Object.values(EXIT).sort());
});

test("a reader that has seen enough of help is no fault", async () => {
  const script =
    `"$@" controller --help | head -1; echo "\${PIPESTATUS[0]}"; "$@" --help | true; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await runToEnd(["bash", "-c", script, "bash", ...PROGRAM]);
  assertEquals(stderr, "");
  assertEquals(stdout, "Usage: cronjob-controller controller [options]\n0\n0\n");
});
