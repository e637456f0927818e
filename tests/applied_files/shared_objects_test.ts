import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { CONFIG_MAPS, CRON_JOBS } from "../../src/kube/resource.ts";
import { test } from "../support/test.ts";
import { configMap, cronJob, withFolderAndCrontab, withTwoFolders } from "./support/place.ts";

test(
  "an object of two folders is of the first, and the other takes it over once the first has it no more",
  withTwoFolders(async ({ first, second, client }) => {
    const about = async () => {
      const { data, metadata } = await client.get(CONFIG_MAPS, { name: "both", namespace: "default" });
      return [data?.value, metadata.uid];
    };
    first.write("jobs/both.yaml", configMap("both", "first"));
    second.write("jobs/both.yaml", configMap("both", "second"));
    second.write("jobs/own.yaml", configMap("own"));
    assertEquals(await first.look(), [
      "applied ConfigMap both jobs/both.yaml:1",
      `applied ConfigMap own ${second.path}/jobs/own.yaml:1`,
      `refused ${second.path}/jobs/both.yaml:4:9: ConfigMap both stands in jobs/both.yaml:4 already`,
    ]);
    const [, uid] = await about();
    first.remove("jobs/both.yaml");
    first.write("jobs/other.yaml", "# nothing\n");
    assertEquals(await first.look(), [
      `applied ConfigMap both ${second.path}/jobs/both.yaml:1`,
      `note ${second.path}/jobs/both.yaml:4:9: ConfigMap both is taken over from jobs`,
    ]);
    assertEquals(await about(), ["second", uid]);

    // The next start finds it moved.
    second.remove("jobs/both.yaml");
    first.write("jobs/both.yaml", configMap("both", "moved"));
    first.start({ beside: [second] });
    assertEquals((await first.look()).length, 2);
    assertEquals(await about(), ["moved", uid]);
    first.remove("jobs/both.yaml");
    assertEquals(await first.look(), ["deleted ConfigMap default/both no longer in jobs"]);
  }),
);

test(
  "an object stays that another folder wants and cannot apply, and is deleted once no folder has it any more",
  withTwoFolders(async ({ first, second }) => {
    first.write("jobs/both.yaml", configMap("both"));
    first.write("jobs/other.yaml", configMap("other"));
    second.write("jobs/both.yaml", configMap("both").replace("name: both", "name: both\n  labels: { x: 'a b' }"));
    await first.look();
    first.remove("jobs/both.yaml");
    assertEquals((await first.look()).map((line) => line.split(" ", 1)[0]), ["refused"]);
    assertEquals([await first.look(), await first.names()], [[], "both other"]);
    second.write("jobs/both.yaml", "# nothing\n");
    assertEquals(await first.look(), ["deleted ConfigMap default/both no longer in jobs"]);
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
    const notes = async () => (await first.look()).filter((line) => /^note jobs|^deleted/.test(line));
    for (const [i, file] of all.entries()) first.write(file, configMap(`x${i + 1}`));
    for (const file of [...all, "jobs/own.yaml"]) second.write(file, configMap(file.slice(5, -5)));
    first.write("jobs/z.yaml", configMap("z"));
    await first.look();

    second.write("jobs/x1.yaml", "broken: [\nname: x1\n");
    first.remove("jobs/x1.yaml");
    first.remove("jobs/z.yaml");
    assertEquals(await notes(), [
      "deleted ConfigMap default/z no longer in jobs",
      stays("x1", "it cannot be read whole"),
    ]);
    assertEquals(await first.names(), "own x1 x2 x3 x4");
    second.write("jobs/x1.yaml", "# nothing\n");
    assertEquals(await notes(), ["deleted ConfigMap default/x1 no longer in jobs"]);

    // A disk that is not mounted.
    Deno.renameSync(other, `${second.path}/away`);
    first.remove("jobs/x2.yaml");
    assertEquals(await notes(), [stays("x2", "no such folder")]);
    Deno.mkdirSync(other);
    assertEquals(await notes(), [stays("x2", "there is nothing in it")]);
    assertEquals(await first.names(), "own x2 x3 x4");

    // At a start nothing is known of what was wanted before.
    first.start({ beside: [second] });
    first.remove("jobs/x3.yaml");
    await first.look();
    assertEquals(await first.names(), "own x2 x3 x4");
    Deno.removeSync(other);
    Deno.renameSync(`${second.path}/away`, other);
    second.remove("jobs/x3.yaml");
    assertEquals(await notes(), ["deleted ConfigMap default/x3 no longer in jobs"]);
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
    await first.look();
    second.remove("jobs");
    await first.look();
    first.remove("jobs/both.yaml");
    first.remove("jobs/other.yaml");
    first.write("jobs/none.yaml", "# nothing\n");
    await first.look();
    assertEquals(await first.names(), "both");
  }),
);

test(
  "a line of a crontab that cannot be read keeps CronJobs that have a name in it, and no object of another kind, API or namespace",
  withFolderAndCrontab(async ({ first, second }) => {
    first.write("jobs/map.yaml", configMap("backup"));
    first.write("jobs/mine.yaml", cronJob("backup"));
    first.write("jobs/theirs.yaml", cronJob("backup", "kube-public"));
    first.write("jobs/other.yaml", "# nothing\n");
    second.write("tab", "61 1 * * * /bin/backup\n");
    await first.look();
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
  withFolderAndCrontab(async ({ first, second, client }) => {
    first.write("jobs/map.yaml", configMap("a"));
    await first.look();
    second.write("tab", "0 1 * * * /bin/backup\n");
    second.start({ api: BATCH });
    await second.look();
    // It may be of the folder, which is away.
    first.remove("jobs");
    first.start({ beside: [second] });
    await first.look();
    assertEquals(await second.cronJobs(), []);
    first.write("jobs/map.yaml", configMap("a"));
    const tab = `${second.path}/tab`;
    assertEquals(await first.look(), [
      `deleted CronJob default/backup no longer in ${tab}`,
      `applied CronJob backup ${tab}:1`,
    ]);
    assertEquals((await client.list(CRON_JOBS, { namespace: "default" })).items, []);
    assertEquals(await second.cronJobs(), ["backup: 0 1 * * *"]);
  }),
);
