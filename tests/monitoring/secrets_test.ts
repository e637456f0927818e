import { assert, assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { atLeast, must } from "../support/expected.ts";
import {
  eventually,
  kubectlOk,
  PROGRAM,
  RunningProgram,
  runProgram,
  Standalone,
  temporaryFolder,
} from "../support/program.ts";
import { test } from "../support/test.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { kubeconfig } from "../support/kubeconfig.ts";

/** Recognisable, and unlike anything else. */
const SECRETS = {
  token: "s3cr3t-token-000111222",
  jwt: "eyJhbGciOiJSUzI1NiIsImtpZCI6Ing2In0.eyJzdWIiOiJzM2NyM3QifQ.czNjcjN0LXNpZ25hdHVyZQ",
  env: "s3cr3t-env-444555666",
  secret: "s3cr3t-secret-777888999",
  password: "s3cr3t-password-123321",
  plugin: "s3cr3t-plugin-987789",
} as const;

function assertNoSecrets(output: string, what: string): void {
  for (const [name, secret] of Object.entries(SECRETS)) {
    for (const form of [secret, btoa(secret), JSON.stringify(secret).slice(1, -1)]) {
      // Not in the message: it would show up in CI's log.
      assert(!output.includes(form), `${what}: the ${name} is in the output`);
    }
  }
}

/** An API server that repeats in its refusals all that it was sent, as a proxy or a webhook that is being debugged may. */
function talkativeServer(answer: (request: Request, sent: string) => Response) {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`).join("; ");
    return answer(request, `${headers}; ${await request.text()}`);
  });
}

function status(code: number, message: string): Response {
  return Response.json({ kind: "Status", apiVersion: "v1", status: "Failure", code, message }, { status: code });
}

const UNREACHABLE = { server: "https://127.0.0.1:1" };

const CRON_JOB = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "often", namespace: "default" },
  spec: {
    schedule: "@every 1s",
    concurrencyPolicy: "Allow" as const,
    jobTemplate: {
      spec: {
        backoffLimit: 0,
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{
              name: "main",
              image: "busybox",
              command: ["sh", "-c", "exit 3"],
              env: [{ name: "DATABASE_PASSWORD", value: SECRETS.env as string }],
              envFrom: [{ secretRef: { name: "db" } }],
            }],
          },
        },
      },
    },
  },
};

const QUIET = ["--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "0", "--log-level", "debug"];

test("a controller at debug level shows no credential and no variable, though the API server repeats them", async () => {
  await using folder = await temporaryFolder();
  let refusals = 0;
  await using server = talkativeServer((request, sent) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/version") return Response.json({ gitVersion: "v1.36.0" });
    const list = (kind: string, items: unknown[]) =>
      Response.json({ kind, apiVersion: "batch/v1", metadata: { resourceVersion: "1" }, items });
    if (request.method === "GET" && searchParams.has("watch")) return new Response(`{"oops ${SECRETS.env}\n`);
    if (request.method === "GET" && pathname.endsWith("/cronjobs")) {
      const metadata = {
        ...CRON_JOB.metadata,
        uid: "1",
        resourceVersion: "1",
        creationTimestamp: "2026-01-01T00:00:00Z",
      };
      return list("CronJobList", [{ ...CRON_JOB, metadata }]);
    }
    if (request.method === "GET" && pathname.endsWith("/jobs")) return list("JobList", []);
    if (request.method === "GET") return new Response(`{"kind": "Lease", ${sent}`);
    const isRefused = refusals++ % 2 === 0;
    return isRefused ? status(403, `forbidden: ${sent}`) : new Response(`<html>${sent}`, { status: 500 });
  });
  const url = `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  const ways = [
    { format: "json", user: { token: SECRETS.token } },
    { format: "text", user: { token: SECRETS.jwt } },
    { format: "json", user: { username: "me", password: SECRETS.password } },
  ];
  for (const { format, user } of ways) {
    await Deno.writeTextFile(`${folder.path}/kubeconfig`, kubeconfig({ cluster: { server: url }, user }));
    const args = ["controller", "--kubeconfig", `${folder.path}/kubeconfig`, "--api", "batch/v1", ...QUIET];
    await using program = new RunningProgram([...PROGRAM, ...args, "--log-format", format]);
    // As often as it takes for refusals of all kinds to be logged, and for watches that break.
    await program.waitFor(/Request: .*create jobs default\/often.*403/s);
    await program.waitFor(/Request: .*create jobs default\/often.*500/s);
    await program.waitFor(/Cannot (?:reconcile|follow)/, { count: 2 });
    await program.waitFor(/that is no JSON/);
    await program.end("SIGTERM");
    assertNoSecrets(program.output, `${Object.keys(user)} ${format}`);
    assert(program.output.includes("[redacted]"), "nothing was to be hidden: the test has lost its subject");
  }
});

test("Events, statuses, metrics and health checks repeat no secret that a refusal repeats", async () => {
  await using folder = await temporaryFolder();
  const told: string[] = [];
  await using server = talkativeServer((request, sent) => {
    const { pathname, searchParams } = new URL(request.url);
    const list = (kind: string, items: unknown[]) =>
      Response.json({ kind, apiVersion: "v1", metadata: { resourceVersion: "1" }, items });
    const kind = pathname.endsWith("/cronjobs") ? "CronJobList" : "JobList";
    if (pathname === "/version") return Response.json({ gitVersion: "v1.36.0" });
    if (searchParams.has("watch")) return status(403, `no watch: ${sent}`);
    if (request.method === "GET") return list(kind, pathname.endsWith("/cronjobs") ? [stored("1")] : []);
    if (pathname.endsWith("/jobs")) return status(403, `denied by a webhook: ${sent}`);
    const { status: written, ...body } = JSON.parse(sent.slice(sent.indexOf("; {") + 2));
    // Its spec is the user's own; what the controller says of it stands in the status, and in Events.
    told.push(JSON.stringify(pathname.includes("/events") ? body : written));
    return Response.json({ ...stored("2"), ...body, status: written }, {
      status: request.method === "POST" ? 201 : 200,
    });
  });
  const url = `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  const user = { username: "me", password: SECRETS.password };
  await Deno.writeTextFile(`${folder.path}/kubeconfig`, kubeconfig({ cluster: { server: url }, user }));
  const endpoints = ["--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0"];
  const flags = ["--kubeconfig", `${folder.path}/kubeconfig`, "--api", TUTORIAL_TYPE.apiVersion, ...endpoints];
  const args = ["controller", ...flags, "--log-format", "json"];
  await using program = new RunningProgram([...PROGRAM, ...args]);
  await eventually("an Event and a status about the refusal", () => {
    const hidden = told.filter((text) => text.includes("denied by a webhook") && text.includes("[redacted]"));
    return Promise.resolve(hidden.some((text) => text.includes("FailedCreate")) && told.length > 2);
  });
  for (const endpoint of ["metrics", "health"]) {
    const [, address] = atLeast(2, await program.waitFor(new RegExp(`"endpoint":"${endpoint}","address":"([^"]+)"`)));
    for (const path of ["/metrics", "/readyz?verbose", "/livez?verbose"]) {
      const response = await fetch(`${/^http/.test(address) ? "" : "http://"}${address}${path}`);
      told.push(await response.text());
    }
  }
  assertNoSecrets(told.join("\n"), "what is told of a refusal");
});

