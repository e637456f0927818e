import { type Answer, type ApiRequest, json, streamed, text } from "../apiserver/http/exchange.ts";
import { criReader } from "../kubelet/files/cri_log.ts";
import { splitKey } from "../kube/object.ts";
import type { KeptLogFile, RunArchive } from "./archive.ts";

/** Asked about at once: each takes a moment, in which nothing else is done. */
const MAX_CRON_JOBS = 50;

/** Returns what the API server answers for `/history`: what is kept of the runs of a CronJob, and single logs. */
export function historyPage(archive: RunArchive): (request: ApiRequest) => Answer | undefined {
  return ({ path, query }) => {
    switch (path) {
      case "/history/runs":
        return json({
          runs: archive.runsOf({
            namespace: query.get("namespace") ?? "",
            cronJob: query.get("name") ?? "",
            apiVersion: query.get("api"),
            job: query.get("job"),
            limit: Number(query.get("limit")),
          }),
        });
      case "/history/newest":
        return json({ runs: archive.newestRuns(Object.fromEntries(query)) });
      case "/history/recent":
        return json({
          recent: query.getAll("cronjob").slice(0, MAX_CRON_JOBS).map((key) => {
            const { namespace = "", name: cronJob } = splitKey(key);
            const [since, until, limit] = ["since", "until", "limit"].map((name) => Number(query.get(name)));
            return query.has("since")
              ? archive.runsIn({ namespace, cronJob, since: since!, until: until!, limit: limit! })
              : archive.recentRunsOf({ namespace, cronJob });
          }),
        });
      case "/history/watched":
        return json(archive.watched());
      case "/history/log": {
        const kept = archive.openLog(query.get("file") ?? "");
        if (!kept) return text(404, "no such log is kept\n");
        const tail = query.get("tailLines");
        return streamed(streamOf(kept, tail === null ? 0 : kept.log.offsetOfTail(Number(tail))));
      }
      default:
        return undefined;
    }
  };
}

function streamOf({ log, format }: KeptLogFile, from: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const read = format === "cri" ? criReader({ timestamps: false }) : (bytes: Uint8Array<ArrayBuffer>) => bytes;
  let offset = from;
  return new ReadableStream({
    pull(controller) {
      // A piece may hold no whole line, and nothing to hand on then.
      for (;;) {
        const { bytes, next } = log.read(offset);
        offset = next;
        if (bytes.length === 0) return controller.close();
        const text = read(bytes);
        if (text.length > 0) return controller.enqueue(text);
      }
    },
  });
}
