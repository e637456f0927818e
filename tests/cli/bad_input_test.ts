import { assert, assertEquals } from "@std/assert";
import { TIME_EXAMPLES } from "../../src/cli/shared/people_time.ts";
import { temporaryFolder } from "../support/program.ts";
import { wordsIn } from "../support/shell.ts";
import { test } from "../support/test.ts";
import { runMain } from "./support/run_command.ts";

/** A kubeconfig whose cluster and user have these fields. */
function kubeconfig(
  cluster: string,
  { user = "token: x", names = "context: {cluster: k, user: u}", current = "c" } = {},
) {
  return `apiVersion: v1
kind: Config
current-context: ${current}
clusters: [{name: k, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: c, ${names}}]
`;
}

const SERVER = "server: 'http://127.0.0.1:2'";
const TLS_SERVER = "server: 'https://127.0.0.1:2'";
const EXEC = "exec: {apiVersion: client.authentication.k8s.io/v1, command: /none/plugin, interactiveMode: Never}";

const FILES: Readonly<Record<string, string>> = {
  "empty": "",
  "not-yaml": "a: [b\n",
  "list": "- 1\n",
  "text": "hello",
  "gone": kubeconfig(SERVER),
  "no-url": kubeconfig("server: nowhere"),
  "port": kubeconfig("server: 'http://127.0.0.1:99999'"),
  "no-server": kubeconfig("other: 1"),
  "no-context": "apiVersion: v1\nkind: Config\nclusters: []\n",
  "unset-context": kubeconfig(SERVER, { current: "" }),
  "wrong-context": kubeconfig(SERVER, { current: "d" }),
  "wrong-cluster": kubeconfig(SERVER, { names: "context: {cluster: z, user: u}" }),
  "wrong-user": kubeconfig(SERVER, { names: "context: {cluster: k, user: z}" }),
  "nulls": "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: null\nusers: null\ncontexts: null\n",
  "odd": "apiVersion: v1\nkind: Config\ncurrent-context: 5\nclusters: {a: b}\ncontexts: 7\n",
  "no-ca": kubeconfig(`${TLS_SERVER}, certificate-authority: /none/ca.crt`),
  "no-token": kubeconfig(SERVER, { user: "tokenFile: /none/token" }),
  "insecure": kubeconfig(`${TLS_SERVER}, insecure-skip-tls-verify: true`),
  "no-plugin": kubeconfig(SERVER, { user: EXEC }),
  "report.yaml": "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: r}\nspec: {schedule: '0 * * * *'}\n",
  "keys": "hunter2",
  "empty.yaml": "",
  "broken.yaml": "a: [\n",
  "broken.json": "{",
  "bytes.yaml": "\u0000\u0001\u0002",
  "twice.yaml": "a: 1\na: 2\n",
  "config-map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\n",
  "nameless.yaml": "apiVersion: batch/v1\nkind: CronJob\nspec: {schedule: '0 * * * *'}\n",
};

/** DIR is the folder of the files; the sentence that is printed begins with the one that stands here. */
type Row = readonly [line: string, sentence: string, exitCode?: number];

