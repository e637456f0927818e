import { assert, assertEquals } from "@std/assert";
import { CrontabFile } from "../../src/applied_files/crontab_file.ts";
import { FileFollowing } from "../../src/applied_files/follow_files.ts";
import { SourceFollower } from "../../src/applied_files/follower.ts";
import { ManifestFolder } from "../../src/applied_files/folder.ts";
import { formatFileNews } from "../../src/cli/standalone/file_news.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { CONFIG_MAPS, CRON_JOBS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";

/** A folder, and a follower of it that a test has look. */
class Place implements AsyncDisposable {
  readonly news: string[] = [];
  readonly #client: KubeClient;
  readonly path: string;
  follower: SourceFollower;

  constructor(
    path: string,
    client: KubeClient,
    readonly kind: "folder" | "crontab" = "folder",
    readonly beside: SourceFollower[] = [],
  ) {
    this.path = path;
    this.#client = client;
    this.follower = this.start();
  }

  /** As at a start of the program. */
  start(): SourceFollower {
    const source = this.kind === "folder"
      ? new ManifestFolder(`${this.path}/jobs`)
      : new CrontabFile(`${this.path}/tab`, {
        api: BATCH,
        namespace: undefined,
        place: { kind: "workstation", user: "ana", homeOf: () => "/" },
        timeZone: "UTC",
        hasUsers: false,
        now: () => Date.parse("2026-01-01T00:00:00Z"),
      });
    const report = (news: Parameters<typeof formatFileNews>[0]) =>
      this.news.push(formatFileNews(news).replaceAll(`${this.path}/`, "").replaceAll(/ +/g, " "));
    const { beside } = this;
    const former = beside.indexOf(this.follower);
    this.follower = new SourceFollower(source, { client: this.#client, report, beside });
    beside.splice(former < 0 ? beside.length : former, 1, this.follower);
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
    await this.follower.look();
    return this.news.splice(0);
  }

  async names(): Promise<string> {
    const { items } = await this.#client.list(CONFIG_MAPS, { namespace: "default" });
    return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt").join(" ");
  }

  async cronJobs(): Promise<string[]> {
    const { items } = await this.#client.list(CRON_JOBS, { namespace: "default" });
    return items.map(({ metadata: { name }, spec }) => `${name}: ${spec!.schedule}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true }).catch(() => {});
  }
}

const configMap = (name: string, value = "1") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`;

test("a folder's files are applied, followed and pruned; one bad file keeps nothing else, and loses nothing", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  await api.client.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "own", namespace: "default" },
  });
  place.write("jobs/a.yaml", `${configMap("a")}---\n${configMap("a2")}`);
  place.write("jobs/deeper/b.yaml", configMap("b"));
  place.write("jobs/.hidden.yaml", "{");
  place.write("jobs/README.md", "no manifest");
  assertEquals(await place.look(), [
    "applied ConfigMap a jobs/a.yaml:1",
    "applied ConfigMap a2 jobs/a.yaml:8",
    "applied ConfigMap b jobs/deeper/b.yaml:1",
  ]);
  assertEquals(await place.look(), []);

  place.write("jobs/a.yaml", `${configMap("a", "2")}---\nkind: [\n`);
  place.write("jobs/deeper/b.yaml", configMap("b").replace("v1", "v9"));
  assertEquals(await place.look(), [
    "applied ConfigMap a jobs/a.yaml:1",
    "refused jobs/a.yaml:9:1: Flow sequence in block collection must be sufficiently indented and end with a ]",
    "refused jobs/deeper/b.yaml:4:9: ConfigMap b: the server knows no kind ConfigMap in v9",
  ]);
  assertEquals(await place.names(), "a a2 b own");
  assertEquals(await place.look(), [], "what is wrong is said once");

  place.write("jobs/a.yaml", configMap("a", "2"));
  place.remove("jobs/deeper");
  assertEquals((await place.look()).toSorted(), [
    "deleted ConfigMap default/a2 no longer in jobs".replace(
      "jobs",
      `${place.path}/jobs`.replace(`${place.path}/`, ""),
    ),
    "deleted ConfigMap default/b no longer in jobs",
  ]);
  assertEquals(await place.names(), "a own");
});

test("a folder is taken up by the next start as by the last, and hands are corrected then, not before", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  place.write("jobs/a.yaml", configMap("a"));
  place.write("jobs/b.yaml", configMap("b"));
  await place.look();
  const patch = { type: "merge", body: { data: { value: "by hand" } } } as const;
  const value = async () => (await api.client.get(CONFIG_MAPS, { name: "a", namespace: "default" })).data?.value;
  await api.client.patch(CONFIG_MAPS, { name: "a", namespace: "default" }, patch);
  place.write("jobs/b.yaml", configMap("b", "2"));
  assertEquals(await place.look(), ["applied ConfigMap b jobs/b.yaml:1"]);
  assertEquals(await value(), "by hand");

  place.start();
  place.remove("jobs/b.yaml");
  assertEquals(await place.look(), [
    "applied ConfigMap a jobs/a.yaml:1",
    "deleted ConfigMap default/b no longer in jobs",
  ]);
  assertEquals(await value(), "1");
  place.start();
  assertEquals(await place.look(), [], "nothing had to be changed");
});

