import { askForLink, openLocalDashboard } from "../../dashboard/open_local.ts";
import { HttpKubeClient } from "../../kube/http_client.ts";
import { Stage } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { ListenAddress } from "../../telemetry/listen_address.ts";
import { configureLogging } from "../../telemetry/logging.ts";
import { ConfigError } from "../errors.ts";
import { connectionOf, reach } from "../cluster/connection.ts";
import { HISTORY_PAGE_COMMANDS, PAGE_COMMANDS } from "../shared/page_commands.ts";
import { listenBy } from "../flags/listen.ts";
import { readLinkKey } from "../shared/link_key.ts";
import { listenForStop } from "../signals.ts";
import { VERSION } from "../version.ts";
import { openInBrowser } from "./open_in_browser.ts";
import type { DashboardOptions } from "./options.ts";

/** Serves the page until the program is asked to stop, or shows a link to the page of a `standalone`. */
export async function runDashboard(options: DashboardOptions, clock: Clock): Promise<void> {
  const { address, dataDir, namespace: namespaces, readOnly: isReadOnly } = options;
  if (address === "none") throw new ConfigError("--address must say where to serve the page");
  // The served address is reported once, below.
  configureLogging({ level: "warning", format: "text", write: (line) => console.error(line) });
  using stop = listenForStop();
  const standaloneLink = await askStandalone(options, address, { clock, signal: stop.signal });
  if (standaloneLink !== undefined) return await showStandalone(standaloneLink, options, clock);
  const kubeconfig = dataDir === undefined ? options.kubeconfig : `${dataDir}/kubeconfig`;
  const connection = await connectionOf({ ...options, kubeconfig });
  await using client = HttpKubeClient.to(connection, { clock, userAgent: `cronjob-controller/${VERSION} dashboard` });
  const { isEmbedded } = await reach(client, connection.server, stop.signal);
  if (stop.signal.aborted) return;
  const session = { isReadOnly, server: connection.server, namespaces, version: VERSION };
  const commands = isEmbedded ? HISTORY_PAGE_COMMANDS : PAGE_COMMANDS;
  const { dashboard, link } = listenBy(
    "--address",
    () => openLocalDashboard({ client, clock, address, session, commands }),
  );
  const url = link();
  console.log(`The CronJobs of ${connection.server}: ${url}\nThe link is good once, for an hour. Ctrl-C ends it.`);
  await using _opened = options.open ? await openInBrowser(url) : undefined;
  await dashboard.run(stop.signal);
}

/** A page that does not answer for this long counts as not served. */
const ANSWER_MS = 5_000;

/** Asks a `standalone` for a link to its page; undefined where it serves none, or the flags ask for another page. */
async function askStandalone(
  { dataDir, readOnly, namespace }: DashboardOptions,
  { port }: ListenAddress,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (dataDir === undefined || readOnly || namespace.length > 0 || port !== 0) return undefined;
  const key = await readLinkKey(dataDir);
  if (!key) return undefined;
  using stage = new Stage(signal);
  clock.sleep(ANSWER_MS, stage.signal).then(() => stage.abort(), () => {/* it has answered */});
  return await askForLink(key, stage.signal).catch(() => undefined);
}

/** By then a browser has read the file that leads to the page. */
const OPENING_MS = 10_000;

async function showStandalone(url: string, { open }: DashboardOptions, clock: Clock): Promise<void> {
  console.log(`The page of the standalone: ${url}\nThe link is good once, for an hour.`);
  if (!open) return;
  await using _opened = await openInBrowser(url);
  await clock.sleep(OPENING_MS);
}
