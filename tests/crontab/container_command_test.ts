import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { asContainerText, containerCommand, readCommand } from "../../src/crontab/container_command.ts";
import { CrontabError } from "../../src/crontab/crontab_error.ts";
import { baseName, namesOf } from "../../src/crontab/names.ts";
import { expand } from "../../src/kubelet/inputs/env.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

const COMMANDS: readonly (readonly [text: string, script: string, input?: string])[] = [
  ["a b", "a b"],
  ["a\\%b", "a%b"],
  ["a\\\\b\\n", "a\\b\\n"],
  ["date +\\%F \\", "date +%F \\"],
  ["a%b", "a", "b\n"],
  ["a%b%c\\%d\\n%", "a", "b\nc%d\\n\n"],
  ["a%", "a", ""],
  ["mail -s 'x' joe%Joe,%%Where?%", "mail -s 'x' joe", "Joe,\n\nWhere?\n"],
];

for (const [text, script, input] of COMMANDS) {
  test(`of ${text} cron runs ${script}${input === undefined ? "" : ` with the input ${JSON.stringify(input)}`}`, () => {
    assertEquals(readCommand(text), { script, input });
  });
}

async function outputOf(argv: readonly string[]): Promise<{ stdout: string; code: number }> {
  const { stdout, code } = await new Deno.Command(must(argv[0]), { args: argv.slice(1), stdin: "null" }).output();
  return { stdout: new TextDecoder().decode(stdout), code };
}

test("a shell gives the input to the command as it is, and its exit code back", async () => {
  const input = "It's $HOME\nEND\n`x` \\ \"\n";
  const command = containerCommand({ script: "cat; echo $((2 * 2)); (exit 3) # end", input }, "/bin/sh");
  assertEquals(await outputOf(command.map((word) => expand(word, {}))), { stdout: `${input}4\n`, code: 3 });
});

test("a shell without here-documents cannot be given input", () => {
  assertThrows(
    () => containerCommand({ script: "a", input: "b\n" }, "/usr/bin/fish"),
    CrontabError,
    "SHELL is /usr/bin/fish",
  );
  assertEquals(containerCommand({ script: "a", input: undefined }, "/usr/bin/fish"), ["/usr/bin/fish", "-c", "a"]);
});

test("no text is changed on its way through a manifest, whatever variables there are", () => {
  const piece = fc.constantFrom("$", "(", ")", "HOME", "a", "$(HOME)", "{", " ");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      assertEquals(expand(asContainerText(pieces.join("")), { HOME: "/root", a: "b" }), pieces.join(""));
    }),
    { numRuns: 2_000 },
  );
  assertEquals(asContainerText("echo $HOME $(date +%F) ${A}"), "echo $HOME $(date +%F) ${A}");
});

const NAMES: readonly (readonly [script: string, name: string])[] = [
  ["/usr/local/bin/backup.sh --full > /dev/null 2>&1", "backup"],
  ["cd /srv/app && php artisan schedule:run >> /dev/null", "artisan"],
  ["test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }", "cron-daily"],
  ["sudo -u www-data nice -n 10 /opt/My_Tool", "my-tool"],
  ["flock -n /tmp/lock timeout 5m A=1 python3 /opt/sync.py", "sync"],
  ["/bin/bash -c 'sleep 5; /opt/x.pl'", "x"],
  ["[ -d /x ] && certbot -q renew", "certbot"],
  ["A=1 B=2 rsync -a /a /b", "rsync"],
  ["echo hello", "echo"],
  ["cd /tmp", "cd"],
  ["ünïcode", "n-code"],
  ["%%%", "cron-job"],
  ["sudo", "sudo"],
];

for (const [script, name] of NAMES) {
  test(`a CronJob for ${script} is called ${name}`, () => assertEquals(baseName(script), name));
}

test("names are unique labels of at most 52 characters, and do not depend on the order of lines", () => {
  const text = fc.constantFrom(
    "0 1 * * * a",
    "0 2 * * * a",
    "0 1 * * * b",
    `0 1 * * * ${"long".repeat(30)}`,
    "0 3 * * * a.sh",
  );
  const entries = fc.array(text, { maxLength: 8 }).map((lines) => {
    return lines.map((text) => ({ text, script: text.slice(10) }));
  });
  fc.assert(fc.property(entries, (entries) => {
    const names = namesOf(entries);
    assertEquals(new Set(names).size, names.length);
    assert(names.every((name) => name.length <= 52 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)), names.join());
    assertEquals(namesOf(entries.toReversed()).sort(), names.sort());
  }));
});
