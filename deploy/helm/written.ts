// The files of the Helm chart that derive from the code. Its templates and values are written by hand.
import type { PolicyRule } from "kubernetes-types/rbac/v1";
import { parse, parseDocument } from "yaml";
import { DEFINED_FLAVOURS, definitionOf } from "../../src/cronjob/api/crd.ts";
import { type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { Access } from "../../src/kube/access.ts";
import { accessOf } from "../../src/manifests/access.ts";
import { rulesOf } from "../../src/manifests/rbac.ts";
import { yamlOf } from "../../src/manifests/yaml.ts";
import { type Addresses, runbooksOf } from "../release/addresses.ts";

const CHART = new URL("cronjob-controller/", import.meta.url);
const MONITORING = new URL("../monitoring/", import.meta.url);
const HEADER = "# Written by `deno task manifests`.\n";

/** The files that templates include, and the chart's version, by their paths in the chart. */
export async function chartFiles(version: string): Promise<Map<string, string>> {
  const metadata = parseDocument(await Deno.readTextFile(new URL("Chart.yaml", CHART)));
  for (const field of ["version", "appVersion"]) metadata.set(field, version);
  const specOf = async (file: string) => yamlOf(parse(await Deno.readTextFile(new URL(file, MONITORING))).spec);
  return new Map([
    ["Chart.yaml", metadata.toString({ lineWidth: 0 })],
    ["files/rules.yaml", HEADER + yamlOf(rulesByValue())],
    ["files/alerts.yaml", HEADER + await specOf("prometheus_rule.yaml")],
    ["files/kube_state_metrics_rules.yaml", HEADER + await specOf("kube_state_metrics_rules.yaml")],
    ["files/dashboard.json", await Deno.readTextFile(new URL("dashboard.json", MONITORING))],
    ...DEFINED_FLAVOURS.map((flavour): [string, string] => {
      const definition = definitionOf(flavour);
      // All CronJobs would go with it.
      const annotations = { "helm.sh/resource-policy": "keep" };
      const kept = { ...definition, metadata: { ...definition.metadata, annotations } };
      return [`files/crds/${flavour.resource.group}.yaml`, HEADER + yamlOf(kept)];
    }),
  ]);
}

/** Has a copy of the chart say where its repository, its runbooks and its image are. */
export async function addAddresses(folder: string, { repository, image }: Addresses, tag: string): Promise<void> {
  const edit = async (file: string, fields: Readonly<Record<string, unknown>>) => {
    const document = parseDocument(await Deno.readTextFile(`${folder}/${file}`));
    for (const [path, value] of Object.entries(fields)) document.setIn(path.split("."), value);
    await Deno.writeTextFile(`${folder}/${file}`, document.toString({ lineWidth: 0 }));
  };
  await edit("Chart.yaml", { home: repository, sources: [repository] });
  await edit("values.yaml", {
    "image.repository": image,
    "monitoring.runbookUrl": runbooksOf({ repository }, tag),
  });
}

type Parts = Parameters<typeof accessOf>[0];
const WEBHOOK: Parts["receivers"][number] = { kind: "webhook", url: "", secret: undefined, destination: undefined };

/** Returns the rules that are always there, and those that each value adds. */
function rulesByValue() {
  // The tutorial's API has the fewest rights: adopted CronJobs of batch/v1 need some that values add elsewhere.
  const rightsOf = (parts: Partial<Parts>) => rightsIn(accessOf({ ...NOTHING, apis: [TUTORIAL], ...parts }));
  const always = rightsOf({}).filter((right) =>
    FLAVOURS.every((flavour) => includes(rightsOf({ apis: [flavour] }), right))
  );
  const within = (place: Access["where"]) => rulesOf(always.filter(({ where }) => where === place));
  const added = (parts: Partial<Parts>, before = rightsOf({})) =>
    rulesOf(rightsOf(parts).filter((right) => !includes(before, right)));
  const byApi = (rules: (apis: readonly Flavour[]) => PolicyRule[]) =>
    Object.fromEntries(FLAVOURS.map((flavour) => [flavour.apiVersion, rules([flavour])]));
  return {
    ownNamespace: within("own"),
    always: within("watched"),
    apis: byApi((apis) => added({ apis }, always)),
    webhook: byApi((apis) => added({ apis, receivers: [WEBHOOK] }, rightsOf({ apis }))),
    runsJobs: added({ jobs: "all" }),
    pendingTimeouts: added({ pendingTimeouts: true }),
    neverTwice: added({ neverTwice: true }),
  };
}

const NOTHING: Parts = { apis: [], jobs: "off", pendingTimeouts: false, neverTwice: false, receivers: [] };

/** Returns an access for each verb. */
function rightsIn(access: readonly Access[]): Access[] {
  return access.flatMap((one) => one.verbs.map((verb) => ({ ...one, verbs: [verb] })));
}

function includes(rights: readonly Access[], right: Access): boolean {
  return rights.some((other) => keyOf(other) === keyOf(right));
}

function keyOf({ resource: { group, plural }, subresource, verbs, where, names }: Access): string {
  return JSON.stringify([group, plural, subresource, verbs, where, names]);
}
