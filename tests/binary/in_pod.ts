// The controller as a Pod has it, with a service account and nothing else. Part of `deno task test:binary`; it needs Linux,
// and root or user namespaces.
import { assertMatch } from "@std/assert";
import { JOBS } from "../../src/kube/resource.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { manifestOf } from "../e2e/support/cluster.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { ServiceAccount } from "../support/pod.ts";
import { COMPILED, eventually, NO_ENDPOINTS, PROGRAM, RunningProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { ownPort } from "../support/own_port.ts";

async function jobs({ client }: TestApiServer): Promise<number> {
  return (await client.list(JOBS, { namespace: "default" })).items.length;
}

async function moreJobs(api: TestApiServer): Promise<void> {
  const before = await jobs(api);
  await eventually("there are more Jobs", async () => await jobs(api) > before + 1);
}

test("in a Pod the controller drops the rights it no longer needs, and goes on when token and server are exchanged", async () => {
  await using folder = await temporaryFolder();
  const dataDir = `${folder.path}/data`;
  const tokenFile = `${folder.path}/tokens.csv`;
  const account = new ServiceAccount(`${folder.path}/account`);
  const port = ownPort();
  const startServer = async (token: string) => {
    await Deno.writeTextFile(tokenFile, `${token},controller,1,"system:masters"\n`);
    const api = await startTestApiServer({ dataDir, tokenFile, port });
    await account.write({ token, caCertificate: api.server.caCertificate });
    return api;
  };
  let api = await startServer("first");
  try {
    const { url } = api.server;
    await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
    await api.client.create(TUTORIAL.resource, {
      ...manifestOf(TUTORIAL, { name: "often" }),
      metadata: { name: "often", namespace: "default" },
    } as never);
    const controller = [...PROGRAM, "controller", ...NO_ENDPOINTS, "--log-level", "debug"];
    const { command, env } = account.inPod(controller, url);
    await using program = new RunningProgram(command, { env });
    const [said] = await program.waitFor(/Dropped permissions.*/);
    assertMatch(
      said,
      COMPILED ? /write.*run.*env.*read.*Kept.*read of \/var\/run/ : /write.*run.*env.*Kept.*as a whole/,
    );
    await moreJobs(api);

    await api[Symbol.asyncDispose]();
    api = await startServer("second");
    await moreJobs(api);
  } finally {
    await api[Symbol.asyncDispose]();
  }
});
