import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { CONFIG_MAPS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { eventually, runProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

// deno-lint-ignore no-explicit-any
type AuditEvent = any;

async function eventsIn(file: string): Promise<AuditEvent[]> {
  return (await Deno.readTextFile(file)).trimEnd().split("\n").map((line) => JSON.parse(line));
}

test("the audit log says who asked for what, and how it was answered", async () => {
  await using folder = await temporaryFolder();
  const [auditLogPath, tokenFile] = [`${folder.path}/audit.log`, `${folder.path}/tokens`];
  await Deno.writeTextFile(tokenFile, "secret-of-bob,bob,u2,dev\n");
  {
    await using api = await startTestApiServer({ auditLogPath, tokenFile });
    const { client, server } = api;
    const map = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "default" },
      data: { k: "hidden" },
    };
    await client.named("part").create(CONFIG_MAPS, map);
    await assertRejects(() => client.create(CONFIG_MAPS, map));
    await client.get(CONFIG_MAPS, { name: "a", namespace: "default" });
    await assertRejects(() => client.get(CONFIG_MAPS, { name: "b", namespace: "default" }));
    await client.list(CONFIG_MAPS, { labelSelector: "a=b,c!=d" });
    const stop = new AbortController();
    const watching = client.watch(CONFIG_MAPS, { namespace: "default", signal: stop.signal, resourceVersion: "0" });
    for await (const _ of watching) stop.abort();
    using http = Deno.createHttpClient({ caCerts: [server.caCertificate] });
    const asBob = { headers: { authorization: "Bearer secret-of-bob", "user-agent": "curl/8" }, client: http };
    await (await fetch(`${server.url}/api/v1/namespaces/default/pods/p/status`, asBob)).body?.cancel();
    await (await fetch(`${server.url}/version`, asBob)).body?.cancel();
    await eventually(
      "the watch's end is told",
      async () =>
        (await eventsIn(auditLogPath)).some(({ verb, stage }) => verb === "watch" && stage === "ResponseComplete"),
    );
  }
  const events = await eventsIn(auditLogPath);
  assertEquals(events.map(({ verb, stage, responseStatus: { code } }) => `${verb} ${stage} ${code}`).toSorted(), [
    "create ResponseComplete 201",
    "create ResponseComplete 409",
    "get ResponseComplete 200",
    "get ResponseComplete 200",
    "get ResponseComplete 403",
    "get ResponseComplete 404",
    "list ResponseComplete 200",
    "watch ResponseComplete 200",
    "watch ResponseStarted 200",
  ]);
  for (const { kind, apiVersion, level, auditID, requestReceivedTimestamp, stageTimestamp } of events) {
    assertEquals([kind, apiVersion, level], ["Event", "audit.k8s.io/v1", "Metadata"]);
    assertMatch(auditID, /^[0-9a-f-]{36}$/);
    for (const time of [requestReceivedTimestamp, stageTimestamp]) assertMatch(time, /^[\d-]+T[\d:]+\.\d{6}Z$/);
  }
  const find = (verb: string, code: number) =>
    events.find((event) => event.verb === verb && event.responseStatus.code === code)!;
  const { user, objectRef, requestURI, userAgent } = find("create", 201);
  assertEquals(user, { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] });
  assertEquals(objectRef, { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" });
  assertEquals(find("create", 409).objectRef.name, "a");
  assertEquals([requestURI, userAgent], ["/api/v1/namespaces/default/configmaps", "cronjob-controller part"]);
  assertEquals(find("get", 404).objectRef.name, "b");
  assertEquals(find("get", 404).responseStatus.reason, "NotFound");
  assertEquals(find("list", 200).requestURI, "/api/v1/configmaps?labelSelector=a%3Db%2Cc%21%3Dd");
  const watches = events.filter(({ verb }) => verb === "watch");
  assertEquals(new Set(watches.map(({ auditID }) => auditID)).size, 1);

  const refused = find("get", 403);
  assertEquals(refused.user, { username: "bob", uid: "u2", groups: ["dev", "system:authenticated"] });
  assertEquals(refused.objectRef, {
    resource: "pods",
    namespace: "default",
    name: "p",
    apiVersion: "v1",
    subresource: "status",
  });
  assertEquals([refused.userAgent, refused.responseStatus.status], ["curl/8", "Failure"]);
  const version = events.find(({ requestURI }) => requestURI === "/version");
  assertEquals([version.verb, version.objectRef], ["get", undefined]);

  const text = await Deno.readTextFile(auditLogPath);
  assertEquals([text.includes("secret-of-bob"), text.includes("hidden")], [false, false]);
  assertEquals((await Deno.stat(auditLogPath)).mode! & 0o777, 0o600);
});

test("standalone adds to its audit log, and names the parts that a cluster has of its own", async () => {
  await using folder = await temporaryFolder();
  const auditLogPath = `${folder.path}/audit.log`;
  await Deno.writeTextFile(auditLogPath, "");
  const samples = new URL("../../deploy/samples", import.meta.url).pathname;
  {
    await using standalone = await Standalone.start(`${folder.path}/data`, [
      "--audit-log-path",
      auditLogPath,
      "--apply",
      samples,
    ]);
    await standalone.program.waitFor(/succeeded +default\/hello /);
    await standalone.kubectl("get", "pods");
  }
  const byAgent = Object.groupBy(
    await eventsIn(auditLogPath),
    ({ userAgent }) => userAgent.replace(/^kubectl.*/, "kubectl").replace(/\/\S+/, ""),
  );
  const verbs = (
    agent: string,
    resource: string,
  ) => [
    ...new Set(byAgent[agent]?.filter(({ objectRef }) => objectRef?.resource === resource).map(({ verb }) => verb)),
  ];
  assertEquals(verbs("cronjob-controller", "nodes"), []);
  // Which container runtime it asks for, unless the program knows already.
  assertEquals(verbs("cronjob-controller kubelet", "cronjobs").filter((verb) => verb !== "get"), []);
  assertEquals(verbs("cronjob-controller kubelet", "nodes").includes("create"), true);
  assertEquals(verbs("cronjob-controller apply", "cronjobs").length > 0, true);
  assertEquals(verbs("cronjob-controller", "jobs").includes("create"), true);
  assertEquals(verbs("cronjob-controller ttl-after-finished-controller", "jobs").includes("watch"), true);
  assertEquals(verbs("kubectl", "pods"), ["list"]);
});

test("an audit log that cannot be written is one clear line", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/absent/audit.log`;
  const args = ["standalone", "--data-dir", `${folder.path}/data`, "--port", "0", "--audit-log-path", path];
  const { code, stderr } = await runProgram(args);
  assertEquals(code, 1);
  assertMatch(stderr, new RegExp(`^cronjob-controller: Cannot write the audit log ${path}: .+\n$`));
});
