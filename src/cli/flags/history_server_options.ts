import { option, type OptionsOf } from "./options.ts";

/** The server that remembers the runs of a cluster. */
export const HISTORY_SERVER_OPTIONS = [
  option(
    "--server <url>",
    "the dashboard of a controller with --history-dir, https://host:port, which remembers the runs of the cluster",
  ),
  option("--token-file <file>", "your token for it, such as kubectl create token prints; it goes nowhere else"),
  option(
    "--service-account <name>",
    "in its place: a token of 10 minutes of this ServiceAccount (name or namespace/name), if you may create such tokens",
  ).conflicts("tokenFile"),
  option(
    "--certificate-authority <file>",
    "the CA of its certificate, PEM (default: the CAs that this machine trusts)",
  ),
];

export type HistoryServerOptions = OptionsOf<typeof HISTORY_SERVER_OPTIONS>;