/** The CronJob as a server would hand it out, just created. */
function stored(resourceVersion: string) {
  const { metadata, spec } = CRON_JOB;
  const creationTimestamp = CREATED;
  return { ...TUTORIAL_TYPE, metadata: { ...metadata, uid: "1", resourceVersion, creationTimestamp }, spec };
}

const BROKEN: Record<string, (folder: string) => Promise<string>> = {
  "a kubeconfig that is no YAML": async (folder) => {
    const file = `${folder}/kubeconfig`;
    await Deno.writeTextFile(
      file,
      `users:\n- name: u\n  user:\n    token: ${SECRETS.token}\n   password: "${SECRETS.password}\n`,
    );
    return file;
  },
  "a kubeconfig with a token where an alias would stand": async (folder) => {
    const file = `${folder}/kubeconfig`;
    await Deno.writeTextFile(file, `users:\n- name: u\n  user:\n    token: *${SECRETS.token}\n`);
    return file;
  },
  "a plugin that prints its token badly, and complains with it": async (folder) => {
    const script = `echo 'Authorization: Bearer ${SECRETS.plugin}' >&2; echo '{"status":{"token":"${SECRETS.plugin}'`;
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", script] };
    const file = `${folder}/kubeconfig`;
    await Deno.writeTextFile(
      file,
      kubeconfig({ cluster: UNREACHABLE, user: { exec: { ...exec, interactiveMode: "Never" } } }),
    );
    return file;
  },
  "a plugin that fails": async (folder) => {
    const script = `echo 'cannot renew the token ${SECRETS.jwt}' >&2; exit 1`;
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", script] };
    const file = `${folder}/kubeconfig`;
    await Deno.writeTextFile(
      file,
      kubeconfig({ cluster: UNREACHABLE, user: { exec: { ...exec, interactiveMode: "Never" } } }),
    );
    return file;
  },
  "a server whose address holds a password": async (folder) => {
    const file = `${folder}/kubeconfig`;
    await Deno.writeTextFile(
      file,
      kubeconfig({ cluster: { server: `https://me:${SECRETS.password}@127.0.0.1:1` }, user: { token: SECRETS.token } }),
    );
    return file;
  },
  "a client key that is none": async (folder) => {
    const file = `${folder}/kubeconfig`;
    const pem = `-----BEGIN PRIVATE KEY-----\n${SECRETS.token}\n-----END PRIVATE KEY-----`;
    const user = { "client-certificate-data": btoa(pem), "client-key-data": btoa(pem) };
    await Deno.writeTextFile(file, kubeconfig({ cluster: UNREACHABLE, user }));
    return file;
  },
};