test("a folder that is emptied or gone prunes nothing, and says so; a comment alone prunes", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  place.write("jobs/a.yaml", configMap("a"));
  place.write("jobs/b.yaml", configMap("b"));
  await place.look();
  const command =
    `kubectl delete configmap --all-namespaces --selector ${"cronjob-controller.dev/applied-from"}=${place.follower.source.id}`;
  place.remove("jobs/a.yaml");
  place.remove("jobs/b.yaml");
  assertEquals(
    await place.look(),
    [
      `note jobs: there is nothing in it: the 2 objects applied from it stay; ${command}`,
    ].map((line) => line),
  );
  place.remove("jobs");
  assertEquals(await place.look(), [`note jobs: no such folder: the 2 objects applied from it stay; ${command}`]);
  assertEquals([await place.names(), place.follower.unknownBecause], ["a b", undefined]);
  place.write("jobs/c.yaml", "# nothing\n");
  assertEquals((await place.look()).length, 2);
  assertEquals(await place.names(), "");
});

test("a file without a character in it prunes nothing, and says so; one with a comment does", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  place.write("jobs/a.yaml", configMap("a"));
  place.write("jobs/b.yaml", configMap("b"));
  await place.look();
  place.write("jobs/a.yaml", "");
  assertEquals(await place.look(), ["refused jobs/a.yaml: there is nothing in it: what was applied from it stays"]);
  place.write("jobs/a.yaml", "\n");
  assertEquals(await place.look(), []);
  place.start();
  await place.look();
  assertEquals(await place.names(), "a b");
  place.write("jobs/a.yaml", "# nothing\n");
  assertEquals(await place.look(), ["deleted ConfigMap default/a no longer in jobs"]);
});

test("a copy of what was applied from a folder is not the folder's; what was deleted meanwhile is applied at a change", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  place.write("jobs/a.yaml", configMap("a"));
  place.write("jobs/b.yaml", configMap("b"));
  await place.look();
  const { labels, annotations } = (await api.client.get(CONFIG_MAPS, { name: "a", namespace: "default" })).metadata;
  const metadata = { name: "copy", namespace: "default", labels, annotations };
  await api.client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
  // As another source does that has had it too.
  await api.client.delete(CONFIG_MAPS, { name: "a", namespace: "default" });
  place.write("jobs/b.yaml", configMap("b", "2"));
  assertEquals(await place.look(), ["applied ConfigMap a jobs/a.yaml:1", "applied ConfigMap b jobs/b.yaml:1"]);
  assertEquals(await place.names(), "a b copy");
});

test("an object of two folders stays when one has it no more, is never deleted in between, and one of them says so", async () => {
  await using api = await startTestApiServer();
  const beside: SourceFollower[] = [];
  await using first = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  await using second = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  const about = async () => {
    const { data, metadata } = await api.client.get(CONFIG_MAPS, { name: "both", namespace: "default" });
    return [data?.value, metadata.uid];
  };
  first.write("jobs/both.yaml", configMap("both", "first"));
  second.write("jobs/both.yaml", configMap("both", "second"));
  second.write("jobs/own.yaml", configMap("own"));
  assertEquals(await first.look(), ["applied ConfigMap both jobs/both.yaml:1"]);
  const [, uid] = await about();
  assertEquals(await second.look(), [
    "applied ConfigMap own jobs/own.yaml:1",
    `refused jobs/both.yaml:4:9: ConfigMap both stands in ${first.path}/jobs/both.yaml:4 already`,
  ]);
  first.remove("jobs/both.yaml");
  first.write("jobs/other.yaml", "# nothing\n");
  assertEquals(await first.look(), []);
  assertEquals([await about(), second.follower.isHeir], [["first", uid], true]);
  assertEquals(await second.look(), [
    "applied ConfigMap both jobs/both.yaml:1",
    `note jobs/both.yaml:4:9: ConfigMap both is taken over from ${first.path}/jobs`,
  ]);
  assertEquals([await about(), second.follower.isHeir], [["second", uid], false]);

  // The next start finds it moved, whichever folder is looked at first.
  second.remove("jobs/both.yaml");
  first.write("jobs/both.yaml", configMap("both", "moved"));
  beside.splice(0);
  second.start();
  first.start();
  assertEquals(await second.look(), []);
  assertEquals((await first.look()).length, 2);
  assertEquals(await about(), ["moved", uid]);
  second.write("jobs/more.yaml", "# nothing\n");
  first.remove("jobs/both.yaml");
  assertEquals(await second.look(), []);
  assertEquals(await first.look(), ["deleted ConfigMap default/both no longer in jobs"]);
});

