import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import type { JobMode } from "../../job/api/managed_by.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { WEBHOOK_FORMS } from "../../notifications/webhook_form.ts";
import { installOf } from "../install.ts";

/** A JSON Schema, draft 7: what Helm judges values by. */
export type Schema = Readonly<Record<string, unknown>>;

/** A value of the chart, or a group of them. */
type Value =
  | { readonly description: string; readonly default: unknown; readonly schema: Schema }
  | { readonly description: string; readonly values: Record<string, Value> };

const { jobs, pendingTimeouts, neverTwice, managedOnly, dashboard, resources, apis } = installOf("base");
const API_VERSIONS = FLAVOURS.map(({ resource }) => apiVersionOf(resource));
const JOBS: readonly ("off" | JobMode)[] = ["off", "managed", "all"];
const DASHBOARDS: readonly (typeof dashboard.kind)[] = ["none", "port-forward", "tls"];

const flag = (description: string, byDefault = false): Value => ({
  description,
  default: byDefault,
  schema: { type: "boolean" },
});
const text = (description: string, byDefault = "", more?: Schema): Value => ({
  description,
  default: byDefault,
  schema: { type: "string", ...more },
});

const receiverUrl = () =>
  text("Its address. None: no one is notified.", "", { pattern: "^(https?://[^\\s\"'#?@{}]+)?$" });

/**
 * Returns the values of the chart.
 *
 * @param flags by their names without dashes, what the `controller` command takes besides what is here
 * @param image where it is by default
 */
export function valuesOf(
  { flags, image }: { readonly flags: Record<string, Schema>; readonly image: string },
): Record<string, Value> {
  return {
    image: {
      description: "What the replicas run.",
      values: {
        repository: text("Where the cluster finds the image.", image, { minLength: 1 }),
        tag: text("None: the chart's appVersion."),
        digest: text("As sha256:abc; it counts in place of the tag.", "", { pattern: "^(sha256:[0-9a-f]{64})?$" }),
      },
    },
    apis: {
      description: "The APIs whose CronJobs are run: their CRDs, and the rights to run them.",
      default: apis.map(({ resource }) => apiVersionOf(resource)),
      schema: { type: "array", minItems: 1, uniqueItems: true, items: { enum: API_VERSIONS } },
    },
    managedOnly: flag(
      "Of batch/v1, only CronJobs that were adopted, beside kube-controller-manager; false: all, in its place.",
      managedOnly,
    ),
    namespaces: {
      description: "Only CronJobs of these namespaces, with a Role in each in place of the ClusterRole. None: all.",
      default: [],
      schema: {
        type: "array",
        uniqueItems: true,
        items: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" },
      },
    },
    jobs: {
      description: "Whose Pods to run: of no Jobs, of those that name this controller in spec.managedBy, or of all.",
      default: jobs,
      // YAML 1.1 reads an unquoted off as false.
      schema: { enum: [...JOBS, false] },
    },
    pendingTimeouts: flag("Let CronJobs end Jobs whose Pods never start, with the right to do so.", pendingTimeouts),
    neverTwice: flag("Let CronJobs keep the names of their Jobs taken, with the right to free them.", neverTwice),
    dashboard: {
      description: "A page about all CronJobs, for people with a bearer token of the cluster.",
      values: {
        kind: {
          description: "none; port-forward: for kubectl port-forward alone; tls: a Service with a certificate.",
          default: dashboard.kind,
          schema: { enum: DASHBOARDS },
        },
        secret: text("With tls: the Secret of type kubernetes.io/tls that holds the certificate."),
      },
    },
    notifications: {
      description: "Who is notified of runs, each with a Secret of the release's namespace.",
      values: {
        webhook: {
          description:
            "Gets reports of failed runs. In a Slack-compatible form, only the Secret has the whole address.",
          values: {
            url: receiverUrl(),
            form: { description: "What it understands.", default: "slack", schema: { enum: WEBHOOK_FORMS } },
            secret: text(
              "The Secret; its entry secret holds the address, what Alertmanager asks for, or signing keys.",
            ),
          },
        },
        pings: {
          description: "A server of Healthchecks' form, such as https://hc-ping.com.",
          values: { url: receiverUrl(), secret: text("The Secret; its entry key holds the ping key.") },
        },
      },
    },
    flags: {
      description: "Further flags of the controller command, without dashes: { log-level: debug }.",
      default: {},
      schema: { type: "object", additionalProperties: false, properties: flags },
    },
    crds: {
      description: "The CRDs stay when the release is uninstalled: with them all their CronJobs would go.",
      values: {
        install: flag("Whether the CRDs come with this release: false where another release brings them.", true),
      },
    },
    resources: { description: "Of each replica.", default: resources, schema: { type: "object" } },
    pod: {
      description: "Further fields of the Pods' spec.",
      default: {},
      schema: {
        type: "object",
        additionalProperties: false,
        properties: {
          affinity: { type: "object" },
          imagePullSecrets: { type: "array" },
          priorityClassName: { type: "string" },
          tolerations: { type: "array" },
        },
      },
    },
    monitoring: {
      description: "For clusters with the Prometheus Operator and Grafana's sidecar.",
      values: {
        serviceMonitor: flag("Have Prometheus read the metrics."),
        prometheusRule: flag("The alerts."),
        grafanaDashboard: flag("The dashboard, in a ConfigMap."),
        labels: {
          description: "Labels by which Prometheus finds them: { release: kube-prometheus-stack }.",
          default: {},
          schema: { type: "object", additionalProperties: { type: "string" } },
        },
      },
    },
  };
}

/** `values.yaml`: each value with what it is about. */
export function valuesYaml(values: Record<string, Value>, print: (object: unknown) => string): string {
  const lines = Object.entries(values).flatMap(([name, value]) => [
    `# ${value.description}`,
    ..."values" in value
      ? [`${name}:`, ...valuesYaml(value.values, print).trimEnd().split("\n").map((line) => `  ${line}`)]
      : [print({ [name]: value.default }).trimEnd()],
  ]);
  return `${lines.join("\n")}\n`;
}

/** `values.schema.json`. */
export function valuesSchema(values: Record<string, Value>): Schema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...schemaOf(values),
    allOf: [
      needsSecret(["dashboard"], { kind: { const: "tls" } }),
      needsSecret(["notifications", "webhook"], {
        url: { minLength: 1 },
        form: { enum: WEBHOOK_FORMS.filter((form) => form !== "alertmanager") },
      }),
      needsSecret(["notifications", "pings"], { url: { minLength: 1 } }),
    ],
  };
}

/** Where something holds of a group of values, its `secret` must be there. */
function needsSecret(group: readonly string[], holds: Schema): Schema {
  const inGroup = (schema: Schema) =>
    group.reduceRight((inner, name): Schema => ({ properties: { [name]: inner } }), schema);
  return { if: inGroup({ properties: holds }), then: inGroup({ properties: { secret: { minLength: 1 } } }) };
}

function schemaOf(values: Record<string, Value>): Schema {
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, {
        description: value.description,
        ..."values" in value ? schemaOf(value.values) : { default: value.default, ...value.schema },
      }]),
    ),
  };
}