test("what is wrong with a kubeconfig is said without what is in it, stack traces included", async () => {
  for (const [what, write] of Object.entries(BROKEN)) {
    await using folder = await temporaryFolder();
    const args = ["controller", "--kubeconfig", await write(folder.path), ...QUIET];
    const { code, stdout, stderr } = await runProgram(args, { env: { CJC_LOG_LEVEL: "debug" } });
    assert(code === 1 || code === 2, `${what}: exit code ${code}`);
    assert(
      /Cannot (read|get|reach|use)/.test(stderr),
      `${what}: ${must(stderr.split("\n")[0]).length} characters said`,
    );
    assertNoSecrets(stdout + stderr, what);
  }
});

test("standalone at debug level shows neither its own token nor Secrets nor variables, whatever fails", async () => {
  await using folder = await temporaryFolder();
  for (const format of ["json", "text"]) {
    const dataDir = `${folder.path}/${format}`;
    await using standalone = await Standalone.start(dataDir, ["--log-level", "debug", "--log-format", format]);
    const { kubeconfig, program } = standalone;
    const [, token = ""] = /"?token"?: "?([\w.-]+)/.exec(await Deno.readTextFile(kubeconfig))!;
    await kubectlOk(kubeconfig, ["create", "secret", "generic", "db", `--from-literal=PASSWORD=${SECRETS.secret}`]);
    const apply = (object: unknown) => kubectlOk(kubeconfig, ["apply", "-f", "-"], JSON.stringify(object));
    await apply(CRON_JOB);
    const container = { ...CRON_JOB.spec.jobTemplate.spec.template.spec.containers[0], command: ["/not/there"] };
    const spec = { restartPolicy: "Never", containers: [container] };
    await apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "broken" }, spec });
    // A value of the wrong type, which a decoder would complain about.
    const wrong = { name: "wrong", image: "x", env: [{ name: "A", value: [SECRETS.env] }] };
    const refused = await standalone.kubectl(
      "create",
      "--validate=false",
      "-f",
      await file(folder.path, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "wrong" },
        spec: { restartPolicy: "Never", containers: [wrong] },
      }),
    );
    assertEquals(refused.code, 1);
    await program.waitFor(/failed +default\/often|A run of .?default\/often.? failed/);
    await program.end("SIGTERM");
    assertNoSecrets(program.output, format);
    assert(!program.output.includes(token), `${format}: its own token is in the output`);
  }
});

async function file(folder: string, object: unknown): Promise<string> {
  const path = `${folder}/${crypto.randomUUID()}.json`;
  await Deno.writeTextFile(path, JSON.stringify(object));
  return path;
}

const CREATED = new Date(Date.now() - 5_000).toISOString();
const TUTORIAL_TYPE = { apiVersion: "batch.tutorial.kubebuilder.io/v1", kind: "CronJob" };

test("each SIGUSR2 switches a controller's log to debug or back", async () => {
  await using api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const { spec, metadata } = CRON_JOB;
  await api.client.create(TUTORIAL.resource, { ...TUTORIAL_TYPE, metadata, spec });
  const args = ["controller", "--kubeconfig", api.server.kubeconfigPath, "--log-format", "json"];
  args.push("--metrics-bind-address", "0", "--health-probe-bind-address", "0");
  await using program = new RunningProgram([...PROGRAM, ...args]);
  await program.waitFor(/Started a run/);
  assert(!program.output.includes('"level":"debug"'));
  program.child.kill("SIGUSR2");
  await program.waitFor(
    /"level":"info","logger":"log","message":"The log level is .?.?debug.?.? from now on","logLevel":"debug"/,
  );
  await program.waitFor(/"level":"debug","logger":"client","message":"Request: .*create jobs/);
  await program.waitFor(/"level":"debug","logger":"controller","message":"Reconciled/);
  program.child.kill("SIGUSR2");
  await program.waitFor(/"logLevel":"info"/);
  const seen = program.output.length;
  await program.waitFor(/Started a run/, { count: (program.output.match(/Started a run/g) ?? []).length + 2 });
  assert(!program.output.slice(seen).includes('"level":"debug"'));
  assertEquals((await program.end("SIGTERM")).code, 0);
});
