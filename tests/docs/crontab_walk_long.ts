// The four steps of "In place of a crontab", walked to the letter with 25 entries and a command `crontab` of cron's grammar.
import { assertEquals, assertMatch } from "@std/assert";
import { programOnPath } from "../cli/support/program_on_path.ts";
import { atLeast, must } from "../support/expected.ts";
import { kubectlOk, Standalone } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";
import { blocksOf, readPage } from "./support/pages.ts";

/** Keeps the crontab in the file `tab` of the home folder. */
const CRONTAB_COMMAND = `#!/bin/sh
cd "$HOME"
case "$1" in
  -l) cat tab 2>/dev/null || { echo "no crontab for ana" >&2; exit 1; } ;;
  -r) rm tab ;;
  *) cat "$1" > tab ;;
esac
`;

/** Two of the entries must not run twice. */
const tabOf = (home: string) =>
  `# Edit this file to introduce tasks to be run by cron.
SHELL=/bin/bash
PATH=${home}/bin:/usr/bin:/bin
MAILTO=ana@example.com

# The database, every night.
30 2 * * * ${home}/bin/backup.sh
@reboot ${home}/bin/tunnel --background
*/5 * * * * ${home}/bin/feed.py --source north
*/7 * * * * ${home}/bin/feed.py --source south
0 6 * * 1-5 ${home}/bin/report --daily > ${home}/daily.log 2>&1
0 7 * * 1 ${home}/bin/report --weekly
0 8 1 * * ${home}/bin/report --monthly
# name: invoices
15 4 1 jan,jul * cd ${home} && ./billing.pl --half-year
@daily find /tmp/ana -mtime +7 -delete
@hourly ${home}/bin/sync-mail
@weekly ${home}/bin/rotate-logs
@monthly ${home}/bin/archive $(date +\\%Y-\\%m)
5 0 * * * mail -s 'good morning' ana%Hello,%it is a new day.%
0 3 * * 0 flock -n /tmp/lock ${home}/bin/vacuum
10 3 * * 7 nice -n 10 ${home}/bin/reindex
0 22 * * 1-5 [ -e ${home}/late ] && ${home}/bin/remind
45 23 28-31 * * ${home}/bin/close-month
0 */2 * * * ${home}/bin/probe
1-59/2 * * * * ${home}/bin/heartbeat
0 12 24 12 * echo merry
20 1 * * * tar -czf ${home}/etc.tgz /etc
25 1 * * * tar -czf ${home}/www.tgz /srv/www
0 5 * * * curl -fsS https://ping.example/alive
0 0 1 1 * env LANG=C ${home}/bin/new-year
59 23 * * * python3 -m stats
`;

const NAMES = [
  ...["archive", "backup", "close-month", "curl", "echo", "feed-north", "feed-south", "find", "heartbeat", "invoices"],
  ...[
    "mail",
    "new-year",
    "probe",
    "reindex",
    "remind",
    "report-daily",
    "report-monthly",
    "report-weekly",
    "rotate-logs",
  ],
  ...["stats", "sync-mail", "tar-etc-tgz", "tar-www-tgz", "vacuum"],
];

/** The home folder of a user who walks the steps. */
class Home implements AsyncDisposable {
  readonly #env: Record<string, string>;

  constructor(readonly path: string, onPath: string) {
    const PATH = `${path}/bin:${onPath}`;
    const DENO_DIR = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
    this.#env = { PATH, HOME: path, DENO_DIR, NO_COLOR: "1" };
  }

  async write(name: string, text: string): Promise<void> {
    await Deno.writeTextFile(`${this.path}/${name}`, text, { mode: 0o755 });
  }

  async sh(text: string): Promise<string> {
    const { code, stdout, stderr } = await runToEnd(["bash", "-euo", "pipefail", "-c", text], { env: this.#env });
    assertEquals(code, 0, `${text}\n${stderr}${stdout}`);
    return stdout;
  }

  /** As the line of a block does that starts the program, or has a service start it. */
  async start(line: string): Promise<Standalone> {
    const args = line.trim().replace(/ #.*/, "").replaceAll("~", this.path).split(" ");
    const dataDir = `${this.path}/.local/state/cronjob-controller`;
    return await Standalone.start(dataDir, args.slice(args.indexOf("--crontab")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

async function namesOf({ kubeconfig }: Standalone): Promise<string[]> {
  const names = await kubectlOk(kubeconfig, ["get", "ccj", "-o", "name"]);
  return names.trim().split("\n").map((name) => name.slice(name.indexOf("/") + 1)).sort();
}

test("who walks the four steps in place of a crontab has every entry run by one of both, and none by none", async () => {
  await using onPath = await programOnPath();
  await using home = new Home(await Deno.makeTempDir(), onPath.PATH);
  const tab = tabOf(home.path);
  await Deno.mkdir(`${home.path}/bin`);
  await home.write("bin/crontab", CRONTAB_COMMAND);
  await home.write("bin/backup.sh", "#!/bin/sh\necho backed up\n");
  await home.write("tab", tab);
  const blocks = blocksOf(await readPage("docs/start/crontab.md")).map(({ text }) => text);
  const [copy, tryIt, look, , letGo, leaveReboot] = atLeast(6, blocks);

  await home.sh(copy);
  const switchedOff = tab.replace(/^(?=.*(feed|vacuum))/gm, "#");
  await home.write("crontab.txt", switchedOff);
  {
    await using trial = await home.start(tryIt);
    await trial.program.waitFor(/note +\S+crontab.txt:9: behind a # and not run, as are lines 10, 21/);
    await trial.program.waitFor(/refused +\S+crontab.txt:8: @reboot: .* leave it to cron/);
    assertEquals(await namesOf(trial), NAMES.filter((name) => !/feed|vacuum/.test(name)));
    assertEquals(await home.sh("crontab -l"), tab, "cron goes on as before");
    const seen = await home.sh(look);
    assertMatch(seen, /^report-weekly +Waiting/m);
    assertMatch(seen, /^backup-\S+ succeeded/m);
    assertMatch(seen, /^backed up$/m);
  }

  // As step 4 says, each # is taken out again.
  await home.write("crontab.txt", switchedOff.replaceAll(/^#(?=.*(feed|vacuum))/gm, ""));
  await home.sh(leaveReboot);
  assertEquals(
    await home.sh("crontab -l"),
    tab.split("\n").filter((line) => /^(@reboot|SHELL|PATH|MAILTO)/.test(line)).join("\n") + "\n",
  );
  const lines = letGo.trim().split("\n");
  await home.sh(must(lines[0]));
  assertEquals(await home.sh("crontab -l 2>&1 || true"), "no crontab for ana\n");
  await using service = await home.start(must(lines[1]));
  assertEquals(await namesOf(service), NAMES);
  await home.sh(`export KUBECONFIG=${service.kubeconfig}; ${lines[2]}`);
  assertEquals(/behind a #/.test(service.program.output), false);
});
