import { NAMESPACE } from "../install.ts";
import type { Receiver } from "../receivers.ts";

/** A template of the chart's own: the rules that hold where CronJobs are watched. */
export const WATCHED_RULES = "cronjob-controller.watched-rules";

/** What stands in objects for something that only the chart's values say. */
export const TOKENS = {
  image: "__image__",
  resources: "__resources__",
  jobs: "__jobs__",
  dashboardSecret: "__dashboardSecret__",
  dashboard: "__dashboard__",
  webhookUrl: "__webhookUrl__",
  webhookForm: "__webhookForm__",
  webhookSecret: "__webhookSecret__",
  webhookHost: "__webhookHost__",
  webhookNamespace: "__webhookNamespace__",
  webhookPort: "__webhookPort__",
  pingsUrl: "__pingsUrl__",
  pingsSecret: "__pingsSecret__",
  pingsHost: "__pingsHost__",
  pingsNamespace: "__pingsNamespace__",
  pingsPort: "__pingsPort__",
  each: "__each__",
  flag: "__flag__",
  name: "__name__",
  value: "__value__",
  watchedRules: "__watchedRules__",
} as const;

const IMAGE = [
  "$.Values.image.repository",
  '(ternary (printf ":%s" ($.Values.image.tag | default $.Chart.AppVersion))',
  '(printf "@%s" $.Values.image.digest) (empty $.Values.image.digest))',
].join(" ");

/** In Helm's language: a text, which is quoted where it is the whole value; YAML on one line; or YAML on lines of its own. */
type Expression = { readonly text: string } | { readonly yaml: string } | { readonly block: string };

/** The address of a kind of receivers, its host, and the port that it has or that its scheme means. */
export function addressOf(kind: Receiver["kind"]) {
  const url = `$.Values.notifications.${kind}.url`;
  const host = `(urlParse ${url}).hostname`;
  const port = `regexFind ":[0-9]+$" (urlParse ${url}).host | trimPrefix ":"`;
  return { url, host, port: `${port} | default (ternary "443" "80" (hasPrefix "https:" ${url}))` };
}

function receiverExpressions(kind: Receiver["kind"]): Record<string, Expression> {
  const { url, host, port } = addressOf(kind);
  return {
    [TOKENS[`${kind}Url`]]: { text: url },
    [TOKENS[`${kind}Secret`]]: { text: `$.Values.notifications.${kind}.secret` },
    [TOKENS[`${kind}Host`]]: { text: host },
    [TOKENS[`${kind}Namespace`]]: { text: `index (splitList "." ${host}) 1` },
    [TOKENS[`${kind}Port`]]: { yaml: port },
  };
}

const EXPRESSIONS: Record<string, Expression> = {
  [TOKENS.image]: { text: `print ${IMAGE}` },
  [TOKENS.resources]: { yaml: "$.Values.resources | toJson" },
  [TOKENS.jobs]: { text: "$.Values.jobs" },
  [TOKENS.dashboardSecret]: { text: "$.Values.dashboard.secret" },
  [TOKENS.dashboard]: { yaml: '$.Files.Get "dashboard.json" | toJson' },
  ...receiverExpressions("webhook"),
  [TOKENS.webhookForm]: { text: "$.Values.notifications.webhook.form" },
  ...receiverExpressions("pings"),
  [TOKENS.each]: { text: "." },
  // As JSON, as large numbers would be printed with an exponent.
  [TOKENS.flag]: { text: 'printf "--%s=%s" $name ($value | toJson | trimAll "\\"")' },
  [TOKENS.name]: { yaml: "$name" },
  [TOKENS.value]: { yaml: "$value | toJson" },
  [TOKENS.watchedRules]: { block: `include "${WATCHED_RULES}" $ | trim | nindent 2` },
  [NAMESPACE]: { text: "$.Release.Namespace" },
};

const TOKEN = new RegExp(Object.keys(EXPRESSIONS).join("|"), "g");

/**
 * Returns a line of YAML as a line of a template: tokens become what stands for them, and what others would read as a
 * template stays as it is.
 */
export function fillIn(line: string): string {
  return line.replaceAll("{{", '{{ "{{" }}').replace(TOKEN, (token) => {
    const expression = EXPRESSIONS[token]!;
    if ("block" in expression) return `{{- ${expression.block} }}`;
    if ("yaml" in expression) return `{{ ${expression.yaml} }}`;
    const isWhole = new RegExp(`^\\s*(- )?([\\w-]+: )?${token}$`).test(line);
    return isWhole ? `{{ ${expression.text} | quote }}` : `{{ ${expression.text} }}`;
  });
}
