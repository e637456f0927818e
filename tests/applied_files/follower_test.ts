import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FileFollowing } from "../../src/applied_files/follow_files.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { CONFIG_MAPS, CRON_JOBS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";
import { configMap, cronJob, Place, withCrontab, withFolder } from "./support/place.ts";

test(
  "a folder's files are applied, followed and pruned; one bad file keeps nothing else, and loses nothing",
  withFolder(async ({ place, client }) => {
    await client.create(CONFIG_MAPS, {
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
      "deleted ConfigMap default/a2 no longer in jobs",
      "deleted ConfigMap default/b no longer in jobs",
    ]);
    assertEquals(await place.names(), "a own");
  }),
);

for (
  const [title, odd] of [
    ["a namespace beside its metadata", (text: string) => `${text}namespace: team-a\n`],
    ["a kind in its metadata", (text: string) => text.replace("metadata:\n", "metadata:\n  kind: Secret\n")],
    [
      "no text as apiVersion in its metadata",
      (text: string) => text.replace("metadata:\n", "metadata:\n  apiVersion: 1\n"),
    ],
  ] as const
) {
  test(
    `a file that has ${title} is refused, and its object stays`,
    withFolder(async ({ place }) => {
      place.write("jobs/a.yaml", configMap("a"));
      place.write("jobs/b.yaml", configMap("b"));
      await place.look();
      place.write("jobs/a.yaml", odd(configMap("a", "2")));
      place.write("jobs/b.yaml", configMap("b", "2"));
      const [applied, refused] = await place.look();
      assertEquals(applied, "applied ConfigMap b jobs/b.yaml:1");
      assertStringIncludes(refused!, "refused jobs/a.yaml");
      assertEquals(await place.names(), "a b");
    }),
  );
}

test(
  "a folder is taken up by the next start as by the last, and hands are corrected then, not before",
  withFolder(async ({ place, client }) => {
    place.write("jobs/a.yaml", configMap("a"));
    place.write("jobs/b.yaml", configMap("b"));
    await place.look();
    const patch = { type: "merge", body: { data: { value: "by hand" } } } as const;
    const value = async () => (await client.get(CONFIG_MAPS, { name: "a", namespace: "default" })).data?.value;
    await client.patch(CONFIG_MAPS, { name: "a", namespace: "default" }, patch);
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
  }),
);

test(
  "a followed folder reads UTF-16 as kubectl does: PowerShell writes it",
  withFolder(async ({ place }) => {
    place.write("jobs/a.yaml", "");
    const units = Uint16Array.from(`\ufeff${configMap("a")}`, (unit) => unit.charCodeAt(0));
    Deno.writeFileSync(`${place.path}/jobs/a.yaml`, new Uint8Array(units.buffer));
    assertEquals(await place.look(), ["applied ConfigMap a jobs/a.yaml:1"]);
  }),
);

test(
  "a folder that is emptied or gone prunes nothing, and says so; a comment alone prunes",
  withFolder(async ({ place }) => {
    place.write("jobs/a.yaml", configMap("a"));
    place.write("jobs/b.yaml", configMap("b"));
    await place.look();
    const command =
      `kubectl delete configmap --all-namespaces --selector cronjob-controller.dev/applied-from=${place.source().id}`;
    place.remove("jobs/a.yaml");
    place.remove("jobs/b.yaml");
    assertEquals(await place.look(), [
      `note jobs: there is nothing in it: the 2 objects applied from it stay; ${command}`,
    ]);
    place.remove("jobs");
    assertEquals(await place.look(), [`note jobs: no such folder: the 2 objects applied from it stay; ${command}`]);
    assertEquals([await place.names(), place.unknown], ["a b", []]);
    place.write("jobs/c.yaml", "# nothing\n");
    assertEquals((await place.look()).length, 2);
    assertEquals(await place.names(), "");
  }),
);

test(
  "a command to delete names the API of a kind, which kubectl needs where others have a kind of that name",
  withFolder(async ({ place }) => {
    place.write("jobs/a.yaml", configMap("a"));
    place.write("jobs/b.yaml", cronJob("b"));
    await place.look();
    place.remove("jobs");
    const [note = ""] = await place.look();
    assertStringIncludes(note, "kubectl delete configmap,cronjob.cronjob-controller.dev --all-namespaces --selector ");
  }),
);

test(
  "a file without a character in it prunes nothing, and says so; one with a comment does",
  withFolder(async ({ place }) => {
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
  }),
);

test(
  "a copy of what was applied from a folder is not the folder's; what was deleted meanwhile is applied at a change",
  withFolder(async ({ place, client }) => {
    place.write("jobs/a.yaml", configMap("a"));
    place.write("jobs/b.yaml", configMap("b"));
    await place.look();
    const { labels = {}, annotations = {} } =
      (await client.get(CONFIG_MAPS, { name: "a", namespace: "default" })).metadata;
    const metadata = { name: "copy", namespace: "default", labels, annotations };
    await client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
    // As another source does that has had it too.
    await client.delete(CONFIG_MAPS, { name: "a", namespace: "default" });
    place.write("jobs/b.yaml", configMap("b", "2"));
    assertEquals(await place.look(), ["applied ConfigMap a jobs/a.yaml:1", "applied ConfigMap b jobs/b.yaml:1"]);
    assertEquals(await place.names(), "a b copy");
  }),
);

test("a folder of a former start that is followed no more is said to be taken over from", async () => {
  await using api = await startTestApiServer();
  await using former = new Place(await Deno.makeTempDir(), api.client);
  await using place = new Place(await Deno.makeTempDir(), api.client);
  for (const each of [former, place]) {
    for (const name of ["a", "b"]) each.write(`jobs/${name}.yaml`, configMap(name));
  }
  await former.look();
  const { id } = former.source();
  assertEquals((await place.look()).filter((line) => line.startsWith("note")), [
    `note jobs: 2 objects are taken over from a folder or crontab that is not followed now (${id})`,
  ]);
});

