import { CrontabFile } from "../../../src/applied_files/crontab_file.ts";
import { SourcesFollower } from "../../../src/applied_files/follower.ts";
import { ManifestFolder } from "../../../src/applied_files/folder.ts";
import type { FileSource } from "../../../src/applied_files/source.ts";
import { formatFileNews } from "../../../src/cli/standalone/console.ts";
import { type Flavour, PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { CONFIG_MAPS } from "../../../src/kube/resource.ts";
import { definitionOf } from "../../../src/cronjob/api/crd.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";

/** A folder or a crontab in a folder of its own, and a follower of it that a test has look. */
export class Place implements AsyncDisposable {
  readonly news: string[] = [];
  readonly #client: KubeClient;
  readonly path: string;
  follower: SourcesFollower;
  /** Why sources could not be read of which nothing was known at the last look. */
  unknown: string[] = [];

  constructor(path: string, client: KubeClient, readonly kind: "folder" | "crontab" = "folder") {
    this.path = path;
    this.#client = client;
    this.follower = this.start();
  }

  source(api: Flavour = PRODUCTION): FileSource {
    if (this.kind === "folder") return new ManifestFolder(`${this.path}/jobs`);
    return new CrontabFile(`${this.path}/tab`, {
      api,
      namespace: undefined,
      place: { kind: "workstation", user: "ana", homeOf: () => "/" },
      timeZone: "UTC",
      hasUsers: false,
      now: () => Date.parse("2026-01-01T00:00:00Z"),
    });
  }

  /** As at a start of the program, which follows others too. */
  start({ api, beside = [] }: { api?: Flavour; beside?: readonly Place[] } = {}): SourcesFollower {
    const report = (news: Parameters<typeof formatFileNews>[0]) =>
      this.news.push(formatFileNews(news).replaceAll(`${this.path}/`, "").replaceAll(/ +/g, " "));
    const sources = [this.source(api), ...beside.map((other) => other.source())];
    this.follower = new SourcesFollower(sources, { client: this.#client, report });
    return this.follower;
  }

  write(name: string, text: string): void {
    const path = `${this.path}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, text);
  }

  remove(name: string): void {
    Deno.removeSync(`${this.path}/${name}`, { recursive: true });
  }

  /** What is said at one more look. */
  async look(): Promise<string[]> {
    this.unknown = (await this.follower.look()).map(({ reason }) => reason);
    return this.news.splice(0);
  }

  async names(): Promise<string> {
    const { items } = await this.#client.list(CONFIG_MAPS, { namespace: "default" });
    return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt").join(" ");
  }

  async cronJobs(): Promise<string[]> {
    const { items } = await this.#client.list(PRODUCTION.resource, { namespace: "default" });
    return items.map(({ metadata: { name }, spec }) => `${name}: ${spec!.schedule}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true }).catch(() => {});
  }
}

/** The text of a manifest. */
export const configMap = (name: string, value = "1") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`;

/** The text of a manifest. */
export function cronJob(name: string, namespace = "default", apiVersion = "cronjob-controller.dev/v1"): string {
  const pod = "{restartPolicy: Never, containers: [{name: m, image: b}]}";
  const spec = `{schedule: "@daily", jobTemplate: {spec: {template: {spec: ${pod}}}}}`;
  return `apiVersion: ${apiVersion}\nkind: CronJob\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: ${spec}\n`;
}

interface OnePlace {
  readonly place: Place;
  readonly client: KubeClient;
}

/** Returns a test that has a folder, which nothing is in, and an API server. */
export function withFolder(run: (given: OnePlace) => Promise<void>): () => Promise<void> {
  return withPlace("folder", run);
}

/** The same with a crontab. */
export function withCrontab(run: (given: OnePlace) => Promise<void>): () => Promise<void> {
  return withPlace("crontab", run);
}

function withPlace(kind: Place["kind"], run: (given: OnePlace) => Promise<void>): () => Promise<void> {
  return async () => {
    await using api = await startTestApiServer();
    await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
    await using place = new Place(await Deno.makeTempDir(), api.client, kind);
    await run({ place, client: api.client });
  };
}

/** Of one program: the first follows both. */
interface TwoSources {
  readonly first: Place;
  readonly second: Place;
  readonly client: KubeClient;
}

/** The same with two folders that one program follows. */
export function withTwoFolders(run: (given: TwoSources) => Promise<void>): () => Promise<void> {
  return withTwo("folder", run);
}

/** The same with a folder, and a crontab as the second. */
export function withFolderAndCrontab(run: (given: TwoSources) => Promise<void>): () => Promise<void> {
  return withTwo("crontab", run);
}

function withTwo(kind: Place["kind"], run: (given: TwoSources) => Promise<void>): () => Promise<void> {
  return async () => {
    await using api = await startTestApiServer();
    await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
    await using first = new Place(await Deno.makeTempDir(), api.client);
    await using second = new Place(await Deno.makeTempDir(), api.client, kind);
    first.start({ beside: [second] });
    await run({ first, second, client: api.client });
  };
}
