const LOG_LEVEL = "--log-level debug|info|warning|error";
const PLAIN_METRICS = "metrics are served as plain HTTP; put what your cluster uses for TLS in front of them";
const NO_WEBHOOKS = "there are no webhooks: the CRD's own schema checks what is written";

/** What users of the tutorial's manager or of kube-controller-manager will miss, and what there is instead. */
const INSTEAD: readonly [flag: RegExp, instead: string][] = [
  [/^--zap-(log-level|stacktrace-level)$/, `use ${LOG_LEVEL}`],
  [/^--zap-encoder$/, "use --log-format text|json"],
  [/^--zap-/, `use ${LOG_LEVEL} and --log-format text|json`],
  [/^(-v|--v)$/, `use ${LOG_LEVEL}`],
  [/^--metrics-(secure|cert-.*)$/, PLAIN_METRICS],
  [/^--webhook-/, NO_WEBHOOKS],
  [/^--enable-http2$/, PLAIN_METRICS],
  [/^--(concurrent-cron-job-syncs|max-concurrent-reconciles)$/, "use --concurrent-syncs"],
  [/^--leader-elect-resource-name$/, "use --leader-election-id"],
  [/^--leader-elect-resource-namespace$/, "use --leader-election-namespace"],
  [/^--(watch-namespaces?|namespaces)$/, "use --namespace, as often as needed"],
  [/^--(master|server)$/, "use --kubeconfig"],
];

/**
 * `unknown option '--zap-devel'` -> what there is instead of it, if it is known from elsewhere.
 *
 * @param words of the command line, the command first
 */
export function insteadOf(message: string, words: readonly string[]): string | undefined {
  const [, flag = ""] = /unknown option '([^'=]+)/.exec(message) ?? [];
  // Go's flags take one dash as well.
  if (/^-[a-z][\w-]{2,}$/.test(flag)) return `write -${flag}`;
  if (
    words.slice(0, 2).join(" ") === "service install" && isBeforeDashes(flag, words) &&
    !message.includes("Did you mean")
  ) {
    return `flags of standalone stand behind --: service install -- ${flag}`;
  }
  return INSTEAD.find(([pattern]) => pattern.test(flag))?.[1];
}

function isBeforeDashes(flag: string, words: readonly string[]): boolean {
  const dashes = words.indexOf("--");
  return words.slice(0, dashes < 0 ? words.length : dashes).some((word) => word.split("=")[0] === flag);
}