test(
  "a folder that was never there is unknown",
  withFolder(async ({ place }) => {
    assertEquals(await place.look(), ["note jobs: no such folder"]);
    assertEquals(place.unknown, ["no such folder"]);
  }),
);

test(
  "a refusal names the fields that the server objects to, and is tried again",
  withFolder(async ({ place, client }) => {
    place.write("jobs/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: later\n");
    place.write("jobs/b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  labels:\n    x: 'a b'\n");
    const [first, second] = atLeast(2, await place.look());
    assertEquals(first, 'refused jobs/a.yaml:4:9: ConfigMap later/a: namespaces "later" not found');
    assert(second.startsWith("refused jobs/b.yaml:6:"), second);
    const metadata = { name: "later" };
    await client.create({ group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false }, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata,
    });
    assertEquals(await place.look(), ["applied ConfigMap later/a jobs/a.yaml:1"]);
  }),
);

test(
  "an object that was moved into a file that cannot be read stays",
  withFolder(async ({ place }) => {
    place.write("jobs/a.yaml", configMap("moved"));
    place.write("jobs/b.yaml", configMap("gone"));
    await place.look();
    place.remove("jobs/a.yaml");
    place.remove("jobs/b.yaml");
    place.write("jobs/c.yaml", configMap("moved").replace("data:", "data: ["));
    assertEquals((await place.look()).filter((line) => line.startsWith("deleted")), [
      "deleted ConfigMap default/gone no longer in jobs",
    ]);
    assertEquals(await place.names(), "moved");
  }),
);

test(
  "a crontab's lines are CronJobs that stay the same when others are edited",
  withCrontab(async ({ place }) => {
    place.write("tab", "MAILTO=ana\n0 1 * * * /bin/backup a\n@reboot /bin/up\n5 * * * * /bin/sync % input\n");
    assertEquals(
      await place.look(),
      [
        "applied CronJob backup tab:2",
        "applied CronJob sync tab:4",
        "refused tab:3: @reboot: nothing runs at start-up in Kubernetes: leave it to cron, or use a service of systemd or launchd, on a cluster a Deployment",
        "note tab:1: cron mails output to ana; here it is in the logs of each run",
      ],
    );
    assertEquals(await place.cronJobs(), ["backup: 0 1 * * *", "sync: 5 * * * *"]);
  }),
);

test(
  "an entry of a crontab has the name that a comment gives it, and another CronJob with another name",
  withCrontab(async ({ place }) => {
    place.write("tab", "# name: nightly\n0 1 * * * /bin/backup\n# name: Sync\n0 2 * * * /bin/sync\n");
    assertEquals(await place.look(), [
      "applied CronJob nightly tab:2",
      "applied CronJob sync tab:4",
      'note tab:3: name "Sync": must be small letters, digits and dashes, 52 at most, such as sync; ' +
      "without it, the entry is named after its program",
    ]);
    place.write("tab", "# name: every-night\n30 1 * * * /bin/backup\n# name: Sync\n0 2 * * * /bin/sync\n");
    assertEquals(await place.look(), [
      "deleted CronJob default/nightly no longer in tab",
      "applied CronJob every-night tab:2",
    ]);
    assertEquals(await place.cronJobs(), ["every-night: 30 1 * * *", "sync: 0 2 * * *"]);
  }),
);

test(
  "a CronJob that is renamed with a mistake stays until the mistake is mended, and no other of its file starts beside it",
  withFolder(async ({ place }) => {
    place.write("jobs/a.yaml", cronJob("nightly"));
    await place.look();
    const wrong = cronJob("backup").replace('schedule: "@daily", ', "");
    place.write("jobs/a.yaml", `${wrong}---\n${cronJob("every-night")}`);
    const news = await place.look();
    assertEquals(news.map((line) => line.split(" ")[0]), ["refused", "note"]);
    assertStringIncludes(news[1]!, "CronJob nightly stays until");
    assertEquals(await place.cronJobs(), ["nightly: @daily"]);
    assertEquals(await place.look(), []);
    place.write("jobs/a.yaml", `${cronJob("backup")}---\n${cronJob("every-night")}`);
    assertEquals((await place.look()).map((line) => line.split(" ").slice(0, 3).join(" ")), [
      "deleted CronJob default/nightly",
      "applied CronJob default/backup",
      "applied CronJob default/every-night",
    ]);
  }),
);

test(
  "an object of another API is deleted before its namesake is applied, so that no time is run by both",
  withCrontab(async ({ place, client }) => {
    place.write("tab", "0 1 * * * /bin/backup a\n0 2 * * * /bin/sync\n");
    place.start({ api: BATCH });
    await place.look();
    place.start();
    place.write("tab", "0 1 * * * /bin/backup b\n61 2 * * * /bin/sync\n");
    assertEquals((await place.look()).slice(0, 2), [
      "deleted CronJob default/backup no longer in tab",
      "applied CronJob backup tab:1",
    ]);
    const left = await client.list(CRON_JOBS, { namespace: "default" });
    assertEquals(left.items.map(({ metadata }) => metadata.name), ["sync"], "what cannot be read runs as before");
    assertEquals(await place.cronJobs(), ["backup: 0 1 * * *"]);
  }),
);

test(
  "a folder is watched: what is written, renamed over, and swapped behind links is seen in its time",
  withFolder(async ({ place }) => {
    place.write("jobs/a.yaml", configMap("a"));
    await place.look();
    const clock = new FakeClock(0);
    const stop = new AbortController();
    const running = new FileFollowing(place.follower, clock).run(stop.signal);
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
  }),
);
