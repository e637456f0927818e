import { assertEquals } from "@std/assert";
import { installOf } from "../../src/manifests/install.ts";
import { objectsOf } from "../../src/manifests/objects.ts";
import { yamlOf } from "../../src/manifests/yaml.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { kubectlOk } from "../support/program.ts";
import { test } from "../support/test.ts";
import { CLUSTER_KINDS } from "./support/cluster_kinds.ts";

/** As docs/start/cluster.md has it. */
const PRUNE = [
  "--prune",
  "--selector=app.kubernetes.io/name=cronjob-controller",
  ...["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]
    .map((kind) => `--prune-allowlist=rbac.authorization.k8s.io/v1/${kind}`),
];

test("another overlay leaves no rights of the former one behind where kubectl is asked to prune them", async () => {
  await using api = await startTestApiServer({ kinds: CLUSTER_KINDS });
  const { kubeconfigPath } = api.server;
  const apply = async (overlay: "base" | "namespaced", ...flags: string[]) => {
    const objects = objectsOf(installOf(overlay)).filter(({ kind }) => /^Namespace|Role/.test(kind));
    await kubectlOk(kubeconfigPath, ["apply", "-f", "-", ...flags], yamlOf(...objects));
    const kinds = "clusterroles,clusterrolebindings,roles,rolebindings";
    const roles = await kubectlOk(kubeconfigPath, ["get", kinds, "-A", "-o", "name"]);
    return roles.trim().split("\n").sort();
  };
  const [base, namespaced] = [await apply("base"), await apply("namespaced")];
  const left = base.filter((name) => name.startsWith("clusterrole"));
  assertEquals(namespaced.filter((name) => left.includes(name)), left, "without it they stay");
  const pruned = await apply("namespaced", ...PRUNE);
  const ofUsers = left.filter((name) => /-(?:view|edit)$/.test(name));
  assertEquals(ofUsers.length, 2);
  assertEquals(pruned.filter((name) => name.startsWith("clusterrole")), ofUsers);
  assertEquals((await apply("base")).filter((name) => name.startsWith("clusterrole")), left, "and come back");
});
