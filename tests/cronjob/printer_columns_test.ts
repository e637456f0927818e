import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { FLAVOURS, Running } from "./support/running.ts";

for (const api of FLAVOURS.filter(({ openStatus }) => openStatus)) {
  test(`kubectl get shows every schedule of a CronJob (${api.controllerName})`, async () => {
    await using running = await Running.start("2026-03-10T09:30:00Z");
    await running.create(api, { schedule: "", schedules: [{ schedule: "30 4 * * *" }, { schedule: "30 16 * * *" }] });
    const { group, version, plural } = api.resource;
    const cell = async () => {
      const path = `/apis/${group}/${version}/namespaces/default/${plural}`;
      const response = await running.client.raw(path, {
        headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
      });
      const { columnDefinitions, rows }: { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] } =
        await response.json();
      return rows[0]?.cells[columnDefinitions.findIndex(({ name }) => name === "Schedule")];
    };
    await running.until("a status", cell);
    assertEquals(await cell(), "30 4 * * *; 30 16 * * *");
  });
}
