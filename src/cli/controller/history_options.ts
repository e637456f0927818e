import { sizeBytes } from "../flags/amounts.ts";
import { option, type OptionsOf } from "../flags/options.ts";

/** Which runs a replica remembers, and where it reads others. */
export const HISTORY_OPTIONS = [
  option(
    "--history-dir <folder>",
    "where each replica keeps the runs that it sees for 90 days, for history, explain and the dashboard " +
      "(default: nowhere)",
  ),
  option("--history-size <size>", "how large that may grow, the oldest runs go first: 500MiB, 1GiB")
    .parsedBy(sizeBytes, "1GiB"),
  option(
    "--history-peers <url>",
    "the dashboard of all replicas, https://host:port, such as that of their Service: what one did not see it reads there " +
      "from another, with the token of its ServiceAccount (default: each knows its own)",
  ),
  option(
    "--history-peers-ca-file <file>",
    "the CA of that certificate, PEM (default: the CAs that this machine trusts)",
  ),
];

export type HistoryOptions = OptionsOf<typeof HISTORY_OPTIONS>;