const ROWS: readonly Row[] = [
  ["nope", "unknown command 'nope' (see --help)"],
  ["statu", "unknown command 'statu' (Did you mean status?) (see --help)"],
  ["--nope", "unknown option '--nope' (see --help)"],
  [
    "status --kubeconfig DIR/none",
    "Cannot read kubeconfig DIR/none: there is no such file; name one with --kubeconfig or KUBECONFIG",
  ],
  ["status --kubeconfig DIR/not-yaml", "Cannot read kubeconfig DIR/not-yaml: line 2, column 1: deficient indentation"],
  [
    "status --kubeconfig DIR/list",
    "Cannot use kubeconfig DIR/list: it has no contexts; name another one with --kubeconfig or KUBECONFIG",
  ],
  ["status --kubeconfig DIR/text", "Cannot read kubeconfig DIR/text: there is no kubeconfig in it"],
  ["status --kubeconfig DIR/no-url", "Cannot use cluster k: its 'server' is no URL, current value is nowhere"],
  [
    "status --kubeconfig DIR/port",
    "Cannot use cluster k: its 'server' is no URL, current value is http://127.0.0.1:99999",
  ],
  ["status --kubeconfig DIR/no-server", "Cannot read kubeconfig DIR/no-server: cluster k has no 'server'"],
  [
    "status --kubeconfig DIR/no-context",
    "Cannot use kubeconfig DIR/no-context: it has no contexts; name another one with --kubeconfig or KUBECONFIG",
  ],
  [
    "status --kubeconfig DIR/unset-context",
    "Cannot use kubeconfig DIR/unset-context: it has no current context; name one of c with --context",
  ],
  ["status --kubeconfig DIR/wrong-context", "Cannot use kubeconfig DIR/wrong-context: it has no context d; it has c"],
  [
    "status --kubeconfig DIR/wrong-cluster",
    "Cannot use kubeconfig DIR/wrong-cluster: the cluster of context c is not in it",
  ],
  ["status --kubeconfig DIR/wrong-user", "Cannot use kubeconfig DIR/wrong-user: the user of context c is not in it"],
  ["status --kubeconfig DIR/nulls", "Cannot use kubeconfig DIR/nulls: it has no context c; it has none"],
  ["status --kubeconfig DIR/odd", "Cannot read kubeconfig DIR/odd: 'clusters' is not a list"],
  ["status --kubeconfig DIR/no-ca", "Cannot read /none/ca.crt, which the kubeconfig names: there is no such file"],
  ["status --kubeconfig DIR/no-token", "Cannot read /none/token, which the kubeconfig names: there is no such file"],
  [
    "status --kubeconfig DIR/insecure",
    "Cannot use cluster k: 'insecure-skip-tls-verify' is not supported; give the cluster's CA as 'certificate-authority-data' instead",
  ],
  [
    "status --kubeconfig DIR/no-plugin",
    "Cannot get credentials of user u through '/none/plugin': spawn /none/plugin ENOENT",
  ],
  ["status --context z --kubeconfig DIR/gone", "Cannot use kubeconfig DIR/gone: it has no context z; it has c"],
  ["status --kubeconfig", "--kubeconfig needs a value: --kubeconfig <file>"],
  ["status --kubeconfig DIR", "Cannot read kubeconfig DIR: Is a directory"],
  ["status -o xml", "--output must be one of table, wide, json, yaml, name, current value is xml"],
  [
    "status --only broke",
    "--only must hold nothing but Contested, Invalid, Stopped, Blocked, Failing, Overdue, Pending, Late, Slow, Stale, Suspicious, Missed, Paused, Suspended, Running, Waiting, Ended",
  ],
  [
    "status --only ''",
    "--only must name one at least of Contested, Invalid, Stopped, Blocked, Failing, Overdue, Pending, Late, Slow, Stale, Suspicious, Missed, Paused, Suspended, Running, Waiting, Ended",
  ],
  [
    "status --only ,",
    "--only must name one at least of Contested, Invalid, Stopped, Blocked, Failing, Overdue, Pending, Late, Slow, Stale, Suspicious, Missed, Paused, Suspended, Running, Waiting, Ended",
  ],
  ["status -n a -A", "Give either --namespace or --all-namespaces, not both"],
  ["status x -A", "Names need one namespace: leave --all-namespaces out"],
  ["status x -l a=b", "Give either names or --selector, not both"],
  ["status --check --watch", "Give either --watch or --check, not both"],
  ["status --all=maybe", "--all must be true or false, current value is maybe"],
  ["explain", "missing required argument 'name' (see --help)"],
  ["explain a b", "too many arguments for 'explain'. Expected 1 argument but got 2: a, b. (see --help)"],
  ["explain r --at", "--at needs a value: --at <time>"],
  [
    "explain r --at '2h ago' -f DIR/report.yaml",
    "A manifest can explain times to come only: --at 2h ago is past; ask without --filename what happened then",
  ],
  [
    "explain r --at 0000-01-01T00:00:00Z -f DIR/report.yaml",
    "A manifest can explain times to come only: --at 0000-01-01T00:00:00Z is past",
  ],
  ["explain r --at 02:00 --job x", "Give either --at or --job, not both"],
  ["explain r --job x -f a", "Give either --job or --filename, not both"],
  ["explain r -o yaml", "--output must be one of text, json, current value is yaml"],
  ["explain z -f DIR/report.yaml", "There is no CronJob z in DIR/report.yaml"],
  ["explain r -n other -f DIR/report.yaml", "There is no CronJob r of namespace other in DIR/report.yaml"],
  ["explain r -f DIR/none.yaml", "Cannot read manifest DIR/none.yaml: no such file or folder"],
  ["explain r -f DIR/empty.yaml", "There is no CronJob r in DIR/empty.yaml"],
  ["explain r -f DIR/config-map.yaml", "There is no CronJob r in DIR/config-map.yaml"],
  ["explain r -f DIR/nameless.yaml", "There is no CronJob r in DIR/nameless.yaml"],
  ["explain r -f DIR/folder", "There is no CronJob r in DIR/folder"],
  ["explain r -f DIR/broken.yaml", "DIR/broken.yaml:2: Cannot read the manifest: Flow sequence in block collection"],
  ["explain r -f DIR/broken.json", "DIR/broken.json:1: Cannot read the manifest: Flow map must end with a }"],
  [
    "explain r -f DIR/bytes.yaml",
    "DIR/bytes.yaml:1: Cannot read the manifest: every document needs apiVersion and kind",
  ],
  ["explain r -f DIR/twice.yaml", "DIR/twice.yaml:2: Cannot read the manifest: Map keys must be unique"],
  ["history a -l b=c", "Give either names or --selector, not both"],
  [
    "history r --server https://x",
    "--server gets no credential of the kubeconfig, neither a token nor a client certificate: give --token-file, or --service-account for a token that the API server makes",
  ],
  [
    "logs r --server http://x --service-account y",
    "--server must be https://host or https://host:port, current value is http://x",
  ],
  [
    "explain r --service-account y",
    "--token-file, --service-account and --certificate-authority are for --server: give it too",
  ],
  [
    "history r --server https://x --token-file y --service-account z",
    "Give either --service-account or --token-file, not both",
  ],
  ["history r --server https://x --token-file DIR/none", "Cannot read --token-file DIR/none: there is no such file"],
  ["history r --last 0", "--last must be a whole number from 1 to 10000, current value is 0"],
  ["history r --last -1", "--last must be a whole number from 1 to 10000, current value is -1"],
  ["history r --last many", "--last must be a whole number from 1 to 10000, current value is many"],
  ["history r --last 1e3", "--last must be a whole number from 1 to 10000, current value is 1e3"],
  ["history r --last 10001", "--last must be a whole number from 1 to 10000, current value is 10001"],
  ["history r --since", "--since needs a value: --since <time>"],
  ["history r --failed=perhaps", "--failed must be true or false, current value is perhaps"],
  ["history r -o wide", "--output must be one of table, json, current value is wide"],
  ["logs", "missing required argument 'name' (see --help)"],
  ["logs a b", "too many arguments for 'logs'. Expected 1 argument but got 2: a, b. (see --help)"],
  ["logs r --tail all", "--tail must be a whole number from 0 to 1000000, current value is all"],
  ["logs r --tail -1", "--tail must be a whole number from 0 to 1000000, current value is -1"],
  ["logs r --tail 1.5", "--tail must be a whole number from 0 to 1000000, current value is 1.5"],
  ["simulate --day today --from 02:00", "Give either --day or --from, not both"],
  ["logs r -f --previous", "Give either --follow or --previous, not both"],
  ["logs r --run", "--run needs a value: --run <run>"],
  ["next", "Give either SCHEDULE or --filename"],
  ["next -f a -z UTC", "Give either --filename or --time-zone, not both"],
  ["next -f a '0 * * * *'", "Give either SCHEDULE or --filename"],
  ["next nightly", '"nightly" is no schedule: for a CronJob, `explain nightly` says when it runs next'],
  ["next '0 * * *'", 'schedule "0 * * *": has 4 fields; must be five fields'],
  ["next '60 * * * *'", 'minute "60": must be 0-59'],
  ["next '0 * * * *' --count 0", "--count must be a whole number from 1 to 10000, current value is 0"],
  ["next '0 * * * *' --timezone UTC", "unknown option '--timezone' (Did you mean --time-zone?) (see --help)"],
  ["next -f DIR/none.yaml", "Cannot read manifest DIR/none.yaml: no such file or folder"],
  ["next -f DIR/empty.yaml", "There is no CronJob in DIR/empty.yaml"],
  ["lint", "missing required argument 'path' (see --help)"],
  ["lint DIR/none.yaml", "Cannot read manifest DIR/none.yaml: no such file or folder"],
  ["lint DIR/empty.yaml", "There is no CronJob in DIR/empty.yaml"],
  ["lint DIR/config-map.yaml", "There is no CronJob in DIR/config-map.yaml"],
  ["lint DIR/folder", "There is no CronJob in DIR/folder"],
  ["lint -o xml DIR/report.yaml", "--output must be one of text, json, github, current value is xml"],
  ["release a --timeout never", "--timeout must be a whole number from 0 to 3600, current value is never"],
  ["manifests extra", "too many arguments for 'manifests'. Expected 0 arguments but got 1: extra. (see --help)"],
  ["backup", "missing required argument 'file' (see --help)"],
  ["backup --data-dir DIR/none DIR/copy", "Cannot back up DIR/none: there is no database in it", 1],
  ["restore", "missing required argument 'file' (see --help)"],
  ["restore DIR/none --data-dir DIR/made", "Cannot read backup DIR/none: there is no such file", 1],
  ["version extra", "too many arguments for 'version'. Expected 0 arguments but got 1: extra. (see --help)"],
  ["standalone --port 99999999", "--port must be a whole number from 0 to 65535, current value is 99999999"],
  [
    "standalone --dashboard-address 0.0.0.0:80",
    "--dashboard-address must be 127.0.0.1:port, localhost:port, [::1]:port, or 0 for none, current value is 0.0.0.0:80",
  ],
  ["dashboard --address 0 --kubeconfig DIR/gone", "--address must say where to serve the page"],
  [
    "dashboard --data-dir DIR --kubeconfig DIR/gone",
    "Give either --data-dir or --kubeconfig, not both",
  ],
  ["standalone --log-level loud", "--log-level must be one of debug, info, warning, error, current value is loud"],
  ["controller --api apps/v1", "--api must be one of cronjob-controller.dev/v1"],
  ["controller --concurrent-syncs 0", "--concurrent-syncs must be a whole number from 1 to 10000, current value is 0"],
  ["controller --kube-api-burst 5 --kubeconfig DIR/gone", "--kube-api-burst 5 limits nothing without --kube-api-qps"],
  ["controller --notify-webhook http://h", "Give both --notify-webhook and --notify-secret-file, or neither"],
  ["controller --ping-key-file DIR/keys", "Give both --ping-url and --ping-key-file, or neither"],
  ["manifests --ping-url http://h", "Give both --ping-url and --ping-secret, or neither"],
  [
    "controller --notify-webhook h:80",
    "--notify-webhook must be an address that begins with https:// or http://, current value is h:80",
  ],
  [
    "standalone --ping-url http://h/?a=1",
    "--ping-url must hold no user, password, query or fragment, current value is http://h/?a=1",
  ],
  [
    "controller --notify-webhook http://h --notify-form cloudevents --notify-secret-file DIR/keys",
    "Cannot use --notify-secret-file DIR/keys: the key does not begin with whsec_",
  ],
  [
    "controller --notify-webhook http://h --notify-secret-file DIR/keys",
    "Cannot use --notify-secret-file DIR/keys: it holds no address",
  ],
  [
    "controller --notify-form alertmanager --notify-secret-file DIR/keys",
    "Give both --notify-webhook and --notify-secret-file, or neither",
  ],
  ["controller --ping-url http://h --ping-key-file DIR/none", "Cannot read --ping-key-file DIR/none: "],
  [
    "standalone --ping-slug My_check",
    "--ping-slug must be up to 100 small letters, digits and dashes, current value is My_check",
  ],
  [
    "controller --leader-elect --leader-elect-renew-deadline 20s --kubeconfig DIR/gone",
    "--leader-elect-renew-deadline 20s must be shorter than --leader-elect-lease-duration 15s",
  ],
  ["trigger r --set novalue", "--set must be NAME=VALUE, current value is novalue"],
  [
    "pause r --until soon --kubeconfig DIR/gone",
    "--until must be a time such as 02:00, Mon 08:00, yesterday 02:00, tomorrow, last friday, 2026-11-21, 2026-11-21 02:00, 2026-11-21T01:00:00Z, 30d, 2h ago or in 3h, current value is soon",
  ],
  ["backfill r", "Give --from, the first time, or --cancel"],
  ["backfill r --from 1d --follow --dry-run", "Give either --follow or --dry-run, not both"],
  ["backfill r --cancel --max-active 2", "Give either --cancel or --max-active, not both"],
  ["backfill r --cancel --from 1d", "Give either --cancel or --from, not both"],
  ["backfill r --max-active 0", "--max-active must be a whole number from 1 to 100, current value is 0"],
  ["backfill r --reprocess some", "--reprocess must be one of missing, failed, all, current value is some"],
  ["simulate -f DIR/none.yaml", "Cannot read manifest DIR/none.yaml: no such file or folder"],
  ["simulate -f DIR/empty.yaml", "There is no CronJob in DIR/empty.yaml"],
  ["simulate -o png", "--output must be one of text, json, current value is png"],
  ["simulate -f DIR/report.yaml --day never", "--day must be a time such as"],
  ["import crontab DIR/none", "Cannot read crontab DIR/none: no such file"],
  ["import systemd", "unknown command 'systemd' (see --help)"],
  ["completion tcsh", "shell must be one of bash, zsh, fish, current value is tcsh"],
  ["help nope", "unknown command 'nope' (see --help)"],
];