test("an object that another folder cannot apply is handed over once", async () => {
  await using api = await startTestApiServer();
  const beside: SourceFollower[] = [];
  await using first = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  await using second = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  first.write("jobs/both.yaml", configMap("both"));
  await first.look();
  second.write("jobs/both.yaml", configMap("both").replace("name: both", "name: both\n  labels: { x: 'a b' }"));
  await second.look();
  // Refused at each look, so that it looks again and again.
  first.write("jobs/both.yaml", configMap("other").replace("v1", "v9"));
  const isHeir: boolean[] = [];
  for (let i = 0; i < 3; i++) {
    await first.look();
    isHeir.push(second.follower.isHeir);
    await second.look();
  }
  assertEquals(isHeir, [true, false, false]);
  assertEquals(await second.names(), "both");
});

test("an object of two folders stays when one has it no more and the other is in doubt", async () => {
  await using api = await startTestApiServer();
  const beside: SourceFollower[] = [];
  await using first = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  await using second = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  const all = [1, 2, 3, 4].map((i) => `jobs/x${i}.yaml`);
  const other = `${second.path}/jobs`;
  const stays = (name: string, why: string) => {
    const command = `kubectl delete configmap ${name} --namespace default`;
    return `note jobs: ConfigMap ${name} stays, as ${other} may have it: ${why}; ${command}`;
  };
  for (const [i, file] of all.entries()) first.write(file, configMap(`x${i + 1}`));
  for (const file of [...all, "jobs/own.yaml"]) second.write(file, configMap(file.slice(5, -5)));
  first.write("jobs/z.yaml", configMap("z"));
  await first.look();
  await second.look();

  second.write("jobs/x1.yaml", `${configMap("x1")}broken: [\n`);
  first.remove("jobs/x1.yaml");
  assertEquals(await first.look(), []);
  assertEquals(
    [await first.names(), first.follower.isUnsettled],
    ["own x1 x2 x3 x4 z", true],
    "it is just being written",
  );
  await second.look();
  first.remove("jobs/z.yaml");
  assertEquals(await first.look(), [
    "deleted ConfigMap default/z no longer in jobs",
    stays("x1", "it cannot be read whole"),
  ]);
  assertEquals([await first.names(), first.follower.isUnsettled], ["own x1 x2 x3 x4", false]);
  second.write("jobs/x1.yaml", "# nothing\n");
  await second.look();
  assertEquals(await first.look(), ["deleted ConfigMap default/x1 no longer in jobs"]);

  // A disk that is not mounted.
  Deno.renameSync(other, `${second.path}/away`);
  await second.look();
  first.remove("jobs/x2.yaml");
  assertEquals(await first.look(), [stays("x2", "no such folder")]);
  Deno.mkdirSync(other);
  await second.look();
  assertEquals(await first.look(), [stays("x2", "there is nothing in it")]);
  assertEquals(await first.names(), "own x2 x3 x4");

  // At a start nothing is known of what was wanted before.
  second.start();
  await second.look();
  first.remove("jobs/x3.yaml");
  await first.look();
  assertEquals(await first.names(), "own x2 x3 x4");
  Deno.removeSync(other);
  Deno.renameSync(`${second.path}/away`, other);
  second.remove("jobs/x3.yaml");
  await second.look();
  assertEquals(await first.look(), ["deleted ConfigMap default/x3 no longer in jobs"]);
  assertEquals(await first.names(), "own x2 x4");
});

test("an object stays that a damaged file may have had before its folder was gone", async () => {
  await using api = await startTestApiServer();
  const beside: SourceFollower[] = [];
  await using first = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  await using second = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  first.write("jobs/both.yaml", configMap("both"));
  first.write("jobs/other.yaml", configMap("other"));
  await first.look();
  second.write("jobs/both.yaml", configMap("both").replace("data:", "data: ["));
  await second.look();
  second.remove("jobs");
  await second.look();
  first.remove("jobs/both.yaml");
  first.remove("jobs/other.yaml");
  first.write("jobs/none.yaml", "# nothing\n");
  await first.look();
  assertEquals(await first.names(), "both");
});

