import { parseDocument, stringify } from "yaml";
import { shellCronJob } from "../../../support/shell_cron_job.ts";

const TROUBLE = [
  inNamespace(
    "team-b",
    shellCronJob(
      "sync",
      "echo connecting to postgres://sync@10.0.3.7:5432/shop; sleep 1; echo error: connection refused 10.0.3.7:5432 >&2; exit 1",
      { spec: { schedule: "* * * * *" }, labels: { team: "b" } },
    ),
  ),
  inNamespace(
    "team-a",
    shellCronJob("nightly-report", "report", {
      spec: { schedule: "* * * * *", concurrencyPolicy: "Forbid" },
      container: { envFrom: [{ secretRef: { name: "report-database" } }] },
    }),
  ),
  inNamespace(
    "infra",
    shellCronJob("etcd-backup", "echo no space left on device >&2; exit 28", {
      spec: { schedule: "@every 20s", pauseAfterFailures: 3 },
    }),
  ),
  inNamespace(
    "shop",
    shellCronJob("search-index", "sleep 3600", { spec: { schedule: "*/30 * * * *", concurrencyPolicy: "Forbid" } }),
  ),
  inNamespace("infra", shellCronJob("vacuum", "sleep 2", { spec: { schedule: "0 3 * * *" } })),
  inNamespace("shop", shellCronJob("newsletter", "sleep 2", { spec: { schedule: "0 9 * * 1", suspend: true } })),
];

const NAMES = ["ship", "invoice", "prune", "digest", "rotate-keys", "certs", "warm-cache", "snapshot", "mail", "stats"];
const SCHEDULES = ["* * * * *", "*/2 * * * *", "H * * * *", "*/30 * * * *", "H 4 * * *", "15 */2 * * *", "0 0 * * *"];
const ZONES = ["Europe/Berlin", "UTC", "America/New_York"];

/** Those of which there is nothing to say. */
const FINE = ["team-a", "team-b", "infra", "shop"].flatMap((namespace, round) =>
  NAMES.map((name, index) => {
    const [schedule = "", timeZone = ""] = [SCHEDULES, ZONES].map((all) => all[(index + 3 * round) % all.length]!);
    return inNamespace(namespace, shellCronJob(name, `sleep ${1 + index % 4}`, { spec: { schedule, timeZone } }));
  })
);

/** The fleet of the pictures, as manifests: what there is to see of it is what `standalone` makes of it. */
export const REAL_FLEET = [
  ...["team-a", "team-b", "infra", "shop"].map((name) =>
    stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
  ),
  ...TROUBLE,
  ...FINE,
].join("---\n");

function inNamespace(namespace: string, manifest: string): string {
  const document = parseDocument(manifest);
  document.setIn(["metadata", "namespace"], namespace);
  return String(document);
}
