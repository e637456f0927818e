import { NAMESPACE } from "../install.ts";

/** A template of the chart's own: the rules that hold where CronJobs are watched. */
export const WATCHED_RULES = "cronjob-controller.watched-rules";

/** What stands in objects for something that only the chart's values tell. */
export const TOKENS = {
  image: "__image__",
  resources: "__resources__",
  jobs: "__jobs__",
  dashboardSecret: "__dashboardSecret__",
  dashboard: "__dashboard__",
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

const EXPRESSIONS: Record<string, Expression> = {
  [TOKENS.image]: { text: `print ${IMAGE}` },
  [TOKENS.resources]: { yaml: "$.Values.resources | toJson" },
  [TOKENS.jobs]: { text: "$.Values.jobs" },
  [TOKENS.dashboardSecret]: { text: "$.Values.dashboard.secret" },
  [TOKENS.dashboard]: { yaml: '$.Files.Get "dashboard.json" | toJson' },
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
 * A line of YAML as a line of a template: tokens become what stands for them, and what others would read as a template stays
 * as it is.
 */
export function fillIn(line: string): string {
  return line.replaceAll("{{", '{{ "{{" }}').replace(TOKEN, (token) => {
    const expression = EXPRESSIONS[token];
    if ("block" in expression) return `{{- ${expression.block} }}`;
    if ("yaml" in expression) return `{{ ${expression.yaml} }}`;
    const isWhole = new RegExp(`^\\s*(- )?([\\w-]+: )?${token}$`).test(line);
    return isWhole ? `{{ ${expression.text} | quote }}` : `{{ ${expression.text} }}`;
  });
}