/** Commands that ask a cluster. */
const ASKING = [
  "status",
  "explain r",
  "history r",
  "logs r",
  "adopt r",
  "release r",
  "controller",
  "status --check",
  "explain r --exit-code",
  "status --watch",
  "trigger r",
  "pause r",
  "resume r",
  "backfill r --from 1d",
  "simulate",
];

/** Texts that are no times. */
const NO_TIMES = [
  "",
  "soon",
  "25:00",
  "08:61",
  "Foo 08:00",
  "2026-02-30 00:00",
  "2026-13-01T00:00:00Z",
  "9999999999h",
  "2x",
  "in 2h ago",
  "noon",
  "1e3s",
  "-",
];

const BAD_TIMES = NO_TIMES.map((text): Row => [
  `explain r '--at=${text}' -f DIR/report.yaml`,
  `--at must be a time such as ${TIME_EXAMPLES}, current value is ${text}`,
]);

/** Commands that change CronJobs. */
const CHANGING = ["adopt", "release", "trigger", "pause", "resume"];

const NO_CHOICE = CHANGING.flatMap((command): Row[] => [
  [command, "Give names of CronJobs, --selector or --all"],
  [`${command} a --all`, "Give either names or --all, not both"],
  [`${command} a -l b=c`, "Give either names or --selector, not both"],
  [`${command} a -A`, "Names need one namespace: leave --all-namespaces out"],
  [`${command} --all -A -n x`, "Give either --namespace or --all-namespaces, not both"],
]);