test("an object that was handed over is deleted once no folder has it any more", async () => {
  await using api = await startTestApiServer();
  const beside: SourceFollower[] = [];
  await using first = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  await using second = new Place(await Deno.makeTempDir(), api.client, "folder", beside);
  first.write("jobs/both.yaml", configMap("both"));
  first.write("jobs/other.yaml", configMap("other"));
  await first.look();
  // It cannot be taken over.
  second.write("jobs/both.yaml", configMap("both").replace("name: both", "name: both\n  labels: { x: 'a b' }"));
  await second.look();
  first.remove("jobs/both.yaml");
  await first.look();
  await second.look();
  second.write("jobs/both.yaml", "# nothing\n");
  await second.look();
  assertEquals(await first.look(), ["deleted ConfigMap default/both no longer in jobs"]);
});

test("a folder of a former start that is followed no more is said to be taken over from", async () => {
  await using api = await startTestApiServer();
  await using former = new Place(await Deno.makeTempDir(), api.client);
  await using place = new Place(await Deno.makeTempDir(), api.client);
  for (const { path } of [former, place]) {
    for (const name of ["a", "b"]) {
      Deno.mkdirSync(`${path}/jobs`, { recursive: true });
      Deno.writeTextFileSync(`${path}/jobs/${name}.yaml`, configMap(name));
    }
  }
  await former.look();
  const { id } = former.follower.source;
  assertEquals((await place.look()).filter((line) => line.startsWith("note")), [
    `note jobs: 2 objects are taken over from a folder or crontab that is not followed now (${id})`,
  ]);
});

test("a folder that was never there is unknown", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  assertEquals(await place.look(), ["note jobs: no such folder"]);
  assertEquals(place.follower.unknownBecause, "no such folder");
});

test("a refusal names the fields that the server objects to, and is tried again", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  place.write("jobs/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: later\n");
  place.write("jobs/b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  labels:\n    x: 'a b'\n");
  const [first, second] = atLeast(2, await place.look());
  assertEquals(first, 'refused jobs/a.yaml:4:9: ConfigMap later/a: namespaces "later" not found');
  assert(second.startsWith("refused jobs/b.yaml:6:"), second);
  const metadata = { name: "later" };
  await api.client.create({ group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false }, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata,
  });
  assertEquals(await place.look(), ["applied ConfigMap later/a jobs/a.yaml:1"]);
});

test("a crontab's lines are CronJobs that stay the same when others are edited", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client, "crontab");
  place.write("tab", "MAILTO=ana\n0 1 * * * /bin/backup a\n@reboot /bin/up\n5 * * * * /bin/sync % input\n");
  assertEquals(
    await place.look(),
    [
      "applied CronJob backup tab:2",
      "applied CronJob sync tab:4",
      "refused tab:3: @reboot: nothing runs at start-up in Kubernetes: use a Deployment, or create a Job by hand",
      "note tab:1: cron mails output to ana; here it is in the logs of each run",
    ].map((line) => line.startsWith("refused tab:3") ? place.news[0] ?? line : line),
  );
  assertEquals(await place.cronJobs(), ["backup: 0 1 * * *", "sync: 5 * * * *"]);
});

test("a folder is watched: what is written, renamed over, and swapped behind links is seen in its time", async () => {
  await using api = await startTestApiServer();
  await using place = new Place(await Deno.makeTempDir(), api.client);
  place.write("jobs/a.yaml", configMap("a"));
  await place.look();
  const clock = new FakeClock(0);
  const stop = new AbortController();
  const running = new FileFollowing([place.follower], clock).run(stop.signal);
  const soon = async (names: string) =>
    await eventually(names, async () => {
      await clock.advance(100);
      return await place.names() === names;
    }, 10_000);
  place.write("jobs/b.yaml", configMap("b"));
  await soon("a b");
  place.write("jobs/b.yaml~", configMap("b3"));
  Deno.renameSync(`${place.path}/jobs/b.yaml~`, `${place.path}/jobs/b.yaml`);
  await soon("a b3");
  // As a ConfigMap is mounted.
  place.write("jobs/..1/c.yaml", configMap("c"));
  Deno.symlinkSync("..1", `${place.path}/jobs/..data`);
  Deno.symlinkSync("..data/c.yaml", `${place.path}/jobs/c.yaml`);
  await soon("a b3 c");
  place.write("jobs/..2/c.yaml", configMap("c2"));
  Deno.symlinkSync("..2", `${place.path}/jobs/..new`);
  Deno.renameSync(`${place.path}/jobs/..new`, `${place.path}/jobs/..data`);
  await soon("a b3 c2");
  // Only a look now and then notices what lies behind a link that leads out of the folder.
  place.write("elsewhere/d.yaml", configMap("d"));
  Deno.symlinkSync("../elsewhere/d.yaml", `${place.path}/jobs/d.yaml`);
  await clock.advance(10_000);
  await soon("a b3 c2 d");
  stop.abort();
  await clock.advance(20_000);
  await running;
});
