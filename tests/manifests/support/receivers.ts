import { destinationOf, type Receiver } from "../../../src/manifests/receivers.ts";

/** One of each kind. */
export function receivers(): Receiver[] {
  const urls = { webhook: "http://alerts.monitoring.svc:9000/", pings: "https://hc.example/ping" } as const;
  return (["webhook", "pings"] as const).map((kind) => {
    const url = urls[kind];
    const form = kind === "webhook" ? "slack" : undefined;
    return { kind, url, form, secret: `${kind}-secret`, destination: destinationOf(new URL(url)) };
  });
}