const NO_CLUSTER = ASKING.flatMap((command): Row[] => [
  [
    `${command} --kubeconfig DIR/empty`,
    "Cannot read kubeconfig DIR/empty: it is empty; name another one with --kubeconfig or KUBECONFIG",
  ],
  [
    `${command} --kubeconfig DIR/gone`,
    "Cannot reach the API server http://127.0.0.1:2: Connection refused; --kubeconfig and --context choose another",
    // Where the exit code is the answer, 1 is one.
    /--(check|exit-code)/.test(command) ? 2 : 1,
  ],
]);

for (const [line, sentence, exitCode = 2] of [...ROWS, ...BAD_TIMES, ...NO_CHOICE, ...NO_CLUSTER]) {
  test(`what is wrong is said in one sentence, and nothing is done: ${line}`, async () => {
    const files = Object.entries(FILES).filter(([name]) => line.includes(`DIR/${name}`));
    await using folder = await temporaryFolder(Object.fromEntries(files));
    await Deno.mkdir(`${folder.path}/folder`);
    const { exitCode: code, ...printed } = await runMain(wordsIn(line).map((arg) => arg.replace("DIR", folder.path)));
    const said = printed.stderr.replaceAll(folder.path, "DIR");
    assertEquals(printed.stdout, "", "It says more than one sentence");
    assert(said.startsWith(`cronjob-controller: ${sentence}`), said);
    assert(!/\n|TypeError|undefined|\[object/.test(said), said);
    assertEquals(code, exitCode);
    const left = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
    assertEquals(left.sort(), ["folder", ...files.map(([name]) => name)].sort());
  });
}
