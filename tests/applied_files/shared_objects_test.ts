import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { CONFIG_MAPS, CRON_JOBS } from "../../src/kube/resource.ts";
import { test } from "../support/test.ts";
import { configMap, cronJob, withFolderAndCrontab, withTwoFolders } from "./support/place.ts";

test(
  "an object of two folders stays when one has it no more, is never deleted in between, and one of them says so",
  withTwoFolders(async ({ first, second, beside, client }) => {
    const about = async () => {
      const { data, metadata } = await client.get(CONFIG_MAPS, { name: "both", namespace: "default" });
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
  }),
);

test(
  "an object that another folder cannot apply is handed over once",
  withTwoFolders(async ({ first, second }) => {
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
  }),
);

test(
  "an object of two folders stays when one has it no more and the other is in doubt",
  withTwoFolders(async ({ first, second }) => {
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
  }),
);

test(
  "an object stays that a damaged file may have had before its folder was gone",
  withTwoFolders(async ({ first, second }) => {
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
  }),
);

test(
  "an object that was handed over is deleted once no folder has it any more",
  withTwoFolders(async ({ first, second }) => {
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
  }),
);

test(
  "a line of a crontab that cannot be read keeps CronJobs that have a name in it, and no object of another kind, API or namespace",
  withFolderAndCrontab(async ({ first, second }) => {
    first.write("jobs/map.yaml", configMap("backup"));
    first.write("jobs/mine.yaml", cronJob("backup"));
    first.write("jobs/theirs.yaml", cronJob("backup", "kube-public"));
    first.write("jobs/other.yaml", "# nothing\n");
    await first.look();
    second.write("tab", "61 1 * * * /bin/backup\n");
    await second.look();
    for (const file of ["map", "mine", "theirs"]) first.remove(`jobs/${file}.yaml`);
    assertEquals(await first.look(), [
      "deleted CronJob kube-public/backup no longer in jobs",
      "deleted ConfigMap default/backup no longer in jobs",
      `note jobs: CronJob backup stays, as ${second.path}/tab may have it: it cannot be read whole; kubectl delete cronjob.cronjob-controller.dev backup --namespace default`,
    ]);
  }),
);

test(
  "a namesake of another API is not applied while it is unknown whether the one there may go",
  withFolderAndCrontab(async ({ first, second, beside, client }) => {
    first.write("jobs/map.yaml", configMap("a"));
    second.write("tab", "0 1 * * * /bin/backup\n");
    second.start(BATCH);
    await second.look();
    beside.splice(0);
    second.start();
    first.start();
    assertEquals(await second.look(), []);
    assertEquals([await second.cronJobs(), second.follower.isUnsettled], [[], true]);
    await first.look();
    assertEquals(await second.look(), [
      "deleted CronJob default/backup no longer in tab",
      "applied CronJob backup tab:1",
    ]);
    assertEquals((await client.list(CRON_JOBS, { namespace: "default" })).items, []);
    assertEquals(await second.cronJobs(), ["backup: 0 1 * * *"]);
  }),
);
