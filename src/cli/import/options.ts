import { BATCH, FLAVOURS, PRODUCTION } from "../../cronjob/api/flavour.ts";
import { ConfigError } from "../errors.ts";
import { namespaceName, zoneName } from "../flags/names.ts";
import { flag, type OptionsOf, switchOption } from "../flags/options.ts";
import { outputOption } from "../flags/output.ts";

/** The flags of `import crontab`. */
export const IMPORT_OPTIONS = [
  switchOption("--system", "a user stands before each command, as in /etc/crontab and /etc/cron.d"),
  flag("--api <apiVersion>", `of the CronJobs (default: ${PRODUCTION.apiVersion}, with --image ${BATCH.apiVersion})`)
    .oneOf(FLAVOURS.map(({ apiVersion }) => apiVersion)),
  flag("-n, --namespace <name>", "of the CronJobs (default: none is written)").parsedBy(namespaceName),
  flag("--host <name>", "of several machines: the one with whose name the CronJobs' names begin").parsedBy(hostName),
  flag("--image <image>", "for a cluster: the image that has the programs").parsedBy(imageName),
  flag("-z, --time-zone <name>", "whose wall clock the crontab goes by (default: this machine's)").parsedBy(zoneName),
  outputOption(["yaml", "json"]),
];

export type ImportFlags = OptionsOf<typeof IMPORT_OPTIONS>;

/** The grammar of image references, as container runtimes read them: `[host[:port]/]path[:tag][@digest]`. */
const IMAGE = (() => {
  const label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
  const host = String.raw`(?:${label}(?:\.${label})*|\[[0-9A-Fa-f:]+\])(?::\d+)?`;
  const component = "[a-z0-9]+(?:(?:[.]|_|__|-+)[a-z0-9]+)*";
  const tag = String.raw`[\w][\w.-]{0,127}`;
  const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
  return new RegExp(`^(?:${host}/)?${component}(?:/${component})*(?::${tag})?(?:@${digest})?$`);
})();

/** Names begin with it, its dots as dashes. */
function hostName(host: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host)) return host;
  throw new ConfigError(`--host must be the name of a machine such as web-1, current value is ${JSON.stringify(host)}`);
}

/** Neither an API server nor a manifest would complain: Pods would wait with InvalidImageName. */
function imageName(image: string): string {
  if (IMAGE.test(image)) return image;
  throw new ConfigError(
    `--image must be a reference such as registry.example/team/tools:1, current value is ${JSON.stringify(image)}`,
  );
}
